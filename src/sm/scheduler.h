/* scheduler: a warp scheduler's knowledge of its warps, as bit masks. Stages update them as instructions arrive,
 * wait and issue. A cycle's choice is then a few operations on words (issue.h makes it). */
#ifndef SLUICE_SM_SCHEDULER_H
#define SLUICE_SM_SCHEDULER_H

#include "ptx/module.h"
#include "seam/mech.h"
#include "simt/simt.h"
#include "sm/limits.h"

struct sm;
struct sm_warp;

/* The machine's timing of one kind of instruction. */
struct unit_timing {
	uint16_t latency, initiation; /* of arithmetic, in its unit */
	uint8_t pipes;                /* mask of pipes that can take it */
};

/* By kind of arithmetic; the last element is for memory instructions. */
struct unit_timings {
	struct unit_timing of[PTX_LATENCIES + 1][PTX_DATA_TYPES];
};

struct scheduler {
	struct mech_warps seen; /* the part that mechanisms see: the event of pick_warp and warps_that_compete */
	/* Masks of the warps with these properties. The first instruction is the oldest one in the warp's buffer. */
	uint64_t filled;        /* the buffer has an instruction */
	uint64_t hazard;        /* the first instruction waits for a register */
	uint64_t waits_for_sms; /* the first instruction is a load that must wait for the other SMs */
	uint64_t stale;         /* filled, but the first instruction is not at the warp's pc, or the warp has ended */
	uint64_t issued;        /* warps that have issued since scheduler_forget_issues() */
	/* by pipe: it can take the first instruction, if that is not stale */
	uint64_t unit[SM_PIPES];
	struct sm_warp *warp[SM_MAX_SCHEDULER_WARPS]; /* by bit */
	struct simt_step step;                        /* its last issued step */
	struct simt_warp *to_commit;                  /* warp whose step stores in this cycle, or NULL */
	struct simt_step after;                       /* its last step after one that stores in the same cycle */
	/* counter of the CPI stack to which its last lost slot was charged */
	uint64_t *charged;
};

/* Distributes the warp slots: slot number mod schedulers (GPGPU-Sim's rule; docs/explanation/timing-model.md, Issue).
 */
void scheduler_open(struct sm *sm);

/* The warp has just been launched and has no instruction yet. All other warps of its scheduler are older. */
void scheduler_add_warp(struct sm_warp *warp);

/* The last instruction of the warp's buffer has issued. */
void scheduler_buffer_empty(const struct sm_warp *warp);
/* Discards the content of the warp's buffer. */
void scheduler_no_instruction(const struct sm_warp *warp);
/* An instruction has become the first in the warp's buffer, because the previous one has left. Determines its pipe,
 * whether it waits for a register, and whether the warp is still at it. */
void scheduler_next_instruction(const struct sm *sm, struct sm_warp *warp);
/* The results of `inst` are written: the warp's next instruction may have waited for them. */
void scheduler_results_written(struct sm *sm, const struct sm_warp *warp, const struct simt_inst *inst);

/* Forgets which warps have issued. */
void scheduler_forget_issues(struct sm *sm);
/* True when the slot's warp could issue, but has not since then: other warps take all issue slots. */
bool scheduler_starves(const struct sm *sm, uint32_t slot);
/* The number of its scheduler's warps that have issued since then. */
uint32_t scheduler_issuers(const struct sm *sm, uint32_t slot);

/* Changes the rank of the slot's warp among its scheduler's warps; `host` is the struct sm. */
void scheduler_set_rank(void *host, uint32_t slot, uint32_t rank);

/* Sets whether the warp may issue at all; whether it has a thread that has not exited. */
void scheduler_set_held(const struct sm_warp *warp, bool held);
/* True when the value has changed. */
bool scheduler_set_live(const struct sm_warp *warp, bool live);

#endif
