#include "memory/request.h"

struct request *request_new(struct request_pool *pool)
{
	enum { BATCH = 64 };
	if (!pool->free) {
		struct request *batch = arena_array(pool->arena, BATCH, sizeof *batch);
		for (int i = 0; i < BATCH; i++) {
			batch[i].next = pool->free;
			pool->free = &batch[i];
		}
	}
	struct request *request = pool->free;
	pool->free = request->next;
	pool->in_use++;
	*request = (struct request){.pool = pool};
	return request;
}

void request_queue_open(struct request_queue *queue, struct arena *arena, uint32_t capacity)
{
	*queue =
		(struct request_queue){.slot = arena_array(arena, capacity, sizeof *queue->slot), .capacity = capacity};
}
