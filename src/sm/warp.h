/* warp: a warp slot of the SM: its warp, each stage's state for it, and what it must wait for before it continues or
 * ends. */
#ifndef SLUICE_SM_WARP_H
#define SLUICE_SM_WARP_H

#include "sm/fetch.h"
#include "sm/scheduler.h"
#include "sm/scoreboard.h"

struct sm_warp {
	/* NULL: empty. Aligned, so that shifting the slot gives the struct's position */
	_Alignas(64) struct simt_warp *simt;
	uint8_t slot;  /* its own number */
	uint8_t block; /* block slot */
	struct ibuffer ibuffer;
	/* state for its scheduler */
	const struct simt_inst *next; /* first in the buffer; valid when filled and not stale */
	const struct unit_timing *timing; /* of that instruction */
	struct scheduler *scheduler;
	uint64_t mask; /* its bit in the scheduler's masks */
	uint8_t bit;   /* that bit's number */
	uint8_t pipes; /* pipes of the scheduler's unit[] that have its bit */
	struct scoreboard scoreboard;
	/* state that fences, atomics and the warp's end wait for */
	bool fence; /* held until its stores and loads are done */
	/* held until groups of copies are complete; held until an mbarrier's phase ends */
	bool waits_for_copies, waits_for_phase;
	bool drains;              /* at a fence or ended: a completion may release it */
	uint32_t in_flight;       /* instructions between issue and completion */
	uint32_t stores, atomics; /* requests without an acknowledgement */
	uint64_t waited;          /* slots of the CPI stack spent waiting for a load whose level is not known yet */
};

struct sm;
struct simt_step;

/* Puts a block's warp into its slot. */
void warp_start(struct sm *sm, struct sm_warp *warp, uint32_t block, struct simt_warp *simt);

/* Recomputes whether the warp may issue. To be called after a barrier, a fence, an atomic, the warp's end, or a
 * change of a mechanism's hold on it or its block. */
void warp_update_held(struct sm *sm, struct sm_warp *warp);

/* Sets the mechanisms that hold the warp; `host` is the struct sm. */
void warp_set_holders(void *host, uint32_t slot, uint32_t holders, uint64_t cycle);

/* An instruction has issued that affects whether the warp or its block can continue. */
void warp_control(struct sm *sm, struct sm_warp *warp, const struct simt_step *step);

/* Frees the slot of a warp that has ended with nothing in flight. */
void warp_exit(struct sm *sm, struct sm_warp *warp);

/* Count instructions between issue and completion. */
void warp_instruction_issued(struct sm_warp *warp);
void warp_instruction_completed(struct sm *sm, struct sm_warp *warp);

/* Count stores and atomics that were sent, and their acknowledgements. */
void warp_store_sent(struct sm_warp *warp);
void warp_store_acknowledged(struct sm *sm, struct sm_warp *warp);
void warp_atomics_issued(struct sm_warp *warp, uint32_t requests);
void warp_atomic_answered(struct sm *sm, struct sm_warp *warp);

#endif
