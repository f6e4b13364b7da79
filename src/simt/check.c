/* check: execution functions that check first and then call the ordinary ones. */
#include "simt/bulk.h"
#include "simt/checks.h"
#include "simt/image.h"
#include "simt/message.h"
#include "simt/program.h"
#include "simt/race_global.h"
#include "simt/race_streams.h"

#include "base/arena.h"

#include <stdlib.h>

enum { UNWRITTEN = SIMT_CHECK_INIT | SIMT_CHECK_SHARED_INIT, RACES = SIMT_CHECK_RACE | SIMT_CHECK_GLOBAL_RACE };

void checks_block_start(struct simt_block *block)
{
	unsigned kinds = block->launch->checks->kinds;
	if (!block->checks) {
		block->checks = base_calloc(1, sizeof *block->checks);
		block->checks->race = kinds & RACES ? race_open() : NULL;
		block->checks->unwritten = kinds & UNWRITTEN ? unwritten_open(kinds) : NULL;
		block->checks->race_warp = kinds & SIMT_CHECK_WARP_RACE ? race_warp_open() : NULL;
	}
	if (block->checks->race_warp)
		race_warp_start(block);
	if (block->checks->race)
		race_start(block);
	if (kinds & SIMT_CHECK_GLOBAL_RACE)
		block->checks->race->global = race_global_of(&block->launch->checks->global_races, block);
	if (block->checks->unwritten)
		unwritten_start(block);
	if (block->launch->reads)
		block->checks->reads = block->launch->reads->begin(block->launch->reads->user, block->index);
}

void checks_block_end(struct simt_block *block)
{
	if (block->launch->reads)
		block->launch->reads->end(block->checks->reads);
}

void checks_block_free(struct simt_block *block)
{
	if (!block->checks)
		return;
	race_close(block->checks->race);
	race_warp_close(block->checks->race_warp);
	unwritten_close(block->checks->unwritten);
	free(block->checks);
}

/* The memory has a new owner. */
static void forget_accesses(const struct simt_block *block, uint64_t address, uint64_t size)
{
	race_global_forget(block->checks->race->global, address, size);
	race_streams_forget(block->launch->checks->streams, address, size);
}

void checks_system_call(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t argument,
                        uint64_t result)
{
	const struct simt_block *block = warp->block;
	const struct simt_call *call = (const struct simt_call *)(uintptr_t)inst->immediate;
	bool creates = call->system == PTX_SYSTEM_STREAM_CREATE || call->system == PTX_SYSTEM_EVENT_CREATE;
	if (creates && !result && block->checks->unwritten) /* the handle lies at the address in the argument */
		unwritten_stored(warp, lane, argument, sizeof(uint64_t));
	if (call->system == PTX_SYSTEM_MALLOC && result && block->launch->checks->kinds & SIMT_CHECK_LEAKS)
		heap_note(warp, inst, result);
	const struct race *race = block->checks->race;
	const struct simt_allocation *allocation =
		race && race->global ? simt_find(block->launch->memory, result) : NULL;
	if (allocation && allocation->address == result)
		forget_accesses(block, allocation->address, allocation->size);
}

/* --- checked programs --- */

static void judge_read(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step)
{
	const struct simt_block *block = warp->block;
	const struct simt_launch *launch = block->launch;
	uint32_t lanes = global_lanes(step);
	if (!lanes)
		return;
	uint64_t address[WARP_SIZE]; /* parameters of read() are the program's addresses */
	for (unsigned i = 0; i < WARP_SIZE; i++)
		address[i] = lanes & lane_bit[i] ? simt_named(launch->memory, step->address[i]) : 0;
	uint32_t wrong = launch->reads->read(block->checks->reads, check_index(launch->program, inst), lanes, address);
	for (; wrong; wrong &= wrong - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(wrong);
		finding_add(block, &(struct finding){.kind = FINDING_READ,
		                                     .access = {{inst, warp->index, lane}},
		                                     .address = step->address[lane],
		                                     .size = inst->size});
	}
}

static void checked_access(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct block_checks *checks = warp->block->checks;
	struct reach reach;
	uint32_t lanes = step->lanes;
	step->lanes = addressing_lanes(inst, lanes);
	if (step->lanes && !access_reach(warp, inst, step, &reach))
		return;
	if (unchecked(warp, inst)->variable)
		symbols_access(warp, inst, step);
	if (checks->race)
		race_access(warp, step, &reach);
	if (checks->race_warp)
		race_warp_access(warp, step);
	if (checks->unwritten)
		unwritten_access(warp, step);
	if (warp->block->launch->reads && inst->kind == SIMT_LOAD)
		judge_read(warp, inst, step);
	/* restore the step as simt_step() left it */
	step->lanes = lanes;
	step->space = inst->space;
	step->mixed_spaces = step->apart = step->unit_stride = step->same = false;
	unchecked(warp, inst)->exec(warp, inst, step);
}

static void checked_commit(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	unchecked(warp, inst)->commit(warp, inst, step);
	unwritten_commit(warp, step);
}

static void checked_step(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	unwritten_step(warp, inst, step);
	unchecked(warp, inst)->exec(warp, inst, step);
}

/* Orders the lanes of a warp. Instructions with a member mask, barriers and fences do that. */
static void order_lanes(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step)
{
	if (!lane_has_mask(inst)) {
		race_warp_order(warp, step->lanes);
		return;
	}
	const uint32_t *mask = lane_masks(warp, inst);
	for (uint32_t rest = step->lanes; rest;) {
		uint32_t first = mask[__builtin_ctz(rest)], same = 0;
		for (uint32_t left = rest; left; left &= left - 1)
			same |= mask[__builtin_ctz(left)] == first ? left & -left : 0;
		race_warp_order(warp, same);
		rest &= ~same;
	}
}

/* Executes an instruction at which lanes or warps synchronize. */
static void checked_meeting(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct block_checks *checks = warp->block->checks;
	if (warp->block->launch->checks->kinds & SIMT_CHECK_MASKS && lane_has_mask(inst))
		lane_check(warp, inst, step);
	if (checks->race_warp)
		order_lanes(warp, inst, step);
	if (checks->unwritten)
		unwritten_step(warp, inst, step);
	unchecked(warp, inst)->exec(warp, inst, step);
}

static void checked_fence(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	if (warp->block->checks->race)
		race_fence(warp);
	if (warp->block->checks->race_warp)
		race_warp_fence(warp);
	unchecked(warp, inst)->exec(warp, inst, step);
}

static bool is_memory(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD || inst->kind == SIMT_STORE || inst->kind == SIMT_ATOMIC;
}

/* Returns true for accesses that are checked. Parameters are not: their bytes always count as written.
 * check_image.c handles textures and surfaces. */
static bool is_checked(const struct simt_inst *inst)
{
	return is_memory(inst) && !image_is(inst->ptx->op) &&
	       (inst->space == PTX_GLOBAL || inst->space == PTX_SHARED || inst->space == PTX_LOCAL ||
	        inst->space == PTX_GENERIC);
}

/* Returns the bytes per lane of an operand's row, or 0: see struct simt_unchecked. */
static uint8_t pitch_of(const struct ptx_function *function, const struct ptx_operand *operand, enum ptx_type type)
{
	if (operand->kind == PTX_OPERAND_REG)
		type = function->regs[operand->reg].type;
	else if (operand->kind != PTX_OPERAND_INT && operand->kind != PTX_OPERAND_FLOAT)
		return 0;
	return type == PTX_PRED ? 0 : ptx_type_bytes(type) >= 8 ? 8 : 4;
}

static void add_operand(const struct ptx_function *function, const struct ptx_operand *operand, enum ptx_type type,
                        uint8_t *pitch, unsigned *count, unsigned most)
{
	if (operand->kind == PTX_OPERAND_VECTOR)
		for (uint32_t k = 0; k < operand->count; k++)
			add_operand(function, &operand->element[k], type, pitch, count, most);
	else if (*count < most)
		pitch[(*count)++] = pitch_of(function, operand, type);
	bool is_wide = operand->kind == PTX_OPERAND_REG && function->regs[operand->reg].type == PTX_B128;
	if (is_wide && *count < most)
		pitch[(*count)++] = 8; /* its second row */
}

/* Fills in the rows of the operands, in the order in which the decoder put them into src and dst. */
static void add_operands(const struct ptx_function *function, const struct simt_inst *inst,
                         struct simt_unchecked *plain)
{
	const struct ptx_inst *ptx = inst->ptx;
	unsigned sources = 0, destinations = 0;
	if (inst->kind == SIMT_BRANCH || inst->kind == SIMT_EXIT || inst->kind == SIMT_FENCE)
		return;
	for (unsigned k = 0; k < ptx->destinations; k++)
		add_operand(function, &ptx->operand[k], ptx->type, plain->dst_pitch, &destinations, CHECK_DESTINATIONS);
	if (inst->kind == SIMT_BARRIER || (is_memory(inst) && !is_checked(inst)))
		return;
	if (is_memory(inst)) {
		bool constant = inst->base_mask & 1;
		plain->src_pitch[sources++] = !constant && inst->immediate & EXEC_BASE32 ? 4 : 8;
	}
	for (unsigned k = ptx->destinations; k < ptx->operands; k++)
		if (ptx->operand[k].kind != PTX_OPERAND_ADDRESS)
			add_operand(function, &ptx->operand[k], ptx->type, plain->src_pitch, &sources, CHECK_SOURCES);
}

static enum carry carry_of(const struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	switch (ptx->op) {
	case PTX_OP_MOV:
		return CARRY_BITS;
	case PTX_OP_CVT:
		return ptx_type_is_float(ptx->type) || ptx_type_is_float(ptx->type2) || ptx->sat ? CARRY_NONE
		                                                                                 : CARRY_BITS;
	case PTX_OP_SHL:
	case PTX_OP_SHR:
		return inst->base_mask & 2 ? CARRY_BITS : CARRY_NONE;
	case PTX_OP_BFE:
		return (inst->base_mask & 6) == 6 ? CARRY_BITS : CARRY_NONE;
	case PTX_OP_PRMT:
	case PTX_OP_SHF:
		return inst->base_mask & 4 ? CARRY_BITS : CARRY_NONE;
	case PTX_OP_AND:
		return inst->base_mask & 3 ? CARRY_BITS : CARRY_UNION;
	case PTX_OP_OR:
	case PTX_OP_XOR:
	case PTX_OP_NOT:
	case PTX_OP_SELP:
		return CARRY_UNION;
	default:
		return CARRY_NONE;
	}
}

static bool is_register(const struct ptx_operand *operand, uint32_t reg)
{
	return operand->kind == PTX_OPERAND_REG && operand->reg == reg;
}

/* Returns true for the plain load before a compare-and-swap loop. Such loops, including those that compilers
 * generate, begin with it. The first compare-and-swap compares with its value or a copy of it. */
static bool feeds_exchange(const struct ptx_function *function, const struct simt_inst *inst)
{
	enum { FAR = 64 }; /* largest distance to the compare-and-swap, in instructions */
	const struct ptx_inst *end = function->body + function->body_count, *ptx = inst->ptx;
	if (inst->kind != SIMT_LOAD || ptx->op != PTX_OP_LD || ptx->operand[0].kind != PTX_OPERAND_REG)
		return false;
	uint32_t value = ptx->operand[0].reg, copy = value;
	for (const struct ptx_inst *next = ptx + 1; next < end && next - ptx < FAR; next++) {
		const struct ptx_operand *operand = next->operand;
		if (next->op == PTX_OP_MOV && is_register(&operand[1], value) && operand[0].kind == PTX_OPERAND_REG)
			copy = operand[0].reg;
		else if (next->op == PTX_OP_ATOM && next->atomic == PTX_ATOM_CAS &&
		         (is_register(&operand[2], value) || is_register(&operand[2], copy)))
			return true;
	}
	return false;
}

static simt_exec *checked_exec(unsigned kinds, const struct simt_inst *inst)
{
	bool init = kinds & UNWRITTEN, others = kinds & (UNWRITTEN | RACES | SIMT_CHECK_BOUNDS | SIMT_CHECK_WARP_RACE);
	bool meets = (lane_has_mask(inst) && kinds & (SIMT_CHECK_MASKS | SIMT_CHECK_WARP_RACE)) ||
	             (inst->kind == SIMT_BARRIER && kinds & SIMT_CHECK_WARP_RACE);
	if (meets)
		return checked_meeting;
	if (is_checked(inst) && inst->space == PTX_LOCAL)
		return kinds & SIMT_CHECK_INIT ? checked_access : inst->exec;
	if (is_checked(inst))
		return others || (inst->kind == SIMT_LOAD && inst->space != PTX_SHARED) ? checked_access : inst->exec;
	if (is_memory(inst) && image_is(inst->ptx->op))
		return kinds & (UNWRITTEN | RACES) ? checked_image : inst->exec;
	if (inst->exec == bulk_start)
		return kinds & (UNWRITTEN | RACES) ? checked_bulk : inst->exec;
	if (inst->kind == SIMT_FENCE)
		return kinds & (RACES | SIMT_CHECK_WARP_RACE) ? checked_fence : inst->exec;
	return init && inst->kind != SIMT_EXIT ? checked_step : inst->exec;
}

void simt_check_program(const struct simt_checks *checks, struct simt_program *program)
{
	struct simt_unchecked *list = arena_array(&program->arena, program->count, sizeof *list);
	uint32_t f = 0;
	memset(list, 0, program->count * sizeof *list);
	if (checks->kinds & (SIMT_CHECK_BOUNDS | SIMT_CHECK_RACE))
		symbols_find(program, list);
	for (uint32_t pc = 0; pc < program->count; pc++) {
		struct simt_inst *inst = &program->code[pc];
		struct simt_unchecked *plain = &list[pc];
		while (f + 1 < program->function_count && program->functions[f + 1].pc <= pc)
			f++;
		plain->exec = inst->exec;
		plain->commit = inst->commit;
		plain->width = is_memory(inst) && inst->kind != SIMT_ATOMIC
		                       ? 0
		                       : (uint8_t)ptx_type_bytes(inst->ptx->type2 != PTX_NO_TYPE ? inst->ptx->type2
		                                                                                 : inst->ptx->type);
		plain->carry = (uint8_t)carry_of(inst);
		plain->feeds_exchange = feeds_exchange(program->functions[f].ptx, inst);
		add_operands(program->functions[f].ptx, inst, plain);
		inst->exec = plain->load = checked_exec(checks->kinds, inst);
		if (checks->kinds & SIMT_CHECK_STRAY && stray_may(inst))
			inst->exec = stray_load;
		if (checks->kinds & SIMT_CHECK_INIT && is_checked(inst) && inst->commit)
			inst->commit = checked_commit;
		else if (checks->kinds & SIMT_CHECK_INIT && is_memory(inst) && inst->commit)
			inst->commit = checked_image_commit;
	}
	program->unchecked = list;
}
