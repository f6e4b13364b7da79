/* cpi_stack: the cycle (CPI) stack. Each cycle of each scheduler is one slot, and every slot is charged to one
 * cause. */
#ifndef SLUICE_SM_CPI_STACK_H
#define SLUICE_SM_CPI_STACK_H

#include "memory/request.h"
#include "sm/limits.h"

/* Levels to which waiting for shared memory and the texture cache is charged. They follow those of enum
 * request_level. */
enum { LEVEL_SHARED = LEVEL_DRAM + 1, LEVEL_TEXTURE };

struct op;
struct sm;
struct sm_warp;
struct scheduler;

/* Charges scheduler slots of cycles in which none of its warps issued. Sets scheduler->charged to the counter. */
void cpi_charge(struct sm *sm, struct scheduler *scheduler, uint64_t slots);
/* Data that the warp's slots waited for have arrived from `level`, for the instruction `op` (NULL: none). */
void cpi_resolve(struct sm *sm, struct sm_warp *warp, const struct op *op, uint32_t level);

#endif
