/* Protects inter: the warps that it learns from and prefetches for, in any order and across block borders, and the
 * table's size limit. For a long block whose warps load one after the other, only the first warps wait. */
#include "part_kit.h"
#include "prefetch_kit.h"

enum { A = 1 << 20, S = 512, PC = PART_PC, WARPS = 32 };

/* Two warps show a stride and the third confirms it. Each prefetch is bound to the warp of the next number. */
static void test_training(void **state)
{
	static const char *const mechanism[] = {"inter", "inter:early=yes"};
	(void)state;
	for (int early = 0; early < 2; early++) {
		struct part_kit kit;
		part_open(&kit, mechanism[early]);
		part_load(&kit, 0, PC, A);
		PART_ASKED_NOTHING(&kit);
		part_load(&kit, 1, PC, A + S);
		if (early)
			PART_ASKED(&kit, A + 2 * S);
		PART_ASKED_NOTHING(&kit);
		part_load(&kit, 2, PC, A + 2 * S);
		assert_true(kit.asked[0].bound && kit.asked[0].warp == 3 && kit.asked[0].once);
		PART_ASKED(&kit, A + 3 * S);
		assert_int_equal(part_counter(&kit, "trained"), 1);
		part_close(&kit);
	}
}

/* Warps in any order: 0, 3, 2, 6; and with a negative stride. */
static void test_order_of_warps(void **state)
{
	static const uint32_t order[] = {0, 3, 2, 6};
	static const int64_t strides[] = {S, -S};
	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct part_kit kit;
		part_open(&kit, "inter:early=yes");
		for (size_t i = 0; i < 4; i++) {
			part_load(&kit, order[i], PC, (uint64_t)(A + strides[s] * order[i]));
			if (i)
				PART_ASKED(&kit, (uint64_t)(A + strides[s] * (order[i] + 1)));
		}
		assert_int_equal(part_counter(&kit, "trained"), 1);
		assert_int_equal(part_counter(&kit, "wrong"), 0);
		part_close(&kit);
	}
}

/* A distance that is no multiple of the difference of the warps' numbers gives no stride. */
static void test_no_whole_stride(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "inter:early=yes");
	part_load(&kit, 0, PC, A);
	part_load(&kit, 3, PC, A + S);
	PART_ASKED_NOTHING(&kit);
	part_close(&kit);
}

/* The table ignores block borders: after a block's last warp, it predicts for the next block's first warp, at a
 * wrong address. The misprediction costs one step of the state but not the stride. The warp after it is predicted
 * correctly. */
static void test_over_the_border(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "inter");
	for (uint32_t warp = 0; warp < 4; warp++)
		part_load(&kit, warp, PC, A + warp * S);
	PART_ASKED(&kit, A + 3 * S, A + 4 * S); /* for warp 4, which belongs to another block */
	part_load(&kit, 4, PC, 8 * A);
	PART_ASKED_NOTHING(&kit);
	assert_int_equal(part_counter(&kit, "wrong"), 1);
	part_load(&kit, 5, PC, 8 * A + S);
	PART_ASKED(&kit, 8 * A + 2 * S);
	assert_int_equal(part_counter(&kit, "trained"), 2);
	part_close(&kit);
}

/* A stride that has repeated stays, though each later load is at another address, and each prefetches by it. */
static void test_permanent(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t asked;
	} row[] = {{"inter", 0}, {"inter:permanent=yes", 4}};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct part_kit kit;
		part_open(&kit, row[i].mechanism);
		for (uint32_t warp = 0; warp < 3; warp++)
			part_load(&kit, warp, PC, A + warp * S);
		PART_ASKED(&kit, A + 3 * S);
		for (uint32_t k = 1; k <= 4; k++) {
			uint64_t elsewhere = A + k * k * 65536;
			part_load(&kit, 3 * k, PC, elsewhere);
			if (row[i].asked)
				PART_ASKED(&kit, elsewhere + S);
		}
		PART_ASKED_NOTHING(&kit);
		assert_int_equal(part_counter(&kit, "lines"), 1 + row[i].asked);
		part_close(&kit);
	}
}

/* A warp that repeats the load in a loop gives no stride. The next warp is compared with its new address. */
static void test_same_warp_again(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "inter:early=yes");
	part_load(&kit, 0, PC, A);
	part_load(&kit, 0, PC, 2 * A);
	part_load(&kit, 0, PC, 4 * A);
	PART_ASKED_NOTHING(&kit);
	part_load(&kit, 1, PC, 4 * A + S);
	PART_ASKED(&kit, 4 * A + 2 * S);
	part_close(&kit);
}

/* Nearest warp first; nothing for slots without a warp, or beyond the SM's slots. */
static void test_distance_and_degree(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "inter:distance=2,degree=3,early=yes,retry=yes");
	kit.live[5] = false;
	part_load(&kit, 1, PC, A);
	part_load(&kit, 2, PC, A + S);
	assert_int_equal(kit.asked[0].warp, 4);
	assert_int_equal(kit.asked[1].warp, 6);
	assert_true(kit.asked[1].bound && !kit.asked[1].once);
	PART_ASKED(&kit, A + 3 * S, A + 5 * S);
	assert_int_equal(part_counter(&kit, "lines"), 2);
	assert_int_equal(part_counter(&kit, "nobody"), 1);
	part_load(&kit, PART_WARPS - 3, PC, A + (PART_WARPS - 4) * S);
	PART_ASKED(&kit, A + (PART_WARPS - 2) * S);
	assert_int_equal(part_counter(&kit, "nobody"), 3);
	part_close(&kit);
}

/* All lines of a divergent load are requested; loads of more than `transactions` transactions are not tracked. */
static void test_divergent(void **state)
{
	static const uint64_t first[] = {A, A + 4096}, second[] = {A + S, A + 4096 + S};
	struct part_kit kit;
	(void)state;
	part_open(&kit, "inter:transactions=2,early=yes");
	part_loads(&kit, 0, PC, first, 2);
	part_loads(&kit, 1, PC, second, 2);
	PART_ASKED(&kit, A + 2 * S, A + 4096 + 2 * S);
	part_close(&kit);
	part_open(&kit, "inter:transactions=1,early=yes");
	part_loads(&kit, 0, PC, first, 2);
	part_loads(&kit, 1, PC, second, 2);
	PART_ASKED_NOTHING(&kit);
	part_close(&kit);
}

/* Loads in turn: with a row each, all are trained; with one row fewer, none is. A block's end frees no row; a
 * kernel's begin frees all. */
static void test_table(void **state)
{
	enum { PCS = 4 };
	static const struct {
		const char *mechanism;
		uint32_t trained, replaced;
	} row[] = {{"inter:entries=4", PCS, 0}, {"inter:entries=3", 0, 4 * PCS - 3}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct part_kit kit;
		part_open(&kit, row[i].mechanism);
		assert_null(kit.sm.mech->block_end);
		for (uint32_t warp = 0; warp < 4; warp++)
			for (uint32_t pc = 0; pc < PCS; pc++)
				part_load(&kit, warp, pc, A + pc * 65536 + warp * S);
		assert_int_equal(kit.count, row[i].trained * 2);
		assert_int_equal(part_counter(&kit, "trained"), row[i].trained);
		assert_int_equal(part_counter(&kit, "replaced"), row[i].replaced);
		kit.count = 0;
		kit.sm.mech->kernel_begin(&kit.sm);
		part_load(&kit, 4, PCS - 1, A + (PCS - 1) * 65536 + 4 * S);
		assert_int_equal(kit.count, 0);
		part_close(&kit);
	}
}

/* The interval between two warps is longer than a memory access; with a distance of four, longer than a part of it.
 * The first two warps wait for each line, and so do warps that merge with their misses. The last warps hit, and the
 * kernel ends with the last warp's arrival, as with a perfect L1. Without inter, the last warp waits for all of its
 * lines. L1 has space for all lines. */
static void test_wins_long_blocks(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t spin, loads;
	} row[] = {{"inter", 8, 24}, {"inter:distance=4", 3, 8}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char body[8192];
		const struct prefetch_kernel kernel = {prefetch_stagger(body, sizeof body, row[i].spin, row[i].loads),
		                                       1,
		                                       WARPS,
		                                       {"sm.warp_order=lrr", "l1d.ways=24"}};
		const struct prefetch_run without = prefetch_measure(&kernel, NULL, NULL);
		const struct prefetch_run with = prefetch_measure(&kernel, row[i].mechanism, NULL);
		uint64_t perfect = prefetch_perfect(&kernel);
		assert_int_equal(without.misses, WARPS * row[i].loads);
		assert_true(without.cycles * 100 > perfect * 125);
		assert_true(with.cycles * 100 < perfect * 102);
		assert_int_equal(with.requests.redundant, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_training),        cmocka_unit_test(test_order_of_warps),
		cmocka_unit_test(test_no_whole_stride), cmocka_unit_test(test_over_the_border),
		cmocka_unit_test(test_same_warp_again), cmocka_unit_test(test_distance_and_degree),
		cmocka_unit_test(test_divergent),       cmocka_unit_test(test_table),
		cmocka_unit_test(test_permanent),       cmocka_unit_test(test_wins_long_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
