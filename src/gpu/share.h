/* share: the SMs that one of the host's workers simulates, and their bursts. */
#ifndef SLUICE_GPU_SHARE_H
#define SLUICE_GPU_SHARE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gpu;

struct share {
	_Alignas(64) uint32_t first_sm; /* apart from other threads' shares */
	uint32_t end_sm, first_cluster, end_cluster;
	_Atomic uint32_t claimed; /* of its SMs, those before this one are taken, by whoever came */
	/* what its bursts tell */
	bool waits;           /* one sleeps until the request crossbar has room; where SMs go together, one may */
	uint64_t next;        /* times: at which the first one wants to tick, ... */
	uint64_t next_commit; /* ... has stores to make, ... */
	uint64_t next_room;   /* ... has got room for a block that waits; UINT64_MAX: none */
	uint64_t last_ticked;
	uint64_t ticks; /* of SMs, ever */
};

/* Divides the machine's SMs, or its clusters, among gpu->workers. */
void share_open(struct gpu *gpu);

/* Which worker an SM is with; all else is with the first. */
struct worker *share_of_sm(const struct gpu *gpu, uint32_t sm);

/* All SMs may be claimed from now on. */
void share_offer(struct gpu *gpu);

/* Ticks the worker's SMs whose time has come, in the step in progress, and each as far as it can go alone in the window. */
void share_run(void *machine, uint32_t worker);

#endif
