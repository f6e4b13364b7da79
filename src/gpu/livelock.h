/* livelock: whether the warps of a kernel only poll. What a warp does next follows from its registers, its place
 * in the code and what it reads. A warp that comes back to a state in which it was has read nothing new in
 * between. When all warps that can go on do so for launch.livelock cycles, each in a loop that polls, none of them
 * will ever write what the others wait for.
 *
 * A warp that computes, counts or reads a clock comes to new states. The host's memory may change at any time: who
 * polls it does not count. The kernel is looked at LIVELOCK_LOOKS times in launch.livelock cycles; a look ends at
 * the first warp that does not poll. */
#ifndef SLUICE_GPU_LIVELOCK_H
#define SLUICE_GPU_LIVELOCK_H

#include "gpu/dispatch.h"
#include "gpu/gpu.h"

enum { LIVELOCK_LOOKS = 64, LIVELOCK_STATES = 32, LIVELOCK_LEAST = 20000 /* cycles: many rounds of a poll */ };

struct livelock {
	uint64_t next;            /* core cycle of the next look; UINT64_MAX: none */
	uint64_t cycles;          /* launch.livelock, but at least LIVELOCK_LEAST */
	uint64_t since, interval; /* since when no warp has come to a new state */
	uint64_t placed;          /* blocks, */
	uint64_t stores;          /* and stores and arrivals at barriers, up to the last look */
	uint32_t warps;           /* of an SM */
	uint64_t (*state)[LIVELOCK_STATES]; /* by SM and warp: those that were seen; */
	uint8_t *states;                    /* how many */
};

void livelock_begin(struct livelock *livelock, const struct gpu *gpu, uint64_t cycle);
/* True: the kernel is stalled. */
bool livelock_look(struct livelock *livelock, const struct gpu *gpu, const struct dispatch *dispatch, uint64_t cycle);
void livelock_end(struct livelock *livelock);

#endif
