#include "mech/sharing/placement.h"

uint32_t sharing_last_access(const struct flow_cfg *cfg, uint32_t block, const bool *accesses)
{
	const struct flow_block *b = &cfg->block[block];
	for (uint32_t at = b->first + b->count; at-- > b->first;)
		if (accesses[at])
			return at;
	return FLOW_NONE;
}

/* SafeOUT: the conjunction over all successors; true for the exit, which has none. */
static bool safe_behind(const struct flow_cfg *cfg, uint32_t block, const struct sharing_safety *safety)
{
	for (uint32_t k = 0; k < cfg->block[block].successors; k++)
		if (!safety->in[cfg->block[block].successor[k]])
			return false;
	return true;
}

struct sharing_safety sharing_safety(struct arena *arena, const struct flow_cfg *cfg, const bool *accesses)
{
	struct sharing_safety safety = {arena_array(arena, cfg->blocks, sizeof(bool)),
	                                arena_array(arena, cfg->blocks, sizeof(bool))};
	for (uint32_t block = 0; block < cfg->blocks; block++)
		safety.in[block] = sharing_last_access(cfg, block, accesses) == FLOW_NONE;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t block = cfg->blocks; block-- > 0;) {
			safety.out[block] = safe_behind(cfg, block, &safety);
			if (!safety.in[block] || safety.out[block])
				continue;
			safety.in[block] = false;
			changed = true;
		}
	}
	return safety;
}

/* --- one block for all paths --- */

/* Whether the block is in a cycle of the CFG. */
static bool comes_again(const struct flow_cfg *cfg, uint32_t block)
{
	struct arena scratch = {0};
	uint32_t *to_do = arena_array(&scratch, cfg->blocks, sizeof *to_do), left = 0;
	bool *seen = arena_array(&scratch, cfg->blocks, sizeof *seen);
	to_do[left++] = block;
	while (left) {
		const struct flow_block *b = &cfg->block[to_do[--left]];
		for (uint32_t k = 0; k < b->successors; k++) {
			uint32_t next = b->successor[k];
			if (!seen[next])
				to_do[left++] = next;
			seen[next] = true;
		}
	}
	bool again = seen[block];
	arena_free(&scratch);
	return again;
}

uint32_t sharing_post_dominator(const struct flow_cfg *cfg, const uint32_t *idom, const struct sharing_safety *safety)
{
	/* All paths to the exit pass the blocks that dominate it, and no other block is on all of them. */
	uint32_t first = cfg->blocks - 1;
	for (uint32_t block = first; block != FLOW_NONE; block = idom[block])
		if (safety->out[block] && !comes_again(cfg, block))
			first = block;
	return first;
}
