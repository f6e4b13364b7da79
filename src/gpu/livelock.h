/* livelock: detects that all warps of a kernel only poll. A warp's next action is a function of its registers, its
 * pc and the data that it reads. A warp that returns to an earlier state has read nothing new since then. The kernel
 * counts as stalled when this holds for all runnable warps for launch.livelock cycles, each in a polling loop. None
 * of them will then ever write what the others wait for.
 *
 * A warp order may give every issue slot to warps that poll. Ready warps that have not issued in all this time are
 * starved: they do not run, whatever they would do next.
 *
 * A warp that computes, counts or reads a clock reaches new states. The host's memory may change at any time, so
 * polling it does not count. The kernel is checked LIVELOCK_LOOKS times in launch.livelock cycles. A check ends at
 * the first warp that does not poll.
 */
#ifndef SLUICE_GPU_LIVELOCK_H
#define SLUICE_GPU_LIVELOCK_H

#include "gpu/dispatch.h"
#include "gpu/gpu.h"

enum { LIVELOCK_LOOKS = 64, LIVELOCK_STATES = 32, LIVELOCK_LEAST = 20000 /* cycles: many rounds of a poll */ };

struct livelock {
	uint64_t next;            /* core cycle of the next check; UINT64_MAX: none */
	uint64_t cycles;          /* launch.livelock, at least LIVELOCK_LEAST */
	uint64_t since, interval; /* since: cycle from which on no warp has reached a new state */
	uint64_t placed;          /* blocks placed up to the last check */
	uint64_t stores;          /* stores and arrivals at barriers up to the last check */
	uint32_t warps;           /* per SM */
	uint64_t (*state)[LIVELOCK_STATES]; /* by SM and warp: known states */
	uint8_t *states;                    /* by SM and warp: number of known states */
};

void livelock_begin(struct livelock *livelock, const struct gpu *gpu, uint64_t cycle);
/* True when the kernel is stalled. */
bool livelock_look(struct livelock *livelock, struct gpu *gpu, const struct dispatch *dispatch, uint64_t cycle);
/* The warp order that gives a warp no issue slot although it is ready, since the last check that found a change; NULL:
 * none. */
const char *livelock_starves(const struct sm *sm, uint32_t slot);
void livelock_end(struct livelock *livelock);

#endif
