#include "sm/hooks.h"
#include "sm/sm.h"

/* `runs_on` of the machine maps arithmetic to pipes. */
static void open_timings(const struct sm_config *config, struct unit_timings *timings)
{
	static const uint8_t pipes[] = {[PIPE_SP] = 1u << PTX_UNIT_SP,
	                                [PIPE_SFU] = 1u << PTX_UNIT_SFU,
	                                [PIPE_EITHER] = 1u << PTX_UNIT_SP | 1u << PTX_UNIT_SFU,
	                                [PIPE_INT] = 1u << SM_PIPE_INT,
	                                [PIPE_DP] = 1u << SM_PIPE_DP,
	                                [PIPE_TENSOR] = 1u << SM_PIPE_TENSOR};
	for (uint32_t type = 0; type < PTX_DATA_TYPES; type++) {
		for (uint32_t l = 0; l < PTX_LATENCIES; l++)
			timings->of[l][type] = (struct unit_timing){(uint16_t)config->latency[l][type],
			                                            (uint16_t)config->initiation[l][type],
			                                            pipes[config->runs_on[l][type]]};
		timings->of[PTX_LATENCIES][type] = (struct unit_timing){.pipes = 1u << PTX_UNIT_MEM};
	}
}

void scheduler_open(struct sm *sm)
{
	open_timings(&sm->config, &sm->issue.timings);
	uint32_t schedulers = sm->config.schedulers;
	for (uint32_t s = 0; s < schedulers; s++)
		sm->issue.scheduler[s].seen.index = s;
	for (uint32_t w = 0; w < sm->config.warps; w++) {
		struct scheduler *scheduler = &sm->issue.scheduler[w % schedulers];
		struct sm_warp *warp = &sm->warp[w];
		warp->scheduler = scheduler;
		warp->bit = (uint8_t)(w / schedulers);
		warp->mask = 1ull << warp->bit;
		scheduler->warp[warp->bit] = warp;
		scheduler->seen.warps++;
	}
}

void scheduler_add_warp(struct sm_warp *warp)
{
	struct mech_warps *seen = &warp->scheduler->seen;
	for (uint32_t b = 0; b < seen->warps; b++)
		seen->older[b] &= ~warp->mask;
	seen->older[warp->bit] = ~warp->mask;
	scheduler_no_instruction(warp);
}

void scheduler_buffer_empty(const struct sm_warp *warp)
{
	/* otherwise it would not have issued */
	invariant(!((warp->scheduler->hazard | warp->scheduler->stale) & warp->mask));
	warp->scheduler->filled &= ~warp->mask;
	warp->scheduler->waits_for_sms &= ~warp->mask;
}

void scheduler_no_instruction(const struct sm_warp *warp)
{
	struct scheduler *scheduler = warp->scheduler;
	scheduler->filled &= ~warp->mask;
	scheduler->stale &= ~warp->mask;
	scheduler->waits_for_sms &= ~warp->mask;
	scheduler->hazard &= ~warp->mask;
	scheduler->seen.load_hazard &= ~warp->mask;
}

void scheduler_forget_issues(struct sm *sm)
{
	for (uint32_t s = 0; s < sm->config.schedulers; s++)
		sm->issue.scheduler[s].issued = 0;
}

bool scheduler_starves(const struct sm *sm, uint32_t slot)
{
	const struct sm_warp *warp = &sm->warp[slot];
	const struct scheduler *scheduler = warp->scheduler;
	uint64_t ready = scheduler->filled & ~scheduler->seen.held & (~scheduler->hazard | scheduler->stale);
	return ready & ~scheduler->issued & warp->mask;
}

uint32_t scheduler_issuers(const struct sm *sm, uint32_t slot)
{
	return (uint32_t)__builtin_popcountll(sm->warp[slot].scheduler->issued);
}

static const struct unit_timing *timing_of(const struct sm *sm, const struct simt_inst *inst)
{
	uint32_t row = inst->unit == PTX_UNIT_MEM ? (uint32_t)PTX_LATENCIES : inst->latency;
	return &sm->issue.timings.of[row][inst->data_type];
}

static inline void set_units(const struct sm_warp *warp, uint32_t pipes, uint32_t count)
{
	struct scheduler *scheduler = warp->scheduler;
	for (uint32_t u = 0; u < count; u++)
		scheduler->unit[u] = (scheduler->unit[u] & ~warp->mask) | (pipes >> u & 1 ? warp->mask : 0);
}

static void set_pipes(const struct sm *sm, struct sm_warp *warp)
{
	const struct unit_timing *timing = timing_of(sm, warp->next);
	uint8_t pipes = timing->pipes;
	warp->timing = timing;
	if (pipes == warp->pipes)
		return;
	if (UNLIKELY(sm->config.sub_cores))
		set_units(warp, pipes, SM_PIPES);
	else
		set_units(warp, pipes, PTX_UNITS);
	warp->pipes = pipes;
}

static void look_for_hazard(const struct sm *sm, const struct sm_warp *warp)
{
	enum hazard hazard = scoreboard_check(&warp->scoreboard, &sm->scoreboards, warp->next);
	if (hazard == HAZARD_NONE)
		return;
	warp->scheduler->hazard |= warp->mask;
	if (hazard == HAZARD_LOAD)
		warp->scheduler->seen.load_hazard |= warp->mask;
}

static void set_waits_for_sms(const struct sm *sm, struct sm_warp *warp, uint32_t pc)
{
	bool second = sm->config.issue_per_warp > 1; /* may issue together with the first */
	if (bits_has(sm->loads_that_wait, pc) || (second && bits_has(sm->loads_that_wait, pc + 1)))
		warp->scheduler->waits_for_sms |= warp->mask;
	else
		warp->scheduler->waits_for_sms &= ~warp->mask;
}

void scheduler_next_instruction(const struct sm *sm, struct sm_warp *warp)
{
	const struct simt_warp *simt = warp->simt;
	struct scheduler *scheduler = warp->scheduler;

	invariant(!((scheduler->hazard | scheduler->stale) &
	            warp->mask)); /* the previous instruction has issued or was discarded */
	scheduler->filled |= warp->mask;
	if (warp->ibuffer.pc != simt->pc || simt->done) { /* an ended warp may be past the last instruction */
		scheduler->stale |= warp->mask;
		scheduler->waits_for_sms &= ~warp->mask;
		return;
	}
	warp->next = &simt->code[simt->pc];
	set_pipes(sm, warp);
	if (sm->loads_that_wait)
		set_waits_for_sms(sm, warp, simt->pc);
	if (scoreboard_may_wait(&warp->scoreboard, warp->next))
		look_for_hazard(sm, warp);
}

void scheduler_results_written(struct sm *sm, const struct sm_warp *warp, const struct simt_inst *inst)
{
	struct scheduler *scheduler = warp->scheduler;
	if (!(scheduler->hazard & warp->mask) || !(warp->next->touches & inst->defines))
		return;
	sm_wake_issue(sm);
	scheduler->hazard &= ~warp->mask;
	scheduler->seen.load_hazard &= ~warp->mask;
	look_for_hazard(sm, warp);
}

/* Mechanisms that choose which warps compete may use ranks, so they are called again. */
void scheduler_set_rank(void *host, uint32_t slot, uint32_t rank)
{
	struct sm *sm = host;
	const struct sm_warp *warp = &sm->warp[slot];
	struct mech_warps *seen = &warp->scheduler->seen;
	if (seen->rank[rank] & warp->mask)
		return;
	for (uint32_t r = 0; r < MECH_RANKS; r++)
		seen->rank[r] &= ~warp->mask;
	seen->rank[rank] |= warp->mask;
	if (sm->seam->warps_that_compete.count)
		hooks_compete_again(sm);
}

void scheduler_set_held(const struct sm_warp *warp, bool held)
{
	struct mech_warps *seen = &warp->scheduler->seen;
	seen->held = held ? seen->held | warp->mask : seen->held & ~warp->mask;
}

bool scheduler_set_live(const struct sm_warp *warp, bool live)
{
	struct mech_warps *seen = &warp->scheduler->seen;
	if (live == ((seen->live & warp->mask) != 0))
		return false;
	seen->live ^= warp->mask;
	return true;
}
