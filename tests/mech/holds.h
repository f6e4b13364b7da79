/* holds: blocks that a mechanism made for a test holds until a cycle that it has drawn. */
#ifndef SLUICE_TESTS_MECH_HOLDS_H
#define SLUICE_TESTS_MECH_HOLDS_H

#include "seam/mech.h"

/* By slot, the cycle in which the block is released; 0: it is not held. The first member of an SM part's state. */
struct holds {
	uint64_t due[MECH_MAX_BLOCKS];
};

/* Releases of the held blocks `first`, `first` + 2, ... those that are due; gives the cycle in which the next one is. */
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

/* For the cycle hooks: even slots are released by their SM, odd ones by the dispatcher. */
static inline uint64_t holds_cycle(struct mech_sm *sm, uint64_t cycle)
{
	return holds_release(sm, 0, cycle);
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
