/* Protects inter: from which warps it learns and for which it asks, whatever their order and over blocks' borders, that its rows bind, and that where
 * warps of a long block come one behind the other it wins all but the first warps' waits. */
#include "part_kit.h"
#include "prefetch_kit.h"

enum { A = 1 << 20, S = 512, PC = PART_PC, WARPS = 32 };

/* Two warps show a stride, the third confirms it; each is asked for on behalf of the warp of the next number. */
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

/* Warps in any order: 0, 3, 2, 6; and backwards through memory. */
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

/* What two warps further on lies no whole number of bytes a warp away shows no stride. */
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

/* A block's border is not seen: the next block's first warp is prefetched for where the last one's neighbour would be. It comes elsewhere, which
 * costs the state a step and not the stride; from its neighbour on it is right again. */
static void test_over_the_border(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "inter");
	for (uint32_t warp = 0; warp < 4; warp++)
		part_load(&kit, warp, PC, A + warp * S);
	PART_ASKED(&kit, A + 3 * S, A + 4 * S); /* of warp 4: another block's */
	part_load(&kit, 4, PC, 8 * A);
	PART_ASKED_NOTHING(&kit);
	assert_int_equal(part_counter(&kit, "wrong"), 1);
	part_load(&kit, 5, PC, 8 * A + S);
	PART_ASKED(&kit, 8 * A + 2 * S);
	assert_int_equal(part_counter(&kit, "trained"), 2);
	part_close(&kit);
}

/* A warp that comes again, in a loop, says nothing of strides; others are measured by where it is now. */
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

/* The nearest warp first; none for slots that have no warp, or that the SM does not have. */
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

/* All lines of a load whose lanes lie apart; more than `transactions` are not tracked. */
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

/* Loads in turn: with a row each all are trained, with one row less none ever is. A block's end frees none; a kernel's begin all. */
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

/* The warps come further apart than memory takes, or a part of it with a distance of four: the first two wait for each line, and others who meet
 * them; the last ones find theirs, and the kernel ends when the last one comes, as with a perfect L1. Without it that one still waits for all of its
 * lines. L1 has room for all of them. */
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
		cmocka_unit_test(test_training),         cmocka_unit_test(test_order_of_warps),
		cmocka_unit_test(test_no_whole_stride),  cmocka_unit_test(test_over_the_border),
		cmocka_unit_test(test_same_warp_again),  cmocka_unit_test(test_distance_and_degree),
		cmocka_unit_test(test_divergent),        cmocka_unit_test(test_table),
		cmocka_unit_test(test_wins_long_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
