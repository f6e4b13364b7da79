#include "gpu/sampler.h"

#include "base/arena.h"
#include "gpu/gpu.h"

#include <stdlib.h>

/* If a launch takes this factor of its previous run time to end, it waits for blocks that were not placed. */
enum { PATIENCE = 4 };

void sampler_begin(struct sampler *sampler, uint64_t blocks, uint64_t wave)
{
	sampler->blocks = sampler->placed = blocks;
	sampler->wave = wave ? wave : 1;
	/* at most one wave is resident, so at least one wave of blocks has ended at the first mark */
	sampler->next = blocks % sampler->wave + 2 * sampler->wave;
	sampler->marks = 0;
}

static uint64_t work_of(const struct gpu *gpu)
{
	uint64_t work = 0;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		work += gpu->sm[i].stats.warp_instructions;
	return work;
}

uint64_t sampler_placed(struct sampler *sampler, const struct gpu *gpu, uint64_t placed, uint64_t cycle)
{
	if (placed != sampler->next)
		return sampler->placed;
	if (sampler->marks == sampler->capacity) {
		sampler->capacity = sampler->capacity ? 2 * sampler->capacity : 16;
		sampler->mark = base_realloc(sampler->mark, sampler->capacity * sizeof *sampler->mark);
	}
	sampler->mark[sampler->marks++] = (struct sampler_mark){cycle, work_of(gpu)};
	sampler->next += sampler->wave;
	if (placed < sampler->blocks && sampler->is_enough(sampler))
		sampler->placed = placed;
	return sampler->placed;
}

bool sampler_gives_up(struct sampler *sampler, uint64_t cycle)
{
	if (sampler->placed == sampler->blocks || cycle < (1 + PATIENCE) * sampler->mark[sampler->marks - 1].cycle)
		return false;
	sampler->placed = sampler->blocks;
	sampler->next = 0; /* no further marks */
	return true;
}

void sampler_close(struct sampler *sampler)
{
	free(sampler->mark);
	*sampler = (struct sampler){0};
}
