/* blocks: the SM's resident blocks: start, barriers, being held by mechanisms, end. */
#ifndef SLUICE_SM_BLOCKS_H
#define SLUICE_SM_BLOCKS_H

#include "simt/simt.h"
#include "sm/limits.h"

struct sm;
struct sm_warp;

/* A block slot. */
struct sm_block {
	struct simt_block simt;
	uint32_t alive; /* warps whose slot is in use; 0: free */
	uint32_t first_warp;
};

struct blocks {
	uint32_t warps_per_block, limit; /* of the launch: most resident blocks */
	uint32_t resident;
	uint32_t live_warps; /* with a thread that has not exited */
	uint64_t last_end;   /* cycle in which a block ended last */
	struct sm_block slot[SM_MAX_BLOCKS];
};

/* A launch begins, with at most `limit` resident blocks. */
void blocks_begin(struct sm *sm, uint32_t limit);
void blocks_close(struct sm *sm);

/* The warp has come to a barrier, or lanes of it have ended, for which others may have waited. */
void blocks_barrier(struct sm *sm, struct sm_warp *warp, const struct simt_step *step);
/* A warp of the block in that slot has ended, and has nothing in flight: with the last one the block has. */
void blocks_warp_exited(struct sm *sm, uint32_t slot);

/* A warp more, or less, has a thread that has not exited. */
static inline void blocks_count_live(struct blocks *blocks, bool live)
{
	blocks->live_warps += live ? 1 : -1;
}

/* The mechanisms that hold the block become more or fewer (seam_sm.held). It may come from outside, while the SM sleeps. */
void blocks_set_holders(void *sm, uint32_t slot, uint32_t holders, uint64_t cycle);

#endif
