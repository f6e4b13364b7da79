#include "sm/live_stats.h"

#include "sm/sm.h"

static uint64_t count_of(uint64_t warps)
{
	return (uint64_t)__builtin_popcountll(warps);
}

/* Counts a live warp that may not issue. Causes and their order are those of the cycle stack (cpi_stack.c). */
static void add_held_warp(const struct sm *sm, const struct sm_warp *warp, struct mech_sm_figures *figures)
{
	if (sm->seam->holders[warp->block] || sm->seam->warp_holders[warp->slot])
		figures->warps_held++;
	else if (warp->atomics)
		figures->warps_load++;
	else
		figures->warps_barrier++;
}

static void add_scheduler(const struct sm *sm, const struct scheduler *scheduler, struct mech_sm_figures *figures)
{
	uint64_t live = scheduler->seen.live, free = live & ~scheduler->seen.held;
	uint64_t filled = free & scheduler->filled & ~scheduler->stale;
	uint64_t load = filled & scheduler->seen.load_hazard;
	figures->warps_ready += count_of(filled & ~scheduler->hazard);
	figures->warps_load += count_of(load);
	figures->warps_arithmetic += count_of(filled & scheduler->hazard & ~load);
	figures->warps_no_instruction += count_of(free & ~filled);
	for (uint64_t left = live & scheduler->seen.held; left; left &= left - 1)
		add_held_warp(sm, scheduler->warp[__builtin_ctzll(left)], figures);
}

static void add_warps(const struct sm *sm, struct mech_sm_figures *figures)
{
	for (uint32_t w = 0; w < sm->config.warps; w++) {
		const struct sm_warp *warp = &sm->warp[w];
		figures->instructions_in_flight += warp->in_flight;
		figures->stores_in_flight += warp->stores;
		figures->atomics_in_flight += warp->atomics;
		figures->stack_load += warp->waited;
	}
	for (uint32_t s = 0; s < sm->config.schedulers; s++)
		add_scheduler(sm, &sm->issue.scheduler[s], figures);
}

static void add_queues(const struct sm *sm, uint64_t now, struct mech_sm_figures *figures)
{
	const struct cache *l1 = &sm->l1.data;
	const struct port *port = &sm->network.requests->input[sm->index].port;
	figures->l1_mshrs = l1->mshrs.count - l1->mshrs.free;
	figures->l1_mshrs_all = l1->mshrs.count;
	figures->l1_miss_queue = l1->miss_queue.count;
	figures->l1_miss_queue_all = l1->miss_queue.capacity;
	figures->network_flits = port->capacity - port_room(port, now);
	figures->network_flits_all = port->capacity;
}

static void add_counters(const struct sm_stats *stats, struct mech_sm_figures *figures)
{
	figures->warp_instructions = stats->warp_instructions;
	figures->thread_instructions = stats->thread_instructions;
	figures->memory_requests = stats->memory_requests;
	figures->memory_latency = stats->memory_latency;
	figures->stack_issued = stats->stack_issued;
	figures->stack_arithmetic = stats->stack_arithmetic;
	figures->stack_shared = stats->stack_shared;
	figures->stack_l1 = stats->stack_l1;
	figures->stack_texture = stats->stack_texture;
	figures->stack_l2 = stats->stack_l2;
	figures->stack_dram = stats->stack_dram;
	figures->stack_barrier = stats->stack_barrier;
	figures->stack_held = stats->stack_held;
	figures->stack_replayed = stats->stack_replayed;
	figures->stack_conflict = stats->stack_conflict;
	figures->stack_no_instruction = stats->stack_no_instruction;
	figures->stack_idle = stats->stack_idle;
}

void live_stats_of_sm(void *host, uint64_t cycle, struct mech_sm_figures *figures)
{
	struct sm *sm = host;
	bool outside = cycle != MECH_NEVER;
	if (outside)
		sm_account(sm, cycle + 1);
	figures->blocks = sm->blocks.resident;
	figures->live_warps = sm->blocks.live_warps;
	add_warps(sm, figures);
	add_queues(sm, outside ? cycle * sm->period : sm->now, figures);
	add_counters(&sm->stats, figures);
}
