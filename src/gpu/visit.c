#include "gpu/visit.h"

#include "gpu/gpu.h"

/* Brings the counters up to a core cycle. Those of other clocks are brought up to the first cycle after the
 * beginning of the previous core cycle. If the visit is late, units may be further. */
static void settle(struct gpu *gpu, uint64_t cycle)
{
	uint64_t time = cycle ? (cycle - 1) * gpu->clock[CLOCK_CORE].period : 0;
	uint64_t l2_cycle = time / gpu->clock[CLOCK_L2].period + 1,
		 dram_cycle = time / gpu->clock[CLOCK_DRAM].period + 1;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		sm_settle(&gpu->sm[i], max_u64(cycle, gpu->sm[i].accounted));
	for (uint32_t i = 0; i < gpu->slices; i++) {
		slice_settle(&gpu->slice[i], max_u64(l2_cycle, gpu->slice[i].settled));
		slice_entry_settle(&gpu->slice[i], max_u64(l2_cycle, gpu->slice[i].entry.settled));
	}
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		dram_settle(&gpu->channel[i], max_u64(dram_cycle, gpu->channel[i].last_cycle));
}

void visits_make(struct gpu *gpu, uint64_t cycle)
{
	struct visits *visits = &gpu->visits;
	settle(gpu, cycle);
	uint64_t next = visits->visitor.visit(visits->visitor.user, cycle - visits->start);
	assert(next > cycle - visits->start);
	visits->next = next == UINT64_MAX ? next : visits->start + next;
}

void visits_make_until(struct gpu *gpu, uint64_t cycle)
{
	while (gpu->visits.next <= cycle)
		visits_make(gpu, gpu->visits.next);
}

void visits_begin(struct gpu *gpu, const struct gpu_visitor *visitor, uint64_t start)
{
	gpu->visits = (struct visits){.visitor = *visitor, .start = start, .next = UINT64_MAX};
	if (visitor->visit)
		visits_make(gpu, start);
}

void visits_end(struct gpu *gpu, uint64_t cycles)
{
	const struct gpu_visitor *visitor = &gpu->visits.visitor;
	if (visitor->ended)
		visitor->ended(visitor->user, cycles);
	gpu->visits.next = UINT64_MAX;
}
