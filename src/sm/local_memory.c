/* local_memory: a warp's accesses to one variable of a word fall into one line. There are two layouts (enum
 * local_layout): by_block is GPGPU-Sim's (gpgpu_local_mem_map 1), by_sm is ours (docs/explanation/deviations.md, 7).
 * tests/sm/test_local_layout.c tests both. */
#include "sm/sm.h"

void local_memory_begin(struct sm *sm)
{
	const struct blocks *blocks = &sm->blocks;
	uint32_t warps =
		sm->config.local_layout == LOCAL_BY_BLOCK ? blocks->warps_per_block * blocks->limit : sm->config.warps;
	sm->local_pitch = 4ull * WARP_SIZE * warps * sm->sms;
}

/* The warp's number in the machine. The words of all warps are adjacent. */
static uint64_t machine_warp(const struct sm *sm, uint32_t slot)
{
	uint32_t block = sm->warp[slot].block, per_block = sm->blocks.warps_per_block;
	if (sm->config.local_layout == LOCAL_BY_SM)
		return (uint64_t)sm->index * sm->config.warps + slot;
	return ((uint64_t)block * sm->sms + sm->index) * per_block + (slot - sm->blocks.slot[block].first_warp);
}

void local_memory_place(const struct sm *sm, const struct op *op, struct simt_step *step)
{
	uint64_t base = LOCAL_PHYSICAL_BASE + 4 * WARP_SIZE * machine_warp(sm, op->warp);
	for (uint32_t left = step->lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t own = step->address[lane];
		step->address[lane] = base + own / 4 * sm->local_pitch + 4 * lane + own % 4;
	}
}

bool local_memory_has(const struct sm *sm, uint64_t address)
{
	uint64_t words = (sm->launch->program->local_bytes + 3) / 4;
	return address - LOCAL_PHYSICAL_BASE < words * sm->local_pitch;
}
