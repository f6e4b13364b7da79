/* answering: the reply side of the machine: slices downstream of their delay lines, DRAM channels and the reply
 * crossbar. It may be ahead of the request side (gpu/cycle.c). */
#ifndef SLUICE_GPU_ANSWERING_H
#define SLUICE_GPU_ANSWERING_H

#include "base/port.h"
#include "gpu/clocks.h"

struct gpu;
struct slice;

struct answering {
	struct clock clock[CLOCKS];
	uint64_t wake; /* no event occurs before this time unless requests enter the slices */
	bool ticked;   /* one of its units ticked in its last step */
	uint64_t next_sm; /* time from which an SM has a reply; UINT64_MAX: none since answering_tell() */
	struct outbox outbox; /* replies, when another thread may simulate SMs at the same time */
	uint64_t last_ticked; /* time of its units' last tick */
};

/* answering_run simulates all steps at times before `until`, which is at most the request side's time.
 * answering_run_ahead may go beyond that time, up to answering_limit(). It stops earlier when the SMs' ports no
 * longer have guaranteed space for its replies, even if no SM takes one meanwhile. It returns the time before which
 * all steps are done.
 *
 * While windows may open, these functions touch nothing that the request side touches, which may be simulated at the
 * same time. answering_look_at_entries must be called before for what has entered the slices. answering_tell passes
 * the results to the request side afterwards.
 */
void answering_run(struct gpu *gpu, uint64_t until);
uint64_t answering_run_ahead(struct gpu *gpu, uint64_t until);
void answering_look_at_entries(struct gpu *gpu);
void answering_tell(struct gpu *gpu);

/* `begin` is the time of the request side's next step. Returns the time before which the reply side knows everything
 * that leaves the delay lines. */
uint64_t answering_limit(const struct gpu *gpu, uint64_t begin);

/* The earliest time at which it may have work. */
uint64_t answering_next(struct gpu *gpu);

/* Makes the requests that have entered the slice visible to it. */
void answering_look_at_entry(struct gpu *gpu, struct slice *slice);

/* To be called after a window. Brings the counters of the slices' entries up to the time of both sides, and frees
 * port space for replies that SMs have taken. */
void answering_settle(struct gpu *gpu);

#endif
