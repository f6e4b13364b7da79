/* fetch: instruction fetch and decode: the instruction buffers of the warps, and the instruction cache that fills them. */
#ifndef SLUICE_SM_FETCH_H
#define SLUICE_SM_FETCH_H

#include "memory/cache.h"
#include "simt/simt.h"
#include "sm/limits.h"

/* The instruction buffer of a warp: what is decoded and has not issued. */
struct ibuffer {
	uint32_t pc;         /* of what comes next out of it, or into it when it is empty */
	uint8_t count;       /* instructions in it */
	uint8_t misses;      /* of the instruction cache in a row, by the same instruction */
	bool waits_for_line; /* an instruction-cache miss */
};

struct sm;
struct sm_warp;

struct fetch {
	uint64_t wants[SM_WARP_WORDS]; /* warps that want to fetch */
	uint64_t ended[SM_WARP_WORDS]; /* warps that have ended, whose slots are to be freed */
	uint32_t last;                 /* warp that fetched last */
	struct sm_warp *fetched;       /* whose instructions come out of the cache now, to be decoded, or NULL */
	struct request *request;       /* kept for the next fetch while the cache does not take it */
	struct cache l1i;
};

void fetch_open(struct sm *sm);

/* The warp's turn at the instruction cache, a miss on its way out, a line that has come. True: there is more of that for the next cycle. */
bool fetch_tick(struct sm *sm);
/* What was fetched a cycle ago goes into its warp's buffer. True: its scheduler can look at it in the next cycle. */
bool decode_tick(struct sm *sm);

/* No warp wants anything, nothing comes and nothing waits to go. */
static inline bool fetch_rests(const struct fetch *fetch)
{
	return !(fetch->wants[0] | fetch->wants[1] | fetch->ended[0] | fetch->ended[1] | fetch->l1i.miss_queue.count |
	         cache_has_ready(&fetch->l1i));
}

/* A line that a miss has sent for has come. False: the cache's fill port is busy. */
bool fetch_fill(struct sm *sm, struct request *request);

/* The buffer of a warp that is empty wants instructions from its pc on. */
void fetch_want(struct fetch *fetch, const struct sm_warp *warp);

/* The warp has ended and has nothing in flight: its slot is freed when the walk over the warps comes past it. */
void fetch_warp_ended(struct fetch *fetch, const struct sm_warp *warp);

/* Empties the warp's buffer, which fetches from where the warp is. */
void ibuffer_restart(struct fetch *fetch, struct sm_warp *warp);

/* The instruction at the front has issued. True: there is one behind it. False: the buffer is empty, and fetches if the warp goes on. */
bool ibuffer_pop(struct fetch *fetch, struct sm_warp *warp);

#endif
