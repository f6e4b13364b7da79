/* Protects evicted_prefetches: the evictions and the loads that it counts, its table, and the counts of kernels whose
 * loads replace prefetched lines. */
#include "part_kit.h"
#include "set_kit.h"

enum { ALONE = 1 << 20 }; /* addresses of the tests without a machine */

/* --- the mechanism alone --- */

static void evict(struct part_kit *kit, uint64_t line, uint32_t sender, bool was_used, bool by_store)
{
	const struct mech_eviction eviction = {
		.address = line, .sender = sender, .was_used = was_used, .by_store = by_store};
	kit->sm.mech->evict(&kit->sm, &eviction);
}

static void expect(const struct part_kit *kit, uint64_t needed_later, uint64_t never_needed, uint64_t by_store)
{
	assert_int_equal(part_counter(kit, "needed_later"), needed_later);
	assert_int_equal(part_counter(kit, "never_needed"), never_needed);
	assert_int_equal(part_counter(kit, "by_store"), by_store);
}

/* Only unused lines that a mechanism requested count. */
static void test_which_evictions(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "evicted_prefetches");
	evict(&kit, ALONE, MECH_NOBODY, false, false);
	evict(&kit, ALONE, SET_PREFETCHER, true, false);
	expect(&kit, 0, 0, 0);
	evict(&kit, ALONE, SET_PREFETCHER, false, false);
	expect(&kit, 0, 1, 0);
	evict(&kit, 0, SET_PREFETCHER, false, false);
	expect(&kit, 0, 2, 0);
	part_access(&kit, 64, MECH_MISS); /* of the line at address 0 */
	expect(&kit, 1, 1, 0);
	part_close(&kit);
}

/* A store that evicts its line counts if it was the first access. */
static void test_which_stores(void **state)
{
	struct mech_access store = {.address = ALONE + 32, .bytes = 32, .kind = MECH_STORE, .result = MECH_HIT};
	struct part_kit kit;
	(void)state;
	part_open(&kit, "evicted_prefetches");
	evict(&kit, ALONE, SET_PREFETCHER, true, true);
	kit.sm.mech->access(&kit.sm, &store); /* a load had used the line */
	store.first_use = true;
	kit.sm.mech->access(&kit.sm, &store); /* which stays in L1 */
	evict(&kit, ALONE, MECH_NOBODY, true, true);
	kit.sm.mech->access(&kit.sm, &store);
	evict(&kit, ALONE + 128, SET_PREFETCHER, true, true);
	kit.sm.mech->access(&kit.sm, &store);
	expect(&kit, 0, 0, 0);
	evict(&kit, ALONE, SET_PREFETCHER, true, true);
	kit.sm.mech->access(&kit.sm, &store);
	expect(&kit, 0, 1, 1);
	part_access(&kit, ALONE, MECH_MISS);
	expect(&kit, 1, 0, 1);
	part_close(&kit);
}

/* Loads that look up L1 need the line. Each eviction counts once; a line that returns and is evicted again, again. */
static void test_which_loads(void **state)
{
	static const enum mech_result looked[] = {MECH_MISS, MECH_HIT, MECH_MERGED},
				      passed[] = {MECH_BYPASS_L1, MECH_BUFFER_HIT, MECH_BUFFER_MERGED};
	struct mech_access other = {.address = ALONE, .bytes = 128, .kind = MECH_STORE, .result = MECH_MISS};
	struct part_kit kit;
	(void)state;
	part_open(&kit, "evicted_prefetches");
	part_access(&kit, ALONE, MECH_MISS);
	for (uint32_t i = 0; i < 3; i++) {
		evict(&kit, ALONE, SET_PREFETCHER, false, false);
		expect(&kit, i, 1, 0);
		part_access(&kit, ALONE, passed[i]);
		part_access(&kit, ALONE + 128, looked[i]);
		part_access(&kit, ALONE - 1, looked[i]);
		expect(&kit, i, 1, 0);
		part_access(&kit, ALONE + 32 * i, looked[i]);
		part_access(&kit, ALONE, looked[i]);
		expect(&kit, i + 1, 0, 0);
	}
	evict(&kit, ALONE, SET_PREFETCHER, false, false);
	evict(&kit, ALONE, SET_PREFETCHER, false, false);
	kit.sm.mech->access(&kit.sm, &other);
	other.kind = MECH_ATOMIC;
	kit.sm.mech->access(&kit.sm, &other);
	other.kind = MECH_LOAD;
	other.local = true;
	kit.sm.mech->access(&kit.sm, &other);
	expect(&kit, 3, 2, 0);
	part_access(&kit, ALONE, MECH_MISS);
	expect(&kit, 5, 0, 0);
	part_close(&kit);
}

/* The table grows with its lines: 3000 distinct ones, each evicted twice, of which every third is needed. */
static void test_many_lines(void **state)
{
	enum { LINES = 3000 };
	struct part_kit kit;
	(void)state;
	part_open(&kit, "evicted_prefetches");
	for (uint64_t i = 0; i < 2 * LINES; i++)
		evict(&kit, ALONE + i % LINES * 128, SET_PREFETCHER, false, false);
	for (uint64_t i = 0; i < 2 * LINES; i++)
		part_access(&kit, ALONE + i * 128, MECH_MISS);
	expect(&kit, 2 * LINES, 0, 0);
	for (uint64_t i = 0; i < LINES; i++)
		evict(&kit, ALONE + i * 128, SET_PREFETCHER, false, false);
	for (uint64_t i = 0; i < LINES; i += 3)
		part_access(&kit, ALONE + i * 128, MECH_MISS);
	expect(&kit, 3 * LINES - LINES / 3 * 2, LINES / 3 * 2, 0);
	part_close(&kit);
}

/* Lines evicted in one kernel and needed in the next were never needed. */
static void test_next_kernel(void **state)
{
	struct part_kit kit;
	(void)state;
	part_open(&kit, "evicted_prefetches");
	evict(&kit, ALONE, SET_PREFETCHER, false, false);
	kit.sm.mech->kernel_begin(&kit.sm);
	part_access(&kit, ALONE, MECH_MISS);
	expect(&kit, 0, 1, 0);
	part_close(&kit);
}

/* --- in a machine --- */

/* After the prefetches have arrived, six loads replace the lines of the set. */
#define REPLACE SET_WAIT SET_REPLACE("6")

static void expect_run(const struct gpu_kit *kit, uint64_t needed_later, uint64_t never_needed, uint64_t by_store)
{
	assert_int_equal(kit_counter(kit, 0, "needed_later"), needed_later);
	assert_int_equal(kit_counter(kit, 0, "never_needed"), never_needed);
	assert_int_equal(kit_counter(kit, 0, "by_store"), by_store);
}

/* Two prefetched lines of one set are evicted unused. The kernel then loads the first one only, in each of two
 * launches. */
static void test_evicted_and_needed(void **state)
{
	struct gpu_kit kit;
	(void)state;
	set_open(&kit, "evicted_prefetches", NULL);
	set_ask_for(&kit, 0, 0, 128);
	set_ask_for(&kit, 1, 0, 128);
	kit_load(&kit, REPLACE SET_FIRST "exit;");
	for (uint32_t i = 0; i < 2; i++) {
		kit_run(&kit, 1, 32);
		assert_int_equal(kit_requests(&kit, SET_PREFETCHER).early_evicted, 2);
		expect_run(&kit, 1, 1, 0);
	}
	kit_load(&kit, REPLACE "exit;");
	kit_run(&kit, 1, 32);
	expect_run(&kit, 0, 2, 0);
	kit_load(&kit, "exit;");
	kit_run(&kit, 1, 32);
	expect_run(&kit, 0, 0, 0);
	kit_close(&kit);
}

/* Loads, or two more prefetches, replace two prefetched lines. L1 answers at once or after 35 cycles. */
static void test_replaced_by(void **state)
{
	static const char *const options[] = {"sm.l1_latency=0", "sm.l1_latency=35"};
	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct gpu_kit kit;
		uint32_t lines = i < 2 ? 2 : 6;
		set_open(&kit, "evicted_prefetches", options[i % 2]);
		for (uint32_t line = 0; line < lines; line++)
			set_ask_for(&kit, line, 0, 128);
		kit_load(&kit, i < 2 ? REPLACE "exit;" : SET_WAIT "exit;");
		kit_run(&kit, 1, 32);
		expect_run(&kit, 0, 2, 0);
		assert_int_equal(kit_counter(&kit, 0, "by_demand"), i < 2 ? 2 : 0);
		kit_close(&kit);
	}
}

/* A store evicts its line, which is loaded afterwards, on machines whose L1 answers at once or after 35 cycles. */
static void test_store(void **state)
{
	static const char *const options[] = {"sm.l1_latency=0", "sm.l1_latency=35"};
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct gpu_kit kit;
		set_open(&kit, "evicted_prefetches", options[i]);
		set_ask_for(&kit, 0, 0, 128);
		kit_load(&kit, SET_WAIT "st.global.u32 [%rd0], %r1; membar.gl;" SET_FIRST "exit;");
		kit_run(&kit, 1, 32);
		assert_int_equal(kit_requests(&kit, SET_PREFETCHER).early_evicted, 1);
		expect_run(&kit, 1, 0, 1);
		kit_close(&kit);
	}
}

/* Lines count, not sectors: two sectors of one line are two prefetches. The kernel needs another sector of it. */
static void test_sectors(void **state)
{
	struct gpu_kit kit;
	(void)state;
	set_open(&kit, "evicted_prefetches", "l1d.sectors=4");
	set_ask_for(&kit, 0, 32, 32);
	set_ask_for(&kit, 0, 96, 32);
	kit_load(&kit, REPLACE SET_FIRST "exit;");
	kit_run(&kit, 1, 32);
	assert_int_equal(kit_requests(&kit, SET_PREFETCHER).early_evicted, 2);
	expect_run(&kit, 1, 0, 0);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_evictions), cmocka_unit_test(test_which_stores),
		cmocka_unit_test(test_which_loads),     cmocka_unit_test(test_many_lines),
		cmocka_unit_test(test_next_kernel),     cmocka_unit_test(test_evicted_and_needed),
		cmocka_unit_test(test_replaced_by),     cmocka_unit_test(test_store),
		cmocka_unit_test(test_sectors)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
