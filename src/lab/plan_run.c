/* The missing runs of a plan: their expected cost, and their execution. */
#include "lab/queue.h"

#include "lab/host_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Expected cost of the runs by their cost history, which exists for `known` of them. */
struct foreseen {
	double seconds, longest;
	uint64_t peak; /* of the largest */
	size_t known;
};

static struct foreseen foresee(const struct queue *queue)
{
	struct foreseen all = {0};
	for (size_t i = 0; i < queue->count; i++) {
		const struct run_cost *cost = &queue->runs[i].expected;
		all.known += cost->seconds > 0;
		all.seconds += cost->seconds;
		all.longest = cost->seconds > all.longest ? cost->seconds : all.longest;
		all.peak = cost->peak > all.peak ? cost->peak : all.peak;
	}
	return all;
}

/* Returns how many of the largest run fit at a time. */
static size_t fitting(const struct queue *queue, const struct foreseen *all)
{
	uint64_t memory = queue->way->memory ? queue->way->memory : host_memory_free("");
	size_t most = all->peak ? (size_t)(memory / all->peak) : queue->way->parallel;
	most = most ? most : 1;
	return most < queue->way->parallel ? most : queue->way->parallel;
}

static void print_foreseen(const struct queue *queue, const struct foreseen *all, FILE *file)
{
	char time[32], longest[32];
	if (!queue->count)
		return;
	if (!all->known) {
		fputs("  the expected time is not known: no similar run is stored\n", file);
		return;
	}
	size_t parallel = fitting(queue, all);
	double whole = all->seconds / (double)all->known * (double)queue->count;
	double together = whole / (double)parallel;
	queue_time_text(together > all->longest ? together : all->longest, time);
	queue_time_text(all->longest, longest);
	if (queue->way->slurm) {
		queue_time_text(whole, time);
		fprintf(file, "  about %s of processor time, the longest run %s", time, longest);
	} else {
		fprintf(file, "  about %s with %zu at a time, the longest run %s", time, parallel, longest);
	}
	fprintf(file, ", estimated from earlier runs of %s\n", all->known == queue->count ? "each" : "some");
	if (all->known < queue->count)
		fprintf(file, "  %zu have no similar earlier run and count as the mean of the others\n",
		        queue->count - all->known);
	if (all->peak)
		fprintf(file, "  the largest run used %.2f GiB\n", (double)all->peak / (1 << 30));
}

bool plan_foresee(struct plan *plan, struct store *store, const struct plan_way *way, FILE *file)
{
	struct queue queue;
	bool fine = queue_make(&queue, plan, store, way);
	if (fine) {
		const struct foreseen all = foresee(&queue);
		fprintf(file, "%zu run%s: %zu stored, ", plan->count, plan->count == 1 ? "" : "s", queue.there);
		if (queue.failed_before)
			fprintf(file, "%zu failed (--retry reruns them), ", queue.failed_before);
		fprintf(file, "%zu to run\n", queue.count);
		print_foreseen(&queue, &all, file);
	}
	queue_free(&queue);
	return fine;
}

/* Writes the list by which other processes see the sweep's progress. */
static bool write_list(const struct queue *queue)
{
	struct timeval now;
	gettimeofday(&now, NULL);
	char *results = realpath(queue->way->results, NULL); /* for readers in another folder */
	struct sweep_head head = {.engine = queue->way->slurm ? "slurm" : "local",
	                          .pid = getpid(),
	                          .started = (double)now.tv_sec,
	                          .runs = queue->plan->count,
	                          .parallel = queue->way->parallel};
	snprintf(head.results, sizeof head.results, "%s", results ? results : queue->way->results);
	snprintf(head.host, sizeof head.host, "%s", queue->host);
	free(results);
	struct sweep_list *list = sweep_list_begin(queue->way->folder, &head);
	for (size_t i = 0; list && i < queue->plan->count; i++) {
		const struct planned *planned = &queue->plan->runs[i];
		struct sweep_run run = {.config = planned->config,
		                        .expected = cost_history_expect(queue->history, &planned->config)};
		sweep_id(&planned->config, run.id);
		if (!planned->facts)
			sweep_list_add(list, &run);
	}
	return list && sweep_list_end(list);
}

/* Tells which runs keep no journal. */
static void tell_no_journal(struct queue *queue)
{
	const char *reason = NULL;
	size_t count = 0;
	for (size_t i = 0; i < queue->count && queue->way->journal; i++) {
		const char *own = queue->runs[i].planned->no_journal;
		count += own != NULL;
		reason = reason ? reason : own;
	}
	if (count)
		queue_tell(queue, "%zu of the runs keep no journal: %s", count, reason);
}

static bool go(struct queue *queue)
{
	struct sweep_folder folder = {.lock = -1};
	const char *path = queue->way->folder;
	bool fine = !path || sweep_folder_open(&folder, path, queue->plan->source->command);
	if (fine && path && !write_list(queue)) {
		queue_tell(queue, "cannot write %s/runs: %s", path, strerror(errno));
		fine = false;
	}
	if (fine && queue->way->slurm)
		fine = queue_run_slurm(queue);
	else if (fine)
		queue_run_local(queue);
	sweep_folder_close(&folder);
	return fine;
}

int plan_run(struct plan *plan, struct store *store, const struct plan_way *way)
{
	struct queue queue;
	bool fine = queue_make(&queue, plan, store, way);
	if (fine && !way->quiet && queue.count)
		fprintf(stderr, "%zu run%s, %zu of them missing\n", plan->count, plan->count == 1 ? "" : "s",
		        queue.count);
	if (fine && !way->quiet && queue.of_other_builds)
		queue_tell(&queue, "another build has made %zu of the missing; --any-build takes its results",
		           queue.of_other_builds);
	if (fine && !way->quiet && queue.failed_before)
		queue_tell(&queue,
		           queue.failed_before == 1 ? "%zu run failed before; --retry reruns it"
		                                    : "%zu runs failed before; --retry reruns them",
		           queue.failed_before);
	if (fine)
		tell_no_journal(&queue);
	if (fine && (queue.count || way->folder))
		fine = go(&queue);
	int failed = (int)(queue.failed + queue.failed_before);
	fine = fine && !queue.store_failed;
	queue_free(&queue);
	return fine ? failed : -1;
}
