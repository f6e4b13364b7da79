/* expression: the value of an expression, and the reads that it makes. */
#include "cuda_source/inner.h"

#include <string.h>

/* A compound assignment calculates in the operands' common type, then makes the target's of it. */
static struct value combine_into(struct run *run, const struct node *node, struct value old, struct value by)
{
	const struct type *type = &node->children[0]->type, *by_type = &node->children[1]->type;
	if (type->kind == TYPE_POINTER)
		return run_combine(run, node->op, old, by, type, type);
	struct type common = run_common_type(node->op, type, by_type);
	old = run_convert(run, old, type, &common);
	by = run_convert(run, by, by_type, &common);
	return run_convert(run, run_combine(run, node->op, old, by, type, &common), &common, type);
}

/* The right side comes first. */
struct lvalue run_assign(struct run *run, const struct node *node, struct value *value)
{
	const struct node *target = node->children[0], *from = node->children[1];
	bool moves = node->op[0] && target->type.kind == TYPE_POINTER;
	struct value by = moves ? run_offset(run, from) : run_value(run, from);
	struct lvalue place = run_place(run, target);
	if (node->op[0])
		*value = combine_into(run, node, run_load(run, &place, target), by);
	else
		*value = run_convert(run, by, &from->type, &target->type);
	run_store(run, &place, *value);
	return place;
}

struct lvalue run_step(struct run *run, const struct node *node, struct value *value)
{
	const struct node *target = node->children[0];
	const struct type *type = &target->type;
	bool behind = node->op[0] == 'p';
	struct lvalue place = run_place(run, target);
	struct value old = run_load(run, &place, target), one = value_of(poly_constant(run->arena, 1));
	const char op[2] = {node->op[behind], '\0'};
	struct type common = run_common_type(op, type, type);
	if (type->kind == TYPE_INTEGER)
		old = run_convert(run, old, type, &common);
	struct value next = run_combine(run, op, old, one, type, &common);
	if (type->kind == TYPE_INTEGER)
		next = run_convert(run, next, &common, type);
	run_store(run, &place, next);
	*value = behind ? old : next;
	return place;
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
	struct value value;
	if (strcmp(op, "++") == 0 || strcmp(op, "--") == 0 || op[0] == 'p') {
		run_step(run, node, &value);
		return value;
	}
	value = run_value(run, node->children[0]);
	if (strcmp(op, "+") == 0)
		return value;
	struct value zero = value_of(poly_constant(run->arena, 0));
	return run_combine(run, op, zero, value, &node->type, &node->type);
}

/* What assembly names without reading it, it writes. */
static struct value assembly(struct run *run, const struct node *node)
{
	for (uint32_t i = 0; i < node->count; i++) {
		struct lvalue place = run_place(run, node->children[i]);
		run_store(run, &place, value_unknown(run, CAUSE_OPERATOR));
	}
	run_forget_exposed(run);
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

/* What we do not look into: parts of it may be evaluated or not. */
static struct value opaque(struct run *run, const struct node *node)
{
	uint8_t causes = CAUSE_OPERATOR;
	for (uint32_t i = 0; i < node->count; i++)
		causes |= maybe(run, node->children[i]).causes;
	return value_unknown(run, causes);
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
	if (node->op[0] == 'r') {
		struct lvalue place = run_place(run, node);
		return run_load(run, &place, node);
	}
	if (node->type.kind == TYPE_POINTER && child->type.kind == TYPE_ARRAY)
		return run_address(run, child);
	return run_convert(run, run_value(run, child), &child->type, &node->type);
}

static struct value binary(struct run *run, const struct node *node)
{
	const struct node *first = node->children[0], *second = node->children[1];
	bool logical = strcmp(node->op, "&&") == 0 || strcmp(node->op, "||") == 0;
	bool moves = node->type.kind == TYPE_POINTER; /* an integer on either side */
	struct value left = moves ? run_offset(run, first) : run_value(run, first);
	struct value right = logical ? maybe(run, second) : moves ? run_offset(run, second) : run_value(run, second);
	if (strcmp(node->op, ",") == 0)
		return right;
	const struct type *pointer = first->type.kind == TYPE_INTEGER ? &second->type : &first->type;
	return run_combine(run, node->op, left, right, pointer, &node->type);
}

struct value run_value(struct run *run, const struct node *node)
{
	struct lvalue place;
	struct value value;
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
		run_assign(run, node, &value);
		return value;
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
