/* sub_cores: an SM whose schedulers have collector units, register banks and execution units of their own, as from Volta on (sm.sub_cores). Warp
 * w is scheduler w mod n's, and so is all that it uses; the load/store unit, the result bus and what lies behind are the whole SM's.
 *
 *   issue -> a place by scheduler and pipe -> a collector unit of the sub-core, of two or so for all pipes -> its banks
 *         -> a place by sub-core and pipe  -> the sub-core's unit of that pipe, or the load/store unit
 * Those for the load/store unit stand in a latch too, as in other SMs (sm->collected): the oldest goes first. So do all that have issued
 * (sm->issued).
 */
#ifndef SLUICE_SM_SUB_CORES_H
#define SLUICE_SM_SUB_CORES_H

#include "sm/limits.h"
#include "sm/op.h"

/* The places of the pipes' sub-cores: row by row in the order in which instructions are given to their units, and of a row sub-core by
 * sub-core. Those for the load/store unit are last. */
enum {
	SUB_CORE_ARITHMETIC_PLACES = (SM_PIPES - 1) * SM_MAX_SUB_CORES,
	SUB_CORE_PLACES = SM_PIPES * SM_MAX_SUB_CORES
};
_Static_assert(SUB_CORE_PLACES <= 32, "sub_cores.collected has a bit a place");

struct sub_cores {
	uint8_t issued[SM_MAX_SUB_CORES];   /* by sub-core: pipes of which its place before the collectors is taken, as a mask */
	uint32_t collected;                 /* places behind them that are taken, as a mask */
	struct op *op[SUB_CORE_PLACES];     /* in these */
	uint64_t bound[SUB_CORE_PLACES];    /* by place behind them: collector units whose instruction goes there, as a mask */
	uint64_t blocked;                   /* those of them whose place is taken */
	uint64_t units[SM_MAX_SUB_CORES];   /* by sub-core: its collector units */
	uint8_t last[SM_MAX_DISPATCH_PORTS]; /* of a port: the collector unit of a sub-core that went last through it */
};

struct sm;

#define SUB_CORES_ASIDE __attribute__((noinline))

void sub_cores_open(struct sm *sm);

/* None of what follows is inlined: in the middle of sm_tick() it would cost machines without sub-cores host registers. */

/* An instruction of a scheduler has issued into a pipe; one has left for the load/store unit. */
SUB_CORES_ASIDE void sub_cores_issued(struct sm *sm, struct op *op, uint32_t scheduler);
SUB_CORES_ASIDE void sub_cores_left(struct sm *sm, const struct op *op);

/* In place of the operand collectors' (operand_collectors.h). */
SUB_CORES_ASIDE void sub_cores_collect(struct sm *sm);
SUB_CORES_ASIDE bool sub_cores_go_on(const struct sm *sm);
SUB_CORES_ASIDE void sub_cores_account(struct sm *sm, uint64_t slept);

/* Instructions wait for their sub-core's units; those enter them. */
static inline bool sub_cores_wait_for_units(const struct sub_cores *sub_cores)
{
	return sub_cores->collected & ((1u << SUB_CORE_ARITHMETIC_PLACES) - 1);
}
SUB_CORES_ASIDE void sub_cores_execute(struct sm *sm);

#endif
