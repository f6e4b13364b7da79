/* scheduler: what a warp scheduler knows of its warps, as bit masks that stages keep true as instructions come, wait and go, so
 * that a cycle's choice is a few operations on words (issue.h makes it). */
#ifndef SLUICE_SM_SCHEDULER_H
#define SLUICE_SM_SCHEDULER_H

#include "ptx/module.h"
#include "seam/mech.h"
#include "simt/simt.h"
#include "sm/limits.h"

struct sm;
struct sm_warp;

/* What the machine says of instructions of a kind. */
struct unit_timing {
	uint16_t latency, initiation; /* of arithmetic, in its unit */
	uint8_t pipes;                /* that can take it, as a mask */
};

/* By kind of arithmetic; behind it memory instructions. */
struct unit_timings {
	struct unit_timing of[PTX_LATENCIES + 1][PTX_DATA_TYPES];
};

struct scheduler {
	struct mech_warps seen;                       /* what the owner of the warp order may see of them */
	uint64_t filled;                              /* next instruction is in the buffer */
	uint64_t hazard;                              /* next instruction waits for a register */
	uint64_t waits;                               /* next instruction is of those that wait for the other SMs */
	uint64_t stale;                               /* buffered instruction is not where the warp is */
	uint64_t unit[SM_PIPES];                      /* pipe of the next instruction (that is filled and not stale) */
	struct sm_warp *warp[SM_MAX_SCHEDULER_WARPS]; /* by bit */
	struct simt_step step;                        /* what it has issued last */
	struct simt_warp *to_commit;                  /* the warp whose step stores in this cycle, or NULL */
	uint64_t *charged;                            /* of the CPI stack: what its last lost slot was charged to */
};

/* Deals the warp slots out: slot number mod schedulers (GPGPU-Sim's; docs/explanation/timing-model.md, Issue). */
void scheduler_open(struct sm *sm);

/* The warp has just been launched: all others of its scheduler are older. It has no instruction yet. */
void scheduler_add_warp(struct sm_warp *warp);

/* The last instruction of the warp's buffer has issued. */
void scheduler_buffer_empty(const struct sm_warp *warp);
/* What the warp's buffer holds is thrown away. */
void scheduler_no_instruction(const struct sm_warp *warp);
/* An instruction has come to the front of the warp's buffer, which the one before has left: which pipe it wants, whether it waits
 * for a register, whether the warp still goes there. */
void scheduler_next_instruction(const struct sm *sm, struct sm_warp *warp);
/* The results of `inst` are there: the warp's next instruction may have waited for them. */
void scheduler_results_written(struct sm *sm, const struct sm_warp *warp, const struct simt_inst *inst);

/* The slot's warp has another rank among its scheduler's; `host` is the struct sm. */
void scheduler_set_rank(void *host, uint32_t slot, uint32_t rank);

/* The warp may not issue (or may again), whatever its next instruction is; it has a thread that has not exited. */
void scheduler_set_held(const struct sm_warp *warp, bool held);
/* True when that is new. */
bool scheduler_set_live(const struct sm_warp *warp, bool live);

#endif
