/* Protects the list of a sweep's runs: reading returns what was written. A list that cannot be written leaves no
 * file. The rest of a killed task's record is removed. */
#include "base/file.h"
#include "lab/records.h"
#include "lab/sweep_folder.h"

#include "lab_kit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_sweep_folder.XXXXXX";

static size_t files_in_folder(void)
{
	size_t count = 0;
	DIR *directory = opendir(folder);
	assert_non_null(directory);
	for (struct dirent *entry; (entry = readdir(directory));)
		count += entry->d_name[0] != '.';
	closedir(directory);
	return count;
}

/* Lets the process open `more` further files. Returns the previous limit. */
static struct rlimit allow_files(rlim_t more)
{
	struct rlimit before, now;
	int next = open("/dev/null", O_RDONLY);
	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	now = before;
	now.rlim_cur = (rlim_t)next + more;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
	return before;
}

static const struct sweep_head head = {
	.results = "results.db", .host = "here", .engine = "slurm", .pid = 7, .runs = 2, .parallel = 3, .started = 1.5};

/* A list needs two descriptors. Without the second, the temporary file is removed and errno tells the reason. */
static void no_descriptor_leaves_no_file(void **state)
{
	(void)state;
	for (rlim_t more = 0; more < 2; more++) {
		struct rlimit before = allow_files(more);
		errno = 0;
		struct sweep_list *list = sweep_list_begin(folder, &head);
		int error = errno;
		setrlimit(RLIMIT_NOFILE, &before);
		assert_null(list);
		assert_int_equal(error, EMFILE);
		assert_int_equal(files_in_folder(), 0);
	}
}

static void count_run(void *context, const struct sweep_run *run)
{
	size_t *count = context;
	char id[SWEEP_ID];
	sweep_id(&run->config, id);
	assert_string_equal(run->id, id);
	assert_string_equal(run->config.program, "p");
	assert_int_equal(run->config.seed, *count);
	assert_int_equal(run->expected.peak, 4096 + *count);
	++*count;
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	struct sweep_list *list = sweep_list_begin(folder, &head);
	assert_non_null(list);
	for (uint64_t i = 0; i < 2; i++) {
		struct sweep_run run = {.config = lab_config("p"), .expected = {.seconds = 2, .peak = 4096 + i}};
		run.config.seed = i;
		sweep_id(&run.config, run.id);
		sweep_list_add(list, &run);
	}
	assert_true(sweep_list_end(list));
	struct sweep_head read;
	size_t count = 0;
	assert_true(sweep_list_each(folder, "test", &read, count_run, &count));
	assert_int_equal(count, 2);
	assert_string_equal(read.results, "results.db");
	assert_string_equal(read.engine, "slurm");
	assert_int_equal(read.pid, 7);
	assert_int_equal(read.parallel, 3);
	assert_int_equal(files_in_folder(), 1);
}

static void make_file(const char *part, const char *name)
{
	char path[PATH_MAX];
	sweep_path(path, folder, part, "");
	mkdir(path, 0777);
	sweep_path(path, folder, part, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
}

static bool is_there(const char *part, const char *name)
{
	char path[PATH_MAX];
	sweep_path(path, folder, part, name);
	return access(path, F_OK) == 0;
}

/* A killed task leaves a record that it had begun to write. The end of the sweep removes it, and no other file. */
static void torn_records_are_removed(void **state)
{
	(void)state;
	make_file("records", "0123456789abcdef.x1Y2z3");
	make_file("records", "0123456789abcdef");
	make_file("records", "notes.txt");
	make_file("done", "fedcba9876543210");
	records_forget_all(folder);
	assert_false(is_there("records", "0123456789abcdef.x1Y2z3"));
	assert_true(is_there("records", "0123456789abcdef"));
	assert_true(is_there("records", "notes.txt"));
	assert_false(is_there("done", "fedcba9876543210"));
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const left[][2] = {
		{"runs", ""}, {"records", "0123456789abcdef"}, {"records", "notes.txt"}, {"records", ""}, {"done", ""}};
	char path[PATH_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
		sweep_path(path, folder, left[i][0], left[i][1]);
		if (remove(path) != 0)
			return -1;
	}
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(no_descriptor_leaves_no_file),
	                                   cmocka_unit_test(what_is_written_is_read),
	                                   cmocka_unit_test(torn_records_are_removed)};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
