/* Protects users from mechanisms' mistakes: what a hook returns and what it asks of the machine is checked, each wrong thing
 * stops the kernel with a message that names mechanism, hook and cycle, and the machine is as new behind that. Prefetches that
 * run past the end of an array are no mistake: they are counted. */
#include "gpu_kit.h"

enum { LINE = 128, WARP = 32 };

/* The hook that makes the mistake of a row. */
enum hook {
	SM_OPEN,
	KERNEL_BEGIN,
	BLOCK_BEGIN,
	BLOCK_END,
	MEMORY,
	KERNEL_END,
	GPU_OPEN,
	BLOCK_COUNT,
	GPU_BEGIN,
	GPU_BLOCK,
	GPU_END,
	CYCLE,
	GPU_CYCLE,
	PICK,
	PLACE,
};

struct row {
	enum hook hook;
	void (*sm)(struct mech_sm *sm);
	void (*gpu)(struct mech_gpu *gpu);
	uint64_t result; /* of the hooks from CYCLE on, and of BLOCK_COUNT without `gpu` */
	const char *says;
};

static const struct row *now; /* NULL: all is well */

/* Random mistakes: the state of a generator, or 0: none. */
static uint64_t chaos;

static uint32_t roll(uint32_t sides)
{
	chaos ^= chaos << 13;
	chaos ^= chaos >> 7;
	chaos ^= chaos << 17;
	return (uint32_t)(chaos >> 20) % sides;
}

static struct mech_request any_request(void)
{
	return (struct mech_request){.address = roll(8) ? 0x80000000 + 32ull * roll(64) : chaos,
	                             .bytes = roll(8) ? 32 : roll(300),
	                             .to = (enum mech_place)(roll(16) ? roll(3) : 3),
	                             .pc = roll(2) ? MECH_NO_PC : roll(12),
	                             .block = roll(12)};
}

static void ask_anything(struct mech_sm *sm)
{
	const struct mech_request request = any_request();
	switch (roll(24)) {
	case 0:
		mech_hold_block(sm, roll(9));
		break;
	case 1:
		mech_release_block(sm, roll(9));
		break;
	case 2:
		mech_put(sm, request.address, request.bytes, request.block);
		break;
	case 3:
	case 4:
		mech_send(sm, &request);
		break;
	default:
		mech_account(sm);
	}
}

static void ask_anything_of_gpu(struct mech_gpu *gpu)
{
	const struct mech_request request = any_request();
	uint32_t count;
	switch (roll(48)) {
	case 0:
		mech_prefer(gpu, (enum mech_preference)roll(5));
		break;
	case 1:
		mech_rows(gpu, 4, (enum mech_loops)roll(4));
		break;
	case 2:
		mech_loads(gpu, &count);
		break;
	case 3:
	case 4:
		mech_send_to(gpu, roll(3), &request);
		break;
	default:
		ask_anything(mech_part(gpu, roll(40) ? roll(2) : 2));
	}
}

static void on_sm(struct mech_sm *sm, enum hook hook)
{
	if (chaos)
		ask_anything(sm);
	if (now && now->hook == hook)
		now->sm(sm);
}

static void on_gpu(struct mech_gpu *gpu, enum hook hook)
{
	if (chaos)
		ask_anything_of_gpu(gpu);
	if (now && now->hook == hook && now->gpu)
		now->gpu(gpu);
}

static uint64_t result(enum hook hook, uint64_t good)
{
	if (chaos && !roll(300))
		return roll(4) ? roll(66) : chaos;
	return now && now->hook == hook && !now->gpu ? now->result : good;
}

#define SM_HOOK(name, hook)                                                                                            \
	static void name(struct mech_sm *sm)                                                                           \
	{                                                                                                              \
		on_sm(sm, hook);                                                                                       \
	}
#define GPU_HOOK(name, hook)                                                                                           \
	static void name(struct mech_gpu *gpu)                                                                         \
	{                                                                                                              \
		on_gpu(gpu, hook);                                                                                     \
	}
SM_HOOK(open_part, SM_OPEN)
SM_HOOK(kernel_begin, KERNEL_BEGIN)
SM_HOOK(kernel_end, KERNEL_END)
GPU_HOOK(open_gpu_part, GPU_OPEN)
GPU_HOOK(gpu_begin, GPU_BEGIN)
GPU_HOOK(gpu_end, GPU_END)

static void block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	(void)block;
	on_sm(sm, BLOCK_BEGIN);
}

static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	(void)block;
	on_sm(sm, BLOCK_END);
}

static void memory(struct mech_sm *sm, const struct mech_memory *memory)
{
	(void)memory;
	on_sm(sm, MEMORY);
}

static void gpu_block(struct mech_gpu *gpu, uint32_t sm, const struct mech_block *block)
{
	(void)sm;
	(void)block;
	on_gpu(gpu, GPU_BLOCK);
}

static uint64_t cycle(struct mech_sm *sm, uint64_t cycle)
{
	(void)sm;
	return result(CYCLE, cycle + 5);
}

static uint64_t gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	on_gpu(gpu, GPU_CYCLE);
	return result(GPU_CYCLE, cycle + 5);
}

static uint32_t blocks_per_sm(struct mech_gpu *gpu, uint32_t blocks)
{
	on_gpu(gpu, BLOCK_COUNT);
	return (uint32_t)result(BLOCK_COUNT, blocks);
}

static uint32_t place_block(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room)
{
	uint32_t sm = 0;
	(void)gpu;
	(void)block;
	while (!has_room[sm])
		sm++;
	return (uint32_t)result(PLACE, sm);
}

static uint32_t pick_warp(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	(void)sm;
	return (uint32_t)result(PICK, mech_oldest(warps, candidates));
}

static struct mech_buffer buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return (struct mech_buffer){.sets = 4, .ways = 4};
}

static const struct mech wrong = {
	.version = MECH_VERSION,
	.name = "wrong",
	.seats = MECH_SEAT_WARP_ORDER | MECH_SEAT_BLOCK_COUNT | MECH_SEAT_BLOCK_PLACE,
	.sends = true,
	.gpu_open = open_gpu_part,
	.gpu_kernel_begin = gpu_begin,
	.gpu_kernel_end = gpu_end,
	.gpu_block = gpu_block,
	.gpu_cycle = gpu_cycle,
	.blocks_per_sm = blocks_per_sm,
	.place_block = place_block,
	.sm_open = open_part,
	.kernel_begin = kernel_begin,
	.kernel_end = kernel_end,
	.block_begin = block_begin,
	.block_end = block_end,
	.memory = memory,
	.cycle = cycle,
	.pick_warp = pick_warp,
};

/* Warps that load what they are. */
static const char loads[] = "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd0;\n"
			    "ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; st.global.u32 [%rd1], %r2; exit;";

static void run_rows(const struct mech *mech, const struct row *row, size_t rows)
{
	const struct mech *const set[] = {mech, NULL};
	kit_mechanisms = set;
	for (size_t i = 0; i < rows; i++) {
		struct gpu_kit kit;
		now = &row[i];
		KIT_OPEN(&kit, "sm.count=2", "launch.watchdog=20000");
		kit.param = kit_buffer(&kit, NULL, 128);
		kit_load(&kit, loads);
		kit_start(&kit, 4, 128);
		if (kit.run.end != GPU_MISTAKE || !strstr(kit.run.message, row[i].says))
			fail_msg("expected '%s'; the kernel ended by %d: %s", row[i].says, kit.run.end,
			         kit.run.message);
		now = NULL;
		if (row[i].hook == SM_OPEN || row[i].hook == GPU_OPEN) /* made again when the machine was opened anew */
			kit_start(&kit, 4, 128);
		kit_run(&kit, 4, 128);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

#define RUN_ROWS(mech, rows) run_rows(mech, rows, sizeof(rows) / sizeof *(rows))

static void test_results(void **state)
{
	static const struct row rows[] = {
		{PICK, NULL, NULL, 63, "mechanism wrong, hook pick_warp, SM 0, cycle "},
		{PICK, NULL, NULL, 63, ", which is none of the candidates 0x"},
		{PICK, NULL, NULL, UINT32_MAX, "picks warp 4294967295 of scheduler"},
		{PLACE, NULL, NULL, 2,
	         "mechanism wrong, hook place_block, cycle 0: places block 0 on SM 2, which does not exist"},
		{PLACE, NULL, NULL, 1, "hook place_block, cycle 0: places block 1 on SM 1, which has no room"},
		{BLOCK_COUNT, NULL, NULL, 0, "hook blocks_per_sm, cycle 0: wants 0 blocks an SM; expected 1 to the "},
		{BLOCK_COUNT, NULL, NULL, 9, "wants 9 blocks an SM; expected 1 to the 2 that fit"},
		{CYCLE, NULL, NULL, 0, "hook cycle, SM 0, cycle "},
		{CYCLE, NULL, NULL, 0, ": wants to be called again in cycle 0, which is not to come"},
		{GPU_CYCLE, NULL, NULL, 0,
	         "hook gpu_cycle, cycle 0: wants to be called again in cycle 0, which is not to come"},
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
		fail_msg("the request was taken");
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
		{MEMORY, ask_nowhere, NULL, 0, "mech_send(): .to is 7, which is no enum mech_place"},
		{MEMORY, ask_for_pc, NULL, 0, "; the kernel has "},
		{MEMORY, ask_buffer, NULL, 0, "mech_send(): no mechanism has a buffer in front of L1"},
		{MEMORY, ask_for_slot, NULL, 0, "mech_send(): block slot 8; the SM has 8"},
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

static void part_from_sm(struct mech_sm *sm)
{
	assert_non_null(mech_part(sm->gpu, 1));
}

static void test_services(void **state)
{
	static const struct row rows[] = {
		{MEMORY, hold_far, NULL, 0, "mech_hold_block(): no block is in slot 1000, of 8"},
		{BLOCK_BEGIN, hold_empty, NULL, 0,
	         "hook block_begin, SM 0, cycle 0: mech_hold_block(): no block is in slot 7, of 8"},
		{BLOCK_END, release_other, NULL, 0, "mech_release_block(): "},
		{MEMORY, release_other, NULL, 0, "mech_release_block(): it does not hold the block in slot 0"},
		{KERNEL_BEGIN, release_other, NULL, 0, "mech_release_block(): no block is in slot 0"},
		{SM_OPEN, hold_far, NULL, 0, "hook sm_open, SM 0, cycle 0: mech_hold_block() while no kernel runs"},
		{MEMORY, put, NULL, 0, "mech_put(): no mechanism has a buffer in front of L1"},
		{MEMORY, part_from_sm, NULL, 0, "mechanism wrong, hook of an SM, cycle "},
		{GPU_BLOCK, NULL, send_to_l1, 0,
	         "hook gpu_block, cycle 0: mech_send_to() to L1, which only the SM itself can ask for"},
		{GPU_END, NULL, send_well, 0, "hook gpu_kernel_end, SM 0, cycle "},
		{BLOCK_COUNT, NULL, send_well, 0, "mech_send_to() while no kernel runs"},
		{GPU_OPEN, NULL, send_well, 0, "hook gpu_open, SM 0, cycle 0: mech_send_to() while no kernel runs"},
		{GPU_BLOCK, NULL, part_of_none, 0, "mech_part() of SM 2, of 2"},
		{GPU_BLOCK, NULL, hold_from_gpu, 0,
	         "hook gpu_block, SM 1, cycle 0: mech_hold_block(): no block is in slot 99, of 8"},
		{GPU_BEGIN, NULL, prefer_late, 0, "hook gpu_kernel_begin, cycle 0: mech_prefer() is for gpu_open"},
		{GPU_OPEN, NULL, prefer_none, 0, "mech_prefer(): 9 is no enum mech_preference"},
		{GPU_CYCLE, NULL, rows_late, 0, "mech_rows() is for blocks_per_sm and gpu_kernel_begin"},
		{GPU_BEGIN, NULL, rows_of_none, 0, "mech_rows(): 5 is no enum mech_loops"},
		{GPU_CYCLE, NULL, loads_late, 0, "mech_loads() is for blocks_per_sm and gpu_kernel_begin"},
	};
	static const struct row buffer_rows[] = {
		{MEMORY, put_for_nobody, NULL, 0, "mech_put(): no block is in slot 8, of 8"},
	};
	struct mech buffered = wrong;
	(void)state;
	RUN_ROWS(&wrong, rows);
	buffered.seats |= MECH_SEAT_BUFFER;
	buffered.buffer = buffer;
	RUN_ROWS(&buffered, buffer_rows);
}

/* Whatever is asked and returned, the launch ends, by the mistake or well; then the accounts add up. */
static void test_anything(void **state)
{
	struct mech any = wrong;
	const struct mech *const set[] = {&any, NULL};
	uint32_t ends[GPU_MISTAKE + 1] = {0};
	(void)state;
	any.seats |= MECH_SEAT_BUFFER;
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

/* A request before the first block counts like any other: the account begins before the kernel's first hook. */
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

/* --- past the end --- */

struct ahead_stats {
	uint64_t outside, others;
};

static const struct counter ahead_counters[] = {
	{"outside_replies", "", SCOPE_SM, offsetof(struct ahead_stats, outside), "", COMBINE_SUM},
	{"others", "", SCOPE_SM, offsetof(struct ahead_stats, others), "", COMBINE_SUM},
};

/* The line of the load and the seven behind it, and one that can be nowhere. */
static void ask_ahead(struct mech_sm *sm, const struct mech_memory *memory)
{
	uint64_t line = memory->transaction[0].address & ~(uint64_t)(LINE - 1);
	struct mech_request request = {.bytes = LINE, .to = MECH_TO_NOTHING, .pc = memory->pc};
	if (memory->kind != MECH_LOAD)
		return;
	for (uint32_t i = 0; i < 8; i++) {
		request.address = line + i * LINE;
		assert_true(mech_send(sm, &request));
	}
	request.address = 0 - (uint64_t)LINE;
	assert_true(mech_send(sm, &request));
}

static void count_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	struct ahead_stats *stats = sm->stats;
	*(reply->outside ? &stats->outside : &stats->others) += 1;
}

static const struct mech ahead = {
	.version = MECH_VERSION,
	.name = "ahead",
	.counters = ahead_counters,
	.counter_count = 2,
	.stats_size = sizeof(struct ahead_stats),
	.sends = true,
	.memory = ask_ahead,
	.on_reply = count_reply,
};

/* An allocation of two lines and a byte: three lines are memory; local memory is, too. */
static void test_past_the_end(void **state)
{
	static const struct mech *const set[] = {&ahead, NULL};
	static const struct {
		const char *body;
		uint32_t outside;
	} row[] = {
		{"ld.global.u8 %r2, [%rd0]; st.global.u32 [%rd0+4], %r2; exit;", 6},
		{"ld.global.u8 %r2, [%rd0+256]; st.global.u32 [%rd0+4], %r2; exit;", 8},
		{".local .u32 mine[512]; mov.u64 %rd3, mine; ld.local.u32 %r2, [%rd3]; st.global.u32 [%rd0+4], %r2; "
	         "exit;",
	         1},
	};
	(void)state;
	kit_mechanisms = set;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct ahead_stats stats;
		struct gpu_kit kit;
		KIT_OPEN(&kit, "sm.count=1", "sm.send_queue=32");
		kit.param = simt_alloc(kit.gpu->memory, 2 * LINE + 1);
		kit_load(&kit, row[i].body);
		kit_run(&kit, 1, WARP);
		const struct mech_requests requests = kit_requests(&kit, 0);
		assert_int_equal(requests.asked, 9);
		assert_int_equal(requests.outside, row[i].outside);
		assert_int_equal(requests.issued, 9 - row[i].outside);
		kit_mech_stats(&kit, 0, &stats, sizeof stats);
		assert_int_equal(stats.outside, row[i].outside);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),          cmocka_unit_test(test_requests),
		cmocka_unit_test(test_services),         cmocka_unit_test(test_anything),
		cmocka_unit_test(test_request_at_begin), cmocka_unit_test(test_past_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
