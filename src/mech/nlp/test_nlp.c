/* Protects nlp: the accesses that trigger prefetches and the lines requested. On a stream, one line of every degree
 * + 1 still misses; with `tagged`, only the stream's first line does. */
#include "part_kit.h"
#include "prefetch_kit.h"

enum { A = 1 << 20 };

/* A miss triggers requests for the next lines, nearest first. Hits, and misses that merge with one in flight,
 * trigger none. */
static void test_what_asks(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "nlp");
	part_access(&kit, A + 32, MECH_MISS);
	assert_false(kit.asked[0].bound || !kit.asked[0].once);
	PART_ASKED(&kit, A + 128);
	part_access(&kit, A, MECH_HIT);
	part_access(&kit, A, MECH_MERGED);
	part_access(&kit, A, MECH_BYPASS_L1);
	part_access(&kit, A, MECH_BUFFER_HIT);
	PART_ASKED_NOTHING(&kit);
	assert_int_equal(part_counter(&kit, "misses"), 1);
	part_close(&kit);
	part_open(&kit, "nlp:degree=3,retry=yes");
	part_access(&kit, A, MECH_MISS);
	assert_false(kit.asked[0].once);
	PART_ASKED(&kit, A + 128, A + 256, A + 384);
	part_close(&kit);
}

/* Lines at or beyond the end of the address space are not requested. */
static void test_end_of_addresses(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "nlp:degree=2");
	part_access(&kit, UINT64_MAX - 383, MECH_MISS);
	PART_ASKED(&kit, UINT64_MAX - 255);
	part_access(&kit, UINT64_MAX - 255, MECH_MISS);
	part_access(&kit, UINT64_MAX - 127, MECH_MISS);
	PART_ASKED_NOTHING(&kit);
	part_close(&kit);
}

/* Sectored lines are requested sector by sector. */
static void test_sectors(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "nlp");
	kit.machine.l1_sector_bytes = 32;
	part_access(&kit, A, MECH_MISS);
	assert_int_equal(kit.count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(kit.asked[i].address, A + 128 + 32 * i);
		assert_int_equal(kit.asked[i].bytes, 32);
	}
	part_close(&kit);
}

/* Stores, atomics and local memory trigger nothing. */
static void test_other_accesses(void **state)
{
	static const struct mech_access row[] = {{.kind = MECH_STORE, .result = MECH_MISS},
	                                         {.kind = MECH_ATOMIC, .result = MECH_MISS},
	                                         {.kind = MECH_LOAD, .local = true, .result = MECH_MISS}};
	struct part_kit kit;
	(void)state;
	part_open(&kit, "nlp");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		kit.sm.mech->access(&kit.sm, &row[i]);
	PART_ASKED_NOTHING(&kit);
	part_close(&kit);
}

/* Tagged: the first use of a line that nlp requested, in L1 or still in flight, triggers prefetches as a miss does. */
static void test_tagged(void **state)
{
	static const struct {
		enum mech_result result;
		uint32_t brought_by;
		bool first_use, asks;
	} row[] = {{MECH_HIT, 0, true, true},   {MECH_MERGED, 0, true, true},
	           {MECH_HIT, 0, false, false}, {MECH_HIT, MECH_NOBODY, true, false},
	           {MECH_HIT, 1, true, false},  {MECH_BUFFER_HIT, 0, true, false}};
	(void)state;
	for (int tagged = 0; tagged < 2; tagged++)
		for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
			struct part_kit kit;
			part_open(&kit, tagged ? "nlp:tagged=yes" : "nlp");
			const struct mech_access access = {.address = A,
			                                   .pc = PART_PC,
			                                   .kind = MECH_LOAD,
			                                   .result = row[i].result,
			                                   .brought_by = row[i].brought_by,
			                                   .first_use = row[i].first_use};
			kit.sm.mech->access(&kit.sm, &access);
			if (tagged && row[i].asks)
				PART_ASKED(&kit, A + 128);
			PART_ASKED_NOTHING(&kit);
			assert_int_equal(part_counter(&kit, "first_uses"), tagged && row[i].asks);
			part_close(&kit);
		}
}

/* Loads one line after the other, with as much computation between loads as a memory access takes. A hit triggers
 * nothing, so one line in degree + 1 misses and waits; with `tagged`, only the first does. */
static void test_wins_streams(void **state)
{
	static const struct prefetch_stream row[] = {
		{"nlp", PREFETCH_LOADS / 2}, {"nlp:degree=2", PREFETCH_LOADS / 3}, {"nlp:tagged=yes", 1}};
	(void)state;
	prefetch_check_streams(row, sizeof row / sizeof *row);
}

/* L1 has one MSHR, which the load holds when its prefetch is tried. The prefetch is retried until the line has
 * arrived, or dropped. */
static void test_no_room(void **state)
{
	char body[32768];
	const struct prefetch_kernel kernel = {
		prefetch_loop(body, sizeof body, "add.u64 %rd1, %rd1, 128;", 16), 1, 1, {"l1d.mshrs=1"}};
	(void)state;
	const struct mech_requests again = prefetch_measure(&kernel, "nlp:retry=yes", NULL).requests;
	const struct mech_requests once = prefetch_measure(&kernel, "nlp", NULL).requests;
	assert_true(again.refused == 0 && again.retries > 50 && again.issued == again.asked);
	assert_true(once.refused == once.asked && once.retries == 0 && once.asked == PREFETCH_LOADS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_asks), cmocka_unit_test(test_end_of_addresses),
		cmocka_unit_test(test_sectors),   cmocka_unit_test(test_other_accesses),
		cmocka_unit_test(test_tagged),    cmocka_unit_test(test_wins_streams),
		cmocka_unit_test(test_no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
