/* assemble_values: finds values that do not need a register: constants, copies, halves. */
#include "flow/assemble.h"

static bool is_integer_register(const struct ptx_function *function, uint32_t reg)
{
	return function->regs[reg].type == PTX_B64 || function->regs[reg].type == PTX_U64 ||
	       function->regs[reg].type == PTX_S64;
}

static void find_definitions(struct arena *arena, const struct ptx_function *function, struct assemble_values *known)
{
	uint32_t *count = arena_array(arena, function->reg_count, sizeof *count), ids[PTX_MAX_IDS];
	for (uint32_t i = 0; i < function->body_count; i++) {
		const struct ptx_inst *inst = &function->body[i];
		for (uint32_t k = ptx_inst_writes(inst, ids); k-- > 0;)
			known->defined[ids[k]] = count[ids[k]]++ == 0 && inst->guard == PTX_NO_REG ? inst : NULL;
	}
}

/* Instructions for which the low half of the result depends only on the low halves of the sources. */
static bool keeps_low_half(const struct ptx_inst *inst)
{
	switch (inst->op) {
	case PTX_OP_ADD:
	case PTX_OP_SUB:
	case PTX_OP_AND:
	case PTX_OP_OR:
	case PTX_OP_XOR:
	case PTX_OP_NOT:
	case PTX_OP_MOV:
	case PTX_OP_SHL:
	case PTX_OP_SELP:
	case PTX_OP_CVT:
	case PTX_OP_CVTA:
		return !inst->carry_out;
	case PTX_OP_MUL:
	case PTX_OP_MAD:
		return inst->half != PTX_HI && !inst->carry_out;
	default:
		return false;
	}
}

static bool is_loaded_parameter(const struct ptx_inst *inst)
{
	return inst->op == PTX_OP_LD && inst->space == PTX_PARAM && inst->operand[0].kind == PTX_OPERAND_REG;
}

/* Returns true when an operand uses only the low half of its register. */
static bool asks_for_low_half(const struct ptx_function *function, const struct assemble_values *known,
                              const struct ptx_inst *inst, const struct ptx_operand *operand)
{
	if (operand->kind == PTX_OPERAND_ADDRESS)
		return inst->space == PTX_SHARED || inst->space == PTX_LOCAL || inst->space == PTX_CONST ||
		       inst->space == PTX_PARAM;
	const struct ptx_operand *to = &inst->operand[0];
	if (operand->kind != PTX_OPERAND_REG || to->kind != PTX_OPERAND_REG || !keeps_low_half(inst) ||
	    (inst->op == PTX_OP_SHL && operand != &inst->operand[1]))
		return false;
	return known->is_narrow[to->reg] || ptx_type_bytes(function->regs[to->reg].type) <= 4;
}

static bool widen(const struct ptx_function *function, struct assemble_values *known, const struct ptx_inst *inst,
                  const struct ptx_operand *operand, uint32_t count)
{
	bool changed = false;
	for (uint32_t i = 0; i < count; i++) {
		changed |= widen(function, known, inst, operand[i].element, operand[i].count);
		bool has_reg = operand[i].kind == PTX_OPERAND_REG || operand[i].kind == PTX_OPERAND_ADDRESS ||
		               operand[i].kind == PTX_OPERAND_TEXTURE;
		if (!has_reg || operand[i].reg == PTX_NO_REG || !known->is_narrow[operand[i].reg] ||
		    asks_for_low_half(function, known, inst, &operand[i]))
			continue;
		known->is_narrow[operand[i].reg] = false;
		changed = true;
	}
	return changed;
}

/* Shared and local addresses have 32 bits in the machine, and so have values used only to compute these. */
static void find_narrow(const struct ptx_function *function, struct assemble_values *known)
{
	uint32_t ids[PTX_MAX_IDS];
	for (uint32_t reg = 0; reg < function->reg_count; reg++)
		known->is_narrow[reg] = is_integer_register(function, reg);
	for (uint32_t i = 0; i < function->body_count; i++)
		if (!keeps_low_half(&function->body[i]) && !is_loaded_parameter(&function->body[i]))
			for (uint32_t k = ptx_inst_writes(&function->body[i], ids); k-- > 0;)
				known->is_narrow[ids[k]] = false;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = function->body_count; i-- > 0;) {
			const struct ptx_inst *inst = &function->body[i];
			if (inst->operands > inst->destinations)
				changed |= widen(function, known, inst, inst->operand + inst->destinations,
				                 inst->operands - inst->destinations);
		}
	}
}

/* Special registers that the constant bank holds in addition to the parameters. */
static bool is_constant_sreg(enum ptx_sreg sreg)
{
	return (sreg >= PTX_NTID_X && sreg <= PTX_NTID_Z) || (sreg >= PTX_NCTAID_X && sreg <= PTX_NCTAID_Z);
}

static struct assemble_value value_of_operand(const struct assemble_values *known, const struct ptx_operand *operand)
{
	switch (operand->kind) {
	case PTX_OPERAND_INT:
	case PTX_OPERAND_FLOAT:
		return (struct assemble_value){operand->bits ? ASSEMBLE_CONSTANT : ASSEMBLE_ZERO, 0};
	case PTX_OPERAND_SYMBOL:
	case PTX_OPERAND_FUNCTION:
		return (struct assemble_value){ASSEMBLE_CONSTANT, 0};
	case PTX_OPERAND_SREG:
		return (struct assemble_value){is_constant_sreg(operand->sreg) ? ASSEMBLE_CONSTANT : ASSEMBLE_OWN, 0};
	case PTX_OPERAND_REG:
		if (!known->defined[operand->reg])
			return (struct assemble_value){ASSEMBLE_OWN, 0};
		if (known->value[operand->reg].kind == ASSEMBLE_OWN)
			return (struct assemble_value){ASSEMBLE_COPY, operand->reg};
		return known->value[operand->reg];
	default:
		return (struct assemble_value){ASSEMBLE_OWN, 0};
	}
}

/* Returns true when the bits of the result that are used equal the source. */
static bool is_copy(const struct assemble_values *known, const struct ptx_inst *inst)
{
	if (inst->operands < 2 || inst->operand[0].kind != PTX_OPERAND_REG)
		return false;
	if (inst->op == PTX_OP_MOV || inst->op == PTX_OP_CVTA)
		return true;
	return inst->op == PTX_OP_CVT && inst->operand[1].kind == PTX_OPERAND_REG &&
	       known->is_narrow[inst->operand[0].reg] && ptx_type_bytes(inst->type2) >= 4 &&
	       !ptx_type_is_float(inst->type) && !ptx_type_is_float(inst->type2);
}

static struct assemble_value value_of_inst(const struct ptx_function *function, const struct assemble_values *known,
                                           const struct ptx_inst *inst)
{
	/* A kernel's parameters are in the constant bank; the caller has computed those of other functions. */
	bool is_parameter = function->is_entry && is_loaded_parameter(inst) && inst->operand[1].reg == PTX_NO_REG;
	if (is_parameter)
		return (struct assemble_value){ASSEMBLE_CONSTANT, 0};
	if (is_copy(known, inst))
		return value_of_operand(known, &inst->operand[1]);
	return (struct assemble_value){ASSEMBLE_OWN, 0};
}

struct assemble_values assemble_values(struct arena *arena, const struct ptx_function *function)
{
	struct assemble_values known;
	known.value = arena_array(arena, function->reg_count, sizeof *known.value);
	known.defined = arena_array(arena, function->reg_count, sizeof *known.defined);
	known.is_narrow = arena_array(arena, function->reg_count, sizeof *known.is_narrow);
	find_definitions(arena, function, &known);
	find_narrow(function, &known);
	/* In text order: a source that is defined further down counts as the result of its instruction. */
	uint32_t ids[PTX_MAX_IDS];
	for (uint32_t i = 0; i < function->body_count; i++) {
		const struct ptx_inst *inst = &function->body[i];
		if (ptx_inst_writes(inst, ids) == 1 && known.defined[ids[0]])
			known.value[ids[0]] = value_of_inst(function, &known, inst);
	}
	return known;
}
