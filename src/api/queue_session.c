/* Launches that run at the same time: a session of the machine, or functional launches that take turns. */
#include "api/queue.h"

#include "api/launch.h"
#include "base/host_clock.h"
#include "gpu/stats.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Completes the record of a launch whose grid has ended. */
static void launch_ended(sluice_gpu *gpu, struct work *work, const struct sluice_error *error)
{
	launch_end_record(work->launch, error);
	work->state = error ? WORK_ENDED : WORK_STAYS;
	if (error)
		return;
	queue_add_waiting(work);
	queue_end(gpu, work, gpu_core_cycle(gpu->gpu));
}

/* A session that has no kernel left ends. */
static bool takes_work(const struct queue *queue)
{
	return queue->status == SLUICE_OK && (queue->session.running || queue->session.begins);
}

/* The next launch that starts in this session, with its record begun; NULL: none. */
static struct work *start_next(sluice_gpu *gpu, bool has_room)
{
	struct queue *queue = &gpu->queue;
	struct queue_session *session = &queue->session;
	session->has_new = false;
	if (!takes_work(queue))
		return NULL;
	struct work *work = queue_next(gpu);
	if (!work || !has_room)
		return NULL;
	queue_begin(queue, work);
	queue_accept_children(work);
	session->begins = false;
	session->running++;
	launch_begin_record(work->launch);
	return work;
}

static struct work *work_of(const struct simt_launch *launch)
{
	return ((const struct device_runtime *)launch->user)->work;
}

/* --- in cycles --- */

static struct gpu_run *next_run(void *user, bool has_room)
{
	sluice_gpu *gpu = user;
	struct work *work = start_next(gpu, has_room);
	if (!work)
		return NULL;
	gpu->records.record[work->launch->number].session = gpu->queue.session.record + 1;
	return work->launch->run;
}

static uint64_t next_copy(void *user)
{
	const struct queue *queue = &((const sluice_gpu *)user)->queue;
	return takes_work(queue) ? queue_next_copy(queue) : UINT64_MAX;
}

/* Stores the kernel's own counts. */
static void keep_own(const sluice_gpu *gpu, const struct launch *launch)
{
	const struct gpu_run *run = launch->run;
	struct record *record = &gpu->records.record[launch->number];
	launch_keep_times(gpu, run, record);
	record->stats.sm.blocks = run->own.blocks;
	record->stats.sm.warp_instructions = run->own.warp_instructions;
	record->stats.sm.thread_instructions = run->own.thread_instructions;
}

/* The kernel's own parts of mechanisms can be read now. */
static void run_counted(void *user, struct gpu_run *run)
{
	sluice_gpu *gpu = user;
	const struct launch *launch = work_of(&run->launch)->launch;
	api_record_mechanisms(gpu, launch->checked.kernel, run->place, &gpu->records.record[launch->number]);
}

static void run_ended(void *user, struct gpu_run *run)
{
	sluice_gpu *gpu = user;
	struct work *work = work_of(&run->launch);
	gpu->queue.session.running--;
	keep_own(gpu, work->launch);
	launch_ended(gpu, work, NULL);
}

static bool has_enough(void *user)
{
	const struct queue *queue = &((const sluice_gpu *)user)->queue;
	return queue->status != SLUICE_OK || queue_has_wanted(queue);
}

static void open_session(sluice_gpu *gpu)
{
	struct queue_session *session = &gpu->queue.session;
	*session = (struct queue_session){
		.is_open = true, .begins = true, .record = gpu->records.sessions, .first_launch = gpu->records.count};
	session->progress = (struct launch_progress){.gpu = gpu, .kernel = "kernels together"};
	session->machine = (struct gpu_session){.feed = {.user = gpu,
	                                                 .next = next_run,
	                                                 .alarm = next_copy,
	                                                 .has_new = &session->has_new,
	                                                 .ended = run_ended,
	                                                 .counted = run_counted,
	                                                 .has_enough = has_enough},
	                                        .concurrent = gpu_kernels_at_once(gpu->gpu),
	                                        .l1_may_be_stale = gpu->sampling.skipped,
	                                        .stop = &gpu->stop};
	if (gpu->progress) {
		session->machine.progress = launch_pass_progress;
		session->machine.progress_user = &session->progress;
	}
	gpu->sampling.skipped = false;
	records_add_session(&gpu->records);
}

/* Stores what all kernels of the session counted. */
static void keep_session(sluice_gpu *gpu)
{
	struct queue_session *session = &gpu->queue.session;
	const struct gpu_session *machine = &session->machine;
	struct record *record = &gpu->records.session[session->record];
	launch_keep_counters(gpu, NULL, 0, record);
	record_add_kernel_vectors(&gpu->records, record);
	launch_set_end(gpu, record, machine->end);
	record->started = machine->start;
	record->cycles = machine->cycles;
	record->stats = machine->stats;
	record->host_seconds = session->host_seconds;
	record_price(&gpu->records, record);
}

/* The message of a session that did not end normally. `failed` is the launch that is to blame, or one of several; NULL:
 * none was running, when a mechanism's mistake was found at the end. */
static enum sluice_status report(sluice_gpu *gpu, const struct launch *failed, struct sluice_error *error)
{
	const struct gpu_session *machine = &gpu->queue.session.machine;
	if (machine->end == GPU_MISTAKE)
		return api_fail(error, SLUICE_BAD_MECHANISM, "kernels that ran together stopped: %s", machine->message);
	assert(failed);
	const struct record *record = &gpu->records.record[failed->number];
	switch (machine->end) {
	case GPU_FAULT:
		return launch_report_fault(&failed->run->launch, &machine->fault, error);
	case GPU_STALLED:
		if (machine->livelock)
			return launch_report_livelock(gpu, &failed->run->launch, &machine->polls, record, error);
		return api_fail(error, SLUICE_STALLED,
		                "kernels that ran together stalled at cycle %llu, among them %s: no warp can make "
		                "progress\n%s",
		                (unsigned long long)machine->cycles, record->kernel, machine->message);
	default:
		return launch_report_stop(gpu, &failed->run->launch, &machine->polls, record, error);
	}
}

static bool is_running(const struct work *work)
{
	return work->state == WORK_RUNS && work->launch;
}

/* The message of another launch of such a session. */
static void report_beside(const sluice_gpu *gpu, const struct launch *launch, struct sluice_error *error)
{
	const struct record *record = &gpu->records.record[launch->number];
	if (record->end == GPU_STOPPED)
		launch_report_stop(gpu, &launch->run->launch, &(struct simt_polls){0}, record, error);
}

/* Completes the records of the launches that were running when the session ended early. */
static void keep_unfinished(sluice_gpu *gpu)
{
	struct queue *queue = &gpu->queue;
	const struct gpu_session *machine = &queue->session.machine;
	const struct launch *blamed = NULL;
	for (size_t i = queue->first; i < queue->count; i++) {
		const struct work *work = queue->work[i];
		if (!is_running(work))
			continue;
		if (!blamed || work->launch->run == machine->failed)
			blamed = work->launch;
		keep_own(gpu, work->launch);
	}
	/* if a launch by a kernel could not be queued, that is the failure, and the launches were only ended by it */
	bool has_failed = queue->status != SLUICE_OK;
	if (!has_failed)
		queue->status = report(gpu, blamed, &queue->error);
	for (size_t i = queue->first; i < queue->count; i++) {
		if (!is_running(queue->work[i]))
			continue;
		const struct launch *launch = queue->work[i]->launch;
		struct sluice_error own = queue->error;
		if (has_failed || launch != blamed)
			report_beside(gpu, launch, &own);
		launch_end_record(queue->work[i]->launch, &own);
	}
}

/* If only one launch ran in the session, the session's counters are its own. */
static void fold_single(sluice_gpu *gpu)
{
	struct queue_session *session = &gpu->queue.session;
	struct records *records = &gpu->records;
	struct record *only = NULL, *sum = &records->session[session->record];
	for (size_t i = session->first_launch; i < records->count; i++) {
		if (records->record[i].session != session->record + 1)
			continue;
		if (only)
			return;
		only = &records->record[i];
	}
	only->session = 0;
	only->cycles = sum->cycles;
	only->stats = sum->stats;
	record_free_mechanisms(records, only);
	only->mech = sum->mech;
	only->units = sum->units;
	only->energy = sum->energy;
	gpu->unit_totals.launch = only->launch;
	free(sum->kernel);
	free(sum->shown);
	records->sessions--;
}

static void close_session(sluice_gpu *gpu)
{
	struct queue *queue = &gpu->queue;
	const struct gpu_session *machine = &queue->session.machine;
	char text[512];
	keep_session(gpu);
	if (machine->end != GPU_DONE)
		keep_unfinished(gpu);
	else if (!gpu_check_session(gpu->gpu, machine, text, sizeof text))
		queue_keep_failure(queue,
		                   api_fail(&queue->error, SLUICE_INTERNAL,
		                            "internal error: the statistics of kernels that ran together do not add "
		                            "up: %s",
		                            text));
	fold_single(gpu);
	queue->session.is_open = false;
	stats_file_add(&gpu->stats_file, &gpu->records);
}

static void run_in_cycles(sluice_gpu *gpu)
{
	struct queue_session *session = &gpu->queue.session;
	double begin = host_seconds();
	if (!session->is_open)
		open_session(gpu);
	bool is_over = gpu_run_together(gpu->gpu, &session->machine);
	session->host_seconds += host_seconds() - begin;
	if (is_over)
		close_session(gpu);
}

static void cut_in_cycles(sluice_gpu *gpu)
{
	gpu_cut_session(gpu->gpu, &gpu->queue.session.machine);
	close_session(gpu);
}

/* --- functional --- */

static struct simt_job *next_job(void *user)
{
	sluice_gpu *gpu = user;
	struct work *work = start_next(gpu, gpu->queue.session.running < gpu->machine.concurrent);
	if (!work)
		return NULL;
	struct gpu_run *run = work->launch->run;
	launch_prepare_functional(gpu, &run->launch, run->blocks_per_sm);
	work->job = (struct simt_job){.launch = &run->launch};
	return &work->job;
}

static void keep_job(sluice_gpu *gpu, struct work *work)
{
	struct sluice_error error = {0};
	struct launch *launch = work->launch;
	struct queue_session *session = &gpu->queue.session;
	/* launches take turns: their seconds add up to those of the session */
	launch->begin = launch->begin > session->last_end ? launch->begin : session->last_end;
	session->last_end = host_seconds();
	enum sluice_status status =
		launch_keep_functional(gpu, &launch->run->launch, &work->job.run, launch->number, &error);
	if (status != SLUICE_OK && gpu->queue.status == SLUICE_OK)
		gpu->queue.error = error;
	if (status != SLUICE_OK)
		queue_keep_failure(&gpu->queue, status);
	launch_ended(gpu, work, status == SLUICE_OK ? NULL : &error);
}

static void job_ended(void *user, struct simt_job *job)
{
	sluice_gpu *gpu = user;
	gpu->queue.session.running--;
	keep_job(gpu, work_of(job->launch));
}

/* Completes the records of the launches that were cut off. */
static void keep_cut_jobs(sluice_gpu *gpu)
{
	struct queue *queue = &gpu->queue;
	for (size_t i = queue->first; i < queue->count; i++)
		if (is_running(queue->work[i])) {
			queue->work[i]->job.run.stopped = true;
			keep_job(gpu, queue->work[i]);
		}
}

static void run_functional(sluice_gpu *gpu)
{
	struct queue_session *session = &gpu->queue.session;
	const struct simt_feed feed = {.user = gpu,
	                               .next = next_job,
	                               .ended = job_ended,
	                               .has_enough = has_enough,
	                               .has_new = &session->has_new};
	if (!session->is_open)
		*session = (struct queue_session){.is_open = true, .begins = true};
	session->is_open = !simt_run_together(&feed, &session->turns);
	if (!session->is_open)
		stats_file_add(&gpu->stats_file, &gpu->records);
}

static void cut_functional(sluice_gpu *gpu)
{
	struct queue_session *session = &gpu->queue.session;
	simt_cut_turns(&session->turns);
	session->is_open = false;
	keep_cut_jobs(gpu);
	stats_file_add(&gpu->stats_file, &gpu->records);
}

/* --- both --- */

void queue_run_session(sluice_gpu *gpu)
{
	(gpu->functional ? run_functional : run_in_cycles)(gpu);
}

void queue_cut_session(sluice_gpu *gpu)
{
	(gpu->functional ? cut_functional : cut_in_cycles)(gpu);
}
