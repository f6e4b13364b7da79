/* walk: runs statements. Both sides of a branch are run; where they merge, values that differ depend on control. */
#include "cuda_source/private.h"

#include <string.h>

/* Returns true when evaluating the node may change a variable. */
bool walk_changes(const struct node *node)
{
	bool step = node->kind == NODE_UNARY && (node->op[0] == 'p' || strcmp(node->op, "++") == 0 ||
	                                         strcmp(node->op, "--") == 0 || strcmp(node->op, "&") == 0);
	if (node->kind == NODE_ASSIGN || node->kind == NODE_LOST || step || node->kind == NODE_CALL ||
	    node->kind == NODE_ASSEMBLY)
		return true;
	for (uint32_t i = 0; i < node->count; i++)
		if (walk_changes(node->children[i]))
			return true;
	return false;
}

static void branch(struct walk *walk, const struct node *node)
{
	uint32_t first = (uint32_t)node->value;
	for (uint32_t i = 0; i < first && i < node->count; i++)
		walk_statement(walk, node->children[i]);
	if (node->count < first + 2)
		return;
	walk_value(walk, node->children[first]);
	struct state before = state_copy(walk, &walk->now);
	walk_statement(walk, node->children[first + 1]);
	struct state then = walk->now;
	walk->now = before;
	if (node->count > first + 2)
		walk_statement(walk, node->children[first + 2]);
	state_merge(walk, &walk->now, &then);
}

static bool has_default(const struct node *node)
{
	if (node->kind == NODE_CASE && node->op[0] == 'd')
		return true;
	for (uint32_t i = 0; i < node->count && node->kind != NODE_SWITCH; i++)
		if (has_default(node->children[i]))
			return true;
	return false;
}

/* Each case may be entered from above or from the switch itself. */
static void walk_cases(struct walk *walk, const struct node *node, const struct state *before)
{
	if (node->kind == NODE_BLOCK) {
		for (uint32_t i = 0; i < node->count; i++)
			walk_cases(walk, node->children[i], before);
	} else if (node->kind == NODE_CASE) {
		state_merge(walk, &walk->now, before);
		if (node->count)
			walk_cases(walk, node->children[node->count - 1], before);
	} else {
		walk_statement(walk, node);
	}
}

/* A case inside a loop or similar statement: the switch jumps into the middle of it. */
static bool has_inner_case(const struct node *node, bool inside)
{
	if (node->kind == NODE_SWITCH)
		return false;
	if (node->kind == NODE_CASE && inside)
		return true;
	inside |= node->kind != NODE_BLOCK && node->kind != NODE_CASE;
	for (uint32_t i = 0; i < node->count; i++)
		if (has_inner_case(node->children[i], inside))
			return true;
	return false;
}

static void choose(struct walk *walk, const struct node *node)
{
	if (node->count < 2)
		return;
	const struct node *body = node->children[node->count - 1];
	for (uint32_t i = 0; i + 1 < node->count; i++)
		walk_statement(walk, node->children[i]);
	struct state before = state_copy(walk, &walk->now);
	struct jumps jumps = {0}, *outer = walk->jumps;
	walk->jumps = &jumps;
	walk->now.alive = false;
	walk->lost |= has_inner_case(body, false);
	walk_cases(walk, body, &before);
	walk->jumps = outer;
	state_merge(walk, &walk->now, &jumps.broken);
	if (outer)
		state_merge(walk, &outer->continued, &jumps.continued);
	bool whole = false;
	for (uint32_t i = 0; i < body->count; i++)
		whole |= has_default(body->children[i]);
	if (!whole)
		state_merge(walk, &walk->now, &before);
}

static void leave_path(struct walk *walk, struct state *gathered)
{
	state_merge(walk, gathered, &walk->now);
	walk->now.alive = false;
}

static void give_back(struct walk *walk, const struct node *node)
{
	struct frame *frame = walk->frame;
	if (node->count) {
		const struct node *result = node->children[0];
		bool reference = frame->function->returns_reference;
		struct value value = reference ? walk_bind(walk, result, &result->type) : walk_value(walk, result);
		frame->result = frame->has_result ? walk_merge_values(walk, &frame->result, &value) : value;
		frame->has_result = true;
	}
	leave_path(walk, &frame->returned);
}

void walk_statement(struct walk *walk, const struct node *node)
{
	if (!walk->now.alive && !walk->lost) /* a jump may lead to code that looks dead */
		return;
	switch (node->kind) {
	case NODE_NOTHING:
		break;
	case NODE_BLOCK:
		for (uint32_t i = 0; i < node->count; i++)
			walk_statement(walk, node->children[i]);
		break;
	case NODE_CASE:
		if (node->count)
			walk_statement(walk, node->children[node->count - 1]);
		break;
	case NODE_DECLARE:
		walk_declare(walk, node);
		break;
	case NODE_IF:
		branch(walk, node);
		break;
	case NODE_FOR:
	case NODE_WHILE:
	case NODE_DO:
		walk_loop(walk, node);
		break;
	case NODE_SWITCH:
		choose(walk, node);
		break;
	case NODE_BREAK:
		if (walk->jumps)
			leave_path(walk, &walk->jumps->broken);
		break;
	case NODE_CONTINUE:
		if (walk->jumps)
			leave_path(walk, &walk->jumps->continued);
		break;
	case NODE_RETURN:
		give_back(walk, node);
		break;
	case NODE_LOST:
		walk->lost = true;
		for (uint32_t i = 0; i < node->count; i++)
			walk_statement(walk, node->children[i]);
		break;
	default:
		walk_value(walk, node);
	}
}
