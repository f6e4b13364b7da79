/* number: arithmetic on polynomials, and the types in which the machine computes it.
 *
 * A polynomial is the value modulo 2^32 or 2^64, according to its type's width. The operations + - * are therefore
 * independent of the type. Where a value is widened or compared, it must be the exact value. This becomes a claim,
 * which is checked when a launch is known. Types narrower than int, whose numbers wrap around soon, are followed
 * only if constant.
 */
#include "cuda_source/private.h"

#include <string.h>

enum { MOST_CLAIMS = 16 };

const char *walk_type_name(struct walk *walk, const char *type)
{
	const struct function *function = walk->frame->function;
	if (!type || !walk->frame->caller || !function->is_template)
		return type ? type : "?";
	char name[200];
	snprintf(name, sizeof name, "%s of %s", type, function->name);
	return arena_string(walk->arena, name, strlen(name));
}

static const struct poly *walk_bytes(struct walk *walk, const char *type, int64_t size)
{
	if (size > 0)
		return poly_constant(walk->arena, size);
	char name[256];
	snprintf(name, sizeof name, "sizeof(%s)", walk_type_name(walk, type));
	return poly_symbol(walk->arena, walk_symbol(walk, SOURCE_TEMPLATE, 0, name));
}

/* --- claims --- */

static bool has_claim(const struct claim *list, const struct claim *one)
{
	for (; list; list = list->next)
		if (list->least == one->least && list->most == one->most && poly_equal(list->poly, one->poly))
			return true;
	return false;
}

bool claim_equal(const struct claim *a, const struct claim *b)
{
	for (const struct claim *at = a; at && a != b; at = at->next)
		if (!has_claim(b, at))
			return false;
	for (const struct claim *at = b; at && a != b; at = at->next)
		if (!has_claim(a, at))
			return false;
	return true;
}

const struct claim *claim_join(struct walk *walk, const struct claim *a, const struct claim *b)
{
	for (const struct claim *at = b; at && a != b; at = at->next) {
		if (has_claim(a, at))
			continue;
		struct claim *more = arena_alloc(walk->arena, sizeof *more);
		*more = (struct claim){at->poly, at->least, at->most, a};
		a = more;
	}
	return a;
}

static struct value lose(struct walk *walk, const struct value *value)
{
	return value_unknown(walk, value->causes ? value->causes : CAUSE_OPERATOR);
}

static struct value limit_claims(struct walk *walk, struct value value)
{
	uint32_t count = 0;
	for (const struct claim *at = value.claims; at; at = at->next)
		count++;
	if (count <= MOST_CLAIMS)
		return value;
	value.poly = NULL;
	value.claims = NULL;
	value.causes |= CAUSE_OPERATOR;
	value.serial = ++walk->serials;
	return value;
}

/* blockIdx.x and similar values are at least 0 and below 2^31. */
static bool is_built_in(const struct walk *walk, const struct poly *poly)
{
	if (poly->count != 1 || poly->terms[0].degree != 1 || poly->terms[0].coefficient != 1)
		return false;
	enum source_symbol_kind kind = walk->symbols[poly->terms[0].symbol[0]]->kind;
	return kind != SOURCE_LOOP && kind < SOURCE_ARGUMENT;
}

struct value walk_claim(struct walk *walk, struct value value, int64_t least, int64_t most)
{
	int64_t constant;
	if (!value.poly || (least <= 0 && most >= INT32_MAX && is_built_in(walk, value.poly)))
		return value;
	if (poly_is_constant(value.poly, &constant))
		return constant >= least && constant <= most ? value : lose(walk, &value);
	value.claims = claim_join(walk, value.claims, &(struct claim){value.poly, least, most, NULL});
	return limit_claims(walk, value);
}

/* --- types --- */

void type_limits(const struct type *type, int64_t *least, int64_t *most)
{
	int64_t bits = 8 * type->size;
	*least = type->is_unsigned ? 0 : INT64_MIN;
	*most = type->is_bool ? 1 : INT64_MAX;
	if (type->is_bool || type->size >= 8 || type->size <= 0)
		return;
	*least = type->is_unsigned ? 0 : -(INT64_C(1) << (bits - 1));
	*most = (INT64_C(1) << (type->is_unsigned ? bits : bits - 1)) - 1;
}

static int64_t wrap(int64_t value, const struct type *type)
{
	if (type->is_bool)
		return value != 0;
	if (type->size <= 0 || type->size >= 8)
		return value;
	int64_t least, most, mask = (INT64_C(1) << 8 * type->size) - 1;
	type_limits(type, &least, &most);
	value &= mask;
	return value > most ? value - mask - 1 : value;
}

static bool is_followed(const struct type *type)
{
	return type->size > 0 && type->size <= 8;
}

static struct value convert_integer(struct walk *walk, struct value value, const struct type *from,
                                    const struct type *to)
{
	int64_t constant, least, most;
	bool wider = to->size > from->size;
	if (!value.poly || !is_followed(to))
		return value.poly ? lose(walk, &value) : value;
	if (poly_is_constant(value.poly, &constant)) {
		value.poly = poly_constant(walk->arena, wrap(constant, to));
		return value;
	}
	if (to->size == from->size && to->is_unsigned == from->is_unsigned && to->is_bool == from->is_bool)
		return value;
	if (!is_followed(from) || to->is_bool || (to->size < 4 && !wider))
		return lose(walk, &value);
	if (!wider)
		return value;
	type_limits(from, &least, &most);
	return walk_claim(walk, value, least, most);
}

struct value walk_convert(struct walk *walk, struct value value, const struct type *from, const struct type *to)
{
	/* a null pointer, or a number converted to a pointer */
	if (to->kind == TYPE_POINTER && value.kind == VALUE_NUMBER) {
		value.kind = VALUE_MEMORY;
		return value;
	}
	bool number = to->kind == TYPE_INTEGER || to->kind == TYPE_FLOAT;
	/* a type that depends on a template argument may be any type */
	bool decided_later = to->kind == TYPE_OTHER && from->kind == TYPE_INTEGER && value.kind == VALUE_NUMBER;
	if (!number && !decided_later)
		return value;
	if (to->kind == TYPE_INTEGER && from->kind == TYPE_INTEGER && value.kind == VALUE_NUMBER)
		return convert_integer(walk, value, from, to);
	return lose(walk, &value);
}

/* Returns the type in which two operands are combined without a cast; a shift has its left operand's type. */
struct type walk_common_type(const char *op, const struct type *left, const struct type *right)
{
	static const struct type whole = {.kind = TYPE_INTEGER, .size = 4};
	if (left->kind != TYPE_INTEGER || right->kind != TYPE_INTEGER)
		return left->kind == TYPE_INTEGER ? *right : *left;
	const struct type *a = left->size < 4 ? &whole : left, *b = right->size < 4 ? &whole : right;
	if (strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0)
		return *a;
	if (a->size != b->size)
		return a->size > b->size ? *a : *b;
	return a->is_unsigned ? *a : *b;
}

struct value walk_offset(struct walk *walk, const struct node *node)
{
	static const struct type wide = {.kind = TYPE_INTEGER, .size = 8};
	struct value value = walk_value(walk, node);
	if (value.kind == VALUE_NUMBER && value.poly && node->type.kind != TYPE_INTEGER)
		return lose(walk, &value);
	return value.kind == VALUE_NUMBER ? walk_convert(walk, value, &node->type, &wide) : value;
}

/* --- operators --- */

static bool is_pointer(const struct value *value)
{
	return value->kind == VALUE_ARRAY || value->kind == VALUE_MEMORY || value->kind == VALUE_SLOT;
}

static struct value move_pointer(struct walk *walk, struct value pointer, struct value by, int64_t sign,
                                 const struct type *type)
{
	if (pointer.kind != VALUE_ARRAY) {
		pointer.kind = VALUE_MEMORY;
		return pointer;
	}
	const struct poly *bytes = walk_bytes(walk, type->target, type->target_size);
	pointer.poly = poly_add(walk->arena, pointer.poly, poly_multiply(walk->arena, by.poly, bytes), sign);
	pointer.causes |= by.causes;
	if (!pointer.poly) {
		pointer.serial = ++walk->serials;
		pointer.causes |= pointer.causes ? 0 : CAUSE_OPERATOR;
		return pointer;
	}
	pointer.claims = claim_join(walk, pointer.claims, by.claims);
	return limit_claims(walk, pointer);
}

/* Computes operators on constants, which the compiler evaluates. */
static bool fold(const char *op, int64_t a, int64_t b, const struct type *type, int64_t *result)
{
	bool shift = b >= 0 && b < 8 * type->size && b < 63;
	/* unsigned 64-bit values above 2^63 */
	bool huge = type->is_unsigned && (a < 0 || b < 0);
	if (strcmp(op, "/") == 0 && b != 0 && b != -1 && !huge)
		*result = a / b;
	else if (strcmp(op, "%") == 0 && b != 0 && b != -1 && !huge)
		*result = a % b;
	else if (strcmp(op, "<<") == 0 && shift && a >= 0 && a < INT64_MAX >> b)
		*result = a << b;
	else if (strcmp(op, ">>") == 0 && shift && a >= 0)
		*result = a >> b;
	else if (strcmp(op, "&") == 0)
		*result = a & b;
	else if (strcmp(op, "|") == 0)
		*result = a | b;
	else if (strcmp(op, "^") == 0)
		*result = a ^ b;
	else
		return false;
	return true;
}

struct value walk_combine(struct walk *walk, const char *op, struct value left, struct value right,
                          const struct type *pointer, const struct type *result)
{
	int64_t sign = strcmp(op, "-") == 0 ? -1 : 1;
	bool sum = strcmp(op, "+") == 0 || sign < 0, product = strcmp(op, "*") == 0;
	if (sum && is_pointer(&left) && !is_pointer(&right))
		return move_pointer(walk, left, right, sign, pointer);
	if (strcmp(op, "+") == 0 && is_pointer(&right) && !is_pointer(&left))
		return move_pointer(walk, right, left, 1, pointer);
	struct value value = value_unknown(walk, left.causes | right.causes);
	int64_t a, b, folded;
	if (is_pointer(&left) || is_pointer(&right) || result->kind != TYPE_INTEGER || !is_followed(result))
		value.causes |= value.causes ? 0 : CAUSE_OPERATOR;
	else if (sum)
		value.poly = poly_add(walk->arena, left.poly, right.poly, sign);
	else if (product)
		value.poly = poly_multiply(walk->arena, left.poly, right.poly);
	else if (poly_is_constant(left.poly, &a) && poly_is_constant(right.poly, &b) && fold(op, a, b, result, &folded))
		value.poly = poly_constant(walk->arena, folded);
	else
		value.causes |= CAUSE_OPERATOR;
	if (poly_is_constant(value.poly, &a))
		value.poly = poly_constant(walk->arena, wrap(a, result));
	if (!value.poly && !value.causes) /* too large to follow */
		value.causes = CAUSE_OPERATOR;
	if (!value.poly)
		return value;
	value.claims = claim_join(walk, left.claims, right.claims);
	return limit_claims(walk, value);
}
