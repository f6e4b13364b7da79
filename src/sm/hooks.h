/* hooks: builds the events for mechanisms' looks and vetoes from the SM's state. To be called only when some
 * mechanism has the hook. */
#ifndef SLUICE_SM_HOOKS_H
#define SLUICE_SM_HOOKS_H

#include "sm/sm.h"

bool hooks_may_issue(struct sm *sm, const struct sm_warp *warp);
/* To be called before the instruction runs. Returns the cycles that its opcode's owner assigns to it, or 0. Then
 * calls the looks. */
uint32_t hooks_issue(struct sm *sm, const struct sm_warp *warp);
/* Reads the operands with which the warp's next instruction, which is in its buffer, is about to run. `host` is the
 * struct sm. */
void hooks_operands(const void *host, uint32_t slot, struct mech_operands *operands);
/* Stops the kernel at the warp's next instruction, which is in its buffer, because `lane` must not execute it. */
void hooks_stop(void *host, uint32_t slot, uint32_t lane, const char *why);
/* hooks_bulk_copy reads the bulk copy of a lane of the warp's next instruction; false: the kernel will stop there.
 * hooks_complete reports arrivals and bytes to an mbarrier of the block in a slot. */
bool hooks_bulk_copy(const void *host, uint32_t slot, uint32_t lane, struct bulk_copy *copy);
void hooks_complete(void *host, uint32_t block, uint32_t shared, uint32_t arrivals, uint64_t bytes);
/* Makes resting schedulers query which warps compete: in this cycle, if their turn is still to come, else in the
 * next one. */
void hooks_compete_again(void *host);
/* Reads the state of a live warp, except its holders. */
void hooks_look_at_warp(const void *host, uint32_t slot, struct mech_warp *warp);
void hooks_memory(struct sm *sm, const struct op *op);
/* The instruction's next access, which is reported when it is made. */
struct mech_access hooks_next_access(const struct sm *sm, const struct op *op);
void hooks_access(struct sm *sm, const struct mech_access *next, enum mech_result result);
/* Cycles in which a mechanism answers a miss that would leave L1; 0: it does not. */
uint32_t hooks_answer_miss(struct sm *sm, const struct request *request);
bool hooks_may_allocate(struct sm *sm, const struct op *op);

/* True when some mechanism observes accesses to shared memory or may refuse them. */
static inline bool hooks_shared_is_observed(const struct sm *sm)
{
	return sm->seam->shared_access.count | sm->seam->may_access_shared.count;
}
/* Records the bytes that an instruction on shared memory accesses, for the looks when it gets the banks. */
void hooks_note_range(struct op *op, const struct simt_step *step);
/* The instruction requests the banks. Calls the looks, or returns false when it is refused the banks in this cycle. */
bool hooks_may_access_shared(struct sm *sm, const struct op *op);
/* The instruction issues, and may read data that mechanisms have fetched. */
void hooks_shared_touched(struct sm *sm, const struct op *op, const struct simt_step *step);

/* True when some mechanism observes accesses of the instruction's kind. */
static inline bool hooks_access_is_observed(const struct sm *sm, const struct op *op)
{
	return sm->seam->access.count && (op->space == PTX_GLOBAL || op->space == PTX_LOCAL);
}

#endif
