/* dominators: the algorithm of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001). It runs
 * forwards from the entry, and backwards from the exit. */
#include "flow/flow.h"

/* The graph, or its reverse. */
struct view {
	const struct flow_cfg *cfg;
	bool backwards;
};

struct edges {
	const uint32_t *to;
	uint32_t count;
};

static struct edges edges_out(struct view view, uint32_t block)
{
	const struct flow_block *b = &view.cfg->block[block];
	return view.backwards ? (struct edges){b->predecessor, b->predecessors}
	                      : (struct edges){b->successor, b->successors};
}

static struct edges edges_in(struct view view, uint32_t block)
{
	return edges_out((struct view){view.cfg, !view.backwards}, block);
}

/* Computes post-order numbers from the root, FLOW_NONE for unreachable blocks. `order` lists the blocks by number. */
static uint32_t number_blocks(struct arena *scratch, struct view view, uint32_t root, uint32_t *number, uint32_t *order)
{
	struct visit {
		uint32_t block, next_edge;
	} *stack = arena_array(scratch, view.cfg->blocks, sizeof *stack);
	bool *seen = arena_array(scratch, view.cfg->blocks, sizeof *seen);
	uint32_t depth = 0, count = 0;
	for (uint32_t i = 0; i < view.cfg->blocks; i++)
		number[i] = FLOW_NONE;
	seen[root] = true;
	stack[depth++] = (struct visit){root, 0};
	while (depth) {
		struct visit *top = &stack[depth - 1];
		struct edges out = edges_out(view, top->block);
		if (top->next_edge == out.count) {
			number[top->block] = count;
			order[count++] = top->block;
			depth--;
			continue;
		}
		uint32_t to = out.to[top->next_edge++];
		if (!seen[to]) {
			seen[to] = true;
			stack[depth++] = (struct visit){to, 0};
		}
	}
	return count;
}

/* Returns the nearest common ancestor of two blocks in the current tree. */
static uint32_t common_ancestor(const uint32_t *idom, const uint32_t *number, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (number[a] < number[b])
			a = idom[a];
		while (number[b] < number[a])
			b = idom[b];
	}
	return a;
}

static uint32_t *find_dominators(struct arena *arena, struct view view, uint32_t root)
{
	uint32_t blocks = view.cfg->blocks;
	struct arena scratch = {0};
	uint32_t *idom = arena_array(arena, blocks, sizeof *idom);
	uint32_t *number = arena_array(&scratch, blocks, sizeof *number);
	uint32_t *order = arena_array(&scratch, blocks, sizeof *order);
	uint32_t count = number_blocks(&scratch, view, root, number, order);
	for (uint32_t i = 0; i < blocks; i++)
		idom[i] = FLOW_NONE;
	idom[root] = root;

	for (bool changed = true; changed;) {
		changed = false;
		/* The root has the highest number. */
		for (uint32_t i = count - 1; i-- > 0;) {
			uint32_t block = order[i], dominator = FLOW_NONE;
			struct edges in = edges_in(view, block);
			/* From the last edge to the first. In a ladder of branches to one block, each step up the
			 * tree is then short, and the total time linear. */
			for (uint32_t k = in.count; k-- > 0;) {
				if (idom[in.to[k]] == FLOW_NONE)
					continue;
				dominator = dominator == FLOW_NONE ? in.to[k]
				                                   : common_ancestor(idom, number, dominator, in.to[k]);
			}
			if (idom[block] != dominator) {
				idom[block] = dominator;
				changed = true;
			}
		}
	}
	idom[root] = FLOW_NONE;
	arena_free(&scratch);
	return idom;
}

uint32_t *flow_dominators(struct arena *arena, const struct flow_cfg *cfg)
{
	return find_dominators(arena, (struct view){cfg, false}, 0);
}

uint32_t *flow_post_dominators(struct arena *arena, const struct flow_cfg *cfg)
{
	return find_dominators(arena, (struct view){cfg, true}, cfg->blocks - 1);
}

uint32_t *flow_reconvergence(struct arena *arena, const struct flow_cfg *cfg)
{
	struct arena scratch = {0};
	const uint32_t *meet = flow_post_dominators(&scratch, cfg);
	uint32_t count = cfg->function->body_count;
	uint32_t *at = arena_array(arena, count, sizeof *at);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t block = meet[cfg->block_of[i]];
		bool alias = block != FLOW_NONE && block != cfg->blocks - 1;
		at[i] = cfg->function->body[i].op == PTX_OP_BRA && alias ? cfg->block[block].first : FLOW_NONE;
	}
	arena_free(&scratch);
	return at;
}

bool flow_dominates(const uint32_t *idom, uint32_t above, uint32_t block)
{
	while (block != above && block != FLOW_NONE)
		block = idom[block];
	return block == above;
}
