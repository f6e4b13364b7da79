#include "sm/sm.h"

#include <stdlib.h>

void blocks_begin(struct sm *sm, bool several)
{
	sm->blocks.several = several;
	sm->blocks.counts = several || sm->blocks.keeps;
	sm->blocks.ended_count = 0;
	sm->blocks.newest = SM_MAX_KERNELS;
}

void blocks_keep_ended(struct sm *sm)
{
	sm->blocks.keeps = true;
}

/* Allocates while cycles run, but only with this option. */
static void keep_ended(struct blocks *blocks, const struct sm_block_life *life)
{
	if (blocks->ended_count == blocks->ended_capacity) {
		blocks->ended_capacity = blocks->ended_capacity ? 2 * blocks->ended_capacity : 64;
		blocks->ended = base_realloc(blocks->ended, blocks->ended_capacity * sizeof *blocks->ended);
	}
	blocks->ended[blocks->ended_count++] = *life;
}

void blocks_snapshot(struct blocks *blocks, struct snapshot *snapshot)
{
	uint64_t count = blocks->ended_count;
	snapshot_value(snapshot, blocks->last_end);
	snapshot_value(snapshot, count);
	if (snapshot->restores && count <= (snapshot->size - snapshot->at) / sizeof *blocks->ended) {
		blocks->ended = base_realloc(blocks->ended, (count + 1) * sizeof *blocks->ended);
		blocks->ended_count = count;
		blocks->ended_capacity = count + 1;
	}
	snapshot_array(snapshot, blocks->ended, blocks->ended_count, sizeof *blocks->ended);
}

void blocks_add_kernel(struct sm *sm, uint32_t kernel, const struct simt_launch *launch, const struct sm_needs *needs,
                       uint64_t first_age)
{
	struct sm_kernel *own = &sm->blocks.kernel[kernel];
	assert(!own->launch && !own->resident);
	/* where kernels run together, a small grid does not choose a small shared memory for all */
	uint64_t shared = (uint64_t)needs->shared_bytes * (sm->blocks.several ? needs->fit : needs->limit);
	*own = (struct sm_kernel){.launch = launch,
	                          .block = *needs,
	                          .first_age = first_age,
	                          .shared_bytes = shared > launch->carve_out ? shared : launch->carve_out};
	local_memory_place_kernel(sm, kernel, &own->local_base, &own->local_pitch);
	sm->blocks.kernels++;
}

void blocks_remove_kernel(struct sm *sm, uint32_t kernel)
{
	assert(sm->blocks.kernel[kernel].launch && !sm->blocks.kernel[kernel].resident);
	sm->blocks.kernel[kernel].launch = NULL;
	sm->blocks.kernels--;
	if (sm->blocks.newest == kernel)
		sm->blocks.newest = SM_MAX_KERNELS;
}

void blocks_close(struct sm *sm)
{
	for (uint32_t b = 0; b < sm->config.blocks; b++)
		simt_block_free(&sm->blocks.slot[b].simt);
	free(sm->blocks.ended);
}

static void show_to_mechanisms(struct sm *sm, const struct sm_block *block, uint64_t number, uint64_t cycle)
{
	const struct mech_block event = {.number = number,
	                                 .index = {block->simt.index.x, block->simt.index.y, block->simt.index.z},
	                                 .sm = sm->index,
	                                 .slot = (uint32_t)(block - sm->blocks.slot),
	                                 .first_warp = block->first_warp,
	                                 .warps = block->kernel->block.warps,
	                                 .cycle = cycle};
	seam_block_begin(sm->seam, (uint32_t)(block->kernel - sm->blocks.kernel), &event);
}

/* The lowest warp slot with which that many free ones begin; SM_MAX_WARPS: there is none. */
static uint32_t first_free_warps(const struct sm *sm, uint32_t warps)
{
	uint32_t free = 0;
	for (uint32_t slot = 0; slot < sm->config.warps; slot++) {
		free = sm->blocks.used.warps[slot / 64] >> slot % 64 & 1 ? 0 : free + 1;
		if (free == warps)
			return slot + 1 - warps;
	}
	return SM_MAX_WARPS;
}

/* A block on an SM without blocks divides a unified memory as its kernel needs it. */
static bool divides_again(const struct sm *sm)
{
	return sm->blocks.resident == 0 && l1_can_begin(sm);
}

bool blocks_fit_with_others(const struct sm *sm, const struct sm_kernel *kernel)
{
	const struct blocks *blocks = &sm->blocks;
	const struct sm_config *config = &sm->config;
	const struct sm_needs *needs = &kernel->block;
	uint32_t shared = divides_again(sm) ? config->shared_bytes : sm->l1.shared_bytes;
	return blocks->resident < config->blocks && blocks->used.registers + needs->registers <= config->registers &&
	       blocks->used.shared_bytes + needs->shared_bytes <= shared &&
	       first_free_warps(sm, needs->warps) < SM_MAX_WARPS;
}

static void use(struct blocks *blocks, const struct sm_block *block, int sign)
{
	const struct sm_needs *needs = &block->kernel->block;
	blocks->used.registers += (uint32_t)sign * needs->registers;
	blocks->used.shared_bytes += (uint32_t)sign * needs->shared_bytes;
	for (uint32_t slot = block->first_warp; slot < block->first_warp + needs->warps; slot++)
		blocks->used.warps[slot / 64] ^= 1ull << slot % 64;
}

/* Blocks of one kernel have warp slots in the order of their block slots. */
static void give_slots(struct sm *sm, struct sm_block *block)
{
	uint32_t slot = (uint32_t)(block - sm->blocks.slot), warps = block->kernel->block.warps;
	block->first_warp = sm->blocks.several ? first_free_warps(sm, warps) : slot * warps;
	for (uint32_t w = 0; w < warps; w++)
		sm->warp[block->first_warp + w].block = (uint8_t)slot;
}

/* A kernel's first block on an SM without blocks does not find lines of the kernel before. GPGPU-Sim empties L1 in each
 * cycle in which the SM has no thread; nothing accesses L1 in between. */
static void end_kernel_before(struct sm *sm, uint32_t kernel)
{
	struct blocks *blocks = &sm->blocks;
	if (!blocks->resident && blocks->newest != kernel && l1_can_begin(sm))
		l1_end(sm);
	blocks->newest = kernel;
}

uint32_t sm_start_block(struct sm *sm, uint32_t kernel, uint64_t number, uint64_t cycle, uint64_t now)
{
	struct blocks *blocks = &sm->blocks;
	assert(sm_has_room(sm, kernel));
	sm_account(sm, cycle + 1);
	if (blocks->several) {
		end_kernel_before(sm, kernel);
		if (divides_again(sm))
			l1_begin(sm, blocks->kernel[kernel].shared_bytes);
	}
	uint32_t slot = 0;
	while (blocks->slot[slot].alive)
		slot++;
	struct sm_block *block = &blocks->slot[slot];
	block->kernel = &blocks->kernel[kernel];
	block->life = (struct sm_block_life){.number = number, .begin = cycle};
	give_slots(sm, block);
	block->simt.clock = &sm->cycle;
	block->simt.sm = sm->index;
	simt_block_start(&block->simt, block->kernel->launch, number, block->first_warp);
	block->alive = block->kernel->block.warps;
	block->kernel->resident++;
	blocks->resident++;
	use(blocks, block, 1);
	show_to_mechanisms(sm, block, number, cycle);
	for (uint32_t w = 0; w < block->kernel->block.warps; w++)
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
	struct sm_kernel *kernel = block->kernel;
	kernel->resident--;
	kernel->ended++;
	sm->blocks.resident--;
	use(&sm->blocks, block, -1);
	assert(sm->blocks.resident || !sm->blocks.live_warps);
	sm->stats.blocks++;
	sm->blocks.last_end = kernel->last_end = block->life.end = sm->cycle;
	if (UNLIKELY(sm->blocks.keeps))
		keep_ended(&sm->blocks, &block->life);
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
	for (uint32_t w = 0; block->alive && w < block->kernel->block.warps; w++)
		if (sm->warp[block->first_warp + w].simt)
			warp_update_held(sm, &sm->warp[block->first_warp + w]);
	sm_wake_at(sm, sm->now + 1);
}
