/* worker: one of the host's threads that simulate a machine together, and its part of the SMs' bursts. A burst is
 * the cycles that an SM runs ahead of the others.
 *
 * Each worker has some of the machine's SMs. The last worker also has the reply side while that may be ahead
 * (gpu/cycle.c). The first worker has all other units, which tick while the other workers wait. SMs and the reply
 * side exchange data with other units only through ports. Their pushed items wait in an outbox until all workers
 * have finished. So all workers can run in parallel, and the statistics do not depend on the number of workers.
 *
 * The machine decides what the units are. A worker only calls a function.
 */
#ifndef SLUICE_HOST_WORKER_H
#define SLUICE_HOST_WORKER_H

#include "base/port.h"
#include "host/gate.h"
#include "memory/request.h"

enum { MAX_WORKERS = REQUEST_MAX_POOLS };

/* Runs the SMs of worker number `worker`. */
typedef void worker_run(void *machine, uint32_t worker);

struct worker {
	struct workers *all;
	uint32_t index;
	struct arena arena;
	struct request_pool requests;
	struct outbox outbox;                   /* to consumers of the first worker */
	struct request_chain away[MAX_WORKERS]; /* released requests of the other workers' pools */
	struct gate done;                       /* number of the last call that it has finished */
};

struct workers {
	struct worker *worker;
	uint32_t count;
	worker_run *run;
	void *machine;
};

/* workers_open makes `count` workers for the units of `machine`. workers_empty drops items in flight between units
 * that no longer exist, and frees the workers' requests. */
void workers_open(struct workers *workers, uint32_t count, worker_run *run, void *machine, struct arena *arena);
void workers_empty(struct workers *workers);
void workers_close(struct workers *workers);

/* Index of a worker's first unit, when `count` units are divided in order. Its units end where the next worker's
 * begin. */
static inline uint32_t workers_share(const struct workers *workers, uint32_t worker, uint32_t count)
{
	return worker * count / workers->count;
}

/* Assigns a port's producer to a worker from now on. The consumer belongs to the first worker. */
void worker_join(struct port *port, struct worker *producer);

/* Does this worker's work, in parallel with the other workers. */
void worker_work(struct worker *worker, uint64_t call);
/* Does the work of all workers in one thread. */
void workers_work(struct workers *workers);
/* When all have finished, in one thread: delivers sent items and returns requests to their pools. */
void workers_exchange(struct workers *workers);

#endif
