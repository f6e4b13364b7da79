#include "sm/sm.h"

void warp_start(struct sm *sm, struct sm_warp *warp, uint32_t block, struct simt_warp *simt)
{
	assert(!warp->simt && !warp->in_flight && !warp->stores && !warp->atomics);
	*warp = (struct sm_warp){.simt = simt,
	                         .slot = warp->slot,
	                         .block = (uint8_t)block,
	                         .scheduler = warp->scheduler,
	                         .mask = warp->mask,
	                         .bit = warp->bit,
	                         .pipes = warp->pipes,
	                         .scoreboard = warp->scoreboard};
	scoreboard_clear(&warp->scoreboard, &sm->scoreboards);
	scheduler_add_warp(warp);
	ibuffer_begin(&sm->fetch, warp);
	if (sm->config.async_copies)
		async_copies_begin(sm, warp->slot);
	warp_update_held(sm, warp);
}

void warp_update_held(struct sm *sm, struct sm_warp *warp)
{
	const struct simt_warp *simt = warp->simt;
	bool live = simt && !simt->done;
	sm_wake_issue(sm);
	scheduler_set_held(warp, !live || warp->fence || warp->atomics || warp->waits_for_copies ||
	                                 warp->waits_for_phase || simt->block->waiting >> simt->index & 1 ||
	                                 sm->seam->holders[warp->block] || sm->seam->warp_holders[warp->slot]);
	if (scheduler_set_live(warp, live)) {
		blocks_count_live(&sm->blocks, live);
		if (!live)
			seam_warp_end(sm->seam, warp->slot);
	}
}

/* Cycles in which the SM slept are charged with the warp's old holders. */
void warp_set_holders(void *host, uint32_t slot, uint32_t holders, uint64_t cycle)
{
	struct sm *sm = host;
	struct sm_warp *warp = &sm->warp[slot];
	if (cycle != MECH_NEVER)
		sm_account(sm, cycle + 1);
	sm->seam->warp_holders[slot] = holders;
	if (warp->simt) /* otherwise it is about to start */
		warp_update_held(sm, warp);
	sm_wake_at(sm, sm->now + 1);
}

/* True when everything that the warp has issued is complete and its writes are acknowledged. */
static bool has_drained(const struct sm_warp *warp)
{
	return !warp->in_flight && !warp->stores && !warp->atomics;
}

void warp_exit(struct sm *sm, struct sm_warp *warp)
{
	assert(scoreboard_is_empty(&warp->scoreboard));
	warp->simt = NULL;
	warp_update_held(sm, warp);
	assert(!(warp->scheduler->seen.live & warp->mask) && warp->scheduler->seen.held & warp->mask);
	blocks_warp_exited(sm, warp->block);
}

/* An instruction has completed of a warp that waits for that. A fence is passed when everything issued before it is
 * complete and all writes of its warp are acknowledged (docs/explanation/deviations.md, 3). A fence has no operands to
 * collect, so it can overtake a store that has. */
static void check_drained(struct sm *sm, struct sm_warp *warp)
{
	invariant(warp->drains);
	if (!has_drained(warp))
		return;
	sm_wake_pipeline(sm);
	if (warp->fence) {
		warp->fence = false;
		warp->drains = warp->simt->done;
		warp_update_held(sm, warp);
	}
	if (warp->simt->done)
		fetch_warp_ended(&sm->fetch, warp);
}

/* Handles copies and mbarriers. */
static void async_control(struct sm *sm, struct sm_warp *warp, const struct simt_step *step)
{
	if (step->inst->kind == SIMT_GROUP) {
		if (sm->config.async_copies)
			async_copies_control(sm, warp, step);
	} else if (step->inst->async == SIMT_PHASE) {
		if (step->phase_ended)
			phase_ended(sm, warp->block);
	} else if (step->waits) {
		phase_wait(sm, warp);
	}
}

void warp_control(struct sm *sm, struct sm_warp *warp, const struct simt_step *step)
{
	if (step->inst->kind == SIMT_FENCE)
		warp->fence = true;
	warp->drains = warp->fence || warp->simt->done;
	if (step->inst->kind == SIMT_BARRIER || step->exited) {
		sm->stats.barriers += step->inst->kind == SIMT_BARRIER;
		blocks_barrier(sm, warp, step);
	}
	if (step->inst->async && step->lanes)
		async_control(sm, warp, step);
	if (warp->fence || warp->atomics)
		warp_update_held(sm, warp);
}

void warp_instruction_issued(struct sm_warp *warp)
{
	warp->in_flight++;
}

void warp_instruction_completed(struct sm *sm, struct sm_warp *warp)
{
	invariant(warp->in_flight);
	warp->in_flight--;
	if (warp->drains)
		check_drained(sm, warp);
}

void warp_store_sent(struct sm_warp *warp)
{
	warp->stores++;
}

void warp_store_acknowledged(struct sm *sm, struct sm_warp *warp)
{
	invariant(warp->stores);
	warp->stores--;
	if (warp->drains)
		check_drained(sm, warp);
}

void warp_atomics_issued(struct sm_warp *warp, uint32_t requests)
{
	warp->atomics += requests;
}

/* The atomic's instruction is not complete yet, because its write-back follows. */
void warp_atomic_answered(struct sm *sm, struct sm_warp *warp)
{
	invariant(warp->atomics && warp->in_flight);
	if (--warp->atomics == 0)
		warp_update_held(sm, warp);
}
