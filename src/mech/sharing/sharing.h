/* sharing: types and functions shared by the files of this folder. In this mechanism, pairs of blocks share
 * scratchpad memory (V. Jatala, J. Anantpur, A. Karkare: Scratchpad Sharing in GPUs, 2016). README.md lists the
 * decisions where the paper is silent.
 *
 *   sharing.c    options, counters, the hooks
 *   residency.c  number of blocks per SM, which of them are pairs, and the place of their bytes (3)
 *   touch.c      which instructions touch the common part of a pair (3, Figure 4)
 *   lock.c       ownership of the common part, from the first touch to the release (3, 4, 6.2)
 *   costs.c      bits (7.1) */
#ifndef SLUICE_MECH_SHARING_SHARING_H
#define SLUICE_MECH_SHARING_SHARING_H

#include "base/dma.h"
#include "seam/mech.h"

enum sharing_release { SHARING_BLOCK_END, SHARING_EXIT, SHARING_POSTDOM, SHARING_OPTIMAL };

struct sharing_config {
	double t;         /* private fraction of a block's bytes */
	uint32_t release; /* enum sharing_release: where relssp is inserted */
	bool layout, pairs, poll, pair_pollers;
};

#define SHARING_COUNTERS(X)                                                                                            \
	X(paired_blocks, "blocks", "blocks that belonged to a pair")                                                   \
	X(unshared_blocks, "blocks", "blocks that belonged to no pair")                                                \
	X(owners, "blocks", "blocks that touched the common part: each took the lock, or already had it")              \
	X(inherited, "blocks", "owners that inherited the lock from an owner that ended")                              \
	X(lock_waits, "instructions", "instructions refused at issue because the partner owned the common part")       \
	X(lock_wait_cycles, "cycles", "cycles of warps from the refusal until they were woken")                        \
	X(polls, "instructions", "further refusals, with poll=yes")                                                    \
	X(relssp, "instructions", "releases executed, by thread")                                                      \
	X(repeated_relssp, "instructions", "releases by a thread that had released before")                            \
	X(released, "blocks", "blocks that released the lock before they ended")                                       \
	X(cycles_before, "cycles", "cycles of paired blocks until their first touch of the common part, or their end") \
	X(cycles_in, "cycles", "cycles of paired blocks from the first touch until the release, or their end")         \
	X(cycles_after, "cycles", "cycles of paired blocks from the release to their end")                             \
	X(cycles_least, "cycles", "of each paired block, half of its cycles, or those in the common part if these are more")

struct sharing_stats {
	uint64_t blocks_per_sm, pairs, own_bytes;
#define X(name, unit, meaning) uint64_t name;
	SHARING_COUNTERS(X)
#undef X
};

enum sharing_event { SHARING_OWNS, SHARING_WAITS, SHARING_EVENTS };

/* Distribution of an SM's shared memory to blocks. Slots 0 to `places` - 1 are as without sharing. The first `pairs`
 * of them have a partner, in the slots from `places` on. In each block of a pair, the first `own` bytes are private;
 * the rest is the pair's common part. */
struct sharing_residency {
	uint32_t places, pairs, bytes, own; /* bytes: per block */
	uint32_t only_measured;             /* with pairs=no: the pairs that would fit */
};

enum { SHARING_NOBODY = MECH_MAX_BLOCKS };

struct sharing_warp {
	uint32_t unreleased; /* lanes that have neither exited nor executed relssp, including those without a thread */
	uint32_t released;   /* lanes that have executed relssp */
	bool touches;        /* whether may_issue has found that its next instruction touches the common part */
	bool waits;
	uint64_t since;
	struct dma_warp dma; /* its commands to a DMA engine */
	/* lanes with bulk copies out of the common part that may still read it, by the groups that they have not
	 * waited for */
	uint32_t copying;
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
	uint32_t owner[MECH_MAX_BLOCKS / 2]; /* by pair: the slot that has the lock, or SHARING_NOBODY */
	uint32_t given_up;                   /* pairs, as bits, whose owner has released or ended in this cycle */
};

static inline struct sharing_sm *sharing_of(const struct mech_sm *sm)
{
	return sm->state;
}

/* residency.c: distributes `all` bytes of shared memory to blocks of `bytes` bytes; `room` has the limits from other
 * resources. */
struct sharing_residency sharing_divide(double t, uint32_t all, uint32_t bytes, const struct mech_room *room);

static inline uint32_t sharing_blocks(const struct sharing_residency *residency)
{
	return residency->places + residency->pairs;
}

/* The slot's partner, or SHARING_NOBODY. */
uint32_t sharing_partner(const struct sharing_residency *residency, uint32_t slot);
uint32_t sharing_pair(const struct sharing_residency *residency, uint32_t slot); /* the slot must be paired */
/* sharing_taken(): bytes that the blocks in these slots occupy. sharing_byte_place(): the place of a block's byte in
 * shared memory. */
uint32_t sharing_taken(const struct sharing_residency *residency, uint64_t slots);
uint32_t sharing_byte_place(const struct sharing_residency *residency, uint32_t slot, uint32_t byte);

/* touch.c: returns the lanes of a paired block's instruction that touch the common part. */
uint32_t sharing_touches(struct mech_sm *sm, const struct mech_issue *issue);
/* Records at issue a warp's commands to a DMA engine, its bulk copies, and its waits for them. */
void sharing_track(struct mech_sm *sm, const struct mech_issue *issue);

/* lock.c */
void sharing_block_begin(struct mech_sm *sm, const struct mech_block *event);
void sharing_block_end(struct mech_sm *sm, const struct mech_block *event);
/* Whether the instruction may issue with respect to the common part. If not, its warp waits. */
bool sharing_may_touch(struct mech_sm *sm, const struct mech_issue *issue);
/* Call at issue: takes the lock if the instruction touches the common part. */
void sharing_touch(struct mech_sm *sm, const struct mech_issue *issue);
/* Call at a cycle's end: passes locks given up in it to the partners. */
void sharing_settle(struct mech_sm *sm, uint64_t cycle);
/* The lanes have executed relssp or, with `exit`, have exited. */
void sharing_lanes_done(struct mech_sm *sm, const struct mech_issue *issue, bool exit);

/* costs.c */
uint32_t sharing_costs(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);

#endif
