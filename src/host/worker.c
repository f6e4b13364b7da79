#include "host/worker.h"

#include <string.h>

static void open_pool(struct worker *worker)
{
	worker->requests = (struct request_pool){.arena = &worker->arena, .index = worker->index};
}

void workers_open(struct workers *workers, uint32_t count, const struct duties *duties, void *machine,
                  struct arena *arena)
{
	assert(count >= 1 && count <= MAX_WORKERS);
	*workers = (struct workers){arena_array(arena, count, sizeof *workers->worker), count, duties, machine};
	for (uint32_t w = 0; w < count; w++) {
		struct worker *worker = &workers->worker[w];
		worker->all = workers;
		worker->index = w;
		open_pool(worker);
		gate_open(&worker->stored, count);
		gate_open(&worker->done, count);
	}
}

void workers_empty(struct workers *workers)
{
	for (uint32_t w = 0; w < workers->count; w++) {
		struct worker *worker = &workers->worker[w];
		for (uint32_t to = 0; to < workers->count; to++)
			outbox_free(&worker->outbox[to]);
		memset(worker->away, 0, sizeof worker->away);
		arena_free(&worker->arena);
		open_pool(worker);
	}
}

void workers_close(struct workers *workers)
{
	for (uint32_t w = 0; w < workers->count; w++) {
		gate_close(&workers->worker[w].stored);
		gate_close(&workers->worker[w].done);
	}
}

void worker_join(struct port *port, struct worker *producer, struct worker *consumer)
{
	assert(port_empty(port));
	if (producer == consumer)
		return;
	port->pushes = &producer->outbox[consumer->index];
	port->frees = &consumer->outbox[producer->index];
}

/* Takes what the other workers sent in the step before. */
static void receive(struct worker *worker, const struct step *step)
{
	const struct workers *all = worker->all;
	for (uint32_t w = 0; w < all->count; w++) {
		struct worker *other = &all->worker[w];
		if (other == worker)
			continue;
		outbox_deliver(&other->outbox[worker->index], step->number, worker->now);
		request_fetch(&worker->requests, &other->away[(step->number - 1) & 1][worker->index]);
	}
	for (uint32_t w = 0; w < all->count; w++)
		outbox_turn(&worker->outbox[w], step->number);
	worker->requests.away = worker->away[step->number & 1];
	memset(worker->requests.away, 0, all->count * sizeof *worker->requests.away);
}

/* The part of a step up to the stores. True when there are some to make. */
static bool begin_step(struct worker *worker, const struct step *step)
{
	const struct workers *all = worker->all;
	if (all->count > 1)
		receive(worker, step);
	worker->now = step->now;
	return all->duties->tick_storing(all->machine, worker->index);
}

/* When the units of all workers that may store have ticked, and the workers before this one have made theirs. */
static void commit_in_turn(struct worker *worker, uint64_t number)
{
	const struct workers *all = worker->all;
	for (uint32_t w = 0; w < all->count; w++)
		worker->waited += gate_await(&all->worker[w].stored, number);
	for (uint32_t w = 0; w < worker->index; w++)
		worker->waited += gate_await(&all->worker[w].done, number);
	all->duties->commit(all->machine, worker->index);
}

void worker_step(struct worker *worker, const struct step *step)
{
	const struct workers *all = worker->all;
	bool commits = begin_step(worker, step);
	gate_set(&worker->stored, step->number);
	all->duties->tick_others(all->machine, worker->index);
	if (commits)
		commit_in_turn(worker, step->number);
	gate_set(&worker->done, step->number);
}

void workers_step(struct workers *workers, const struct step *step)
{
	bool commits[MAX_WORKERS];
	for (uint32_t w = 0; w < workers->count; w++)
		commits[w] = begin_step(&workers->worker[w], step);
	for (uint32_t w = 0; w < workers->count; w++) {
		if (commits[w])
			workers->duties->commit(workers->machine, w);
		workers->duties->tick_others(workers->machine, w);
	}
}
