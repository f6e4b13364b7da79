/* worker: one of the host's threads that simulate a machine together, and its part of a step.
 *
 * Each worker has some of the machine's units. Units of different workers meet only at ports, and what crosses those becomes
 * visible in the next step; so all workers can take a step at once, and the statistics do not depend on how many there are.
 *
 * Stores to the memory that all units share are the exception: every unit has to see it as it was before the step, so that they
 * are made when all units that could see them have ticked, and in the order of workers.
 *
 * What the units are is the machine's business: a worker knows them by its duties alone.
 */
#ifndef SLUICE_HOST_WORKER_H
#define SLUICE_HOST_WORKER_H

#include "base/port.h"
#include "host/gate.h"
#include "memory/request.h"

enum { MAX_WORKERS = REQUEST_MAX_POOLS };

/* One time at which units tick. */
struct step {
	uint64_t number; /* from 1 */
	uint64_t now;
};

/* What worker number `worker` does in a step, one after the other. */
struct duties {
	/* Ticks the units that see the shared memory. True when they have stores to make. */
	bool (*tick_storing)(void *machine, uint32_t worker);
	/* Makes them. */
	void (*commit)(void *machine, uint32_t worker);
	/* Ticks all others. They neither see nor change that memory. */
	void (*tick_others)(void *machine, uint32_t worker);
};

struct worker {
	struct workers *all;
	uint32_t index;
	struct arena arena;
	struct request_pool requests;
	struct outbox outbox[MAX_WORKERS];         /* to each other worker */
	struct request_chain away[2][MAX_WORKERS]; /* requests of theirs, by the parity of the step */
	uint64_t now;                              /* of the last step */
	/* numbers of the last step in which ... */
	struct gate stored; /* ... its units that may store have ticked */
	struct gate done;   /* ... all is done, their stores too */
	uint64_t waited;    /* nanoseconds, for threads that had no core */
};

struct workers {
	struct worker *worker;
	uint32_t count;
	const struct duties *duties;
	void *machine;
};

/* Makes `count` workers for the units of `machine`; workers_empty() forgets what was on its way between units that are no
 * more, and frees the workers' requests. */
void workers_open(struct workers *workers, uint32_t count, const struct duties *duties, void *machine, struct arena *arena);
void workers_empty(struct workers *workers);
void workers_close(struct workers *workers);

/* Of `count` units, in order, those of a worker begin here: it has them up to where the next one's begin. */
static inline uint32_t workers_share(const struct workers *workers, uint32_t worker, uint32_t count)
{
	return worker * count / workers->count;
}

/* Tells a port which workers its two ends are with; it starts empty. */
void worker_join(struct port *port, struct worker *producer, struct worker *consumer);

/* All of a step that this worker has to do; the others take the same step at the same time. */
void worker_step(struct worker *worker, const struct step *step);
/* The same of all workers, in one thread. */
void workers_step(struct workers *workers, const struct step *step);

#endif
