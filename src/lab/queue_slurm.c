/* Makes runs as tasks of Slurm's job arrays. The tasks do not need this process: results are in records, submitted
 * runs are in batches and in squeue, and the next command of the same sweep finds both. */
#include "lab/batch.h"
#include "lab/queue.h"

#include "base/arena.h"
#include "lab/end_signals.h"
#include "lab/merge.h"
#include "lab/records.h"
#include "lab/run_journal.h"
#include "lab/slurm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT = 4096, FEWEST_TASKS = 32 };
static const double TASK_SECONDS = 20; /* target duration of a task, so that Slurm's own cost is small in comparison */
static const double LEAST_PAUSE = 0.3, MOST_PAUSE = 15, GRACE = 3;
static const double ASKING_SHARE = 20; /* queries to Slurm may take one part in this many of the time */
static const double MEMORY_ROOM = 1.3;

/* State of a run. */
struct slot {
	struct queued *queued;
	size_t batch, task;
	char job[SLURM_JOB]; /* of the array; "": unknown */
	size_t tries;    /* starts that ended without a result, since the last one that added a launch to the journal */
	size_t launches; /* in the run's journal when it was submitted */
	bool submitted, alive; /* alive: squeue listed its task at the last query */
	double missed;         /* when squeue first did not list it; 0: it is listed */
};

struct cluster {
	struct queue *queue;
	const struct slurm_way *way;
	char *folder, *script;
	struct slot *slots;  /* in the order of the queue */
	struct slot **by_id; /* sorted */
	size_t next_batch, array_limit, running, waiting;
	bool counts_memory; /* Slurm allocates memory, so tasks must request it */
	bool answers, told;
	struct end_signals signals;
};

static int by_id(const void *a, const void *b)
{
	const struct slot *const *first = a, *const *second = b;
	return strcmp((*first)->queued->id, (*second)->queued->id);
}

static struct slot *find_slot(const struct cluster *cluster, const char *id)
{
	struct queued key = {0};
	struct slot slot = {.queued = &key}, *wanted = &slot;
	snprintf(key.id, sizeof key.id, "%s", id);
	struct slot **found = bsearch(&wanted, cluster->by_id, cluster->queue->count, sizeof *cluster->by_id, by_id);
	return found ? *found : NULL;
}

/* ---- Records become results. */

static void told_record(void *context, const char *id, const struct run_result *result)
{
	struct cluster *cluster = context;
	struct slot *slot = find_slot(cluster, id);
	if (slot && !slot->queued->done)
		queue_ended(cluster->queue, slot->queued, result);
}

/* Returns false after a message. */
static bool collect(struct cluster *cluster)
{
	char message[STORE_MESSAGE];
	struct queue *queue = cluster->queue;
	if (records_collect(cluster->folder, queue->store, told_record, cluster, message))
		return true;
	queue_tell(queue, "%s; the runs' records stay in %s/records; the same command reads them", message,
	           queue->way->folder);
	queue->store_failed = true;
	return false;
}

/* ---- State of tasks in Slurm. */

static int by_place(const void *a, const void *b)
{
	const struct slot *const *first = a, *const *second = b;
	if ((*first)->batch != (*second)->batch)
		return (*first)->batch < (*second)->batch ? -1 : 1;
	return (*first)->task < (*second)->task ? -1 : (*first)->task > (*second)->task;
}

/* Slots by batch and task, for one answer of squeue. */
struct answer {
	struct cluster *cluster;
	struct slot **slots;
	size_t count;
};

/* After a node failure, Slurm waits two minutes before it restarts its tasks. Starts them now, unless the user has
 * set a begin time. */
static void begin_now(const struct cluster *cluster, const struct slurm_task *task)
{
	if (strcmp(task->state, "PENDING") != 0 || strcmp(task->reason, "BeginTime") != 0)
		return;
	for (size_t i = 0; i < cluster->way->options.count; i++)
		if (strncmp(cluster->way->options.word[i], "--begin", 7) == 0 ||
		    strncmp(cluster->way->options.word[i], "-b", 2) == 0)
			return;
	slurm_begin_task(task->job, task->task);
}

/* Slurm holds tasks that it could not start, without a time limit. */
static bool is_held(const struct slurm_task *task)
{
	return strstr(task->reason, "requeued held") || strcmp(task->reason, "JobHoldMaxRequeue") == 0;
}

static void take_task(void *context, const struct slurm_task *task)
{
	struct answer *answer = context;
	size_t low = 0, high = answer->count;
	if (is_held(task)) {
		slurm_cancel_task(task->job, task->task);
		return;
	}
	begin_now(answer->cluster, task);
	if (strcmp(task->state, "PENDING") == 0)
		answer->cluster->waiting++;
	else
		answer->cluster->running++;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct slot *slot = answer->slots[middle];
		if (slot->batch < task->batch || (slot->batch == task->batch && slot->task < task->task))
			low = middle + 1;
		else
			high = middle;
	}
	for (;
	     low < answer->count && answer->slots[low]->batch == task->batch && answer->slots[low]->task == task->task;
	     low++) {
		answer->slots[low]->alive = true;
		snprintf(answer->slots[low]->job, SLURM_JOB, "%s", task->job);
	}
}

/* Queries the unfinished tasks. Returns false when Slurm does not answer, which tells nothing about them. */
static bool ask(struct cluster *cluster)
{
	struct queue *queue = cluster->queue;
	struct answer answer = {.cluster = cluster, .slots = base_calloc(queue->count + 1, sizeof *answer.slots)};
	for (size_t i = 0; i < queue->count; i++) {
		struct slot *slot = &cluster->slots[i];
		slot->alive = false;
		if (slot->submitted && !slot->queued->done)
			answer.slots[answer.count++] = slot;
	}
	qsort(answer.slots, answer.count, sizeof *answer.slots, by_place);
	cluster->running = cluster->waiting = 0;
	cluster->answers = slurm_each(cluster->folder, take_task, &answer);
	free(answer.slots);
	if (!cluster->answers && !cluster->told)
		queue_tell(queue, "Slurm does not answer, squeue says why; waiting for it");
	cluster->told = !cluster->answers;
	return cluster->answers;
}

/* Returns the last part of a task's output, to be freed. */
static char *task_output(const struct cluster *cluster, const struct slot *slot)
{
	char path[PATH_MAX], name[SLURM_JOB + 24];
	char *text = base_calloc(1, OUTPUT + 1);
	snprintf(name, sizeof name, "%s_%zu", slot->job, slot->task);
	sweep_path(path, cluster->folder, "out", name);
	FILE *file = fopen(path, "r");
	if (!file)
		return text;
	if (fseek(file, -OUTPUT, SEEK_END) != 0)
		rewind(file);
	text[fread(text, 1, OUTPUT, file)] = '\0';
	fclose(file);
	return text;
}

/* The run has been started often enough: its end becomes its result. Returns false when the store failed. */
static bool give_up(struct cluster *cluster, struct slot *slot, const char *reason)
{
	char verdict[240], journal[96] = "", message[STORE_MESSAGE];
	struct queue *queue = cluster->queue;
	struct merge_count count = {0};
	char *output = task_output(cluster, slot);
	if (queue_keeps_journal(queue, slot->queued->planned))
		snprintf(journal, sizeof journal, " without another launch after the %zu in its journal",
		         slot->launches);
	snprintf(verdict, sizeof verdict, "FAIL: Slurm: %s, started %zu times%s%s", *reason ? reason : "its task ended",
	         slot->tries, journal, strcmp(reason, "TIMEOUT") == 0 ? "; give a longer --time and --retry" : "");
	const struct run_result result = {.verdict = verdict,
	                                  .output = output,
	                                  .stats = "",
	                                  .revision = queue->plan->source->revision,
	                                  .host = ""};
	bool fine = merge_run(queue->store, &slot->queued->planned->config, &result, &count, message);
	if (fine)
		queue_ended(queue, slot->queued, &result);
	else
		queue_tell(queue, "%s", message);
	queue->store_failed |= !fine;
	free(output);
	return fine;
}

/* Whether the run has added launches to its journal since it was submitted. Stores their number. */
static bool has_progressed(const struct cluster *cluster, struct slot *slot)
{
	if (!queue_keeps_journal(cluster->queue, slot->queued->planned))
		return false;
	size_t before = slot->launches;
	slot->launches = run_journal_launches(cluster->folder, slot->queued->id);
	return slot->launches > before;
}

/* A submitted run has all its tries. */
static void begin_journal(const struct cluster *cluster, struct slot *slot)
{
	struct run_cuts cuts = run_journal_cuts(cluster->folder, slot->queued->id);
	has_progressed(cluster, slot);
	if (!cuts.in_vain)
		return;
	cuts.in_vain = 0;
	run_journal_set_cuts(cluster->folder, slot->queued->id, &cuts);
}

/* Handles a run whose task has ended without a record. Returns false when the store failed. */
static bool lose(struct cluster *cluster, struct slot *slot)
{
	char reason[64] = "", path[PATH_MAX];
	const struct run_config *config = &slot->queued->planned->config;
	if (*slot->job)
		slurm_reason(slot->job, slot->task, reason);
	sweep_path(path, cluster->folder, "progress", slot->queued->id);
	unlink(path);
	slot->submitted = false;
	slot->missed = 0;
	slot->tries++;
	if (has_progressed(cluster, slot)) {
		slot->tries = 0;
		queue_tell(cluster->queue,
		           "task %s_%zu ended (%s) without a result of %s %s; it goes on from its "
		           "journal, after launch %zu",
		           *slot->job ? slot->job : "?", slot->task, *reason ? reason : "no reason given",
		           config->program, config->arguments, slot->launches);
		return true;
	}
	if (slot->tries >= cluster->way->tries)
		return give_up(cluster, slot, reason);
	queue_tell(cluster->queue, "task %s_%zu ended (%s) without a result of %s %s; starting try %zu of %zu",
	           *slot->job ? slot->job : "?", slot->task, *reason ? reason : "no reason given", config->program,
	           config->arguments, slot->tries + 1, cluster->way->tries);
	return true;
}

/* A record may appear a moment after its task has ended, because shared file systems show it late. */
static bool find_lost(struct cluster *cluster)
{
	double now = jobs_now();
	for (size_t i = 0; i < cluster->queue->count; i++) {
		struct slot *slot = &cluster->slots[i];
		if (slot->queued->done || !slot->submitted)
			continue;
		if (slot->alive)
			slot->missed = 0;
		else if (slot->missed <= 0)
			slot->missed = now;
		else if (now - slot->missed > GRACE && !lose(cluster, slot))
			return false;
	}
	return true;
}

/* ---- Batches submitted before. */

/* Waits for this time, or until a signal arrives. */
static void pause_for(struct cluster *cluster, double seconds)
{
	struct pollfd one = {.fd = cluster->signals.descriptor, .events = POLLIN};
	int signal = poll(&one, 1, (int)(seconds * 1000)) > 0 ? end_signals_next(&cluster->signals) : 0;
	if (signal)
		cluster->signals.caught = signal;
}

struct adoption {
	struct cluster *cluster;
	size_t batch;
};

static void adopt(void *context, const char *id, size_t task)
{
	const struct adoption *adoption = context;
	struct slot *slot = find_slot(adoption->cluster, id);
	if (!slot)
		return;
	slot->submitted = true;
	slot->batch = adoption->batch;
	slot->task = task;
}

static int is_batch(const struct dirent *entry)
{
	return strncmp(entry->d_name, "batch.", 6) == 0 && !entry->d_name[6 + strspn(entry->d_name + 6, "0123456789")];
}

/* Call when no task is left that could read the batches. */
static void forget_batches(const struct cluster *cluster)
{
	for (size_t batch = 0; batch < cluster->next_batch; batch++)
		batch_remove(cluster->folder, batch);
	records_forget_all(cluster->folder);
}

enum { LINGERING = 30 }; /* seconds that tasks may take to end after their last result */

/* All results are complete: clears the folder when Slurm has no more of its tasks. If that takes too long, the next
 * command does it. */
static void clear_batches(struct cluster *cluster)
{
	double until = jobs_now() + LINGERING;
	while (ask(cluster) && !cluster->signals.caught && (cluster->running || cluster->waiting) && jobs_now() < until)
		pause_for(cluster, LEAST_PAUSE);
	if (!cluster->answers || cluster->running || cluster->waiting)
		return;
	forget_batches(cluster);
	queue_forget_journals(cluster->queue, cluster->folder);
}

/* Takes over batches of an earlier command: waits for those of their runs that are still in Slurm. */
static void adopt_batches(struct cluster *cluster)
{
	struct dirent **entries = NULL;
	size_t adopted = 0;
	int count = scandir(cluster->folder, &entries, is_batch, versionsort);
	for (int i = 0; i < count; i++) {
		struct adoption adoption = {cluster, strtoull(entries[i]->d_name + 6, NULL, 10)};
		batch_each(cluster->folder, adoption.batch, adopt, &adoption);
		cluster->next_batch = adoption.batch + 1;
		free(entries[i]);
	}
	free(entries);
	while (count > 0 && !ask(cluster) && !cluster->signals.caught)
		pause_for(cluster, 1); /* submitting now would make every run twice */
	for (size_t i = 0; i < cluster->queue->count; i++) {
		struct slot *slot = &cluster->slots[i];
		slot->submitted &= slot->alive;
		adopted += slot->submitted;
	}
	if (adopted && !cluster->queue->way->quiet)
		queue_tell(cluster->queue, "%zu of the runs are already in Slurm", adopted);
	if (count > 0 && !cluster->running && !cluster->waiting)
		forget_batches(cluster);
}

/* ---- Submission. */

/* Returns the number of runs per task: enough to take about twenty seconds, but few enough to leave several tasks. */
static size_t per_task(const struct cluster *cluster, struct queued *const *runs, size_t count)
{
	double sum = 0;
	if (cluster->way->per_task)
		return cluster->way->per_task;
	for (size_t i = 0; i < count; i++) {
		double seconds = queue_expect(cluster->queue, runs[i]);
		if (seconds <= 0)
			return 1;
		sum += seconds;
	}
	double most = TASK_SECONDS / (sum / (double)count);
	size_t wanted = most < 1 ? 1 : (size_t)most, fair = count / FEWEST_TASKS;
	fair = fair ? fair : 1;
	return wanted < fair ? wanted : fair;
}

/* Returns the peak of the largest of them plus a margin; 0 when it is unknown for some. */
static uint64_t memory_of(const struct cluster *cluster, struct queued *const *runs, size_t count)
{
	uint64_t most = 0;
	if (cluster->queue->way->memory)
		return cluster->queue->way->memory;
	for (size_t i = 0; i < count && cluster->counts_memory; i++) {
		uint64_t peak = cost_history_expect(cluster->queue->history, &runs[i]->planned->config).peak;
		if (!peak)
			return 0;
		most = peak > most ? peak : most;
	}
	return (uint64_t)((double)most * MEMORY_ROOM) + (most ? 64u << 20 : 0);
}

/* Whether Slurm accepts no more at present, but will when something has ended. */
static bool is_full(const char *message)
{
	return strstr(message, "limit") || strstr(message, "Limit") || strstr(message, "temporarily") ||
	       strstr(message, "Temporarily") || strstr(message, "policy");
}

/* Returns false after a message: Slurm will never accept it. */
static bool refused(struct cluster *cluster, const char *message)
{
	if (is_full(message) && cluster->array_limit > 1) {
		cluster->array_limit /= 2;
		return true;
	}
	if (is_full(message) && cluster->running + cluster->waiting)
		return true;
	queue_tell(cluster->queue, "%s", message);
	return false;
}

/* Submits one array. Returns false when Slurm does not accept it; *goes_on is whether that may change. */
static bool submit_array(struct cluster *cluster, struct slot **slots, size_t count, size_t per, bool *goes_on)
{
	char job[SLURM_JOB] = "", message[SLURM_MESSAGE];
	struct queue *queue = cluster->queue;
	struct queued **runs = base_calloc(count, sizeof *runs);
	for (size_t i = 0; i < count; i++)
		runs[i] = slots[i]->queued;
	const struct slurm_array array = {.folder = cluster->folder,
	                                  .script = cluster->script,
	                                  .batch = cluster->next_batch,
	                                  .count = (count + per - 1) / per,
	                                  .memory = memory_of(cluster, runs, count),
	                                  .warning = queue->way->journal ? BATCH_WARNING : 0,
	                                  .options = &cluster->way->options};
	for (size_t i = 0; i < count; i++) {
		records_forget(cluster->folder, runs[i]->id);
		begin_journal(cluster, slots[i]);
	}
	bool written = batch_write(cluster->folder, array.batch, queue, runs, count, per);
	free(runs);
	*goes_on = true;
	if (!written) {
		queue_tell(queue, "cannot write %s/batch.%zu: %s", cluster->folder, array.batch, strerror(errno));
		*goes_on = false;
		return false;
	}
	if (!slurm_submit(&array, job, message)) {
		batch_remove(cluster->folder, array.batch);
		*goes_on = refused(cluster, message);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		slots[i]->submitted = slots[i]->alive = true;
		slots[i]->batch = array.batch;
		slots[i]->task = i / per;
		slots[i]->missed = 0;
		snprintf(slots[i]->job, SLURM_JOB, "%s", job);
	}
	cluster->next_batch++;
	if (!queue->way->quiet)
		queue_tell(queue, "job %s: %zu runs in %zu tasks", job, count, array.count);
	return true;
}

/* Submits all runs that are neither done nor in Slurm, in arrays as large as it accepts. Returns false after a
 * message. */
static bool submit(struct cluster *cluster)
{
	struct queue *queue = cluster->queue;
	struct slot **slots = base_calloc(queue->count + 1, sizeof *slots);
	struct queued **runs = base_calloc(queue->count + 1, sizeof *runs);
	size_t count = 0, done = 0;
	bool goes_on = true;
	for (size_t i = 0; i < queue->count; i++)
		if (!cluster->slots[i].queued->done && !cluster->slots[i].submitted) {
			runs[count] = cluster->slots[i].queued;
			slots[count++] = &cluster->slots[i];
		}
	size_t per = count ? per_task(cluster, runs, count) : 1, limit = cluster->array_limit;
	while (done < count && goes_on) {
		size_t most = cluster->array_limit * per, some = count - done < most ? count - done : most;
		if (submit_array(cluster, slots + done, some, per, &goes_on))
			done += some;
		else if (goes_on && cluster->array_limit == 1 && limit == 1)
			break; /* Slurm is full: try later */
		limit = cluster->array_limit;
	}
	free(slots);
	free(runs);
	return goes_on;
}

/* ---- The whole process. */

static bool write_script(struct cluster *cluster)
{
	const char *sluice = cluster->queue->plan->source->sluice;
	FILE *file = fopen(cluster->script, "w");
	if (!file)
		return false;
	fprintf(file, "#!/bin/sh\nexec '%s' sweep task '%s' \"$1\"\n", sluice, cluster->folder);
	return fclose(file) == 0 && chmod(cluster->script, 0777) == 0;
}

static void show(struct cluster *cluster)
{
	char text[64];
	struct queue *queue = cluster->queue;
	double spent = jobs_now() - queue->started;
	if (!queue_is_shown(queue))
		return;
	snprintf(text, sizeof text, "tasks, %zu wait", cluster->waiting);
	queue_show(queue, cluster->running, text,
	           queue->done ? spent / (double)queue->done * (double)(queue->count - queue->done) : -1);
}

/* Returns false after a message, or when the sweep was canceled or ended. */
static bool wait_for_all(struct cluster *cluster)
{
	struct queue *queue = cluster->queue;
	while (queue->done < queue->count) {
		double since = jobs_now();
		ask(cluster);
		double asked = jobs_now() - since, pause = asked * ASKING_SHARE;
		if (!collect(cluster))
			return false;
		if (sweep_is_canceled(cluster->folder)) {
			queue_tell(queue, "the sweep was canceled; the same command continues with the missing runs");
			return false;
		}
		if (cluster->answers && (!find_lost(cluster) || !submit(cluster)))
			return false;
		show(cluster);
		if (queue->done < queue->count)
			pause_for(cluster, pause < LEAST_PAUSE ? LEAST_PAUSE : pause > MOST_PAUSE ? MOST_PAUSE : pause);
		if (!cluster->signals.caught)
			continue;
		queue_tell(queue,
		           "the tasks continue in Slurm; the same command waits for them again, 'sluice sweep cancel "
		           "%s' ends them",
		           queue->way->folder);
		return false;
	}
	return true;
}

static bool begin(struct cluster *cluster)
{
	struct queue *queue = cluster->queue;
	char path[PATH_MAX];
	cluster->folder = realpath(queue->way->folder, NULL);
	if (!cluster->folder || strchr(cluster->folder, '\'') ||
	    asprintf(&cluster->script, "%s/task.sh", cluster->folder) < 0 || !write_script(cluster)) {
		queue_tell(queue, "cannot write the tasks' script into %s: %s", queue->way->folder, strerror(errno));
		return false;
	}
	cluster->slots = base_calloc(queue->count + 1, sizeof *cluster->slots);
	cluster->by_id = base_calloc(queue->count + 1, sizeof *cluster->by_id);
	for (size_t i = 0; i < queue->count; i++) {
		cluster->slots[i].queued = &queue->runs[i];
		cluster->by_id[i] = &cluster->slots[i];
	}
	qsort(cluster->by_id, queue->count, sizeof *cluster->by_id, by_id);
	sweep_path(path, cluster->folder, "canceled", "");
	unlink(path);
	const struct slurm_setup setup = slurm_setup();
	cluster->array_limit = setup.array_limit;
	cluster->counts_memory = setup.counts_memory;
	return true;
}

bool queue_run_slurm(struct queue *queue)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, 0};
	struct cluster cluster = {.queue = queue, .way = queue->way->slurm};
	bool fine = begin(&cluster);
	end_signals_catch(&cluster.signals, numbers);
	fine = fine && collect(&cluster);
	if (fine)
		adopt_batches(&cluster);
	fine = fine && !cluster.signals.caught && submit(&cluster);
	if (fine && !cluster.way->detached)
		fine = wait_for_all(&cluster);
	queue_clear_line(queue);
	if (fine && !cluster.way->detached)
		clear_batches(&cluster);
	free(cluster.folder);
	free(cluster.script);
	free(cluster.slots);
	free(cluster.by_id);
	end_signals_release(&cluster.signals);
	return fine;
}
