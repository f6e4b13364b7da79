/* Protects the JSON file, the counter declarations and the derived metrics of launches. A functional run has no metric
 * in any format that it did not measure. */
#include "record_kit.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* Derived metrics follow the formulas that --describe prints. */
static void test_derived(void **state)
{
	(void)state;
	struct records records = make_records(1);
	struct derived derived = record_derive(&records, &storage[0]);
	assert_true(derived.ipc == 96.0);
	assert_true(derived.l1d_hit_rate == 0.25);
	assert_true(derived.l2_hit_rate == 0.75);
	assert_true(fabs(derived.dram_bandwidth - 100 * 64 * 700e6 / 1000) < 1);
	assert_true(derived.dram_utilization == 0.2);
	assert_true(derived.row_hit_rate == 0.8);
	assert_true(derived.row_locality == 5);
	assert_true(derived.warp_instructions_per_host_second == 2000);
	/* A launch in which nothing happened causes no division by zero. */
	storage[0] = (struct record){.kernel = "empty", .shown = "empty"};
	derived = record_derive(&records, &storage[0]);
	assert_true(derived.ipc == 0 && derived.l1d_hit_rate == 0 && derived.dram_bandwidth == 0);
}

/* A functional run shows no metric that it did not measure. */
static void test_functional(void **state)
{
	(void)state;
	struct records records = make_records(2);
	records.functional = true;
	for (int i = 0; i < 2; i++) {
		storage[i].functional = true;
		storage[i].cycles = 0;
	}
	char *text = capture(&records, records_write_table);
	assert_contains(text, "functional run, no cycles\n");
	assert_contains(text, "96,000 of threads\n");
	assert_absent(text, "IPC");
	assert_absent(text, "cycle stack");
	assert_absent(text, "DRAM");
	free(text);

	text = capture(&records, write_json);
	json_t *root = json_loads(text, 0, NULL);
	json_t *kernel = json_array_get(json_object_get(root, "kernels"), 0);
	assert_true(json_is_null(json_object_get(kernel, "cycles")));
	json_t *counters = json_object_get(kernel, "counters");
	assert_true(json_is_null(json_object_get(counters, "l1d.accesses")));
	assert_int_equal(json_integer_value(json_object_get(counters, "sm.thread_instructions")), 96000);
	json_decref(root);
	free(text);

	text = capture(&records, records_write_gpgpusim);
	assert_contains(text, "gpu_tot_sim_insn = 288000\n");
	assert_absent(text, "gpu_sim_cycle");
	free(text);
}

static void assert_keys(const json_t *object, const char *const *keys)
{
	const char *key;
	json_t *value;
	size_t i = 0;
	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		assert_non_null(value);
		assert_non_null(keys[i]);
		assert_string_equal(key, keys[i++]);
	}
	assert_null(keys[i]);
}

static int64_t whole(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	if (!json_is_integer(value))
		fail_msg("%s is no whole number", key);
	return json_integer_value(value);
}

/* The JSON file has exactly the documented keys, in order, and each counter under its full name. */
static void test_json(void **state)
{
	(void)state;
	static const char *const root_keys[] = {"ended",         "version",    "sluice",     "program",
	                                        "machine",       "options",    "mechanisms", "observers",
	                                        "checks",        "functional", "threads",    "max_instructions",
	                                        "configuration", "kernels",    "totals",     NULL};
	static const char *const kernel_keys[] = {"name",
	                                          "demangled",
	                                          "launch",
	                                          "ended",
	                                          "grid",
	                                          "block",
	                                          "registers",
	                                          "spill_bytes",
	                                          "shared_bytes",
	                                          "blocks_per_sm",
	                                          "stream",
	                                          "started",
	                                          "first_block",
	                                          "cycles",
	                                          "thread_instructions",
	                                          "warp_instructions",
	                                          "ipc",
	                                          "host_seconds",
	                                          "cycle_stack",
	                                          "counters",
	                                          NULL};
	static const char *const total_keys[] = {
		"cycles", "thread_instructions", "warp_instructions", "host_seconds", "cycle_stack", "counters", NULL};
	static const char *const stack_keys[] = {"issued",   "arithmetic",     "shared",  "l1",   "texture",
	                                         "l2",       "dram",           "barrier", "held", "replayed",
	                                         "conflict", "no_instruction", "idle",    NULL};
	struct records records = make_records(2);
	char *text = capture(&records, write_json);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		fail_msg("line %d: %s", error.line, error.text);
	assert_keys(root, root_keys);
	assert_int_equal(whole(root, "version"), 1);
	assert_string_equal(json_string_value(json_object_get(root, "sluice")), SLUICE_VERSION);
	assert_string_equal(json_string_value(json_object_get(root, "machine")), "toy");
	const json_t *configuration = json_object_get(root, "configuration");
	assert_int_equal(json_object_size(configuration), machine_option_count);
	assert_int_equal(whole(configuration, "sm.count"), 2);
	/* An argument that is not UTF-8 is replaced, since JSON cannot hold it. */
	assert_string_equal(json_string_value(json_array_get(json_object_get(root, "program"), 1)), "graph?");
	const json_t *kernels = json_object_get(root, "kernels"), *kernel = json_array_get(kernels, 1);
	assert_int_equal(json_array_size(kernels), 2);
	assert_keys(kernel, kernel_keys);
	assert_string_equal(json_string_value(json_object_get(kernel, "name")), "update");
	assert_int_equal(whole(kernel, "launch"), 2);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(kernel, "grid"), 1)), 2);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(kernel, "block"), 0)), 256);
	assert_int_equal(whole(kernel, "cycles"), 2000);
	assert_true(json_real_value(json_object_get(kernel, "ipc")) == 96.0);
	assert_keys(json_object_get(kernel, "cycle_stack"), stack_keys);
	assert_int_equal(whole(json_object_get(kernel, "cycle_stack"), "dram"), 1);

	const json_t *counters = json_object_get(kernel, "counters");
	size_t expected = 0;
	for (size_t g = 0; g < gpu_counter_group_count; g++)
		for (size_t i = 0; i < *gpu_counter_groups[g].count; i++, expected++) {
			const struct base_counter_group *group = &gpu_counter_groups[g];
			char name[128];
			snprintf(name, sizeof name, "%s.%s", group->name, group->rows[i].name);
			assert_int_equal(whole(counters, name),
			                 base_counter_value(group, &group->rows[i], &storage[1].stats));
		}
	assert_int_equal(json_object_size(counters), expected);

	const json_t *totals = json_object_get(root, "totals");
	assert_keys(totals, total_keys);
	assert_int_equal(whole(totals, "cycles"), 3000);
	assert_int_equal(whole(json_object_get(totals, "cycle_stack"), "issued"), 2);
	const char *name;
	json_t *value;
	json_object_foreach(json_object_get(totals, "counters"), name, value)
	{
		int64_t sum = 0;
		for (size_t k = 0; k < 2; k++)
			sum += whole(json_object_get(json_array_get(kernels, k), "counters"), name);
		assert_int_equal(json_integer_value(value), sum);
	}
	json_decref(root);
	free(text);
}

/* A failure to write the file is reported. */
static void test_json_refused(void **state)
{
	(void)state;
	struct records records = make_records(1);
	char room[64];
	FILE *full = fmemopen(room, sizeof room, "w");
	assert_non_null(full);
	assert_false(records_write_json(&records, full));
	fclose(full);
}

static void describe(const struct records *records, FILE *file)
{
	(void)records;
	records_describe(file);
}

/* Every counter is declared once, with its unit, scope and meaning. */
static void test_describe(void **state)
{
	(void)state;
	char *text = capture(NULL, describe);
	for (size_t g = 0; g < gpu_counter_group_count; g++)
		for (size_t i = 0; i < *gpu_counter_groups[g].count; i++) {
			const struct base_counter *row = &gpu_counter_groups[g].rows[i];
			char name[128];
			snprintf(name, sizeof name, "\n%s.%s ", gpu_counter_groups[g].name, row->name);
			const char *line = strstr(text, name);
			if (!line)
				fail_msg("%s is not described", name + 1);
			assert_null(strstr(line + 1, name));
			size_t length = strcspn(++line, "\n");
			const char *parts[] = {row->unit, base_scope_name(gpu_counter_scope(g)), row->meaning};
			for (size_t k = 0; k < 3; k++) {
				const char *found = strstr(line, parts[k]);
				assert_true(*parts[k] && found && found < line + length);
			}
		}
	assert_contains(text, "sm.thread_instructions / cycles\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_derived),      cmocka_unit_test(test_functional), cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_refused), cmocka_unit_test(test_describe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
