/* An instruction enters a unit when the unit's initiation interval has passed and a slot of the result bus is free in the cycle in
 * which it will be done; from then on nothing can delay it. Latencies, intervals and the bus's width are the machine's, read in
 * GPGPU-Sim 3.2.2 and 4.2.0 (docs/timing-model.md, Execution); tests/micro/issue.cu measures every row. */
#include "sm/sm.h"

/* Entering the unit's first stage, and passing from its last to the write-back register: entered at u, written back at u + latency
 * + 2 (tests/micro/issue.cu: dependent instructions). */
enum { ENTER_AND_LEAVE = 2 };

/* The oldest instruction that waits for a unit of this kind enters it, if it can. */
static void start(struct sm *sm, uint32_t kind, uint32_t number)
{
	struct units *units = &sm->units;
	uint64_t cycle = sm->cycle;
	if (units->free_at[kind][number] > cycle)
		return;
	const struct op *next = sm->collected[kind].first;
	const struct simt_inst *inst = next->inst;
	uint32_t latency = next->latency ? next->latency : sm->config.latency[inst->latency][inst->data_type];
	struct result_slot *slot = &units->result[(cycle + latency + ENTER_AND_LEAVE) & (SM_WHEEL - 1)];
	uint32_t unit_bit = 1u << (kind * SM_MAX_UNITS + number);
	if (slot->count == sm->config.result_bus || slot->units & unit_bit)
		return;
	invariant(latency + ENTER_AND_LEAVE < SM_WHEEL);
	units->free_at[kind][number] = cycle + sm->config.initiation[inst->latency][inst->data_type];
	struct op *op = latch_pop(&sm->collected[kind]);
	op->next = slot->first;
	slot->first = op;
	slot->count++;
	slot->units |= unit_bit;
	units->results++;
}

void units_tick(struct sm *sm)
{
	for (uint32_t kind = 0; kind < UNIT_KINDS; kind++) {
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

uint64_t units_next(const struct sm *sm)
{
	for (uint32_t kind = 0; kind < UNIT_KINDS; kind++)
		if (sm->collected[kind].count)
			return sm->cycle + 1;
	if (!sm->units.results)
		return SM_NEVER;
	uint64_t cycle = sm->cycle + 1;
	while (!sm->units.result[cycle & (SM_WHEEL - 1)].count)
		cycle++;
	return cycle;
}

struct op *units_take_results(struct sm *sm)
{
	struct units *units = &sm->units;
	struct result_slot *slot = &units->result[sm->cycle & (SM_WHEEL - 1)];
	struct op *first = slot->first;
	if (!first)
		return NULL;
	invariant(units->results >= slot->count && slot->count <= sm->config.result_bus);
	units->results -= slot->count;
	*slot = (struct result_slot){0};
	return first;
}
