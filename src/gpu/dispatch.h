/* dispatch: gives the grid's blocks to SMs, round robin or as a mechanism picks, at most one an SM and cycle. */
#ifndef SLUICE_GPU_DISPATCH_H
#define SLUICE_GPU_DISPATCH_H

#include "gpu/gpu.h"

struct dispatch {
	uint64_t next, blocks; /* the next block; blocks of the grid */
	bool try;              /* an SM may have room */
	bool vetoed;           /* one had, but a mechanism refused */
};

/* Sets run->blocks_limit too. */
void dispatch_begin(struct dispatch *dispatch, struct gpu *gpu, struct gpu_run *run);
/* One core cycle: the requests of mechanisms, their hooks, new blocks. True when something happened. */
bool dispatch_cycle(struct dispatch *dispatch, struct gpu *gpu);
/* In the next core cycle it has a block to place. */
static inline bool dispatch_asks(const struct dispatch *dispatch)
{
	return dispatch->try && dispatch->next < dispatch->blocks;
}
/* Blocks that have ended. */
uint64_t dispatch_done(const struct gpu *gpu);

#endif
