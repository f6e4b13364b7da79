/* Queued work of streams: its calls, and the loop that runs it. */
#include "api/queue.h"

#include "api/launch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Each reason names a part that counts, checks or changes one launch at a time. */
const char *sluice_queue_refused(const sluice_gpu *gpu)
{
	if (gpu->checks || gpu->footprint)
		return "checks see one launch at a time";
	if (recorders_are_open(&gpu->recorders))
		return "samples, timelines and profiles record one launch at a time";
	if (gpu->on_interval)
		return "on_interval sees one launch at a time";
	if (gpu->sampling.wish.launches || gpu->sampling.wish.blocks)
		return "sampling compares launches that run alone";
	if (selection_is_used(&gpu->selection))
		return "only some launches are selected";
	if (gpu->trace_out)
		return "a trace has one launch at a time";
	if (gpu->max_instructions)
		return "the limit of instructions holds for one launch at a time";
	if (gpu->in_turn)
		return gpu->in_turn;
	/* the last one: it tells that without the journal they would run together */
	return gpu->journal ? "a journal has one launch at a time" : NULL;
}

const char *sluice_queue_children_refused(const sluice_gpu *gpu)
{
	return gpu->children_in_turn;
}

void sluice_queue_note_in_turn(sluice_gpu *gpu)
{
	gpu->records.in_turn = sluice_queue_refused(gpu);
}

enum sluice_status sluice_queue_launch(sluice_gpu *gpu, sluice_kernel *kernel, const struct sluice_grid *grid,
                                       const struct sluice_place *place, uint64_t *number, struct sluice_error *error)
{
	const struct launch_request request = {.grid = grid->grid,
	                                       .block = grid->block,
	                                       .dynamic_shared_bytes = grid->dynamic_shared_bytes,
	                                       .arguments = grid->arguments};
	struct sluice_error own;
	struct launch *launch = launch_open(gpu, kernel, &request, error ? error : &own);
	if (!launch)
		return error ? error->status : own.status;
	struct work *work = queue_add(gpu, place->after, place->after_count);
	launch->run->stream = place->stream;
	launch->run->priority = work->priority = place->priority;
	work->launch = launch;
	work->hardware_queue = (uint32_t)(place->stream % gpu->machine.queues);
	*number = work->number;
	return api_succeed(error);
}

uint64_t sluice_queue_call(sluice_gpu *gpu, void (*call)(void *user, bool run), void *user,
                           const struct sluice_place *place)
{
	struct work *work = queue_add(gpu, place->after, place->after_count);
	work->call = call;
	work->user = user;
	return work->number;
}

bool sluice_copies_take_time(const sluice_gpu *gpu)
{
	return machine_times_copies(&gpu->machine) && !gpu->functional;
}

uint64_t sluice_queue_copy(sluice_gpu *gpu, bool to_host, uint64_t bytes, void (*call)(void *user, bool run),
                           void *user, const struct sluice_place *place)
{
	uint64_t number = sluice_queue_call(gpu, call, user, place);
	struct work *work = gpu->queue.work[number - gpu->queue.base];
	work->is_copy = sluice_copies_take_time(gpu);
	work->copy = (struct copy_record){.stream = place->stream, .to_host = to_host, .bytes = bytes};
	return number;
}

size_t sluice_queue_length(const sluice_gpu *gpu)
{
	return gpu->queue.count - gpu->queue.first;
}

bool sluice_queue_has_ended(const sluice_gpu *gpu, uint64_t number)
{
	return queue_has_ended(&gpu->queue, number);
}

void sluice_note_stream(sluice_gpu *gpu, uint64_t stream)
{
	gpu->stream = stream;
}

static void run_alone(sluice_gpu *gpu, struct work *work)
{
	struct queue *queue = &gpu->queue;
	queue_begin(queue, work);
	queue->status = launch_run_alone(work->launch, &queue->error);
	if (queue->status == SLUICE_OK)
		queue_end(gpu, work, gpu_core_cycle(gpu->gpu));
}

/* Lets the idle machine wait for the end of the next copy. False: none is in progress. */
static bool wait_for_copy(sluice_gpu *gpu)
{
	uint64_t end = queue_next_copy(&gpu->queue);
	if (end == UINT64_MAX)
		return false;
	gpu_wait_until(gpu->gpu, end);
	return true;
}

/* Starts the next launch, or goes on with the session. Returns false when nothing may run, or what ran before the next
 * launch was all that is wanted: that launch may wait for one which is not queued yet. */
static bool run_next(sluice_gpu *gpu)
{
	struct queue *queue = &gpu->queue;
	if (queue->session.is_open) {
		queue_run_session(gpu);
		return true;
	}
	struct work *work = queue_next(gpu);
	if (queue_has_wanted(queue))
		return false;
	if (!work)
		return wait_for_copy(gpu);
	if (queue_is_alone(queue, work) && !queue_takes_children(work->launch))
		run_alone(gpu, work);
	else
		queue_run_session(gpu);
	return true;
}

/* Drops all work after a failure. */
static enum sluice_status fail(sluice_gpu *gpu, struct sluice_error *error)
{
	struct queue *queue = &gpu->queue;
	enum sluice_status status = queue->status;
	sluice_queue_cut(gpu);
	if (error)
		*error = queue->error;
	return status;
}

/* Runs work until the wanted one has ended; 0: until all has. */
static enum sluice_status run_until(sluice_gpu *gpu, uint64_t wanted, struct sluice_error *error)
{
	struct queue *queue = &gpu->queue;
	queue->wanted = wanted;
	while (queue->status == SLUICE_OK && !queue_has_wanted(queue) && run_next(gpu))
		;
	if (queue->status != SLUICE_OK)
		return fail(gpu, error);
	if (queue->first == queue->count && !queue->session.is_open)
		queue_drop(queue);
	return api_succeed(error);
}

enum sluice_status sluice_queue_wait(sluice_gpu *gpu, uint64_t number, struct sluice_error *error)
{
	if (queue_has_ended(&gpu->queue, number))
		return api_succeed(error);
	return run_until(gpu, number, error);
}

enum sluice_status sluice_queue_finish(sluice_gpu *gpu, struct sluice_error *error)
{
	enum sluice_status status = run_until(gpu, 0, error);
	assert(status != SLUICE_OK || (!gpu->queue.count && !gpu->queue.session.is_open));
	return status;
}

void sluice_queue_cut(sluice_gpu *gpu)
{
	if (gpu->queue.session.is_open)
		queue_cut_session(gpu);
	queue_drop(&gpu->queue);
	gpu->queue.status = SLUICE_OK;
}

bool sluice_is_stopped(const sluice_gpu *gpu)
{
	return gpu->stop;
}

void queue_close(sluice_gpu *gpu)
{
	sluice_queue_cut(gpu);
	free(gpu->queue.work);
	free(gpu->queue.open);
	free(gpu->queue.ready);
}
