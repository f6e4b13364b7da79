/* Protects the queue's record of an ended run: the run counts once, and its stored output begins at the start of a
 * line. */
#include "lab/queue.h"

#include "base/arena.h"
#include "lab_kit.h"

enum { KEPT = 1 << 16 };

/* A cluster may report a run's end twice, first as lost and then with its record. The run counts as done once. */
static void test_counted_once(void **state)
{
	char message[STORE_MESSAGE], *path = lab_temporary();
	(void)state;
	struct store *store = store_open(path, false, message);
	assert_non_null(store);
	struct plan_source source = {.command = "test"};
	struct plan plan = {.source = &source};
	struct plan_way way = {.quiet = true};
	struct planned planned[2] = {{.config = lab_config("a")}};
	planned[1] = planned[0];
	struct queued runs[2] = {{.planned = &planned[0]}, {.planned = &planned[1]}};
	struct queue queue = {.plan = &plan,
	                      .store = store,
	                      .way = &way,
	                      .history = cost_history_open(store, message),
	                      .runs = runs,
	                      .count = 2};
	assert_non_null(queue.history);
	const struct run_result lost = {.verdict = "FAIL: lost", .output = "", .stats = ""};
	const struct run_result passed = {.verdict = "PASS", .output = "", .stats = "{}", .seconds = 4};
	queue_ended(&queue, &runs[0], &lost);
	queue_ended(&queue, &runs[0], &passed);
	assert_int_equal(queue.done, 1);
	assert_false(planned[0].failed);
	queue_ended(&queue, &runs[1], &passed);
	assert_int_equal(queue.done, 2);
	cost_history_close(queue.history);
	store_close(store);
	unlink(path);
	free(path);
}

/* Returns the stored output of a failed job that printed `lines` lines of `width` letters and a newline. */
static char *kept(size_t lines, size_t width, size_t *length)
{
	struct job job = {.status = 1 << 8};
	char room[96], *stats;
	job.output.length = lines * (width + 1);
	job.output.bytes = base_malloc(job.output.length + 1);
	for (size_t i = 0; i < job.output.length; i++)
		job.output.bytes[i] = i % (width + 1) == width ? '\n' : (char)('a' + i / (width + 1) % 26);
	job.output.bytes[job.output.length] = '\0';
	struct run_result result = queue_result(&job, "", "", &stats, room);
	char *text = base_strdup(result.output);
	*length = strlen(text);
	free(stats);
	free(job.output.bytes);
	return text;
}

static void test_whole_lines(void **state)
{
	size_t length;
	(void)state;
	for (size_t width = 10; width < 40; width++) {
		size_t lines = 2 * KEPT / (width + 1);
		char *text = kept(lines, width, &length);
		assert_int_equal(length % (width + 1), 0); /* whole lines only */
		assert_true(length <= KEPT && length > KEPT - width - 2);
		free(text);
	}
	char *all = kept(4, 10, &length); /* short output is stored in full */
	assert_int_equal(length, 44);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counted_once),
		cmocka_unit_test(test_whole_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
