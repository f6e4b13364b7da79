/* dispatch: gives the grid's blocks to SMs, round robin or as a mechanism picks. At most one block is placed per
 * cycle and cluster, or per cycle and SM without clusters. Each SM with space gets a block in turn, starting after
 * the one that got the last block. The SMs of a cluster take turns among themselves (GPGPU-Sim:
 * gpgpu_sim::issue_block2core(), simt_core_cluster::issue_block2core()). */
#ifndef SLUICE_GPU_DISPATCH_H
#define SLUICE_GPU_DISPATCH_H

#include "gpu/gpu.h"

struct dispatch {
	uint64_t next, blocks; /* the next block; blocks of the grid */
	uint64_t from;         /* first core cycle in which blocks may start */
	bool try;              /* an SM may have space */
	bool vetoed;           /* an SM had space, but a mechanism refused */
	struct sampler *sampler; /* may decide that fewer blocks are enough, or NULL */
	uint64_t launched;       /* core cycle of the launch */
};

/* Begins a launch. Also sets run->blocks_limit. */
void dispatch_begin(struct dispatch *dispatch, struct gpu *gpu, struct gpu_run *run);
/* Simulates one core cycle: mechanisms' requests, their hooks, new blocks. True when something happened. */
bool dispatch_cycle(struct dispatch *dispatch, struct gpu *gpu);
/* The time from which it needs the next core cycle, independent of other units; UINT64_MAX: never. */
uint64_t dispatch_wake(const struct dispatch *dispatch, const struct gpu *gpu);
/* Number of blocks that have ended. */
uint64_t dispatch_done(const struct gpu *gpu);

#endif
