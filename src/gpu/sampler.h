/* sampler: marks of a launch's progress, by which somebody above may say that enough of its blocks have been simulated: then no further block is
 * placed, and the launch ends when those that are there do.
 *
 * A wave is as many blocks as the machine has room for. There is a mark a wave, at the start of its last block, from where the first wave has
 * ended; what is left behind a mark are whole waves.
 */
#ifndef SLUICE_GPU_SAMPLER_H
#define SLUICE_GPU_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sampler_mark {
	uint64_t cycle; /* core cycles since the launch */
	uint64_t work;  /* warp instructions issued since */
};

struct sampler {
	/* At each mark: whether no further block is to be placed. */
	bool (*is_enough)(const struct sampler *sampler);
	const void *user;
	uint64_t blocks, wave; /* of the launch; together on the machine */
	uint64_t next;         /* blocks placed at the next mark */
	uint64_t placed;       /* at the last one; all of them: the launch was not cut */
	struct sampler_mark *mark;
	size_t marks, capacity;
};

struct gpu;

/* A launch of so many blocks begins, of which `wave` fit. */
void sampler_begin(struct sampler *sampler, uint64_t blocks, uint64_t wave);
/* So many blocks have been placed, `cycle` cycles after the launch. Returns how many are to be placed in all. */
uint64_t sampler_placed(struct sampler *sampler, const struct gpu *gpu, uint64_t placed, uint64_t cycle);
/* The launch was cut, and what it has placed does not end for so long that it may wait for what was not: returns whether all blocks are to be
 * placed after all. */
bool sampler_gives_up(struct sampler *sampler, uint64_t cycle);
void sampler_close(struct sampler *sampler);

#endif
