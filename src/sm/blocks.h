/* blocks: the SM's resident blocks: start, barriers, holds by mechanisms, end. */
#ifndef SLUICE_SM_BLOCKS_H
#define SLUICE_SM_BLOCKS_H

#include "base/snapshot.h"
#include "simt/simt.h"
#include "sm/limits.h"

struct sm;
struct sm_warp;

/* The needs of a kernel's block, as allocated. */
struct sm_needs {
	uint32_t warps, registers, shared_bytes;
	uint32_t limit; /* maximum number of the kernel's blocks on an SM */
	uint32_t fit;   /* number that fit: a small grid can have a lower limit */
};

/* A kernel that the SM runs. */
struct sm_kernel {
	const struct simt_launch *launch; /* NULL: this place is free */
	struct sm_needs block;            /* needs of each block */
	uint32_t resident;                /* its blocks on this SM */
	uint64_t ended;                   /* number of its blocks that have ended here */
	uint64_t last_end;                /* cycle in which the last one ended */
	/* issued for its blocks; counted only where kernels may run together */
	uint64_t warp_instructions, thread_instructions;
	uint64_t local_base, local_pitch; /* sm/local_memory.h */
	uint64_t first_age;               /* age of its first warp; the warps of later kernels are older */
	uint64_t shared_bytes;            /* what all its blocks on an SM need of a unified memory */
};

/* The life of a block: its number in the grid, and the core cycles in which it was placed and ended. The instructions
 * of its warps are counted only where blocks.counts is set. */
struct sm_block_life {
	uint64_t number, begin, end, warp_instructions;
};

/* A block slot. */
struct sm_block {
	struct simt_block simt;
	struct sm_kernel *kernel;
	uint32_t alive; /* warps whose slot is in use; 0: the block slot is free */
	uint32_t first_warp;
	struct sm_block_life life;
};

struct blocks {
	uint32_t resident;
	uint32_t live_warps; /* warps with a thread that has not exited */
	uint64_t last_end;   /* cycle in which the last block ended */
	/* what resident blocks use; a block has its warp slots, as bits, to its end */
	struct {
		uint32_t registers, shared_bytes;
		uint64_t warps[SM_WARP_WORDS];
	} used;
	struct sm_block slot[SM_MAX_BLOCKS];
	bool several;     /* kernels may run together: `used` limits their blocks; else the kernel's own limit does */
	bool counts;      /* instructions are counted by kernel and block */
	bool keeps;       /* the blocks that have ended since the kernel's begin are kept, for outputs */
	struct sm_block_life *ended;
	size_t ended_count, ended_capacity;
	uint32_t kernels; /* number of kernels that the SM runs */
	uint32_t newest;  /* kernel of the block that started last; SM_MAX_KERNELS: it has ended, or none did */
	struct sm_kernel kernel[SM_MAX_KERNELS];
};

/* As sm_begin(), sm_add_kernel() and sm_remove_kernel(). */
void blocks_begin(struct sm *sm, bool several);
/* From now on, what ended blocks did is kept until the next blocks_begin(). */
void blocks_keep_ended(struct sm *sm);
/* Saves or restores these blocks. */
void blocks_snapshot(struct blocks *blocks, struct snapshot *snapshot);
void blocks_add_kernel(struct sm *sm, uint32_t kernel, const struct simt_launch *launch, const struct sm_needs *needs,
                       uint64_t first_age);
void blocks_remove_kernel(struct sm *sm, uint32_t kernel);
void blocks_close(struct sm *sm);

/* True when a block of that kernel fits together with the resident blocks. */
bool blocks_fit_with_others(const struct sm *sm, const struct sm_kernel *kernel);

/* The warp has reached a barrier, or some of its lanes have exited, for which others may have waited. */
void blocks_barrier(struct sm *sm, struct sm_warp *warp, const struct simt_step *step);
/* A warp of the block in that slot has ended, with nothing in flight. With its last warp the block ends. */
void blocks_warp_exited(struct sm *sm, uint32_t slot);

/* Counts a warp that gains or loses its status of having an unfinished thread. */
static inline void blocks_count_live(struct blocks *blocks, bool live)
{
	blocks->live_warps += live ? 1 : -1;
}

/* Counts an instruction that a warp of the block has issued, for it and its kernel. */
static inline void blocks_count_issue(struct blocks *blocks, uint32_t slot, uint32_t lanes)
{
	struct sm_kernel *kernel = blocks->slot[slot].kernel;
	blocks->slot[slot].life.warp_instructions++;
	kernel->warp_instructions++;
	kernel->thread_instructions += lanes;
}

/* Sets the mechanisms that hold the block (seam_sm.held). May be called from outside while the SM sleeps. */
void blocks_set_holders(void *sm, uint32_t slot, uint32_t holders, uint64_t cycle);

#endif
