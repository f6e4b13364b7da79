/* Grids of kernels that may start: a heap, because there can be tens of thousands. */
#include "api/queue.h"

bool queue_starts_before(const struct work *first, const struct work *second)
{
	return first->priority != second->priority ? first->priority > second->priority
	                                           : first->number < second->number;
}

static void swap(struct work **first, struct work **second)
{
	struct work *work = *first;
	*first = *second;
	*second = work;
}

void queue_push_ready(struct queue *queue, struct work *work)
{
	queue_make_room(&queue->ready, queue->ready_count, &queue->ready_capacity);
	struct work **heap = queue->ready;
	size_t at = queue->ready_count++;
	heap[at] = work;
	for (; at && queue_starts_before(heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&heap[at], &heap[(at - 1) / 2]);
}

struct work *queue_first_ready(const struct queue *queue)
{
	return queue->ready_count ? queue->ready[0] : NULL;
}

void queue_pop_ready(struct queue *queue)
{
	struct work **heap = queue->ready;
	size_t count = --queue->ready_count, at = 0;
	heap[0] = heap[count];
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && queue_starts_before(heap[child + 1], heap[child]))
			child++;
		if (!queue_starts_before(heap[child], heap[at]))
			break;
		swap(&heap[child], &heap[at]);
	}
}
