/* hooks: the events that mechanisms look at and may veto, made of what the SM knows. To be called when some mechanism has the hook. */
#ifndef SLUICE_SM_HOOKS_H
#define SLUICE_SM_HOOKS_H

#include "sm/sm.h"

bool hooks_may_issue(struct sm *sm, const struct sm_warp *warp);
/* Before the instruction runs: gives the cycles that its opcode's owner gives it, or 0; then those look who look. */
uint32_t hooks_issue(struct sm *sm, const struct sm_warp *warp);
/* What the warp's next instruction, which is in its buffer, is about to be run with; `host` is the struct sm. */
void hooks_operands(const void *host, uint32_t slot, struct mech_operands *operands);
/* The kernel stops at the warp's next instruction, which is in its buffer: that lane must not do it. */
void hooks_stop(void *host, uint32_t slot, uint32_t lane, const char *why);
/* What a lane of the warp's next instruction copies in bulk; false: the kernel will stop there. Arrivals and bytes have come to an mbarrier of the block in a slot. */
bool hooks_bulk_copy(const void *host, uint32_t slot, uint32_t lane, struct bulk_copy *copy);
void hooks_complete(void *host, uint32_t block, uint32_t shared, uint32_t arrivals, uint64_t bytes);
/* Schedulers that rest ask which warps compete in this cycle, if their turn is still to come; else in the next one. */
void hooks_compete_again(void *host);
/* How a live warp stands, but for who holds it. */
void hooks_look_at_warp(const void *host, uint32_t slot, struct mech_warp *warp);
void hooks_memory(struct sm *sm, const struct op *op);
/* The instruction's next access, which is told when it is made. */
struct mech_access hooks_next_access(const struct sm *sm, const struct op *op);
void hooks_access(struct sm *sm, const struct mech_access *next, enum mech_result result);
/* Cycles in which a mechanism answers the miss, which would leave L1; 0: it does not. */
uint32_t hooks_answer_miss(struct sm *sm, const struct request *request);
bool hooks_may_allocate(struct sm *sm, const struct op *op);

/* Somebody looks at accesses to shared memory, or may refuse them. */
static inline bool hooks_look_at_shared(const struct sm *sm)
{
	return sm->seam->shared_access.count | sm->seam->may_access_shared.count;
}
/* Keeps the bytes that an instruction on shared memory accesses, for who looks when it has the banks. */
void hooks_note_range(struct op *op, const struct simt_step *step);
/* It wants the banks: they look, or it is refused them in this cycle. */
bool hooks_may_access_shared(struct sm *sm, const struct op *op);
/* It issues, and may read what mechanisms have brought. */
void hooks_shared_touched(struct sm *sm, const struct op *op, const struct simt_step *step);

/* Somebody looks at accesses like the instruction's. */
static inline bool hooks_look_at_access(const struct sm *sm, const struct op *op)
{
	return sm->seam->access.count && (op->space == PTX_GLOBAL || op->space == PTX_LOCAL);
}

#endif
