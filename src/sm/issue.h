/* issue: in each cycle each scheduler sends at most one instruction to the latch of its pipe. The functional core
 * executes it at once. Its global stores and atomics wait for sm_commit(). */
#ifndef SLUICE_SM_ISSUE_H
#define SLUICE_SM_ISSUE_H

#include "sm/scheduler.h"

enum issue_state {
	ISSUE_AWAKE,   /* something has changed since the schedulers' last choice */
	ISSUE_CHOOSES, /* the schedulers choose, or have chosen in this cycle without a change since */
	ISSUE_RESTS,   /* no warp could issue, and nothing has changed since */
};

struct issue {
	struct scheduler scheduler[SM_MAX_SCHEDULERS];
	struct unit_timings timings;
	uint8_t state;    /* enum issue_state */
	bool asks_again;  /* since the last choice a mechanism may have changed which warps compete */
	uint32_t waiting; /* mask of pipes whose latch to the operand collectors holds instructions */
	uint32_t full;    /* mask of pipes whose latch to the operand collectors is full */
	uint64_t issued;  /* number of issued instructions, which numbers them */
	/* Issued instructions by data type and pipe that are not in the statistics yet. */
	uint64_t by_pipe[PTX_DATA_TYPES][SM_PIPES];
	uint64_t operations[PTX_DATA_TYPES]; /* likewise, by simt_inst.operation_type */
};

/* True when a warp has issued, or could have; a mechanism may let that warp issue in the next cycle. */
bool issue_tick(struct sm *sm);

/* The stage rests: counts the same lost slots as in the previous cycle, for the same reasons. */
void issue_account_again(struct sm *sm);

/* Something has changed that a warp may wait for, or that determines what it waits for. */
static inline void issue_wake(struct issue *issue)
{
	issue->state = ISSUE_AWAKE;
}

/* A mechanism may have changed which warps compete. */
static inline void issue_ask_again(struct issue *issue)
{
	issue->asks_again = true;
}

/* The pipe's latch to the operand collectors is empty. */
static inline void issue_latch_emptied(struct issue *issue, uint32_t pipe)
{
	issue->waiting &= ~(1u << pipe);
}

/* An instruction has left the pipe's latch to the operand collectors. */
static inline void issue_latch_left(struct issue *issue, uint32_t pipe)
{
	issue->full &= ~(1u << pipe);
	issue_wake(issue);
}

/* True when a warp may issue a load in this cycle that must wait for the other SMs (sm->loads_that_wait). */
bool issue_waits_for_others(const struct sm *sm);

/* Adds the instruction counts by pipe to the statistics. */
void issue_settle(struct sm *sm);

#endif
