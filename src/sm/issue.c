/* issue: the schedulers' choice. Candidates are warps whose next instruction is in the buffer, waits for no register
 * and fits into its pipe. The first of them in the warp order issues. A mechanism owns that order (seam.h:
 * MECH_POLICY_WARP_ORDER). Each scheduler issues one instruction per cycle, as in GPGPU-Sim 3.2.2, or up to
 * `sm.issue_per_warp` of one warp.
 * tests/micro/issue.cu measures the rates, tests/sm/test_sm_turns.c the orders. */
#include "sm/hooks.h"
#include "sm/sm.h"

#include <string.h>

static bool is_memory(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD || inst->kind == SIMT_STORE || inst->kind == SIMT_ATOMIC;
}

static void count(struct sm *sm, const struct sm_warp *warp, const struct simt_inst *inst, const struct simt_step *step)
{
	uint32_t lanes = (uint32_t)__builtin_popcount(step->lanes);
	sm->stats.warp_instructions++;
	sm->stats.thread_instructions += lanes;
	sm->issue.operations[inst->operation_type] += (uint64_t)lanes * inst->operations;
	if (UNLIKELY(sm->blocks.counts))
		blocks_count_issue(&sm->blocks, warp->block, lanes);
	if (inst->kind == SIMT_BRANCH) {
		sm->stats.branches++;
		sm->stats.divergent_branches += step->lanes && step->lanes != step->issued;
	}
}

/* open_pipes() for a sub-core: the scheduler's entry of the pipe must be free. An instruction can use only one pipe
 * there. */
static uint64_t open_places(const struct sm *sm, const struct scheduler *scheduler)
{
	uint64_t closed = 0;
	for (uint32_t left = sm->sub_cores.issued[scheduler->seen.index]; left; left &= left - 1)
		closed |= scheduler->unit[__builtin_ctz(left)];
	return ~closed;
}

/* The warps whose next instruction fits into its pipe. */
static uint64_t open_pipes(const struct sm *sm, const struct scheduler *scheduler)
{
	uint64_t open = 0;
	if (UNLIKELY(sm->config.sub_cores))
		return open_places(sm, scheduler);
	if (!sm->issue.full)
		return UINT64_MAX;
	for (uint32_t u = 0; u < PTX_UNITS; u++)
		if (!(sm->issue.full >> u & 1))
			open |= scheduler->unit[u];
	return open;
}

/* The first pipe with space of those that can take the instruction; one must exist. SP precedes SFU, in GPGPU-Sim's
 * order (docs/explanation/timing-model.md, Issue). */
static uint32_t choose_pipe(const struct sm *sm, uint32_t pipes)
{
	return (uint32_t)__builtin_ctz(pipes & ~sm->issue.full);
}

static struct op *new_op(struct sm *sm, const struct sm_warp *warp, const struct simt_inst *inst,
                         struct simt_step *step, uint32_t latency)
{
	struct op *op = op_new(&sm->ops);
	op->inst = inst;
	op->number = sm->issue.issued++;
	op->warp = warp->slot;
	op->lanes = step->lanes;
	op->level = LEVEL_L1;
	op->accesses = op->unanswered = op->bank_cycles = 0;
	op->latency = latency ? (uint16_t)latency : warp->timing->latency;
	op->initiation = warp->timing->initiation;
	bool memory = is_memory(inst);
	op->space = memory ? step->space : (uint8_t)PTX_REG;
	if (memory && step->lanes)
		lsu_generate_accesses(sm, op, step);
	return op;
}

/* True when its warp waits for an atomic on shared memory as for one on global memory. */
static bool holds_for_shared(const struct sm *sm, const struct op *op)
{
	return sm->config.shared_atomics_hold && op->lanes;
}

/* Sends the executed instruction to the operand collectors. */
static void dispatch_to_collectors(struct sm *sm, struct sm_warp *warp, const struct simt_inst *inst,
                                   struct simt_step *step, uint32_t latency)
{
	struct op *op = new_op(sm, warp, inst, step, latency);
	if (inst->kind == SIMT_ATOMIC)
		warp_atomics_issued(warp, op->space == PTX_SHARED ? holds_for_shared(sm, op) : op->accesses);
	scoreboard_reserve(&warp->scoreboard, &sm->scoreboards, inst, is_memory(inst));
	warp_instruction_issued(warp);
	if (sm->profile)
		profile_issued(sm->profile, op, step, sm->cycle);
	uint32_t pipe = choose_pipe(sm, warp->pipes);
	sm->issue.by_pipe[inst->data_type][pipe]++;
	op->pipe = (uint8_t)pipe;
	latch_push(&sm->issued[pipe], op);
	sm->issue.waiting |= 1u << pipe;
	if (!latch_has_room(&sm->issued[pipe]))
		sm->issue.full |= 1u << pipe;
	if (UNLIKELY(sm->config.sub_cores))
		sub_cores_issued(sm, op, warp->scheduler->seen.index);
}

/* Kinds that affect whether their warp and block can continue, like an exit. */
enum { CONTROL_KINDS = 1 << SIMT_FENCE | 1 << SIMT_BARRIER | 1 << SIMT_ATOMIC | 1 << SIMT_GROUP };

/* Moves the warp on to the next instruction after the issued one. */
static void advance(struct sm *sm, struct sm_warp *warp)
{
	if (ibuffer_pop(&sm->fetch, warp))
		scheduler_next_instruction(sm, warp);
	else
		scheduler_buffer_empty(warp);
}

/* Not inlined, because in the middle of sm_tick() no host registers would be left for it. */
__attribute__((noinline)) static void issue_warp(struct sm *sm, struct scheduler *scheduler, struct sm_warp *warp,
                                                 struct simt_step *step)
{
	uint32_t latency = sm->seam->is_shown_issues ? hooks_issue(sm, warp) : 0;
	simt_step(warp->simt, step);
	if (step->fault.what) {
		sm->fault = step->fault;
		return;
	}
	if (step->commits) {
		invariant(!scheduler->to_commit);
		scheduler->to_commit = warp->simt;
		sm->commits = true;
	}
	const struct simt_inst *inst = step->inst;
	count(sm, warp, inst, step);
	dispatch_to_collectors(sm, warp, inst, step, latency);
	if (step->exited || CONTROL_KINDS >> inst->kind & 1)
		warp_control(sm, warp, step);
	advance(sm, warp);
}

/* The buffer holds another path's instructions. This is detected when the scheduler reaches the warp
 * (docs/explanation/timing-model.md, Fetch and decode; tests/sm/test_sm.c: branch). */
static void flush_buffer(struct sm *sm, struct sm_warp *warp)
{
	sm->stats.buffer_flushes++;
	scheduler_no_instruction(warp);
	ibuffer_restart(&sm->fetch, warp);
}

/* The warps that can issue unless mechanisms prevent it. Stale warps are included, because staleness is detected at
 * their turn. */
static uint64_t ready_warps(const struct sm *sm, const struct scheduler *scheduler)
{
	uint64_t ready = scheduler->filled & ~scheduler->seen.held & (~scheduler->hazard | scheduler->stale);
	return ready ? ready & (open_pipes(sm, scheduler) | scheduler->stale) : 0;
}

/* True when the warp that has just issued to a pipe may issue its next instruction too. A store of the same cycle
 * must be made first, so no further memory instruction follows it. */
static bool may_issue_again(struct sm *sm, struct scheduler *scheduler, struct sm_warp *warp, uint32_t pipe)
{
	uint64_t ready = scheduler->filled & ~scheduler->seen.held & warp->mask;
	if (!ready || sm->fault.what)
		return false;
	if (ready & scheduler->stale) {
		flush_buffer(sm, warp);
		return false;
	}
	if (!(ready & ~scheduler->hazard & open_pipes(sm, scheduler)))
		return false;
	uint32_t next = choose_pipe(sm, warp->pipes);
	if ((sm->config.issue_other_pipe && next == pipe) || (scheduler->to_commit && next == SM_PIPE_MEM))
		return false;
	return !sm->seam->may_issue.count || hooks_may_issue(sm, warp);
}

/* Issues the warp's instruction, and more of them where the machine allows (GPGPU-Sim 4.2.0: scheduler_unit::cycle(),
 * gpgpu_max_insn_issue_per_warp and gpgpu_dual_issue_diff_exec_units). */
__attribute__((noinline)) static void issue_several(struct sm *sm, struct scheduler *scheduler, struct sm_warp *warp)
{
	uint32_t left = sm->config.issue_per_warp, pipe;
	do {
		pipe = choose_pipe(sm, warp->pipes);
		issue_warp(sm, scheduler, warp, scheduler->to_commit ? &scheduler->after : &scheduler->step);
	} while (--left && may_issue_again(sm, scheduler, warp, pipe) && ++sm->stats.issued_along);
}

/* Issues the first candidate that no mechanism refuses. False: none issues. */
static bool issue_first(struct sm *sm, struct scheduler *scheduler, uint64_t candidates)
{
	while (candidates) {
		uint32_t bit = seam_pick(sm->seam, &scheduler->seen, candidates);
		struct sm_warp *warp = scheduler->warp[bit];
		bool stale = scheduler->stale >> bit & 1;
		if (!stale && (!sm->seam->may_issue.count || hooks_may_issue(sm, warp))) {
			if (UNLIKELY(sm->config.issue_per_warp > 1))
				issue_several(sm, scheduler, warp);
			else
				issue_warp(sm, scheduler, warp, &scheduler->step);
			scheduler->seen.last = bit;
			scheduler->issued |= warp->mask;
			return true;
		}
		if (stale)
			flush_buffer(sm, warp);
		candidates &= ~(1ull << bit |
		                scheduler->seen.held); /* some may be held since this cycle's candidates were found */
	}
	return false;
}

/* Removes the warps that mechanisms do not let compete from the ready ones. True when there were any. */
static bool leave_out(struct seam_sm *seam, const struct scheduler *scheduler, uint64_t *ready)
{
	uint64_t left_out = *ready & ~seam_compete(seam, &scheduler->seen);
	*ready ^= left_out;
	return left_out;
}

/* True when a warp has issued or could have issued. */
static bool issue_from(struct sm *sm, struct scheduler *scheduler)
{
	uint64_t candidates = ready_warps(sm, scheduler);
	bool goes_on = sm->seam->warps_that_compete.count && leave_out(sm->seam, scheduler, &candidates);
	if (candidates) {
		if (issue_first(sm, scheduler, candidates)) {
			sm->stats.stack_issued++;
			return true;
		}
		goes_on = true;
	}
	cpi_charge(sm, scheduler, 1);
	return goes_on;
}

/* Runs each scheduler in its turn. True when a warp has issued or could have issued. */
static bool issue_from_all(struct sm *sm)
{
	uint32_t schedulers = sm->config.schedulers;
	struct scheduler *behind = &sm->issue.scheduler[schedulers], *next = sm->issue.scheduler;
	bool goes_on = false;
	if (sm->config.alternate)
		next += sm->cycle % schedulers;
	for (uint32_t left = schedulers; left && !sm->fault.what; left--) {
		goes_on |= issue_from(sm, next);
		if (++next == behind)
			next = sm->issue.scheduler;
	}
	return goes_on;
}

void issue_account_again(struct sm *sm)
{
	for (uint32_t s = 0; s < sm->config.schedulers; s++)
		++*sm->issue.scheduler[s].charged;
}

bool issue_tick(struct sm *sm)
{
	if (sm->issue.state == ISSUE_RESTS) {
		issue_account_again(sm);
		return false;
	}
	sm->issue.state = ISSUE_CHOOSES;
	sm->issue.asks_again = false;
	bool goes_on = issue_from_all(sm);
	/* A mechanism that releases a warp while it is called has woken the stage, which chooses again in the next
	 * cycle. */
	if (!goes_on && sm->issue.state == ISSUE_CHOOSES && sm->may_rest)
		sm->issue.state = ISSUE_RESTS;
	return goes_on;
}

void issue_settle(struct sm *sm)
{
	uint64_t(*by_pipe)[SM_PIPES] = sm->issue.by_pipe, *fp32 = by_pipe[PTX_DATA_FP32],
	*fp64 = by_pipe[PTX_DATA_FP64];
	for (uint32_t type = 0; type < PTX_DATA_TYPES; type++) {
		sm->stats.sp_instructions += by_pipe[type][PTX_UNIT_SP];
		sm->stats.sfu_instructions += by_pipe[type][PTX_UNIT_SFU];
		sm->stats.mem_instructions += by_pipe[type][PTX_UNIT_MEM];
		sm->stats.int_instructions += by_pipe[type][SM_PIPE_INT];
		sm->stats.dp_instructions += by_pipe[type][SM_PIPE_DP];
		sm->stats.tensor_instructions += by_pipe[type][SM_PIPE_TENSOR];
	}
	for (uint32_t pipe = 0; pipe < SM_PIPES; pipe++) {
		sm->stats.fp32_instructions += pipe == SM_PIPE_MEM ? 0 : fp32[pipe];
		sm->stats.fp64_instructions += pipe == SM_PIPE_MEM ? 0 : fp64[pipe];
	}
	memset(by_pipe, 0, sizeof sm->issue.by_pipe);
	sm->stats.fp32_operations += sm->issue.operations[PTX_DATA_FP32];
	sm->stats.fp64_operations += sm->issue.operations[PTX_DATA_FP64];
	sm->stats.tensor_operations += sm->issue.operations[PTX_DATA_INT];
	memset(sm->issue.operations, 0, sizeof sm->issue.operations);
}

/* Held warps count too, unless their pipes are full, because an issue in this cycle may release them. */
bool issue_waits_for_others(const struct sm *sm)
{
	for (uint32_t s = 0; s < sm->config.schedulers; s++) {
		const struct scheduler *scheduler = &sm->issue.scheduler[s];
		uint64_t waits = scheduler->waits_for_sms & scheduler->filled & ~scheduler->hazard & ~scheduler->stale;
		if (waits & open_pipes(sm, scheduler))
			return true;
	}
	return false;
}

void sm_commit(struct sm *sm)
{
	for (uint32_t s = 0; s < sm->config.schedulers; s++) {
		struct scheduler *scheduler = &sm->issue.scheduler[s];
		if (!scheduler->to_commit)
			continue;
		simt_commit(scheduler->to_commit, &scheduler->step);
		if (scheduler->step.fault.what && !sm->fault.what)
			sm->fault = scheduler->step.fault;
		scheduler->to_commit = NULL;
	}
	sm->commits = false;
}
