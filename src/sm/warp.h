/* warp: a warp slot of the SM: the warp in it, what each stage keeps of it, and what it must wait for before it goes on or ends. */
#ifndef SLUICE_SM_WARP_H
#define SLUICE_SM_WARP_H

#include "sm/fetch.h"
#include "sm/scheduler.h"
#include "sm/scoreboard.h"

struct sm_warp {
	/* NULL: empty. Aligned, so that a shift of its slot gives the warp's place */
	_Alignas(64) struct simt_warp *simt;
	uint8_t slot;  /* its own number */
	uint8_t block; /* block slot */
	struct ibuffer ibuffer;
	/* its place with its scheduler */
	const struct simt_inst *next; /* at the front of the buffer: while filled and not stale */
	const struct unit_timing *timing; /* of that */
	struct scheduler *scheduler;
	uint64_t mask; /* its bit in the scheduler's masks */
	uint8_t bit;   /* that bit's number */
	uint8_t pipes; /* of the scheduler's unit[], those with its bit */
	struct scoreboard scoreboard;
	/* what fences, atomics and the warp's end wait for */
	bool fence;               /* held until its stores and loads are done */
	bool waits_for_copies, waits_for_phase; /* held until groups of copies are complete; until an mbarrier's phase ends */
	bool drains;              /* at a fence or ended: what completes may let it go */
	uint32_t in_flight;       /* instructions between issue and completion */
	uint32_t stores, atomics; /* requests not yet acknowledged */
	uint64_t waited;          /* slots of the CPI stack that wait for a load whose level is not known yet */
};

struct sm;
struct simt_step;

/* A block's warp into its slot. */
void warp_start(struct sm *sm, struct sm_warp *warp, uint32_t block, struct simt_warp *simt);

/* Whether the warp may issue has perhaps changed: a barrier, a fence, an atomic, its end, or a mechanism that holds it or its
 * block. */
void warp_update_held(struct sm *sm, struct sm_warp *warp);

/* Mechanisms hold the warp, or do not any more; `host` is the struct sm. */
void warp_set_holders(void *host, uint32_t slot, uint32_t holders, uint64_t cycle);

/* An instruction issued that does something to the warp's or its block's ability to go on. */
void warp_control(struct sm *sm, struct sm_warp *warp, const struct simt_step *step);

/* The slot of a warp that has ended and has nothing in flight is free. */
void warp_exit(struct sm *sm, struct sm_warp *warp);

/* An instruction between issue and completion more, or less. */
void warp_instruction_issued(struct sm_warp *warp);
void warp_instruction_completed(struct sm *sm, struct sm_warp *warp);

/* Stores and atomics that have left, and their acknowledgements. */
void warp_store_sent(struct sm_warp *warp);
void warp_store_acknowledged(struct sm *sm, struct sm_warp *warp);
void warp_atomics_issued(struct sm_warp *warp, uint32_t requests);
void warp_atomic_answered(struct sm *sm, struct sm_warp *warp);

#endif
