#include "gpu/dispatch.h"

void dispatch_begin(struct dispatch *dispatch, const struct gpu *gpu, struct gpu_run *run)
{
	struct dim3 grid = run->launch.grid;
	uint64_t sms = gpu->machine.sms;
	*dispatch = (struct dispatch){.blocks = (uint64_t)grid.x * grid.y * grid.z, .try = true};
	run->blocks_limit = run->blocks_per_sm;
	if (gpu->machine.spread_small_grids && dispatch->blocks < run->blocks_per_sm * sms)
		run->blocks_limit = (uint32_t)((dispatch->blocks + sms - 1) / sms);
}

bool dispatch_blocks(struct dispatch *dispatch, struct gpu *gpu)
{
	if (!dispatch->try || dispatch->next == dispatch->blocks)
		return false;
	bool started = false;
	uint32_t sms = gpu->machine.sms, first = gpu->last_sm + 1;
	for (uint32_t i = 0; i < sms && dispatch->next < dispatch->blocks; i++) {
		uint32_t at = (first + i) % sms;
		if (!sm_has_room(&gpu->sm[at]))
			continue;
		sm_start_block(&gpu->sm[at], dispatch->next++, gpu->clock[CLOCK_CORE].cycle, gpu->now);
		gpu->last_sm = at;
		started = true;
	}
	dispatch->try = started; /* an SM takes one block a cycle */
	return started;
}

uint64_t dispatch_done(const struct gpu *gpu)
{
	uint64_t done = 0;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		done += gpu->sm[i].stats.blocks;
	return done;
}
