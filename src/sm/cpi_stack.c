/* cpi_stack: a slot without an issue is charged to what blocks the oldest runnable warp: a full pipe, a pending result,
 * a barrier, or a missing instruction (our choice; docs/explanation/deviations.md, 6). Waiting for a load is charged
 * when its data arrive, because the level that served it is known only then. */
#include "sm/sm.h"

/* Reasons for which a scheduler did not issue. */
enum cause {
	CAUSE_ARITHMETIC,
	CAUSE_LOAD,
	CAUSE_BARRIER,
	CAUSE_HELD,
	CAUSE_REPLAYED,
	CAUSE_CONFLICT,
	CAUSE_NO_INSTRUCTION,
	CAUSE_IDLE,
};

static struct sm_warp *oldest_of(const struct scheduler *scheduler, uint64_t warps)
{
	return scheduler->warp[mech_oldest(&scheduler->seen, warps)];
}

/* The reason. For a load, `*waits` is the warp that waits for it. */
__attribute__((always_inline)) static inline enum cause find_cause(struct sm *sm, const struct scheduler *scheduler,
                                                                   struct sm_warp **waits)
{
	uint64_t eligible = scheduler->filled & ~scheduler->seen.held & ~scheduler->stale;
	if (eligible & ~scheduler->hazard)
		return CAUSE_CONFLICT;
	if (eligible) {
		*waits = oldest_of(scheduler, eligible);
		return scheduler->seen.load_hazard & (*waits)->mask ? CAUSE_LOAD : CAUSE_ARITHMETIC;
	}
	if (!scheduler->seen.live)
		return CAUSE_IDLE;
	if (scheduler->seen.live & ~scheduler->seen.held)
		return CAUSE_NO_INSTRUCTION;
	*waits = oldest_of(scheduler, scheduler->seen.live);
	if (sm->seam->holders[(*waits)->block])
		return CAUSE_HELD;
	if (sm->seam->warp_holders[(*waits)->slot])
		return CAUSE_REPLAYED;
	return (*waits)->atomics || (*waits)->waits_for_copies ? CAUSE_LOAD : CAUSE_BARRIER;
}

/* The instruction at which the warp stands. A warp that has ended, or waits at a barrier or fence, stands at its
 * last issued one. */
static uint32_t stands_at(const struct sm *sm, const struct sm_warp *warp, enum cause cause)
{
	bool behind = cause == CAUSE_BARRIER || warp->simt->done;
	return behind ? sm->profile->warp[warp->slot].last : warp->simt->pc;
}

/* Attributes lost slots to an instruction. Where find_cause() determines the cause without a warp, it is the
 * instruction of the oldest warp concerned. */
PROFILE_ASIDE static void note_lost(struct sm *sm, const struct scheduler *scheduler, uint64_t slots)
{
	static const enum profile_cause causes[] = {
		[CAUSE_ARITHMETIC] = PROFILE_arithmetic,
		[CAUSE_BARRIER] = PROFILE_barrier,
		[CAUSE_HELD] = PROFILE_held,
		[CAUSE_REPLAYED] = PROFILE_replayed,
		[CAUSE_CONFLICT] = PROFILE_conflict,
		[CAUSE_NO_INSTRUCTION] = PROFILE_no_instruction,
	};
	const struct mech_warps *seen = &scheduler->seen;
	struct sm_warp *waits = NULL;
	enum cause cause = find_cause(sm, scheduler, &waits);
	if (cause == CAUSE_IDLE)
		return;
	if (cause == CAUSE_CONFLICT)
		waits = oldest_of(scheduler, scheduler->filled & ~(seen->held | scheduler->stale | scheduler->hazard));
	else if (cause == CAUSE_NO_INSTRUCTION)
		waits = oldest_of(scheduler, seen->live & ~seen->held);
	uint32_t pc = stands_at(sm, waits, cause);
	if (cause == CAUSE_LOAD)
		profile_waits(sm->profile, waits, pc);
	else
		profile_lost(sm->profile, pc, causes[cause], slots);
}

/* The counter for the slots that the scheduler loses now. */
static uint64_t *counter_of_lost(struct sm *sm, const struct scheduler *scheduler)
{
	struct sm_warp *waits = NULL;
	switch (find_cause(sm, scheduler, &waits)) {
	case CAUSE_ARITHMETIC:
		return &sm->stats.stack_arithmetic;
	case CAUSE_LOAD:
		return &waits->waited;
	case CAUSE_BARRIER:
		return &sm->stats.stack_barrier;
	case CAUSE_HELD:
		return &sm->stats.stack_held;
	case CAUSE_REPLAYED:
		return &sm->stats.stack_replayed;
	case CAUSE_CONFLICT:
		return &sm->stats.stack_conflict;
	case CAUSE_NO_INSTRUCTION:
		return &sm->stats.stack_no_instruction;
	default:
		return &sm->stats.stack_idle;
	}
}

void cpi_charge(struct sm *sm, struct scheduler *scheduler, uint64_t slots)
{
	if (sm->profile)
		note_lost(sm, scheduler, slots);
	scheduler->charged = counter_of_lost(sm, scheduler);
	*scheduler->charged += slots;
}

void cpi_resolve(struct sm *sm, struct sm_warp *warp, const struct op *op, uint32_t level)
{
	uint64_t *const by_level[] = {&sm->stats.stack_l1, &sm->stats.stack_l2, &sm->stats.stack_dram,
	                              &sm->stats.stack_shared, &sm->stats.stack_texture};
	invariant(level <= LEVEL_TEXTURE);
	if (sm->profile)
		profile_resolved(sm->profile, warp, op, sm->blocks.kernel->launch->program->code, level);
	*by_level[level] += warp->waited;
	warp->waited = 0;
}
