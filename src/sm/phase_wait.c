#include "sm/phase_wait.h"

#include "sm/sm.h"

void phase_waits_open(struct sm *sm)
{
	sm->phase_waits.next = SM_NEVER;
}

void phase_wait(struct sm *sm, struct sm_warp *warp)
{
	uint64_t end = sm->cycle + sm->config.try_wait_cycles;
	if (!sm->config.try_wait_cycles)
		return;
	warp->waits_for_phase = true;
	sm->phase_waits.end[warp->slot] = end;
	sm->phase_waits.next = min_u64(sm->phase_waits.next, end);
	sm->stats.phase_waits++;
	warp_update_held(sm, warp);
}

static void go_on(struct sm *sm, struct sm_warp *warp)
{
	warp->waits_for_phase = false;
	warp_update_held(sm, warp);
	sm_wake_at(sm, sm->now + 1);
}

/* Finds the earliest end of the remaining waits. */
static void find_next(struct sm *sm)
{
	struct phase_waits *waits = &sm->phase_waits;
	waits->next = SM_NEVER;
	for (uint32_t w = 0; w < sm->config.warps; w++)
		if (sm->warp[w].waits_for_phase)
			waits->next = min_u64(waits->next, waits->end[w]);
}

void phase_ended(struct sm *sm, uint32_t block)
{
	const struct sm_block *own = &sm->blocks.slot[block];
	if (sm->phase_waits.next == SM_NEVER)
		return;
	for (uint32_t w = own->first_warp; w < own->first_warp + own->kernel->block.warps; w++)
		if (sm->warp[w].waits_for_phase)
			go_on(sm, &sm->warp[w]);
	find_next(sm);
}

void phase_waits_expire(struct sm *sm)
{
	for (uint32_t w = 0; w < sm->config.warps; w++)
		if (sm->warp[w].waits_for_phase && sm->phase_waits.end[w] <= sm->cycle)
			go_on(sm, &sm->warp[w]);
	find_next(sm);
}
