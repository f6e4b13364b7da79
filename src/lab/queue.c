#include "lab/queue.h"

#include "base/arena.h"
#include "base/diag.h"
#include "lab/run_journal.h"
#include "lab/run_record.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SHOWN_LINES = 8, KEPT_OUTPUT = 1 << 16 };
#define REDRAW_SECONDS 0.4

void queue_clear_line(struct queue *queue)
{
	if (queue->line_shown)
		fputs("\r\033[K", stderr);
	queue->line_shown = false;
}

void queue_tell(struct queue *queue, const char *format, ...)
{
	va_list arguments;
	queue_clear_line(queue);
	va_start(arguments, format);
	diag_say_list(queue->plan->source->command, format, arguments);
	va_end(arguments);
}

void queue_time_text(double seconds, char text[32])
{
	unsigned long whole = (unsigned long)(seconds + 0.5);
	if (whole < 100)
		snprintf(text, 32, "%lu s", whole);
	else if (whole < 100 * 60)
		snprintf(text, 32, "%lu min", (whole + 30) / 60);
	else
		snprintf(text, 32, "%lu h %02lu min", whole / 3600, whole % 3600 / 60);
}

bool queue_is_shown(const struct queue *queue)
{
	return queue->terminal && !queue->way->quiet &&
	       !(queue->line_shown && jobs_now() - queue->shown < REDRAW_SECONDS);
}

void queue_show(struct queue *queue, size_t running, const char *what, double left)
{
	char failed[32] = "", rest[48] = "", time[32];
	if (queue->failed)
		snprintf(failed, sizeof failed, ", %zu failed", queue->failed);
	if (left >= 0) {
		queue_time_text(left, time);
		snprintf(rest, sizeof rest, ", %s left", time);
	}
	queue_clear_line(queue);
	fprintf(stderr, "[%zu/%zu] %.0f s%s%s, %zu running: %s", queue->done, queue->count, jobs_now() - queue->started,
	        failed, rest, running, what);
	fflush(stderr);
	queue->line_shown = true;
	queue->shown = jobs_now();
}

static void describe(const struct run_config *config, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s%s%s on %s%s%s%s%s", config->program, *config->variant ? " " : "", config->variant,
	         *config->arguments ? " " : "", config->arguments, config->machine, *config->options ? " " : "",
	         config->options, *config->mechanisms ? " with " : "", config->mechanisms);
}

/* Returns the last lines of the text. */
static const char *last_lines(const char *text, size_t lines)
{
	const char *from = text + strlen(text);
	for (size_t found = 0; from > text; from--)
		if (from[-1] == '\n' && *from && ++found == lines)
			break;
	return from;
}

static void report(struct queue *queue, const struct run_config *config, const struct run_result *result)
{
	char text[512];
	bool passed = verdict_counts(result->verdict);
	if (queue->way->quiet && passed)
		return;
	describe(config, text, sizeof text);
	diag_hide_all(text);
	queue_clear_line(queue);
	fprintf(stderr, "[%zu/%zu] %s: %s, %.1f s\n", queue->done, queue->count, text, result->verdict,
	        result->seconds);
	const char *from = passed ? "" : last_lines(result->output, SHOWN_LINES);
	while (*from) {
		size_t length = strcspn(from, "\n");
		diag_continue("  %.*s", (int)length, from);
		from += length + (from[length] != '\0');
	}
}

void queue_ended(struct queue *queue, struct queued *queued, const struct run_result *result)
{
	bool passed = verdict_counts(result->verdict);
	queue->done += !queued->done;
	queued->done = true;
	queued->planned->failed = !passed;
	queue->failed += !passed;
	queue->spent += result->seconds;
	if (passed)
		cost_history_add(queue->history, &queued->planned->config,
		                 (struct run_cost){result->seconds, result->peak});
	report(queue, &queued->planned->config, result);
}

/* Returns the statistics without white space, to be freed, and their kind; NULL when they are not those of a whole
 * run. */
static char *compact(const struct job_text *stats, enum job_stats *are)
{
	json_t *root = json_loadb(stats->bytes ? stats->bytes : "", stats->length, 0, NULL);
	*are = job_stats_are(root);
	char *text = *are == JOB_STATS_NONE ? NULL : run_record_stats(root);
	json_decref(root);
	return text;
}

/* The end of a failed run's output, from the begin of a line on. */
static const char *kept_output(const struct job *job)
{
	if (!job->output.bytes)
		return "";
	if (job->output.length <= KEPT_OUTPUT)
		return job->output.bytes;
	const char *from = job->output.bytes + job->output.length - KEPT_OUTPUT, *line = strchr(from, '\n');
	return line ? line + 1 : from;
}

struct run_result queue_result(const struct job *job, const char *revision, const char *host, char **stats,
                               char room[96])
{
	enum job_stats are;
	*stats = compact(&job->stats, &are);
	const char *verdict = job_verdict(job, are, room);
	return (struct run_result){.verdict = verdict,
	                           .output = verdict_counts(verdict) ? "" : kept_output(job),
	                           .stats = *stats ? *stats : "",
	                           .revision = revision,
	                           .seconds = job->seconds,
	                           .peak = job->peak,
	                           .host = host};
}

bool queue_keeps_journal(const struct queue *queue, const struct planned *planned)
{
	return queue->way->journal && queue->way->folder && !planned->no_journal;
}

/* Whether a journal is that of a failed run of the plan. */
static bool is_of_failed(void *context, const char *id)
{
	const struct queue *queue = context;
	char own[SWEEP_ID];
	for (size_t i = 0; i < queue->plan->count; i++) {
		const struct planned *planned = &queue->plan->runs[i];
		if (!planned->failed)
			continue;
		sweep_id(&planned->config, own);
		if (strcmp(own, id) == 0)
			return true;
	}
	return false;
}

void queue_forget_journals(const struct queue *queue, const char *folder)
{
	run_journal_remove_all(folder, is_of_failed, (void *)queue);
}

const char *queue_changed_by_journal(const struct run_result *result)
{
	static const char mark[] = "\"in_turn\":\"a journal";
	return verdict_counts(result->verdict) && strstr(result->stats, mark)
	               ? "FAIL: it launches in several streams, which run in turn with a journal; leave out --journal"
	               : NULL;
}

bool queue_needs(const struct queue *queue, const struct planned *planned)
{
	char message[STORE_MESSAGE];
	const struct plan_way *way = queue->way;
	if (way->again)
		return true;
	/* finding a verdict does not read statistics */
	char *found = way->any_build ? store_find(queue->store, &planned->config, true, message)
	                             : store_verdict(queue->store, &planned->config, message);
	bool needs = !found || (!way->any_build && !verdict_counts(found));
	free(found);
	return needs;
}

static bool another_build_has(const struct queue *queue, const struct planned *planned)
{
	char message[STORE_MESSAGE];
	return !queue->way->again && store_has_of_any_build(queue->store, &planned->config, message);
}

static bool failed_before(const struct queue *queue, const struct planned *planned)
{
	char message[STORE_MESSAGE];
	char *verdict = store_verdict(queue->store, &planned->config, message);
	bool failed = verdict && !verdict_counts(verdict);
	free(verdict);
	return failed;
}

double queue_expect(const struct queue *queue, const struct queued *queued)
{
	double seconds = cost_history_expect(queue->history, &queued->planned->config).seconds;
	if (seconds > 0)
		return seconds;
	return queue->done ? queue->spent / (double)queue->done : 0;
}

static double length_of(const struct queued *queued)
{
	return queued->expected.seconds > 0 ? queued->expected.seconds : INFINITY;
}

/* Longest first, so that no long run remains at the end; runs of unknown length before all. */
static int by_length(const void *a, const void *b)
{
	const struct queued *first = a, *second = b;
	double left = length_of(first), right = length_of(second);
	if (left != right)
		return left < right ? 1 : -1;
	return first->planned < second->planned ? -1 : first->planned > second->planned;
}

bool queue_make(struct queue *queue, struct plan *plan, struct store *store, const struct plan_way *way)
{
	char message[STORE_MESSAGE];
	*queue = (struct queue){.plan = plan,
	                        .store = store,
	                        .way = way,
	                        .runs = base_calloc(plan->count + 1, sizeof *queue->runs),
	                        .started = jobs_now(),
	                        .terminal = isatty(STDERR_FILENO)};
	gethostname(queue->host, sizeof queue->host - 1);
	queue->history = cost_history_open(store, message);
	if (!queue->history) {
		queue_tell(queue, "%s", message);
		return false;
	}
	for (size_t i = 0; i < plan->count; i++) {
		struct planned *planned = &plan->runs[i];
		if (planned->facts)
			continue;
		planned->failed = way->keeps_failed && !way->again && failed_before(queue, planned);
		queue->failed_before += planned->failed;
		if (planned->failed)
			continue;
		if (!queue_needs(queue, planned)) {
			queue->there++;
			continue;
		}
		queue->of_other_builds += another_build_has(queue, planned);
		struct queued *queued = &queue->runs[queue->count++];
		*queued = (struct queued){.planned = planned,
		                          .expected = cost_history_expect(queue->history, &planned->config)};
		sweep_id(&planned->config, queued->id);
	}
	qsort(queue->runs, queue->count, sizeof *queue->runs, by_length);
	return true;
}

void queue_free(struct queue *queue)
{
	cost_history_close(queue->history);
	free(queue->runs);
}
