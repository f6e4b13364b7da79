/* The missing runs of a plan, with a progress display. */
#include "lab/jobs.h"
#include "lab/plan.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_LINES = 8, LINE = 100 };
#define REDRAW_SECONDS 0.4

struct progress {
	struct plan *plan;
	struct store *store;
	const struct plan_way *way;
	struct planned **missing;
	struct job *jobs;
	size_t count, done, failed;
	double started, shown; /* when the line was drawn last */
	bool terminal, line_shown, store_failed;
};

static void clear_line(struct progress *progress)
{
	if (progress->line_shown)
		fputs("\r\033[K", stderr);
	progress->line_shown = false;
}

static void describe(const struct run_config *config, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s%s%s on %s%s%s%s%s", config->program, *config->variant ? " " : "", config->variant,
	         *config->arguments ? " " : "", config->arguments, config->machine, *config->options ? " " : "",
	         config->options, *config->mechanisms ? " with " : "", config->mechanisms);
}

/* One line that says how far it is: on a terminal only. */
static void show_progress(void *context)
{
	struct progress *progress = context;
	char text[LINE] = "";
	size_t running = 0;
	if (!progress->terminal || progress->way->quiet ||
	    (progress->line_shown && jobs_now() - progress->shown < REDRAW_SECONDS))
		return;
	for (size_t i = 0; i < progress->count; i++) {
		const struct job *job = &progress->jobs[i];
		const struct run_config *config = &progress->missing[i]->config;
		size_t length = strlen(text);
		if (!job->started || job->ended)
			continue;
		snprintf(text + length, sizeof text - length, "%s%s %s %.0f s", running++ ? ", " : "", config->program,
		         config->variant, jobs_now() - job->since);
	}
	clear_line(progress);
	fprintf(stderr, "[%zu/%zu] %.0f s, %zu running: %s", progress->done, progress->count,
	        jobs_now() - progress->started, running, text);
	fflush(stderr);
	progress->line_shown = true;
	progress->shown = jobs_now();
}

/* Another process may have made it meanwhile. */
static bool is_missing(const struct progress *progress, const struct planned *planned)
{
	char message[STORE_MESSAGE];
	char *stats = store_find(progress->store, &planned->config, progress->way->any_build, message);
	free(stats);
	return !stats;
}

static bool is_needed(void *context, size_t number)
{
	struct progress *progress = context;
	return progress->way->again || is_missing(progress, progress->missing[number]);
}

/* The statistics without white space, from malloc; NULL when they are not those of a whole run. And what they are. */
static char *compact(const struct job_text *stats, enum job_stats *are)
{
	json_t *root = json_loadb(stats->bytes ? stats->bytes : "", stats->length, 0, NULL);
	*are = job_stats_are(root);
	char *text = *are == JOB_STATS_NONE ? NULL : json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(12));
	json_decref(root);
	return text;
}

static void report(struct progress *progress, const struct run_config *config, const struct job *job,
                   const char *verdict)
{
	char text[512];
	bool passed = verdict_counts(verdict);
	if (progress->way->quiet && passed)
		return;
	describe(config, text, sizeof text);
	clear_line(progress);
	fprintf(stderr, "[%zu/%zu] %s: %s, %.1f s\n", progress->done, progress->count, text, verdict, job->seconds);
	const char *from = passed ? "" : job_last_lines(job, SHOWN_LINES);
	while (*from) {
		size_t length = strcspn(from, "\n");
		fprintf(stderr, "    %.*s\n", (int)length, from);
		from += length + (from[length] != '\0');
	}
}

static bool keep(struct progress *progress, const struct run_config *config, const struct run_result *result)
{
	char message[STORE_MESSAGE];
	if (store_put(progress->store, config, result, message))
		return true;
	clear_line(progress);
	fprintf(stderr, "%s: %s\n", progress->plan->source->command, message);
	progress->store_failed = true;
	return false;
}

static bool run_ended(void *context, size_t number)
{
	struct progress *progress = context;
	struct planned *planned = progress->missing[number];
	struct job *job = &progress->jobs[number];
	char room[96];
	bool kept = true;
	progress->done++;
	if (job->started || job->error) {
		enum job_stats are;
		char *stats = compact(&job->stats, &are);
		const char *verdict = job_verdict(job, are, room);
		planned->failed = !verdict_counts(verdict);
		progress->failed += planned->failed;
		const struct run_result result = {.verdict = verdict,
		                                  .output = planned->failed ? job_last_lines(job, SHOWN_LINES) : "",
		                                  .stats = stats ? stats : "",
		                                  .revision = progress->plan->source->revision,
		                                  .seconds = job->seconds};
		kept = job_was_interrupted(job) || keep(progress, &planned->config, &result);
		if (kept)
			report(progress, &planned->config, job, verdict);
		free(stats);
	}
	job_free(job);
	return kept;
}

int plan_run(struct plan *plan, struct store *store, const struct plan_way *way)
{
	struct progress progress = {.plan = plan,
	                            .store = store,
	                            .way = way,
	                            .missing = xcalloc(plan->count + 1, sizeof *progress.missing),
	                            .jobs = xcalloc(plan->count + 1, sizeof *progress.jobs),
	                            .started = jobs_now(),
	                            .terminal = isatty(STDERR_FILENO)};
	const struct jobs_watch watch = {
		.context = &progress, .needed = is_needed, .ended = run_ended, .wait = show_progress};
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->runs[i].facts || (!way->again && !is_missing(&progress, &plan->runs[i])))
			continue;
		progress.jobs[progress.count].words = plan->runs[i].words;
		progress.jobs[progress.count].quiet = plan->runs[i].own;
		progress.missing[progress.count++] = &plan->runs[i];
	}
	if (!way->quiet && progress.count)
		fprintf(stderr, "%zu run%s, of which %zu missing\n", plan->count, plan->count == 1 ? "" : "s",
		        progress.count);
	jobs_run(progress.jobs, progress.count, way->parallel, &watch);
	clear_line(&progress);
	for (size_t i = 0; i < progress.count; i++)
		job_free(&progress.jobs[i]);
	free(progress.jobs);
	free(progress.missing);
	return progress.store_failed ? -1 : (int)progress.failed;
}
