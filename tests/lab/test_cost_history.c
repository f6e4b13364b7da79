/* Protects the expected cost of runs: the most similar past runs decide, with their mean seconds and largest memory.
 * Also protects how jobs_run() handles folders, memory and progress files. */
#include "lab/jobs.h"
#include "lab/cost_history.h"
#include "lab_kit.h"

static struct run_config config_of(const char *program, const char *arguments, const char *machine, const char *options)
{
	struct run_config config = lab_config(program);
	config.arguments = arguments;
	config.machine = machine;
	config.options = options;
	return config;
}

static void put(struct store *store, struct run_config config, const char *library, const char *verdict, double seconds,
                uint64_t peak)
{
	config.library = library;
	lab_put(store, &config,
	        (struct run_result){.verdict = verdict, .stats = "{}", .seconds = seconds, .peak = peak});
}

static void assert_expected(const struct cost_history *history, struct run_config config, double seconds, uint64_t peak)
{
	struct run_cost cost = cost_history_expect(history, &config);
	assert_true(cost.seconds > seconds - 1e-9 && cost.seconds < seconds + 1e-9);
	assert_int_equal(cost.peak, peak);
}

static void test_the_nearest_run_decides(void **state)
{
	char message[STORE_MESSAGE], *path = lab_temporary();
	struct store *store = store_open(path, false, message);
	(void)state;
	assert_non_null(store);
	put(store, config_of("a", "1", "m", "k=1"), "l1", "PASS", 10, 100);
	put(store, config_of("a", "1", "m", "k=1"), "l2", "PASS", 20, 50);
	/* from an older file without memory sizes */
	put(store, config_of("a", "1", "m", "k=2"), "l1", "PASS", 60, 0);
	put(store, config_of("a", "1", "other", "k=2"), "l1", "cut", 2, 7);
	put(store, config_of("a", "9", "m", "k=1"), "l1", "PASS", 408, 300);
	put(store, config_of("a", "9", "m", "k=1"), "l1", "PASS", 408, 300); /* replaces the first */
	put(store, config_of("a", "1", "m", "k=3"), "l1", "FAIL: x", 1000, 1 << 20);
	struct cost_history *history = cost_history_open(store, message);
	assert_non_null(history);
	assert_expected(history, config_of("a", "1", "m", "k=1"), 15, 100); /* the same run with other builds */
	/* other runs on this machine; failed runs do not count */
	assert_expected(history, config_of("a", "1", "m", "k=3"), 30, 100);
	assert_expected(history, config_of("a", "1", "m", "k=2"), 60, 100);     /* its own seconds, others' memory */
	assert_expected(history, config_of("a", "1", "third", "k=1"), 23, 100); /* on any machine */
	assert_expected(history, config_of("a", "2", "m", "k=1"), 100, 300);    /* with any arguments */
	assert_expected(history, config_of("b", "1", "m", "k=1"), 0, 0);
	struct run_config b = config_of("b", "1", "m", "k=1");
	cost_history_add(history, &b, (struct run_cost){5, 6});
	assert_expected(history, config_of("b", "7", "m", ""), 5, 6);
	cost_history_close(history);
	store_close(store);
	unlink(path);
	free(path);
}

/* The table grows and still finds all entries. */
static void test_many(void **state)
{
	char message[STORE_MESSAGE], *path = lab_temporary();
	struct store *store = store_open(path, false, message);
	struct cost_history *history = cost_history_open(store, message);
	(void)state;
	for (int i = 0; i < 5000; i++) {
		char program[16];
		snprintf(program, sizeof program, "p%d", i);
		struct run_config config = config_of(program, "", "m", "");
		cost_history_add(history, &config, (struct run_cost){i + 1, (uint64_t)i + 1});
	}
	for (int i = 0; i < 5000; i++) {
		char program[16];
		snprintf(program, sizeof program, "p%d", i);
		assert_expected(history, config_of(program, "x", "y", ""), i + 1, (uint64_t)i + 1);
	}
	cost_history_close(history);
	store_close(store);
	unlink(path);
	free(path);
}

enum { JOBS = 4 };
struct room {
	struct job *jobs;
	/* `most`: largest number of concurrent jobs. `asked_alone`: queries while no job ran; none are expected, since
	 * such a job always starts. */
	size_t most, asked_alone;
};

static size_t running(const struct room *room)
{
	size_t count = 0;
	for (size_t i = 0; i < JOBS; i++)
		count += room->jobs[i].started && !room->jobs[i].ended;
	return count;
}

static bool fits(void *context, size_t number)
{
	struct room *room = context;
	(void)number;
	room->asked_alone += running(room) == 0;
	return running(room) < 2;
}

static void look(void *context)
{
	struct room *room = context;
	size_t now = running(room);
	room->most = now > room->most ? now : room->most;
}

static void test_no_more_than_fit(void **state)
{
	static char *words[] = {"/bin/sh", "-c", "sleep 0.2; pwd; cat x; echo $SLUICE_PROGRESS_FILE", NULL};
	char folder[] = "/tmp/test_cost_history.XXXXXX", path[64];
	struct job jobs[JOBS] = {0};
	struct room room = {.jobs = jobs};
	const struct jobs_watch watch = {.context = &room, .fits = fits, .wait = look};
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/x", folder);
	FILE *file = fopen(path, "w");
	fputs("contents\n", file);
	fclose(file);
	for (size_t i = 0; i < JOBS; i++)
		jobs[i] = (struct job){.words = words, .folder = folder, .progress = "/some/file"};
	jobs_run(jobs, JOBS, JOBS, &watch);
	assert_int_equal(room.most, 2);
	assert_int_equal(room.asked_alone, 0);
	for (size_t i = 0; i < JOBS; i++) {
		assert_true(strncmp(jobs[i].output.bytes, folder, strlen(folder)) == 0);
		assert_non_null(strstr(jobs[i].output.bytes, "contents\n/some/file\n"));
		assert_true(jobs[i].peak > 100 << 10);
		job_free(&jobs[i]);
	}
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_nearest_run_decides),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_no_more_than_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
