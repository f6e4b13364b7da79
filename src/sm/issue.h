/* issue: each scheduler, each cycle, gives at most one instruction to the latch of its pipe, and the functional core runs it at
 * once; its global stores and atomics wait for sm_commit(). */
#ifndef SLUICE_SM_ISSUE_H
#define SLUICE_SM_ISSUE_H

#include "sm/scheduler.h"

enum issue_state {
	ISSUE_AWAKE,   /* something has changed since the schedulers chose last */
	ISSUE_CHOOSES, /* the schedulers choose, or have chosen in this cycle and nothing has changed since */
	ISSUE_RESTS,   /* no warp could issue, and nothing has changed since */
};

struct issue {
	struct scheduler scheduler[SM_MAX_SCHEDULERS];
	struct unit_timings timings;
	uint8_t state;               /* enum issue_state */
	bool asks_again;             /* since the last choice a mechanism may have changed which warps compete */
	uint32_t waiting;            /* pipes whose latch to the operand collectors holds instructions, as a mask, */
	uint32_t full;               /* pipes whose latch to the operand collectors has no room, as a mask */
	uint64_t issued;             /* instructions: numbers them */
	/* Of these by what they compute with and by pipe, that are not in the statistics yet. */
	uint64_t by_pipe[PTX_DATA_TYPES][SM_PIPES];
};

/* True: a warp has issued, or could have, which a mechanism may let in the next cycle. */
bool issue_tick(struct sm *sm);

/* It rests: the same slots are lost as in the cycle before, for the same reasons. */
void issue_account_again(struct sm *sm);

/* Something has changed that a warp may wait for, or that says what it waits for. */
static inline void issue_wake(struct issue *issue)
{
	issue->state = ISSUE_AWAKE;
}

/* An instruction has left the pipe's latch for the operand collectors. */
static inline void issue_latch_left(struct issue *issue, uint32_t pipe)
{
	issue->full &= ~(1u << pipe);
	issue_wake(issue);
}

/* A warp may issue a load in this cycle that waits for the other SMs (sm->waits). */
bool issue_waits_for_others(const struct sm *sm);

/* The instructions by pipe go into the statistics. */
void issue_settle(struct sm *sm);

#endif
