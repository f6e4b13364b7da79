/* units: the arithmetic execution units and their common result bus. */
#ifndef SLUICE_SM_UNITS_H
#define SLUICE_SM_UNITS_H

#include "ptx/module.h"
#include "sm/limits.h"
#include "sm/op.h"

enum { UNIT_KINDS = PTX_UNIT_MEM }; /* SP and SFU, which precede the load/store unit in enum ptx_unit */

/* Results that leave the units in one cycle. */
struct result_slot {
	struct op *first; /* linked by op.next */
	uint32_t units;   /* which unit instances */
	uint32_t count;
};

struct units {
	uint64_t free_at[SM_PIPES][SM_MAX_UNITS]; /* first cycle in which a unit can take an instruction */
	struct result_slot
		result[SM_MAX_LATENCY_CYCLES]; /* by cycle modulo SM_MAX_LATENCY_CYCLES: the results that leave in it */
	uint32_t results;                    /* number of instructions in these */
	uint64_t busy[SM_PIPES];             /* initiation intervals that are not in the statistics yet */
};

struct sm;

/* Moves instructions that have their operands into free units. */
void units_tick(struct sm *sm);
/* To be called after all other stages' ticks. Returns the next cycle while instructions wait for a unit, else the
 * cycle in which the next result leaves. */
uint64_t units_next(const struct sm *sm);

/* Adds the busy cycles of the units to the statistics. */
void units_settle(struct sm *sm);

/* Books the result bus for an instruction, which then enters unit `number` of a pipe. Returns the slot on the result
 * bus; NULL: the unit or the bus is not free for it in this cycle. `unit_bit` is the unit's bit in
 * result_slot.units. */
struct result_slot *units_book(struct sm *sm, uint32_t pipe, uint32_t number, uint32_t unit_bit, const struct op *op);

static inline void units_enter(struct result_slot *slot, struct op *op)
{
	op->next = slot->first;
	slot->first = op;
}

/* Removes the instructions whose results leave the units in this cycle. Returns them linked by op.next. */
struct op *units_take_results(struct sm *sm);

#endif
