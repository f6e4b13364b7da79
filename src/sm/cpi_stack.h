/* cpi_stack: the cycle (CPI) stack: each scheduler's each cycle is one slot, and every slot is charged to one cause. */
#ifndef SLUICE_SM_CPI_STACK_H
#define SLUICE_SM_CPI_STACK_H

#include "memory/request.h"
#include "sm/limits.h"

/* Levels under which waiting for shared memory and for the texture cache is charged (behind those of enum request_level). */
enum { LEVEL_SHARED = LEVEL_DRAM + 1, LEVEL_TEXTURE };

struct op;
struct sm;
struct sm_warp;
struct scheduler;

/* Charges a scheduler's slots of cycles in which none of its warps issued; scheduler->charged is the counter. */
void cpi_charge(struct sm *sm, struct scheduler *scheduler, uint64_t slots);
/* The data that the warp's slots have waited for have come from that level, for that instruction (NULL: for none). */
void cpi_resolve(struct sm *sm, struct sm_warp *warp, const struct op *op, uint32_t level);

#endif
