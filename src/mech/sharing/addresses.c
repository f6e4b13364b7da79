/* Abstract values of registers, iterated to a fixed point. */
#include "mech/sharing/addresses.h"

#include "mech/sharing/accesses.h"
#include "ptx/access.h"

enum { MOST_GROWTH = 3 }; /* bounds that grow more often are in a loop: they are removed */

static struct sharing_address anything(void)
{
	return (struct sharing_address){.is_known = true, .low = -SHARING_FAR, .high = SHARING_FAR};
}

struct sharing_address sharing_unbounded(struct sharing_address value)
{
	value.low = -SHARING_FAR;
	value.high = SHARING_FAR;
	return value;
}

static struct sharing_address number(int64_t low, int64_t high)
{
	const struct sharing_address value = {.is_known = true, .low = low, .high = high};
	return sharing_is_bounded(&value) ? value : anything();
}

void sharing_join(struct sharing_address *value, struct sharing_address more)
{
	if (!more.is_known)
		return;
	if (!value->is_known) {
		*value = more;
		return;
	}
	value->is_strange |= more.is_strange;
	value->variables |= more.variables;
	value->low = more.low < value->low ? more.low : value->low;
	value->high = more.high > value->high ? more.high : value->high;
}

/* --- operands --- */

/* The values that may have been written to a register; PTX_NO_REG stands for parameters. */
static struct sharing_address written(const struct sharing_addresses *addresses, uint32_t inst, uint32_t reg)
{
	const struct flow_dependences *on = addresses->on;
	struct sharing_address value = {0};
	bool any = false;
	for (uint32_t use = on->first_use[inst]; use < on->first_use[inst + 1]; use++) {
		if (on->use[use].reg != reg)
			continue;
		any = true;
		sharing_join(&value, addresses->given[on->use[use].giver]);
	}
	return any ? value : anything();
}

static bool is_predicate(const struct sharing_addresses *addresses, uint32_t inst, uint32_t reg)
{
	return addresses->on->part[addresses->on->part_of[inst]].function->regs[reg].type == PTX_PRED;
}

static struct sharing_address plus(struct sharing_address value, int64_t distance)
{
	if (!sharing_is_bounded(&value) || distance <= -SHARING_FAR || distance >= SHARING_FAR)
		return sharing_unbounded(value);
	value.low += distance;
	value.high += distance;
	return sharing_is_bounded(&value) ? value : sharing_unbounded(value);
}

static struct sharing_address of_symbol(const struct sharing_addresses *addresses, const struct ptx_variable *symbol)
{
	struct sharing_address value = anything();
	if (symbol->space != PTX_SHARED)
		return value;
	value.variables = sharing_bit(sharing_number(addresses->layout, symbol));
	value.low = value.high = 0;
	return value;
}

/* Special registers with small values in any launch. */
static struct sharing_address of_special(const struct ptx_function *kernel, enum ptx_sreg sreg)
{
	if (sreg == PTX_LANEID)
		return number(0, 31);
	if (sreg < PTX_TID_X || sreg > PTX_TID_Z)
		return anything();
	uint32_t of = sreg - PTX_TID_X;
	uint64_t most = ptx_most_threads(kernel, of);
	return number(0, most ? (int64_t)most - 1 : 1023);
}

static struct sharing_address of_elements(const struct sharing_addresses *addresses, uint32_t inst,
                                          const struct ptx_operand *operand)
{
	struct sharing_address value = anything();
	for (uint32_t i = 0; i < operand->count; i++)
		sharing_join(&value, sharing_operand(addresses, inst, &operand->element[i]));
	return value;
}

struct sharing_address sharing_operand(const struct sharing_addresses *addresses, uint32_t inst,
                                       const struct ptx_operand *operand)
{
	switch (operand->kind) {
	case PTX_OPERAND_REG:
		return is_predicate(addresses, inst, operand->reg) ? anything()
		                                                   : written(addresses, inst, operand->reg);
	case PTX_OPERAND_INT:
		return number((int64_t)operand->bits, (int64_t)operand->bits);
	case PTX_OPERAND_SREG:
		return of_special(addresses->on->part[0].function, operand->sreg);
	case PTX_OPERAND_SYMBOL:
		return plus(of_symbol(addresses, operand->symbol), operand->offset);
	case PTX_OPERAND_ADDRESS:
		if (operand->symbol)
			return plus(of_symbol(addresses, operand->symbol), operand->offset);
		return operand->reg == PTX_NO_REG ? number(operand->offset, operand->offset)
		                                  : plus(written(addresses, inst, operand->reg), operand->offset);
	case PTX_OPERAND_VECTOR:
	case PTX_OPERAND_LIST:
		return of_elements(addresses, inst, operand);
	default:
		return anything();
	}
}

/* --- parameters --- */

/* Whether a call passes an argument that is not stored by name, or calls unknown code. */
static bool is_loose_call(const struct ptx_inst *call)
{
	const struct ptx_operand *target = &call->operand[1];
	bool loose = target->kind != PTX_OPERAND_FUNCTION || !target->function->has_body;
	for (unsigned k = 0; k < 3; k += 2)
		for (uint32_t i = 0; i < call->operand[k].count; i++)
			loose |= !call->operand[k].element[i].symbol;
	return loose;
}

/* Whether a parameter's name is used as its address. */
static bool is_loose_use(const struct ptx_inst *inst)
{
	if ((inst->op == PTX_OP_LD || inst->op == PTX_OP_ST) && inst->space == PTX_PARAM)
		return false;
	for (unsigned i = inst->destinations; i < inst->operands; i++)
		if (inst->operand[i].symbol && inst->operand[i].symbol->space == PTX_PARAM)
			return true;
	return false;
}

static void find_loose(struct sharing_addresses *addresses)
{
	const struct flow_dependences *on = addresses->on;
	for (uint32_t i = 0; i < on->count; i++) {
		const struct ptx_inst *inst = on->inst[i];
		bool by_address = inst->op == PTX_OP_CALL && inst->operand[1].kind != PTX_OPERAND_FUNCTION;
		addresses->has_call_by_address |= by_address;
		addresses->loose |= inst->op == PTX_OP_CALL ? is_loose_call(inst) : is_loose_use(inst);
	}
}

/* The value of a loaded parameter. Parameters of the kernel are unknown. */
static struct sharing_address of_parameter(const struct sharing_addresses *addresses, uint32_t inst)
{
	struct sharing_address value = written(addresses, inst, PTX_NO_REG);
	const struct flow_dependences *on = addresses->on;
	bool any = false;
	for (uint32_t use = on->first_use[inst]; use < on->first_use[inst + 1]; use++)
		any |= on->use[use].reg == PTX_NO_REG;
	if (any && !addresses->loose)
		return value;
	value.is_known = value.is_strange = true;
	return sharing_unbounded(value);
}

/* --- all values --- */

/* Loads return addresses and small numbers. */
static struct sharing_address of_memory(enum ptx_type type)
{
	struct sharing_address value = anything();
	if (type == PTX_U8 || type == PTX_U16)
		value = number(0, type == PTX_U8 ? 255 : 65535);
	value.is_strange = true;
	return value;
}

static bool reads_memory(const struct ptx_inst *inst)
{
	struct ptx_access access[PTX_MAX_ACCESSES];
	uint32_t count = ptx_inst_accesses(inst, access);
	for (uint32_t i = 0; i < count; i++)
		if (access[i].how & PTX_READS)
			return true;
	return false;
}

static struct sharing_address value_of(const struct sharing_addresses *addresses, uint32_t inst)
{
	const struct ptx_inst *ptx = addresses->on->inst[inst];
	switch (ptx->op) {
	case PTX_OP_LD:
		if (ptx->space == PTX_PARAM)
			return of_parameter(addresses, inst);
		return of_memory(ptx->type);
	case PTX_OP_CALL:
		return of_memory(PTX_B32);
	case PTX_OP_ST: /* of a parameter */
		return sharing_operand(addresses, inst, &ptx->operand[1]);
	default:
		return reads_memory(ptx) ? of_memory(PTX_B32) : sharing_compute(addresses, inst);
	}
}

/* Returns true when the value has grown. */
static bool widen_address(struct sharing_addresses *addresses, uint32_t inst)
{
	struct sharing_address *given = &addresses->given[inst], value = *given;
	sharing_join(&value, value_of(addresses, inst));
	if (!value.is_known)
		return false;
	bool wider = given->is_known && (value.low < given->low || value.high > given->high);
	bool more = !given->is_known || wider || value.variables != given->variables ||
	            value.is_strange != given->is_strange;
	*given = wider && ++addresses->grown[inst] > MOST_GROWTH ? sharing_unbounded(value) : value;
	return more;
}

struct sharing_addresses *sharing_find_addresses(struct arena *arena, const struct flow_dependences *on,
                                                 const struct sharing_layout *layout)
{
	struct sharing_addresses *addresses = arena_alloc(arena, sizeof *addresses);
	*addresses = (struct sharing_addresses){.on = on,
	                                        .layout = layout,
	                                        .given = arena_array(arena, on->count + 1, sizeof *addresses->given),
	                                        .grown = arena_array(arena, on->count + 1, sizeof *addresses->grown)};
	find_loose(addresses);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < on->count; i++)
			more |= widen_address(addresses, i);
	}
	return addresses;
}
