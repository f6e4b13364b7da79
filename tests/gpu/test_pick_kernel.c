/* Protects the choice of the kernel by a mechanism (MECH_POLICY_KERNEL): the machine's policies, written as mechanisms,
 * give every block the same cycle; a mechanism sees what runs, and its mistakes are reported. */
#include "together_kit.h"

/* --- the machine's policies as mechanisms --- */

static uint64_t asked;   /* calls */
static bool has_strange; /* a call showed what cannot be */

/* Checks what the machine shows. */
static void judge(const struct mech_gpu *gpu, const struct mech_choice *choice)
{
	bool has_choice = false;
	asked++;
	has_strange |= choice->sm >= gpu->machine->sms || !choice->count;
	for (uint32_t i = 0; i < choice->count; i++) {
		const struct mech_running *kernel = &choice->kernel[i];
		has_choice |= kernel->ready && kernel->has_space;
		has_strange |= kernel->next > kernel->blocks || (kernel->ready && kernel->next == kernel->blocks);
		has_strange |= kernel->resident > kernel->next || kernel->blocks != kernel->launch->grid.x;
		has_strange |= i && choice->kernel[i - 1].priority < kernel->priority;
	}
	has_strange |= !has_choice;
}

static uint32_t pick_leftover(struct mech_gpu *gpu, const struct mech_choice *choice)
{
	uint32_t i = 0;
	judge(gpu, choice);
	while (!choice->kernel[i].ready)
		i++;
	return i;
}

static bool is_in_part(const struct mech_gpu *gpu, uint32_t sm, uint32_t rank, uint32_t kernels)
{
	uint32_t sms = gpu->machine->sms;
	return kernels > sms ? rank % sms == sm : sm >= rank * sms / kernels && sm < (rank + 1) * sms / kernels;
}

static uint32_t pick_even(struct mech_gpu *gpu, const struct mech_choice *choice)
{
	judge(gpu, choice);
	for (uint32_t i = 0; i < choice->count; i++)
		if (choice->kernel[i].ready && is_in_part(gpu, choice->sm, i, choice->count))
			return i;
	return MECH_NOWHERE;
}

/* SM 0 belongs to every second stream, the other SMs to the rest. */
static uint32_t pick_in_partition(struct mech_gpu *gpu, const struct mech_choice *choice)
{
	judge(gpu, choice);
	for (uint32_t i = 0; i < choice->count; i++)
		if (choice->kernel[i].ready && (choice->kernel[i].stream % 2 == 0) == (choice->sm == 0))
			return i;
	return MECH_NOWHERE;
}

static double larger(double one, double other)
{
	return one > other ? one : other;
}

static double share_of(const struct mech_gpu *gpu, const struct mech_running *kernel, uint32_t blocks)
{
	const struct mech_machine *machine = gpu->machine;
	double share = (double)blocks / machine->blocks;
	share = larger(share, (double)blocks * kernel->launch->warps / machine->warps);
	share = larger(share, (double)blocks * kernel->registers / machine->registers);
	return larger(share, (double)blocks * kernel->launch->shared_bytes / machine->shared_bytes);
}

static uint32_t least_share(const struct mech_gpu *gpu, const struct mech_choice *choice, bool entitled)
{
	uint32_t best = MECH_NOWHERE, first = MECH_NOWHERE;
	for (uint32_t i = 0; i < choice->count; i++) {
		const struct mech_running *kernel = &choice->kernel[i];
		if (!kernel->ready)
			continue;
		first = first == MECH_NOWHERE ? i : first;
		if (kernel->priority < choice->kernel[first].priority)
			break;
		double more = share_of(gpu, kernel, kernel->resident + 1);
		bool may = entitled ? !kernel->resident || more * choice->count <= 1 : kernel->has_space;
		if (may && (best == MECH_NOWHERE ||
		            share_of(gpu, kernel, kernel->resident) <
		                    share_of(gpu, &choice->kernel[best], choice->kernel[best].resident)))
			best = i;
	}
	return best;
}

static uint32_t pick_by_share(struct mech_gpu *gpu, const struct mech_choice *choice)
{
	judge(gpu, choice);
	uint32_t entitled = least_share(gpu, choice, true);
	return entitled != MECH_NOWHERE ? entitled : least_share(gpu, choice, false);
}

#define CHOOSER(name_, hook)                                                                                           \
	{                                                                                                              \
		.version = MECH_VERSION, .name = name_, .summary = "chooses kernels", .citation = "a test",            \
		.policies = MECH_POLICY_KERNEL, .pick_kernel = hook, .kernels = MECH_ALL_KERNELS                       \
	}
static const struct mech leftover = CHOOSER("leftover", pick_leftover), even = CHOOSER("even", pick_even),
			 partitions = CHOOSER("partitions", pick_in_partition),
			 shares = CHOOSER("shares", pick_by_share);

/* --- random sets of kernels --- */

static const char short_loop[] = "mov.u32 %r1, 0;\n"
				 "AGAIN: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 50; @%p1 bra AGAIN;\n"
				 "st.global.u32 [%rd0], %r1; exit;";

struct set {
	uint32_t sms, per_cluster, kernels;
	struct {
		uint32_t blocks, threads, registers, shared;
		int32_t priority;
		int after;
	} kernel[8];
};

static uint32_t roll(uint64_t *seed, uint32_t sides)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % sides;
}

static struct set random_set(uint64_t seed)
{
	struct set set = {.sms = 2 * (1 + roll(&seed, 3)), .kernels = 2 + roll(&seed, 7)};
	set.per_cluster = roll(&seed, 2) ? 2 : 1;
	for (uint32_t i = 0; i < set.kernels; i++) {
		set.kernel[i].blocks = 1 + roll(&seed, 30);
		set.kernel[i].threads = 32 * (1 + roll(&seed, 8));
		set.kernel[i].registers = 10 + roll(&seed, 40);
		set.kernel[i].shared = roll(&seed, 2) ? 1024 * roll(&seed, 40) : 0;
		set.kernel[i].priority = (int32_t)roll(&seed, 3);
		set.kernel[i].after = i && roll(&seed, 3) == 0 ? (int)roll(&seed, i) : -1;
	}
	return set;
}

/* The cycles of a set's first and last blocks. */
struct times {
	uint64_t first[8], last[8], cycles;
};

static void run_set(const struct set *set, const char *policy, const struct mech *mech, struct times *times)
{
	const struct mech *const list[] = {mech, NULL};
	struct gpu_kit kit;
	struct gpu_session session;
	struct jobs *jobs = new_jobs();
	char sms[32], clusters[32], groups[48];
	bool by_stream = strstr(policy, "partitions");
	snprintf(sms, sizeof sms, "sm.count=%u", set->sms);
	snprintf(clusters, sizeof clusters, "sm.per_cluster=%u", set->per_cluster);
	snprintf(groups, sizeof groups, by_stream ? "launch.partitions=1,%u" : "sm.count=%u",
	         by_stream ? set->sms - 1 : set->sms);
	kit_mechanisms = mech ? list : NULL;
	kit_open(&kit, (const char *const[]){sms, clusters, policy, groups, "launch.spread_small_grids=false", NULL});
	kit_mechanisms = NULL;
	uint64_t buffer = kit_buffer(&kit, NULL, 1024);
	for (uint32_t i = 0; i < set->kernels; i++) {
		struct job *job = add(&kit, jobs, short_loop, set->kernel[i].blocks, set->kernel[i].threads,
		                      set->kernel[i].registers, set->kernel[i].shared, buffer + 128 * (uint64_t)i);
		job->run.priority = set->kernel[i].priority;
		job->run.stream = i;
		job->after = set->kernel[i].after;
	}
	run_all(&kit, jobs, &session);
	*times = (struct times){.cycles = session.cycles};
	for (uint32_t i = 0; i < set->kernels; i++) {
		times->first[i] = jobs->job[i].run.first_block;
		times->last[i] = jobs->job[i].run.started + jobs->job[i].run.cycles;
	}
	free_jobs(jobs);
	kit_close(&kit);
}

static void test_policies_as_mechanisms(void **state)
{
	static const struct {
		const char *option;
		const struct mech *mech;
	} policy[] = {{"launch.policy=leftover", &leftover},
	              {"launch.policy=even", &even},
	              {"launch.policy=partitions", &partitions},
	              {"launch.policy=shares", &shares}};
	(void)state;
	asked = 0;
	for (uint64_t seed = 1; seed <= 20; seed++)
		for (int i = 0; i < 4; i++) {
			const struct set set = random_set(seed * 7919);
			struct times machine, mechanism;
			run_set(&set, policy[i].option, NULL, &machine);
			run_set(&set, "launch.policy=leftover", policy[i].mech, &mechanism);
			if (memcmp(&machine, &mechanism, sizeof machine) != 0)
				fail_msg("seed %d, %s: the mechanism's blocks have other cycles", (int)seed,
				         policy[i].option);
		}
	assert_false(has_strange);
	assert_true(asked > 1000);
}

/* --- blocks that wait --- */

enum { OPENS = 3000 };

static uint64_t last_asked[2];
static bool asked_twice;

/* SM 0 starts nothing before a cycle; SM 1 starts only blocks of the second kernel. */
static uint32_t pick_late(struct mech_gpu *gpu, const struct mech_choice *choice)
{
	judge(gpu, choice);
	asked_twice |= last_asked[choice->sm] == choice->cycle;
	last_asked[choice->sm] = choice->cycle;
	if (choice->sm == 0)
		return choice->cycle >= OPENS && choice->kernel[0].ready ? 0 : MECH_NOWHERE;
	for (uint32_t i = 0; i < choice->count; i++)
		if (choice->kernel[i].launch->number == 2 && choice->kernel[i].ready)
			return i;
	return MECH_NOWHERE;
}

static void test_blocks_that_wait(void **state)
{
	static const struct mech late = CHOOSER("late", pick_late);
	static const struct mech *const list[] = {&late, NULL};
	(void)state;
	for (int sleep = 0; sleep < 2; sleep++) {
		struct gpu_kit kit;
		struct gpu_session session;
		struct jobs *jobs = new_jobs();
		kit_mechanisms = list;
		KIT_OPEN(&kit, "sm.count=2", sleep ? "launch.sleep=true" : "launch.sleep=false");
		kit_mechanisms = NULL;
		uint64_t buffer = kit_buffer(&kit, NULL, 1024);
		for (uint64_t i = 0; i < 2; i++)
			add(&kit, jobs, long_loop, 1, 32, 20, 0, buffer + 128 * i);
		asked = 0;
		last_asked[0] = last_asked[1] = UINT64_MAX;
		run_all(&kit, jobs, &session);
		assert_int_equal(jobs->job[0].run.first_block, OPENS);
		assert_true(jobs->job[1].run.first_block < 10);
		assert_in_range(asked, 2 * OPENS - 10, 2 * OPENS + 10); /* each SM, in every cycle */
		assert_false(asked_twice || has_strange);
		free_jobs(jobs);
		kit_close(&kit);
	}
}

/* --- mistakes --- */

static uint32_t wrong_index;

static uint32_t pick_wrong(struct mech_gpu *gpu, const struct mech_choice *choice)
{
	(void)gpu;
	if (wrong_index)
		return wrong_index;
	for (uint32_t i = 0; i < choice->count; i++) /* the first kernel again, when it has no block any more */
		if (choice->kernel[i].launch->number == 1)
			return i;
	return MECH_NOWHERE;
}

static void expect_mistake(const char *says)
{
	static const struct mech wrong = CHOOSER("wrong", pick_wrong);
	static const struct mech *const list[] = {&wrong, NULL};
	struct gpu_kit kit;
	struct gpu_session session;
	struct jobs *jobs = new_jobs();
	kit_mechanisms = list;
	KIT_OPEN(&kit, "sm.count=1");
	kit_mechanisms = NULL;
	uint64_t buffer = kit_buffer(&kit, NULL, 1024);
	for (uint64_t i = 0; i < 2; i++)
		add(&kit, jobs, long_loop, 1, 32, 20, 0, buffer + 128 * i);
	start_all(&kit, jobs, &session);
	assert_int_equal(session.end, GPU_MISTAKE);
	if (!strstr(session.message, says))
		fail_msg("'%s' does not say '%s'", session.message, says);
	free_jobs(jobs);
	kit_close(&kit);
}

static void test_mistakes(void **state)
{
	(void)state;
	wrong_index = 7;
	expect_mistake("mechanism wrong, hook pick_kernel, ");
	expect_mistake("gives SM 0 to kernel 7 of 2, which does not run");
	wrong_index = 0;
	expect_mistake("gives SM 0 to kernel 0 of 2, which has no block to start");
}

static void test_what_does_not_suit(void **state)
{
	(void)state;
	struct gpu_kit kit;
	KIT_OPEN(&kit, "sm.count=1");
	const struct mech_machine machine = gpu_mech_machine(&kit.machine);
	for (int kernels = MECH_ONE_KERNEL; kernels <= MECH_EACH_KERNEL; kernels++) {
		struct mech mech = leftover;
		char text[256] = "";
		mech.kernels = (enum mech_kernels)kernels;
		const struct seam_attached attached = {&mech, NULL};
		assert_false(seam_check(&attached, 1, &machine, text, sizeof text));
		assert_non_null(strstr(text, "mechanism leftover: .kernels "));
	}
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_policies_as_mechanisms),
		cmocka_unit_test(test_blocks_that_wait),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_what_does_not_suit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
