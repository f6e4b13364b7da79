/* control: branches, calls and the reconvergence stack.
 *
 * The top of the stack runs; warp->pc, lanes and reconverge are a copy of it. An entry whose lanes have reached its
 * reconvergence point is popped. Its lanes wait in the entry below, whose pc is that point. A call pushes an entry
 * marked is_call above the entry that continues after the call.
 */
#include "base/arena.h"
#include "simt/checks.h"
#include "simt/exec.h"
#include "simt/access.h"
#include "simt/program.h"
#include "simt/polling_lanes.h"

#include <stdlib.h>

static void push(struct simt_warp *warp, struct simt_stack_entry entry)
{
	if (warp->depth == warp->stack_capacity) {
		warp->stack_capacity = warp->stack_capacity ? warp->stack_capacity * 2 : 16;
		warp->stack = base_realloc(warp->stack, warp->stack_capacity * sizeof *warp->stack);
	}
	warp->stack[warp->depth++] = entry;
}

struct simt_stack_entry *control_save_top(struct simt_warp *warp)
{
	struct simt_stack_entry *top = &warp->stack[warp->depth - 1];
	top->pc = warp->pc;
	top->lanes = warp->lanes;
	return top;
}

static uint8_t *slot_host(const struct simt_warp *warp, const struct simt_slot *slot, uint32_t frame, unsigned lane)
{
	uint64_t pitch = warp->block->launch->program->local_bytes;
	return warp->local + lane * pitch + slot->offset + (slot->in_frame ? frame : 0);
}

/* argument_read() copies a lane's argument from the caller into `to`, `size` bytes; argument_write() copies a
 * result back from `from`. */
static void argument_read(const struct simt_warp *warp, const struct simt_argument *argument, uint32_t frame,
                          unsigned lane, void *to, uint32_t size)
{
	if (argument->kind == SIMT_ARGUMENT_SLOT) {
		memcpy(to, slot_host(warp, &argument->slot, frame, lane),
		       size < argument->slot.size ? size : argument->slot.size);
		return;
	}
	const uint8_t *base = argument->kind == SIMT_ARGUMENT_REGISTER ? warp->registers : warp->constants;
	memcpy(to, base + argument->row + lane * argument->lane_bytes,
	       size < argument->lane_bytes ? size : argument->lane_bytes);
}

static void argument_write(const struct simt_warp *warp, const struct simt_argument *argument, uint32_t frame,
                           unsigned lane, const void *from, uint32_t size)
{
	if (argument->kind == SIMT_ARGUMENT_SLOT)
		memcpy(slot_host(warp, &argument->slot, frame, lane), from,
		       size < argument->slot.size ? size : argument->slot.size);
	else if (argument->kind == SIMT_ARGUMENT_REGISTER)
		memcpy(warp->registers + argument->row + lane * argument->lane_bytes, from,
		       size < argument->lane_bytes ? size : argument->lane_bytes);
}

void control_blend_rows(uint8_t *registers, const struct simt_function *function, const uint8_t *saved, uint32_t lanes)
{
	for (uint32_t k = 0; k < function->rows64; k++, registers += 256, saved += 256)
		blend64(registers, saved, lanes);
	for (uint32_t k = 0; k < function->rows32; k++, registers += 128, saved += 128)
		blend32(registers, saved, lanes);
	lane32 *pred = (lane32 *)registers;
	const lane32 *old = (const lane32 *)saved;
	for (uint32_t k = 0; k < function->preds; k++)
		pred[k] = (pred[k] & ~lanes) | (old[k] & lanes);
}

/* All lanes of the innermost call have returned or exited. */
static void leave(struct simt_warp *warp)
{
	struct frame_record record;
	warp->frames_used -= sizeof record;
	memcpy(&record, warp->frames + warp->frames_used, sizeof record);
	warp->frames_used -= record.saved;
	if (UNLIKELY(record.callee->stack_row != SIMT_NO_REGISTER))
		blend32(warp->registers + warp->block->launch->program->alloca_row,
		        warp->registers + record.callee->stack_row, record.lanes);
	if (record.saved)
		control_blend_rows(warp->registers + record.callee->registers, record.callee,
		                   warp->frames + warp->frames_used, record.lanes);
	for (uint32_t k = 0; k < record.call->result_count && k < record.callee->ptx->result_count; k++)
		for (uint32_t rest = record.lanes; rest; rest &= rest - 1) {
			unsigned lane = (unsigned)__builtin_ctz(rest);
			const struct simt_slot *slot = &record.callee->results[k];
			argument_write(warp, &record.call->results[k], record.caller_frame, lane,
			               slot_host(warp, slot, warp->frame, lane), slot->size);
		}
	warp->frame = record.outer_frame;
	warp->frame_top = record.outer_top;
}

void control_settle(struct simt_warp *warp)
{
	while (warp->depth > 0) {
		const struct simt_stack_entry *top = &warp->stack[warp->depth - 1];
		if (top->lanes != 0 && top->pc != top->reconverge) {
			warp->pc = top->pc;
			warp->lanes = top->lanes;
			warp->reconverge = top->reconverge;
			return;
		}
		if (top->is_call)
			leave(warp);
		warp->depth--;
	}
	if (warp->parked_count) {
		polling_resume(warp);
		return;
	}
	warp->lanes = 0;
	warp->reconverge = SIMT_NO_PC;
	warp->done = true;
	warp->block->live &= ~((uint64_t)1 << warp->index);
}

void control_join(struct simt_warp *warp)
{
	control_save_top(warp);
	control_settle(warp);
}

static bool falls_through_first(const struct simt_warp *warp, uint32_t taken, uint32_t rest)
{
	switch (warp->block->launch->first_path) {
	case SIMT_TAKEN_FIRST:
		return false;
	case SIMT_LOW_LANES_FIRST: /* the path of the highest lane waits */
		return taken > rest;
	default:
		return true;
	}
}

/* On divergence the path that runs first is pushed last. */
void control_branch(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t taken = step->lanes, rest = step->issued & ~taken;
	uint32_t fall = warp->pc;
	if (rest == 0 || inst->target == fall) {
		warp->pc = inst->target;
		return;
	}
	struct simt_stack_entry *top = control_save_top(warp);
	bool is_call = false;
	uint32_t reconverge = warp->reconverge;
	if (inst->reconverge != SIMT_NO_PC && inst->reconverge != reconverge) {
		reconverge = inst->reconverge; /* the lanes reconverge in the entry that was the top */
		top->pc = reconverge;
	} else { /* they reconverge further down: the two paths replace the top */
		is_call = top->is_call;
		warp->depth--;
	}
	const struct simt_stack_entry path[2] = {{inst->target, reconverge, taken, is_call},
	                                         {fall, reconverge, rest, is_call}};
	bool falls_first = falls_through_first(warp, taken, rest);
	for (uint32_t i = 0; i < 2; i++) {
		struct simt_stack_entry entry = path[falls_first ? i : !i];
		if (entry.pc == reconverge)
			continue;
		entry.is_call = is_call; /* the lower one returns */
		is_call = false;
		push(warp, entry);
	}
	control_settle(warp);
}

static void save_frame(struct simt_warp *warp, const struct frame_record *record)
{
	uint32_t need = warp->frames_used + record->saved + (uint32_t)sizeof *record;
	if (need > warp->frames_capacity) {
		warp->frames_capacity = need * 2;
		warp->frames = base_realloc(warp->frames, warp->frames_capacity);
	}
	if (record->saved)
		memcpy(warp->frames + warp->frames_used, warp->registers + record->callee->registers, record->saved);
	memcpy(warp->frames + warp->frames_used + record->saved, record, sizeof *record);
	warp->frames_used = need;
}

/* Enters a function with some of the lanes. Returns false on a fault. */
static bool enter(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                  const struct simt_function *callee, uint32_t lanes, uint32_t caller_frame)
{
	const struct simt_call *call = (const struct simt_call *)(uintptr_t)inst->immediate;
	struct frame_record record = {call, callee, lanes, caller_frame, warp->frame, warp->frame_top, 0};
	uint32_t frame = warp->frame, top = warp->frame_top;
	if (callee->recursive) {
		frame = (top + 15) & ~15u;
		top = frame + callee->frame_bytes;
		record.saved = callee->register_bytes;
		if (top > warp->block->launch->program->local_bytes) {
			fault_set(warp, inst, step, SIMT_FAULT_STACK, "stack overflow of a recursive function",
			          (unsigned)__builtin_ctz(lanes));
			return false;
		}
	}
	for (uint32_t k = 0; k < call->argument_count && k < callee->ptx->param_count; k++)
		for (uint32_t rest = lanes; rest; rest &= rest - 1) {
			unsigned lane = (unsigned)__builtin_ctz(rest);
			const struct simt_slot *slot = &callee->params[k];
			argument_read(warp, &call->arguments[k], caller_frame, lane, slot_host(warp, slot, frame, lane),
			              slot->size);
		}
	save_frame(warp, &record);
	if (UNLIKELY(callee->stack_row != SIMT_NO_REGISTER))
		blend32(warp->registers + callee->stack_row, warp->registers + warp->block->launch->program->alloca_row,
		        lanes);
	warp->frame = frame;
	warp->frame_top = top;
	push(warp, (struct simt_stack_entry){callee->pc, SIMT_NO_PC, lanes, true});
	return true;
}

/* Lanes may call different functions; these run one after the other. */
void control_call(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct simt_call *call = (const struct simt_call *)(uintptr_t)inst->immediate;
	uint32_t lanes = step->lanes, frame = warp->frame;
	control_save_top(warp);
	if (call->callee) {
		if (enter(warp, inst, step, call->callee, lanes, frame))
			control_settle(warp);
		return;
	}
	SOURCE(target, lane64, 0);
	while (lanes) {
		unsigned first = (unsigned)__builtin_ctz(lanes);
		uint32_t same = 0;
		for (uint32_t rest = lanes; rest; rest &= rest - 1)
			if (target[__builtin_ctz(rest)] == target[first])
				same |= rest & -rest;
		const struct simt_function *callee = simt_function_at(warp->block->launch->program, target[first]);
		if (!callee) {
			fault_set(warp, inst, step, SIMT_FAULT_CALL, "call of an address that is not a function",
			          first);
			step->fault.address = target[first];
			return;
		}
		if (!enter(warp, inst, step, callee, same, frame))
			return;
		lanes &= ~same;
	}
	control_settle(warp);
}

/* Packs the arguments one after the other, each starting at a new word. */
static void read_words(const struct simt_warp *warp, const struct simt_call *call, unsigned lane, uint64_t *words)
{
	uint32_t at = 0;
	for (uint32_t k = 0; k < call->argument_count && at < SIMT_SYSTEM_ARGUMENTS; k++) {
		const struct simt_argument *argument = &call->arguments[k];
		uint32_t room = (SIMT_SYSTEM_ARGUMENTS - at) * (uint32_t)sizeof *words;
		argument_read(warp, argument, warp->frame, lane, &words[at], room);
		at += argument->kind == SIMT_ARGUMENT_SLOT && argument->slot.size > sizeof *words ? 2 : 1;
	}
}

/* printf, malloc, free, assertions and launches all run at commit. */
void control_system_call(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	(void)warp;
	(void)inst;
	step->commits = true;
}

/* Returns false after a fault: no kernel allocated the address, or it has been freed. */
static bool may_free(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, unsigned lane,
                     uint64_t address)
{
	const char *problem = simt_free_problem(warp->block->launch->memory, address, SIMT_KERNEL);
	if (!address || !problem)
		return true;
	fault_set(warp, inst, step, SIMT_FAULT_FREE, "free of an address that cannot be freed", lane);
	step->fault.address = address;
	step->fault.detail = problem;
	return false;
}

void control_system_commit(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct simt_call *call = (const struct simt_call *)(uintptr_t)inst->immediate;
	const struct simt_launch *launch = warp->block->launch;
	struct simt_windows windows = {.shared = warp->block->shared,
	                               .shared_bytes = warp->block->shared_bytes,
	                               .block = warp->block->number,
	                               .local_bytes = launch->program->local_bytes,
	                               .own_stream = call->own_stream};
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t values[SIMT_SYSTEM_ARGUMENTS] = {0};
		read_words(warp, call, lane, values);
		windows.local = warp->local + lane * windows.local_bytes;
		windows.thread = warp->index * WARP_SIZE + lane;
		uint64_t result = 0;
		if (call->system == PTX_SYSTEM_FREE && !may_free(warp, inst, step, lane, values[0]))
			break;
		if (launch->system_call)
			result = launch->system_call(launch->user, call->system, values, &windows);
		if (UNLIKELY(warp->block->checks != NULL))
			checks_system_call(warp, inst, lane, values[0], result);
		if (call->system == PTX_SYSTEM_DEVICE_SYNCHRONIZE && result)
			fault_set(warp, inst, step, SIMT_FAULT_CALL, "a grid that its block waits for has failed",
			          lane);
		if (call->result_count)
			argument_write(warp, &call->results[0], warp->frame, lane, &result, sizeof result);
	}
	/* The call may have freed memory. */
	memset(warp->block->range, 0, sizeof warp->block->range);
	if (call->system == PTX_SYSTEM_ASSERTFAIL)
		fault_set(warp, inst, step, SIMT_FAULT_ASSERT, "device assertion failed",
		          (unsigned)__builtin_ctz(step->lanes));
}

void control_return(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	(void)inst;
	control_save_top(warp);
	for (uint32_t d = warp->depth; d > 0; d--) {
		warp->stack[d - 1].lanes &= ~step->lanes;
		if (warp->stack[d - 1].is_call)
			break;
	}
	control_settle(warp);
}

void control_exit(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	(void)inst;
	control_save_top(warp);
	for (uint32_t d = 0; d < warp->depth; d++)
		warp->stack[d].lanes &= ~step->lanes;
	warp->exited |= step->lanes;
	step->exited = true;
	control_settle(warp);
	if (warp->done)
		barrier_exit(warp, step);
}

/* The first comparison of brx.idx also checks the index against the table's size. */
void control_indexed(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	SOURCE(index, lane32, 0);
	SOURCE(limit, lane32, 1);
	uint32_t below = 0;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		if (index[lane] >= inst->ptx->targets) {
			fault_set(warp, inst, step, SIMT_FAULT_INSTRUCTION, "brx.idx with an index outside its table",
			          lane);
			step->fault.field = "index";
			step->fault.value = index[lane];
			step->fault.most = inst->ptx->targets - 1;
			return;
		}
		below |= index[lane] < limit[lane] ? lane_bit[lane] : 0;
	}
	write_pred(warp, inst, 0, below, step->lanes);
}

void control_trap(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	fault_set(warp, inst, step, SIMT_FAULT_TRAP, "trap", (unsigned)__builtin_ctz(step->lanes));
}
