/* Protects base/file.h's new files: a path has its old contents until the new ones are complete. A failed write and an
 * abandoned file leave the old contents and no other file. Also protects which devices can be read, and suffixes. */
#include "base/file.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { LIMIT = 4096 };
static char folder[64], path[128];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/sluice-file-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/file", folder);
	return 0;
}

/* Fails when a file other than `file` and `link` remains. */
static int remove_folder(void **state)
{
	char link[128];
	(void)state;
	snprintf(link, sizeof link, "%s/link", folder);
	unlink(link);
	unlink(path);
	return rmdir(folder);
}

static bool write_file(const char *where, const char *text, size_t times)
{
	struct file_new new;
	FILE *stream = file_new_stream(&new, where);
	assert_non_null(stream);
	for (size_t i = 0; i < times; i++)
		fputs(text, stream);
	return file_new_finish(&new, stream);
}

static void check_contents(const char *expected)
{
	size_t length;
	char *text = file_read(path, &length);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

/* A reader sees the old contents while the new ones are written. */
static void test_whole(void **state)
{
	struct file_new new;
	(void)state;
	assert_true(write_file(path, "old", 1));
	FILE *stream = file_new_stream(&new, path);
	fputs("new", stream);
	fflush(stream);
	check_contents("old");
	assert_true(file_new_finish(&new, stream));
	check_contents("new");
}

/* A new file has the permissions that the umask leaves. */
static void test_permissions(void **state)
{
	static const mode_t masks[] = {022, 077};
	mode_t before = umask(0);
	(void)state;
	for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
		struct stat status;
		umask(masks[i]);
		assert_true(write_file(path, "x", 1));
		assert_int_equal(stat(path, &status), 0);
		assert_int_equal(status.st_mode & 0777, 0666 & ~masks[i]);
	}
	umask(before);
}

/* A file that cannot get its name leaves nothing; remove_folder() checks it. */
static void test_no_place(void **state)
{
	struct file_new new;
	(void)state;
	FILE *stream = file_new_stream(&new, path);
	assert_non_null(stream);
	assert_int_equal(mkdir(path, 0777), 0);
	assert_false(file_new_finish(&new, stream));
	assert_int_equal(rmdir(path), 0);
}

static void test_abandoned(void **state)
{
	struct file_new new;
	(void)state;
	assert_true(write_file(path, "old", 1));
	FILE *stream = file_new_stream(&new, path);
	fputs("new", stream);
	errno = EPIPE;
	file_new_abandon(&new, stream);
	assert_int_equal(errno, EPIPE);
	check_contents("old");
}

/* A full disk, emulated by a limit of file size. Either the last flush fails, or an earlier one. */
static void test_full_disk(void **state)
{
	struct rlimit before, limit;
	(void)state;
	assert_true(write_file(path, "old", 1));
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = LIMIT;
	setrlimit(RLIMIT_FSIZE, &limit);
	bool fits = write_file(path, "x", LIMIT), last = write_file(path, "x", LIMIT + 1);
	int reason = errno;
	bool early = write_file(path, "x", 100 * LIMIT);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_true(fits);
	assert_false(last);
	assert_int_equal(reason, EFBIG);
	assert_false(early);
	struct stat status;
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, LIMIT);
}

static void test_link(void **state)
{
	char link[128];
	struct stat status;
	(void)state;
	snprintf(link, sizeof link, "%s/link", folder);
	assert_true(write_file(path, "old", 1));
	assert_int_equal(symlink("file", link), 0);
	assert_true(write_file(link, "new", 1));
	assert_true(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
	check_contents("new");
}

/* A database is not replaced. A device is written directly, and its failed writes are reported. */
static void test_others(void **state)
{
	struct file_new new;
	(void)state;
	assert_true(write_file(path, "SQLite format 3", 1));
	assert_null(file_new_stream(&new, path));
	assert_int_equal(errno, EEXIST);
	check_contents("SQLite format 3");
	assert_int_equal(unlink(path), 0);
	assert_true(write_file(path, "SQLite", 1)); /* only begins like one */
	assert_true(write_file(path, "text", 1));
	check_contents("text");
	assert_true(write_file("/dev/null", "x", 1));
	if (access("/dev/full", W_OK) == 0)
		assert_false(write_file("/dev/full", "x", 1));
	assert_null(file_new_stream(&new, "/nowhere/file"));
	assert_int_equal(errno, ENOENT);
}

/* /dev/null can be read. A device that may never end is refused. */
static void test_devices(void **state)
{
	size_t length;
	(void)state;
	char *text = file_read("/dev/null", &length);
	assert_non_null(text);
	assert_int_equal(length, 0);
	free(text);
	assert_null(file_read("/dev/zero", &length));
	assert_int_equal(errno, ENOTSUP);
}

/* A name that is only the suffix does not have it. */
static void test_suffix(void **state)
{
	(void)state;
	assert_true(file_has_suffix("a.yaml", 6, ".yaml"));
	assert_false(file_has_suffix("a.yam", 5, ".yaml"));
	assert_false(file_has_suffix(".yaml", 5, ".yaml"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_whole, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_permissions, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_no_place, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_abandoned, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_full_disk, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_link, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_others, make_folder, remove_folder),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_suffix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
