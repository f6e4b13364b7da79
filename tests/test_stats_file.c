/* Protects the file of statistics that is kept while kernels run: valid JSON after every step, written in pieces, so that a
 * program with many launches pays the same for each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/stats_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct machine machine = {.name = "toy", .core_mhz = 700, .dram = {.atom_bytes = 64}};
static char path[64];

enum { LAUNCHES = 200 };
static struct record storage[LAUNCHES];

static void launch(struct records *records)
{
	struct record *record = &storage[records->count++];
	*record = (struct record){.kernel = "_Z1kv", .shown = "k()", .launch = records->count, .cycles = 10};
}

static int make_path(void **state)
{
	(void)state;
	strcpy(path, "/tmp/sluice-stats-XXXXXX");
	int made = mkstemp(path);
	return made < 0 ? -1 : close(made);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

/* What is in the file, which must be JSON. */
static json_t *load(void)
{
	json_error_t error;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		fail_msg("line %d: %s", error.line, error.text);
	return root;
}

static void expect(size_t kernels, const char *ended, bool totals)
{
	json_t *root = load();
	assert_int_equal(json_array_size(json_object_get(root, "kernels")), kernels);
	assert_string_equal(json_string_value(json_object_get(root, "ended")), ended);
	assert_int_equal(json_object_get(root, "totals") != NULL, totals);
	json_decref(root);
}

/* Bytes that this process has written. */
static unsigned long long written(void)
{
	unsigned long long bytes = 0;
	FILE *file = fopen("/proc/self/io", "r");
	if (file && fscanf(file, "%*s %*u wchar: %llu", &bytes) != 1)
		bytes = 0;
	if (file)
		fclose(file);
	return bytes;
}

static void every_step_is_valid(void **state)
{
	(void)state;
	struct records records = {.record = storage, .machine = &machine, .ended = "running"};
	struct stats_file file = {0};
	launch(&records); /* one that ran before */
	assert_true(stats_file_open(&file, &records, path));
	expect(1, "running", false);
	for (size_t i = 2; i <= 20; i++) {
		launch(&records);
		stats_file_add(&file, &records);
		expect(i, "running", false);
	}
	stats_file_note(&file, "signal 11");
	expect(20, "signal 11", false);
	records_set_ended(&records, "a way of ending that is longer than what there is room for");
	assert_true(stats_file_finish(&file, &records));
	expect(20, records.ended, true);
	records.record[3].end = GPU_FAULT;
	records_set_ended(&records, "exit 1");
	stats_file_note(&file, records.ended);
	expect(20, "fault, exit 1", true);
	stats_file_close(&file);
}

/* A launch costs the same however many were before it: all that is written is the file and a few bytes a launch. */
static void cost_of_many(void **state)
{
	(void)state;
	struct records records = {.record = storage, .machine = &machine, .ended = "running"};
	struct stats_file file = {0};
	unsigned long long before = written();
	assert_true(stats_file_open(&file, &records, path));
	while (records.count < LAUNCHES) {
		launch(&records);
		stats_file_add(&file, &records);
	}
	unsigned long long bytes = written() - before, size = (unsigned long long)file.end;
	stats_file_close(&file);
	if (bytes > size + 16 * LAUNCHES)
		fail_msg("%llu bytes written for a file of %llu", bytes, size);
}

/* A child that was forked shares the descriptor and must not write. */
static void children_are_silent(void **state)
{
	(void)state;
	struct records records = {.record = storage, .machine = &machine, .ended = "running"};
	struct stats_file file = {0};
	int status;
	assert_true(stats_file_open(&file, &records, path));
	pid_t child = fork();
	if (child == 0) {
		launch(&records);
		stats_file_add(&file, &records);
		stats_file_note(&file, "exit 0");
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	expect(0, "running", false);
	stats_file_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_step_is_valid, make_path, remove_path),
		cmocka_unit_test_setup_teardown(cost_of_many, make_path, remove_path),
		cmocka_unit_test_setup_teardown(children_are_silent, make_path, remove_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
