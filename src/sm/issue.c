/* Issue: each scheduler, each cycle, gives at most one instruction to the port of its pipe, and the functional core runs
 * it at once; its global stores and atomics wait for sm_commit(). */
#include "sm/coalesce.h"
#include "sm/stages.h"

/* Which of the machine's warps a warp is where local memory is laid out: the words of all of them lie side by side. */
static uint64_t local_warp(const struct sm *sm, uint32_t slot)
{
	uint32_t block = sm->warp[slot].block;
	if (sm->config.local_layout == LOCAL_BY_SM)
		return (uint64_t)sm->index * sm->config.warps + slot;
	return ((uint64_t)block * sm->sms + sm->index) * sm->warps_per_block + (slot - sm->block[block].first_warp);
}

/* From a thread's own addresses to those for the memory system. A warp's accesses to one variable of a word fall into one line. */
static void place_local(const struct sm *sm, const struct op *op, struct simt_step *step)
{
	uint64_t base = LOCAL_PHYSICAL_BASE + 4 * WARP_SIZE * local_warp(sm, op->warp);
	for (uint32_t left = step->lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t own = step->address[lane];
		step->address[lane] = base + own / 4 * sm->local_pitch + 4 * lane + own % 4;
	}
}

/* The accesses that a memory instruction will make. */
static void make_accesses(struct sm *sm, struct op *op, struct simt_step *step)
{
	const struct simt_inst *inst = op->inst;
	uint32_t lanes = (uint32_t)__builtin_popcount(step->lanes);
	switch (op->space) {
	case PTX_SHARED:
		sm->stats.shared_lanes += lanes;
		op->busy = (uint16_t)bank_cycles(step->address, step->lanes, inst->size, sm->config.shared_banks);
		sm->stats.shared_accesses++;
		return;
	case PTX_CONST:
	case PTX_PARAM:
		coalesce_constant(op, step->address, step->lanes, sm->lsu.l1c.sector_bytes);
		sm->stats.constant_accesses++;
		op->waiting = op->accesses;
		return;
	case PTX_LOCAL:
		place_local(sm, op, step);
		coalesce_local(op, step->address, step->lanes, inst->size, sm->local_pitch, sm->lsu.l1d.sector_bytes);
		sm->stats.local_accesses++;
		sm->stats.spill_loads += inst->ptx->is_spill && inst->kind == SIMT_LOAD;
		sm->stats.spill_stores += inst->ptx->is_spill && inst->kind == SIMT_STORE;
		break;
	default:
		if (inst->kind == SIMT_ATOMIC) {
			coalesce_atomic(op, step->address, step->lanes, sm->config.atomic_bytes);
			sm->stats.atomics++;
		} else {
			coalesce_global(op, step->address, step->lanes, inst->size, sm->lsu.l1d.sector_bytes);
			sm->stats.global_loads += inst->kind == SIMT_LOAD;
			sm->stats.global_stores += inst->kind == SIMT_STORE;
		}
	}
	*(inst->kind == SIMT_STORE ? &sm->stats.store_lanes : &sm->stats.load_lanes) += lanes;
	op->waiting = op->accesses;
}

static bool is_memory(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD || inst->kind == SIMT_STORE || inst->kind == SIMT_ATOMIC;
}

static void count(struct sm *sm, const struct simt_inst *inst, const struct simt_step *step)
{
	sm->stats.warp_instructions++;
	sm->stats.thread_instructions += (uint32_t)__builtin_popcount(step->lanes);
	if (inst->kind == SIMT_BRANCH) {
		sm->stats.branches++;
		sm->stats.divergent_branches += step->lanes && step->lanes != step->issued;
	}
}

/* Kinds that do something to their warp's and their block's ability to go on, as an exit does. */
enum { CONTROL_KINDS = 1 << SIMT_FENCE | 1 << SIMT_BARRIER | 1 << SIMT_ATOMIC };

static void apply_control(struct sm *sm, struct sm_warp *warp, const struct simt_step *step)
{
	if (step->inst->kind == SIMT_FENCE)
		warp->fence = true;
	warp->leaving = warp->fence || warp->simt->done;
	if (step->inst->kind == SIMT_BARRIER || step->exited) {
		struct sm_block *block = &sm->block[warp->block];
		uint64_t changed = simt_barrier(warp->simt, step);
		sm->stats.barriers += step->inst->kind == SIMT_BARRIER;
		for (; changed; changed &= changed - 1)
			update_held(sm, &sm->warp[block->first_warp + (uint32_t)__builtin_ctzll(changed)]);
		update_held(sm, warp);
	}
	if (warp->fence || warp->atomics)
		update_held(sm, warp);
}

/* The first pipe with room of those that can take the instruction: one has. */
static uint32_t choose_pipe(const struct sm *sm, uint32_t pipes)
{
	uint32_t pipe = (uint32_t)__builtin_ctz(pipes);
	return latch_has_room(&sm->issued[pipe]) ? pipe : 31 - (uint32_t)__builtin_clz(pipes);
}

/* The instruction that the step ran, on its way to operand collection. */
static void send(struct sm *sm, struct sm_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct op *op = op_new(&sm->ops);
	op->inst = inst;
	op->warp = warp->slot;
	op->lanes = step->lanes;
	op->level = LEVEL_L1;
	op->accesses = op->waiting = op->busy = 0;
	bool memory = is_memory(inst);
	op->space = memory ? step->space : (uint8_t)PTX_REG;
	if (memory && step->lanes)
		make_accesses(sm, op, step);
	if (inst->kind == SIMT_ATOMIC && op->space != PTX_SHARED)
		warp->atomics += op->accesses;
	scoreboard_reserve(sm, warp, inst, memory);
	warp->in_flight++;
	uint32_t pipe = choose_pipe(sm, warp->pipes);
	sm->by_unit[pipe]++;
	op->number = sm->issues++;
	latch_push(&sm->issued[pipe], op);
}

/* The warp goes on behind the instruction that it issued. */
static void advance(struct sm *sm, struct sm_warp *warp)
{
	warp->pc++;
	if (--warp->buffered) {
		examine(sm, warp);
		return;
	}
	warp->scheduler->filled &= ~warp->mask;
	if (!warp->simt->done)
		refetch(sm, warp);
}

/* Not inlined: in the middle of sm_tick() it would have no host registers left. */
__attribute__((noinline)) static void issue_warp(struct sm *sm, struct scheduler *scheduler, struct sm_warp *warp)
{
	struct simt_step *step = &sm->step[scheduler->seen.index];

	simt_step(warp->simt, step);
	if (step->fault.what) {
		sm->fault = step->fault;
		return;
	}
	if (step->commits) {
		sm->to_commit[scheduler->seen.index] = warp->simt;
		sm->commits = true;
	}
	const struct simt_inst *inst = step->inst;
	count(sm, inst, step);
	if (sm->seam->issue.count)
		hooks_issue(sm, warp, step);
	send(sm, warp, inst, step);
	if (step->exited || CONTROL_KINDS >> inst->kind & 1)
		apply_control(sm, warp, step);
	advance(sm, warp);
}

/* The buffer holds another path's instructions: it is found out when the scheduler comes to it. */
static void flush(struct sm *sm, struct sm_warp *warp)
{
	sm->stats.buffer_flushes++;
	forget(warp);
	warp->buffered = 0;
	warp->pc = warp->simt->pc;
	refetch(sm, warp);
}

static uint64_t competing(struct seam_sm *seam, struct scheduler *scheduler)
{
	scheduler->told_live = scheduler->seen.live;
	scheduler->told_held = scheduler->seen.held;
	scheduler->told_load_hazard = scheduler->seen.load_hazard;
	return seam_compete(seam, &scheduler->seen);
}

static void issue_from(struct sm *sm, struct scheduler *scheduler)
{
	const struct seam_sm *seam = sm->seam;
	scheduler->issued = false;
	uint64_t eligible = scheduler->filled & ~scheduler->seen.held;
	if (seam->compete)
		eligible &= competing(sm->seam, scheduler);
	uint64_t candidates = eligible & (~scheduler->hazard | scheduler->stale);
	if (candidates)
		candidates &= open_to(sm, scheduler) | scheduler->stale;
	while (candidates) {
		uint32_t bit = seam_pick(sm->seam, &scheduler->seen, candidates);
		struct sm_warp *warp = &sm->warp[slot_of(sm, scheduler, bit)];
		bool stale = scheduler->stale >> bit & 1;
		if (!stale && (!seam->may_issue.count || hooks_may_issue(sm, warp))) {
			issue_warp(sm, scheduler, warp);
			scheduler->seen.last = bit;
			scheduler->issued = true;
			break;
		}
		if (stale)
			flush(sm, warp);
		candidates &= ~(1ull << bit);
	}
	stack_wait(sm, scheduler);
}

void issue(struct sm *sm)
{
	uint32_t schedulers = sm->config.schedulers;
	struct scheduler *behind = &sm->scheduler[schedulers], *next = sm->scheduler;
	if (sm->config.alternate)
		next += sm->cycle % schedulers;
	for (uint32_t left = schedulers; left && !sm->fault.what; left--) {
		issue_from(sm, next);
		if (++next == behind)
			next = sm->scheduler;
	}
}

void sm_commit(struct sm *sm)
{
	for (uint32_t s = 0; s < sm->config.schedulers; s++)
		if (sm->to_commit[s]) {
			simt_commit(sm->to_commit[s], &sm->step[s]);
			if (sm->step[s].fault.what && !sm->fault.what)
				sm->fault = sm->step[s].fault;
			sm->to_commit[s] = NULL;
		}
	sm->commits = false;
}
