/* l1: the SM's data and constant caches: the pipe in front of the data cache's tags, the look-up, misses out, lines in. */
#ifndef SLUICE_SM_L1_H
#define SLUICE_SM_L1_H

#include "memory/cache.h"
#include "seam/mech.h"
#include "sm/limits.h"
#include "sm/op.h"

/* An access on its way to the tags. */
struct l1_pipe_slot {
	struct request *request;
	uint64_t ready;
	struct mech_access access; /* where a mechanism looks at them */
};

struct l1_pipe {
	struct l1_pipe_slot slot[SM_L1_PIPE]; /* ring */
	uint32_t head, count;
	uint64_t entered; /* cycle in which the last access did: its first place is taken in it */
	uint64_t refused_at; /* the oldest one was turned away by L1, which was as it was then (cache.changes), or 0 */
};

struct l1 {
	struct cache data, constant;
	struct l1_pipe pipe[SM_L1_BANKS]; /* by bank; empty where L1 answers at once */
	uint32_t piped;                   /* which of them hold accesses, as a mask */
	uint64_t pipe_next;               /* cycle before which none is at the end of its pipe */
	uint32_t refused_banks;           /* of these, those whose oldest access was turned away when it was tried last */
	struct request_queue
		answered; /* misses whose data come out of what a mechanism keeps behind L1, when they are ready */
	const struct request *asked;     /* the oldest miss, for which it has nothing */
	bool port_is_used;               /* the data cache's, by an instruction's access in this cycle */
	bool data_waits, constant_waits; /* the network has refused the cache's oldest miss in this cycle */
};

struct sm;

void l1_open(struct sm *sm);
/* A kernel begins that has so much shared memory: L1 has what that leaves of their common memory. */
void l1_begin(struct sm *sm, uint64_t shared_bytes);
/* A kernel has ended: drops what must not outlive it. */
void l1_end(struct sm *sm);

/* The oldest answer of a mechanism comes in, the oldest access in the pipe reaches the tags. */
void l1_tick(struct sm *sm);
/* When the next one does, or a miss can leave: to be asked behind all that adds to them in a cycle. */
uint64_t l1_next(const struct sm *sm);
/* A miss of each cache into the network. */
void l1_send_misses(struct sm *sm);

/* The pipe of the request's bank has no room: it has when its oldest access has left. */
bool l1_pipe_is_full(const struct sm *sm, const struct request *request);
/* The instruction's next access goes into its bank's pipe, which has room. False: it has taken one in this cycle. */
bool l1_enter_pipe(struct sm *sm, const struct op *op, struct request *request);
/* An instruction's request looks its cache up, whose port is free (cache_access()). */
enum access_result l1_look_up(struct sm *sm, struct request *request, bool *sent_down);

/* A line that a miss or a mechanism has sent for has come. False: the fill port is busy. */
bool l1_fill(struct sm *sm, struct request *request);
bool l1_fill_constant(struct sm *sm, struct request *request);

/* A mechanism's request for a line (cache_prefetch()). */
enum access_result l1_prefetch(struct sm *sm, struct request *request);

/* A mechanism has written these bytes of global memory past L1, which has no copy of them any more. */
static inline void l1_forget(struct l1 *l1, uint64_t address, uint32_t bytes, uint64_t cycle)
{
	cache_forget(&l1->data, address, bytes, cycle);
}

/* A register that waits for data which are no line's: there is a free one; a request takes it; it is free again. */
static inline bool l1_has_mshr(const struct l1 *l1)
{
	return l1->data.mshrs.free;
}

static inline void l1_hold_mshr(struct l1 *l1, struct request *request)
{
	cache_hold_mshr(&l1->data, request);
}

static inline void l1_release_mshr(struct l1 *l1, const struct request *request)
{
	cache_release_mshr(&l1->data, request);
}

static inline void l1_new_cycle(struct l1 *l1)
{
	l1->port_is_used = false;
}

/* The cache that an instruction's request asks. */
static inline struct cache *l1_cache_of(struct l1 *l1, const struct request *request)
{
	return request->kind == REQUEST_CONSTANT ? &l1->constant : &l1->data;
}

/* For mechanisms' requests, which get what instructions leave. */
static inline bool l1_port_is_used(const struct l1 *l1)
{
	return l1->port_is_used;
}

static inline uint32_t l1_sector_bytes(const struct l1 *l1)
{
	return l1->data.sector_bytes;
}

static inline uint32_t l1_constant_sector_bytes(const struct l1 *l1)
{
	return l1->constant.sector_bytes;
}

/* A request that was turned away, when L1 was so, would be again, since nothing has happened: it counts so. */
static inline bool l1_refuses_again(struct l1 *l1, uint64_t refused_at)
{
	return cache_refuses_again(&l1->data, refused_at);
}

/* L1 has turned an access at the end of a pipe away. */
static inline bool l1_has_refused(const struct l1 *l1)
{
	return l1->refused_banks;
}

/* Of its pipes those at whose ends an access is that it would turn away again, as a mask. */
static inline uint32_t l1_kept_banks(const struct l1 *l1)
{
	uint32_t kept = 0;
	for (uint32_t left = l1->refused_banks; left; left &= left - 1)
		if (cache_still_refuses(&l1->data, l1->pipe[__builtin_ctz(left)].refused_at))
			kept |= left & -left;
	return kept;
}

static inline void l1_account_refusals(struct l1 *l1, bool constant, uint64_t slept)
{
	(constant ? &l1->constant : &l1->data)->stats.refused += slept;
}

/* For write-back: data of an access that missed are there; takes them. */
static inline bool l1_has_data(const struct l1 *l1)
{
	return cache_has_ready(&l1->data);
}

static inline bool l1_has_constant(const struct l1 *l1)
{
	return cache_has_ready(&l1->constant);
}

static inline struct request *l1_take_data(struct l1 *l1)
{
	return cache_next_ready(&l1->data);
}

static inline struct request *l1_take_constant(struct l1 *l1)
{
	return cache_next_ready(&l1->constant);
}

#endif
