/* staging: types and functions shared by the files of this folder. The mechanism measures how long software takes to
 * bring tiles from global to shared memory (README.md). */
#ifndef SLUICE_MECH_STAGING_STAGING_H
#define SLUICE_MECH_STAGING_STAGING_H

#include "seam/mech.h"

#define STAGING_COUNTERS(X)                                                                                            \
	X(transfers, "transfers", "transfers of a tile by a block into one array of shared memory")                    \
	X(agen_cycles, "cycles", "cycles of transfers from their first instruction to their last load's issue")        \
	X(overlap_cycles, "cycles", "part of agen_cycles with data of the transfer in flight to a warp")               \
	X(mem_cycles, "cycles", "cycles of transfers from there until the banks have written their last store")        \
	X(transfer_cycles, "cycles", "cycles of transfers: agen_cycles + mem_cycles")                                  \
	X(bytes, "bytes", "bytes that lanes loaded for transfers")                                                     \
	X(stalled_cycles, "cycles", "SM cycles without issue: all warps wait for loads, one of them for a transfer's") \
	X(blocked_cycles, "cycles", "SM cycles without issue: as stalled_cycles, or blocked by a full memory pipe")    \
	X(resident_cycles, "cycles", "SM cycles with a resident block")

struct staging_stats {
#define X(name, unit, meaning) uint64_t name;
	STAGING_COUNTERS(X)
#undef X
};

enum { AGEN_LENGTHS, MEM_LENGTHS, TRANSFER_LENGTHS, STAGING_VECTORS };
enum { AGEN, MEM, COMP, STAGING_EVENTS };

/* The GPU's part: the analysis of the running kernel. */
struct staging_kernel {
	const struct mech_staging_inst *role; /* by pc */
	uint32_t arrays;
};

/* One transfer. Its intervals are half-open: an end is the first cycle after the interval. */
struct tile {
	bool has_begun;
	uint64_t begin, loaded, stored; /* loaded: 0 before its first load */
	uint64_t warps;                 /* warps of the block that have loaded or stored for it, as bits */
	uint64_t bytes;
	uint32_t stores, in_flight; /* stores issued; and those that the banks have not written yet */
	uint64_t waiting;           /* warps that have loaded and not used the data yet, as bits */
	uint64_t waits_since;       /* cycle from which on `waiting` has been non-empty */
	/* cycles with non-empty `waiting` before that; and their number at the last load */
	uint64_t waited, waited_at_load;
};

/* An array of a block. Its transfers follow each other. */
struct array {
	struct tile tile;   /* the current or next transfer */
	struct tile ending; /* the previous transfer, while some of its stores have not been written */
	bool is_used;       /* a transfer has ended */
	uint64_t free;      /* cycle from which on the block computes on the last tile */
};

enum { BARRIERS = 16 };

struct barrier {
	uint64_t came;    /* warps of the block that have arrived, as bits */
	uint32_t threads; /* threads that the barrier waits for; 0: all of the block */
};

struct block {
	uint32_t first_warp, warps;
	uint64_t live; /* live warps at the last look, as bits */
	struct barrier barrier[BARRIERS];
	struct array array[MECH_STAGED_ARRAYS];
};

/* A period of consecutive cycles without issue in which a condition holds. */
struct stretch {
	bool is_on;
	uint64_t begin;
};

struct staging_sm {
	struct block *block; /* by slot */
	uint64_t resident;   /* block slots in use, as bits */
	uint64_t since;      /* cycle from which on `resident` has been non-empty */
	uint64_t issued;     /* the cycle after the last issue of an instruction */
	struct stretch stalled, blocked;
};

static inline const struct staging_kernel *staging_kernel(const struct mech_sm *sm)
{
	return sm->gpu->state;
}

/* tiles.c: the transfers of a block. Events: an instruction of the slice issues, a store has the banks, a barrier
 * releases these warps, the block ends. */
void tiles_issue(struct mech_sm *sm, const struct mech_issue *issue, const struct mech_staging_inst *role);
void tiles_stored(struct mech_sm *sm, const struct mech_shared *access, const struct mech_staging_inst *role);
void tiles_passed(struct mech_sm *sm, uint32_t slot, uint64_t warps, uint64_t cycle);
void tiles_block_end(struct mech_sm *sm, uint32_t slot, uint64_t cycle);

#endif
