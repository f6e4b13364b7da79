/* Blocks and warps: start, hold, end. */
#include "sm/stages.h"

void update_held(struct sm *sm, struct sm_warp *warp)
{
	struct scheduler *scheduler = warp->scheduler;
	uint64_t mask = warp->mask;
	const struct simt_warp *simt = warp->simt;
	bool held = !simt || simt->done || warp->fence || warp->atomics || simt->block->waiting >> simt->index & 1 ||
	            sm->seam->holders[warp->block];

	scheduler->seen.held = held ? scheduler->seen.held | mask : scheduler->seen.held & ~mask;
	bool live = simt && !simt->done;
	if (live != ((scheduler->seen.live & mask) != 0)) {
		scheduler->seen.live ^= mask;
		sm->live_warps += live ? 1 : -1;
	}
}

/* A fence is passed when everything issued before it is complete and all that its warp wrote has been acknowledged. A fence
 * has no operands to collect, so that it can overtake a store that has. */
static bool fence_passed(const struct sm_warp *warp)
{
	return !warp->in_flight && !warp->stores && !warp->atomics;
}

void retire(struct sm *sm, struct sm_warp *warp)
{
	if (warp->fence && fence_passed(warp)) {
		warp->fence = false;
		warp->leaving = warp->simt->done;
		update_held(sm, warp);
	}
	if (!warp->simt->done || warp->in_flight || warp->stores || warp->atomics)
		return;
	bits_add(sm->ended, warp->slot);
}

void free_slot(struct sm *sm, struct sm_warp *warp)
{
	struct sm_block *block = &sm->block[warp->block];
	bits_remove(sm->ended, warp->slot);
	warp->simt = NULL;
	update_held(sm, warp);
	if (--block->alive == 0) {
		sm->resident--;
		sm->stats.blocks++;
		seam_block_end(sm->seam, (uint32_t)(block - sm->block), sm->cycle);
	}
}

void complete(struct sm *sm, struct op *op)
{
	struct sm_warp *warp = &sm->warp[op->warp];
	scoreboard_release(sm, warp, op->inst);
	warp->in_flight--;
	op_free(&sm->ops, op);
	if (warp->leaving)
		retire(sm, warp);
}

/* The warp has just been launched: all others of its scheduler are older. */
static void is_youngest(struct mech_warps *warps, uint32_t bit)
{
	for (uint32_t b = 0; b < warps->warps; b++)
		warps->older[b] &= ~(1ull << bit);
	warps->older[bit] = ~(1ull << bit);
}

static void start_warp(struct sm *sm, uint32_t slot, uint32_t block, struct simt_warp *simt)
{
	struct sm_warp *warp = &sm->warp[slot];
	uint64_t *pending = warp->pending, *pending_load = warp->pending_load;

	*warp = (struct sm_warp){.simt = simt,
	                         .pc = simt->pc,
	                         .pending = pending,
	                         .pending_load = pending_load,
	                         .slot = warp->slot,
	                         .scheduler = warp->scheduler,
	                         .mask = warp->mask,
	                         .bit = warp->bit,
	                         .pipes = warp->pipes,
	                         .block = (uint8_t)block};
	is_youngest(&warp->scheduler->seen, warp->bit);
	for (uint32_t w = 0; w < sm->pending_words; w++)
		pending[w] = pending_load[w] = 0;
	forget(warp);
	refetch(sm, warp);
	update_held(sm, warp);
}

/* The mechanisms that hold the block become more or fewer. It may come from outside, while the SM sleeps: then what it
 * has slept through is charged as it was before. */
void block_held(void *host, uint32_t slot, uint32_t holders, uint64_t cycle)
{
	struct sm *sm = host;
	if (cycle != MECH_NEVER)
		sm_account(sm, cycle + 1);
	sm->seam->holders[slot] = holders;
	const struct sm_block *block = &sm->block[slot];
	for (uint32_t w = 0; block->alive && w < sm->warps_per_block; w++)
		if (sm->warp[block->first_warp + w].simt)
			update_held(sm, &sm->warp[block->first_warp + w]);
	if (sm->wake > sm->now + 1)
		sm->wake = sm->now + 1;
}

uint32_t sm_start_block(struct sm *sm, uint64_t number, uint64_t cycle, uint64_t now)
{
	sm_account(sm, cycle + 1);
	uint32_t slot = 0;
	while (sm->block[slot].alive)
		slot++;
	struct sm_block *block = &sm->block[slot];
	block->first_warp = slot * sm->warps_per_block;
	block->simt.clock = &sm->cycle;
	block->simt.sm = sm->index;
	simt_block_start(&block->simt, sm->launch, number, block->first_warp);
	block->alive = sm->warps_per_block;
	sm->resident++;
	const struct mech_block event = {.number = number,
	                                 .index = {block->simt.index.x, block->simt.index.y, block->simt.index.z},
	                                 .sm = sm->index,
	                                 .slot = slot,
	                                 .first_warp = block->first_warp,
	                                 .warps = sm->warps_per_block,
	                                 .cycle = cycle};
	seam_block_begin(sm->seam, &event);
	for (uint32_t w = 0; w < sm->warps_per_block; w++)
		start_warp(sm, block->first_warp + w, slot, &block->simt.warp[w]);
	if (sm->wake > now + 1)
		sm->wake = now + 1;
	return slot;
}
