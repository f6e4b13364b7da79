#include "sm/sm.h"

#include "sm/live_stats.h"
#include "sm/hooks.h"
#include "sm/mechanism_requests.h"

const struct base_counter sm_counters[] = {
#define X(name, unit, meaning) {#name, unit, BASE_SCOPE_SM, offsetof(struct sm_stats, name), meaning, BASE_COMBINE_SUM},
	SM_COUNTERS(X)
#undef X
};
const size_t sm_counter_count = sizeof sm_counters / sizeof sm_counters[0];

void sm_use_pool(struct sm *sm, struct request_pool *requests)
{
	sm->requests = requests;
	l1_use_pool(&sm->l1, requests);
	fetch_use_pool(&sm->fetch, requests);
}

void sm_open(struct sm *sm, uint32_t index, uint32_t sm_count, const struct sm_config *config, struct seam_sm *seam,
             const struct address_map *map, struct request_pool *requests, uint64_t period)
{
	sm->config = *config;
	sm->index = index;
	sm->sms = sm_count;
	sm->map = map;
	sm->period = period;
	sm->wake = UINT64_MAX;
	sm->ops.arena = &sm->arena;
	sm->requests = requests;
	sm->seam = seam;
	seam->host = sm;
	seam->held = blocks_set_holders;
	seam->asked = requests_asked;
	seam->operands = hooks_operands;
	seam->held_warp = warp_set_holders;
	seam->look_at_warp = hooks_look_at_warp;
	seam->ranked = scheduler_set_rank;
	seam->stopped = hooks_stop;
	seam->look_at_sm = live_stats_of_sm;
	seam->compete_again = hooks_compete_again;
	seam->bulk_copy = hooks_bulk_copy;
	seam->complete = hooks_complete;
	for (uint32_t w = 0; w < config->warps; w++)
		sm->warp[w].slot = (uint8_t)w;
	for (uint32_t u = 0; u < PTX_UNITS; u++)
		sm->issued[u].width = sm->collected[u].width = config->pipe[u].issue_width;
	register_file_open(&sm->registers, config->register_banks);
	lsu_open(&sm->lsu, config);
	fetch_open(sm);
	scheduler_open(sm);
	collectors_open(sm);
	l1_open(sm);
	texture_unit_open(sm);
	async_copies_open(sm);
	phase_waits_open(sm);
}

void sm_close(struct sm *sm)
{
	blocks_close(sm);
	scoreboard_close(sm);
	arena_free(&sm->arena);
}

void sm_begin(struct sm *sm, bool several)
{
	/* a mechanism may end a veto on shared memory, which holds an instruction in the load/store unit, at any
	 * time */
	sm->may_rest = sm->config.sleep && !sm->profile && !seam_may_refuse_banks(sm->seam->seam);
	sm->is_ahead = sm->stopped = false;
	sm_wake_issue(sm);
	blocks_begin(sm, several);
	scoreboard_begin(sm);
}

void sm_add_kernel(struct sm *sm, uint32_t kernel, const struct simt_launch *launch, const struct sm_needs *needs,
                   uint64_t first_age)
{
	blocks_add_kernel(sm, kernel, launch, needs, first_age);
	if (sm->blocks.kernels == 1)
		l1_begin(sm, sm->blocks.kernel[kernel].shared_bytes);
	scoreboard_widen(sm, launch->program->registers);
}

void sm_remove_kernel(struct sm *sm, uint32_t kernel)
{
	blocks_remove_kernel(sm, kernel);
}

/* Adds to the statistics what stages count elsewhere, for speed. */
static void settle_counts(struct sm *sm)
{
	issue_settle(sm);
	units_settle(sm);
	shared_settle(sm);
}

void sm_end(struct sm *sm)
{
	for (uint32_t w = 0; w < sm->config.warps;
	     w++) /* of a kernel that was cut short: the data would have come from the deepest level */
		cpi_resolve(sm, &sm->warp[w], NULL, LEVEL_DRAM);
	settle_counts(sm);
	l1_end(sm);
	texture_unit_end(sm);
}

/* True when the stages from the load/store unit on need no tick: they only wait for a time, and nothing has arrived.
 * Accesses refused in their last tick would be refused again while the network has no space, because L1 changes only
 * in their ticks. */
static bool memory_stages_rest(const struct sm *sm)
{
	return sm->cycle < sm->memory_next && port_empty(&sm->network.replies) && !lsu_can_take(sm) &&
	       !sm->seam->queued && (!sm->memory_tries_again || network_port_still_refuses(&sm->network, sm->now));
}

/* The next cycle with work, if none of their ticks has requested the next cycle. */
static uint64_t memory_event(const struct sm *sm)
{
	return min_u64(min_u64(l1_next(sm), texture_unit_next(sm)), write_back_next_load(sm));
}

/* Counts accesses that the network or L1 refused as refused again in each of these cycles. */
static void account_refusals(struct sm *sm, uint64_t cycles)
{
	lsu_account(sm, cycles);
	l1_account_refusals(&sm->l1, false, cycles * (uint32_t)__builtin_popcount(l1_kept_banks(&sm->l1)));
	network_port_account(sm, cycles);
}

__attribute__((noinline)) static void rest_memory_stages(struct sm *sm)
{
	network_port_refuse_again(&sm->network, sm->memory_refused);
	account_refusals(sm, 1);
}

/* True when refused accesses need not be tried again: no other unit changes the SM's space in the network. */
static bool may_repeat(const struct sm *sm)
{
	return sm->may_rest && !sm->network.cluster && !sm->config.zero_latency_memory;
}

__attribute__((noinline)) static void tick_memory_stages(struct sm *sm)
{
	l1_new_cycle(&sm->l1);
	shared_new_cycle(&sm->shared);
	write_back_loads(sm);
	shared_turn_tick(sm);
	bool goes_on = network_port_tick(sm);
	async_copies_tick(sm);
	bool served = requests_tick_before_demand(sm);
	texture_unit_tick(sm);
	l1_send_misses(sm);
	l1_tick(sm);
	goes_on |= prefetch_buffer_tick(sm);
	goes_on |= lsu_tick(sm);
	goes_on |= requests_tick(sm, served);
	goes_on |= shared_has_turn(&sm->shared) || async_copies_wait(&sm->copies);
	sm->memory_tries_again =
		lsu_is_kept(&sm->lsu) || network_port_has_refused(&sm->network) || l1_has_refused(&sm->l1);
	sm->memory_event = goes_on ? sm->cycle + 1 : memory_event(sm);
	sm->memory_next = sm->memory_tries_again && !may_repeat(sm) ? sm->cycle + 1 : sm->memory_event;
	sm->memory_refused = sm->network.refused;
	network_port_note_refused(&sm->network);
}

__attribute__((noinline)) static void charge_slept(struct sm *sm, uint64_t cycle)
{
	uint64_t slept = cycle - sm->accounted;
	sm->accounted = cycle;
	account_refusals(sm, slept);
	collectors_account(sm, slept);
	if (sm->blocks.resident) {
		sm->stats.active_cycles += slept;
		sm->stats.resident_warp_cycles += slept * sm->blocks.live_warps;
	}
	for (uint32_t s = 0; s < sm->config.schedulers; s++)
		cpi_charge(sm, &sm->issue.scheduler[s], slept);
}

void sm_account(struct sm *sm, uint64_t cycle)
{
	if (cycle != sm->accounted)
		charge_slept(sm, cycle);
}

void sm_settle(struct sm *sm, uint64_t cycle)
{
	sm_account(sm, cycle);
	settle_counts(sm);
}

/* The cycle in which the SM must tick next. */
static uint64_t next_event(const struct sm *sm)
{
	uint64_t next = lsu_can_take(sm) ? sm->cycle + 1 : min_u64(sm->memory_event, sm->pipeline_event);
	if (!sm->blocks.resident)
		return next;
	return sm->issue.asks_again ? sm->cycle + 1 : min_u64(next, sm->seam->wake);
}

static uint64_t time_of(const struct sm *sm, uint64_t cycle)
{
	return cycle == SM_NEVER ? UINT64_MAX : sm->now + (cycle - sm->cycle - 1) * sm->period + 1;
}

/* Makes the other fetches of the cycle. Fetched instructions are decoded before the next fetch. */
__attribute__((noinline)) static bool fetch_more(struct sm *sm)
{
	bool goes_on = false, fetches = false;
	bool waits = sm->fetch.fetched || !fetch_rests(&sm->fetch);
	for (uint32_t left = sm->config.fetches - 1; left && waits; left--) {
		goes_on |= decode_tick(sm);
		fetches = fetch_tick(sm);
	}
	return goes_on | fetches;
}

/* Issue, decode and fetch have no work in the next cycle. Computes when the stages from fetch to the units have.
 * Without fetches they need not tick before that. An exception is a hook at a block's end, which fetch calls after
 * issue, if it has released a warp. */
__attribute__((noinline)) static void let_pipeline_rest(struct sm *sm)
{
	bool rests = sm->issue.state == ISSUE_RESTS && fetch_rests(&sm->fetch);
	sm->pipeline_event = collectors_go_on(sm) ? sm->cycle + 1 : min_u64(units_next(sm), sm->phase_waits.next);
	sm->pipeline_next = rests ? sm->pipeline_event : sm->cycle + 1;
}

/* True when a load may be about to issue that could read stores which other SMs have not made yet. */
static bool must_stop(const struct sm *sm)
{
	return UNLIKELY(sm->is_ahead && sm->loads_that_wait) && issue_waits_for_others(sm);
}

/* Runs the stages before the memory stages; to be called after these. True when there is work in the next cycle. */
static bool tick_pipeline(struct sm *sm)
{
	if (LIKELY(!sm->stopped)) {
		collectors_tick(sm);
		if (UNLIKELY(sm->phase_waits.next <= sm->cycle))
			phase_waits_expire(sm);
	}
	sm->stopped = must_stop(sm);
	if (UNLIKELY(sm->stopped))
		return false;
	bool goes_on = issue_tick(sm);
	goes_on |= decode_tick(sm);
	bool fetches = fetch_tick(sm);
	goes_on |= UNLIKELY(sm->config.fetches > 1) ? fetch_more(sm) : fetches;
	if (!goes_on)
		let_pipeline_rest(sm);
	return goes_on;
}

/* These stages have found no work, and no event has changed that since. They count the same as in the last tick. */
__attribute__((noinline)) static void rest_pipeline(struct sm *sm)
{
	collectors_account(sm, 1);
	issue_account_again(sm);
}

/* Runs before all stages of a tick. */
static void begin_tick(struct sm *sm, uint64_t cycle, uint64_t now)
{
	sm_account(sm, cycle);
	sm->cycle = sm->seam->clock = cycle;
	sm->now = now;
	sm->wake = UINT64_MAX;
	sm->accounted = cycle + 1;
	if (sm->blocks.resident) {
		sm->stats.active_cycles++;
		sm->stats.resident_warp_cycles += sm->blocks.live_warps;
	}
	register_file_new_cycle(&sm->registers);
	if (cycle >= sm->pipeline_next) {
		write_back_results(sm);
		units_tick(sm);
	}
	network_port_new_cycle(&sm->network);
	if (!memory_stages_rest(sm))
		tick_memory_stages(sm);
	else if (sm->memory_tries_again)
		rest_memory_stages(sm);
}

/* Inputs during or after the tick set sm->wake themselves. This function and its memory stages are not inlined.
 * Otherwise the loop over SMs would occupy host registers that the stages need (3 % of fma). */
__attribute__((noinline)) void sm_tick(struct sm *sm, uint64_t cycle, uint64_t now)
{
	bool goes_on = false;
	if (LIKELY(!sm->stopped))
		begin_tick(sm, cycle, now);
	else
		sm->wake = now + 1; /* events before it stopped have been handled */
	if (cycle >= sm->pipeline_next)
		goes_on = tick_pipeline(sm);
	else
		rest_pipeline(sm);
	if (UNLIKELY(sm->stopped)) {
		sm->wake = now;
		return;
	}
	if (sm->seam->cycle.count)
		seam_cycle(sm->seam, cycle);
	if (goes_on || (sm->blocks.resident && !sm->config.sleep))
		sm->wake = now + 1;
	else
		sm_wake_at(sm, time_of(sm, next_event(sm)));
}
