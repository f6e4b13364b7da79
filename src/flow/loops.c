/* loops: natural loops. */
#include "flow/flow.h"

#include "flow/sets.h"

/* Adds to the loop's body all blocks that reach those on the stack without passing the header. The body already
 * contains the header. */
static void walk_back(const struct flow_cfg *cfg, struct flow_loop *loop, uint32_t *stack, uint32_t depth)
{
	while (depth) {
		const struct flow_block *block = &cfg->block[stack[--depth]];
		for (uint32_t k = 0; k < block->predecessors; k++)
			if (cfg->block[block->predecessor[k]].reachable && set_add(loop->body, block->predecessor[k]))
				stack[depth++] = block->predecessor[k];
	}
}

uint32_t flow_loops(struct arena *arena, const struct flow_cfg *cfg, const uint32_t *idom, struct flow_loop **loops)
{
	uint32_t *stack = arena_array(arena, cfg->blocks, sizeof *stack), count = 0;
	*loops = arena_array(arena, cfg->blocks, sizeof **loops);
	for (uint32_t header = 0; header < cfg->blocks; header++) {
		struct flow_loop loop = {.header = header};
		uint32_t depth = 0;
		for (uint32_t k = 0; k < cfg->block[header].predecessors; k++) {
			uint32_t latch = cfg->block[header].predecessor[k];
			if (!cfg->block[latch].reachable || !flow_dominates(idom, header, latch))
				continue;
			if (!loop.body) {
				loop.body = arena_array(arena, cfg->blocks / 64 + 1, sizeof *loop.body);
				set_add(loop.body, header);
			}
			if (set_add(loop.body, latch))
				stack[depth++] = latch;
		}
		walk_back(cfg, &loop, stack, depth);
		if (loop.body)
			(*loops)[count++] = loop;
	}
	return count;
}
