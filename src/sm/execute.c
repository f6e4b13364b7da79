/* Execution units and write-back: an instruction enters a unit when the unit is free and a slot of the result bus is free at
 * the cycle in which it will be done; from then on nothing can delay it. */
#include "sm/stages.h"

/* Entering the unit's first stage, and passing from its last to the write-back register. */
enum { ENTER_AND_LEAVE = 2 };

static bool start(struct sm *sm, uint32_t kind, uint32_t number, struct op *op)
{
	struct unit *unit = &sm->unit[kind][number];
	const struct simt_inst *inst = op->inst;
	uint32_t latency = sm->config.latency[inst->latency][inst->number];
	struct wheel_slot *slot = &sm->wheel[(sm->cycle + latency + ENTER_AND_LEAVE) & (SM_WHEEL - 1)];
	uint32_t unit_bit = 1u << (kind * SM_MAX_UNITS + number);

	if (unit->free_at > sm->cycle || slot->count == sm->config.result_bus || slot->units & unit_bit)
		return false;
	unit->free_at = sm->cycle + sm->config.initiation[inst->latency][inst->number];
	op->next = slot->first;
	slot->first = op;
	slot->count++;
	slot->units |= unit_bit;
	sm->in_wheel++;
	return true;
}

void execute(struct sm *sm)
{
	for (uint32_t kind = 0; kind < PTX_UNIT_MEM; kind++) {
		if (port_empty(&sm->collected[kind]))
			continue;
		for (uint32_t number = 0; number < sm->config.pipe[kind].units; number++) {
			struct op *op = latch_front(&sm->collected[kind]);
			if (!op)
				break;
			if (start(sm, kind, number, op))
				latch_pop(&sm->collected[kind]);
		}
		if (latch_front(&sm->collected[kind]))
			sm->stats.result_bus_full++;
	}
}

void write_back(struct sm *sm)
{
	struct wheel_slot *slot = &sm->wheel[sm->cycle & (SM_WHEEL - 1)];
	if (!slot->count)
		return;
	while (slot->first) {
		struct op *op = slot->first;
		slot->first = op->next;
		banks_write(sm, op, false);
		complete(sm, op);
	}
	sm->in_wheel -= slot->count;
	slot->count = slot->units = 0;
}
