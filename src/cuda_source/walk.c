/* walk: statements. Both sides of a branch are run; where they meet, what differs depends on control. */
#include "cuda_source/inner.h"

#include <string.h>

/* Whether evaluating it may change a variable. */
bool run_changes(const struct node *node)
{
	bool step = node->kind == NODE_UNARY && (node->op[0] == 'p' || strcmp(node->op, "++") == 0 ||
	                                         strcmp(node->op, "--") == 0 || strcmp(node->op, "&") == 0);
	if (node->kind == NODE_ASSIGN || node->kind == NODE_LOST || step || node->kind == NODE_CALL ||
	    node->kind == NODE_ASSEMBLY)
		return true;
	for (uint32_t i = 0; i < node->count; i++)
		if (run_changes(node->children[i]))
			return true;
	return false;
}

static void branch(struct run *run, const struct node *node)
{
	uint32_t first = (uint32_t)node->value;
	for (uint32_t i = 0; i < first && i < node->count; i++)
		run_statement(run, node->children[i]);
	if (node->count < first + 2)
		return;
	run_value(run, node->children[first]);
	struct state before = state_copy(run, &run->now);
	run_statement(run, node->children[first + 1]);
	struct state then = run->now;
	run->now = before;
	if (node->count > first + 2)
		run_statement(run, node->children[first + 2]);
	state_merge(run, &run->now, &then);
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
static void run_cases(struct run *run, const struct node *node, const struct state *before)
{
	if (node->kind == NODE_BLOCK) {
		for (uint32_t i = 0; i < node->count; i++)
			run_cases(run, node->children[i], before);
	} else if (node->kind == NODE_CASE) {
		state_merge(run, &run->now, before);
		if (node->count)
			run_cases(run, node->children[node->count - 1], before);
	} else {
		run_statement(run, node);
	}
}

/* A case within a loop or the like: the switch jumps into the midst of that. */
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

static void choose(struct run *run, const struct node *node)
{
	if (node->count < 2)
		return;
	const struct node *body = node->children[node->count - 1];
	for (uint32_t i = 0; i + 1 < node->count; i++)
		run_statement(run, node->children[i]);
	struct state before = state_copy(run, &run->now);
	struct jumps jumps = {0}, *outer = run->jumps;
	run->jumps = &jumps;
	run->now.alive = false;
	run->lost |= has_inner_case(body, false);
	run_cases(run, body, &before);
	run->jumps = outer;
	state_merge(run, &run->now, &jumps.broken);
	if (outer)
		state_merge(run, &outer->continued, &jumps.continued);
	bool whole = false;
	for (uint32_t i = 0; i < body->count; i++)
		whole |= has_default(body->children[i]);
	if (!whole)
		state_merge(run, &run->now, &before);
}

static void leave(struct run *run, struct state *gathered)
{
	state_merge(run, gathered, &run->now);
	run->now.alive = false;
}

static void give_back(struct run *run, const struct node *node)
{
	struct frame *frame = run->frame;
	if (node->count) {
		const struct node *result = node->children[0];
		bool reference = frame->function->returns_reference;
		struct value value = reference ? run_bind(run, result, &result->type) : run_value(run, result);
		frame->result = frame->has_result ? run_merge_values(run, &frame->result, &value) : value;
		frame->has_result = true;
	}
	leave(run, &frame->returned);
}

void run_statement(struct run *run, const struct node *node)
{
	if (!run->now.alive && !run->lost) /* a jump may lead to what looks dead */
		return;
	switch (node->kind) {
	case NODE_NOTHING:
		break;
	case NODE_BLOCK:
		for (uint32_t i = 0; i < node->count; i++)
			run_statement(run, node->children[i]);
		break;
	case NODE_CASE:
		if (node->count)
			run_statement(run, node->children[node->count - 1]);
		break;
	case NODE_DECLARE:
		run_declare(run, node);
		break;
	case NODE_IF:
		branch(run, node);
		break;
	case NODE_FOR:
	case NODE_WHILE:
	case NODE_DO:
		run_loop(run, node);
		break;
	case NODE_SWITCH:
		choose(run, node);
		break;
	case NODE_BREAK:
		if (run->jumps)
			leave(run, &run->jumps->broken);
		break;
	case NODE_CONTINUE:
		if (run->jumps)
			leave(run, &run->jumps->continued);
		break;
	case NODE_RETURN:
		give_back(run, node);
		break;
	case NODE_LOST:
		run->lost = true;
		for (uint32_t i = 0; i < node->count; i++)
			run_statement(run, node->children[i]);
		break;
	default:
		run_value(run, node);
	}
}
