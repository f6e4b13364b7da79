/* Protects the memory limit of concurrent runs: nine tenths of the free memory of the host or of the control group,
 * whichever is less. */
#include "lab/host_memory.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

static char root[] = "/tmp/test_host_memory.XXXXXX";

/* Writes a file of the simulated /proc and /sys; NULL removes it. */
static void put(const char *name, const char *text)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", root, name);
	remove(path);
	if (!text)
		return;
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void check_free(const char *meminfo, const char *most, const char *used, uint64_t expected)
{
	put("proc/meminfo", meminfo);
	put("sys/fs/cgroup/memory.max", most);
	put("sys/fs/cgroup/memory.current", used);
	assert_int_equal(host_memory_free(root), expected);
}

static void the_lesser_counts(void **state)
{
	(void)state;
	const char *host = "MemTotal: 4000 kB\nMemFree: 10 kB\nMemAvailable:    1000 kB\nSwapFree: 5 kB\n";
	check_free(host, NULL, NULL, 921600);
	check_free(host, "max\n", "300\n", 921600);
	check_free(host, "500000\n", NULL, 921600);
	check_free(host, "500000\n", "300000\n", 180000);
	check_free(host, "50000000\n", "300000\n", 921600);
	check_free(host, "300000\n", "300001\n", 0); /* the group exceeds its limit */
}

static void unknown_is_no_limit(void **state)
{
	(void)state;
	check_free(NULL, NULL, NULL, UINT64_MAX);
	check_free("MemFree: 10 kB\n", "max\n", "1\n", UINT64_MAX);
	check_free(NULL, "1000\n", "400\n", 540);
}

static int make_root(void **state)
{
	(void)state;
	static const char *const folders[] = {"", "/proc", "/sys", "/sys/fs", "/sys/fs/cgroup"};
	if (!mkdtemp(root))
		return -1;
	for (size_t i = 1; i < sizeof folders / sizeof *folders; i++) {
		char path[PATH_MAX];
		snprintf(path, sizeof path, "%s%s", root, folders[i]);
		if (mkdir(path, 0777) != 0)
			return -1;
	}
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	static const char *const parts[] = {"/proc", "/sys/fs/cgroup", "/sys/fs", "/sys", ""};
	put("proc/meminfo", NULL);
	put("sys/fs/cgroup/memory.max", NULL);
	put("sys/fs/cgroup/memory.current", NULL);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char path[PATH_MAX];
		snprintf(path, sizeof path, "%s%s", root, parts[i]);
		if (remove(path) != 0)
			return -1;
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_lesser_counts), cmocka_unit_test(unknown_is_no_limit)};
	return cmocka_run_group_tests(tests, make_root, remove_root);
}
