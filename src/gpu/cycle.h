/* cycle: a window of all that ticks. */
#ifndef SLUICE_GPU_CYCLE_H
#define SLUICE_GPU_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

struct gpu;
struct gpu_run;
struct dispatch;

/* How far the window in progress goes. */
struct window {
	uint32_t cycles;    /* of the core: the most of a window, */
	bool may_open;      /* and whether one is longer than a step at all */
	uint64_t end;       /* time of the last step that SMs may take, and before which the answering side has taken all of its */
	uint64_t ahead;     /* the answering side takes its steps before this time while SMs take theirs; 0: it does not, or has */
	bool may_overlap;   /* it may be ahead: nobody wants to see both sides in the very cycle in which the kernel may end */
	bool blocks_wait;   /* the grid has blocks that are not started */
	/* times: at which the first SM or cluster wants to tick, has made stores, has got room for a block that waits; the first slice's
	 * entry wants to tick. UINT64_MAX: none */
	uint64_t next_sm, next_commit, next_room, next_entry;
	bool entered;         /* since the answering side has looked, a request has entered a slice */
	bool claims;          /* workers take SMs as they come to them, each its own first */
	bool sm_waits;        /* an SM sleeps until the request crossbar has room */
};

/* Runs the machine on by a window: a step or several, from the next time at which something can happen. False when nothing ever will. */
bool cycle_window(struct gpu *gpu, struct dispatch *dispatch);

/* Both sides of the machine are at one time, that of the last window's end. */
void cycle_settle(struct gpu *gpu);

/* A kernel begins; ends: brings all clocks to the core cycle behind the last one in which a unit ticked, and returns it. */
void cycle_begin(struct gpu *gpu, const struct gpu_run *run);
uint64_t cycle_end(struct gpu *gpu, uint64_t start);

#endif
