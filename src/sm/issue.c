/* Issue: each scheduler, each cycle, gives at most one instruction to the port of its pipe, and the functional core runs
 * it at once; its global stores and atomics wait for sm_commit(). */
#include "sm/coalesce.h"
#include "sm/stages.h"

enum { LOCAL_PHYSICAL_BASE_BITS = 40 };

/* Where local memory lies for the memory system: 4-byte words of all threads of the machine interleaved, so that a warp's
 * accesses to one local variable fall into one line. */
static void place_local(const struct sm *sm, const struct op *op, struct simt_step *step)
{
	uint64_t thread = (uint64_t)sm->index * sm->config.warps * WARP_SIZE + (uint64_t)op->warp * WARP_SIZE;
	for (uint32_t left = step->lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t word = step->address[lane] / 4;
		step->address[lane] = (1ull << LOCAL_PHYSICAL_BASE_BITS) +
		                      (word * sm->local_stride + thread + lane) * 4 + step->address[lane] % 4;
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
		coalesce_constant(op, step->address, step->lanes, sm->config.l1c.line_bytes);
		sm->stats.constant_accesses++;
		op->waiting = op->accesses;
		return;
	case PTX_LOCAL:
		place_local(sm, op, step);
		coalesce_global(op, step->address, step->lanes, inst->size);
		sm->stats.local_accesses++;
		break;
	default:
		if (inst->kind == SIMT_ATOMIC) {
			coalesce_atomic(op, step->address, step->lanes, sm->config.atomic_bytes);
			sm->stats.atomics++;
		} else {
			coalesce_global(op, step->address, step->lanes, inst->size);
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

static void count(struct sm *sm, const struct simt_step *step)
{
	const struct simt_inst *inst = step->inst;
	sm->stats.warp_instructions++;
	sm->stats.thread_instructions += (uint32_t)__builtin_popcount(step->lanes);
	sm->stats.sp_instructions += inst->unit == PTX_UNIT_SP;
	sm->stats.sfu_instructions += inst->unit == PTX_UNIT_SFU;
	sm->stats.mem_instructions += inst->unit == PTX_UNIT_MEM;
	if (inst->kind == SIMT_BRANCH) {
		sm->stats.branches++;
		sm->stats.divergent_branches += step->lanes && step->lanes != step->issued;
	}
}

/* What the instruction does to its warp's and its block's ability to go on. */
static void apply_control(struct sm *sm, struct sm_warp *warp, const struct simt_step *step)
{
	enum simt_kind kind = step->inst->kind;
	if (kind != SIMT_FENCE && kind != SIMT_BARRIER && kind != SIMT_ATOMIC && !step->exited)
		return;
	if (step->inst->kind == SIMT_FENCE)
		warp->fence = true;
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

static void issue_warp(struct sm *sm, struct scheduler *scheduler, uint32_t slot)
{
	struct sm_warp *warp = &sm->warp[slot];
	uint32_t number = (uint32_t)(scheduler - sm->scheduler);
	struct simt_step *step = &sm->step[number];

	simt_step(warp->simt, step);
	if (step->fault.what) {
		sm->fault = step->fault;
		return;
	}
	if (step->commits) {
		sm->to_commit[number] = warp->simt;
		sm->commits = true;
	}
	count(sm, step);

	const struct simt_inst *inst = step->inst;
	struct op *op = op_new(&sm->ops);
	op->inst = inst;
	op->warp = slot;
	op->lanes = step->lanes;
	op->level = LEVEL_L1;
	op->accesses = op->waiting = op->busy = 0;
	bool memory = is_memory(inst);
	op->space = memory ? step->space : (uint8_t)PTX_REG;
	if (memory && step->lanes)
		make_accesses(sm, op, step);
	if (inst->kind == SIMT_ATOMIC && op->space != PTX_SHARED)
		warp->atomics += op->accesses;
	scoreboard_reserve(warp, inst, memory);
	warp->in_flight++;
	latch_push(&sm->issued[inst->unit], op, sm->now);

	warp->next++;
	if (warp->next == warp->buffered && !warp->simt->done)
		refetch(sm, warp, inst->pc + 1);
	apply_control(sm, warp, step);
	examine(sm, warp);
}

static void issue_from(struct sm *sm, struct scheduler *scheduler)
{
	scheduler->issued = false;
	order_prepare(sm, scheduler);
	uint64_t eligible = scheduler->filled & ~scheduler->held;
	if (sm->config.order == ORDER_TWO_LEVEL)
		eligible &= scheduler->ready_set;
	uint64_t open = 0;
	for (int u = 0; u < PTX_UNITS; u++)
		if (latch_room(&sm->issued[u]))
			open |= scheduler->unit[u];
	uint64_t candidates = eligible & ((open & ~scheduler->hazard) | scheduler->stale);
	while (candidates) {
		uint32_t bit = order_pick(sm, scheduler, candidates);
		uint32_t slot = slot_of(sm, scheduler, bit);
		if (!(scheduler->stale >> bit & 1)) {
			issue_warp(sm, scheduler, slot);
			scheduler->last = bit;
			scheduler->issued = true;
			break;
		}
		/* The buffer holds another path's instructions: it is found out when the scheduler comes to it. */
		sm->stats.buffer_flushes++;
		refetch(sm, &sm->warp[slot], sm->warp[slot].simt->pc);
		examine(sm, &sm->warp[slot]);
		candidates &= ~(1ull << bit);
	}
	stack_wait(sm, scheduler);
}

void issue(struct sm *sm)
{
	uint32_t schedulers = sm->config.schedulers;
	uint32_t next = sm->config.alternate ? (uint32_t)(sm->cycle % schedulers) : 0;
	for (uint32_t k = 0; k < schedulers && !sm->fault.what; k++) {
		issue_from(sm, &sm->scheduler[next]);
		next = next + 1 == schedulers ? 0 : next + 1;
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
