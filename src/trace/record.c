#include "trace/record.h"

#include "base/arena.h"
#include "simt/exec.h"
#include "simt/image.h"
#include "simt/memory.h"
#include "trace/opcodes.h"
#include "trace/replay.h"
#include "trace/write.h"

#include <stdlib.h>

static void record(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step);

void trace_record_program(struct simt_program *program)
{
	simt_exec **recorded = arena_array(&program->arena, program->count, sizeof *recorded);
	for (uint32_t pc = 0; pc < program->count; pc++) {
		recorded[pc] = program->code[pc].exec;
		program->code[pc].exec = record;
		program->code[pc].skipped = record;
	}
	program->recorded = recorded;
}

/* --- buffers of a block's lines --- */

static struct recorded_block *block_of(struct simt_block *block)
{
	if (!block->recorded)
		block->recorded = recorded_block_new(block->launch->recorder, block->number, block->warps);
	return block->recorded;
}

/* --- a line --- */

/* Returns the base of a space's generic addresses. */
static uint64_t window_of(enum ptx_space space)
{
	return space == PTX_SHARED  ? SIMT_SHARED_WINDOW
	       : space == PTX_LOCAL ? SIMT_LOCAL_WINDOW
	       : space == PTX_PARAM ? SIMT_PARAM_WINDOW
	                            : 0;
}

/* Returns a barrier's number plus its thread count. */
static uint32_t barrier_of(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t lanes)
{
	unsigned lane = (unsigned)__builtin_ctz(lanes);
	const lane32 *number = source(warp, inst, 0), *expected = source(warp, inst, 1);
	return number[lane] + expected[lane];
}

/* Returns the immediate of a line: the argument or outcome of an instruction that synchronizes. */
static uint32_t immediate_of(const struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step)
{
	if (inst->async == SIMT_WAIT)
		return (uint32_t)inst->offset;
	if (!step->lanes)
		return 0;
	return inst->kind == SIMT_BARRIER     ? barrier_of(warp, inst, step->lanes)
	       : inst->async == SIMT_PHASE    ? step->phase_ended
	       : inst->async == SIMT_TRY_WAIT ? step->waits != 0
	                                      : 0;
}

static void write_addresses(struct recorded_text *text, const struct simt_inst *inst, const struct simt_step *step)
{
	uint64_t address[WARP_SIZE];
	uint64_t base = record_is_generic(inst) && !step->mixed_spaces ? window_of((enum ptx_space)step->space) : 0;
	uint32_t reads = inst->async == SIMT_COPY ? step->fetches : step->lanes;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		address[lane] = reads >> lane & 1 ? step->address[lane] + base : 0;
	}
	recorded_addresses(text, step->lanes, address);
}

static void write_line(const struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step,
                       struct recorded_block *block)
{
	struct recorded_text *text = recorded_line(block, warp->index, inst->pc, step->lanes);
	if (record_has_addresses(inst))
		write_addresses(text, inst, step);
	bool copies = inst->async == SIMT_COPY && step->lanes;
	recorded_rest(text, immediate_of(warp, inst, step), step->lanes, step->issued, copies);
	if (copies)
		recorded_addresses(text, step->lanes, step->to);
	recorded_end(text);
}

/* Runs the instruction and writes its line. Lanes that a call has ended are already removed; the step still has the
 * active lanes. */
static void record(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct simt_block *block = warp->block;
	if (step->lanes)
		block->launch->program->recorded[inst->pc](warp, inst, step);
	if (!block->launch->recorder || step->fault.what)
		return;
	write_line(warp, inst, step, block_of(block));
	if (warp->done && recorded_warp_done(block->recorded))
		block->recorded = NULL;
}

/* --- queries of the writer --- */

bool record_has_addresses(const struct simt_inst *inst)
{
	bool accesses = inst->kind == SIMT_LOAD || inst->kind == SIMT_STORE || inst->kind == SIMT_ATOMIC;
	return accesses && inst->space != PTX_TEX;
}

bool record_is_generic(const struct simt_inst *inst)
{
	/* parameters of a call are in local memory, those of a kernel are not */
	return inst->space == PTX_GENERIC || (inst->space == PTX_PARAM && !(inst->immediate & EXEC_KERNEL_PARAM));
}
