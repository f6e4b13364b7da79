/* recursion: finds recursive functions, which are the members of strongly connected components of the call graph
 * that have a cycle. One walk finds them (R. Tarjan, Depth-first search and linear graph algorithms, SIAM J.
 * Comput. 1972). It is iterative, because call chains may be long. */
#include "simt/decode.h"

#include <stdlib.h>

#define NONE UINT32_MAX

/* A function. The last node stands for a call by address, which may reach every function except the kernel. */
struct node {
	uint32_t caller; /* the node that the walk entered it from, or NONE */
	uint32_t edge;   /* position of the next callee to visit */
	uint32_t order;  /* order of the visit, from 1; 0: not yet visited */
	uint32_t lowest; /* lowest order of a node in the same component that is reached from here */
	uint32_t below;  /* next entry below it on the stack of open nodes, or NONE */
	bool is_open;    /* its component is not complete */
	bool calls_itself;
};

struct walk {
	const struct decoder *decoder;
	struct node *node;
	uint32_t visited, top; /* top: of the stack of open nodes */
};

static uint32_t next_callee(const struct decoder *decoder, uint32_t from, uint32_t *edge)
{
	uint32_t by_address = decoder->function_count;
	if (from == by_address)
		return ++*edge < by_address ? *edge : NONE;
	const struct ptx_function *function = decoder->functions[from].ptx;
	while (*edge < function->body_count) {
		const struct ptx_inst *inst = &function->body[(*edge)++];
		if (inst->op != PTX_OP_CALL)
			continue;
		if (inst->operand[1].kind == PTX_OPERAND_REG)
			return by_address;
		if (inst->operand[1].function->has_body)
			return layout_function_index(decoder, inst->operand[1].function);
	}
	return NONE;
}

static void enter(struct walk *walk, uint32_t at, uint32_t caller)
{
	uint32_t order = ++walk->visited;
	walk->node[at] =
		(struct node){.caller = caller, .order = order, .lowest = order, .below = walk->top, .is_open = true};
	walk->top = at;
}

static void lower(struct node *node, uint32_t order)
{
	if (order < node->lowest)
		node->lowest = order;
}

/* Leaves a node, and closes its component if the node is the first of it. */
static void leave(struct walk *walk, uint32_t at)
{
	struct node *first = &walk->node[at];
	if (first->caller != NONE)
		lower(&walk->node[first->caller], first->lowest);
	if (first->lowest != first->order)
		return;
	bool is_cycle = walk->top != at || first->calls_itself;
	for (uint32_t k = NONE; k != at;) {
		k = walk->top;
		walk->top = walk->node[k].below;
		walk->node[k].is_open = false;
		if (k < walk->decoder->function_count)
			walk->decoder->functions[k].recursive = is_cycle;
	}
}

void recursion_mark(struct decoder *decoder)
{
	struct walk walk = {.decoder = decoder, .top = NONE};
	walk.node = base_calloc(decoder->function_count + 1, sizeof *walk.node);
	uint32_t at = 0;
	enter(&walk, at, NONE);
	while (at != NONE) {
		struct node *node = &walk.node[at];
		uint32_t callee = next_callee(decoder, at, &node->edge);
		if (callee == NONE) {
			leave(&walk, at);
			at = node->caller;
		} else if (!walk.node[callee].order) {
			enter(&walk, callee, at);
			at = callee;
		} else if (walk.node[callee].is_open) {
			lower(node, walk.node[callee].order);
			node->calls_itself |= callee == at;
		}
	}
	free(walk.node);
}
