/* Protects the statistics file that grows while kernels run. It is valid JSON after every step. It is written in
 * pieces, so that the cost per launch stays constant in programs with many launches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "output/stats_file.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

/* A file in memory, where writes are cut at every page; some disks have larger blocks. */
static int make_path_in_memory(void **state)
{
	strcpy(path, "/dev/shm/sluice-stats-XXXXXX");
	int made = mkstemp(path);
	return made < 0 ? make_path(state) : close(made);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

/* Returns the file's content, which must be JSON. */
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

/* Bytes that this process has written so far. */
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
	launch(&records); /* a launch before the file was opened */
	assert_true(stats_file_open(&file, &records, path));
	expect(1, "running", false);
	for (size_t i = 2; i <= 20; i++) {
		launch(&records);
		stats_file_add(&file, &records);
		expect(i, "running", false);
	}
	records_set_ended(&records, "a way of ending that is longer than what there is room for");
	assert_true(stats_file_finish(&file, &records));
	expect(20, records.ended, true);
	records.record[3].end = GPU_FAULT;
	records_set_ended(&records, "exit 1");
	stats_file_note(&file, records.ended);
	expect(20, "fault, exit 1", true);
	launch(&records);
	stats_file_add(&file, &records);
	assert_true(stats_file_finish(&file, &records));
	expect(20, "fault, exit 1", true);
	stats_file_close(&file);
}

/* A launch's cost does not depend on the number of earlier launches: the total written is the file plus a few bytes per
 * launch. */
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
	unsigned long long bytes = written() - before, size = (unsigned long long)file.file.end;
	stats_file_close(&file);
	if (bytes > size + 16 * LAUNCHES)
		fail_msg("%llu bytes written for a file of %llu", bytes, size);
}

/* A forked child shares the descriptor and must not write. */
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
		stats_file_finish(&file, &records);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	expect(0, "running", false);
	stats_file_close(&file);
}

/* Text that one thread writes while others interrupt it. */
struct writer {
	struct records records;
	struct stats_file file;
	char message[1 << 20]; /* large, so that a write takes long */
};

static void *write_often(void *user)
{
	struct writer *writer = user;
	for (int i = 0; i < 20; i++) {
		launch(&writer->records);
		storage[i].message = writer->message;
		stats_file_add(&writer->file, &writer->records);
	}
	return NULL;
}

static off_t size_of(const struct stats_file *file)
{
	struct stat now;
	return fstat(file->file.descriptor, &now) == 0 ? now.st_size : 0;
}

/* Emulates a signal that ends a process while another thread writes. The handler runs once the file has `bytes` bytes.
 * The process ends at the next byte, or if no further byte is written. */
static void note_and_die(struct writer *writer, off_t bytes)
{
	pthread_t thread;
	pthread_create(&thread, NULL, write_often, writer);
	while (size_of(&writer->file) < bytes)
		;
	stats_file_note(&writer->file, "signal 15");
	bytes = size_of(&writer->file);
	for (clock_t start = clock(); clock() - start < CLOCKS_PER_SEC / 50 && size_of(&writer->file) == bytes;)
		;
	raise(SIGKILL);
}

/* A signal never cuts a record that another thread is writing. Without the wait, most attempts left a cut record. */
static void signals_wait_for_writes(void **state)
{
	(void)state;
	const char *tries = getenv("STATS_FILE_TRIES");
	struct writer *writer = calloc(1, sizeof *writer);
	assert_non_null(writer);
	memset(writer->message, 'x', sizeof writer->message - 1);
	for (unsigned i = 0; i < (tries ? strtoul(tries, NULL, 10) : 8); i++) {
		int status;
		writer->records = (struct records){.record = storage, .machine = &machine, .ended = "running"};
		assert_true(stats_file_open(&writer->file, &writer->records, path));
		pid_t child = fork();
		if (child == 0) {
			writer->file.file.process = getpid();
			note_and_die(writer, 50000 + 250000 * (i % 20));
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		json_t *root = load();
		assert_string_equal(json_string_value(json_object_get(root, "ended")), "signal 15");
		json_decref(root);
		stats_file_close(&writer->file);
	}
	free(writer);
}

/* A full disk, here a size limit, cuts no record either: the file keeps its previous end, and the error is reported at
 * close. */
static void no_room(void **state)
{
	(void)state;
	struct records records = {.record = storage, .machine = &machine, .ended = "running"};
	struct stats_file file = {0};
	struct rlimit before, limit;
	assert_true(stats_file_open(&file, &records, path));
	launch(&records);
	stats_file_add(&file, &records);
	launch(&records);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit){.rlim_cur = (rlim_t)file.file.end + 1000, .rlim_max = before.rlim_max};
	setrlimit(RLIMIT_FSIZE, &limit);
	stats_file_add(&file, &records);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	expect(1, "running", false);
	records_set_ended(&records, "exit 0");
	assert_false(stats_file_finish(&file, &records));
	assert_int_equal(errno, EFBIG);
	expect(1, "exit 0", false);
	stats_file_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_step_is_valid, make_path, remove_path),
		cmocka_unit_test_setup_teardown(cost_of_many, make_path, remove_path),
		cmocka_unit_test_setup_teardown(children_are_silent, make_path, remove_path),
		cmocka_unit_test_setup_teardown(signals_wait_for_writes, make_path_in_memory, remove_path),
		cmocka_unit_test_setup_teardown(no_room, make_path, remove_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
