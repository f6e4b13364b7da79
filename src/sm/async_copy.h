/* async_copy: copies from global to shared memory that go on while their warp does (cp.async), and who waits for them: a warp for groups of
 * its own, an mbarrier for all that a warp has begun.
 *
 * A copy is a load until its last access is answered; then it waits its turn to be written, one copy behind the other, which takes shared
 * memory's port for as many cycles as its busiest bank has words; between two copies the load/store unit has a turn. What it copies has been there since it issued (simt/exec_copy.c): a program
 * that waits as it must never sees that. */
#ifndef SLUICE_SM_ASYNC_COPY_H
#define SLUICE_SM_ASYNC_COPY_H

#include "sm/limits.h"
#include "sm/op.h"

struct sm;
struct sm_warp;
struct copy_arrival;

/* Groups of a warp that may be under way; with so many it waits for the oldest. */
enum { COPY_GROUPS = 64 };

/* A warp's groups, by number: below `open` they are committed, below `oldest` they are complete. */
struct warp_copies {
	uint32_t open, oldest, until; /* until: the warp waits for all below it */
	uint32_t under_way;
	uint16_t left[COPY_GROUPS]; /* copies of a group under way, by number modulo COPY_GROUPS */
};

struct async_copies {
	struct warp_copies warp[SM_MAX_WARPS];
	struct op *first, **end; /* copies that wait to be written */
	bool yields;             /* one has just been: the load/store unit has its turn */
	struct copy_arrival *arrivals, *free; /* on mbarriers, that wait for copies */
};

void async_copies_open(struct sm *sm);
/* A warp begins in the slot. */
void async_copies_begin(struct sm *sm, uint32_t slot);
/* A copy has issued; its last access is answered. */
void async_copy_issued(struct sm *sm, struct op *op, const struct simt_step *step);
void async_copy_answered(struct sm *sm, struct op *op);
/* Commit, wait or arrival has issued. */
void async_copies_control(struct sm *sm, struct sm_warp *warp, const struct simt_step *step);
/* A cycle of the oldest copy that waits to be written. */
void async_copies_tick(struct sm *sm);

static inline bool async_copies_wait(const struct async_copies *copies)
{
	return copies->first;
}

#endif
