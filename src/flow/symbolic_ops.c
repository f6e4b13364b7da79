/* symbolic_ops: computes an instruction's polynomial from those of its operands. */
#include "flow/symbolic.h"

#include <string.h>

struct sym_value sym_opaque(struct sym *sym, enum sym_kind kind, uint32_t inst, uint32_t which, uint32_t bits)
{
	/* The high bit distinguishes these keys from those of registers at blocks. */
	struct sym_atom atom = {kind, .key = inst, .key2 = which | 0x80000000u, .block = sym->cfg->block_of[inst],
	                        .inst = inst};
	return (struct sym_value){sym_atom_poly(sym->arena, sym_intern(sym, &atom)), NULL, bits};
}

static bool same_need(const struct sym_need *a, const struct sym_need *b)
{
	return a->exact == b->exact && a->low == b->low && a->high == b->high &&
	       a->every_iteration == b->every_iteration && sym_equal(a->poly, b->poly);
}

const struct sym_need *sym_join_needs(struct arena *arena, const struct sym_need *a, const struct sym_need *b)
{
	if (!a)
		return b;
	for (; b; b = b->next) {
		const struct sym_need *known = a;
		while (known && !same_need(known, b))
			known = known->next;
		if (known)
			continue;
		struct sym_need *copy = arena_alloc(arena, sizeof *copy);
		*copy = *b;
		copy->next = a;
		a = copy;
	}
	return a;
}

static struct sym_value with_need(struct sym *sym, struct sym_value value, struct sym_need need)
{
	struct sym_need *kept = arena_alloc(sym->arena, sizeof *kept);
	*kept = need;
	kept->next = NULL;
	value.needs = sym_join_needs(sym->arena, value.needs, kept);
	return value;
}

struct sym_value sym_narrow(struct sym *sym, struct sym_value value, uint32_t bits)
{
	struct sym_value narrow = {NULL, NULL, bits};
	narrow.poly = sym_add(sym->arena, sym_constant(sym->arena, 0), value.poly, 1, bits);
	for (const struct sym_need *need = value.needs; need; need = need->next)
		if (need->exact < bits)
			narrow = with_need(sym, narrow, *need);
	return narrow;
}

static struct sym_value sym_widen(struct sym *sym, struct sym_value value, uint32_t bits, bool is_signed)
{
	int64_t number;
	uint64_t span = value.bits < 64 ? UINT64_C(1) << value.bits : 0;
	if (value.bits >= bits)
		return sym_narrow(sym, value, bits);
	if (sym_is_constant(value.poly, &number)) {
		if (!is_signed && number < 0)
			number += (int64_t)span;
		value.poly = sym_constant(sym->arena, number);
		value.bits = bits;
		return value;
	}
	struct sym_need need = {value.poly, value.bits, 0, (int64_t)(span - 1), false, NULL};
	if (is_signed) {
		need.low = -(int64_t)(span / 2);
		need.high = (int64_t)(span / 2) - 1;
	}
	value.bits = bits;
	return with_need(sym, value, need);
}

/* An operation that only a launch can evaluate, and only on constants. */
static struct sym_value operation(struct sym *sym, uint32_t inst, uint32_t bits)
{
	const struct ptx_inst *in = &sym->function->body[inst];
	struct sym_value result = sym_opaque(sym, SYM_OP, inst, 0, bits);
	uint32_t number = result.poly->term[0].factor[0], sources = in->operands - in->destinations;
	switch (in->op) {
	case PTX_OP_MUL:
		if (in->half != PTX_HI)
			return result;
		break;
	case PTX_OP_AND:
	case PTX_OP_OR:
	case PTX_OP_XOR:
	case PTX_OP_SHR:
	case PTX_OP_SHL:
	case PTX_OP_DIV:
	case PTX_OP_REM:
	case PTX_OP_MIN:
	case PTX_OP_MAX:
		break;
	default:
		return result;
	}
	if (sources != 2 || in->sat)
		return result;
	struct sym_value operand[2];
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t width = i == 1 && (in->op == PTX_OP_SHL || in->op == PTX_OP_SHR) ? 32 : bits;
		operand[i] = sym_operand(sym, inst, in->destinations + i, width);
	}
	struct sym_atom *atom = &sym->atom[number]; /* computing the operands may have moved the atoms */
	memcpy(atom->operand, operand, sizeof operand);
	atom->operands = 2;
	return result;
}

/* Returns the exponent of the largest power of two that divides all coefficients. */
static uint32_t alignment(const struct sym_poly *poly, uint32_t bits)
{
	uint32_t least = bits;
	for (uint32_t i = 0; i < poly->count; i++) {
		uint32_t zeros = (uint32_t)__builtin_ctzll((uint64_t)poly->term[i].coef);
		least = zeros < least ? zeros : least;
	}
	return least;
}

/* Returns the largest value that fits into the bits below the alignment. */
static int64_t low_bits(uint32_t aligned)
{
	return aligned >= 63 ? INT64_MAX : (INT64_C(1) << aligned) - 1;
}

/* `or` is an addition if its operands have no common bits. Compilers write some additions this way. */
static struct sym_value bit_or(struct sym *sym, uint32_t inst, uint32_t bits)
{
	struct sym_value a = sym_operand(sym, inst, 1, bits), b = sym_operand(sym, inst, 2, bits);
	uint32_t over = alignment(a.poly, bits), under = alignment(b.poly, bits);
	if (over < under) {
		struct sym_value swap = a;
		a = b;
		b = swap;
		over = under;
	}
	int64_t number;
	if (sym_is_constant(b.poly, &number) && (number < 0 || number > low_bits(over)))
		return operation(sym, inst, bits);
	struct sym_value sum = {sym_add(sym->arena, a.poly, b.poly, 1, bits),
	                        sym_join_needs(sym->arena, a.needs, b.needs), bits};
	if (!over || !sum.poly)
		return operation(sym, inst, bits);
	if (sym_is_constant(b.poly, &number))
		return sum;
	return with_need(sym, sum, (struct sym_need){b.poly, 0, 0, low_bits(over), false, NULL});
}

/* `and` has no effect if the mask clears only bits that are certainly zero. */
static struct sym_value bit_and(struct sym *sym, uint32_t inst, uint32_t bits)
{
	struct sym_value a = sym_operand(sym, inst, 1, bits), b = sym_operand(sym, inst, 2, bits);
	int64_t mask;
	if (!sym_is_constant(b.poly, &mask) || mask >= 0 || ((uint64_t)-mask & ((uint64_t)-mask - 1)) ||
	    alignment(a.poly, bits) < (uint32_t)__builtin_ctzll((uint64_t)-mask))
		return operation(sym, inst, bits);
	return a;
}

static struct sym_value shift_left(struct sym *sym, uint32_t inst, uint32_t bits)
{
	struct sym_value a = sym_operand(sym, inst, 1, bits), count = sym_operand(sym, inst, 2, 32);
	int64_t number;
	if (!sym_is_constant(count.poly, &number))
		return operation(sym, inst, bits);
	int64_t factor = number < 0 || number >= (int64_t)bits ? 0 : (int64_t)(UINT64_C(1) << number);
	a.poly = sym_add(sym->arena, sym_constant(sym->arena, 0), a.poly, factor, bits);
	return a;
}

static struct sym_value multiply(struct sym *sym, uint32_t inst, uint32_t bits)
{
	const struct ptx_inst *in = &sym->function->body[inst];
	struct sym_value a = sym_operand(sym, inst, 1, bits), b = sym_operand(sym, inst, 2, bits);
	if (in->half == PTX_HI || in->sat)
		return operation(sym, inst, bits);
	if (in->half == PTX_WIDE) {
		bits *= 2;
		a = sym_widen(sym, a, bits, ptx_type_is_signed(in->type));
		b = sym_widen(sym, b, bits, ptx_type_is_signed(in->type));
	}
	struct sym_value product = {sym_multiply(sym->arena, a.poly, b.poly, bits),
	                            sym_join_needs(sym->arena, a.needs, b.needs), bits};
	return product.poly ? product : sym_opaque(sym, SYM_OP, inst, 4, bits);
}

static struct sym_value add(struct sym *sym, uint32_t inst, struct sym_value a, struct sym_value b, int64_t factor)
{
	struct sym_value sum = {sym_add(sym->arena, a.poly, b.poly, factor, a.bits),
	                        sym_join_needs(sym->arena, a.needs, b.needs), a.bits};
	return sum.poly ? sum : sym_opaque(sym, SYM_OP, inst, 4, a.bits);
}

static bool is_integer(enum ptx_type type)
{
	return type != PTX_NO_TYPE && type != PTX_PRED && !ptx_type_is_float(type) && type < PTX_F16 &&
	       type != PTX_B128;
}

static struct sym_value convert(struct sym *sym, uint32_t inst, uint32_t to_bits)
{
	const struct ptx_inst *in = &sym->function->body[inst];
	if (!is_integer(in->type) || !is_integer(in->type2) || in->sat)
		return sym_opaque(sym, SYM_OP, inst, 0, to_bits);
	uint32_t from = 8 * ptx_type_bytes(in->type2), to = 8 * ptx_type_bytes(in->type);
	struct sym_value value = sym_narrow(sym, sym_operand(sym, inst, 1, from), from);
	value = sym_widen(sym, value, to, ptx_type_is_signed(in->type2));
	/* A register wider than the type holds the value, extended according to the type. */
	return sym_widen(sym, value, to_bits, ptx_type_is_signed(in->type));
}

static struct sym_value load(struct sym *sym, uint32_t inst, uint32_t bits)
{
	const struct ptx_inst *in = &sym->function->body[inst];
	if (in->space != PTX_PARAM || !is_integer(in->type) || in->vector > 1)
		return sym_opaque(sym, SYM_LOAD, inst, 0, bits);
	struct sym_value address = sym_address(sym, inst, 1);
	const struct sym_poly *poly = address.poly;
	int64_t offset = 0;
	uint32_t last = poly->count - 1;
	if (poly->count == 2 && !poly->term[1].factors)
		offset = poly->term[last--].coef;
	const struct sym_atom *base = poly->count && last == 0 && poly->term[0].factors == 1 && poly->term[0].coef == 1
	                                      ? &sym->atom[poly->term[0].factor[0]]
	                                      : NULL;
	if (!base || base->kind != SYM_SYMBOL || base->variable->space != PTX_PARAM || offset < 0)
		return sym_opaque(sym, SYM_LOAD, inst, 0, bits);
	const struct ptx_variable *param = sym->function->params;
	while (param && param != base->variable)
		param = param->next;
	uint32_t bytes = ptx_type_bytes(in->type);
	if (!param || (uint64_t)offset + bytes > param->size) /* a call's parameter, or out of range */
		return sym_opaque(sym, SYM_LOAD, inst, 0, bits);
	/* At register width either sign represents the same bits; a count is rarely above 2^31. */
	bool is_signed = 8 * bytes >= bits || ptx_type_is_signed(in->type);
	struct sym_atom atom = {SYM_PARAM,         .key = bytes * 2 + is_signed, .key2 = (uint32_t)offset,
	                        .variable = param, .block = FLOW_NONE,           .inst = FLOW_NONE,
	                        .bytes = bytes,    .is_signed = is_signed};
	return (struct sym_value){sym_atom_poly(sym->arena, sym_intern(sym, &atom)), NULL, bits};
}

/* A parameter without any arithmetic became a pointer. */
static struct sym_value to_address(struct sym *sym, uint32_t inst)
{
	const struct ptx_inst *in = &sym->function->body[inst];
	struct sym_value value = sym_operand(sym, inst, 1, 64);
	const struct sym_poly *poly = value.poly;
	if (in->space == PTX_GLOBAL && poly->count == 1 && poly->term[0].factors == 1 && poly->term[0].coef == 1)
		sym->atom[poly->term[0].factor[0]].is_pointer = true;
	return value;
}

struct sym_value sym_compute(struct sym *sym, uint32_t inst)
{
	const struct ptx_inst *in = &sym->function->body[inst];
	uint32_t ids[PTX_MAX_IDS];
	enum ptx_type holds = ptx_inst_writes(in, ids) == 1 ? sym->function->regs[ids[0]].type : PTX_B64;
	uint32_t bits = 8 * ptx_type_bytes(holds);
	if (in->op == PTX_OP_LD || in->op == PTX_OP_LDU)
		return load(sym, inst, bits);
	if (in->op == PTX_OP_ATOM || ptx_reads_texture(in) || in->op == PTX_OP_SULD || in->op == PTX_OP_SHFL ||
	    ptx_op_is_matrix(in->op))
		return sym_opaque(sym, SYM_LOAD, inst, 0, bits);
	if (in->op == PTX_OP_CVT)
		return is_integer(holds) ? convert(sym, inst, bits) : sym_opaque(sym, SYM_OP, inst, 0, bits);
	if (in->op == PTX_OP_CVTA)
		return to_address(sym, inst);
	if (!is_integer(in->type) || !is_integer(holds) || in->carry_out || in->sat)
		return sym_opaque(sym, SYM_OP, inst, 0, bits);
	uint32_t width = 8 * ptx_type_bytes(in->type);
	struct sym_value a, b; /* computed in sequence: their atoms are numbered in this order */
	bool is_wide = (in->op == PTX_OP_MUL || in->op == PTX_OP_MAD) && in->half == PTX_WIDE;
	if (width << is_wide != bits)
		return sym_opaque(sym, SYM_OP, inst, 0, bits);
	switch (in->op) {
	case PTX_OP_MOV:
		return sym_operand(sym, inst, 1, bits);
	case PTX_OP_ADD:
	case PTX_OP_SUB:
		a = sym_operand(sym, inst, 1, bits);
		b = sym_operand(sym, inst, 2, bits);
		return add(sym, inst, a, b, in->op == PTX_OP_ADD ? 1 : -1);
	case PTX_OP_NEG:
	case PTX_OP_NOT: /* ~x = -x - 1 */
		return add(sym, inst,
		           (struct sym_value){sym_constant(sym->arena, in->op == PTX_OP_NEG ? 0 : -1), NULL, bits},
		           sym_operand(sym, inst, 1, bits), -1);
	case PTX_OP_MUL:
		return multiply(sym, inst, width);
	case PTX_OP_MAD:
		if (in->half == PTX_HI)
			return sym_opaque(sym, SYM_OP, inst, 0, bits);
		a = multiply(sym, inst, width);
		b = sym_operand(sym, inst, 3, bits);
		return add(sym, inst, a, b, 1);
	case PTX_OP_SHL:
		return shift_left(sym, inst, bits);
	case PTX_OP_OR:
		return bit_or(sym, inst, bits);
	case PTX_OP_AND:
		return bit_and(sym, inst, bits);
	case PTX_OP_SELP:
		a = sym_operand(sym, inst, 1, bits);
		b = sym_operand(sym, inst, 2, bits);
		if (!sym_equal(a.poly, b.poly))
			return sym_opaque(sym, SYM_CONTROL, inst, 0, bits);
		a.needs = sym_join_needs(sym->arena, a.needs, b.needs);
		return a;
	default:
		return operation(sym, inst, bits);
	}
}
