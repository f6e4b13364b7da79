/* Protects DMA tiles (docs/reference/dma.md) in a pair's common part, with the engine (d2ma) and without it. A command
 * for a tile that ends beyond the private part needs the lock. A thread that has read the data may release it. A tile
 * in the private part needs no lock. */
#include "mech/sharing/sharing.h"
#include "sharing_kit.h"

/* The first 2,457 of a block's 24,576 bytes are private; %rd0: the array, %rd1: further in it; %r12: the lane's
 * word. */
#define BEGIN                                                                                                          \
	"mov.u32 %r8, 3; mov.u32 %r9, %tid.x; mov.u32 %r11, %tid.x; shl.b32 %r12, %r11, 2; dma_type 4;\n"              \
	"add.u64 %rd1, %rd0, 4096;\n"
#define WORK "mul.lo.u32 %r9, %r9, %r8; mul.lo.u32 %r9, %r9, %r8; mul.lo.u32 %r9, %r9, %r8; mul.lo.u32 %r9, %r9, %r8;\n"

#define PLAIN "sharing:layout=no,release=block_end"

static const char *const engines[] = {NULL, "d2ma", "d2ma:sync=barrier"};
enum { ENGINES = sizeof engines / sizeof *engines };

/* Runs twice: the first run warms up the code caches. */
static void run_body(struct gpu_kit *kit, const char *engine, const char *body, uint32_t blocks, uint32_t threads)
{
	char text[4096];
	kit_beside = engine;
	OPEN(kit, PLAIN, ONE_PAIR);
	kit_beside = NULL;
	snprintf(text, sizeof text, "%s%s", BEGIN, body);
	kit_load(kit, text);
	kit_run(kit, blocks, threads);
	memset(&saw, 0, sizeof saw);
	kit_run(kit, blocks, threads);
}

/* Tiles of any shape that end beyond the private part: the partner's command issues in the cycle after the owner's
 * end. */
static void test_waits_for_the_owner(void **state)
{
	static const char *const tile[] = {
		"dma_flat 0, 4096, %rd0, 64;",
		"dma_flat 0, 2400, %rd0, 15;",       /* its last word is the first outside the private part */
		"dma_strided 0, 2400, %rd0, 15, 3;", /* the same */
		/* 2,400 bytes, with one bank skipped after each 16 words */
		"dma_spaced 0, 16; dma_flat 0, 0, %rd0, 600;",
		"dma_halo 0, 1, 1, 9, 0; dma_matrix 0, 0, %rd1, 24, 22, 32;", /* 26 lines of 24 words with the halo */
		"dma_flat 0, 0, %rd0, 16; dma_execute 0, 4096, %rd0;",
		"dma_type 1; dma_flat 0, 0, %rd0, 2458;",
	};
	(void)state;
	for (size_t i = 0; i < sizeof tile / sizeof *tile; i++)
		for (uint32_t e = 0; e < ENGINES; e++) {
			struct gpu_kit kit;
			char body[1024];
			snprintf(body, sizeof body,
			         "%s ld.shared.u32 %%r3, [2400]; ld.shared.u32 %%r3, [4096]; %s exit;", tile[i], WORK);
			run_body(&kit, engines[e], body, 2, WARP);
			assert_int_equal(saw.most_resident, 2);
			assert_true(saw.command[0] < saw.end[0]);
			assert_int_equal(saw.command[1], saw.end[0] + 1);
			assert_int_equal(counted(&kit, "lock_waits"), 1);
			assert_int_equal(counted(&kit, "owners"), 2);
			assert_int_equal(counted(&kit, "inherited"), 1);
			kit_close(&kit);
		}
}

/* Each warp that issues the command waits, although only the first one's counts. */
static void test_all_warps_wait(void **state)
{
	(void)state;
	for (uint32_t e = 0; e < ENGINES; e++) {
		struct gpu_kit kit;
		run_body(&kit, engines[e], "dma_flat 0, 4096, %rd0, 64; ld.shared.u32 %r3, [%r12+4096];" WORK "exit;",
		         2, 4 * WARP);
		assert_int_equal(counted(&kit, "lock_waits"), 4);
		assert_true(saw.touch[1] > saw.end[0]);
		assert_in_range(saw.command[1], saw.end[0] + 1, saw.end[0] + 4);
		kit_close(&kit);
	}
}

/* Tiles in the private part, and commands without active lanes: no block waits, and none becomes the owner. */
static void test_own_tile(void **state)
{
	static const char *const tile[] = {
		"dma_flat 0, 0, %rd0, 614;",              /* to byte 2,456 */
		"dma_type 1; dma_flat 0, 0, %rd0, 2457;", /* to the last */
		"dma_strided 0, 2396, %rd0, 15, 3;",
		"dma_halo 0, 1, 1, 9, 0; dma_matrix 0, 0, %rd1, 22, 22, 32;", /* 24 lines of 24 words */
		"dma_flat 0, 0, %rd0, 16; dma_execute 0, 128, %rd0;",
		"dma_flat 0, 0, %rd0, 16; setp.gt.u32 %p1, %r11, 100; @%p1 dma_flat 1, 4096, %rd0, 16;",
	};
	(void)state;
	for (size_t i = 0; i < sizeof tile / sizeof *tile; i++)
		for (uint32_t e = 0; e < ENGINES; e++) {
			struct gpu_kit kit;
			char body[1024];
			snprintf(body, sizeof body, "%s ld.shared.u32 %%r3, [128]; %s exit;", tile[i], WORK);
			run_body(&kit, engines[e], body, 2, WARP);
			assert_int_equal(saw.most_resident, 2);
			assert_int_equal(counted(&kit, "lock_waits"), 0);
			assert_int_equal(counted(&kit, "owners"), 0);
			assert_true(saw.command[1] < saw.end[0]);
			kit_close(&kit);
		}
}

/* A transfer into the private part is in progress while the partner owns the common part: its data are read before
 * the lock is free. */
static void test_own_tile_beside_the_lock(void **state)
{
	struct gpu_kit kit;
	(void)state;
	run_body(&kit, "d2ma",
	         "st.shared.u32 [%r12+8192], %r9; dma_flat 0, 0, %rd0, 64; ld.shared.u32 %r3, [%r12];" WORK WORK
	         "exit;",
	         2, WARP);
	assert_int_equal(saw.touch[1],
	                 saw.end[0] + 1); /* the store comes first in the code, so the transfer waits for it */
	kit_close(&kit);
	run_body(&kit, "d2ma",
	         "dma_flat 0, 0, %rd0, 64; ld.shared.u32 %r3, [%r12]; st.shared.u32 [%r12+8192], %r9;" WORK WORK WORK
	                 WORK "exit;",
	         2, WARP);
	assert_int_equal(counted(&kit, "lock_waits"), 1);
	assert_true(saw.touch[1] < saw.end[0]);
	assert_int_equal(saw.last_touch[1], saw.end[0] + 1);
	kit_close(&kit);
}

/* The owner reads the data, which the engine permits once all have arrived, and releases. The partner's command
 * issues in the next cycle, while the owner continues. */
static void test_release(void **state)
{
	(void)state;
	for (uint32_t e = 0; e < ENGINES; e++) {
		struct gpu_kit kit;
		run_body(&kit, engines[e],
		         "dma_flat 0, 4096, %rd0, 64; ld.shared.u32 %r3, [%r12+4096]; relssp;" WORK WORK WORK WORK
		         "exit;",
		         2, WARP);
		assert_true(saw.touch[0] < saw.relssp[0]);
		assert_int_equal(saw.command[1], saw.relssp[0] + 1);
		assert_true(saw.command[1] < saw.end[0]);
		assert_int_equal(counted(&kit, "released"), 2);
		if (engines[e]) {
			assert_int_equal(kit_counter(&kit, 1, "completed"), 2);
			assert_int_equal(kit_counter(&kit, 1, "drained"), 0);
			assert_int_equal(kit_counter(&kit, 1, "squashed_loads"), 2);
			assert_true(saw.relssp[0] - saw.command[0] >= kit_counter(&kit, 1, "transfer_cycles") / 2);
		}
		kit_close(&kit);
	}
}

/* A thread that has released may not command a transfer into the common part. */
static void test_asks_behind_its_release(void **state)
{
	(void)state;
	for (uint32_t e = 0; e < ENGINES; e++) {
		struct gpu_kit kit;
		char text[1024];
		kit_beside = engines[e];
		OPEN(&kit, PLAIN, ONE_PAIR);
		kit_beside = NULL;
		kit_load(&kit, BEGIN "dma_flat 0, 4096, %rd0, 64; ld.shared.u32 %r3, [4096]; relssp;\n"
		                     "dma_execute 0, 8192, %rd0; exit;");
		kit_start(&kit, 2, WARP);
		assert_int_equal(kit.run.end, GPU_FAULT);
		simt_fault_print(&kit.run.launch, &kit.run.fault, text, sizeof text);
		assert_non_null(strstr(text, "that its pair of blocks shares, after its relssp"));
		kit_close(&kit);
	}
}

/* Neither sleep nor the order of the two mechanisms changes the order of events. */
static void test_sleep_and_order(void **state)
{
	static const char body[] = BEGIN
		"mov.u32 %r20, 0; mov.u32 %r10, %ctaid.x; mul.wide.u32 %rd2, %r10, 256; add.u64 %rd1, %rd0, %rd2;\n"
		"dma_flat 0, 0, %rd1, 64; dma_strided 1, 4096, %rd1, 40, 2;\n"
		"AGAIN: ld.shared.u32 %r3, [%r12]; ld.shared.u32 %r4, [4100]; dma_execute 1, 4096, %rd0;\n"
		"add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 3; @%p1 bra AGAIN; ld.shared.u32 %r4, [4104]; "
		"relssp;" WORK "exit;";
	static const char *const sleeps[] = {"launch.sleep=true", "launch.sleep=false"};
	static const char *const mechanisms[][2] = {{PLAIN, "d2ma:entries=1"}, {"d2ma:entries=1", PLAIN}};
	uint64_t cycles[2][2], waits[2][2];
	(void)state;
	for (uint32_t first = 0; first < 2; first++)
		for (uint32_t s = 0; s < 2; s++) {
			struct gpu_kit kit;
			kit_beside = mechanisms[first][1];
			OPEN(&kit, mechanisms[first][0], ONE_PAIR, sleeps[s]);
			kit_beside = NULL;
			kit_load(&kit, body);
			cycles[first][s] = kit_run(&kit, 9, 2 * WARP);
			waits[first][s] = kit_counter(&kit, first, "lock_wait_cycles");
			assert_int_equal(kit_counter(&kit, 1 - first, "completed"), 9 * 5);
			assert_int_equal(cycles[first][s], cycles[0][0]);
			assert_int_equal(waits[first][s], waits[0][0]);
			assert_true(waits[first][s] > 0);
			kit_close(&kit);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits_for_the_owner),
		cmocka_unit_test(test_all_warps_wait),
		cmocka_unit_test(test_own_tile),
		cmocka_unit_test(test_own_tile_beside_the_lock),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_asks_behind_its_release),
		cmocka_unit_test(test_sleep_and_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
