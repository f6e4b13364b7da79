/* cycle: simulates one window of the whole machine. */
#ifndef SLUICE_GPU_CYCLE_H
#define SLUICE_GPU_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

struct gpu;
struct gpu_run;
struct dispatch;

/* Limits and state of the window in progress. */
struct window {
	uint32_t cycles; /* maximum length of a window in core cycles */
	bool may_open;   /* windows may be longer than a step */
	/* time of the last step that SMs may take; the reply side has taken all its steps before it */
	uint64_t end;
	/* the reply side takes its steps before this time in parallel with the SMs; 0: it does not, or has finished */
	uint64_t ahead;
	/* the reply side may be ahead: no observer needs both sides in the exact cycle in which the kernel may end */
	bool may_overlap;
	bool blocks_wait; /* the grid has blocks that are not started */
	/* Times of the earliest event: an SM or cluster wants to tick; an SM has made stores; an SM has space for a
	 * waiting block; a slice's entry wants to tick. UINT64_MAX: none. */
	uint64_t next_sm, next_commit, next_room, next_entry;
	bool entered;  /* a request has entered a slice since the reply side last checked */
	bool claims;   /* workers claim SMs dynamically, their own first */
	bool sm_waits; /* an SM sleeps until the request crossbar has space */
};

/* Simulates one window, of one or several steps, from the next time with an event. False when no event will ever
 * occur. */
bool cycle_window(struct gpu *gpu, struct dispatch *dispatch);

/* Brings both sides of the machine to one time, the end of the last window. */
void cycle_settle(struct gpu *gpu);

/* cycle_begin begins a kernel. cycle_end ends it: it moves all clocks to the core cycle after the last tick of a
 * unit, and returns that cycle. */
void cycle_begin(struct gpu *gpu, const struct gpu_run *run);
uint64_t cycle_end(struct gpu *gpu, uint64_t start);

#endif
