/* answering: the side of the machine that answers SMs: slices behind their delay lines, DRAM's channels and the reply crossbar. It may
 * be ahead of the side that asks (gpu/cycle.c). */
#ifndef SLUICE_GPU_ANSWERING_H
#define SLUICE_GPU_ANSWERING_H

#include "base/port.h"
#include "gpu/clocks.h"

struct gpu;
struct slice;

struct answering {
	struct clock clock[CLOCKS];
	uint64_t wake; /* nothing happens before this time, if nothing enters the slices */
	bool ticked;   /* one of its units did in its last step */
	uint64_t next_sm; /* time from which an SM has a reply; UINT64_MAX: none since answering_tell() */
	struct outbox outbox; /* replies, where SMs may be simulated at once in another thread */
	uint64_t last_ticked; /* time of its units' last tick */
};

/* All its steps at times before `until`, which it may take: up to where the asking side is, or, ahead of that, as far as answering_limit() lets it, and
 * SMs' ports have room for what it sends even if nobody takes anything out of them meanwhile: answering_run_ahead(), which returns the time before
 * which it has taken all. As long as windows may open, it touches nothing meanwhile that the asking side does, which may be simulated at once; what has
 * entered the slices must have been looked at, and what it has for the other side is told afterwards. */
void answering_run(struct gpu *gpu, uint64_t until);
uint64_t answering_run_ahead(struct gpu *gpu, uint64_t until);
void answering_look_at_entries(struct gpu *gpu);
void answering_tell(struct gpu *gpu);

/* The asking side's next step is at `begin`: up to when, not included, the answering side knows all that leaves the delay lines. */
uint64_t answering_limit(const struct gpu *gpu, uint64_t begin);

/* The earliest time at which it can have something to do. */
uint64_t answering_next(struct gpu *gpu);

/* What has entered the slice is there. */
void answering_look_at_entry(struct gpu *gpu, struct slice *slice);

/* Behind a window: brings the counters of the slices' entries up to where both sides are, and what SMs have taken is room for replies. */
void answering_settle(struct gpu *gpu);

#endif
