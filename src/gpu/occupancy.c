#include "gpu/occupancy.h"

#include "simt/simt.h"

#include <assert.h>

uint32_t occupancy_registers(const struct machine *machine, uint32_t block_threads, uint32_t blocks)
{
	const struct sm_config *sm = &machine->sm;
	uint64_t threads = ((uint64_t)block_threads + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE * blocks;
	return threads ? (uint32_t)(sm->registers / threads / sm->register_unit * sm->register_unit) : 0;
}

/* The minimum of the limits by warp slots, block slots, registers and shared memory. Registers are allocated in
 * units, for whole warps (GPGPU-Sim: shader_core_config::max_cta()). */
struct occupancy occupancy_of(const struct machine *machine, uint32_t block_threads, uint32_t registers,
                              uint64_t shared_bytes)
{
	const struct sm_config *sm = &machine->sm;
	assert(block_threads && sm->register_unit);
	uint32_t warps = (uint32_t)(((uint64_t)block_threads + WARP_SIZE - 1) / WARP_SIZE);
	uint32_t per_thread = (registers + sm->register_unit - 1) / sm->register_unit * sm->register_unit;
	uint64_t per_block = (uint64_t)per_thread * warps * WARP_SIZE;
	struct occupancy occupancy = {
		.block_registers = (uint32_t)per_block,
		.allowed = {[LIMIT_BLOCK_SLOTS] = sm->blocks,
	                    [LIMIT_THREADS] = sm->warps / warps,
	                    [LIMIT_REGISTERS] = per_block ? (uint32_t)(sm->registers / per_block) : UINT32_MAX,
	                    [LIMIT_SHARED] = shared_bytes ? (uint32_t)(sm->shared_bytes / shared_bytes) : UINT32_MAX}};
	occupancy.limit = LIMIT_BLOCK_SLOTS;
	for (unsigned limit = 0; limit < LIMIT_BLOCK_SLOTS; limit++)
		if (occupancy.allowed[limit] < occupancy.allowed[occupancy.limit])
			occupancy.limit = limit;
	occupancy.blocks = occupancy.allowed[occupancy.limit];
	occupancy.warps = occupancy.blocks * warps;
	return occupancy;
}

uint32_t occupancy_carve(const struct machine *machine, uint32_t percent, uint64_t shared_bytes,
                         struct occupancy *occupancy)
{
	const struct sm_config *sm = &machine->sm;
	uint64_t wanted = ((uint64_t)sm->shared_bytes * percent + 99) / 100;
	wanted = wanted > shared_bytes ? wanted : shared_bytes;
	uint32_t i = 0;
	if (!sm->unified_bytes)
		return 0;
	while (i + 1 < sm->carve_outs && sm->carve_out[i] < wanted)
		i++;
	uint32_t carved = sm->carve_out[i] < sm->shared_bytes ? sm->carve_out[i] : sm->shared_bytes;
	if (shared_bytes && carved / shared_bytes < occupancy->blocks) {
		uint32_t warps = occupancy->warps / occupancy->blocks;
		occupancy->limit = LIMIT_SHARED;
		occupancy->blocks = occupancy->allowed[LIMIT_SHARED] = (uint32_t)(carved / shared_bytes);
		occupancy->warps = occupancy->blocks * warps;
	}
	return sm->carve_out[i];
}
