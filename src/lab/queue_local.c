/* Makes runs as local processes, with a progress line. */
#include "lab/queue.h"

#include "base/arena.h"
#include "base/diag.h"
#include "lab/host_memory.h"
#include "lab/inputs.h"
#include "lab/run_journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 100 };

struct local {
	struct queue *queue;
	struct job *jobs;   /* in the order of the queue's runs */
	const char *folder; /* of the sweep, or NULL */
	uint64_t memory;    /* bytes that all may use together */
	uint64_t guess;     /* estimate for a run without cost history: the peak of the largest ended run */
};

static bool is_running(const struct job *job)
{
	return job->started && !job->ended;
}

static uint64_t peak_of(const struct local *local, size_t number)
{
	uint64_t known = cost_history_expect(local->queue->history, &local->queue->runs[number].planned->config).peak;
	return known ? known : local->guess;
}

static bool fits(void *context, size_t number)
{
	const struct local *local = context;
	uint64_t sum = peak_of(local, number);
	for (size_t i = 0; i < local->queue->count; i++)
		if (is_running(&local->jobs[i]))
			sum += peak_of(local, i);
	return sum <= local->memory;
}

/* Returns the seconds until all have ended, by the cost history; less than 0 when it is unknown. */
static double left(const struct local *local)
{
	double sum = 0, longest = 0;
	for (size_t i = 0; i < local->queue->count; i++) {
		const struct job *job = &local->jobs[i];
		if (local->queue->runs[i].done)
			continue;
		double seconds = queue_expect(local->queue, &local->queue->runs[i]);
		if (seconds <= 0)
			return -1;
		seconds -= is_running(job) ? jobs_now() - job->since : 0;
		sum += seconds > 0 ? seconds : 0;
		longest = seconds > longest ? seconds : longest;
	}
	sum /= (double)local->queue->way->parallel;
	return sum > longest ? sum : longest;
}

/* "saxpy plain 12 s kernel 3 block 40 of 80" */
static void say_where(const struct local *local, size_t number, char *text, size_t size)
{
	const struct run_config *config = &local->queue->runs[number].planned->config;
	const char *folder = local->queue->way->folder;
	struct sweep_progress progress;
	int length = snprintf(text, size, "%s%s%s %.0f s", config->program, *config->variant ? " " : "",
	                      config->variant, jobs_now() - local->jobs[number].since);
	if (folder && (size_t)length < size && sweep_progress_read(folder, local->queue->runs[number].id, &progress) &&
	    progress.kernel)
		snprintf(text + length, size - (size_t)length, " kernel %llu block %llu of %llu", progress.kernel,
		         progress.blocks_done, progress.blocks);
	diag_hide_all(text);
}

static void show_progress(void *context)
{
	struct local *local = context;
	char text[LINE] = "";
	size_t running = 0;
	if (!queue_is_shown(local->queue))
		return;
	for (size_t i = 0; i < local->queue->count; i++) {
		size_t length = strlen(text);
		if (!is_running(&local->jobs[i]))
			continue;
		if (running++ && length + 2 < sizeof text) {
			strcpy(text + length, ", ");
			length += 2;
		}
		say_where(local, i, text + length, sizeof text - length);
	}
	queue_show(local->queue, running, text, left(local));
}

/* Creates a separate folder for a run with files. Returns false after a message. */
static bool lay_files(struct local *local, size_t number)
{
	const struct queued *queued = &local->queue->runs[number];
	const struct words *files = queued->planned->files;
	if (!files)
		return true;
	local->jobs[number].folder = inputs_lay_new(queued->id, files);
	if (!local->jobs[number].folder)
		queue_tell(local->queue, "cannot put the files of %s into a folder: %s",
		           queued->planned->config.program, strerror(errno));
	return local->jobs[number].folder;
}

static bool is_needed(void *context, size_t number)
{
	struct local *local = context;
	bool needed = queue_needs(local->queue, local->queue->runs[number].planned) && lay_files(local, number);
	if (needed && local->jobs[number].progress)
		sweep_progress_begin(local->jobs[number].progress);
	return needed;
}

static bool keep_result(struct queue *queue, const struct run_config *config, const struct run_result *result)
{
	char message[STORE_MESSAGE];
	if (store_put(queue->store, config, result, message))
		return true;
	queue_tell(queue, "%s", message);
	queue->store_failed = true;
	return false;
}

static void give_back(struct local *local, size_t number)
{
	struct job *job = &local->jobs[number];
	if (job->words && job->words != local->queue->runs[number].planned->words)
		free(job->words);
	job->words = NULL;
	if (job->folder)
		inputs_remove(job->folder);
	if (job->progress)
		unlink(job->progress);
	free((char *)job->folder);
	free((char *)job->progress);
	job->folder = job->progress = NULL;
	job_free(job);
}

static bool run_ended(void *context, size_t number)
{
	struct local *local = context;
	struct queue *queue = local->queue;
	struct queued *queued = &queue->runs[number];
	struct job *job = &local->jobs[number];
	char room[96], *stats = NULL;
	bool kept = true;
	if (job->started || job->error) {
		struct run_result result = queue_result(job, queue->plan->source->revision, queue->host, &stats, room);
		if (queue_keeps_journal(queue, queued->planned) && queue_changed_by_journal(&result))
			result.verdict = queue_changed_by_journal(&result);
		kept = job_was_interrupted(job) || keep_result(queue, &queued->planned->config, &result);
		local->guess = job->peak > local->guess ? job->peak : local->guess;
		if (kept)
			queue_ended(queue, queued, &result);
		if (kept && local->folder && !job_was_ended(job))
			run_journal_remove(local->folder, queued->id);
		free(stats);
	} else {
		queue->done++;
		queued->done = true;
	}
	give_back(local, number);
	return kept;
}

/* Returns the path of a run's progress file. An old one, left by an earlier sweep that was killed, is deleted. */
static const char *progress_path(const char *folder, const char *id)
{
	char *path;
	if (asprintf(&path, "%s/progress/%s", folder, id) < 0)
		abort();
	unlink(path);
	return path;
}

void queue_run_local(struct queue *queue)
{
	const struct plan_way *way = queue->way;
	struct local local = {.queue = queue,
	                      .jobs = base_calloc(queue->count + 1, sizeof *local.jobs),
	                      .memory = way->memory ? way->memory : host_memory_free("")};
	const struct jobs_watch watch = {
		.context = &local, .needed = is_needed, .fits = fits, .ended = run_ended, .wait = show_progress};
	char *folder = way->folder ? realpath(way->folder, NULL) : NULL;
	local.folder = folder;
	for (size_t i = 0; i < queue->count; i++) {
		const struct planned *planned = queue->runs[i].planned;
		local.jobs[i].words = folder && queue_keeps_journal(queue, planned)
		                              ? run_journal_words(planned->words, folder, queue->runs[i].id)
		                              : planned->words;
		local.jobs[i].quiet = queue->runs[i].planned->own;
		if (folder)
			local.jobs[i].progress = progress_path(folder, queue->runs[i].id);
	}
	jobs_run(local.jobs, queue->count, way->parallel, &watch);
	queue_clear_line(queue);
	for (size_t i = 0; i < queue->count; i++)
		give_back(&local, i);
	if (folder && queue->done == queue->count)
		queue_forget_journals(queue, folder);
	free(local.jobs);
	free(folder);
}
