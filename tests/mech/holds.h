/* holds: blocks and warps that a test's mechanism holds until a random cycle. */
#ifndef SLUICE_TESTS_MECH_HOLDS_H
#define SLUICE_TESTS_MECH_HOLDS_H

#include "seam/mech.h"

/* By slot: the cycle in which the block is released or the warp woken; 0: not held. The first member of an SM part's
 * state. */
struct holds {
	uint64_t due[MECH_MAX_BLOCKS], warp_due[MECH_MAX_WARPS];
};

/* Releases the held blocks that are due, of `first`, `first` + 2, ... Returns the cycle of the next release. */
static inline uint64_t holds_release(struct mech_sm *sm, uint32_t first, uint64_t cycle)
{
	struct holds *holds = sm->state;
	uint64_t next = MECH_NEVER;
	for (uint32_t slot = first; slot < MECH_MAX_BLOCKS; slot += 2) {
		if (holds->due[slot] && holds->due[slot] <= cycle) {
			holds->due[slot] = 0;
			mech_release_block(sm, slot);
		}
		if (holds->due[slot] && holds->due[slot] < next)
			next = holds->due[slot];
	}
	return next;
}

/* Holds a live warp until then, unless it is already held. */
static inline void holds_warp(struct mech_sm *sm, uint32_t slot, uint64_t due)
{
	struct holds *holds = sm->state;
	struct mech_warp warp;
	mech_look_at_warp(sm, slot, &warp);
	if (!warp.live || warp.held_by_me)
		return;
	holds->warp_due[slot] = due;
	mech_hold_warp(sm, slot);
}

/* Wakes the warps that are due and have not ended. Returns the cycle of the next one. */
static inline uint64_t holds_wake(struct mech_sm *sm, uint64_t cycle)
{
	struct holds *holds = sm->state;
	uint64_t next = MECH_NEVER;
	for (uint32_t slot = 0; slot < sm->machine->warps; slot++) {
		struct mech_warp warp;
		uint64_t due = holds->warp_due[slot];
		if (due > cycle && due < next)
			next = due;
		if (!due || due > cycle)
			continue;
		holds->warp_due[slot] = 0;
		mech_look_at_warp(sm, slot, &warp);
		if (warp.held_by_me)
			mech_wake_warp(sm, slot);
	}
	return next;
}

/* The block and its warps are no longer held. */
static inline void holds_block_end(struct mech_sm *sm, const struct mech_block *block)
{
	struct holds *holds = sm->state;
	holds->due[block->slot] = 0;
	for (uint32_t w = 0; w < block->warps; w++)
		holds->warp_due[block->first_warp + w] = 0;
}

/* For the cycle hooks: their SM releases even slots, the dispatcher odd ones; warps are woken by their SM. */
static inline uint64_t holds_cycle(struct mech_sm *sm, uint64_t cycle)
{
	uint64_t release = holds_release(sm, 0, cycle), wake = holds_wake(sm, cycle);
	return release < wake ? release : wake;
}

static inline uint64_t holds_gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	uint64_t first = MECH_NEVER;
	for (uint32_t i = 0; i < gpu->machine->sms; i++) {
		uint64_t next = holds_release(mech_part(gpu, i), 1, cycle);
		first = next < first ? next : first;
	}
	return first;
}

#endif
