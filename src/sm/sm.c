#include "sm/sm.h"

#include "sm/stages.h"

#include <stdlib.h>
#include <string.h>

const struct counter sm_counters[] = {
#define X(name, unit, meaning) {#name, unit, SCOPE_SM, offsetof(struct sm_stats, name), meaning, COMBINE_SUM},
	SM_COUNTERS(X)
#undef X
};
const size_t sm_counter_count = sizeof sm_counters / sizeof sm_counters[0];

static void open_pipe_latches(struct sm *sm)
{
	for (uint32_t u = 0; u < PTX_UNITS; u++) {
		const struct pipe_config *pipe = &sm->config.pipe[u];
		sm->issued[u].width = sm->collected[u].width = pipe->issue_width;
		for (uint32_t i = 0; i < pipe->collectors; i++)
			sm->set[u].all |= 1ull << sm->collectors++;
		sm->free |= sm->set[u].all;
		for (uint32_t port = 0; port < pipe->out_ports; port++)
			sm->set[u].last[port] = sm->collectors - pipe->collectors;
	}
}

void sm_open(struct sm *sm, uint32_t index, uint32_t sm_count, const struct sm_config *config, struct seam_sm *seam,
             const struct address_map *map, struct request_pool *requests, uint64_t period)
{
	*sm = (struct sm){
		.config = *config, .index = index, .sms = sm_count, .map = map, .period = period, .wake = UINT64_MAX};
	sm->ops.arena = &sm->arena;
	sm->requests = requests;
	sm->seam = seam;
	seam->host = sm;
	seam->held = block_held;
	seam->asked = request_asked;
	open_pipe_latches(sm);
	cache_open(&sm->l1i, &config->l1i, CACHE_OF_SM, requests, &sm->arena);
	cache_open(&sm->lsu.l1c, &config->l1c, CACHE_OF_SM, requests, &sm->arena);
	cache_open(&sm->lsu.l1d, &config->l1d, CACHE_OF_SM, requests, &sm->arena);
	if (seam_sends(seam))
		cache_watch_open(&sm->lsu.l1d, seam_settle, seam, &sm->arena);
	for (uint32_t s = 0; s < config->schedulers; s++)
		sm->scheduler[s].seen.index = s;
	for (uint32_t w = 0; w < config->warps; w++) {
		struct scheduler *scheduler = &sm->scheduler[w % config->schedulers];
		struct sm_warp *warp = &sm->warp[w];
		warp->slot = (uint8_t)w;
		warp->scheduler = scheduler;
		warp->bit = (uint8_t)(w / config->schedulers);
		warp->mask = 1ull << warp->bit;
		scheduler->seen.warps++;
	}
}

void sm_close(struct sm *sm)
{
	for (uint32_t b = 0; b < SM_MAX_BLOCKS; b++)
		simt_block_free(&sm->block[b].simt);
	for (uint32_t w = 0; w < SM_MAX_WARPS; w++)
		free(sm->warp[w].pending);
	arena_free(&sm->arena);
}

/* Room for the scoreboards of a program with that many registers. */
static void open_scoreboards(struct sm *sm, uint32_t registers)
{
	uint32_t words = bits_words(registers);
	sm->pending_words = words > 1 ? words : 0;
	if (words <= sm->pending_capacity)
		return;
	sm->pending_capacity = words;
	for (uint32_t w = 0; w < sm->config.warps; w++) {
		sm->warp[w].pending = xrealloc(sm->warp[w].pending, 2 * words * sizeof(uint64_t));
		sm->warp[w].pending_load = sm->warp[w].pending + words;
	}
}

void sm_begin(struct sm *sm, const struct simt_launch *launch, uint32_t block_limit)
{
	uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
	sm->launch = launch;
	sm->warps_per_block = (threads + WARP_SIZE - 1) / WARP_SIZE;
	sm->block_limit = block_limit;
	uint32_t warps =
		sm->config.local_layout == LOCAL_BY_BLOCK ? sm->warps_per_block * block_limit : sm->config.warps;
	sm->local_pitch = 4ull * WARP_SIZE * warps * sm->sms;
	open_scoreboards(sm, launch->program->registers);
}

void sm_end(struct sm *sm)
{
	sm->stats.sp_instructions += sm->by_unit[PTX_UNIT_SP];
	sm->stats.sfu_instructions += sm->by_unit[PTX_UNIT_SFU];
	sm->stats.mem_instructions += sm->by_unit[PTX_UNIT_MEM];
	memset(sm->by_unit, 0, sizeof sm->by_unit);
	cache_watch_end(&sm->lsu.l1d);
	if (sm->config.flush_l1)
		cache_invalidate(&sm->lsu.l1d);
}

/* True when a pipe's operand collection will move something in the next cycle. */
static bool collection_can_go_on(const struct sm *sm, uint32_t unit)
{
	uint64_t all = sm->set[unit].all;
	return (sm->complete & all && latch_has_room(&sm->collected[unit])) ||
	       (sm->free & all && sm->issued[unit].count);
}

static bool scheduler_can_go_on(const struct sm *sm, const struct scheduler *scheduler)
{
	uint64_t open = scheduler->stale | (open_to(sm, scheduler) & ~scheduler->hazard);
	return open & scheduler->filled & ~scheduler->seen.held;
}

/* Who competes may depend on the order in which warps came to wait: the warp order sees every change. */
static bool warp_order_knows(const struct sm *sm, const struct scheduler *scheduler)
{
	const struct mech_warps *seen = &scheduler->seen;
	return !sm->seam->compete || (seen->live == scheduler->told_live && seen->held == scheduler->told_held &&
	                              seen->load_hazard == scheduler->told_load_hazard);
}

_Static_assert(SM_WARP_WORDS == 2, "fetch and can_go_on() look at the words of wants_fetch and ended");

/* True when the next cycle can differ from this one without anything coming from outside. */
static bool can_go_on(const struct sm *sm)
{
	for (uint32_t s = 0; s < sm->config.schedulers; s++)
		if (sm->scheduler[s].issued)
			return true;
	if (sm->fetched || sm->wants_fetch[0] || sm->wants_fetch[1] || sm->ended[0] || sm->ended[1] ||
	    sm->banks_waiting)
		return true;
	for (uint32_t u = 0; u < PTX_UNITS; u++)
		if (collection_can_go_on(sm, u) || (u != PTX_UNIT_MEM && sm->collected[u].count))
			return true;
	for (uint32_t s = 0; s < sm->config.schedulers; s++)
		if (scheduler_can_go_on(sm, &sm->scheduler[s]) || !warp_order_knows(sm, &sm->scheduler[s]))
			return true;
	return load_store_can_go_on(sm);
}

static uint64_t time_in(const struct sm *sm, uint64_t cycles)
{
	return sm->now + (cycles - 1) * sm->period + 1;
}

/* When the SM must tick again: next cycle, when the next result leaves its unit, when a mechanism wants to be called, or
 * when something comes. */
static uint64_t next_wake(const struct sm *sm)
{
	if (can_go_on(sm))
		return sm->now + 1;
	uint64_t wake = UINT64_MAX, ahead = 1;
	if (sm->in_wheel) {
		while (!sm->wheel[(sm->cycle + ahead) & (SM_WHEEL - 1)].count)
			ahead++;
		wake = time_in(sm, ahead);
	}
	if (sm->resident && sm->seam->wake != MECH_NEVER && time_in(sm, sm->seam->wake - sm->cycle) < wake)
		wake = time_in(sm, sm->seam->wake - sm->cycle);
	return wake;
}

void sm_tick(struct sm *sm, uint64_t cycle, uint64_t now)
{
	sm_account(sm, cycle);
	sm->cycle = cycle;
	sm->now = now;
	sm->accounted = cycle + 1;
	if (sm->resident) {
		sm->stats.active_cycles++;
		sm->stats.resident_warp_cycles += sm->live_warps;
	}
	write_back(sm);
	execute(sm);
	load_store(sm);
	collect_operands(sm);
	issue(sm);
	decode(sm);
	fetch(sm);
	if (sm->seam->cycle.count)
		seam_cycle(sm->seam, cycle);
	sm->wake = sm->resident && !sm->config.sleep ? now + 1 : next_wake(sm);
}
