/* Protects keep_prefetches: the line that it lets L1 replace, and kernels whose loads fill a set with prefetched
 * lines. */
#include "part_kit.h"
#include "set_kit.h"

/* --- the choice --- */

/* Ways as text: D a demanded line, P an unused prefetch, U a used one; small letters: its data are in flight. `order`
 * has a digit for each: the machine's order. */
static void test_choice(void **state)
{
	static const struct {
		const char *ways, *order;
		uint32_t usual, chosen;
		bool spared, overfull;
	} row[] = {
		{"DPPD", "1234", 0, 0, false, false}, {"UPPD", "1234", 0, 0, false, false},
		{"PDPD", "1324", 0, 1, true, false},  {"PDPU", "1423", 0, 3, true, false},
		{"PdUD", "1234", 0, 2, true, false},  {"PPPP", "2134", 1, 1, false, true},
		{"PdPu", "2314", 2, 2, false, true},  {"pPDp", "1243", 1, 2, true, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct part_kit kit;
		struct mech_way way[4];
		uint64_t data[4] = {0};
		part_open(&kit, "keep_prefetches");
		for (uint32_t w = 0; w < 4; w++) {
			char kind = row[i].ways[w];
			way[w] = (struct mech_way){.order = (uint64_t)row[i].order[w],
			                           .sender = strchr("PpUu", kind) ? SET_PREFETCHER : MECH_NOBODY,
			                           .may_go = strchr("DPU", kind) != NULL,
			                           .was_used = strchr("Uu", kind) != NULL};
		}
		const struct mech_set set = {.ways = 4, .usual = row[i].usual, .way = way, .data = data};
		assert_int_equal(kit.sm.mech->l1_victim(&kit.sm, &set), row[i].chosen);
		assert_int_equal(part_counter(&kit, "spared"), row[i].spared);
		assert_int_equal(part_counter(&kit, "overfull"), row[i].overfull);
		part_close(&kit);
	}
}

/* --- in a machine --- */

/* Runs the body while the line at `param` and the next lines of its set are prefetched. */
static void run(const char *body, uint32_t lines, uint32_t useful, uint32_t early_evicted, uint32_t spared,
                uint32_t overfull)
{
	struct gpu_kit kit;
	set_open(&kit, "keep_prefetches", NULL);
	for (uint32_t way = 0; way < lines; way++)
		set_ask_for(&kit, way, 0, 128);
	kit_load(&kit, body);
	kit_run(&kit, 1, 32);
	assert_int_equal(kit_requests(&kit, SET_PREFETCHER).useful, useful);
	assert_int_equal(kit_requests(&kit, SET_PREFETCHER).early_evicted, early_evicted);
	assert_int_equal(kit_counter(&kit, 0, "spared"), spared);
	assert_int_equal(kit_counter(&kit, 0, "overfull"), overfull);
	kit_close(&kit);
}

/* Two prefetched lines outlast eight loads of their set. Two loads find a free way; the LRU line is then a prefetch. */
static void test_outlasts(void **state)
{
	(void)state;
	run(SET_WAIT SET_REPLACE("8") SET_FIRST "exit;", 2, 1, 0, 6, 0);
}

/* Four prefetched lines fill the set: the first load replaces one, and the other loads replace each other. */
static void test_full_of_prefetches(void **state)
{
	(void)state;
	run(SET_WAIT SET_REPLACE("8") "exit;", 4, 0, 1, 7, 1);
}

/* A prefetch that an instruction has used is replaced as any line: the first line is, and the second stays. */
static void test_used_once(void **state)
{
	(void)state;
	run(SET_WAIT SET_FIRST SET_REPLACE("8") "exit;", 2, 1, 0, 6, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_choice), cmocka_unit_test(test_outlasts),
	                                   cmocka_unit_test(test_full_of_prefetches), cmocka_unit_test(test_used_once)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
