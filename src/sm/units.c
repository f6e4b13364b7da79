/* units: an instruction enters a unit when two conditions hold. The unit's initiation interval has passed, and a slot
 * of the result bus is free in the cycle in which it will finish. After that nothing can delay it. Latencies, intervals
 * and the bus width are the machine's, taken from GPGPU-Sim 3.2.2 and 4.2.0 (docs/explanation/timing-model.md,
 * Execution). tests/micro/issue.cu measures every row. */
#include "sm/sm.h"

#include <string.h>

/* One cycle to enter the unit's first stage, and one from its last stage to the write-back register. An instruction
 * that enters at u is written back at u + latency + 2 (tests/micro/issue.cu: dependent instructions). */
enum { ENTER_AND_LEAVE = 2 };

static inline struct result_slot *book(struct sm *sm, uint32_t kind, uint32_t number, uint32_t unit_bit,
                                       const struct op *op)
{
	struct units *units = &sm->units;
	uint64_t cycle = sm->cycle;
	if (units->free_at[kind][number] > cycle)
		return NULL;
	struct result_slot *slot =
		&units->result[(cycle + op->latency + ENTER_AND_LEAVE) & (SM_MAX_LATENCY_CYCLES - 1)];
	if (slot->count == sm->config.result_bus || slot->units & unit_bit)
		return NULL;
	invariant(op->latency + ENTER_AND_LEAVE < SM_MAX_LATENCY_CYCLES);
	units->free_at[kind][number] = cycle + op->initiation;
	units->busy[kind] += op->initiation;
	slot->count++;
	slot->units |= unit_bit;
	units->results++;
	return slot;
}

struct result_slot *units_book(struct sm *sm, uint32_t pipe, uint32_t number, uint32_t unit_bit, const struct op *op)
{
	return book(sm, pipe, number, unit_bit, op);
}

/* The oldest instruction that waits for a unit of this kind enters it, if possible. */
static void start(struct sm *sm, uint32_t kind, uint32_t number)
{
	struct latch *in = &sm->collected[kind];
	struct result_slot *slot = book(sm, kind, number, 1u << (kind * SM_MAX_UNITS + number), in->first);
	if (slot)
		units_enter(slot, latch_pop(in));
}

/* True when instructions have their operands and wait for a unit. */
static bool waits_for_units(const struct sm *sm)
{
	uint32_t waiting = 0;
	if (UNLIKELY(sm->config.sub_cores))
		return sub_cores_wait_for_units(&sm->sub_cores);
	for (uint32_t kind = 0; kind < UNIT_KINDS; kind++)
		waiting |= sm->collected[kind].count;
	return waiting;
}

void units_tick(struct sm *sm)
{
	if (!waits_for_units(sm))
		return;
	if (UNLIKELY(sm->config.sub_cores)) {
		sub_cores_execute(sm);
		return;
	}
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
	if (waits_for_units(sm))
		return sm->cycle + 1;
	if (!sm->units.results)
		return SM_NEVER;
	uint64_t cycle = sm->cycle + 1;
	while (!sm->units.result[cycle & (SM_MAX_LATENCY_CYCLES - 1)].count)
		cycle++;
	return cycle;
}

void units_settle(struct sm *sm)
{
	uint64_t *busy = sm->units.busy;
	sm->stats.sp_busy += busy[SM_PIPE_SP];
	sm->stats.sfu_busy += busy[SM_PIPE_SFU];
	sm->stats.int_busy += busy[SM_PIPE_INT];
	sm->stats.dp_busy += busy[SM_PIPE_DP];
	sm->stats.tensor_busy += busy[SM_PIPE_TENSOR];
	memset(busy, 0, sizeof sm->units.busy);
}

struct op *units_take_results(struct sm *sm)
{
	struct units *units = &sm->units;
	struct result_slot *slot = &units->result[sm->cycle & (SM_MAX_LATENCY_CYCLES - 1)];
	struct op *first = slot->first;
	if (!first)
		return NULL;
	invariant(units->results >= slot->count && slot->count <= sm->config.result_bus);
	units->results -= slot->count;
	*slot = (struct result_slot){0};
	return first;
}
