/* phase_wait: warps that wait for the end of an mbarrier's phase (mbarrier.try_wait). If a lane's test fails, its
 * warp is held until a phase of an mbarrier of its block ends, or sm.try_wait_cycles have passed. The program then
 * tests again. */
#ifndef SLUICE_SM_PHASE_WAIT_H
#define SLUICE_SM_PHASE_WAIT_H

#include "sm/limits.h"

#include <stdint.h>

struct sm;
struct sm_warp;

struct phase_waits {
	uint64_t next; /* cycle in which the first of them times out, or SM_NEVER */
	uint64_t end[SM_MAX_WARPS];
};

void phase_waits_open(struct sm *sm);
/* The warp's try_wait has failed. */
void phase_wait(struct sm *sm, struct sm_warp *warp);
/* A phase of an mbarrier of the block in the slot has ended. */
void phase_ended(struct sm *sm, uint32_t block);
/* Releases the warps whose time is over. */
void phase_waits_expire(struct sm *sm);

#endif
