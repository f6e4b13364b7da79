#include "host/worker.h"

#include <string.h>

static void open_pool(struct worker *worker)
{
	worker->requests = (struct request_pool){.arena = &worker->arena, .index = worker->index, .away = worker->away};
}

void workers_open(struct workers *workers, uint32_t count, worker_run *run, void *machine, struct arena *arena)
{
	assert(count >= 1 && count <= MAX_WORKERS);
	*workers = (struct workers){arena_array(arena, count, sizeof *workers->worker), count, run, machine};
	for (uint32_t w = 0; w < count; w++) {
		struct worker *worker = &workers->worker[w];
		worker->all = workers;
		worker->index = w;
		open_pool(worker);
		gate_open(&worker->done, count);
	}
}

void workers_empty(struct workers *workers)
{
	for (uint32_t w = 0; w < workers->count; w++) {
		struct worker *worker = &workers->worker[w];
		outbox_free(&worker->outbox);
		memset(worker->away, 0, sizeof worker->away);
		arena_free(&worker->arena);
		open_pool(worker);
	}
}

void workers_close(struct workers *workers)
{
	for (uint32_t w = 0; w < workers->count; w++) {
		gate_close(&workers->worker[w].done);
	}
}

void worker_join(struct port *port, struct worker *producer)
{
	port->outbox = producer->index ? &producer->outbox : NULL;
}

void worker_work(struct worker *worker, uint64_t call)
{
	worker->all->run(worker->all->machine, worker->index);
	gate_set(&worker->done, call);
}

void workers_work(struct workers *workers)
{
	for (uint32_t w = 0; w < workers->count; w++)
		workers->run(workers->machine, w);
}

static void fetch_requests(struct worker *home, struct worker *from)
{
	struct request_chain *chain = &from->away[home->index];
	request_pool_reclaim(&home->requests, chain);
	*chain = (struct request_chain){0};
}

void workers_exchange(struct workers *workers)
{
	for (uint32_t w = 0; w < workers->count; w++) {
		outbox_deliver(&workers->worker[w].outbox);
		for (uint32_t to = 0; to < workers->count; to++)
			fetch_requests(&workers->worker[to], &workers->worker[w]);
	}
}
