/* clocks: the time of one side of the machine, as the next cycle of each clock domain in which it has units. */
#ifndef SLUICE_GPU_CLOCKS_H
#define SLUICE_GPU_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

enum clock_domain { CLOCK_CORE, CLOCK_NETWORK, CLOCK_DRAM, CLOCK_L2, CLOCKS };

/* Cycle n of a domain is at time n * period. Times are in femtoseconds. */
struct clock {
	uint64_t period;
	uint64_t cycle; /* the next one; in a step the one in progress */
	bool due;       /* has a cycle in the step in progress */
};

/* The domains whose cycles are steps of a side, one bit each. */
typedef uint32_t clock_set;

struct machine;

/* Sets the periods from the machine's frequencies. */
void clocks_open(struct clock clock[CLOCKS], const struct machine *machine);

/* The first cycle of a clock at or after a time. */
static inline uint64_t clock_from(const struct clock *clock, uint64_t time)
{
	return (time + clock->period - 1) / clock->period;
}

static inline uint64_t clock_time(const struct clock *clock)
{
	return clock->cycle * clock->period;
}

/* The time of the next step. */
static inline uint64_t clocks_next(const struct clock clock[CLOCKS], clock_set steps)
{
	uint64_t next = UINT64_MAX;
	for (int d = 0; d < CLOCKS; d++)
		if (steps >> d & 1 && clock_time(&clock[d]) < next)
			next = clock_time(&clock[d]);
	return next;
}

static inline void clocks_begin_step(struct clock clock[CLOCKS], clock_set steps, uint64_t now)
{
	for (int d = 0; d < CLOCKS; d++)
		if (steps >> d & 1)
			clock[d].due = clock_time(&clock[d]) <= now;
}

static inline void clocks_end_step(struct clock clock[CLOCKS], clock_set steps)
{
	for (int d = 0; d < CLOCKS; d++)
		if (steps >> d & 1)
			clock[d].cycle += clock[d].due;
}

/* Moves every clock to its first cycle at or after a time, but never backwards. */
void clocks_skip_to(struct clock clock[CLOCKS], uint64_t time);
/* The same, also backwards. */
void clocks_set(struct clock clock[CLOCKS], uint64_t time);

#endif
