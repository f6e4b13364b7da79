/* cycle: simulates one window of the whole machine. */
#ifndef SLUICE_GPU_CYCLE_H
#define SLUICE_GPU_CYCLE_H

#include "sm/sm.h"

struct gpu;
struct dispatch;

/* Limits and state of the window in progress. */
struct window {
	uint32_t cycles; /* maximum length of a window in core cycles */
	bool may_be_long; /* windows may be longer than a step */
	/* time of the last step that SMs may take; the reply side has taken all its steps before it */
	uint64_t end;
	/* In parallel with the SMs, the reply side takes its steps before this time. 0: it takes none, or has taken
	 * them. */
	uint64_t overlap_end;
	/* the reply side may run in parallel with the SMs: the kernel has no limit of instructions, at which both sides
	 * must end in one cycle */
	bool may_overlap;
	uint32_t waiting; /* number of the kernels whose blocks may start where there is space for them */
	uint8_t waiting_kernel[SM_MAX_KERNELS]; /* their places (sm_add_kernel()) */
	/* Times of the earliest event: an SM or cluster wants to tick; an SM has made stores; an SM has space for a
	 * waiting block; a slice's entry wants to tick. UINT64_MAX: none. */
	uint64_t next_sm, next_commit, next_room, next_entry;
	/* slices may hold requests that entered after the reply side last read the entries */
	bool has_entries;
	bool workers_claim_sms; /* first their own, then those that other workers have not reached */
	bool sm_waits_for_network; /* an SM sleeps until the request crossbar has space */
};

/* True when the SM has space for a waiting block. */
static inline bool window_has_room(const struct window *window, const struct sm *sm)
{
	for (uint32_t i = 0; i < window->waiting; i++)
		if (sm_has_room(sm, window->waiting_kernel[i]))
			return true;
	return false;
}

/* Simulates one window, of one or several steps, from the next time with an event. False when no event will ever
 * occur. */
bool cycle_window(struct gpu *gpu, struct dispatch *dispatch);

/* Brings both sides of the machine to one time, the end of the last window. */
void cycle_settle(struct gpu *gpu);

/* The freedoms that the kernels allow. */
struct cycle_start {
	bool may_run_ahead; /* SMs may run ahead of each other */
	bool may_overlap;   /* as in struct window */
};

/* cycle_begin begins kernels. cycle_end ends them: it moves all clocks to the core cycle after the last tick of a
 * unit, and returns that cycle. */
void cycle_begin(struct gpu *gpu, const struct cycle_start *with);
uint64_t cycle_end(struct gpu *gpu, uint64_t start);

#endif
