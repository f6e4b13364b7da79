/* expression: computes the value of an expression and records its reads. */
#include "cuda_source/private.h"

#include <string.h>

/* A compound assignment computes in the operands' common type and converts the result to the target's type. */
static struct value combine_into(struct walk *walk, const struct node *node, struct value old, struct value by)
{
	const struct type *type = &node->children[0]->type, *by_type = &node->children[1]->type;
	if (type->kind == TYPE_POINTER)
		return walk_combine(walk, node->op, old, by, type, type);
	struct type common = walk_common_type(node->op, type, by_type);
	old = walk_convert(walk, old, type, &common);
	by = walk_convert(walk, by, by_type, &common);
	return walk_convert(walk, walk_combine(walk, node->op, old, by, type, &common), &common, type);
}

/* The right side is evaluated first. */
struct lvalue walk_assign(struct walk *walk, const struct node *node, struct value *value)
{
	const struct node *target = node->children[0], *from = node->children[1];
	bool moves = node->op[0] && target->type.kind == TYPE_POINTER;
	struct value by = moves ? walk_offset(walk, from) : walk_value(walk, from);
	struct lvalue place = walk_place(walk, target);
	if (node->op[0])
		*value = combine_into(walk, node, walk_load(walk, &place, target), by);
	else
		*value = walk_convert(walk, by, &from->type, &target->type);
	walk_store(walk, &place, *value);
	return place;
}

struct lvalue walk_step(struct walk *walk, const struct node *node, struct value *value)
{
	const struct node *target = node->children[0];
	const struct type *type = &target->type;
	bool behind = node->op[0] == 'p';
	struct lvalue place = walk_place(walk, target);
	struct value old = walk_load(walk, &place, target), one = value_of(poly_constant(walk->arena, 1));
	const char op[2] = {node->op[behind], '\0'};
	struct type common = walk_common_type(op, type, type);
	if (type->kind == TYPE_INTEGER)
		old = walk_convert(walk, old, type, &common);
	struct value next = walk_combine(walk, op, old, one, type, &common);
	if (type->kind == TYPE_INTEGER)
		next = walk_convert(walk, next, &common, type);
	walk_store(walk, &place, next);
	*value = behind ? old : next;
	return place;
}

static struct value unary(struct walk *walk, const struct node *node)
{
	const char *op = node->op;
	if (strcmp(op, "&") == 0)
		return walk_address(walk, node->children[0]);
	if (strcmp(op, "*") == 0) {
		struct lvalue place = walk_place(walk, node);
		return walk_load(walk, &place, node);
	}
	struct value value;
	if (strcmp(op, "++") == 0 || strcmp(op, "--") == 0 || op[0] == 'p') {
		walk_step(walk, node, &value);
		return value;
	}
	value = walk_value(walk, node->children[0]);
	if (strcmp(op, "+") == 0)
		return value;
	struct value zero = value_of(poly_constant(walk->arena, 0));
	return walk_combine(walk, op, zero, value, &node->type, &node->type);
}

/* Operands that assembly names without reading them count as written. */
static struct value assembly(struct walk *walk, const struct node *node)
{
	for (uint32_t i = 0; i < node->count; i++) {
		struct lvalue place = walk_place(walk, node->children[i]);
		walk_store(walk, &place, value_unknown(walk, CAUSE_OPERATOR));
	}
	walk_forget_exposed(walk);
	return value_unknown(walk, CAUSE_OPERATOR);
}

/* An expression that may not be evaluated: variables that it changes then depend on control. */
static struct value maybe(struct walk *walk, const struct node *node)
{
	if (!walk_changes(node))
		return walk_value(walk, node);
	struct state before = state_copy(walk, &walk->now);
	struct value value = walk_value(walk, node);
	state_merge(walk, &walk->now, &before);
	return value;
}

/* An expression that is not analyzed: each part may or may not be evaluated. */
static struct value opaque(struct walk *walk, const struct node *node)
{
	uint8_t causes = CAUSE_OPERATOR;
	for (uint32_t i = 0; i < node->count; i++)
		causes |= maybe(walk, node->children[i]).causes;
	return value_unknown(walk, causes);
}

static struct value choice(struct walk *walk, const struct node *node)
{
	walk_value(walk, node->children[0]);
	struct value a = maybe(walk, node->children[1]), b = maybe(walk, node->children[2]);
	return walk_merge_values(walk, &a, &b);
}

static struct value lambda(struct walk *walk, const struct node *node)
{
	struct closure *closure = arena_alloc(walk->arena, sizeof *closure);
	*closure = (struct closure){node, state_copy(walk, &walk->now)};
	return (struct value){.kind = VALUE_LAMBDA, .closure = closure};
}

static struct value cast(struct walk *walk, const struct node *node)
{
	const struct node *child = node->children[0];
	if (node->op[0] == 'r') {
		struct lvalue place = walk_place(walk, node);
		return walk_load(walk, &place, node);
	}
	if (node->type.kind == TYPE_POINTER && child->type.kind == TYPE_ARRAY)
		return walk_address(walk, child);
	return walk_convert(walk, walk_value(walk, child), &child->type, &node->type);
}

static struct value binary(struct walk *walk, const struct node *node)
{
	const struct node *first = node->children[0], *second = node->children[1];
	bool logical = strcmp(node->op, "&&") == 0 || strcmp(node->op, "||") == 0;
	bool moves = node->type.kind == TYPE_POINTER; /* the integer may be on either side */
	struct value left = moves ? walk_offset(walk, first) : walk_value(walk, first);
	struct value right = logical ? maybe(walk, second)
	                     : moves ? walk_offset(walk, second)
	                             : walk_value(walk, second);
	if (strcmp(node->op, ",") == 0)
		return right;
	const struct type *pointer = first->type.kind == TYPE_INTEGER ? &second->type : &first->type;
	return walk_combine(walk, node->op, left, right, pointer, &node->type);
}

struct value walk_value(struct walk *walk, const struct node *node)
{
	struct lvalue place;
	struct value value;
	switch (node->kind) {
	case NODE_CONSTANT:
		/* 32 bits and above 2^31: arithmetic with it wraps around, as in i + 0xffffffffu */
		if (node->type.size == 4 && node->value > INT32_MAX)
			return value_unknown(walk, CAUSE_OPERATOR);
		return value_of(poly_constant(walk->arena, node->value));
	case NODE_VARIABLE:
	case NODE_SUBSCRIPT:
	case NODE_MEMBER:
		place = walk_place(walk, node);
		return walk_load(walk, &place, node);
	case NODE_BINARY:
		return binary(walk, node);
	case NODE_ASSIGN:
		walk_assign(walk, node, &value);
		return value;
	case NODE_UNARY:
		return unary(walk, node);
	case NODE_CHOICE:
		return choice(walk, node);
	case NODE_CAST:
		return cast(walk, node);
	case NODE_CALL:
		if (node->callee && node->callee->returns_reference) {
			place = walk_place(walk, node);
			return walk_load(walk, &place, node);
		}
		return walk_call(walk, node);
	case NODE_CONSTRUCT:
		return node->count == 1 ? walk_value(walk, node->children[0]) : opaque(walk, node);
	case NODE_LAMBDA:
		return lambda(walk, node);
	case NODE_LOST:
		walk_statement(walk, node);
		return value_unknown(walk, CAUSE_CONTROL);
	case NODE_ASSEMBLY:
		return assembly(walk, node);
	default:
		return opaque(walk, node);
	}
}
