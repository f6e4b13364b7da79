/* polling_lanes: lanes of a warp that poll for other lanes of the same warp take turns with them. */
#include "simt/polling_lanes.h"

#include "base/arena.h"
#include "simt/access.h"

#include <stdlib.h>

/* POLLING_TURNS: rounds of a loop without a change before its lanes run apart. POLLING_LOOKS: instructions inspected
 * for one with which other lanes could change something. */
enum { POLLING_TURNS = 32, POLLING_LOOKS = 64 };

static uint32_t live(const struct simt_warp *warp)
{
	return warp->exists & ~warp->exited;
}

/* ---- stacks ---- */

/* Exchanges the running stack with `parked`. */
static void exchange(struct simt_warp *warp, struct simt_parked *parked)
{
	struct simt_parked running = {warp->stack,       warp->depth,           warp->stack_capacity, warp->frames,
	                              warp->frames_used, warp->frames_capacity, warp->frame,          warp->frame_top};
	warp->stack = parked->stack;
	warp->depth = parked->depth;
	warp->stack_capacity = parked->stack_capacity;
	warp->frames = parked->frames;
	warp->frames_used = parked->frames_used;
	warp->frames_capacity = parked->frames_capacity;
	warp->frame = parked->frame;
	warp->frame_top = parked->frame_top;
	*parked = running;
}

/* Moves parked[k] to the end; its buffers stay valid when it is removed there. */
static void move_last(struct simt_warp *warp, uint32_t k)
{
	struct simt_parked moved = warp->parked[k];
	memmove(&warp->parked[k], &warp->parked[k + 1], (warp->parked_count - 1 - k) * sizeof moved);
	warp->parked[warp->parked_count - 1] = moved;
}

/* Runs parked[k]; the stack that ran becomes the last one in the order of turns. */
static void change_to(struct simt_warp *warp, uint32_t k)
{
	control_save_top(warp);
	exchange(warp, &warp->parked[k]);
	move_last(warp, k);
	control_settle(warp);
}

void polling_resume(struct simt_warp *warp)
{
	exchange(warp, &warp->parked[0]);
	move_last(warp, 0);
	warp->parked_count--;
	control_settle(warp);
}

/* Reads the newest call below `used` bytes of frames. Returns where its saved registers begin. */
static uint32_t record_below(const uint8_t *frames, uint32_t used, struct frame_record *record)
{
	memcpy(record, frames + used - sizeof *record, sizeof *record);
	return used - (uint32_t)sizeof *record - record->saved;
}

/* Restricts all calls to the lanes `keep`. */
static void keep_in_frames(uint8_t *frames, uint32_t used, uint32_t keep)
{
	struct frame_record record;
	while (used) {
		uint32_t at = used - (uint32_t)sizeof record;
		used = record_below(frames, used, &record);
		record.lanes &= keep;
		memcpy(frames + at, &record, sizeof record);
	}
}

/* Moves lanes of the running path to a separate stack, which is parked; the others continue. */
static void part(struct simt_warp *warp, uint32_t lanes)
{
	control_save_top(warp);
	warp->apart = true;
	if (!warp->parked)
		warp->parked = base_calloc(WARP_SIZE, sizeof *warp->parked);
	struct simt_parked *parked = &warp->parked[warp->parked_count++];
	if (parked->stack_capacity < warp->depth) {
		parked->stack_capacity = warp->stack_capacity;
		parked->stack = base_realloc(parked->stack, parked->stack_capacity * sizeof *parked->stack);
	}
	if (parked->frames_capacity < warp->frames_used) {
		parked->frames_capacity = warp->frames_capacity;
		parked->frames = base_realloc(parked->frames, parked->frames_capacity);
	}
	parked->depth = 0;
	for (uint32_t d = 0; d < warp->depth; d++) {
		struct simt_stack_entry entry = warp->stack[d];
		entry.lanes &= lanes;
		warp->stack[d].lanes &= ~lanes;
		if (entry.lanes || entry.is_call)
			parked->stack[parked->depth++] = entry;
	}
	parked->frame = warp->frame;
	parked->frame_top = warp->frame_top;
	parked->frames_used = warp->frames_used;
	if (warp->frames_used)
		memcpy(parked->frames, warp->frames, warp->frames_used);
	keep_in_frames(parked->frames, parked->frames_used, lanes);
	keep_in_frames(warp->frames, warp->frames_used, ~lanes);
	control_settle(warp);
}

/* ---- stacks that have reached the same pc ---- */

static bool same_calls(const struct simt_warp *warp, const struct simt_parked *parked)
{
	if (warp->frames_used != parked->frames_used || warp->frame != parked->frame ||
	    warp->frame_top != parked->frame_top)
		return false;
	for (uint32_t used = warp->frames_used; used;) {
		struct frame_record a, b;
		record_below(parked->frames, used, &b);
		used = record_below(warp->frames, used, &a);
		if (a.call != b.call || a.callee != b.callee || a.caller_frame != b.caller_frame ||
		    a.outer_frame != b.outer_frame || a.outer_top != b.outer_top || a.saved != b.saved)
			return false;
	}
	return true;
}

/* Returns true when the path at the top waits in this entry, or is this entry. */
static bool holds_top(const struct simt_stack_entry *entry, const struct simt_stack_entry *top)
{
	return (entry->lanes & top->lanes) == top->lanes;
}

/* Returns true when the lanes of stack b, which has no other path, can continue in stack a. Stack a is at the same
 * pc and may have more reconvergence points, which b's lanes pass too. With `joins` they are merged. */
static bool fits(struct simt_stack_entry *a, uint32_t depth, const struct simt_stack_entry *b, uint32_t left,
                 bool joins)
{
	const struct simt_stack_entry top = a[depth - 1], *top_of_b = &b[left - 1];
	uint32_t lanes = 0;
	for (uint32_t d = depth; d-- > 0;) {
		if (!holds_top(&a[d], &top))
			continue;
		if (left && a[d].pc == b[left - 1].pc && a[d].is_call == b[left - 1].is_call &&
		    holds_top(&b[left - 1], top_of_b))
			lanes |= b[--left].lanes;
		else if (!lanes || a[d].is_call)
			return false;
		a[d].lanes |= joins ? lanes : 0;
	}
	return left == 0;
}

/* Merges the calls of a parked stack into the same calls of the running stack. */
static void join_calls(struct simt_warp *warp, const struct simt_parked *parked)
{
	for (uint32_t used = warp->frames_used; used;) {
		struct frame_record a, b;
		uint32_t at = used - (uint32_t)sizeof a;
		record_below(parked->frames, used, &b);
		used = record_below(warp->frames, used, &a);
		if (a.saved)
			control_blend_rows(warp->frames + used, a.callee, parked->frames + used, b.lanes);
		a.lanes |= b.lanes;
		memcpy(warp->frames + at, &a, sizeof a);
	}
}

/* Merges a parked stack with the running one if both are at the same pc, into the deeper of the two. Returns false
 * otherwise. */
static bool join(struct simt_warp *warp, struct simt_parked *parked)
{
	bool is_smaller = warp->depth < parked->depth;
	if (!same_calls(warp, parked) ||
	    !(is_smaller ? fits(parked->stack, parked->depth, warp->stack, warp->depth, false)
	                 : fits(warp->stack, warp->depth, parked->stack, parked->depth, false)))
		return false;
	if (is_smaller)
		exchange(warp, parked);
	fits(warp->stack, warp->depth, parked->stack, parked->depth, true);
	join_calls(warp, parked);
	return true;
}

/* Merges all parked stacks at the running stack's pc into it. Returns false when there is none. */
static bool meet(struct simt_warp *warp)
{
	uint32_t before = warp->parked_count;
	control_save_top(warp);
	for (uint32_t k = 0; k < warp->parked_count;) {
		if (!join(warp, &warp->parked[k])) {
			k++;
			continue;
		}
		move_last(warp, k);
		warp->parked_count--;
	}
	control_settle(warp);
	return warp->parked_count < before;
}

/* ---- lanes that can continue ---- */

/* Returns the source of a .sync instruction that is its member mask. */
static unsigned mask_source(const struct ptx_inst *ptx)
{
	switch (ptx->op) {
	case PTX_OP_SHFL:
		return 3;
	case PTX_OP_VOTE:
	case PTX_OP_MATCH:
	case PTX_OP_REDUX:
		return 1;
	default:
		return 0;
	}
}

/* Returns the lanes at an instruction that need not wait when the lanes `elsewhere` are absent. Lanes with another
 * mask belong to another group. */
static uint32_t complete_lanes(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t lanes,
                               uint32_t elsewhere)
{
	if (inst->kind == SIMT_BARRIER || ptx_op_is_matrix(inst->ptx->op))
		return elsewhere ? 0 : lanes;
	const lane32 *mask = source(warp, inst, mask_source(inst->ptx));
	uint32_t complete = 0;
	for (uint32_t rest = lanes; rest;) {
		uint32_t named = mask[__builtin_ctz(rest)], group = 0;
		for (uint32_t k = rest; k; k &= k - 1)
			group |= mask[__builtin_ctz(k)] == named ? k & -k : 0;
		complete |= named & (elsewhere | (lanes & ~group)) ? 0 : group;
		rest &= ~group;
	}
	return complete;
}

/* Returns true when lanes at `pc` can continue without the others. */
static bool can_go_on(const struct simt_warp *warp, uint32_t pc, uint32_t lanes)
{
	const struct simt_inst *inst = &warp->code[pc];
	return !inst->together || complete_lanes(warp, inst, lanes, live(warp) & ~lanes);
}

/* Returns true when lanes at `pc` may reach, without the others, an instruction that these observe. A mask whose
 * value is not known yet does not count. */
static bool may_change(const struct simt_warp *warp, uint32_t pc, uint32_t lanes)
{
	for (unsigned k = 0; k < POLLING_LOOKS; k++) {
		const struct simt_inst *inst = &warp->code[pc];
		bool mask_known = !k || inst->kind == SIMT_BARRIER || inst->base_mask >> mask_source(inst->ptx) & 1;
		if (inst->together && mask_known)
			return can_go_on(warp, pc, lanes);
		if (inst->kind == SIMT_EXIT)
			return false;
		if (inst->kind != SIMT_ALU && inst->kind != SIMT_LOAD && inst->kind != SIMT_FENCE &&
		    (inst->ptx->op != PTX_OP_BRA || inst->polls))
			return true;
		if (inst->kind == SIMT_BRANCH && inst->guard != SIMT_NO_GUARD)
			return true;
		pc = inst->kind == SIMT_BRANCH ? inst->target : pc + 1;
	}
	return true;
}

/* Returns true when `holds` is true for lanes of the running stack that are not in its path. */
static bool others(const struct simt_warp *warp,
                   bool (*holds)(const struct simt_warp *warp, uint32_t pc, uint32_t lanes))
{
	uint32_t known = warp->lanes;
	for (uint32_t d = warp->depth - 1; d-- > 0;) {
		const struct simt_stack_entry *entry = &warp->stack[d];
		uint32_t lanes = entry->lanes & ~known;
		if (!lanes || entry->pc == entry->reconverge)
			continue;
		if (holds(warp, entry->pc, lanes))
			return true;
		known |= lanes;
	}
	return false;
}

/* Gives other lanes a turn. Returns false when none can continue. */
static bool yield(struct simt_warp *warp)
{
	if (others(warp, warp->apart ? can_go_on : may_change)) {
		part(warp, warp->lanes);
		return true;
	}
	for (uint32_t k = 0; k < warp->parked_count; k++) {
		const struct simt_stack_entry *top = &warp->parked[k].stack[warp->parked[k].depth - 1];
		if (can_go_on(warp, top->pc, top->lanes)) {
			change_to(warp, k);
			return true;
		}
	}
	return false;
}

/* ---- loops that poll ---- */

/* Returns a digest of the active lanes, and of the addresses and values of their last reads. */
static uint64_t digest(const struct simt_warp *warp, const struct simt_inst *poll)
{
	static const uint64_t prime = 0x100000001b3;
	uint64_t address[WARP_SIZE], sum = warp->lanes;
	bool is_value = poll->ptx->op != PTX_OP_MBARRIER && poll->dst[0] != SIMT_NO_REGISTER;
	access_addresses(warp, poll, address);
	for (uint32_t rest = warp->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t value = 0;
		if (is_value)
			value = ptx_type_bytes(poll->ptx->type) == 8
			                ? ((const lane64 *)destination(warp, poll, 0))[lane]
			                : ((const lane32 *)destination(warp, poll, 0))[lane];
		sum = ((sum ^ address[lane]) * prime ^ value) * prime;
	}
	return sum;
}

/* The backward branch of a loop that polls; `immediate` is the index of the polling instruction. */
static void branch_back(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	control_branch(warp, inst, step);
	if (warp->pc != inst->target || warp->lanes == live(warp) || warp->lanes != step->lanes)
		return;
	uint64_t now = digest(warp, &warp->code[inst->immediate]);
	if (now != warp->polled) {
		warp->polled = now;
		warp->polls = 0;
	} else if (++warp->polls >= (warp->apart ? 1 : POLLING_TURNS)) {
		warp->polls = 0;
		if (!warp->parked_count || !meet(warp))
			yield(warp);
	}
}

/* ---- instructions in which lanes take part together ---- */

/* Waits for absent lanes that take part. Other lanes run until these have arrived, and lanes that wait for none of
 * them continue. Returns false when the instruction runs now: all lanes are present, or none of the others can
 * continue. Lanes that have run apart may be in different rounds of a loop within one stack. */
static bool waits(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t complete = complete_lanes(warp, inst, step->lanes, live(warp) & ~warp->lanes);
	if (complete == step->lanes)
		return false;
	warp->pc = inst->pc;
	bool met = meet(warp);
	if (!met && complete)
		part(warp, step->lanes & ~complete);
	else if (!met && !yield(warp)) {
		warp->pc = inst->pc + 1;
		return false;
	}
	step->lanes = 0;
	return true;
}

static void together(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	if (LIKELY(!warp->apart) || !waits(warp, inst, step))
		inst->together(warp, inst, step);
}

/* ---- the program ---- */

static bool is_poll(const struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	switch (ptx->op) {
	case PTX_OP_LD:
		return ptx->vector <= 1 && (ptx->order == PTX_VOLATILE || ptx->order == PTX_RELAXED ||
		                            ptx->order == PTX_ACQUIRE || ptx->cache == PTX_CV);
	case PTX_OP_ATOM:
		return true;
	case PTX_OP_MBARRIER:
		return ptx->mbarrier == PTX_MBARRIER_TEST || ptx->mbarrier == PTX_MBARRIER_TRY;
	default:
		return false;
	}
}

/* Returns the polling instruction of a called function; the loop around the call then polls. */
static uint32_t poll_of_callee(const struct simt_program *program, const struct simt_inst *inst)
{
	if (inst->exec != control_call || inst->target == SIMT_NO_PC)
		return SIMT_NO_PC;
	for (uint32_t pc = inst->target; pc < program->count; pc++) {
		if (is_poll(&program->code[pc]))
			return pc;
		if (program->code[pc].kind == SIMT_BRANCH && program->code[pc].ptx->op == PTX_OP_RET)
			break;
	}
	return SIMT_NO_PC;
}

static bool takes_part(const struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	return inst->kind == SIMT_BARRIER || ptx_op_is_matrix(ptx->op) || ptx->warp ||
	       (ptx->sync && inst->kind == SIMT_ALU);
}

/* Returns true when each round of the loop from `from` to `to` repeats the instruction: the loop writes no register
 * that it reads. */
static bool repeats(const struct simt_program *program, const struct simt_inst *inst, uint32_t from, uint32_t to)
{
	for (uint32_t pc = from; pc <= to; pc++) {
		const struct simt_inst *other = &program->code[pc];
		for (unsigned w = 0; w < other->writes; w++)
			for (unsigned r = 0; r < inst->reads; r++)
				if (other->write[w] == inst->read[r])
					return false;
	}
	return true;
}

/* Returns true when the atomic can leave the value in memory as it is, so that a loop can wait with it. */
static bool can_leave_value(const struct ptx_inst *ptx)
{
	switch (ptx->atomic) {
	case PTX_ATOM_INC:
	case PTX_ATOM_DEC:
		return false;
	case PTX_ATOM_ADD:
		return ptx->operand[2].kind == PTX_OPERAND_INT && ptx->operand[2].bits == 0;
	default:
		return true;
	}
}

/* A load that bypasses L1 sees other blocks' writes; it polls when each round reads the same address. */
static bool is_bypassing_poll(const struct simt_program *program, const struct simt_inst *inst, uint32_t from,
                              uint32_t to)
{
	return inst->ptx->op == PTX_OP_LD && inst->ptx->cache == PTX_CG && inst->ptx->vector <= 1 &&
	       repeats(program, inst, from, to);
}

/* Returns true when the instruction may wait for another block in the loop from `from` to `to`. Atomics that count, or
 * that compute on changing addresses, occur in loops of histograms, which wait for nothing. */
static bool waits_for_block(const struct simt_program *program, const struct simt_inst *inst, uint32_t from,
                            uint32_t to)
{
	const struct ptx_inst *ptx = inst->ptx;
	if (inst->space != PTX_GLOBAL && inst->space != PTX_GENERIC)
		return false;
	if (ptx->op != PTX_OP_ATOM)
		return ptx->op == PTX_OP_LD && (is_poll(inst) || is_bypassing_poll(program, inst, from, to));
	return ptx->atomic == PTX_ATOM_CAS || ptx->atomic == PTX_ATOM_EXCH ||
	       (can_leave_value(ptx) && repeats(program, inst, from, to));
}

static bool loop_waits_for_block(const struct simt_program *program, uint32_t from, uint32_t to)
{
	for (uint32_t pc = from; pc <= to; pc++) {
		uint32_t callee = poll_of_callee(program, &program->code[pc]);
		if (waits_for_block(program, &program->code[callee != SIMT_NO_PC ? callee : pc], from, to))
			return true;
	}
	return false;
}

static uint32_t find_bypassing_poll(const struct simt_program *program, uint32_t from, uint32_t to)
{
	for (uint32_t pc = from; pc <= to; pc++)
		if (is_bypassing_poll(program, &program->code[pc], from, to))
			return pc;
	return SIMT_NO_PC;
}

/* Every round of a loop takes a backward branch across each of its instructions. Marks the branches across a
 * polling instruction. */
static bool mark_branches(struct simt_program *program)
{
	uint32_t last = SIMT_NO_PC, last_at = 0;
	bool any = false;
	for (uint32_t pc = 0; pc < program->count; pc++) {
		struct simt_inst *inst = &program->code[pc];
		uint32_t callee = poll_of_callee(program, inst);
		if (is_poll(inst) || callee != SIMT_NO_PC) {
			last = callee != SIMT_NO_PC ? callee : pc;
			last_at = pc;
		}
		if (inst->exec != control_branch || inst->target > pc)
			continue;
		bool is_inside = last != SIMT_NO_PC && last_at >= inst->target;
		uint32_t poll = is_inside ? last : find_bypassing_poll(program, inst->target, pc);
		if (poll == SIMT_NO_PC)
			continue;
		inst->exec = branch_back;
		inst->polls = true;
		inst->immediate = poll;
		program->polls = program->polls || loop_waits_for_block(program, inst->target, pc);
		any = true;
	}
	return any;
}

void polling_mark(struct simt_program *program)
{
	if (!mark_branches(program))
		return;
	for (uint32_t pc = 0; pc < program->count; pc++) {
		struct simt_inst *inst = &program->code[pc];
		if (!takes_part(inst))
			continue;
		inst->together = inst->exec;
		inst->exec = together;
	}
}

const struct simt_inst *polling_inst(const struct simt_warp *warp)
{
	const struct simt_program *program = warp->block->launch->program;
	for (uint32_t pc = warp->pc; pc < program->count; pc++) {
		const struct simt_inst *inst = &program->code[pc];
		if (inst->polls && inst->target <= warp->pc)
			return &program->code[inst->immediate];
	}
	return NULL;
}

void polling_block_free(struct simt_block *block)
{
	for (uint32_t w = 0; w < block->warp_capacity; w++) {
		struct simt_parked *parked = block->warp[w].parked;
		for (uint32_t k = 0; parked && k < WARP_SIZE; k++) {
			free(parked[k].stack);
			free(parked[k].frames);
		}
		free(parked);
	}
}
