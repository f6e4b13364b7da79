/* Protects files that grow while kernels run. If the first write fails, the old file stays and no temporary file
 * remains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "output/append_file.h"
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[] = "/tmp/test_append_file.XXXXXX";
static char path[PATH_MAX];

static bool open_kept(struct append_file *kept, const char *begin, const char *closing)
{
	struct piece piece;
	piece_open(&piece);
	fputs(begin, piece.file);
	return append_file_open(kept, path, &piece, closing);
}

static void add(struct append_file *kept, const char *text)
{
	struct piece piece;
	piece_open(&piece);
	fputs(text, piece.file);
	append_file_add(kept, &piece);
}

static void check_content(const char *expected)
{
	size_t length;
	char *text = file_read(path, &length);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void grows_behind_what_stays(void **state)
{
	(void)state;
	struct append_file kept;
	assert_true(open_kept(&kept, "[1", "]\n"));
	check_content("[1]\n");
	add(&kept, ", 2");
	check_content("[1, 2]\n");
	assert_true(append_file_is_ours(&kept));
	assert_true(append_file_sync(&kept));
	append_file_close(&kept);
}

/* A file size limit of 8 bytes stands for a full disk. */
static void full_disk_leaves_the_old_file(void **state)
{
	(void)state;
	struct append_file kept = {0};
	struct rlimit before, limit;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 8;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	errno = 0;
	bool opened = open_kept(&kept, "more than eight bytes", "]\n");
	int error = errno;
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, handler);
	assert_false(opened);
	assert_int_equal(error, EFBIG);
	assert_null(kept.path);
	check_content("[1, 2]\n"); /* written by the previous test */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0); /* the folder is empty */
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/kept", folder);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(grows_behind_what_stays),
	                                   cmocka_unit_test(full_disk_leaves_the_old_file)};
	return cmocka_run_group_tests(tests, make_folder, NULL);
}
