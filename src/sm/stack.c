/* The cycle stack: each scheduler's each cycle is one slot, and every slot is charged to one cause.
 *
 * A slot without issue goes to what keeps the oldest runnable warp: a pipe without room, a result, a barrier, no
 * instruction. Waiting for a load is charged when its data come and it is known how deep they had to be fetched.
 */
#include "sm/stages.h"

static struct sm_warp *oldest_of(struct sm *sm, const struct scheduler *scheduler, uint64_t warps)
{
	return &sm->warp[slot_of(sm, scheduler, mech_oldest(&scheduler->seen, warps))];
}

static enum stack_reason find_reason(struct sm *sm, struct scheduler *scheduler)
{
	uint64_t eligible = scheduler->filled & ~scheduler->seen.held & ~scheduler->stale;
	scheduler->charged = NULL;
	if (eligible & ~scheduler->hazard)
		return STACK_CONFLICT;
	if (eligible) {
		struct sm_warp *warp = oldest_of(sm, scheduler, eligible);
		if (!(scheduler->seen.load_hazard & warp->mask))
			return STACK_ARITHMETIC;
		scheduler->charged = warp;
		return STACK_LOAD;
	}
	if (!scheduler->seen.live)
		return STACK_IDLE;
	if (scheduler->seen.live & ~scheduler->seen.held)
		return STACK_NO_INSTRUCTION;
	struct sm_warp *warp = oldest_of(sm, scheduler, scheduler->seen.live);
	if (sm->seam->holders[warp->block])
		return STACK_HELD;
	if (!warp->atomics)
		return STACK_BARRIER;
	scheduler->charged = warp;
	return STACK_LOAD;
}

static void charge(struct sm *sm, struct scheduler *scheduler, uint64_t slots)
{
	switch ((enum stack_reason)scheduler->reason) {
	case STACK_ARITHMETIC:
		sm->stats.stack_arithmetic += slots;
		break;
	case STACK_LOAD:
		scheduler->charged->waited += slots;
		break;
	case STACK_BARRIER:
		sm->stats.stack_barrier += slots;
		break;
	case STACK_HELD:
		sm->stats.stack_held += slots;
		break;
	case STACK_CONFLICT:
		sm->stats.stack_conflict += slots;
		break;
	case STACK_NO_INSTRUCTION:
		sm->stats.stack_no_instruction += slots;
		break;
	default:
		sm->stats.stack_idle += slots;
	}
}

void stack_wait(struct sm *sm, struct scheduler *scheduler)
{
	if (scheduler->issued) {
		sm->stats.stack_issued++;
		return;
	}
	scheduler->reason = (uint8_t)find_reason(sm, scheduler);
	charge(sm, scheduler, 1);
}

void stack_resolve(struct sm *sm, struct sm_warp *warp, uint32_t level)
{
	uint64_t *const by_level[] = {&sm->stats.stack_l1, &sm->stats.stack_l2, &sm->stats.stack_dram,
	                              &sm->stats.stack_shared};
	*by_level[level] += warp->waited;
	warp->waited = 0;
}

void sm_account(struct sm *sm, uint64_t cycle)
{
	uint64_t slept = cycle - sm->accounted;
	sm->accounted = cycle;
	if (!slept)
		return;
	load_store_account(sm, slept);
	collection_account(sm, slept);
	sm->stats.network_full += sm->sends_refused * slept;
	if (sm->resident) {
		sm->stats.active_cycles += slept;
		sm->stats.resident_warp_cycles += slept * sm->live_warps;
	}
	for (uint32_t s = 0; s < sm->config.schedulers; s++) {
		struct scheduler *scheduler = &sm->scheduler[s];
		scheduler->reason = (uint8_t)find_reason(sm, scheduler);
		charge(sm, scheduler, slept);
	}
}
