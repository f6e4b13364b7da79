/* cycle: the machine's clocks, and one step of all that ticks on them. */
#ifndef SLUICE_GPU_CYCLE_H
#define SLUICE_GPU_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

struct gpu;
struct dispatch;
struct duties;

/* A row each in cycle.c: domains. */
enum clock_domain { CLOCK_CORE, CLOCK_NETWORK, CLOCK_DRAM, CLOCK_L2, CLOCKS };

/* Cycle n of a domain comes at time n * period. Times are in femtoseconds. */
struct clock {
	uint64_t period;
	uint64_t cycle; /* the next one, in a step the one in progress */
	bool due;       /* in the step in progress */
};

/* What the host's workers do in a step. */
extern const struct duties cycle_duties;

/* Sets the clocks' periods from the machine's frequencies. */
void cycle_open(struct gpu *gpu);

/* Runs the machine on by one step and, when nothing happened in it, to the next time at which something can. False when
 * nothing ever will. */
bool cycle_step(struct gpu *gpu, struct dispatch *dispatch);

/* A kernel begins; ends: brings all clocks to the core cycle behind the last one in which a unit ticked, and returns it. */
void cycle_begin(struct gpu *gpu);
uint64_t cycle_end(struct gpu *gpu, uint64_t start);

#endif
