/* Protects users from mistakes in mechanisms. The seam checks the return values and requests of each hook. A wrong one
 * stops the kernel with a message that names mechanism, hook and cycle; after that the machine is as new. */
#include "wrong_kit.h"

static void test_results(void **state)
{
	static const struct row rows[] = {
		{PICK, NULL, NULL, 63, "mechanism wrong, hook pick_warp, SM 0, cycle "},
		{PICK, NULL, NULL, 63, ", which is not among the candidates 0x"},
		{PICK, NULL, NULL, UINT32_MAX, "picks warp 4294967295 of scheduler"},
		{PLACE, NULL, NULL, 2,
	         "mechanism wrong, hook place_block, cycle 0: places block 0 on SM 2, which does not exist"},
		{PLACE, NULL, NULL, 1, "hook place_block, cycle 0: places block 1 on SM 1, which cannot take a block"},
		{BLOCK_COUNT, NULL, NULL, 0, "hook blocks_per_sm, cycle 0: allows 0 blocks per SM; expected 1 to the "},
		{BLOCK_COUNT, NULL, NULL, 9, "allows 9 blocks per SM; expected 1 to the 2 that fit"},
		{CYCLE, NULL, NULL, 0, "hook cycle, SM 0, cycle "},
		{CYCLE, NULL, NULL, 0, ": asks to be called again in cycle 0, which is not in the future"},
		{GPU_CYCLE, NULL, NULL, 0,
	         "hook gpu_cycle, cycle 0: asks to be called again in cycle 0, which is not in the future"},
	};
	(void)state;
	RUN_ROWS(&wrong, rows);
}

/* --- requests --- */

static void ask(struct mech_sm *sm, uint64_t address, uint32_t bytes, int to, uint32_t pc, uint32_t block)
{
	const struct mech_request request = {
		.address = address, .bytes = bytes, .to = (enum mech_place)to, .pc = pc, .block = block};
	if (mech_send(sm, &request))
		fail_msg("the request was accepted");
}

static void ask_well(struct mech_sm *sm)
{
	ask(sm, 0x80000000, LINE, MECH_TO_NOTHING, MECH_NO_PC, 0);
}

static void ask_misaligned(struct mech_sm *sm)
{
	ask(sm, 0x80000004, 4, MECH_TO_L1, MECH_NO_PC, 0);
}

static void ask_beyond_line(struct mech_sm *sm)
{
	ask(sm, 0x80000020, LINE, MECH_TO_L1, MECH_NO_PC, 0);
}

static void ask_nothing(struct mech_sm *sm)
{
	ask(sm, 0x80000000, 0, MECH_TO_L1, MECH_NO_PC, 0);
}

static void ask_nowhere(struct mech_sm *sm)
{
	ask(sm, 0x80000000, LINE, 7, MECH_NO_PC, 0);
}

static void ask_for_pc(struct mech_sm *sm)
{
	ask(sm, 0x80000000, LINE, MECH_TO_L1, sm->launch->instructions, 0);
}

static void ask_buffer(struct mech_sm *sm)
{
	ask(sm, 0x80000000, LINE, MECH_TO_BUFFER, MECH_NO_PC, 0);
}

static void ask_for_slot(struct mech_sm *sm)
{
	ask(sm, 0x80000000, LINE, MECH_TO_BUFFER, MECH_NO_PC, sm->machine->blocks);
}

static void ask_from_shared(struct mech_sm *sm)
{
	assert_false(mech_send(sm, &(struct mech_request){.address = 0x80000000,
	                                                  .bytes = LINE,
	                                                  .to = MECH_TO_L2,
	                                                  .pc = MECH_NO_PC,
	                                                  .from_shared = true}));
}

static void ask_for_warp(struct mech_sm *sm)
{
	assert_false(mech_send(sm, &(struct mech_request){.address = 0x80000000,
	                                                  .bytes = LINE,
	                                                  .to = MECH_TO_L1,
	                                                  .pc = MECH_NO_PC,
	                                                  .bound = true,
	                                                  .warp = sm->machine->warps}));
}

static void ask_null(struct mech_sm *sm)
{
	assert_false(mech_send(sm, NULL));
}

static void test_requests(void **state)
{
	static const struct row rows[] = {
		{MEMORY, ask_misaligned, NULL, 0, "hook memory, SM 0, cycle "},
		{MEMORY, ask_misaligned, NULL, 0, "mech_send(): address 0x80000004; expected a multiple of 32"},
		{MEMORY, ask_beyond_line, NULL, 0,
	         "mech_send(): 128 bytes at 0x80000020; expected 1 up to the end of the line of 128 bytes"},
		{MEMORY, ask_nothing, NULL, 0, "mech_send(): 0 bytes at 0x80000000; expected 1 up to"},
		{MEMORY, ask_nowhere, NULL, 0, "mech_send(): .to is 7, which is not a value of enum mech_place"},
		{MEMORY, ask_for_pc, NULL, 0, "; the kernel has "},
		{MEMORY, ask_buffer, NULL, 0, "mech_send(): no mechanism has a buffer in front of L1"},
		{MEMORY, ask_for_slot, NULL, 0, "mech_send(): block slot 8; the SM has 8"},
		{MEMORY, ask_for_warp, NULL, 0, "mech_send(): warp slot 48; the SM has 48"},
		{MEMORY, ask_from_shared, NULL, 0,
	         "mech_send(): .from_shared of a request that writes no global memory"},
		{MEMORY, ask_null, NULL, 0, "mech_send(): no request"},
		{SM_OPEN, ask_well, NULL, 0,
	         "mechanism wrong, hook sm_open, SM 0, cycle 0: mech_send() while no kernel runs"},
		{KERNEL_END, ask_well, NULL, 0, "hook kernel_end, SM 0, cycle "},
	};
	static const struct row silent_rows[] = {
		{MEMORY, ask_well, NULL, 0, "mech_send(), but .sends of struct mech is not set"},
	};
	struct mech silent = wrong;
	(void)state;
	RUN_ROWS(&wrong, rows);
	silent.sends = false;
	RUN_ROWS(&silent, silent_rows);
}

/* --- services --- */

static void hold_far(struct mech_sm *sm)
{
	mech_hold_block(sm, 1000);
}

static void hold_empty(struct mech_sm *sm)
{
	mech_hold_block(sm, sm->machine->blocks - 1);
}

static void release_other(struct mech_sm *sm)
{
	mech_release_block(sm, 0);
}

static void put(struct mech_sm *sm)
{
	mech_put(sm, 0x80000000, LINE, 0);
}

static void put_for_nobody(struct mech_sm *sm)
{
	mech_put(sm, 0x80000000, LINE, sm->machine->blocks);
}

static void send_to_l1(struct mech_gpu *gpu)
{
	const struct mech_request request = {.address = 0x80000000, .bytes = LINE, .pc = MECH_NO_PC};
	assert_false(mech_send_to(gpu, 0, &request));
}

static void send_well(struct mech_gpu *gpu)
{
	const struct mech_request request = {
		.address = 0x80000000, .bytes = LINE, .pc = MECH_NO_PC, .to = MECH_TO_NOTHING};
	assert_false(mech_send_to(gpu, 0, &request));
}

static void part_of_none(struct mech_gpu *gpu)
{
	assert_int_equal(mech_part(gpu, gpu->machine->sms)->sm, 0);
}

static void hold_from_gpu(struct mech_gpu *gpu)
{
	mech_hold_block(mech_part(gpu, 1), 99);
}

static void prefer_late(struct mech_gpu *gpu)
{
	mech_prefer(gpu, MECH_FAIR);
}

static void prefer_none(struct mech_gpu *gpu)
{
	mech_prefer(gpu, (enum mech_preference)9);
}

static void rows_late(struct mech_gpu *gpu)
{
	assert_int_equal(mech_rows(gpu, 1, MECH_NO_LOOPS).rows, 0);
}

static void rows_of_none(struct mech_gpu *gpu)
{
	assert_int_equal(mech_rows(gpu, 1, (enum mech_loops)5).rows, 0);
}

static void loads_late(struct mech_gpu *gpu)
{
	uint32_t count = 7;
	assert_null(mech_loads(gpu, &count));
	assert_int_equal(count, 0);
}

static void staging_late(struct mech_gpu *gpu)
{
	uint32_t count = 7;
	assert_null(mech_staging_code(gpu, &count));
	assert_int_equal(count, 0);
}

static void allocations_late(struct mech_gpu *gpu)
{
	uint32_t count = 7;
	assert_null(mech_allocations(gpu, &count));
	assert_int_equal(count, 0);
}

static void operands_late(struct mech_sm *sm)
{
	const struct mech_issue issue = {.warp = 0};
	struct mech_operands operands;
	mech_operands(sm, &issue, &operands);
	assert_int_equal(operands.lanes, 0);
}

static void hold_warp_far(struct mech_sm *sm)
{
	mech_hold_warp(sm, sm->machine->warps);
}

static void hold_no_warp(struct mech_sm *sm)
{
	mech_hold_warp(sm, sm->machine->warps - 1);
}

static void wake_other(struct mech_sm *sm)
{
	mech_wake_warp(sm, 0);
}

static void wake_twice(struct mech_sm *sm)
{
	mech_hold_warp(sm, 1);
	mech_hold_warp(sm, 1);
	mech_wake_warp(sm, 1);
	mech_wake_warp(sm, 1);
}

static void look_far(struct mech_sm *sm)
{
	struct mech_warp warp;
	mech_look_at_warp(sm, sm->machine->warps, &warp);
	assert_false(warp.live);
}

static void hold_warp_from_gpu(struct mech_gpu *gpu)
{
	mech_hold_warp(mech_part(gpu, 1), 0);
}

static void part_from_sm(struct mech_sm *sm)
{
	assert_non_null(mech_part(sm->gpu, 1));
}

/* --- SMs in step --- */

static void keep_first(struct mech_gpu *gpu)
{
	mech_keep_in_step(gpu, 0);
}

static void keep_none(struct mech_gpu *gpu)
{
	mech_keep_in_step(gpu, 2);
}

static void let_go_first(struct mech_gpu *gpu)
{
	mech_let_go(gpu, 0);
}

static void let_go_none(struct mech_gpu *gpu)
{
	mech_let_go(gpu, 2);
}

static void let_go_twice(struct mech_gpu *gpu)
{
	mech_keep_in_step(gpu, 1);
	mech_let_go(gpu, 1);
	mech_let_go(gpu, 1);
}

static void part_of_first(struct mech_gpu *gpu)
{
	assert_non_null(mech_part(gpu, 0));
}

static void keep_from_sm(struct mech_sm *sm)
{
	mech_keep_in_step((struct mech_gpu *)sm->gpu, 0);
}

static void test_steps(void **state)
{
	static const struct row unsaid[] = {
		{GPU_BLOCK, NULL, keep_first, 0,
	         "hook gpu_block, cycle 0: mech_keep_in_step(), but .keeps_in_step of struct mech is not set"},
	};
	static const struct row rows[] = {
		{GPU_CYCLE, NULL, keep_first, 0,
	         "hook gpu_cycle, cycle 0: mech_keep_in_step() of SM 0, which may have run ahead already"},
		{GPU_END, NULL, keep_first, 0, "mech_keep_in_step() of SM 0, which may have run ahead already"},
		{GPU_BEGIN, NULL, keep_none, 0, "mech_keep_in_step() of SM 2; the machine has 2"},
		{GPU_CYCLE, NULL, let_go_first, 0, "mech_let_go() of SM 0, which is not kept in step"},
		{GPU_CYCLE, NULL, let_go_none, 0, "mech_let_go() of SM 2, which is not kept in step"},
		{GPU_BEGIN, NULL, let_go_twice, 0, "mech_let_go() of SM 1, which is not kept in step"},
		{GPU_CYCLE, NULL, part_of_first, 0, "mech_part() of SM 0, which the mechanism does not keep in step"},
		{GPU_CYCLE, NULL, send_well, 0, "mech_part() of SM 0, which the mechanism does not keep in step"},
		{MEMORY, keep_from_sm, NULL, 0, "mechanism wrong, hook of an SM, cycle "},
	};
	struct mech stepped = wrong;
	(void)state;
	stepped.keeps_in_step = true;
	RUN_ROWS(&wrong, unsaid);
	RUN_ROWS(&stepped, rows);
}

static void test_services(void **state)
{
	static const struct row rows[] = {
		{MEMORY, hold_far, NULL, 0, "mech_hold_block(): no block is in slot 1000; the SM has 8"},
		{BLOCK_BEGIN, hold_empty, NULL, 0,
	         "hook block_begin, SM 0, cycle 0: mech_hold_block(): no block is in slot 7; the SM has 8"},
		{BLOCK_END, release_other, NULL, 0, "mech_release_block(): "},
		{MEMORY, release_other, NULL, 0,
	         "mech_release_block(): the mechanism does not hold the block in slot 0"},
		{KERNEL_BEGIN, release_other, NULL, 0, "mech_release_block(): no block is in slot 0"},
		{SM_OPEN, hold_far, NULL, 0, "hook sm_open, SM 0, cycle 0: mech_hold_block() while no kernel runs"},
		{MEMORY, put, NULL, 0, "mech_put(): no mechanism has a buffer in front of L1"},
		{MEMORY, operands_late, NULL, 0,
	         "mech_operands() of another event than the current one of may_issue or issue"},
		{MEMORY, hold_warp_far, NULL, 0, "mech_hold_warp(): warp slot 48; the SM has 48"},
		{MEMORY, hold_no_warp, NULL, 0, "mech_hold_warp(): no warp is in slot 47, or it has ended"},
		{MEMORY, wake_other, NULL, 0, "mech_wake_warp(): the mechanism does not hold the warp in slot 0"},
		{BLOCK_BEGIN, wake_twice, NULL, 0, "mech_wake_warp(): the mechanism does not hold the warp in slot 1"},
		{BLOCK_END, wake_other, NULL, 0, "mech_wake_warp(): no warp is in slot 0, or it has ended"},
		{KERNEL_END, hold_no_warp, NULL, 0, "mech_hold_warp() while no kernel runs"},
		{MEMORY, look_far, NULL, 0, "mech_look_at_warp(): warp slot 48; the SM has 48"},
		{GPU_BLOCK, NULL, hold_warp_from_gpu, 0, "mech_hold_warp(): no warp is in slot 0, or it has ended"},
		{MEMORY, part_from_sm, NULL, 0, "mechanism wrong, hook of an SM, cycle "},
		{GPU_BLOCK, NULL, send_to_l1, 0,
	         "hook gpu_block, cycle 0: mech_send_to() to L1, which only the SM itself can request"},
		{GPU_END, NULL, send_well, 0, "hook gpu_kernel_end, SM 0, cycle "},
		{BLOCK_COUNT, NULL, send_well, 0, "mech_send_to() while no kernel runs"},
		{GPU_OPEN, NULL, send_well, 0, "hook gpu_open, SM 0, cycle 0: mech_send_to() while no kernel runs"},
		{GPU_BLOCK, NULL, part_of_none, 0, "mech_part() of SM 2; the machine has 2"},
		{GPU_BLOCK, NULL, hold_from_gpu, 0,
	         "hook gpu_block, SM 1, cycle 0: mech_hold_block(): no block is in slot 99; the SM has 8"},
		{GPU_BEGIN, NULL, prefer_late, 0, "hook gpu_kernel_begin, cycle 0: mech_prefer() outside gpu_open"},
		{GPU_OPEN, NULL, prefer_none, 0, "mech_prefer(): 9 is not a value of enum mech_preference"},
		{GPU_CYCLE, NULL, rows_late, 0, "mech_rows() outside blocks_per_sm and gpu_kernel_begin"},
		{GPU_BEGIN, NULL, rows_of_none, 0, "mech_rows(): 5 is not a value of enum mech_loops"},
		{GPU_CYCLE, NULL, loads_late, 0, "mech_loads() outside blocks_per_sm and gpu_kernel_begin"},
		{GPU_CYCLE, NULL, staging_late, 0, "mech_staging_code() outside blocks_per_sm and gpu_kernel_begin"},
		{GPU_CYCLE, NULL, allocations_late, 0, "mech_allocations() outside blocks_per_sm and gpu_kernel_begin"},
	};
	static const struct row buffer_rows[] = {
		{MEMORY, put_for_nobody, NULL, 0, "mech_put(): no block is in slot 8; the SM has 8"},
	};
	struct mech buffered = wrong;
	(void)state;
	RUN_ROWS(&wrong, rows);
	buffered.policies |= MECH_POLICY_BUFFER;
	buffered.buffer = buffer;
	RUN_ROWS(&buffered, buffer_rows);
}

/* Whatever a mechanism requests or returns, the launch ends, with a mistake or normally, and the accounts add up. */
static void test_anything(void **state)
{
	struct mech any = wrong;
	const struct mech *const set[] = {&any, NULL};
	uint32_t ends[GPU_MISTAKE + 1] = {0};
	(void)state;
	any.policies |= MECH_POLICY_BUFFER;
	any.buffer = buffer;
	kit_mechanisms = set;
	for (uint32_t seed = 1; seed <= 200; seed++) {
		struct gpu_kit kit;
		char text[256];
		chaos = 0;
		KIT_OPEN(&kit, "sm.count=2", "sm.send_queue=4", "launch.watchdog=1000");
		kit.param = kit_buffer(&kit, NULL, 128);
		kit_load(&kit, loads);
		chaos = 0x9e3779b97f4a7c15ull * seed;
		kit_start(&kit, 6, 128);
		assert_int_not_equal(kit.run.end, GPU_FAULT);
		if (kit.run.end == GPU_DONE && !gpu_check_stats(kit.gpu, &kit.run, text, sizeof text))
			fail_msg("seed %u: %s", seed, text);
		ends[kit.run.end]++;
		kit_close(&kit);
	}
	chaos = 0;
	kit_mechanisms = NULL;
	assert_true(ends[GPU_MISTAKE] > 20);
}

/* A request before the first block counts like any other: the account starts before the kernel's first hook. */
static void send_from_begin(struct mech_gpu *gpu)
{
	const struct mech_request request = {.address = 0x80000000, .bytes = LINE, .pc = 0, .to = MECH_TO_NOTHING};
	assert_true(mech_send_to(gpu, 1, &request));
}

static void test_request_at_begin(void **state)
{
	static const struct row row = {GPU_BEGIN, NULL, send_from_begin, 0, NULL};
	static const struct mech *const set[] = {&wrong, NULL};
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=2");
	kit.param = kit_buffer(&kit, NULL, 128);
	kit_load(&kit, loads);
	now = &row;
	for (uint32_t launch = 0; launch < 2; launch++) {
		kit_run(&kit, 4, 128);
		const struct mech_requests requests = kit_requests(&kit, 0);
		assert_int_equal(requests.asked, 1);
		assert_int_equal(requests.issued, 1);
	}
	now = NULL;
	kit_close(&kit);
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),  cmocka_unit_test(test_requests),
		cmocka_unit_test(test_steps),    cmocka_unit_test(test_services),
		cmocka_unit_test(test_anything), cmocka_unit_test(test_request_at_begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
