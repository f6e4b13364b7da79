/* Execution units and write-back: an instruction enters a unit when the unit is free and a slot of the result bus is free at
 * the cycle in which it will be done; from then on nothing can delay it. */
#include "sm/stages.h"

/* Entering the unit's first stage, and passing from its last to the write-back register. */
enum { ENTER_AND_LEAVE = 2 };

/* The oldest instruction that waits for a unit of this kind enters it, if it can. */
static void start(struct sm *sm, uint32_t kind, uint32_t number)
{
	struct unit *unit = &sm->unit[kind][number];
	uint64_t cycle = sm->cycle;
	if (unit->free_at > cycle)
		return;
	const struct simt_inst *inst = sm->collected[kind].first->inst;
	uint32_t latency = sm->config.latency[inst->latency][inst->data_type];
	struct wheel_slot *slot = &sm->wheel[(cycle + latency + ENTER_AND_LEAVE) & (SM_WHEEL - 1)];
	uint32_t unit_bit = 1u << (kind * SM_MAX_UNITS + number);
	if (slot->count == sm->config.result_bus || slot->units & unit_bit)
		return;
	unit->free_at = cycle + sm->config.initiation[inst->latency][inst->data_type];
	struct op *op = latch_pop(&sm->collected[kind]);
	op->next = slot->first;
	slot->first = op;
	slot->count++;
	slot->units |= unit_bit;
	sm->in_wheel++;
}

void execute(struct sm *sm)
{
	for (uint32_t kind = 0; kind < PTX_UNIT_MEM; kind++) {
		struct latch *in = &sm->collected[kind];
		if (!in->count)
			continue;
		uint32_t units = sm->config.pipe[kind].units;
		for (uint32_t number = 0; number < units && in->count; number++)
			start(sm, kind, number);
		if (in->count)
			sm->stats.result_bus_full++;
	}
}

void write_back(struct sm *sm)
{
	struct wheel_slot *slot = &sm->wheel[sm->cycle & (SM_WHEEL - 1)];
	struct op *op = slot->first, *next;
	if (!op)
		return;
	sm->in_wheel -= slot->count;
	*slot = (struct wheel_slot){0};
	for (; op; op = next) {
		next = op->next;
		sm->banks_written |= written_banks(sm, op);
		complete(sm, op);
	}
}
