/* expression: the value of an expression, and the reads that it makes. */
#include "source/inner.h"

#include <string.h>

const struct poly *run_bytes(struct run *run, const char *type, int64_t size)
{
	if (size > 0)
		return poly_constant(run->arena, size);
	char name[256];
	snprintf(name, sizeof name, "sizeof(%s)", type ? type : "?");
	return poly_symbol(run->arena, run_symbol(run, SOURCE_TEMPLATE, 0, name));
}

static bool is_pointer(const struct value *value)
{
	return value->kind == VALUE_ARRAY || value->kind == VALUE_MEMORY || value->kind == VALUE_SLOT;
}

static struct value move_pointer(struct run *run, struct value pointer, struct value by, int64_t sign,
                                 const struct type *type)
{
	if (pointer.kind != VALUE_ARRAY) {
		pointer.kind = VALUE_MEMORY;
		return pointer;
	}
	const struct poly *bytes = run_bytes(run, type->target, type->target_size);
	pointer.poly = poly_add(run->arena, pointer.poly, poly_multiply(run->arena, by.poly, bytes), sign);
	pointer.causes |= by.causes;
	if (!pointer.poly) {
		pointer.serial = ++run->serials;
		pointer.causes |= pointer.causes ? 0 : CAUSE_OPERATOR;
	}
	return pointer;
}

/* Operators on constants that the language evaluates while compiling. */
static bool fold(const char *op, int64_t a, int64_t b, int64_t *result)
{
	bool shift = b >= 0 && b < 63;
	if (strcmp(op, "/") == 0 && b != 0 && b != -1)
		*result = a / b;
	else if (strcmp(op, "%") == 0 && b != 0 && b != -1)
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

struct value run_combine(struct run *run, const char *op, struct value left, struct value right,
                         const struct type *pointer, const struct type *result)
{
	int64_t sign = strcmp(op, "-") == 0 ? -1 : 1;
	bool sum = strcmp(op, "+") == 0 || sign < 0, product = strcmp(op, "*") == 0;
	if (sum && is_pointer(&left) && !is_pointer(&right))
		return move_pointer(run, left, right, sign, pointer);
	if (sum && is_pointer(&right) && !is_pointer(&left))
		return move_pointer(run, right, left, 1, pointer);
	struct value value = value_unknown(run, left.causes | right.causes);
	int64_t a, b, folded;
	if (is_pointer(&left) || result->kind == TYPE_FLOAT)
		value.causes |= value.causes ? 0 : CAUSE_OPERATOR;
	else if (sum)
		value.poly = poly_add(run->arena, left.poly, right.poly, sign);
	else if (product)
		value.poly = poly_multiply(run->arena, left.poly, right.poly);
	else if (poly_is_constant(left.poly, &a) && poly_is_constant(right.poly, &b) && fold(op, a, b, &folded))
		value.poly = poly_constant(run->arena, folded);
	else
		value.causes |= CAUSE_OPERATOR;
	if (!value.poly && !value.causes) /* too large to be followed */
		value.causes = CAUSE_OPERATOR;
	return value;
}

static struct value convert(struct run *run, struct value value, const struct type *from, const struct type *to)
{
	int64_t constant;
	if (to->kind == TYPE_POINTER && value.kind == VALUE_NUMBER) { /* a null pointer, or a number made one */
		value.kind = VALUE_MEMORY;
		return value;
	}
	bool changes = (to->kind == TYPE_INTEGER && from->kind == TYPE_FLOAT) || to->kind == TYPE_FLOAT;
	bool narrows = to->kind == TYPE_INTEGER && from->kind == TYPE_INTEGER && to->size && to->size < 4 &&
	               to->size < from->size && !poly_is_constant(value.poly, &constant);
	bool from_pointer = to->kind == TYPE_INTEGER && is_pointer(&value);
	if (!changes && !narrows && !from_pointer)
		return value;
	return value_unknown(run, value.causes ? value.causes : CAUSE_OPERATOR);
}

static struct value assign(struct run *run, const struct node *node)
{
	const struct node *target = node->children[0];
	struct value value = run_value(run, node->children[1]);
	struct lvalue place = run_place(run, target);
	if (node->op[0]) {
		struct value old = run_load(run, &place, target);
		value = run_combine(run, node->op, old, value, &target->type, &node->type);
		value = convert(run, value, &node->type, &target->type);
	}
	run_store(run, &place, value);
	return value;
}

static struct value step(struct run *run, const struct node *node, bool behind)
{
	const struct node *target = node->children[0];
	struct lvalue place = run_place(run, target);
	struct value old = run_load(run, &place, target), one = value_of(poly_constant(run->arena, 1));
	const char op[2] = {node->op[behind], '\0'};
	struct value next = run_combine(run, op, old, one, &target->type, &target->type);
	run_store(run, &place, next);
	return behind ? old : next;
}

static struct value unary(struct run *run, const struct node *node)
{
	const char *op = node->op;
	if (strcmp(op, "&") == 0)
		return run_address(run, node->children[0]);
	if (strcmp(op, "*") == 0) {
		struct lvalue place = run_place(run, node);
		return run_load(run, &place, node);
	}
	if (strcmp(op, "++") == 0 || strcmp(op, "--") == 0)
		return step(run, node, false);
	if (op[0] == 'p')
		return step(run, node, true);
	struct value value = run_value(run, node->children[0]);
	if (strcmp(op, "+") == 0)
		return value;
	struct value zero = value_of(poly_constant(run->arena, 0));
	return run_combine(run, op, zero, value, &node->type, &node->type);
}

/* What we do not look into. */
static struct value opaque(struct run *run, const struct node *node)
{
	uint8_t causes = CAUSE_OPERATOR;
	for (uint32_t i = 0; i < node->count; i++)
		causes |= run_value(run, node->children[i]).causes;
	return value_unknown(run, causes);
}

/* What assembly names without reading it, it writes. */
static struct value assembly(struct run *run, const struct node *node)
{
	for (uint32_t i = 0; i < node->count; i++) {
		struct lvalue place = run_place(run, node->children[i]);
		run_store(run, &place, value_unknown(run, CAUSE_OPERATOR));
	}
	return value_unknown(run, CAUSE_OPERATOR);
}

/* What may not be evaluated: after it, what it changes depends on control. */
static struct value maybe(struct run *run, const struct node *node)
{
	if (!run_changes(node))
		return run_value(run, node);
	struct state before = state_copy(run, &run->now);
	struct value value = run_value(run, node);
	state_merge(run, &run->now, &before);
	return value;
}

static struct value choice(struct run *run, const struct node *node)
{
	run_value(run, node->children[0]);
	struct value a = maybe(run, node->children[1]), b = maybe(run, node->children[2]);
	return run_merge_values(run, &a, &b);
}

static struct value lambda(struct run *run, const struct node *node)
{
	struct closure *closure = arena_alloc(run->arena, sizeof *closure);
	*closure = (struct closure){node, state_copy(run, &run->now)};
	return (struct value){.kind = VALUE_LAMBDA, .closure = closure};
}

static struct value cast(struct run *run, const struct node *node)
{
	const struct node *child = node->children[0];
	if (node->type.kind == TYPE_POINTER && child->type.kind == TYPE_ARRAY)
		return run_address(run, child);
	return convert(run, run_value(run, child), &child->type, &node->type);
}

static struct value binary(struct run *run, const struct node *node)
{
	bool logical = strcmp(node->op, "&&") == 0 || strcmp(node->op, "||") == 0;
	struct value left = run_value(run, node->children[0]);
	struct value right = logical ? maybe(run, node->children[1]) : run_value(run, node->children[1]);
	if (strcmp(node->op, ",") == 0)
		return right;
	return run_combine(run, node->op, left, right, &node->type, &node->type);
}

struct value run_value(struct run *run, const struct node *node)
{
	struct lvalue place;
	switch (node->kind) {
	case NODE_CONSTANT:
		/* of 32 bits and above 2^31: arithmetic with it wraps around, as in i + 0xffffffffu */
		if (node->type.size == 4 && node->value > INT32_MAX)
			return value_unknown(run, CAUSE_OPERATOR);
		return value_of(poly_constant(run->arena, node->value));
	case NODE_VARIABLE:
	case NODE_SUBSCRIPT:
	case NODE_MEMBER:
		place = run_place(run, node);
		return run_load(run, &place, node);
	case NODE_BINARY:
		return binary(run, node);
	case NODE_ASSIGN:
		return assign(run, node);
	case NODE_UNARY:
		return unary(run, node);
	case NODE_CHOICE:
		return choice(run, node);
	case NODE_CAST:
		return cast(run, node);
	case NODE_CALL:
		if (node->callee && node->callee->returns_reference) {
			place = run_place(run, node);
			return run_load(run, &place, node);
		}
		return run_call(run, node);
	case NODE_CONSTRUCT:
		return node->count == 1 ? run_value(run, node->children[0]) : opaque(run, node);
	case NODE_LAMBDA:
		return lambda(run, node);
	case NODE_LOST:
		run_statement(run, node);
		return value_unknown(run, CAUSE_CONTROL);
	case NODE_ASSEMBLY:
		return assembly(run, node);
	default:
		return opaque(run, node);
	}
}
