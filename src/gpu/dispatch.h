/* dispatch: gives the blocks of the running kernels to SMs, round robin or as a mechanism picks. At most one block is
 * placed per cycle and cluster, or per cycle and SM without clusters. Each SM with space gets a block in turn, starting
 * after the one that got the last block. The SMs of a cluster take turns among themselves (GPGPU-Sim:
 * gpgpu_sim::issue_block2core(), simt_core_cluster::issue_block2core()).
 *
 * Several kernels are ordered by priority and start. gpu/policy.h has the policies that decide which one gets the next
 * space. */
#ifndef SLUICE_GPU_DISPATCH_H
#define SLUICE_GPU_DISPATCH_H

#include "gpu/gpu.h"

/* The grid of a running kernel. */
struct grid {
	struct gpu_run *run;   /* NULL: this place is free */
	uint64_t next, blocks; /* the next block; blocks of the grid */
	uint64_t from;         /* first core cycle in which blocks may start */
	uint64_t launched;     /* core cycle of the launch */
	uint64_t first_block;  /* core cycle in which its first block started; valid if next > 0 */
};

struct dispatch {
	struct grid grid[SM_MAX_KERNELS]; /* a kernel has the same place here and in the SMs (sm_add_kernel()) */
	uint32_t order[SM_MAX_KERNELS];   /* places of the running kernels, by priority and start */
	uint32_t kernels;                 /* number of running kernels */
	uint64_t placed, blocks; /* blocks placed, and blocks of all grids, of all kernels since dispatch_begin() */
	uint64_t warps;          /* of the kernels since then: ages of warps */
	uint64_t alarm; /* a step is taken in the core cycle before this one; UINT64_MAX: none */
	bool try;                /* an SM may have space */
	bool vetoed; /* an SM had space, but a mechanism refused; or an SM waits for lines (sm_waits_for_lines()) */
	struct sampler *sampler; /* of a kernel that runs alone: may decide that fewer blocks are enough; or NULL */
};

/* Begins with no kernel. */
void dispatch_begin(struct dispatch *dispatch);
/* Gives a kernel the lowest free place, run->place. Mechanisms know it by that number. */
void dispatch_place(const struct dispatch *dispatch, struct gpu_run *run);
/* Computes a kernel's limit of blocks per SM, run->blocks_limit. */
void dispatch_limit(const struct gpu *gpu, struct gpu_run *run);
/* Adds a kernel at its place, here and on the SMs. */
void dispatch_add(struct dispatch *dispatch, struct gpu *gpu, struct gpu_run *run);
/* Removes a kernel whose blocks have ended. */
void dispatch_remove(struct dispatch *dispatch, struct gpu *gpu, uint32_t place);
/* True when all blocks of the kernel have ended. No SM is ahead. */
bool dispatch_has_ended(const struct dispatch *dispatch, const struct gpu *gpu, uint32_t place);
/* The place of a kernel with blocks that are not started, the first in order; SM_MAX_KERNELS: none. */
uint32_t dispatch_waiting(const struct dispatch *dispatch);
/* Lists the places of the kernels whose blocks may start where an SM has space for them: with a policy that divides
 * SMs, all with such blocks; else the first in order. Returns their number. */
uint32_t dispatch_list_waiting(const struct dispatch *dispatch, const struct gpu *gpu, uint8_t place[SM_MAX_KERNELS]);
/* Simulates one core cycle: mechanisms' requests, their hooks, new blocks. True when something happened. */
bool dispatch_cycle(struct dispatch *dispatch, struct gpu *gpu);
/* The time from which it needs the next core cycle, independent of other units; UINT64_MAX: never. */
uint64_t dispatch_wake(const struct dispatch *dispatch, const struct gpu *gpu);
/* Number of blocks that have ended. */
uint64_t dispatch_done(const struct gpu *gpu);

#endif
