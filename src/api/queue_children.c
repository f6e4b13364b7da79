/* Grids that kernels launch, as work of the queue. A launch ends when its own grid and all of these have ended. */
#include "api/queue.h"

#include "api/launch.h"

#include <stdlib.h>

void queue_keep_failure(struct queue *queue, enum sluice_status status)
{
	if (queue->status == SLUICE_OK)
		queue->status = status;
}

/* A machine that runs one kernel at a time has nothing to overlap, and its launches keep all their counters. */
bool queue_takes_children(const struct launch *launch)
{
	const struct simt_program *program = launch->checked.kernel->program;
	return program->launches_kernels && gpu_kernels_at_once(launch->gpu->gpu) > 1;
}

enum sluice_status queue_run_family(sluice_gpu *gpu, struct launch *launch, struct sluice_error *error)
{
	struct work *work = queue_add(gpu, NULL, 0);
	work->launch = launch;
	return sluice_queue_finish(gpu, error);
}

static void do_nothing(void *user, bool run)
{
	(void)user;
	(void)run;
}

uint64_t queue_join(sluice_gpu *gpu, uint64_t first, uint64_t second)
{
	const uint64_t both[] = {first, second};
	struct work *work = queue_add_inner(gpu, both, 2);
	work->call = do_nothing;
	queue_place(gpu, work);
	return work->number;
}

/* Queues a grid after the work with that number; 0: after none. Returns its number; 0: it cannot run. */
static uint64_t add_child(sluice_gpu *gpu, struct work *parent, const struct device_launch *grid, uint64_t after)
{
	struct queue *queue = &gpu->queue;
	struct launch *child = launch_open_child(parent->launch, grid, false, &queue->error);
	if (!child) {
		queue_keep_failure(queue, queue->error.status);
		return 0;
	}
	struct work *work = queue_add_inner(gpu, &after, 1);
	work->priority = parent->priority;
	work->launch = child;
	work->parent = parent;
	parent->unfinished++;
	queue_place(gpu, work);
	return work->number;
}

/* Queues a grid in its stream. It then owns nothing of `grid`. */
static void add_in_stream(struct device_runtime *runtime, struct device_launch grid)
{
	struct work *parent = runtime->work;
	if (grid.stream == DEVICE_STREAM_TAIL) {
		device_launches_add(&parent->tail, &grid);
		return;
	}
	uint64_t *last = device_streams_last(&runtime->streams, grid.parent, grid.stream);
	*last = add_child(runtime->gpu, parent, &grid, grid.stream == DEVICE_STREAM_FORGET ? 0 : *last);
	free(grid.arguments);
}

/* Called while the launch runs. */
static void start_child(struct device_runtime *runtime, struct device_launch grid)
{
	add_in_stream(runtime, grid);
	runtime->gpu->queue.session.has_new = true;
}

void queue_accept_children(struct work *work)
{
	struct device_runtime *runtime = &work->launch->runtime;
	runtime->work = work;
	runtime->start = work->launch->checked.kernel->program->waits_for_kernels ? NULL : start_child;
}

void queue_add_waiting(struct work *work)
{
	struct device_runtime *runtime = &work->launch->runtime;
	for (size_t i = 0; i < runtime->waiting.count; i++)
		add_in_stream(runtime, runtime->waiting.launch[i]);
	runtime->waiting.count = 0;
}

bool queue_start_tail(sluice_gpu *gpu, struct work *work)
{
	if (work->tails_started == work->tail.count || gpu->queue.status != SLUICE_OK)
		return false;
	add_child(gpu, work, &work->tail.launch[work->tails_started++], 0);
	return gpu->queue.status == SLUICE_OK;
}
