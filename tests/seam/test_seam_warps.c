/* Protects the effects of mechanisms on single warps. A held warp waits until every mechanism that holds it has woken
 * it. An instruction that was refused and held is not offered again meanwhile. Its cycles appear in the CPI stack, and
 * the reported state of a warp is correct. */
#include "gate_kit.h"

enum { WAKES = 2000, LATER = 3000, BLOCK = 128, HELD_WARP = 1 };

/* Refuses the first store of one warp once, and wakes it from the SM or the dispatcher. */
enum waker { BY_SM, BY_GPU, BY_NOBODY };

static enum waker waker;

struct counts {
	uint64_t asked, stored; /* of the warp's store: calls of the veto; cycle of its issue */
	uint64_t others;        /* last store of another warp */
};

static struct counts seen;

static bool is_the_store(const struct mech_issue *issue)
{
	return issue->type == MECH_MEMORY && issue->kind == MECH_STORE;
}

static bool turn_away(struct mech_sm *sm, const struct mech_issue *issue)
{
	if (issue->warp != HELD_WARP || !is_the_store(issue))
		return true;
	if (seen.asked++)
		return true;
	mech_hold_warp(sm, issue->warp);
	mech_hold_warp(sm, issue->warp);
	return false;
}

static void note_store(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	if (is_the_store(issue))
		*(issue->warp == HELD_WARP ? &seen.stored : &seen.others) = issue->cycle;
}

static void wake_if_held(struct mech_sm *sm)
{
	struct mech_warp warp;
	mech_look_at_warp(sm, HELD_WARP, &warp);
	assert_true(warp.live && warp.held && warp.held_by_me && warp.has_instruction);
	mech_wake_warp(sm, HELD_WARP);
}

static uint64_t wake(struct mech_sm *sm, uint64_t cycle)
{
	if (waker == BY_SM && cycle == WAKES)
		wake_if_held(sm);
	return waker == BY_SM && cycle < WAKES ? WAKES : MECH_NEVER;
}

static uint64_t wake_from_gpu(struct mech_gpu *gpu, uint64_t cycle)
{
	if (waker == BY_GPU && cycle == WAKES)
		wake_if_held(mech_part(gpu, 0));
	return waker == BY_GPU && cycle < WAKES ? WAKES : MECH_NEVER;
}

static const struct mech replays = {.version = MECH_VERSION,
                                    .name = "replays",
                                    .may_issue = turn_away,
                                    .issue = note_store,
                                    .cycle = wake,
                                    .gpu_cycle = wake_from_gpu};

static const struct mech *const only_replays[] = {&replays, NULL};

static void test_replay(void **state)
{
	static const char *const sleeps[] = {"launch.sleep=true", "launch.sleep=false"};
	(void)state;
	kit_mechanisms = only_replays;
	for (uint32_t i = 0; i < 4; i++) {
		struct gpu_kit kit;
		waker = i / 2 ? BY_GPU : BY_SM;
		seen = (struct counts){0};
		KIT_OPEN(&kit, "sm.count=1", sleeps[i % 2]);
		kit.param = kit_buffer(&kit, NULL, BLOCK);
		kit_load(&kit, who);
		kit_run(&kit, 1, BLOCK);
		check_who(&kit, BLOCK);
		assert_int_equal(seen.asked, 2);
		assert_int_equal(seen.stored, WAKES + 1);
		assert_true(seen.others && seen.others < WAKES);
		assert_true(kit.run.stats.sm.stack_replayed > (WAKES - 1000) &&
		            kit.run.stats.sm.stack_replayed < WAKES);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

static void test_replay_for_ever(void **state)
{
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = only_replays;
	waker = BY_NOBODY;
	seen = (struct counts){0};
	KIT_OPEN(&kit, "sm.count=1", "launch.watchdog=5000");
	kit.param = kit_buffer(&kit, NULL, BLOCK);
	kit_load(&kit, who);
	kit_start(&kit, 1, BLOCK);
	assert_int_equal(kit.run.end, GPU_STALLED);
	if (!strstr(kit.run.message, "warp 1) at PTX line") || !strstr(kit.run.message, ": mechanism replays holds it"))
		fail_msg("%s", kit.run.message);
	kit_run(&kit, 1, BLOCK); /* the machine is as new: the store is offered a second time */
	check_who(&kit, BLOCK);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* Two mechanisms hold the same warp from its block's begin on: it continues when the later one wakes it. A warp that is
 * held when its exit issues ends. So does its block, whose slot then goes to another block. */
static uint64_t opens_of(const struct mech_sm *sm)
{
	return sm->number ? LATER : WAKES;
}

static void hold_first(struct mech_sm *sm, const struct mech_block *block)
{
	if (block->number == 0)
		mech_hold_warp(sm, block->first_warp + HELD_WARP);
}

static uint64_t wake_first(struct mech_sm *sm, uint64_t cycle)
{
	if (cycle == opens_of(sm))
		wake_if_held(sm);
	return cycle < opens_of(sm) ? opens_of(sm) : MECH_NEVER;
}

static uint64_t first_of_held;

static void hold_at_exit(struct mech_sm *sm, const struct mech_issue *issue)
{
	if (issue->warp == HELD_WARP && !first_of_held)
		first_of_held = issue->cycle;
	if (issue->type == MECH_EXIT)
		mech_hold_warp(sm, issue->warp);
}

static const struct mech holder = {.version = MECH_VERSION,
                                   .name = "holder",
                                   .block_begin = hold_first,
                                   .cycle = wake_first,
                                   .issue = hold_at_exit};

static void test_two_holders(void **state)
{
	struct mech other = holder;
	const struct mech *const set[] = {&holder, &other, NULL};
	struct gpu_kit kit;
	(void)state;
	other.name = "other";
	kit_mechanisms = set;
	first_of_held = 0;
	KIT_OPEN(&kit, "sm.count=1", "l1i.sets=64");
	kit.param = kit_buffer(&kit, NULL, 4 * BLOCK);
	kit_load(&kit, who);
	kit.run.blocks_per_sm = 1;
	kit_run(&kit, 4, BLOCK);
	check_who(&kit, 4 * BLOCK);
	assert_int_equal(first_of_held, LATER + 1);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* The reported state of warps. One waits for a load, then for the others at the barrier. Warps with higher numbers are
 * younger. */
static struct {
	struct mech_warp at_load, at_barrier;
	uint64_t ages[4];
} looked;

static uint64_t look(struct mech_sm *sm, uint64_t cycle)
{
	struct mech_warp warp;
	mech_look_at_warp(sm, 0, &warp);
	if (warp.pc == 3 && warp.has_instruction && warp.waits_for == 1 && !looked.at_load.live)
		looked.at_load = warp;
	if (warp.at_barrier && !looked.at_barrier.live)
		looked.at_barrier = warp;
	for (uint32_t w = 0; w < 4; w++) {
		mech_look_at_warp(sm, w, &warp);
		looked.ages[w] = warp.live ? warp.age : looked.ages[w];
	}
	mech_look_at_warp(sm, sm->machine->warps - 1, &warp);
	assert_false(warp.live);
	return cycle + 1;
}

static const struct mech looker = {.version = MECH_VERSION, .name = "looker", .cycle = look};

static void test_looks(void **state)
{
	static const struct mech *const set[] = {&looker, NULL};
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1");
	kit.param = kit_buffer(&kit, NULL, BLOCK);
	kit_load(&kit, "mov.u32 %r1, %tid.x; ld.global.u32 %r2, [%rd0]; add.u32 %r3, %r2, %r1;\n"
	               "setp.lt.u32 %p1, %r1, 32; @%p1 bra there; membar.gl; ld.global.u32 %r4, [%rd0+4];\n"
	               "add.u32 %r3, %r3, %r4; there: bar.sync 0; st.global.u32 [%rd0], %r3; exit;");
	kit_run(&kit, 1, BLOCK);
	assert_true(looked.at_load.live);
	assert_int_equal(looked.at_load.waits_for_loads, 1);
	assert_int_equal(looked.at_load.in_flight, 1);
	assert_true(looked.at_load.has_instruction && !looked.at_load.at_barrier && !looked.at_load.held);
	assert_true(looked.at_barrier.live);
	assert_int_equal(looked.at_barrier.warp_of_block, 0);
	for (uint32_t w = 1; w < 4; w++)
		assert_true(looked.ages[w] > looked.ages[w - 1]);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_replay_for_ever),
		cmocka_unit_test(test_two_holders),
		cmocka_unit_test(test_looks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
