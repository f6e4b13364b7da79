/* staging: how long software takes to bring tiles from global to shared memory (README.md). Inside this folder. */
#ifndef SLUICE_MECH_STAGING_STAGING_H
#define SLUICE_MECH_STAGING_STAGING_H

#include "seam/mech.h"

#define STAGING_COUNTERS(X)                                                                                            \
	X(transfers, "transfers", "of a tile by a block into one array of shared memory")                              \
	X(agen_cycles, "cycles", "of transfers from their first instruction to their last load's issue")               \
	X(overlap_cycles, "cycles", "of agen_cycles, in which data of the transfer were on their way to a warp")       \
	X(mem_cycles, "cycles", "of transfers from there until their last store is done with shared memory's banks")   \
	X(transfer_cycles, "cycles", "of transfers: agen_cycles and mem_cycles")                                       \
	X(bytes, "bytes", "that lanes loaded for transfers")                                                           \
	X(stalled_cycles, "cycles", "of SMs, without issue: all warps waited for loads, one of them for a transfer's") \
	X(blocked_cycles, "cycles", "of SMs, without issue: these, and those that waited for room on the way there")   \
	X(resident_cycles, "cycles", "of SMs in which they had a block")

struct staging_stats {
#define X(name, unit, meaning) uint64_t name;
	STAGING_COUNTERS(X)
#undef X
};

enum { AGEN_LENGTHS, MEM_LENGTHS, TRANSFER_LENGTHS, STAGING_VECTORS };
enum { AGEN, MEM, COMP, STAGING_EVENTS };

/* What the GPU's part knows of the kernel. */
struct staging_kernel {
	const struct mech_staging_inst *role; /* by pc */
	uint32_t arrays;
};

/* One transfer. Ends of stretches are the first cycles behind them. */
struct tile {
	bool has_begun;
	uint64_t begin, loaded, stored; /* loaded: 0 before its first load */
	uint64_t warps;                 /* of the block, that have loaded or stored for it */
	uint64_t bytes;
	uint32_t stores, in_flight; /* that have issued; of these, that do not have the banks yet */
	uint64_t waiting;           /* warps that have loaded and not handled the data yet, */
	uint64_t waits_since;       /* and since when there is one; */
	uint64_t waited, waited_at_load; /* cycles with one, before; of these, in front of the last load */
};

/* An array of a block: its transfers follow each other. */
struct array {
	struct tile tile;   /* that is going on or comes next */
	struct tile ending; /* the one before, while stores of it are still on their way to the banks */
	bool is_used;       /* one is over: */
	uint64_t free;      /* since when the block computes on its tile */
};

enum { BARRIERS = 16 };

struct barrier {
	uint64_t came;    /* warps of the block */
	uint32_t threads; /* that it is for; 0: all of the block */
};

struct block {
	uint32_t first_warp, warps;
	uint64_t live; /* warps, as they stood last */
	struct barrier barrier[BARRIERS];
	struct array array[MECH_STAGED_ARRAYS];
};

/* Cycles in which nothing issues and something is so. */
struct stretch {
	bool is_on;
	uint64_t begin;
};

struct staging_sm {
	struct block *block; /* by slot */
	uint64_t resident;   /* slots, */
	uint64_t since;      /* and since when there is one */
	uint64_t issued;     /* the cycle behind the one in which an instruction issued last */
	struct stretch stalled, blocked;
};

static inline const struct staging_kernel *staging_kernel(const struct mech_sm *sm)
{
	return sm->gpu->state;
}

/* tiles.c: the transfers of a block. An instruction of the slice issues; a store has the banks; a barrier lets these warps go; the
 * block ends. */
void tiles_issue(struct mech_sm *sm, const struct mech_issue *issue, const struct mech_staging_inst *role);
void tiles_stored(struct mech_sm *sm, const struct mech_shared *access, const struct mech_staging_inst *role);
void tiles_passed(struct mech_sm *sm, uint32_t slot, uint64_t warps, uint64_t cycle);
void tiles_block_end(struct mech_sm *sm, uint32_t slot, uint64_t cycle);

#endif
