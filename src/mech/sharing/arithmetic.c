/* Arithmetic on addresses and numbers. Bounds are computed for operations that compilers use for addresses. Other
 * results have no bounds, but stay within the variables that they come from. */
#include "mech/sharing/addresses.h"

/* The source operands of an instruction. */
struct sources {
	struct sharing_address value[PTX_MAX_OPERANDS];
	uint32_t count;
};

static const struct sharing_address anything = {.is_known = true, .low = -SHARING_FAR, .high = SHARING_FAR};

/* Whether the bounds hold for the exact number in `bits` bits of a register, not only modulo a power of two. */
static bool is_exact(const struct sharing_address *value, uint32_t bits, bool is_signed)
{
	if (!sharing_is_bounded(value))
		return false;
	int64_t all = bits < 32 ? INT64_C(1) << bits : SHARING_FAR;
	if (is_signed)
		return bits < 32 ? value->low >= -all / 2 && value->high < all / 2 : true;
	return value->low >= 0 && value->high < all;
}

static bool is_exact_as(const struct sharing_address *value, enum ptx_type type)
{
	return is_exact(value, 8 * ptx_type_bytes(type), ptx_type_is_signed(type));
}

static bool is_one(const struct sharing_address *value)
{
	return value->variables == 0 && value->low == value->high;
}

static struct sharing_address bounds(struct sharing_address value, int64_t low, int64_t high)
{
	value.low = low;
	value.high = high;
	return sharing_is_bounded(&value) ? value : sharing_unbounded(value);
}

/* A result of two values may be in the variables of both. A strange number added to an address is an index. */
static struct sharing_address together(struct sharing_address a, struct sharing_address b)
{
	struct sharing_address value = anything;
	value.variables = a.variables | b.variables;
	bool of_addresses = (a.variables && a.is_strange) || (b.variables && b.is_strange);
	value.is_strange = value.variables ? of_addresses : a.is_strange || b.is_strange;
	return value;
}

static struct sharing_address add(struct sharing_address a, struct sharing_address b)
{
	struct sharing_address value = together(a, b);
	if (!sharing_is_bounded(&a) || !sharing_is_bounded(&b) || (a.variables && b.variables))
		return value;
	return bounds(value, a.low + b.low, a.high + b.high);
}

static struct sharing_address subtract(struct sharing_address a, struct sharing_address b)
{
	struct sharing_address value = together(a, b);
	if (!sharing_is_bounded(&a) || !sharing_is_bounded(&b) || b.variables)
		return value;
	return bounds(value, a.low - b.high, a.high - b.low);
}

static struct sharing_address multiply(struct sharing_address a, struct sharing_address b)
{
	struct sharing_address value = together(a, b);
	if (!sharing_is_bounded(&a) || !sharing_is_bounded(&b) || value.variables)
		return value;
	const int64_t corner[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
	int64_t low = corner[0], high = corner[0];
	for (int i = 1; i < 4; i++) {
		low = corner[i] < low ? corner[i] : low;
		high = corner[i] > high ? corner[i] : high;
	}
	return bounds(value, low, high);
}

/* mul, and the first two operands of mad. */
static struct sharing_address product(const struct ptx_inst *inst, const struct sources *from)
{
	struct sharing_address value = multiply(from->value[0], from->value[1]);
	bool whole = inst->half == PTX_LO;
	if (inst->half == PTX_WIDE)
		whole = is_exact_as(&from->value[0], inst->type) && is_exact_as(&from->value[1], inst->type);
	return whole ? value : sharing_unbounded(value);
}

static struct sharing_address shift_left(struct sharing_address a, struct sharing_address by)
{
	const struct sharing_address power = {
		.is_known = true, .low = INT64_C(1) << (by.low & 31), .high = INT64_C(1) << (by.low & 31)};
	return is_one(&by) && by.low >= 0 && by.low < 31 ? multiply(a, power) : together(a, by);
}

static struct sharing_address shift_right(struct sharing_address a, struct sharing_address by, enum ptx_type type)
{
	struct sharing_address value = together(a, by);
	if (!is_one(&by) || by.low < 0 || by.low > 31 || value.variables || !is_exact_as(&a, type))
		return value;
	return bounds(value, a.low >> by.low, a.high >> by.low);
}

/* For two numbers, one of which is a mask. */
static struct sharing_address mask(struct sharing_address a, struct sharing_address b)
{
	struct sharing_address value = together(a, b);
	const struct sharing_address *by = is_one(&a) ? &a : &b;
	return is_one(by) && by->low >= 0 && !value.variables ? bounds(value, 0, by->low) : value;
}

static struct sharing_address remainder_of(struct sharing_address a, struct sharing_address b, enum ptx_type type)
{
	struct sharing_address value = together(a, b);
	if (!is_one(&b) || b.low <= 0 || value.variables)
		return value;
	return bounds(value, ptx_type_is_signed(type) ? 1 - b.low : 0, b.low - 1);
}

static bool is_whole(enum ptx_type type)
{
	return !ptx_type_is_float(type) && type != PTX_F16X2;
}

/* A value narrower than 32 bits fills its register. */
static struct sharing_address convert(const struct ptx_inst *inst, struct sharing_address a)
{
	uint32_t from = ptx_type_bytes(inst->type2), to = ptx_type_bytes(inst->type);
	if (!is_whole(inst->type) || !is_whole(inst->type2) || inst->sat)
		return sharing_unbounded(a);
	bool is_exact = is_exact_as(&a, inst->type2);
	if (to >= 4 ? to <= from || is_exact : is_exact && is_exact_as(&a, inst->type))
		return a;
	if (from < 4 && from <= to && !ptx_type_is_signed(inst->type2) && !a.variables)
		return bounds(a, 0, (INT64_C(1) << 8 * from) - 1);
	return sharing_unbounded(a);
}

static struct sharing_address either(struct sharing_address a, struct sharing_address b)
{
	sharing_join(&a, b);
	return a;
}

/* Returns false when an operand has no value yet. */
static bool read_sources(const struct sharing_addresses *addresses, uint32_t at, struct sources *from)
{
	const struct ptx_inst *inst = addresses->on->inst[at];
	for (unsigned i = inst->destinations; i < inst->operands; i++) {
		struct sharing_address value = sharing_operand(addresses, at, &inst->operand[i]);
		if (!value.is_known)
			return false;
		from->value[from->count++] = value;
	}
	return true;
}

/* The result may be any of the sources, or a combination of all. */
static struct sharing_address all_mixed(const struct sources *from)
{
	struct sharing_address value = anything;
	for (uint32_t i = 0; i < from->count; i++)
		sharing_join(&value, from->value[i]);
	return value;
}

static struct sharing_address compute(const struct ptx_inst *inst, const struct sources *from)
{
	const struct sharing_address *value = from->value;
	switch (inst->op) {
	case PTX_OP_ADD:
		return add(value[0], value[1]);
	case PTX_OP_SUB:
		return subtract(value[0], value[1]);
	case PTX_OP_MUL:
		return product(inst, from);
	case PTX_OP_MAD:
		return add(product(inst, from), value[2]);
	case PTX_OP_SHL:
		return shift_left(value[0], value[1]);
	case PTX_OP_SHR:
		return shift_right(value[0], value[1], inst->type);
	case PTX_OP_AND:
		return mask(value[0], value[1]);
	case PTX_OP_REM:
		return remainder_of(value[0], value[1], inst->type);
	case PTX_OP_OR:
		return together(value[0], value[1]);
	default:
		return all_mixed(from);
	}
}

static bool is_vector(const struct ptx_inst *inst)
{
	return inst->operand[0].kind == PTX_OPERAND_VECTOR || inst->operand[1].kind == PTX_OPERAND_VECTOR;
}

struct sharing_address sharing_compute(const struct sharing_addresses *addresses, uint32_t at)
{
	const struct ptx_inst *inst = addresses->on->inst[at];
	struct sources from = {0};
	if (inst->destinations == 0 || !read_sources(addresses, at, &from))
		return (struct sharing_address){0};
	switch (inst->op) {
	case PTX_OP_MOV:
		return is_vector(inst) ? sharing_unbounded(from.value[0]) : from.value[0];
	case PTX_OP_CVTA:
		return from.value[0];
	case PTX_OP_CVT:
		return convert(inst, from.value[0]);
	case PTX_OP_SELP:
	case PTX_OP_SLCT:
	case PTX_OP_MIN:
	case PTX_OP_MAX:
		return either(from.value[0], from.value[1]);
	default:
		return is_whole(inst->type) ? compute(inst, &from) : all_mixed(&from);
	}
}
