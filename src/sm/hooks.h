/* hooks: the events that mechanisms look at and may veto, made of what the SM knows. To be called when some mechanism has the hook. */
#ifndef SLUICE_SM_HOOKS_H
#define SLUICE_SM_HOOKS_H

#include "sm/sm.h"

bool hooks_may_issue(struct sm *sm, const struct sm_warp *warp);
/* Before the instruction runs. */
void hooks_issue(struct sm *sm, const struct sm_warp *warp);
/* What the warp's next instruction, which is in its buffer, is about to be run with; `host` is the struct sm. */
void hooks_operands(const void *host, uint32_t slot, struct mech_operands *operands);
/* How a live warp stands, but for who holds it. */
void hooks_look_at_warp(const void *host, uint32_t slot, struct mech_warp *warp);
void hooks_memory(struct sm *sm, const struct op *op);
/* The instruction's next access, which is told when it is made. */
struct mech_access hooks_next_access(const struct sm *sm, const struct op *op);
void hooks_access(struct sm *sm, const struct mech_access *next, enum mech_result result);
/* Cycles in which a mechanism answers the miss, which would leave L1; 0: it does not. */
uint32_t hooks_answer_miss(struct sm *sm, const struct request *request);
bool hooks_may_allocate(struct sm *sm, const struct op *op);

/* Somebody looks at accesses like the instruction's. */
static inline bool hooks_look_at_access(const struct sm *sm, const struct op *op)
{
	return sm->seam->access.count && (op->space == PTX_GLOBAL || op->space == PTX_LOCAL);
}

#endif
