/* The order of queued work: what has ended, what may start, and what starts first. */
#include "api/queue.h"

#include "api/launch.h"
#include "base/arena.h"

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

/* True when all work that it follows has ended. */
static bool is_released(const struct queue *queue, const struct work *work)
{
	for (size_t i = 0; i < work->after_count; i++)
		if (!queue_has_ended(queue, work->after[i]))
			return false;
	return true;
}

struct work *queue_add(struct queue *queue, const uint64_t *after, size_t count)
{
	if (queue->count == queue->capacity) {
		queue->capacity = queue->capacity ? 2 * queue->capacity : 64;
		queue->work = base_realloc(queue->work, queue->capacity * sizeof *queue->work);
	}
	struct work *work = queue->work[queue->count] = base_calloc(1, sizeof *work);
	work->number = queue->base + queue->count++;
	work->hardware_queue = NO_HARDWARE_QUEUE;
	work->after = base_calloc(count + 1, sizeof *work->after);
	for (size_t i = 0; i < count; i++)
		if (!queue_has_ended(queue, after[i]))
			work->after[work->after_count++] = after[i];
	return work;
}

void queue_end(struct queue *queue, struct work *work)
{
	work->state = WORK_ENDED;
	if (work->launch)
		launch_close(work->launch);
	work->launch = NULL;
	if (work->parent && --work->parent->children == 0)
		queue_end(queue, work->parent);
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
		free(work->after);
		free(work);
	}
	queue->base += queue->count;
	queue->count = queue->first = 0;
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

static void run_call(struct queue *queue, struct work *work)
{
	work->state = WORK_RUNS;
	work->call(work->user, true);
	queue_end(queue, work);
}

/* Work only follows work of lower numbers, so that one pass runs all calls. Grids launched by kernels are an exception:
 * their parent ends with them. The next pass then finds the work that follows it. */
struct work *queue_next(struct queue *queue)
{
	struct work *best = NULL;
	struct held held = {0};
	for (size_t i = queue->first; i < queue->count; i++) {
		struct work *work = queue->work[i];
		if (work->state != WORK_WAITS)
			continue;
		bool may_start = is_released(queue, work);
		if (work->call) {
			if (may_start)
				run_call(queue, work);
			continue;
		}
		may_start = may_start && !is_held(&held, work->hardware_queue);
		hold(&held, work->hardware_queue);
		if (may_start && (!best || work->priority > best->priority))
			best = work;
	}
	return best;
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
		if (work->state == WORK_RUNS) { /* no session is open: its grids have not ended */
			waits[i] = true;
			continue;
		}
		waits[i] = follows(queue, work, waits) || is_held(&held, work->hardware_queue);
		if (waits[i])
			hold(&held, work->call ? NO_HARDWARE_QUEUE : work->hardware_queue);
		is_alone = work->call || waits[i];
	}
	free(waits);
	return is_alone;
}
