/* sub_cores: an SM whose schedulers have collector units, register banks and execution units of their own, as from Volta on (sm.sub_cores). Warp
 * w is scheduler w mod n's, and so is all that it uses; the load/store unit, the result bus and what lies behind are the whole SM's.
 *
 *   issue -> a place by scheduler and pipe -> a collector unit of the sub-core, of two or so for all pipes -> its banks
 *         -> a place by sub-core and pipe  -> the sub-core's unit of that pipe, or the load/store unit
 * The places are latches, as in other SMs (sm->issued, sm->collected); which of them are taken is kept here.
 */
#ifndef SLUICE_SM_SUB_CORES_H
#define SLUICE_SM_SUB_CORES_H

#include "sm/limits.h"
#include "sm/op.h"

struct sub_cores {
	uint8_t issued[SM_PIPES], collected[SM_PIPES]; /* by pipe: sub-cores whose place is taken, as a mask */
	uint8_t last[SM_MAX_DISPATCH_PORTS];           /* of a port: the collector unit of a sub-core that went last through it */
};

struct sm;

#define SUB_CORES_ASIDE __attribute__((noinline))

static inline uint32_t sub_core_bit(uint32_t warp, uint32_t schedulers)
{
	return 1u << warp % schedulers;
}

void sub_cores_open(struct sm *sm);

/* None of what follows is inlined: in the middle of sm_tick() it would cost machines without sub-cores host registers. */

/* An instruction has issued into a pipe; one has left for the load/store unit. */
SUB_CORES_ASIDE void sub_cores_issued(struct sm *sm, const struct op *op);
SUB_CORES_ASIDE void sub_cores_left(struct sm *sm, const struct op *op);

/* In place of the operand collectors' (operand_collectors.h). */
SUB_CORES_ASIDE void sub_cores_collect(struct sm *sm);
SUB_CORES_ASIDE bool sub_cores_go_on(const struct sm *sm);
SUB_CORES_ASIDE void sub_cores_account(struct sm *sm, uint64_t slept);

/* Instructions that have their operands enter their sub-core's units. */
SUB_CORES_ASIDE void sub_cores_execute(struct sm *sm);

#endif
