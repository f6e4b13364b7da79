/* sharing: pairs of blocks share scratchpad memory (V. Jatala, J. Anantpur, A. Karkare: Scratchpad Sharing in GPUs, 2016): what its files
 * share. README.md says what the paper leaves open.
 *
 *   sharing.c    options, counters, the hooks
 *   residency.c  how many blocks an SM holds, which of them are pairs, and where their bytes lie (3)
 *   touch.c      which instructions touch what a pair shares (3, Figure 4)
 *   lock.c       who owns what a pair shares, from the first touch to the release (3, 4, 6.2)
 *   costs.c      bits (7.1)
 */
#ifndef SLUICE_MECH_SHARING_SHARING_H
#define SLUICE_MECH_SHARING_SHARING_H

#include "base/dma.h"
#include "seam/mech.h"

enum sharing_release { SHARING_BLOCK_END, SHARING_EXIT, SHARING_POSTDOM, SHARING_OPTIMAL };

struct sharing_config {
	double t;         /* of a block's bytes, those that it has alone */
	uint32_t release; /* enum sharing_release: where relssp goes */
	bool layout, poll, pair_pollers;
};

#define SHARING_COUNTERS(X)                                                                                            \
	X(paired_blocks, "blocks", "that were one of a pair's")                                                        \
	X(unshared_blocks, "blocks", "that were not")                                                                  \
	X(owners, "blocks", "that touched what their pair shares: each took the lock, or had it already")              \
	X(inherited, "blocks", "of these that had it from an owner that ended")                                        \
	X(lock_waits, "instructions", "turned away at issue, since the partner owned what they touch")                 \
	X(lock_wait_cycles, "cycles", "of warps, from being turned away until they were woken")                        \
	X(polls, "instructions", "turned away again, with poll=yes")                                                   \
	X(relssp, "instructions", "by thread: releases executed")                                                      \
	X(repeated_relssp, "instructions", "of these by a thread that had released before")                            \
	X(released, "blocks", "that gave up the lock before they ended")                                               \
	X(cycles_before, "cycles", "of blocks of a pair until they first touched what it shares, or to their end")     \
	X(cycles_in, "cycles", "... from then until they released it, or to their end")                                \
	X(cycles_after, "cycles", "... from then to their end")

struct sharing_stats {
	uint64_t blocks_per_sm, pairs, own_bytes;
#define X(name, unit, meaning) uint64_t name;
	SHARING_COUNTERS(X)
#undef X
};

enum sharing_event { SHARING_OWNS, SHARING_WAITS, SHARING_EVENTS };

/* How an SM's shared memory is given to blocks: slots 0 to `places` - 1 as without sharing, of which the first `pairs` share theirs with a partner, slot
 * places + 0, 1, ...; `own` bytes of each block of a pair are its own, those behind are the pair's. */
struct sharing_residency {
	uint32_t places, pairs, bytes, own; /* bytes: of a block */
};

enum { SHARING_NOBODY = MECH_MAX_BLOCKS };

struct sharing_warp {
	uint32_t unreleased; /* lanes that have neither exited nor executed relssp, those without a thread among them, */
	uint32_t released;   /* and those that have executed it */
	bool touches;        /* may_issue has found that its next instruction touches what the pair shares */
	bool waits;
	uint64_t since;
	struct dma_warp said; /* to a DMA engine */
	uint32_t copying; /* lanes whose copies in bulk out of what is shared may still read it, by the groups that they wait for */
};

struct sharing_block {
	bool resident, touched, inherited, has_relssp, released;
	uint32_t first_warp, warps, unreleased; /* unreleased: threads that have neither exited nor executed relssp */
	uint64_t begin, touch, release;                  /* cycles */
	struct dma_transfer last[DMA_BUFFERS];
};

struct sharing_sm {
	struct sharing_residency residency;
	struct sharing_block block[MECH_MAX_BLOCKS];
	struct sharing_warp warp[MECH_MAX_WARPS];
	uint32_t owner[MECH_MAX_BLOCKS / 2]; /* by pair: the slot that has the lock, or SHARING_NOBODY; */
	uint32_t given_up;                   /* pairs, as bits, whose owner has released it or ended in this cycle */
};

static inline struct sharing_sm *sharing_of(const struct mech_sm *sm)
{
	return sm->state;
}

/* residency.c: of blocks with so many bytes in shared memory of `all` bytes, where `room` says how many all else allows. */
struct sharing_residency sharing_divide(double t, uint32_t all, uint32_t bytes, const struct mech_room *room);

static inline uint32_t sharing_blocks(const struct sharing_residency *residency)
{
	return residency->places + residency->pairs;
}

/* The slot that a slot shares with, or SHARING_NOBODY. */
uint32_t sharing_partner(const struct sharing_residency *residency, uint32_t slot);
uint32_t sharing_pair(const struct sharing_residency *residency, uint32_t slot); /* of a slot that shares */
/* Bytes that the blocks in these slots take; where a block's byte lies. */
uint32_t sharing_taken(const struct sharing_residency *residency, uint64_t slots);
uint32_t sharing_byte_place(const struct sharing_residency *residency, uint32_t slot, uint32_t byte);

/* touch.c: the lanes of an instruction of a paired block that touch what its pair shares. */
uint32_t sharing_touches(struct mech_sm *sm, const struct mech_issue *issue);
/* What a warp says to a DMA engine, which copies in bulk it asks for and waits for, when it issues. */
void sharing_listen(struct mech_sm *sm, const struct mech_issue *issue);

/* lock.c */
void sharing_block_begin(struct mech_sm *sm, const struct mech_block *event);
void sharing_block_end(struct mech_sm *sm, const struct mech_block *event);
/* Whether the instruction may touch what the pair shares: if not, its warp waits for that. */
bool sharing_may_touch(struct mech_sm *sm, const struct mech_issue *issue);
/* It does, at its issue. */
void sharing_touch(struct mech_sm *sm, const struct mech_issue *issue);
/* At a cycle's end: what owners have given up in it is their partners' to have. */
void sharing_settle(struct mech_sm *sm, uint64_t cycle);
/* These lanes need it no more; `exit`: nor anything else. */
void sharing_lanes_done(struct mech_sm *sm, const struct mech_issue *issue, bool exit);

/* costs.c */
uint32_t sharing_costs(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);

#endif
