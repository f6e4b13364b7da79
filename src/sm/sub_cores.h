/* sub_cores: an SM whose schedulers have separate collector units, register banks and execution units, as from Volta
 * on (sm.sub_cores). Warp w belongs to scheduler w mod n and uses only its resources. The load/store unit, the
 * result bus and everything downstream serve the whole SM.
 *
 *     issue -> an entry by scheduler and pipe -> a collector unit of the sub-core (about two for all pipes) -> banks
 *           -> an entry by sub-core and pipe  -> the sub-core's unit of that pipe, or the load/store unit
 *
 * Instructions for the load/store unit are also in a latch, as in other SMs (sm->collected), from which the oldest
 * goes first. The same holds for all issued instructions (sm->issued).
 */
#ifndef SLUICE_SM_SUB_CORES_H
#define SLUICE_SM_SUB_CORES_H

#include "sm/limits.h"
#include "sm/op.h"

/* Entries after the collectors, by pipe and sub-core. Pipes are in the order in which instructions enter their
 * units; within a pipe the order is by sub-core. The entries for the load/store unit are last. */
enum {
	SUB_CORE_ARITHMETIC_PLACES = (SM_PIPES - 1) * SM_MAX_SUB_CORES,
	SUB_CORE_PLACES = SM_PIPES * SM_MAX_SUB_CORES
};
_Static_assert(SUB_CORE_PLACES <= 32, "sub_cores.collected has a bit per entry");

struct sub_cores {
	/* by sub-core: mask of pipes whose entry before the collectors is occupied */
	uint8_t issued[SM_MAX_SUB_CORES];
	uint32_t collected;             /* mask of occupied entries after the collectors */
	struct op *op[SUB_CORE_PLACES]; /* instructions in these entries */
	/* by entry after the collectors: mask of collector units whose instruction goes there */
	uint64_t bound[SUB_CORE_PLACES];
	uint64_t blocked;                 /* mask of the collector units whose entry is occupied */
	uint64_t units[SM_MAX_SUB_CORES]; /* by sub-core: mask of its collector units */
	uint8_t last[SM_MAX_DISPATCH_PORTS]; /* by port: the collector unit of a sub-core that used it last */
};

struct sm;

#define SUB_CORES_ASIDE __attribute__((noinline))

void sub_cores_open(struct sm *sm);

/* The following functions are not inlined. Inlined into sm_tick() they would cost host registers on machines without
 * sub-cores. */

/* sub_cores_issued: a scheduler has issued an instruction into a pipe. sub_cores_left: one has left for the
 * load/store unit. */
SUB_CORES_ASIDE void sub_cores_issued(struct sm *sm, struct op *op, uint32_t scheduler);
SUB_CORES_ASIDE void sub_cores_left(struct sm *sm, const struct op *op);

/* These replace the operand collectors' functions (operand_collectors.h). */
SUB_CORES_ASIDE void sub_cores_collect(struct sm *sm);
SUB_CORES_ASIDE bool sub_cores_go_on(const struct sm *sm);
SUB_CORES_ASIDE void sub_cores_account(struct sm *sm, uint64_t slept);

/* sub_cores_wait_for_units: true when instructions wait for their sub-core's units. sub_cores_execute: they enter
 * the units. */
static inline bool sub_cores_wait_for_units(const struct sub_cores *sub_cores)
{
	return sub_cores->collected & ((1u << SUB_CORE_ARITHMETIC_PLACES) - 1);
}
SUB_CORES_ASIDE void sub_cores_execute(struct sm *sm);

#endif
