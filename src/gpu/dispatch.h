/* dispatch: gives the grid's blocks to SMs, round robin or as a mechanism picks, at most one a cycle and cluster, or SM
 * where there are none. In turn each that has room, in the order behind the one that got the last block; the SMs of a cluster are in
 * turn among themselves (GPGPU-Sim: gpgpu_sim::issue_block2core(), simt_core_cluster::issue_block2core()). */
#ifndef SLUICE_GPU_DISPATCH_H
#define SLUICE_GPU_DISPATCH_H

#include "gpu/gpu.h"

struct dispatch {
	uint64_t next, blocks; /* the next block; blocks of the grid */
	uint64_t from;         /* the core cycle from which blocks may start */
	bool try;              /* an SM may have room */
	bool vetoed;           /* one had, but a mechanism refused */
	struct sampler *sampler; /* who may say that fewer blocks are enough, or NULL */
	uint64_t launched;       /* the launch's core cycle */
};

/* Sets run->blocks_limit too. */
void dispatch_begin(struct dispatch *dispatch, struct gpu *gpu, struct gpu_run *run);
/* One core cycle: the requests of mechanisms, their hooks, new blocks. True when something happened. */
bool dispatch_cycle(struct dispatch *dispatch, struct gpu *gpu);
/* The time from which it wants the next core cycle, as far as it depends on no unit; UINT64_MAX: never. */
uint64_t dispatch_wake(const struct dispatch *dispatch, const struct gpu *gpu);
/* Blocks that have ended. */
uint64_t dispatch_done(const struct gpu *gpu);

#endif
