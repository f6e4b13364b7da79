/* issue: each scheduler, each cycle, gives at most one instruction to the latch of its pipe, and the functional core runs it at
 * once; its global stores and atomics wait for sm_commit(). */
#ifndef SLUICE_SM_ISSUE_H
#define SLUICE_SM_ISSUE_H

#include "sm/scheduler.h"

struct issue {
	struct scheduler scheduler[SM_MAX_SCHEDULERS];
	uint64_t issued;             /* instructions: numbers them */
	/* Of these by what they compute with and by pipe, that are not in the statistics yet. */
	uint64_t by_pipe[PTX_DATA_TYPES][SM_PIPES];
};

/* True: a warp has issued, or could have, which a mechanism may let in the next cycle. */
bool issue_tick(struct sm *sm);

/* The instructions by pipe go into the statistics. */
void issue_settle(struct sm *sm);

#endif
