/* Protects mta: a warp's own stride has priority, and strides between warps serve the other loads. Each kind has its
 * own table, distance and degree. The gains of intra and of inter are both reached. */
#include "part_kit.h"
#include "prefetch_kit.h"

enum { A = 1 << 20, S = 512, LOOP = 65536, PC = PART_PC };

/* Warps in turn through a loop: the first iteration is predicted from warp to warp; from the second on, each warp
 * has its own stride. */
static void test_own_goes_first(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "mta:early=yes");
	part_load(&kit, 0, PC, A);
	PART_ASKED_NOTHING(&kit);
	part_load(&kit, 1, PC, A + S);
	assert_true(kit.asked[0].bound && kit.asked[0].warp == 2 && kit.asked[0].once);
	PART_ASKED(&kit, A + 2 * S);
	part_load(&kit, 2, PC, A + 2 * S);
	PART_ASKED(&kit, A + 3 * S);
	part_load(&kit, 0, PC, A + LOOP);
	assert_true(kit.asked[0].bound && kit.asked[0].warp == 0 && kit.asked[0].once);
	PART_ASKED(&kit, A + 2 * LOOP);
	assert_int_equal(part_counter(&kit, "inter_lines"), 2);
	assert_int_equal(part_counter(&kit, "intra_lines"), 1);
	part_close(&kit);
}

/* A warp whose own strides proved wrong is predicted from warp to warp again. */
static void test_inter_fills_in(void **state)
{
	static const uint64_t other[] = {5 * A, 5 * A + 3 * S, 5 * A + S};
	struct part_kit kit;
	(void)state;
	part_open(&kit, "mta:early=yes");
	for (size_t i = 0; i < 3; i++)
		part_load(&kit, 1, PC, other[i]); /* twice another stride: no prediction */
	kit.count = 0;
	part_load(&kit, 0, PC, 7 * A);
	part_load(&kit, 1, PC, 7 * A + S);
	part_load(&kit, 2, PC, 7 * A + 2 * S);
	assert_int_equal(kit.asked[kit.count - 1].address, 7 * A + 3 * S);
	assert_int_equal(kit.asked[kit.count - 1].warp, 3);
	part_close(&kit);
}

static void test_options_of_each(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "mta:intra_distance=2,intra_degree=2,inter_distance=3,inter_degree=2");
	part_load(&kit, 0, PC, A);
	part_load(&kit, 1, PC, A + S);
	PART_ASKED_NOTHING(&kit);
	part_load(&kit, 2, PC, A + 2 * S);
	PART_ASKED(&kit, A + 5 * S, A + 6 * S);
	part_load(&kit, 0, PC, A + LOOP);
	kit.count = 0;
	part_load(&kit, 0, PC, A + 2 * LOOP);
	PART_ASKED(&kit, A + 4 * LOOP, A + 5 * LOOP);
	part_close(&kit);
}

/* Each table's size is a limit. A block's end frees its warps' rows; strides between warps stay. */
static void test_tables(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t intra, inter;
	} row[] = {{"mta:intra_entries=6,inter_entries=2", 6, 2},
	           {"mta:intra_entries=5,inter_entries=2", 0, 2},
	           {"mta:intra_entries=6,inter_entries=1", 6, 0}};
	struct part_kit kit;
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		part_open(&kit, row[i].mechanism);
		for (uint64_t turn = 0; turn < 3; turn++)
			for (uint32_t warp = 0; warp < 3; warp++)
				for (uint32_t pc = 0; pc < 2; pc++)
					part_load(&kit, warp, pc, A * (1 + pc) + turn * LOOP + warp * S);
		assert_int_equal(part_counter(&kit, "intra_trained"), row[i].intra);
		assert_int_equal(part_counter(&kit, "inter_trained") > 0, row[i].inter > 0);
		assert_int_equal(part_counter(&kit, "intra_replaced") > 0, !row[i].intra);
		assert_int_equal(part_counter(&kit, "inter_replaced") > 0, !row[i].inter);
		part_close(&kit);
	}
	part_open(&kit, "mta:early=yes");
	part_load(&kit, 0, PC, A);
	part_load(&kit, 0, PC, A + S);
	kit.sm.mech->block_end(&kit.sm, &(struct mech_block){.first_warp = 0, .warps = 1});
	kit.count = 0;
	part_load(&kit, 0, PC, A + 2 * S);
	PART_ASKED_NOTHING(&kit);
	part_load(&kit, 1, PC, A + 3 * S);
	PART_ASKED(&kit, A + 4 * S);
	part_close(&kit);
}

/* The kernels of the tests of intra and inter: mta reaches nearly all of a perfect L1's gain in both. */
static void test_wins_both(void **state)
{
	char loop[32768], block[8192];
	const struct prefetch_kernel loops = {
		prefetch_loop(loop, sizeof loop, "add.u64 %rd1, %rd1, 640;", 16), 1, 1, {NULL}};
	const struct prefetch_kernel long_blocks = {
		prefetch_stagger(block, sizeof block, 8, 24), 1, 32, {"sm.warp_order=lrr", "l1d.ways=24"}};
	(void)state;
	assert_in_range(100 * prefetch_won(&loops, "mta"), 96, 100);
	assert_in_range(100 * prefetch_won(&loops, "inter"), 0, 3);
	assert_in_range(100 * prefetch_won(&long_blocks, "mta"), 97, 103);
	assert_in_range(100 * (1 + prefetch_won(&long_blocks, "intra")), 97, 103);
}

/* L1 has one MSHR: a loop's prefetches are retried until an MSHR is free, or dropped. */
static void test_no_room(void **state)
{
	char body[32768];
	const struct prefetch_kernel kernel = {
		prefetch_loop(body, sizeof body, "add.u64 %rd1, %rd1, 128;", 16), 1, 1, {"l1d.mshrs=1"}};
	(void)state;
	const struct mech_requests again = prefetch_measure(&kernel, "mta:retry=yes", NULL).requests;
	const struct mech_requests once = prefetch_measure(&kernel, "mta", NULL).requests;
	assert_true(again.refused == 0 && again.retries > 50 && again.issued == again.asked);
	assert_true(once.refused == once.asked && once.retries == 0 && once.asked == PREFETCH_LOADS - 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_goes_first),  cmocka_unit_test(test_inter_fills_in),
		cmocka_unit_test(test_options_of_each), cmocka_unit_test(test_tables),
		cmocka_unit_test(test_wins_both),       cmocka_unit_test(test_no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
