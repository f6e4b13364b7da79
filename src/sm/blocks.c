#include "sm/sm.h"

void blocks_begin(struct sm *sm, uint32_t limit)
{
	const struct simt_launch *launch = sm->launch;
	uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
	sm->blocks.warps_per_block = (threads + WARP_SIZE - 1) / WARP_SIZE;
	sm->blocks.limit = limit;
}

void blocks_close(struct sm *sm)
{
	for (uint32_t b = 0; b < sm->config.blocks; b++)
		simt_block_free(&sm->blocks.slot[b].simt);
}

static void show_to_mechanisms(struct sm *sm, const struct sm_block *block, uint64_t number, uint64_t cycle)
{
	const struct mech_block event = {.number = number,
	                                 .index = {block->simt.index.x, block->simt.index.y, block->simt.index.z},
	                                 .sm = sm->index,
	                                 .slot = (uint32_t)(block - sm->blocks.slot),
	                                 .first_warp = block->first_warp,
	                                 .warps = sm->blocks.warps_per_block,
	                                 .cycle = cycle};
	seam_block_begin(sm->seam, &event);
}

uint32_t sm_start_block(struct sm *sm, uint64_t number, uint64_t cycle, uint64_t now)
{
	struct blocks *blocks = &sm->blocks;
	assert(sm_has_room(sm));
	sm_account(sm, cycle + 1);
	uint32_t slot = 0;
	while (blocks->slot[slot].alive)
		slot++;
	struct sm_block *block = &blocks->slot[slot];
	block->first_warp = slot * blocks->warps_per_block;
	block->simt.clock = &sm->cycle;
	block->simt.sm = sm->index;
	simt_block_start(&block->simt, sm->launch, number, block->first_warp);
	block->alive = blocks->warps_per_block;
	blocks->resident++;
	show_to_mechanisms(sm, block, number, cycle);
	for (uint32_t w = 0; w < blocks->warps_per_block; w++)
		warp_start(sm, &sm->warp[block->first_warp + w], slot, &block->simt.warp[w]);
	sm_wake_at(sm, now + 1);
	return slot;
}

/* A warp arrives at a barrier as a whole (docs/explanation/deviations.md, 18). tests/micro/barrier.cu measures the cost
 * of a barrier. */
void blocks_barrier(struct sm *sm, struct sm_warp *warp, const struct simt_step *step)
{
	const struct sm_block *block = &sm->blocks.slot[warp->block];
	for (uint64_t changed = simt_barrier(warp->simt, step); changed; changed &= changed - 1)
		warp_update_held(sm, &sm->warp[block->first_warp + (uint32_t)__builtin_ctzll(changed)]);
	warp_update_held(sm, warp);
}

void blocks_warp_exited(struct sm *sm, uint32_t slot)
{
	struct sm_block *block = &sm->blocks.slot[slot];
	assert(block->alive);
	if (--block->alive)
		return;
	sm->blocks.resident--;
	assert(sm->blocks.resident || !sm->blocks.live_warps);
	sm->stats.blocks++;
	sm->blocks.last_end = sm->cycle;
	seam_block_end(sm->seam, slot, sm->cycle);
}

/* Cycles in which the SM slept are charged with the block's old holders. */
void blocks_set_holders(void *host, uint32_t slot, uint32_t holders, uint64_t cycle)
{
	struct sm *sm = host;
	if (cycle != MECH_NEVER)
		sm_account(sm, cycle + 1);
	sm->seam->holders[slot] = holders;
	const struct sm_block *block = &sm->blocks.slot[slot];
	for (uint32_t w = 0; block->alive && w < sm->blocks.warps_per_block; w++)
		if (sm->warp[block->first_warp + w].simt)
			warp_update_held(sm, &sm->warp[block->first_warp + w]);
	sm_wake_at(sm, sm->now + 1);
}
