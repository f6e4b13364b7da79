/* Protects the table of launches that users read. */
#include "record_kit.h"

#include <math.h>
#include <stdlib.h>

/* Adds up the numbers before " %" in the lines from `from` to `until`. */
static double sum_percents(const char *from, const char *until)
{
	double sum = 0;
	for (const char *at = strstr(from, " %"); at && at < until; at = strstr(at + 1, " %")) {
		const char *number = at;
		while (number > from && strchr("0123456789.", number[-1]))
			number--;
		sum += strtod(number, NULL);
	}
	return sum;
}

/* The printed percentages of every cycle stack add up to 100.0 % in spite of rounding. No line is wider than 100
 * columns. */
static void test_table(void **state)
{
	(void)state;
	struct records records = make_records(3);
	char *text = capture(&records, records_write_table);
	assert_contains(text, "bfs_kernel, launch 3\n");
	assert_contains(text, "grid 60x2x1, block 256x1x1\n");
	assert_contains(text, "14 registers per thread, 4,096 bytes of shared memory per block, 6 blocks per SM\n");
	assert_contains(text, "1,000 cycles, IPC 96.00\n");
	assert_contains(text, "3 launches together\n");
	assert_contains(text, "L1 hits 25.0 % of 100, L2 hits 75.0 % of 200\n");
	assert_contains(text, "pins busy 20.0 %, row hits 80.0 %, 5.0 requests per row\n");
	int stacks = 0;
	for (const char *at = strstr(text, "cycle stack"); at; at = strstr(at + 1, "cycle stack"), stacks++) {
		double sum = sum_percents(at, strstr(at, "caches"));
		assert_true(fabs(sum - 100.0) < 1e-9);
	}
	assert_int_equal(stacks, 4);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strlen(line) > 100)
			fail_msg("%zu columns: %s", strlen(line), line);
	free(text);
}

/* Every cause of the cycle stack has a readable name; none is shown as its counter's name. */
static void test_table_names_causes(void **state)
{
	(void)state;
	struct records records = make_records(1);
	struct stack_part parts[RECORD_STACK_PARTS];
	storage[0].stats.sm.stack_held = storage[0].stats.sm.stack_replayed = storage[0].stats.sm.stack_texture = 1;
	assert_int_equal(record_stack(&storage[0], parts), 13);
	char *text = capture(&records, records_write_table);
	static const char *const names[] = {"waits: arithmetic",
	                                    "waits: shared memory",
	                                    "waits: L1",
	                                    "waits: L2",
	                                    "waits: DRAM",
	                                    "waits: barrier",
	                                    "held by mechanism",
	                                    "replayed: mechanism",
	                                    "pipe full",
	                                    "no instruction",
	                                    "idle"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_contains(text, names[i]);
	assert_absent(text, "no_instruction");
	free(text);
}

/* Many launches are summed to one line per kernel, whose percentages also add up. */
static void test_table_of_many(void **state)
{
	(void)state;
	struct records records = make_records(MANY);
	char *text = capture(&records, records_write_table);
	assert_absent(text, "launch 3");
	assert_contains(text, "12 launches together (the JSON form has each)\n");
	/* The odd launches belong to bfs_kernel: 1 + 3 + ... + 11 thousand cycles of 78 thousand. */
	const char *row = strstr(text, "\nbfs_kernel ");
	unsigned launches, thousands, units;
	assert_non_null(row);
	assert_int_equal(sscanf(row, " bfs_kernel %u %u,%u 46.2 %%", &launches, &thousands, &units), 3);
	assert_int_equal(launches, 6);
	assert_int_equal(1000 * thousands + units, 36000);
	assert_contains(text, " 53.8 %");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_names_causes),
		cmocka_unit_test(test_table_of_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
