/* check_symbol: finds accesses through one array of shared memory that land outside it.
 *
 * An address does not contain the array from which it was formed, but the code does. A register's value derives
 * from a variable's symbol by moves, conversions and additions. The analysis joins all definitions of a register.
 * It does not judge a register whose definitions derive from different variables, or only partly from one.
 */
#include "simt/checks.h"
#include "simt/program.h"

#include "base/arena.h"

/* The variable from which a value derives: an index of the program's variables, or one of these. */
enum { UNKNOWN = -1, NO_VARIABLE = -2, UNSEEN = -3 };

/* Joins two definitions of one register. */
static int32_t either(int32_t a, int32_t b)
{
	return a == UNSEEN ? b : b == UNSEEN || a == b ? a : UNKNOWN;
}

/* The variable of a sum: a variable's address plus an offset. */
static int32_t sum_of(int32_t a, int32_t b)
{
	if (a == UNSEEN || b == UNSEEN)
		return UNSEEN;
	return a == NO_VARIABLE ? b : b == NO_VARIABLE ? a : UNKNOWN;
}

static int32_t difference_of(int32_t a, int32_t b)
{
	if (a == UNSEEN || b == UNSEEN)
		return UNSEEN;
	return b == NO_VARIABLE ? a : a == b ? NO_VARIABLE : UNKNOWN;
}

static int32_t find_variable(const struct simt_program *program, const struct ptx_variable *symbol)
{
	for (uint32_t k = 0; k < program->variable_count; k++)
		if (program->variables[k].symbol == symbol && program->variables[k].space == PTX_SHARED)
			return (int32_t)k;
	return symbol->space == PTX_SHARED ? UNKNOWN : NO_VARIABLE;
}

static int32_t of_operand(const struct simt_program *program, const int32_t *origin, const struct ptx_operand *operand)
{
	if (operand->kind == PTX_OPERAND_VECTOR || operand->kind == PTX_OPERAND_LIST)
		return UNKNOWN;
	if ((operand->kind == PTX_OPERAND_SYMBOL || operand->kind == PTX_OPERAND_ADDRESS) && operand->symbol)
		return find_variable(program, operand->symbol);
	bool is_register = operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_ADDRESS;
	return is_register && operand->reg != PTX_NO_REG ? origin[operand->reg] : NO_VARIABLE;
}

/* An instruction that forms no address: when a source derives from a variable, the result is unknown. */
static int32_t of_others(const struct simt_program *program, const int32_t *origin, const struct ptx_inst *ptx)
{
	for (unsigned k = ptx->destinations; k < ptx->operands; k++) {
		int32_t from = of_operand(program, origin, &ptx->operand[k]);
		if (from != NO_VARIABLE)
			return from == UNSEEN ? UNSEEN : UNKNOWN;
	}
	return NO_VARIABLE;
}

/* Returns the variable from which the instruction's result derives. */
static int32_t result_of(const struct simt_program *program, const int32_t *origin, const struct ptx_inst *ptx)
{
	const struct ptx_operand *source = ptx->operand + ptx->destinations;
	switch (ptx->op) {
	case PTX_OP_MOV:
	case PTX_OP_CVT:
	case PTX_OP_CVTA:
		return of_operand(program, origin, source);
	case PTX_OP_ADD:
	case PTX_OP_OR:
	case PTX_OP_AND:
		return sum_of(of_operand(program, origin, &source[0]), of_operand(program, origin, &source[1]));
	case PTX_OP_SUB:
		return difference_of(of_operand(program, origin, &source[0]), of_operand(program, origin, &source[1]));
	case PTX_OP_SELP:
		return either(of_operand(program, origin, &source[0]), of_operand(program, origin, &source[1]));
	case PTX_OP_MAD:
		return sum_of(sum_of(of_operand(program, origin, &source[0]), of_operand(program, origin, &source[1])),
		              of_operand(program, origin, &source[2]));
	case PTX_OP_LD: /* a value from memory; the address it was loaded from does not matter */
	case PTX_OP_LDU:
	case PTX_OP_ATOM:
		return NO_VARIABLE;
	default:
		return of_others(program, origin, ptx);
	}
}

static bool define(const struct ptx_operand *operand, int32_t *origin, int32_t value)
{
	bool changed = false;
	if (operand->kind == PTX_OPERAND_VECTOR || operand->kind == PTX_OPERAND_LIST) {
		for (uint32_t k = 0; k < operand->count; k++)
			changed |= define(&operand->element[k], origin, value);
	} else if (operand->kind == PTX_OPERAND_REG && operand->reg != PTX_NO_REG) {
		int32_t both = either(origin[operand->reg], value);
		changed = both != origin[operand->reg];
		origin[operand->reg] = both;
	}
	return changed;
}

static int32_t *origins_of(struct arena *arena, const struct simt_program *program, const struct ptx_function *function)
{
	int32_t *origin = arena_array(arena, function->reg_count + 1, sizeof *origin);
	for (uint32_t r = 0; r < function->reg_count; r++)
		origin[r] = UNSEEN;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < function->body_count; i++) {
			const struct ptx_inst *ptx = &function->body[i];
			int32_t value = ptx->destinations ? result_of(program, origin, ptx) : UNSEEN;
			for (unsigned k = 0; k < ptx->destinations; k++)
				changed |= define(&ptx->operand[k], origin, value);
		}
	}
	return origin;
}

static const struct ptx_operand *address_of(const struct ptx_inst *ptx)
{
	for (unsigned k = 0; k < ptx->operands; k++)
		if (ptx->operand[k].kind == PTX_OPERAND_ADDRESS)
			return &ptx->operand[k];
	return NULL;
}

void symbols_find(const struct simt_program *program, struct simt_unchecked *list)
{
	struct arena arena = {0};
	for (uint32_t f = 0; f < program->function_count; f++) {
		const struct simt_function *function = &program->functions[f];
		const int32_t *origin = origins_of(&arena, program, function->ptx);
		for (uint32_t i = 0; i < function->ptx->body_count; i++) {
			const struct simt_inst *inst = &program->code[function->pc + i];
			const struct ptx_operand *address = address_of(inst->ptx);
			bool shared = inst->space == PTX_SHARED || inst->space == PTX_GENERIC;
			bool copies = inst->async != SIMT_NOT_ASYNC;
			int32_t variable =
				address && shared && !copies ? of_operand(program, origin, address) : UNKNOWN;
			list[inst->pc].variable = variable >= 0 ? &program->variables[variable] : NULL;
		}
	}
	arena_free(&arena);
}

void symbols_access(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step)
{
	const struct simt_variable *variable = unchecked(warp, inst)->variable;
	uint64_t window = step->mixed_spaces ? SIMT_SHARED_WINDOW : 0;
	if (!variable || (step->space != PTX_SHARED && !step->mixed_spaces))
		return;
	uint64_t end = simt_variable_end(warp->block->launch, variable);
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		uint64_t address = step->address[lane];
		if (step->mixed_spaces && generic_space(address) != PTX_SHARED)
			continue;
		uint64_t offset = address - window;
		if (offset < variable->offset || offset + inst->size > end)
			finding_add(warp->block, &(struct finding){.kind = FINDING_SYMBOL,
			                                           .access = {{inst, warp->index, lane}},
			                                           .address = offset,
			                                           .size = inst->size});
	}
}
