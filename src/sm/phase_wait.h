/* phase_wait: warps that wait for the end of an mbarrier's phase (mbarrier.try_wait). A lane that asks in vain holds its warp until a phase of an
 * mbarrier of its block ends, or sm.try_wait_cycles are over: then the program asks again. */
#ifndef SLUICE_SM_PHASE_WAIT_H
#define SLUICE_SM_PHASE_WAIT_H

#include "sm/limits.h"

#include <stdint.h>

struct sm;
struct sm_warp;

struct phase_waits {
	uint64_t next; /* cycle in which the first of them is over, or SM_NEVER */
	uint64_t end[SM_MAX_WARPS];
};

void phase_waits_open(struct sm *sm);
/* The warp's try_wait was in vain. */
void phase_wait(struct sm *sm, struct sm_warp *warp);
/* A phase of an mbarrier of the block in the slot has ended. */
void phase_ended(struct sm *sm, uint32_t block);
/* Lets those go on whose time is over. */
void phase_waits_expire(struct sm *sm);

#endif
