/* fetch: instruction fetch and decode. It has the warps' instruction buffers, and the instruction cache that fills
 * them. */
#ifndef SLUICE_SM_FETCH_H
#define SLUICE_SM_FETCH_H

#include "memory/cache.h"
#include "simt/simt.h"
#include "sm/limits.h"

/* The instruction buffer of a warp: its instructions that are decoded and have not issued. */
struct ibuffer {
	uint32_t pc;         /* of the next instruction to leave it, or to enter it when it is empty */
	uint8_t count;       /* number of instructions in it */
	uint8_t misses;      /* consecutive instruction-cache misses of the same instruction */
	bool waits_for_line; /* an instruction-cache miss is in flight */
	uint64_t code;       /* address of its kernel's code in the memory system */
};

struct sm;
struct sm_warp;

struct fetch {
	uint64_t wants[SM_WARP_WORDS]; /* warps that need a fetch */
	uint64_t ended[SM_WARP_WORDS]; /* ended warps whose slots are to be freed */
	uint32_t last;                 /* warp that fetched last */
	struct sm_warp *fetched;       /* warp whose instructions leave the cache now, to be decoded, or NULL */
	struct request *request;       /* kept for the next fetch while the cache refuses it */
	struct cache l1i;
};

void fetch_open(struct sm *sm);

/* Simulates one cycle: a warp's fetch, an outgoing miss, and an arrived line. True when there is work in the next
 * cycle. */
bool fetch_tick(struct sm *sm);
/* Moves the instructions fetched in the last cycle into their warp's buffer. True when its scheduler can use them in
 * the next cycle. */
bool decode_tick(struct sm *sm);

_Static_assert(SM_WARP_WORDS == 2, "fetch_rests() tests two words");

/* True when no warp needs a fetch, nothing arrives and nothing waits to be sent. */
static inline bool fetch_rests(const struct fetch *fetch)
{
	return !(fetch->wants[0] | fetch->wants[1] | fetch->ended[0] | fetch->ended[1] | fetch->l1i.miss_queue.count |
	         cache_has_ready(&fetch->l1i));
}

/* A line that a miss requested has arrived. False: the cache's fill port is busy. */
bool fetch_fill(struct sm *sm, struct request *request);

/* A warp's empty buffer needs instructions from its pc on. */
void fetch_want(struct fetch *fetch, const struct sm_warp *warp);

/* The warp has ended with nothing in flight. Its slot is freed when the walk over the warps passes it. */
void fetch_warp_ended(struct fetch *fetch, const struct sm_warp *warp);

/* A warp starts with an empty buffer. */
void ibuffer_begin(struct fetch *fetch, struct sm_warp *warp);
/* Empties the warp's buffer and restarts fetching at the warp's pc. */
void ibuffer_restart(struct fetch *fetch, struct sm_warp *warp);

/* The instruction at the front has issued. True when another one follows. False: the buffer is empty, and fetches if
 * the warp continues. */
bool ibuffer_pop(struct fetch *fetch, struct sm_warp *warp);

/* The instruction cache takes its requests from this pool from now on. */
static inline void fetch_use_pool(struct fetch *fetch, struct request_pool *requests)
{
	fetch->l1i.pool = requests;
}

#endif
