/* units: the arithmetic execution units and the result bus that they share. */
#ifndef SLUICE_SM_UNITS_H
#define SLUICE_SM_UNITS_H

#include "ptx/module.h"
#include "sm/limits.h"
#include "sm/op.h"

enum { UNIT_KINDS = PTX_UNIT_MEM }; /* SP and SFU: kinds of enum ptx_unit in front of the load/store unit */

/* Results that leave the units in one cycle. */
struct result_slot {
	struct op *first; /* linked by op.next */
	uint32_t units;   /* which unit instances */
	uint32_t count;
};

struct units {
	uint64_t free_at[SM_PIPES][SM_MAX_UNITS]; /* cycle from which on a unit takes an instruction */
	struct result_slot result[SM_WHEEL];        /* by cycle, modulo: what leaves in it */
	uint32_t results;                           /* instructions in these */
};

struct sm;

/* Instructions that have their operands enter free units. */
void units_tick(struct sm *sm);
/* Behind all other stages' ticks: the next cycle while instructions wait for a unit, else the one in which the next result leaves. */
uint64_t units_next(const struct sm *sm);

/* For an instruction, which then enters the unit `number` of a pipe: its place on the result bus, or NULL: the unit or the bus is not
 * free for it in this cycle. `unit_bit` is the unit's in result_slot.units. */
struct result_slot *units_book(struct sm *sm, uint32_t pipe, uint32_t number, uint32_t unit_bit, const struct op *op);

static inline void units_enter(struct result_slot *slot, struct op *op)
{
	op->next = slot->first;
	slot->first = op;
}

/* The instructions whose results leave the units in this cycle, linked by op.next; they are out of them now. */
struct op *units_take_results(struct sm *sm);

#endif
