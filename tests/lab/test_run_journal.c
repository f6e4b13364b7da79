/* Protects the journals of a sweep's runs: a run's command line, its launches, the starts that a time limit has cut, an
 * open journal, and which journals are removed. */
#include "lab/run_journal.h"

#include "lab/sweep_folder.h"
#include "lab_kit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

static char folder[] = "/tmp/sluice-test-journal.XXXXXX";
static const char one[] = "0123456789abcdef", other[] = "fedcba9876543210";

static int set_up(void **state)
{
	char path[PATH_MAX];
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	sweep_path(path, folder, "journals", "");
	return mkdir(path, 0777);
}

static int take_down(void **state)
{
	char command[128];
	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

/* Creates the journal with an empty file. */
static void put(const char *id, const char *name)
{
	char journal[PATH_MAX], path[PATH_MAX];
	sweep_path(journal, folder, "journals", id);
	mkdir(journal, 0777);
	sweep_path(path, journal, name, "");
	int file = open(path, O_WRONLY | O_CREAT, 0666);
	assert_true(file >= 0);
	close(file);
}

static void test_words(void **state)
{
	char *words[] = {"/bin/sluice", "run", "-m", "gtx480", "--", "./a", "--resume", NULL}, path[PATH_MAX];
	(void)state;
	sweep_path(path, folder, "journals", one);
	char **line = run_journal_words(words, folder, one);
	const char *const expected[] = {words[0], words[1], "--journal", path,     "--resume", words[2],
	                                words[3], words[4], words[5],    words[6], NULL};
	for (size_t i = 0; expected[i]; i++)
		assert_string_equal(line[i], expected[i]);
	assert_null(line[10]);
	free(line);
}

static void test_launches(void **state)
{
	(void)state;
	assert_int_equal(run_journal_launches(folder, one), 0);
	put(one, "00000001.launch");
	put(one, "00000002.launch");
	put(one, "00000003.launch.x7Yq2z"); /* not complete */
	put(one, "setup");
	put(other, "00000001.launch");
	assert_int_equal(run_journal_launches(folder, one), 2);
}

static void test_cuts(void **state)
{
	(void)state;
	struct run_cuts cuts = run_journal_cuts(folder, one);
	assert_true(cuts.in_vain == 0 && cuts.seconds <= 0);
	cuts = (struct run_cuts){2, 12.5};
	assert_true(run_journal_set_cuts(folder, one, &cuts));
	cuts = run_journal_cuts(folder, one);
	assert_true(cuts.in_vain == 2 && cuts.seconds > 12.4 && cuts.seconds < 12.6);
	assert_int_equal(run_journal_cuts(folder, other).in_vain, 0);
	assert_false(run_journal_set_cuts("/nowhere", one, &cuts));
}

static void test_open(void **state)
{
	char journal[PATH_MAX], path[PATH_MAX];
	(void)state;
	assert_false(run_journal_is_open(folder, one));
	put(one, "lock");
	sweep_path(journal, folder, "journals", one);
	sweep_path(path, journal, "lock", "");
	int file = open(path, O_RDWR);
	assert_int_equal(flock(file, LOCK_EX), 0);
	assert_true(run_journal_is_open(folder, one));
	close(file);
	assert_false(run_journal_is_open(folder, one));
}

static bool is_one(void *context, const char *id)
{
	(void)context;
	return strcmp(id, one) == 0;
}

static bool is_none(void *context, const char *id)
{
	(void)context;
	(void)id;
	return false;
}

static void test_removed(void **state)
{
	const struct run_cuts cuts = {1, 1};
	(void)state;
	assert_true(run_journal_set_cuts(folder, other, &cuts));
	run_journal_remove_all(folder, is_one, NULL);
	assert_int_equal(run_journal_launches(folder, one), 2);
	assert_int_equal(run_journal_cuts(folder, one).in_vain, 2);
	assert_int_equal(run_journal_launches(folder, other), 0);
	assert_int_equal(run_journal_cuts(folder, other).in_vain, 0);
	run_journal_remove_all(folder, is_none, NULL);
	char path[PATH_MAX];
	sweep_path(path, folder, "journals", "");
	assert_int_equal(rmdir(path), 0); /* it is empty */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words), cmocka_unit_test(test_launches), cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_open),  cmocka_unit_test(test_removed),
	};
	return cmocka_run_group_tests(tests, set_up, take_down);
}
