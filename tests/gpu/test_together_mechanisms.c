/* Protects mechanisms with kernels that run at the same time (seam/kernels.c): parts of a kernel see only this kernel
 * and count what they count when it is alone; parts that serve all kernels see every block; a kernel ends after the
 * replies to its requests; the number of kernels is limited by the parts that a unit may have. */
#include "together_kit.h"

static const char reads[] = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
			    "mad.lo.u32 %r3, %r1, %r2, %r3; mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd1, %rd0;\n"
			    "ld.global.u32 %r4, [%rd1]; add.u32 %r4, %r4, 1; st.global.u32 [%rd1], %r4; exit;";

/* --- a mechanism that tells what its parts have seen --- */

struct seen {
	uint64_t begins, ends, blocks, warps, issues, accesses, strange, asked, replies;
};

#define COUNTER(name)                                                                                                  \
	{                                                                                                              \
#name, "events", BASE_SCOPE_SM, offsetof(struct seen, name), "seen", BASE_COMBINE_SUM                  \
	}
static const struct base_counter counters[] = {COUNTER(begins), COUNTER(ends),    COUNTER(blocks),
                                               COUNTER(warps),  COUNTER(issues),  COUNTER(accesses),
                                               COUNTER(asked),  COUNTER(replies), COUNTER(strange)};

/* The state of an SM's part, which belongs to one kernel. */
struct own {
	uint64_t kernel, resident;
};

static uint64_t asked_line;          /* that the mechanism requests: within an allocation */
static uint32_t open_now, most_open; /* kernels that have begun and not ended */

static void gpu_kernel_begin(struct mech_gpu *gpu)
{
	(void)gpu;
	most_open = ++open_now > most_open ? open_now : most_open;
}

static void gpu_kernel_end(struct mech_gpu *gpu)
{
	(void)gpu;
	open_now--;
}

static void kernel_begin(struct mech_sm *sm)
{
	struct seen *seen = sm->stats;
	seen->begins++;
	seen->strange += ((struct own *)sm->state)->resident;
	((struct own *)sm->state)->kernel = sm->launch->number;
}

static void kernel_end(struct mech_sm *sm)
{
	((struct seen *)sm->stats)->ends++;
}

/* Counts events of another kernel than the part's, or of another launch than the block's. */
static void judge(struct mech_sm *sm, uint32_t slot)
{
	const struct mech_launch *launch = mech_launch_of(sm, slot);
	struct seen *seen = sm->stats;
	if (sm->mech->kernels == MECH_EACH_KERNEL)
		seen->strange += launch != sm->launch || ((struct own *)sm->state)->kernel != launch->number;
}

static void block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	struct seen *seen = sm->stats;
	judge(sm, block->slot);
	seen->strange += mech_launch_of(sm, block->slot)->warps != block->warps;
	seen->blocks++;
	seen->warps += block->warps;
	((struct own *)sm->state)->resident++;
	const struct mech_request request = {
		.address = asked_line, .bytes = 4, .to = MECH_TO_NOTHING, .pc = MECH_NO_PC};
	if (sm->mech->sends)
		seen->asked += mech_send(sm, &request);
}

static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	(void)block;
	((struct own *)sm->state)->resident--;
}

static void issue(struct mech_sm *sm, const struct mech_issue *event)
{
	judge(sm, event->block);
	((struct seen *)sm->stats)->issues++;
}

static void see_access(struct mech_sm *sm, const struct mech_access *event)
{
	judge(sm, event->block);
	((struct seen *)sm->stats)->accesses++;
}

static void on_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	(void)reply;
	((struct seen *)sm->stats)->replies++;
}

#define TELLER(name_, kernels_)                                                                                        \
	{                                                                                                              \
		.version = MECH_VERSION, .name = name_, .summary = "tells what it sees", .citation = "a test",         \
		.counters = counters, .counter_count = sizeof counters / sizeof *counters,                             \
		.stats_size = sizeof(struct seen), .sm_size = sizeof(struct own),                                      \
		.gpu_kernel_begin = gpu_kernel_begin, .gpu_kernel_end = gpu_kernel_end, .kernel_begin = kernel_begin,  \
		.kernel_end = kernel_end, .block_begin = block_begin, .block_end = block_end, .issue = issue,          \
		.access = see_access, .kernels = kernels_                                                              \
	}

static const struct mech looks_at_each = TELLER("each", MECH_EACH_KERNEL),
			 looks_at_all = TELLER("all", MECH_ALL_KERNELS);

/* --- sessions whose kernels' counts are read one by one --- */

enum { JOBS = 3 };

struct counted {
	struct jobs *jobs; /* the first member: user of the kit's functions is a struct jobs */
	struct gpu *gpu;
	struct seen of[MOST];
	uint32_t count, number; /* number: of the mechanism */
};
static struct counted counted;

static void keep_counted(void *user, struct gpu_run *run)
{
	(void)user;
	struct mech_requests requests;
	uint32_t part = seam_part_of_kernel(counted.gpu->seam, run->place, counted.number);
	for (int i = 0; i < counted.jobs->count; i++)
		if (&counted.jobs->job[i].run == run) {
			seam_stats(counted.gpu->seam, part, &counted.of[i], &requests, NULL);
			assert_int_equal(requests.issued, requests.redundant);
		}
	counted.count++;
}

static void run_counted(struct gpu_kit *kit, struct jobs *jobs)
{
	struct gpu_session session = {
		.feed = {.user = jobs, .next = next_job, .ended = job_ended, .counted = keep_counted},
		.concurrent = jobs->concurrent};
	char text[256];
	memset(&counted, 0, sizeof counted);
	counted.jobs = jobs;
	counted.gpu = kit->gpu;
	gpu_run_together(kit->gpu, &session);
	if (session.end != GPU_DONE)
		fail_msg("the session ended by %d: %s", session.end, session.message);
	assert_int_equal(counted.count, jobs->count);
	if (!gpu_check_session(kit->gpu, &session, text, sizeof text))
		fail_msg("%s", text);
}

static struct job *add_job(struct gpu_kit *kit, struct jobs *jobs, int number, uint64_t buffer)
{
	static const uint32_t blocks[JOBS] = {40, 7, 90}, threads[JOBS] = {64, 256, 32};
	return add(kit, jobs, reads, blocks[number], threads[number], 10, 0, buffer + 65536 * (uint64_t)number);
}

static void open_with(struct gpu_kit *kit, const struct mech *mech)
{
	static const struct mech *list[2];
	list[0] = mech;
	kit_mechanisms = list;
	KIT_OPEN(kit, "sm.count=3");
	kit_mechanisms = NULL;
}

/* Runs some of the jobs, and returns what was counted for each of them. */
static void run_jobs(const struct mech *mech, int first, int end, struct seen seen[JOBS], struct seen *sum)
{
	struct gpu_kit kit;
	struct jobs *jobs = new_jobs();
	struct mech_requests requests;
	open_with(&kit, mech);
	uint64_t buffer = kit_buffer(&kit, NULL, 65536);
	asked_line = (buffer + 400000) / 128 * 128;
	for (int i = first; i < end; i++)
		add_job(&kit, jobs, i, buffer);
	run_counted(&kit, jobs);
	for (int i = first; i < end; i++)
		seen[i] = counted.of[i - first];
	memset(sum, 0, sizeof *sum);
	seam_stats(kit.gpu->seam, 0, sum, &requests, NULL);
	free_jobs(jobs);
	kit_close(&kit);
}

static void expect_equal(const struct seen *one, const struct seen *other)
{
	assert_int_equal(one->blocks, other->blocks);
	assert_int_equal(one->warps, other->warps);
	assert_int_equal(one->issues, other->issues);
	assert_int_equal(one->accesses, other->accesses);
}

/* Each kernel's parts count the same as when it is alone, and the sums are those of the session. */
static void test_each_kernel(void **state)
{
	(void)state;
	struct seen alone[JOBS], together[JOBS], sum, none;
	for (int i = 0; i < JOBS; i++)
		run_jobs(&looks_at_each, i, i + 1, alone, &none);
	run_jobs(&looks_at_each, 0, JOBS, together, &sum);
	struct seen total = {0};
	for (int i = 0; i < JOBS; i++) {
		expect_equal(&alone[i], &together[i]);
		assert_int_equal(together[i].begins, 3);
		assert_int_equal(together[i].ends, 3);
		assert_int_equal(together[i].strange, 0);
		total.blocks += together[i].blocks;
		total.warps += together[i].warps;
		total.issues += together[i].issues;
		total.accesses += together[i].accesses;
	}
	assert_int_equal(together[0].blocks, 40);
	assert_int_equal(together[1].warps, 7 * 8);
	expect_equal(&total, &sum);
}

/* One set of parts begins and ends once and sees the blocks of all kernels, with their launches. */
static void test_all_kernels(void **state)
{
	(void)state;
	struct seen each[JOBS], sum, unread[JOBS], all;
	run_jobs(&looks_at_each, 0, JOBS, each, &sum);
	run_jobs(&looks_at_all, 0, JOBS, unread, &all);
	assert_int_equal(all.begins, 3);
	assert_int_equal(all.ends, 3);
	assert_int_equal(all.strange, 0);
	expect_equal(&sum, &all);
}

/* A kernel ends after the replies to its requests, whichever unit they came from. */
static void test_requests(void **state)
{
	(void)state;
	struct mech sends = looks_at_each;
	struct seen seen[JOBS], sum;
	sends.sends = true;
	sends.on_reply = on_reply;
	run_jobs(&sends, 0, JOBS, seen, &sum);
	for (int i = 0; i < JOBS; i++) {
		assert_in_range(seen[i].asked, 1, seen[i].blocks);
		assert_in_range(seen[i].replies, 1, seen[i].asked); /* the rest was dropped with the last block */
		assert_int_equal(seen[i].strange, 0);
	}
	assert_int_equal(sum.replies, seen[0].replies + seen[1].replies + seen[2].replies);
}

/* Requests the same again, so that one request is always on its way. */
static void ask_again(struct mech_sm *sm, const struct mech_reply *reply)
{
	struct seen *seen = sm->stats;
	seen->replies++;
	seen->asked += mech_send(sm, &reply->request);
}

/* The kernel's block ends before a reply, while another kernel keeps the SM at work. */
static void test_late_replies(void **state)
{
	(void)state;
	struct mech sends = looks_at_each;
	struct gpu_kit kit;
	struct jobs *jobs = new_jobs();
	sends.sends = true;
	sends.on_reply = ask_again;
	static const struct mech *list[2];
	list[0] = &sends;
	kit_mechanisms = list;
	KIT_OPEN(&kit, "sm.count=1");
	kit_mechanisms = NULL;
	uint64_t buffer = kit_buffer(&kit, NULL, 65536);
	asked_line = (buffer + 400000) / 128 * 128;
	add(&kit, jobs, long_loop, 1, 32, 10, 0, buffer);
	add(&kit, jobs, "exit;", 1, 64, 10, 0, buffer);
	run_counted(&kit, jobs);
	for (int i = 0; i < jobs->count; i++) {
		assert_in_range(counted.of[i].asked, 2, UINT32_MAX);
		assert_int_equal(counted.of[i].replies, counted.of[i].asked);
	}
	free_jobs(jobs);
	kit_close(&kit);
}

/* --- an end that a mechanism delays --- */

enum { DELAY = 5000 };

static bool may_end(struct mech_gpu *gpu, const struct mech_end *end)
{
	uint64_t *since = gpu->state;
	*since = *since ? *since : end->cycle;
	return end->cycle >= *since + DELAY || gpu->launch->threads != 256;
}

static uint64_t every_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	(void)gpu;
	return cycle + 1;
}

static uint64_t end_seen[JOBS];

static void see_end(void *user, struct gpu_run *run)
{
	const struct jobs *jobs = user;
	for (int i = 0; i < jobs->count; i++)
		if (&jobs->job[i].run == run)
			end_seen[i] = gpu_core_cycle(counted.gpu);
	job_ended(user, run);
}

/* Only the kernel whose parts refuse ends later. */
static void test_may_end(void **state)
{
	(void)state;
	struct mech waits = looks_at_each;
	struct gpu_kit kit;
	struct jobs *jobs = new_jobs();
	waits.gpu_size = sizeof(uint64_t);
	waits.may_end = may_end;
	waits.gpu_cycle = every_cycle;
	open_with(&kit, &waits);
	uint64_t buffer = kit_buffer(&kit, NULL, 65536);
	asked_line = (buffer + 400000) / 128 * 128;
	for (int i = 0; i < JOBS; i++)
		add_job(&kit, jobs, i, buffer);
	counted.gpu = kit.gpu;
	struct gpu_session session = {.feed = {.user = jobs, .next = next_job, .ended = see_end},
	                              .concurrent = jobs->concurrent};
	gpu_run_together(kit.gpu, &session);
	assert_int_equal(session.end, GPU_DONE);
	const struct gpu_run *late = &jobs->job[1].run;
	assert_in_range(end_seen[1] - (late->started + late->cycles), DELAY, DELAY + 2);
	assert_true(end_seen[1] <= session.start + session.cycles);
	for (int i = 0; i < JOBS; i += 2) {
		const struct gpu_run *run = &jobs->job[i].run;
		assert_in_range(end_seen[i] - (run->started + run->cycles), 0, 2);
	}
	free_jobs(jobs);
	kit_close(&kit);
}

/* --- how many --- */

/* With this mechanism and a warp order, a unit has parts for 16 kernels. */
static void test_at_once(void **state)
{
	(void)state;
	struct gpu_kit kit;
	struct jobs *jobs = new_jobs();
	open_with(&kit, &looks_at_each);
	uint64_t buffer = kit_buffer(&kit, NULL, 8);
	kit.gpu->machine.concurrent = 128;
	assert_int_equal(gpu_kernels_at_once(kit.gpu), SEAM_PARTS / 2);
	for (int i = 0; i < MOST; i++)
		add(&kit, jobs, long_loop, 1, 32, 10, 0, buffer);
	jobs->concurrent = gpu_kernels_at_once(kit.gpu);
	open_now = most_open = 0;
	run_counted(&kit, jobs);
	assert_int_equal(open_now, 0);
	assert_int_equal(most_open, SEAM_PARTS / 2);
	free_jobs(jobs);
	kit_close(&kit);
}

static void test_one_at_a_time(void **state)
{
	(void)state;
	struct mech one = looks_at_each;
	const struct mech *why;
	one.kernels = MECH_ONE_KERNEL;
	const struct seam_attached attached[] = {{&looks_at_all, NULL}, {&one, NULL}};
	assert_int_equal(seam_kernels_at_once(attached, 2, &why), 1);
	assert_ptr_equal(why, &one);
	assert_int_equal(seam_kernels_at_once(attached, 1, &why), SEAM_PARTS);
	assert_null(why);
}

/* --- what does not suit --- */

static bool no_dispatch(struct mech_gpu *gpu, const struct mech_dispatch *event)
{
	(void)gpu, (void)event;
	return true;
}

static uint64_t no_throttle(struct mech_sm *sm, const struct mech_warps *warps)
{
	(void)sm, (void)warps;
	return UINT64_MAX;
}

static void no_fill(struct mech_partition *partition, const struct mech_fill *fill)
{
	(void)partition, (void)fill;
}

static void no_outcome(struct mech_partition *partition, const struct mech_outcome *outcome)
{
	(void)partition, (void)outcome;
}

static uint32_t first_way(struct mech_sm *sm, const struct mech_set *set)
{
	(void)sm;
	return set->usual;
}

static void expect_refused(const struct mech *mech, const char *says)
{
	struct gpu_kit kit;
	char text[256] = "";
	KIT_OPEN(&kit, "sm.count=1");
	const struct mech_machine machine = gpu_mech_machine(&kit.machine);
	const struct seam_attached attached = {mech, NULL};
	assert_false(seam_check(&attached, 1, &machine, text, sizeof text));
	assert_non_null(strstr(text, says));
	kit_close(&kit);
}

/* Hooks and policies that .kernels does not allow are refused. */
static void test_refused(void **state)
{
	(void)state;
	struct mech mech = looks_at_each;
	mech.warps_that_compete = no_throttle;
	expect_refused(&mech, "warps_that_compete");
	mech = looks_at_each;
	mech.partition_fill = no_fill;
	mech.partition_outcome = no_outcome;
	expect_refused(&mech, "partitions");
	mech = looks_at_each;
	mech.policies = MECH_POLICY_L1_REPLACEMENT;
	mech.l1_victim = first_way;
	expect_refused(&mech, "policy");
	mech = looks_at_all;
	mech.may_dispatch = no_dispatch;
	expect_refused(&mech, "belongs to one kernel");
	mech = looks_at_all;
	mech.kernels = (enum mech_kernels)7;
	expect_refused(&mech, "unknown value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kernel),   cmocka_unit_test(test_all_kernels),
		cmocka_unit_test(test_requests),      cmocka_unit_test(test_may_end),
		cmocka_unit_test(test_late_replies),  cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_one_at_a_time), cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
