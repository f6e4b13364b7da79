/* sampler: marks of a launch's progress. At a mark a caller may decide that enough blocks have been simulated. No
 * further block is then placed, and the launch ends when the resident blocks end.
 *
 * A wave is the number of blocks that fit on the machine. Each wave has a mark at the start of its last block.
 * At the first mark at least a wave of blocks has ended, usually the first one. The blocks after a mark form whole
 * waves.
 */
#ifndef SLUICE_GPU_SAMPLER_H
#define SLUICE_GPU_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sampler_mark {
	uint64_t cycle; /* core cycles since the launch */
	uint64_t work;  /* warp instructions issued since the launch */
};

struct sampler {
	/* Called at each mark: true when no further block is to be placed. */
	bool (*is_enough)(const struct sampler *sampler);
	const void *user;
	uint64_t blocks, wave; /* blocks of the launch; blocks that fit on the machine together */
	uint64_t next;         /* number of placed blocks at the next mark */
	uint64_t placed;       /* at the last mark; equal to `blocks` when the launch was not cut short */
	struct sampler_mark *mark;
	size_t marks, capacity;
};

struct gpu;

/* Begins a launch of `blocks` blocks, of which `wave` fit together. */
void sampler_begin(struct sampler *sampler, uint64_t blocks, uint64_t wave);
/* `placed` blocks have been placed, `cycle` cycles after the launch. Returns the total number of blocks to place. */
uint64_t sampler_placed(struct sampler *sampler, const struct gpu *gpu, uint64_t placed, uint64_t cycle);
/* The launch was cut short, and its placed blocks have run so long that they may wait for the missing ones. True
 * when all blocks are to be placed after all. */
bool sampler_gives_up(struct sampler *sampler, uint64_t cycle);
void sampler_close(struct sampler *sampler);

#endif
