#include "sm/live_stats.h"

#include "sm/sm.h"

static uint64_t count_of(uint64_t warps)
{
	return (uint64_t)__builtin_popcountll(warps);
}

/* Counts a live warp that may not issue. Causes and their order are those of the cycle stack (cpi_stack.c). */
static void add_held_warp(const struct sm *sm, const struct sm_warp *warp, struct mech_sm_live_stats *counts)
{
	if (sm->seam->holders[warp->block] || sm->seam->warp_holders[warp->slot])
		counts->warps_held++;
	else if (warp->atomics)
		counts->warps_load++;
	else
		counts->warps_barrier++;
}

static void add_scheduler(const struct sm *sm, const struct scheduler *scheduler, struct mech_sm_live_stats *counts)
{
	uint64_t live = scheduler->seen.live, free = live & ~scheduler->seen.held;
	uint64_t filled = free & scheduler->filled & ~scheduler->stale;
	uint64_t load = filled & scheduler->seen.load_hazard;
	counts->warps_ready += count_of(filled & ~scheduler->hazard);
	counts->warps_load += count_of(load);
	counts->warps_arithmetic += count_of(filled & scheduler->hazard & ~load);
	counts->warps_no_instruction += count_of(free & ~filled);
	for (uint64_t left = live & scheduler->seen.held; left; left &= left - 1)
		add_held_warp(sm, scheduler->warp[__builtin_ctzll(left)], counts);
}

static void add_warps(const struct sm *sm, struct mech_sm_live_stats *counts)
{
	for (uint32_t w = 0; w < sm->config.warps; w++) {
		const struct sm_warp *warp = &sm->warp[w];
		counts->instructions_in_flight += warp->in_flight;
		counts->stores_in_flight += warp->stores;
		counts->atomics_in_flight += warp->atomics;
		counts->stack_load += warp->waited;
	}
	for (uint32_t s = 0; s < sm->config.schedulers; s++)
		add_scheduler(sm, &sm->issue.scheduler[s], counts);
}

static void add_queues(const struct sm *sm, uint64_t now, struct mech_sm_live_stats *counts)
{
	const struct cache *l1 = &sm->l1.data;
	const struct port *port = &sm->network.requests->input[sm->index].port;
	counts->l1_mshrs = l1->mshrs.count - l1->mshrs.free;
	counts->l1_mshrs_all = l1->mshrs.count;
	counts->l1_miss_queue = l1->miss_queue.count;
	counts->l1_miss_queue_all = l1->config.miss_queue;
	counts->network_flits = port->capacity - port_room(port, now);
	counts->network_flits_all = port->capacity;
}

static void add_counters(const struct sm_stats *stats, struct mech_sm_live_stats *counts)
{
	counts->warp_instructions = stats->warp_instructions;
	counts->thread_instructions = stats->thread_instructions;
	counts->memory_requests = stats->memory_requests;
	counts->memory_latency = stats->memory_latency;
	counts->stack_issued = stats->stack_issued;
	counts->stack_arithmetic = stats->stack_arithmetic;
	counts->stack_shared = stats->stack_shared;
	counts->stack_l1 = stats->stack_l1;
	counts->stack_texture = stats->stack_texture;
	counts->stack_l2 = stats->stack_l2;
	counts->stack_dram = stats->stack_dram;
	counts->stack_barrier = stats->stack_barrier;
	counts->stack_held = stats->stack_held;
	counts->stack_replayed = stats->stack_replayed;
	counts->stack_conflict = stats->stack_conflict;
	counts->stack_no_instruction = stats->stack_no_instruction;
	counts->stack_idle = stats->stack_idle;
}

void live_stats_of_sm(void *host, uint64_t cycle, struct mech_sm_live_stats *counts)
{
	struct sm *sm = host;
	bool outside = cycle != MECH_NEVER;
	if (outside)
		sm_account(sm, cycle + 1);
	counts->blocks = sm->blocks.resident;
	counts->live_warps = sm->blocks.live_warps;
	add_warps(sm, counts);
	add_queues(sm, outside ? cycle * sm->period : sm->now, counts);
	add_counters(&sm->stats, counts);
}
