/* The order of queued work: what has ended, what may start, and what starts first. */
#include "api/queue.h"

#include "api/launch.h"
#include "base/arena.h"
#include "base/bits.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool queue_has_ended(const struct queue *queue, uint64_t number)
{
	return number < queue->base || queue->work[number - queue->base]->state == WORK_ENDED;
}

bool queue_has_wanted(const struct queue *queue)
{
	return queue->wanted && queue_has_ended(queue, queue->wanted);
}

/* True when all work that it follows has ended up to the cycle queue->now. */
static bool is_released(const struct queue *queue, const struct work *work)
{
	for (size_t i = 0; i < work->after_count; i++) {
		if (!queue_has_ended(queue, work->after[i]))
			return false;
		if (work->after[i] >= queue->base && queue->work[work->after[i] - queue->base]->ended > queue->now)
			return false;
	}
	return work->queued <= queue->now;
}

void queue_make_room(struct work ***works, size_t count, size_t *capacity)
{
	if (count < *capacity)
		return;
	*capacity = *capacity ? 2 * *capacity : 64;
	*works = base_realloc(*works, *capacity * sizeof **works);
}

struct work *queue_add_inner(sluice_gpu *gpu, const uint64_t *after, size_t count)
{
	struct queue *queue = &gpu->queue;
	queue_make_room(&queue->work, queue->count, &queue->capacity);
	struct work *work = queue->work[queue->count] = base_calloc(1, sizeof *work);
	work->number = queue->base + queue->count++;
	work->hardware_queue = NO_HARDWARE_QUEUE;
	work->queued = gpu_core_cycle(gpu->gpu);
	work->unfinished = 1;
	work->after = base_calloc(count + 1, sizeof *work->after);
	for (size_t i = 0; i < count; i++)
		if (!queue_has_ended(queue, after[i]))
			work->after[work->after_count++] = after[i];
	return work;
}

struct work *queue_add(sluice_gpu *gpu, const uint64_t *after, size_t count)
{
	struct queue *queue = &gpu->queue;
	struct work *work = queue_add_inner(gpu, after, count);
	queue_make_room(&queue->open, queue->open_count, &queue->open_capacity);
	queue->open[queue->open_count++] = work;
	return work;
}

static void run_call(sluice_gpu *gpu, struct work *work)
{
	struct queue *queue = &gpu->queue;
	work->state = WORK_RUNS;
	queue->calls = true;
	work->call(work->user, true);
	queue->calls = false;
	queue_end(gpu, work, queue->now);
}

/* Parks the work at one that it follows. When there is none, the call is made, or the grid is ready. */
void queue_place(sluice_gpu *gpu, struct work *work)
{
	struct queue *queue = &gpu->queue;
	for (size_t i = 0; i < work->after_count; i++) {
		if (queue_has_ended(queue, work->after[i]))
			continue;
		struct work *at = queue->work[work->after[i] - queue->base];
		work->next_parked = at->parked;
		at->parked = work;
		return;
	}
	if (work->call)
		run_call(gpu, work);
	else
		queue_push_ready(queue, work);
}

void queue_end(sluice_gpu *gpu, struct work *work, uint64_t cycle)
{
	struct queue *queue = &gpu->queue;
	if (--work->unfinished || queue_start_tail(gpu, work))
		return;
	work->state = WORK_ENDED;
	work->ended = cycle;
	if (work->launch)
		launch_close(work->launch);
	work->launch = NULL;
	for (struct work *next; work->parked;) {
		next = work->parked;
		work->parked = next->next_parked;
		queue_place(gpu, next);
	}
	if (work->parent)
		queue_end(gpu, work->parent, cycle);
	while (queue->first < queue->count && queue->work[queue->first]->state == WORK_ENDED)
		queue->first++;
}

void queue_drop(struct queue *queue)
{
	for (size_t i = 0; i < queue->count; i++) {
		struct work *work = queue->work[i];
		if (work->call && work->state != WORK_ENDED)
			work->call(work->user, false);
		if (work->launch)
			launch_close(work->launch);
		device_launches_free(&work->tail);
		free(work->after);
		free(work);
	}
	queue->engine[0] = queue->engine[1] = NULL;
	queue->base += queue->count;
	queue->count = queue->first = queue->open_count = queue->ready_count = 0;
}

/* Launches of a hardware queue start in order: marks those that have one which waits. */
struct held {
	uint64_t bits[(MACHINE_MAX_QUEUES + 63) / 64];
};

static bool is_held(const struct held *held, uint32_t queue)
{
	return queue != NO_HARDWARE_QUEUE && (held->bits[queue / 64] >> queue % 64 & 1);
}

static void hold(struct held *held, uint32_t queue)
{
	if (queue != NO_HARDWARE_QUEUE)
		held->bits[queue / 64] |= (uint64_t)1 << queue % 64;
}

/* --- copies --- */

static struct work **engine_of(sluice_gpu *gpu, const struct work *work)
{
	return &gpu->queue.engine[gpu->machine.link.engines > 1 && work->copy.to_host];
}

static void start_copy(sluice_gpu *gpu, struct work *work)
{
	struct work **engine = engine_of(gpu, work);
	if (*engine)
		return;
	*engine = work;
	work->state = WORK_RUNS;
	work->copy.started = gpu->queue.now;
	work->copy.cycles = machine_copy_cycles(&gpu->machine, work->copy.bytes);
}

/* Before cycle n, n - 1 is the last one whose time has come (gpu_seconds()). */
double queue_seconds(const sluice_gpu *gpu)
{
	uint64_t now = gpu->queue.now, cycle = gpu_core_cycle(gpu->gpu);
	uint64_t ago = (cycle - now) * gpu->gpu->clock[CLOCK_CORE].period;
	return gpu_seconds(gpu->gpu) - (double)ago * 1e-15;
}

static uint64_t end_of(const struct work *copy)
{
	return copy ? copy->copy.started + copy->copy.cycles : UINT64_MAX;
}

uint64_t queue_next_copy(const struct queue *queue)
{
	return min_u64(end_of(queue->engine[0]), end_of(queue->engine[1]));
}

/* Ends the copies that end first. */
static void end_copies(sluice_gpu *gpu)
{
	struct queue *queue = &gpu->queue;
	queue->now = queue_next_copy(queue);
	for (int i = 0; i < 2; i++) {
		struct work *work = queue->engine[i];
		if (end_of(work) != queue->now)
			continue;
		queue->engine[i] = NULL;
		copies_add(&gpu->records.copies, &work->copy);
		run_call(gpu, work);
	}
}

/* --- what starts next --- */

/* Runs the calls, and starts the copies, that may start in cycle queue->now. Returns the launch that starts next.
 * Work only follows work of lower numbers, so that one pass runs all calls. Grids launched by kernels are an exception:
 * their parent ends with them. The next pass then finds the work that follows it. */
static struct work *start_work(sluice_gpu *gpu)
{
	struct queue *queue = &gpu->queue;
	struct work *best = queue_first_ready(queue);
	struct held held = {0};
	size_t count = queue->open_count, kept = 0;
	for (size_t i = 0; i < count; i++) {
		struct work *work = queue->open[i];
		if (work->state != WORK_WAITS)
			continue;
		queue->open[kept++] = work;
		bool may_start = is_released(queue, work);
		if (work->is_copy && may_start)
			start_copy(gpu, work);
		else if (work->call && may_start)
			run_call(gpu, work);
		if (work->call)
			continue;
		may_start = may_start && !is_held(&held, work->hardware_queue);
		hold(&held, work->hardware_queue);
		if (may_start && (!best || queue_starts_before(work, best)))
			best = work;
	}
	assert(count == queue->open_count); /* calls add no work */
	queue->open_count = kept;
	return best;
}

/* While the last kernel's accesses end, several copies may have ended. Each starts in the cycle in which the work that
 * it follows, and the copy before it in its engine, has ended. */
struct work *queue_next(sluice_gpu *gpu)
{
	struct queue *queue = &gpu->queue;
	uint64_t cycle = gpu_core_cycle(gpu->gpu);
	while (queue_next_copy(queue) <= cycle) {
		end_copies(gpu);
		start_work(gpu);
	}
	queue->now = cycle;
	return start_work(gpu);
}

void queue_begin(struct queue *queue, struct work *work)
{
	if (work == queue_first_ready(queue))
		queue_pop_ready(queue);
	work->state = WORK_RUNS;
}

/* True when it must wait for an earlier work that is marked in `waits`, by index. */
static bool follows(const struct queue *queue, const struct work *work, const bool *waits)
{
	for (size_t i = 0; i < work->after_count; i++)
		if (!queue_has_ended(queue, work->after[i]) && waits[work->after[i] - queue->base])
			return true;
	return false;
}

bool queue_is_alone(const struct queue *queue, const struct work *one)
{
	bool *waits = base_calloc(queue->count, sizeof *waits); /* work that cannot start before `one` has ended */
	struct held held = {0};
	bool is_alone = true;
	waits[one->number - queue->base] = true;
	for (size_t i = queue->first; i < queue->count && is_alone; i++) {
		const struct work *work = queue->work[i];
		if (work == one || work->state == WORK_ENDED)
			continue;
		/* no session is open: it is a copy, or a launch whose grids have not ended */
		if (work->state != WORK_WAITS) {
			waits[i] = !work->is_copy;
			is_alone = waits[i];
			continue;
		}
		waits[i] = follows(queue, work, waits) || is_held(&held, work->hardware_queue);
		if (waits[i])
			hold(&held, work->call ? NO_HARDWARE_QUEUE : work->hardware_queue);
		is_alone = waits[i] || (work->call && !work->is_copy);
	}
	free(waits);
	return is_alone;
}
