/* local_memory: a warp's accesses to one variable of a word fall into one line. There are two layouts (enum
 * local_layout): by_block is GPGPU-Sim's (gpgpu_local_mem_map 1), by_sm is ours (docs/explanation/deviations.md, 7).
 * tests/sm/test_local_layout.c tests both. */
#include "sm/sm.h"

void local_memory_place_kernel(const struct sm *sm, uint32_t kernel, uint64_t *base, uint64_t *pitch)
{
	const struct sm_needs *block = &sm->blocks.kernel[kernel].block;
	bool by_block = sm->config.local_layout == LOCAL_BY_BLOCK;
	uint32_t warps = by_block ? block->warps * block->limit : sm->config.warps;
	*pitch = 4ull * WARP_SIZE * warps * sm->sms;
	*base = LOCAL_PHYSICAL_BASE + kernel * LOCAL_BYTES_PER_KERNEL;
}

/* The warp's number in the machine. The words of all warps are adjacent. */
static uint64_t machine_warp(const struct sm *sm, uint32_t slot)
{
	uint32_t slot_of_block = sm->warp[slot].block;
	const struct sm_block *block = &sm->blocks.slot[slot_of_block];
	if (sm->config.local_layout == LOCAL_BY_SM)
		return (uint64_t)sm->index * sm->config.warps + slot;
	return ((uint64_t)slot_of_block * sm->sms + sm->index) * block->kernel->block.warps +
	       (slot - block->first_warp);
}

void local_memory_place(const struct sm *sm, const struct op *op, struct simt_step *step)
{
	const struct sm_kernel *kernel = sm->blocks.slot[sm->warp[op->warp].block].kernel;
	uint64_t base = kernel->local_base + 4 * WARP_SIZE * machine_warp(sm, op->warp);
	for (uint32_t left = step->lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t own = step->address[lane];
		step->address[lane] = base + own / 4 * kernel->local_pitch + 4 * lane + own % 4;
	}
}

bool local_memory_has(const struct sm *sm, uint64_t address)
{
	const struct sm_kernel *kernel = sm->blocks.kernel;
	for (uint32_t left = sm->blocks.kernels; left; kernel++) {
		if (!kernel->launch)
			continue;
		uint64_t words = (kernel->launch->program->local_bytes + 3) / 4;
		if (address - kernel->local_base < words * kernel->local_pitch)
			return true;
		left--;
	}
	return false;
}
