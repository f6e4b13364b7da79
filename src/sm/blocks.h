/* blocks: the SM's resident blocks: start, barriers, holds by mechanisms, end. */
#ifndef SLUICE_SM_BLOCKS_H
#define SLUICE_SM_BLOCKS_H

#include "simt/simt.h"
#include "sm/limits.h"

struct sm;
struct sm_warp;

/* A block slot. */
struct sm_block {
	struct simt_block simt;
	uint32_t alive; /* warps whose slot is in use; 0: the block slot is free */
	uint32_t first_warp;
};

struct blocks {
	uint32_t warps_per_block, limit; /* of the launch: maximum number of resident blocks */
	uint32_t resident;
	uint32_t live_warps; /* warps with a thread that has not exited */
	uint64_t last_end;   /* cycle in which the last block ended */
	struct sm_block slot[SM_MAX_BLOCKS];
};

/* Begins a launch with at most `limit` resident blocks. */
void blocks_begin(struct sm *sm, uint32_t limit);
void blocks_close(struct sm *sm);

/* The warp has reached a barrier, or some of its lanes have exited, for which others may have waited. */
void blocks_barrier(struct sm *sm, struct sm_warp *warp, const struct simt_step *step);
/* A warp of the block in that slot has ended, with nothing in flight. With its last warp the block ends. */
void blocks_warp_exited(struct sm *sm, uint32_t slot);

/* Counts a warp that gains or loses its status of having an unfinished thread. */
static inline void blocks_count_live(struct blocks *blocks, bool live)
{
	blocks->live_warps += live ? 1 : -1;
}

/* Sets the mechanisms that hold the block (seam_sm.held). May be called from outside while the SM sleeps. */
void blocks_set_holders(void *sm, uint32_t slot, uint32_t holders, uint64_t cycle);

#endif
