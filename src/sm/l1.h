/* l1: the SM's data and constant caches: the pipe in front of the data cache's tags, lookup, outgoing misses and
 * incoming lines. */
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
	struct mech_access access; /* valid when a mechanism observes accesses */
};

struct l1_pipe {
	struct l1_pipe_slot slot[SM_L1_PIPE]; /* ring of `sm.l1_latency` slots */
	uint32_t head, count;
	uint64_t entered;    /* cycle of the last entry; a pipe takes one access per cycle */
	uint64_t refused_at; /* cache.changes when L1 refused the oldest access, or 0 */
};

struct l1 {
	struct cache data, constant;
	uint32_t shared_bytes; /* capacity of the SM's shared memory, which a unified memory divides with L1 */
	struct l1_pipe pipe[SM_L1_BANKS]; /* by bank; empty where L1 is accessed at once */
	uint32_t piped;                   /* mask of the banks whose pipe holds accesses */
	uint64_t pipe_next;               /* no access is at the end of its pipe before this cycle */
	uint32_t refused_banks;           /* mask of the banks whose oldest access was refused when last tried */
	struct request_queue
		answered; /* misses answered by a mechanism below L1, which wait until their data are ready */
	const struct request *asked;     /* the oldest miss, which the mechanism has declined */
	bool port_is_used;               /* an instruction's access has used the data cache's port in this cycle */
	bool data_waits, constant_waits; /* the network has refused the cache's oldest miss in this cycle */
};

struct sm;

void l1_open(struct sm *sm);
/* Begins kernels with `shared_bytes` of shared memory per SM. In a unified memory, L1 gets the rest, and is then
 * empty. */
void l1_begin(struct sm *sm, uint64_t shared_bytes);
/* True when no line is on its way to L1. */
bool l1_can_begin(const struct sm *sm);
/* Ends a kernel: invalidates what must not outlive it. */
void l1_end(struct sm *sm);

/* Takes the oldest answer of a mechanism, and moves the oldest access of the pipe to the tags. */
void l1_tick(struct sm *sm);
/* The next cycle in which l1_tick() has work or a miss can leave. To be called after everything that adds work in a
 * cycle. */
uint64_t l1_next(const struct sm *sm);
/* Sends one miss of each cache into the network. */
void l1_send_misses(struct sm *sm);

/* True when the pipe of the request's bank is full. It has space when its oldest access has left. */
bool l1_pipe_is_full(const struct sm *sm, const struct request *request);
/* The instruction's next access enters its bank's pipe, which must have space. False: the bank has already taken one
 * in this cycle. */
bool l1_enter_pipe(struct sm *sm, const struct op *op, struct request *request);
/* Looks up an instruction's request in its cache, whose port must be free (cache_access()). */
enum base_access_result l1_look_up(struct sm *sm, struct request *request, bool *sent_down);

/* A line that a miss or a mechanism requested has arrived. False: the fill port is busy. */
bool l1_fill(struct sm *sm, struct request *request);
bool l1_fill_constant(struct sm *sm, struct request *request);

/* Looks up a mechanism's request for a line (cache_prefetch()). */
enum base_access_result l1_prefetch(struct sm *sm, struct request *request);

/* A mechanism has written these bytes of global memory, bypassing L1, whose copy is invalidated. */
static inline void l1_forget(struct l1 *l1, uint64_t address, uint32_t bytes, uint64_t cycle)
{
	cache_forget(&l1->data, address, bytes, cycle);
}

/* An MSHR for data without a line in L1: whether one is free; a request takes it; it is released. */
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

/* The caches take their requests from this pool from now on. */
static inline void l1_use_pool(struct l1 *l1, struct request_pool *requests)
{
	l1->data.pool = l1->constant.pool = requests;
}

static inline void l1_new_cycle(struct l1 *l1)
{
	l1->port_is_used = false;
}

/* The cache that an instruction's request accesses. */
static inline struct cache *l1_cache_of(struct l1 *l1, const struct request *request)
{
	return request->kind == REQUEST_CONSTANT ? &l1->constant : &l1->data;
}

/* For mechanisms' requests, which may use the port only when instructions do not. */
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

/* True when a request refused at generation `refused_at` would be refused again, because nothing has happened.
 * Counts it as refused. */
static inline bool l1_refuses_again(struct l1 *l1, uint64_t refused_at)
{
	return cache_refuses_again(&l1->data, refused_at);
}

/* True when L1 has refused an access at the end of a pipe. */
static inline bool l1_has_refused(const struct l1 *l1)
{
	return l1->refused_banks;
}

/* Mask of the pipes whose oldest access L1 would refuse again. */
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

/* For write-back: whether data of an access that missed have arrived; takes them. */
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
