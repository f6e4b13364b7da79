/* worker: the units of the machine that one host thread simulates, and one step of them.
 *
 * Units of different workers meet only at ports, and what crosses those becomes visible in the next step; so all workers
 * can take a step at once, and the statistics do not depend on how many there are. A worker has whole memory partitions,
 * so that DRAM, whose clock is another one, never crosses.
 *
 * Global stores and atomics are the exception: all SMs have to see the memory of before the step, so that they are made
 * when every SM has ticked, and in the order of SMs.
 */
#ifndef SLUICE_GPU_WORKER_H
#define SLUICE_GPU_WORKER_H

#include "base/gate.h"
#include "base/port.h"
#include "memory/request.h"

enum { MAX_WORKERS = REQUEST_MAX_POOLS };

struct gpu;

struct worker {
	struct gpu *gpu;
	uint32_t index;
	uint32_t first_sm, end_sm, first_channel, end_channel;
	bool request_network, reply_network;
	struct arena arena;
	struct request_pool requests;
	struct outbox outbox[MAX_WORKERS];           /* to each other worker */
	struct request_chain away[2][MAX_WORKERS]; /* requests of theirs, by the parity of the step */
	uint64_t dram_cycle;                         /* the next one of its channels */
	uint64_t now;                                /* of the last step */
	/* what a step tells */
	bool ticked;          /* one of its units did */
	bool starved;         /* an SM has room for a block */
	uint64_t last_ticked; /* time of the last tick of all */
	uint64_t next;        /* not ticked: the earliest time at which one of its units wants to */
	/* numbers of the last step in which ... */
	struct gate sms_ticked; /* ... its SMs have ticked */
	struct gate done;       /* ... all is done, their stores too */
	uint64_t waited;        /* nanoseconds, for threads that had no core */
};

/* One time at which SMs, crossbars or L2 tick. DRAM catches up to it. */
struct step {
	uint64_t number; /* from 1 */
	uint64_t now;
	bool core, network, l2;                          /* these tick: */
	uint64_t core_cycle, network_cycle, l2_cycle; /* their next cycle */
};

/* Divides the machine's units among `gpu->workers` workers, before the units are made; workers_empty() forgets what was
 * on its way between units that are no more. */
void workers_open(struct gpu *gpu);
void workers_empty(struct gpu *gpu);
void workers_close(struct gpu *gpu);

/* Which worker a unit is with. */
struct worker *worker_of_sm(const struct gpu *gpu, uint32_t sm);
struct worker *worker_of_slice(const struct gpu *gpu, uint32_t slice);

/* Tells a port which workers its two ends are with; it starts empty. */
void worker_join(struct port *port, struct worker *producer, struct worker *consumer);

/* All of a step that this worker has to do; the others take the same step at the same time. */
void worker_step(struct worker *worker, const struct step *step);
/* The same of all workers, in one thread. */
void workers_step(struct gpu *gpu, const struct step *step);

#endif
