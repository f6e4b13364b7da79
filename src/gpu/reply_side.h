/* reply_side: the reply side of the machine: slices downstream of their delay lines, DRAM channels and the reply
 * crossbar. It may be ahead of the request side (gpu/cycle.c). */
#ifndef SLUICE_GPU_REPLY_SIDE_H
#define SLUICE_GPU_REPLY_SIDE_H

#include "base/port.h"
#include "gpu/clocks.h"

struct gpu;
struct slice;

struct reply_side {
	struct clock clock[CLOCKS];
	uint64_t wake; /* no event occurs before this time unless requests enter the slices */
	bool ticked;   /* one of its units ticked in its last step */
	uint64_t next_sm; /* time from which an SM has a reply; UINT64_MAX: none since reply_side_publish() */
	struct outbox outbox; /* replies, when another thread may simulate SMs at the same time */
	uint64_t last_ticked; /* time of its units' last tick */
};

/* reply_side_run simulates all steps at times before `until`, which is at most the request side's time.
 * reply_side_run_ahead may go beyond that time, up to reply_side_limit(). It stops earlier when the SMs' ports no
 * longer have guaranteed space for its replies, even if no SM takes one meanwhile. It returns the time before which
 * all steps are done.
 *
 * While windows may be long, these functions touch nothing that the request side touches, which may be simulated at the
 * same time. reply_side_read_entries must be called before for what has entered the slices. reply_side_publish passes
 * the results to the request side afterwards.
 */
void reply_side_run(struct gpu *gpu, uint64_t until);
uint64_t reply_side_run_ahead(struct gpu *gpu, uint64_t until);
void reply_side_read_entries(struct gpu *gpu);
void reply_side_publish(struct gpu *gpu);

/* `begin` is the time of the request side's next step. Returns the time before which the reply side knows everything
 * that leaves the delay lines. */
uint64_t reply_side_limit(const struct gpu *gpu, uint64_t begin);

/* The earliest time at which it may have work. */
uint64_t reply_side_next(struct gpu *gpu);

/* Makes the requests that have entered the slice visible to it. */
void reply_side_read_entry(struct gpu *gpu, struct slice *slice);

/* To be called after a window. Brings the counters of the slices' entries up to the time of both sides, and frees
 * port space for replies that SMs have taken. */
void reply_side_settle(struct gpu *gpu);

#endif
