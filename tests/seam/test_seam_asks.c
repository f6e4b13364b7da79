/* Protects that statistics do not depend on launch.sleep where hooks change which warps compete. After such a hook,
 * resting schedulers and sleeping SMs call warps_that_compete again, in the same cycle as an SM that never sleeps.
 * The test covers each hook of SMs and of the GPU, one at a time. The values that the mechanism sees after its hook
 * enter a sum. */
#include "gpu_kit.h"

enum { SMS = 2, PERIOD = 37, SEND_EVERY = 3, ANSWER = 30, BLOCKS = 12, THREADS = 96, LINES = 1 << 13 };

static uint32_t threads = THREADS;
static uint64_t lines_at; /* addresses of the kernel's loads and of the requests */

struct own_state {
	uint64_t picks, next;
	bool told;
};

struct own_stats {
	uint64_t told, sum;
};

static const struct base_counter counters[] = {
	{"told", "", BASE_SCOPE_SM, offsetof(struct own_stats, told), "", BASE_COMBINE_SUM},
	{"sum", "", BASE_SCOPE_SM, offsetof(struct own_stats, sum), "", BASE_COMBINE_SUM},
};

static void tell(struct mech_sm *sm)
{
	((struct own_state *)sm->state)->told = true;
	((struct own_stats *)sm->stats)->told++;
}

static void tell_all(struct mech_gpu *gpu)
{
	for (uint32_t s = 0; s < gpu->machine->sms; s++)
		tell(mech_part(gpu, s));
}

/* The sum depends on the order of the calls. */
static uint64_t compete(struct mech_sm *sm, const struct mech_warps *warps)
{
	struct own_state *own = sm->state;
	struct own_stats *stats = sm->stats;
	if (!own->told || warps->index != sm->machine->schedulers - 1)
		return UINT64_MAX;
	own->told = false;
	stats->sum ^= warps->live ^ warps->held << 17 ^ warps->load_hazard << 34 ^ warps->rank[1] << 51;
	stats->sum *= 0x9e3779b97f4a7c15;
	return UINT64_MAX;
}

/* Sends requests, so that the mechanism has replies, fills and outcomes. */
static uint32_t pick(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	struct own_state *own = sm->state;
	if (own->picks++ % SEND_EVERY == 0)
		mech_send(sm, &(struct mech_request){.address = lines_at + own->picks * 3 % LINES * 128,
		                                     .bytes = 32,
		                                     .to = MECH_TO_L1,
		                                     .pc = MECH_NO_PC});
	return mech_next(warps, candidates);
}

/* --- one hook of each kind, which changes what warps_that_compete returns --- */

#define LOOK(scope, hook, event, when)                                                                                 \
	static void told_by_##hook(struct mech_##scope *part, const struct event *unused)                              \
	{                                                                                                              \
		(void)unused;                                                                                          \
		TELL_##scope(part);                                                                                    \
	}
#define VETO(scope, hook, event, when)                                                                                 \
	static bool told_by_##hook(struct mech_##scope *part, const struct event *unused)                              \
	{                                                                                                              \
		(void)unused;                                                                                          \
		TELL_##scope(part);                                                                                    \
		return true;                                                                                           \
	}
#define TELL_sm(part)  tell(part)
#define TELL_gpu(part) tell_all(part)
MECH_SM_HOOKS(LOOK, VETO)
MECH_GPU_HOOKS(LOOK, VETO)
#undef LOOK
#undef VETO

static void told_by_on_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	(void)reply;
	tell(sm);
}

static void told_by_on_outcome(struct mech_sm *sm, const struct mech_outcome *outcome)
{
	(void)outcome;
	tell(sm);
}

static uint32_t told_by_l1_victim(struct mech_sm *sm, const struct mech_set *set)
{
	tell(sm);
	return set->usual;
}

static void told_by_l1_used(struct mech_sm *sm, const struct mech_use *use)
{
	(void)use;
	tell(sm);
}

static uint32_t told_by_answer_miss(struct mech_sm *sm, const struct mech_access *miss)
{
	tell(sm);
	return miss->address / 128 % 2 ? ANSWER : 0;
}

/* Only in the cycles for which it asks. */
static uint64_t told_by_cycle(struct mech_sm *sm, uint64_t cycle)
{
	struct own_state *own = sm->state;
	if (cycle < own->next)
		return own->next;
	tell(sm);
	own->next = cycle / PERIOD * PERIOD + PERIOD;
	return own->next;
}

static uint64_t told_by_gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	tell_all(gpu);
	return cycle / PERIOD * PERIOD + PERIOD;
}

static uint64_t at_times(struct mech_gpu *gpu, uint64_t cycle)
{
	(void)gpu;
	return cycle + PERIOD;
}

/* Holds this SM in step. */
static void keep_first(struct mech_gpu *gpu)
{
	mech_keep_in_step(gpu, 0);
}

static uint64_t told_in_step(struct mech_gpu *gpu, uint64_t cycle)
{
	tell(mech_part(gpu, 0));
	return cycle / PERIOD * PERIOD + PERIOD;
}

static uint32_t told_by_place_block(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room)
{
	(void)block;
	tell_all(gpu);
	for (uint32_t s = 0; s < gpu->machine->sms; s++)
		if (has_room[s])
			return s;
	return MECH_NOWHERE;
}

static uint32_t told_by_pick_kernel(struct mech_gpu *gpu, const struct mech_choice *choice)
{
	(void)choice;
	tell_all(gpu);
	return 0;
}

/* --- the tests --- */

static const struct mech base = {
	.version = MECH_VERSION,
	.name = "listener",
	.sm_size = sizeof(struct own_state),
	.stats_size = sizeof(struct own_stats),
	.counters = counters,
	.counter_count = 2,
	.sends = true,
	.policies = MECH_POLICY_WARP_ORDER,
	.pick_warp = pick,
	.warps_that_compete = compete,
};

/* Loads far apart that no request covers, stores, shared memory and a barrier. */
static const char body[] =
	"mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 96, %r1;\n"
	"mul.wide.u32 %rd1, %r3, 128;\nadd.u64 %rd1, %rd0, %rd1;\nmov.u32 %r9, 0;\n"
	"mul.wide.u32 %rd2, %r1, 4;\nloop: ld.global.u32 %r4, [%rd1];\nadd.u32 %r5, %r4, %r9;\n"
	"st.shared.u32 [%rd2], %r5;\nbar.sync 0;\nld.shared.u32 %r6, [%rd2];\nst.global.u32 [%rd1+4], %r6;\n"
	"ld.global.u32 %r7, [%rd1+64];\nadd.u32 %r8, %r7, %r6;\nadd.u64 %rd1, %rd1, 4096;\n"
	"add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, 4;\n@%p1 bra loop;\nst.global.u32 [%rd1], %r8;\nexit;";

struct seen {
	uint64_t cycles, told, sum;
};

static struct seen run(const struct mech *const *set, const char *sleep, const char *window)
{
	struct gpu_kit kit;
	struct seen seen;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=2", "sm.send_queue=4", sleep, window);
	kit.param = lines_at = kit_buffer(&kit, NULL, LINES * 16);
	kit_load(&kit, body);
	seen.cycles = kit_run(&kit, BLOCKS, threads);
	seen.told = kit_counter(&kit, 0, "told");
	seen.sum = kit_counter(&kit, 0, "sum");
	kit_close(&kit);
	kit_mechanisms = NULL;
	return seen;
}

/* Returns the check sum of the first of these mechanisms. */
static void check(const char *hook, const struct mech *const *set)
{
	static const char *const ways[][2] = {{"launch.sleep=false", "launch.window=1"},
	                                      {"launch.sleep=true", "launch.window=1"},
	                                      {"launch.sleep=true", "launch.window=64"},
	                                      {"launch.sleep=false", "launch.window=64"}};
	const struct seen first = run(set, ways[0][0], ways[0][1]);
	if (first.told < SMS)
		fail_msg("%s was called %llu times", hook, (unsigned long long)first.told);
	for (size_t i = 1; i < sizeof ways / sizeof *ways; i++) {
		const struct seen other = run(set, ways[i][0], ways[i][1]);
		if (other.cycles != first.cycles || other.told != first.told || other.sum != first.sum)
			fail_msg("%s, %s, %s: %llu cycles, %llu calls, sum %llx; before %llu, %llu, %llx", hook,
			         ways[i][0], ways[i][1], (unsigned long long)other.cycles,
			         (unsigned long long)other.told, (unsigned long long)other.sum,
			         (unsigned long long)first.cycles, (unsigned long long)first.told,
			         (unsigned long long)first.sum);
	}
}

#define CHECK(hook, ...)                                                                                               \
	do {                                                                                                           \
		struct mech mech = base;                                                                               \
		mech.hook = told_by_##hook;                                                                            \
		__VA_ARGS__;                                                                                           \
		check(#hook, (const struct mech *const[]){&mech, NULL});                                               \
	} while (0)

static void test_looks_and_vetoes(void **state)
{
	(void)state;
#define HOOK(scope, hook, event, when) CHECK(hook, (void)0);
	MECH_SM_HOOKS(HOOK, HOOK)
#undef HOOK
#define HOOK(scope, hook, event, when)                                                                                 \
	CHECK(hook, mech.gpu_cycle = at_times); /* without it no mechanism may extend the kernel */
	MECH_GPU_HOOKS(HOOK, HOOK)
#undef HOOK
}

static void test_other_hooks(void **state)
{
	(void)state;
	CHECK(on_reply, (void)0);
	CHECK(on_outcome, (void)0);
	CHECK(cycle, (void)0);
	CHECK(l1_victim, mech.policies |= MECH_POLICY_L1_REPLACEMENT);
	CHECK(l1_used, mech.policies |= MECH_POLICY_L1_REPLACEMENT; mech.l1_victim = told_by_l1_victim);
	CHECK(answer_miss, mech.policies |= MECH_POLICY_L1_MISS);
}

static void test_hooks_of_the_gpu(void **state)
{
	(void)state;
	CHECK(gpu_cycle, (void)0);
	CHECK(gpu_cycle, mech.keeps_in_step = true; mech.gpu_kernel_begin = keep_first; mech.gpu_cycle = told_in_step);
	CHECK(place_block, mech.policies |= MECH_POLICY_BLOCK_PLACE);
	CHECK(pick_kernel, mech.policies |= MECH_POLICY_KERNEL; mech.kernels = MECH_ALL_KERNELS);
}

/* One mechanism gives ranks; another decides by these ranks which warps compete. */
static uint64_t give_ranks(struct mech_sm *sm, uint64_t cycle)
{
	struct mech_warp warp;
	mech_look_at_warp(sm, 0, &warp);
	if (warp.live)
		mech_rank_warp(sm, 0, (uint32_t)(cycle / PERIOD % 2));
	return cycle / PERIOD * PERIOD + PERIOD;
}

/* Sums the new ranks. */
static uint64_t compete_by_rank(struct mech_sm *sm, const struct mech_warps *warps)
{
	struct own_state *own = sm->state;
	if (warps->index == 0 && own->next != (warps->rank[1] & 1)) {
		own->next = warps->rank[1] & 1;
		tell(sm);
	}
	return compete(sm, warps);
}

static void test_ranks(void **state)
{
	static const struct mech ranker = {
		.version = MECH_VERSION, .name = "ranker", .policies = MECH_POLICY_WARP_RANK, .cycle = give_ranks};
	struct mech mech = base;
	(void)state;
	mech.warps_that_compete = compete_by_rank;
	check("ranks", (const struct mech *const[]){&mech, &ranker, NULL});
}

/* Releases a warp while the machine queries which warps compete. The warp continues, though nothing else happens. */
static uint64_t compete_and_wake(struct mech_sm *sm, const struct mech_warps *warps)
{
	struct mech_warp warp;
	for (uint32_t slot = 0; !warps->index && slot < sm->machine->warps; slot++) {
		mech_look_at_warp(sm, slot, &warp);
		if (warp.held_by_me)
			mech_wake_warp(sm, slot);
	}
	return UINT64_MAX;
}

static void hold(struct mech_sm *sm, const struct mech_issue *issue)
{
	if (issue->type != MECH_EXIT)
		mech_hold_warp(sm, issue->warp);
	((struct own_stats *)sm->stats)->told++;
}

static void test_wake_when_asked(void **state)
{
	struct mech mech = base;
	(void)state;
	mech.warps_that_compete = compete_and_wake;
	mech.issue = hold;
	threads = 32;
	check("warps_that_compete", (const struct mech *const[]){&mech, NULL});
	threads = THREADS;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks_and_vetoes), cmocka_unit_test(test_other_hooks),
		cmocka_unit_test(test_hooks_of_the_gpu), cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_wake_when_asked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
