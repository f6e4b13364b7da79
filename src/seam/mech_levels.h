/* mech_levels: the two levels of a scheduler's warps: a few compete, and the others are pending until a place is free
 * (Narasiman et al., MICRO 2011; GPGPU-Sim's two_level_active). For warp orders, which include it next to
 * seam/mech.h. */
#ifndef SLUICE_SEAM_MECH_LEVELS_H
#define SLUICE_SEAM_MECH_LEVELS_H

#include "seam/mech.h"

#include <string.h>

/* The levels of one scheduler. */
struct mech_levels {
	uint64_t ready;                            /* competing warps, as bits */
	uint8_t pending[MECH_MAX_SCHEDULER_WARPS]; /* the other warps: a ring in the order of arrival */
	uint32_t head, count;
};

/* True when the warp waits for a load, is held (barrier, fence, atomic), or has ended. */
static inline bool mech_is_waiting(const struct mech_warps *warps, uint64_t bit)
{
	return ((warps->held | warps->load_hazard) & bit) || !(warps->live & bit);
}

static inline void mech_levels_push(struct mech_levels *levels, uint32_t warp)
{
	levels->pending[(levels->head + levels->count++) % MECH_MAX_SCHEDULER_WARPS] = (uint8_t)warp;
}

static inline uint32_t mech_levels_pop(struct mech_levels *levels)
{
	uint32_t warp = levels->pending[levels->head];
	levels->head = (levels->head + 1) % MECH_MAX_SCHEDULER_WARPS;
	levels->count--;
	return warp;
}

/* Returns a block's warps on a scheduler, as bits. */
static inline uint64_t mech_warps_of_block(const struct mech_sm *sm, const struct mech_block *block, uint32_t scheduler)
{
	uint64_t warps = 0;
	for (uint32_t slot = block->first_warp; slot < block->first_warp + block->warps; slot++)
		if (slot % sm->machine->schedulers == scheduler)
			warps |= 1ull << slot / sm->machine->schedulers;
	return warps;
}

/* Removes warps that have ended, as bits: new warps in their slots join at the end. */
static inline void mech_levels_forget(struct mech_levels *levels, uint64_t gone)
{
	levels->ready &= ~gone;
	for (uint32_t left = levels->count; left; left--) {
		uint32_t warp = mech_levels_pop(levels);
		if (!(gone >> warp & 1))
			mech_levels_push(levels, warp);
	}
}

/* Removes the warps of a block that has ended; `levels` are those of all schedulers. */
static inline void mech_levels_block_end(struct mech_levels *levels, const struct mech_sm *sm,
                                         const struct mech_block *block)
{
	for (uint32_t s = 0; s < sm->machine->schedulers; s++)
		mech_levels_forget(&levels[s], mech_warps_of_block(sm, block, s));
}

/* Moves competing warps that wait to the end of the pending ones. */
static inline void mech_levels_leave(struct mech_levels *levels, const struct mech_warps *warps)
{
	for (uint64_t left = levels->ready; left; left &= left - 1) {
		uint64_t bit = left & -left;
		if (!mech_is_waiting(warps, bit))
			continue;
		levels->ready &= ~bit;
		if (warps->live & bit)
			mech_levels_push(levels, (uint32_t)__builtin_ctzll(bit));
	}
}

/* Returns the warps that were launched since and are in no level yet. */
static inline uint64_t mech_levels_unknown(const struct mech_levels *levels, const struct mech_warps *warps)
{
	uint64_t known = levels->ready;
	for (uint32_t i = 0; i < levels->count; i++)
		known |= 1ull << levels->pending[(levels->head + i) % MECH_MAX_SCHEDULER_WARPS];
	return warps->live & ~known;
}

/* Appends these to the pending warps. */
static inline void mech_levels_join(struct mech_levels *levels, const struct mech_warps *warps)
{
	for (uint64_t left = mech_levels_unknown(levels, warps); left; left &= left - 1)
		mech_levels_push(levels, (uint32_t)__builtin_ctzll(left));
}

static inline bool mech_levels_are_full(const struct mech_levels *levels, uint32_t places)
{
	return (uint32_t)__builtin_popcountll(levels->ready) >= places;
}

/* Moves pending warps that do not wait to free places, in order. Those examined that do wait move to the end. */
static inline void mech_levels_enter(struct mech_levels *levels, const struct mech_warps *warps, uint32_t places)
{
	for (uint32_t tries = levels->count; tries && !mech_levels_are_full(levels, places); tries--) {
		uint32_t warp = mech_levels_pop(levels);
		if (!mech_is_waiting(warps, 1ull << warp))
			levels->ready |= 1ull << warp;
		else if (warps->live >> warp & 1)
			mech_levels_push(levels, warp);
	}
}

/* Moves pending warps of a set that do not wait to free places; the others keep their order. */
static inline void mech_levels_enter_first(struct mech_levels *levels, const struct mech_warps *warps, uint64_t set,
                                           uint32_t places)
{
	for (uint32_t left = levels->count; left; left--) {
		uint32_t warp = mech_levels_pop(levels);
		uint64_t bit = 1ull << warp;
		if (set & bit && !mech_is_waiting(warps, bit) && !mech_levels_are_full(levels, places))
			levels->ready |= bit;
		else
			mech_levels_push(levels, warp);
	}
}

/* Which of the warps that can issue goes first: the next after the last one that issued, or the oldest. */
enum mech_pick { MECH_PICK_ROUND_ROBIN, MECH_PICK_OLDEST };

/* The words of enum mech_pick, for an option of type BASE_OPTION_ENUM. */
static const char *const mech_picks[] = {"round_robin", "oldest", NULL};

static inline uint32_t mech_pick(const struct mech_warps *warps, uint64_t candidates, enum mech_pick pick)
{
	return pick == MECH_PICK_OLDEST ? mech_oldest(warps, candidates) : mech_next(warps, candidates);
}

/* --- a warp order that consists of the two levels --- */

/* Its state of an SM, of sm_size bytes. Its hooks kernel_begin, block_end and pick_warp are the functions below. */
struct mech_two_levels {
	struct mech_levels scheduler[MECH_MAX_SCHEDULERS];
};

static inline struct mech_levels *mech_two_levels_of(const struct mech_sm *sm, const struct mech_warps *warps)
{
	return &((struct mech_two_levels *)sm->state)->scheduler[warps->index];
}

static inline void mech_two_levels_begin(struct mech_sm *sm)
{
	memset(sm->state, 0, sizeof(struct mech_two_levels));
}

static inline void mech_two_levels_block_end(struct mech_sm *sm, const struct mech_block *block)
{
	mech_levels_block_end(((struct mech_two_levels *)sm->state)->scheduler, sm, block);
}

/* Round robin. */
static inline uint32_t mech_two_levels_pick(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	(void)sm;
	return mech_next(warps, candidates);
}

#endif
