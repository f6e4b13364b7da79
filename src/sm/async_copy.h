/* async_copy: asynchronous copies from global to shared memory (cp.async), which run while their warp continues. A
 * warp waits for groups of copies. An mbarrier waits for all copies that a warp has begun.
 *
 * A copy behaves like a load until its last access is answered. Copies are then written one after another. Each
 * occupies shared memory's port for as long as its busiest bank has words. Between two copies the load/store unit
 * has a turn. The data are functionally copied when the instruction issues (simt/exec_copy.c). A program that waits
 * as required cannot see that.
 */
#ifndef SLUICE_SM_ASYNC_COPY_H
#define SLUICE_SM_ASYNC_COPY_H

#include "sm/limits.h"
#include "sm/op.h"

struct sm;
struct sm_warp;
struct copy_arrival;

/* Limit on a warp's groups in flight. At the limit the warp waits for the oldest. */
enum { COPY_GROUPS = 64 };

/* A warp's groups, by number: groups below `open` are committed, groups below `oldest` are complete. */
struct warp_copies {
	uint32_t open, oldest, until; /* the warp waits for all groups below it */
	uint32_t under_way;
	uint16_t left[COPY_GROUPS]; /* copies of a group in flight, by group number modulo COPY_GROUPS */
};

struct async_copies {
	struct warp_copies warp[SM_MAX_WARPS];
	struct op *first, **end; /* copies that wait to be written */
	bool yields;             /* a copy has just been written: the load/store unit has its turn */
	struct copy_arrival *arrivals, *free; /* arrivals on mbarriers that wait for copies */
};

void async_copies_open(struct sm *sm);
/* Resets the slot for a new warp. */
void async_copies_begin(struct sm *sm, uint32_t slot);
/* async_copy_issued: a copy has issued. async_copy_answered: its last access is answered. */
void async_copy_issued(struct sm *sm, struct op *op, const struct simt_step *step);
void async_copy_answered(struct sm *sm, struct op *op);
/* A commit, wait or arrival has issued. */
void async_copies_control(struct sm *sm, struct sm_warp *warp, const struct simt_step *step);
/* Simulates one cycle of the oldest copy that waits to be written. */
void async_copies_tick(struct sm *sm);

static inline bool async_copies_wait(const struct async_copies *copies)
{
	return copies->first;
}

#endif
