/* Waits of warps. A wait lasts from the cycle after one issue to the warp's next issue. Warps are sampled every
 * `every` cycles: a wait between two samples is not drawn, and a change of cause is drawn at the sample that sees
 * it. */
#include "trace.h"

static struct trace_warp *warp_of(struct mech_sm *sm, uint32_t slot)
{
	return &((struct trace_sm *)sm->state)->warp[slot];
}

static void draw(struct mech_sm *sm, uint32_t slot, uint64_t cycle)
{
	struct trace_warp *warp = warp_of(sm, slot);
	if (!warp->waits)
		return;
	warp->waits = false;
	mech_draw(sm->output, &(struct mech_event){.row = warp->event,
	                                           .track = TRACKS_OF_WARPS + slot,
	                                           .begin = warp->since,
	                                           .end = cycle,
	                                           .arguments = {warp->pc, 0}});
}

void trace_warp_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	draw(sm, issue->warp, issue->cycle);
	warp_of(sm, issue->warp)->since = issue->cycle + 1;
}

void trace_warps_begin(struct mech_sm *sm, const struct mech_block *block)
{
	for (uint32_t w = 0; w < block->warps; w++)
		*warp_of(sm, block->first_warp + w) = (struct trace_warp){.live = true, .since = block->cycle + 1};
}

void trace_warps_end(struct mech_sm *sm, const struct mech_block *block)
{
	for (uint32_t w = 0; w < block->warps; w++) {
		draw(sm, block->first_warp + w, block->cycle);
		warp_of(sm, block->first_warp + w)->live = false;
	}
}

static enum trace_event cause_of(const struct mech_warp *warp)
{
	if (warp->at_barrier)
		return TRACE_BARRIER;
	if (warp->at_fence)
		return TRACE_FENCE;
	if (warp->held)
		return TRACE_HELD;
	if (!warp->has_instruction)
		return warp->atomics ? TRACE_LOAD : TRACE_FETCH;
	if (warp->waits_for_loads)
		return TRACE_LOAD;
	return warp->waits_for ? TRACE_ARITHMETIC : warp->atomics ? TRACE_LOAD : TRACE_READY;
}

static void update_warp(struct mech_sm *sm, uint32_t slot, uint64_t cycle)
{
	struct trace_warp *own = warp_of(sm, slot);
	struct mech_warp warp;
	if (!own->live || own->since > cycle)
		return;
	mech_look_at_warp(sm, slot, &warp);
	if (!warp.live) {
		draw(sm, slot, cycle);
		own->live = false;
		return;
	}
	enum trace_event cause = cause_of(&warp);
	if (own->waits && own->event != cause) {
		draw(sm, slot, cycle);
		own->since = cycle;
	}
	own->waits = true;
	own->event = cause;
	own->pc = warp.pc;
}

uint64_t trace_warps_look(struct mech_sm *sm, uint64_t cycle)
{
	const struct trace_config *config = sm->config;
	if (cycle % config->every == 0)
		for (uint32_t slot = 0; slot < sm->machine->warps; slot++)
			update_warp(sm, slot, cycle);
	return cycle + config->every - cycle % config->every;
}
