#include "gpu/worker.h"

#include "gpu/gpu.h"

#include <string.h>

/* Unit `i` of `count` is with the worker whose share of them, in order, it falls into. */
static uint32_t share_begin(const struct gpu *gpu, uint32_t worker, uint32_t count)
{
	return worker * count / gpu->workers;
}

void workers_open(struct gpu *gpu)
{
	for (uint32_t w = 0; w < gpu->workers; w++) {
		struct worker *worker = &gpu->worker[w];
		worker->gpu = gpu;
		worker->index = w;
		worker->first_sm = share_begin(gpu, w, gpu->machine.sms);
		worker->end_sm = share_begin(gpu, w + 1, gpu->machine.sms);
		worker->first_channel = share_begin(gpu, w, gpu->machine.map.channels);
		worker->end_channel = share_begin(gpu, w + 1, gpu->machine.map.channels);
		worker->requests = (struct request_pool){.arena = &worker->arena, .index = w};
		gate_open(&worker->sms_ticked, gpu->workers);
		gate_open(&worker->done, gpu->workers);
	}
}

void workers_empty(struct gpu *gpu)
{
	for (uint32_t w = 0; w < gpu->workers; w++) {
		struct worker *worker = &gpu->worker[w];
		for (uint32_t to = 0; to < gpu->workers; to++)
			outbox_free(&worker->outbox[to]);
		memset(worker->away, 0, sizeof worker->away);
		arena_free(&worker->arena);
		worker->requests = (struct request_pool){.arena = &worker->arena, .index = w};
	}
}

void workers_close(struct gpu *gpu)
{
	for (uint32_t w = 0; w < gpu->workers; w++) {
		gate_close(&gpu->worker[w].sms_ticked);
		gate_close(&gpu->worker[w].done);
	}
}

struct worker *worker_of_sm(const struct gpu *gpu, uint32_t sm)
{
	struct worker *worker = gpu->worker;
	while (sm >= worker->end_sm)
		worker++;
	return worker;
}

struct worker *worker_of_slice(const struct gpu *gpu, uint32_t slice)
{
	struct worker *worker = gpu->worker;
	while (slice / gpu->machine.map.slices_per_channel >= worker->end_channel)
		worker++;
	return worker;
}

void worker_join(struct port *port, struct worker *producer, struct worker *consumer)
{
	if (producer == consumer)
		return;
	port->pushes = &producer->outbox[consumer->index];
	port->frees = &consumer->outbox[producer->index];
}

/* Takes what the other workers sent in the step before. */
static void receive(struct worker *worker, const struct step *step)
{
	const struct gpu *gpu = worker->gpu;
	for (uint32_t w = 0; w < gpu->workers; w++) {
		struct worker *other = &gpu->worker[w];
		if (other == worker)
			continue;
		outbox_deliver(&other->outbox[worker->index], step->number, worker->now);
		request_fetch(&worker->requests, &other->away[(step->number - 1) & 1][worker->index]);
	}
	for (uint32_t w = 0; w < gpu->workers; w++)
		outbox_turn(&worker->outbox[w], step->number);
	worker->requests.away = worker->away[step->number & 1];
	memset(worker->requests.away, 0, gpu->workers * sizeof *worker->requests.away);
}

static void ticked(struct worker *worker, uint64_t now)
{
	worker->ticked = true;
	worker->last_ticked = now;
}

/* Ticks the channels that want to at `now`; returns the earliest time at which one of them wants to again. */
static uint64_t tick_channels(struct worker *worker, const struct step *step, uint64_t now)
{
	struct dram_channel *channel = &worker->gpu->channel[worker->first_channel];
	const struct dram_channel *end = &worker->gpu->channel[worker->end_channel];
	uint64_t first = UINT64_MAX;
	for (; channel < end; channel++) {
		if (channel->wake <= now) {
			dram_tick(channel, worker->dram_cycle, step->l2_cycle, now);
			ticked(worker, now);
		}
		first = channel->wake < first ? channel->wake : first;
	}
	return first;
}

/* All DRAM cycles up to the step. Channels meet nobody but their slices, which tick in steps only. */
static void tick_dram(struct worker *worker, const struct step *step)
{
	uint64_t period = worker->gpu->clock[CLOCK_DRAM].period;
	while (worker->dram_cycle * period <= step->now) {
		uint64_t now = worker->dram_cycle * period, first = tick_channels(worker, step, now);
		worker->dram_cycle = first <= now + period ? worker->dram_cycle + 1
		                     : first > step->now   ? step->now / period + 1
		                                           : (first + period - 1) / period;
	}
}

/* True when an SM has stores to make. */
static bool tick_sms(struct worker *worker, const struct step *step)
{
	struct sm *sm = &worker->gpu->sm[worker->first_sm];
	const struct sm *end = &worker->gpu->sm[worker->end_sm];
	uint64_t cycle = step->core_cycle, now = step->now;
	bool any = false, commits = false, starved = false;
	for (; sm < end; sm++) {
		if (sm->wake > now)
			continue;
		sm_tick(sm, cycle, now);
		any = true;
		commits |= sm->commits;
		starved |= sm_has_room(sm);
	}
	worker->starved |= starved;
	if (any)
		ticked(worker, now);
	return commits;
}

static void commit(struct worker *worker)
{
	struct gpu *gpu = worker->gpu;
	for (uint32_t i = worker->first_sm; i < worker->end_sm; i++)
		if (gpu->sm[i].commits)
			sm_commit(&gpu->sm[i]);
}

/* When all SMs have ticked and those before ours have made theirs. */
static void commit_in_turn(struct worker *worker, uint64_t number)
{
	struct gpu *gpu = worker->gpu;
	for (uint32_t w = 0; w < gpu->workers; w++)
		worker->waited += gate_await(&gpu->worker[w].sms_ticked, number);
	for (uint32_t w = 0; w < worker->index; w++)
		worker->waited += gate_await(&gpu->worker[w].done, number);
	commit(worker);
}

static void tick_network(struct worker *worker, struct crossbar *crossbar, const struct step *step)
{
	if (crossbar->wake > step->now)
		return;
	crossbar_tick(crossbar, step->network_cycle, step->now);
	ticked(worker, step->now);
}

static void tick_l2(struct worker *worker, const struct step *step)
{
	uint32_t each = worker->gpu->machine.map.slices_per_channel;
	struct slice *slice = &worker->gpu->slice[(size_t)worker->first_channel * each];
	const struct slice *end = &worker->gpu->slice[(size_t)worker->end_channel * each];
	for (; slice < end; slice++)
		if (slice->wake <= step->now) {
			slice_tick(slice, step->l2_cycle, step->now);
			ticked(worker, step->now);
		}
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The earliest time at which a unit wants to tick. */
static uint64_t next_event(const struct worker *worker)
{
	const struct gpu *gpu = worker->gpu;
	uint32_t each = gpu->machine.map.slices_per_channel;
	uint64_t first = UINT64_MAX;
	if (worker->request_network)
		first = earlier(first, gpu->to_slices.wake);
	if (worker->reply_network)
		first = earlier(first, gpu->to_sms.wake);
	for (uint32_t i = worker->first_sm; i < worker->end_sm; i++)
		first = earlier(first, gpu->sm[i].wake);
	for (uint32_t i = worker->first_channel * each; i < worker->end_channel * each; i++)
		first = earlier(first, gpu->slice[i].wake);
	for (uint32_t i = worker->first_channel; i < worker->end_channel; i++)
		first = earlier(first, gpu->channel[i].wake);
	return first;
}

/* The SMs' part of a step. True when they have stores to make. */
static bool begin_step(struct worker *worker, const struct step *step)
{
	worker->ticked = worker->starved = false;
	if (worker->gpu->workers > 1)
		receive(worker, step);
	return step->core && tick_sms(worker, step);
}

/* The part that needs nothing of another worker's but what it sent in the step before. */
static void tick_memory(struct worker *worker, const struct step *step)
{
	struct gpu *gpu = worker->gpu;
	if (step->network && worker->request_network)
		tick_network(worker, &gpu->to_slices, step);
	if (step->network && worker->reply_network)
		tick_network(worker, &gpu->to_sms, step);
	tick_dram(worker, step);
	if (step->l2)
		tick_l2(worker, step);
}

/* What the step tells, when all is done. */
static void end_step(struct worker *worker, const struct step *step)
{
	if (!worker->ticked)
		worker->next = next_event(worker);
	worker->now = step->now;
}

void worker_step(struct worker *worker, const struct step *step)
{
	bool commits = begin_step(worker, step);
	gate_set(&worker->sms_ticked, step->number);
	tick_memory(worker, step);
	if (commits)
		commit_in_turn(worker, step->number);
	end_step(worker, step);
	gate_set(&worker->done, step->number);
}

void workers_step(struct gpu *gpu, const struct step *step)
{
	bool commits[MAX_WORKERS];
	for (uint32_t w = 0; w < gpu->workers; w++)
		commits[w] = begin_step(&gpu->worker[w], step);
	for (uint32_t w = 0; w < gpu->workers; w++) {
		struct worker *worker = &gpu->worker[w];
		if (commits[w])
			commit(worker);
		tick_memory(worker, step);
		end_step(worker, step);
	}
}
