/* Protects lap: the misses of a macro block that trigger prefetches, the lines requested, when counting restarts,
 * and the table's size limit. On a stream, only the triggering misses remain. */
#include "part_kit.h"
#include "prefetch_kit.h"

enum { A = 1 << 20, MACRO = 512 };

/* Any two lines that miss trigger requests for the other two, lowest address first. After that, the macro block's
 * count starts at zero. */
static void test_which_lines(void **state)
{
	static const struct {
		uint64_t missed[2], others[2];
	} row[] = {{{0, 1}, {2, 3}}, {{3, 0}, {1, 2}}, {{1, 3}, {0, 2}}, {{2, 1}, {0, 3}}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct part_kit kit;
		part_open(&kit, "lap");
		for (uint64_t turn = 0; turn < 2; turn++) {
			part_access(&kit, A + 128 * row[i].missed[0], MECH_MISS);
			PART_ASKED_NOTHING(&kit);
			part_access(&kit, A + 128 * row[i].missed[1] + 64, MECH_MISS);
			assert_false(kit.asked[0].bound || !kit.asked[0].once);
			PART_ASKED(&kit, A + 128 * row[i].others[0], A + 128 * row[i].others[1]);
		}
		assert_int_equal(part_counter(&kit, "fetched"), 2);
		assert_int_equal(part_counter(&kit, "misses"), 4);
		part_close(&kit);
	}
}

/* A line that misses twice counts once. Hits, and misses that merge with one in flight, do not count. Lines count
 * for their own macro block only. */
static void test_what_counts(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "lap");
	part_access(&kit, A + 384, MECH_MISS);
	part_access(&kit, A + 384, MECH_MISS);
	part_access(&kit, A, MECH_HIT);
	part_access(&kit, A + 128, MECH_MERGED);
	part_access(&kit, A + MACRO, MECH_MISS);
	PART_ASKED_NOTHING(&kit);
	part_access(&kit, A + 128, MECH_MISS);
	PART_ASKED(&kit, A, A + 256);
	part_close(&kit);
}

/* Stores, atomics and local memory are ignored. */
static void test_other_accesses(void **state)
{
	static const struct mech_access row[] = {{.kind = MECH_STORE, .result = MECH_MISS},
	                                         {.kind = MECH_ATOMIC, .result = MECH_MISS},
	                                         {.kind = MECH_LOAD, .local = true, .result = MECH_MISS}};
	struct part_kit kit;
	(void)state;
	part_open(&kit, "lap:misses=1");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		kit.sm.mech->access(&kit.sm, &row[i]);
	PART_ASKED_NOTHING(&kit);
	part_close(&kit);
}

/* Other sizes: macro blocks of three lines (no power of two), and of two lines with one miss as trigger. */
static void test_sizes(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "lap:lines=3,retry=yes");
	part_access(&kit, 7 * 384, MECH_MISS);
	part_access(&kit, 7 * 384 + 256, MECH_MISS);
	assert_false(kit.asked[0].once);
	PART_ASKED(&kit, 7 * 384 + 128);
	part_close(&kit);
	part_open(&kit, "lap:lines=2,misses=1");
	part_access(&kit, A + 128, MECH_MISS);
	PART_ASKED(&kit, A);
	part_close(&kit);
	part_open(&kit, "lap:lines=64,misses=63");
	for (uint64_t line = 0; line < 63; line++)
		part_access(&kit, A + 128 * line, MECH_MISS);
	PART_ASKED(&kit, A + 128 * 63);
	part_close(&kit);
	kit_refuses("lap:misses=4", "misses is 4; expected less than lines, 4");
}

/* Macro blocks are accessed in turn. With a row for each, the second miss of each finds the first; with one row
 * fewer, none does. Numbers that differ only above bit 32 are different macro blocks. */
static void test_table(void **state)
{
	enum { MACROS = 3 };
	static const struct {
		const char *mechanism;
		uint32_t fetched, replaced;
	} row[] = {{"lap:entries=3", MACROS, 0}, {"lap:entries=2", 0, 2 * MACROS - 2}};
	struct part_kit kit;
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		part_open(&kit, row[i].mechanism);
		for (uint64_t line = 0; line < 2; line++)
			for (uint64_t macro = 0; macro < MACROS; macro++)
				part_access(&kit, A + macro * MACRO + line * 128, MECH_MISS);
		assert_int_equal(part_counter(&kit, "fetched"), row[i].fetched);
		assert_int_equal(part_counter(&kit, "replaced"), row[i].replaced);
		part_close(&kit);
	}
	part_open(&kit, "lap:entries=2,misses=3"); /* the least recently used row is replaced, not the oldest one */
	part_access(&kit, A, MECH_MISS);
	part_access(&kit, A + MACRO, MECH_MISS);
	part_access(&kit, A + 128, MECH_MISS);
	part_access(&kit, A + 2 * MACRO, MECH_MISS);
	part_access(&kit, A + 256, MECH_MISS);
	PART_ASKED(&kit, A + 384);
	part_close(&kit);
	part_open(&kit, "lap");
	part_access(&kit, A, MECH_MISS);
	part_access(&kit, A + ((uint64_t)MACRO << 32) + 128, MECH_MISS);
	PART_ASKED_NOTHING(&kit);
	kit.sm.mech->kernel_begin(&kit.sm);
	part_access(&kit, A + 128, MECH_MISS);
	PART_ASKED_NOTHING(&kit);
	part_close(&kit);
}

/* Loads one line after the other, with as much computation between loads as a memory access takes. In each macro
 * block, only the lines that trigger the prefetch miss and wait. */
static void test_wins_streams(void **state)
{
	static const struct prefetch_stream row[] = {{"lap", PREFETCH_LOADS / 2},
	                                             {"lap:misses=1", PREFETCH_LOADS / 4},
	                                             {"lap:lines=16", PREFETCH_LOADS / 8}};
	(void)state;
	prefetch_check_streams(row, sizeof row / sizeof *row);
}

/* L1 has one MSHR, which the load holds when its prefetches are tried. With `retry`, they wait until the line has
 * arrived. Without it, they are dropped, so the other lines miss too and request the first two, which are in L1. */
static void test_no_room(void **state)
{
	char body[32768];
	const struct prefetch_kernel kernel = {
		prefetch_loop(body, sizeof body, "add.u64 %rd1, %rd1, 128;", 16), 1, 1, {"l1d.mshrs=1"}};
	(void)state;
	const struct mech_requests again = prefetch_measure(&kernel, "lap:retry=yes", NULL).requests;
	const struct mech_requests once = prefetch_measure(&kernel, "lap", NULL).requests;
	assert_true(again.refused == 0 && again.retries > 50 && again.issued == again.asked);
	assert_true(once.refused == PREFETCH_LOADS / 2 && once.filtered == PREFETCH_LOADS / 2 && once.retries == 0);
	assert_int_equal(once.issued, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_lines),    cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_other_accesses), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_table),          cmocka_unit_test(test_wins_streams),
		cmocka_unit_test(test_no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
