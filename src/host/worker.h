/* worker: one of the host's threads that simulate a machine together, and its part of the SMs' bursts.
 *
 * Each worker has some of the machine's SMs, and the last one the side that answers them, as far as it may be ahead (gpu/cycle.c); all else is the first
 * worker's, and ticks while the others wait. These meet other units only at ports, and what they push waits in an outbox until all are done; so all workers
 * can run their part at once, and the statistics do not depend on how many there are.
 *
 * What the units are is the machine's business: a worker knows a function alone.
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
	struct outbox outbox;                   /* to the first worker */
	struct request_chain away[MAX_WORKERS]; /* requests of theirs */
	struct gate done;                       /* number of the last call that it is done with */
};

struct workers {
	struct worker *worker;
	uint32_t count;
	worker_run *run;
	void *machine;
};

/* Makes `count` workers for the units of `machine`; workers_empty() forgets what was on its way between units that are no
 * more, and frees the workers' requests. */
void workers_open(struct workers *workers, uint32_t count, worker_run *run, void *machine, struct arena *arena);
void workers_empty(struct workers *workers);
void workers_close(struct workers *workers);

/* Of `count` units, in order, those of a worker begin here: it has them up to where the next one's begin. */
static inline uint32_t workers_share(const struct workers *workers, uint32_t worker, uint32_t count)
{
	return worker * count / workers->count;
}

/* Tells a port which worker its producer is with from now on; its consumer is with the first. */
void worker_join(struct port *port, struct worker *producer);

/* What this worker has to do; the others do the same at the same time. */
void worker_work(struct worker *worker, uint64_t call);
/* The same of all workers, in one thread. */
void workers_work(struct workers *workers);
/* When all are done, in one thread: what they have sent arrives, requests go home. */
void workers_exchange(struct workers *workers);

#endif
