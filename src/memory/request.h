/* request: one transaction of the memory system, from the SM that makes it to the level that answers it and back.
 *
 * Each host thread has a pool of requests. Requests pass through ports by pointer. The last unit that handles a
 * request returns it to the pool that it came from.
 */
#ifndef SLUICE_MEMORY_REQUEST_H
#define SLUICE_MEMORY_REQUEST_H

#include "base/arena.h"
#include "base/traffic.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* L1_: made by a cache of an SM; L2_: made by a slice, except the prefetch. */
enum request_kind {
	REQUEST_READ,   /* global load */
	REQUEST_WRITE,  /* global store */
	REQUEST_ATOMIC, /* performed at L2 */
	REQUEST_LOCAL_READ,
	REQUEST_LOCAL_WRITE,
	REQUEST_INSTRUCTION,
	REQUEST_CONSTANT, /* constant memory and kernel parameters */
	REQUEST_L1_WRITEBACK,
	REQUEST_L1_FILL, /* the read that a write miss makes in a cache that fetches on writes */
	REQUEST_L2_FILL,
	REQUEST_L2_WRITEBACK,
	REQUEST_L2_PREFETCH, /* a mechanism's request for a sector of L2, which no data answer */
	REQUEST_TEXTURE,     /* a line of the texture cache */
	REQUEST_KINDS
};

/* The deepest level that was accessed. */
enum request_level { LEVEL_L1, LEVEL_L2, LEVEL_DRAM };

/* A request may wait in two caches at once, an SM's and L2. */
enum { CACHE_OF_SM, CACHE_OF_SLICE, REQUEST_CACHES };

struct request_wait {
	struct request *next; /* in the list of the MSHR */
	uint32_t index;       /* of the line reserved for it; in a cache that allocates on fills, of its MSHR */
};

struct request_pool;

struct request {
	uint64_t address; /* first byte */
	/* address within its slice, without the channel and slice bits; it selects L2's set */
	uint64_t slice_address;
	uint32_t bytes;      /* of data between SM and L2: what a store writes, or the L1 line that a miss fetches */
	uint32_t dram_bytes; /* of data between L2 and DRAM */
	uint32_t row;
	uint8_t kind;  /* enum request_kind */
	uint8_t level; /* enum request_level */
	uint8_t bank;
	bool is_write, is_reply;
	bool bypass; /* its reply bypasses L1 */
	bool urgent; /* its sender wants memory controllers to serve it before others */
	uint16_t sm, slice;
	/* slot of its instruction's warp, or of the warp that a mechanism bound to it, or REQUEST_NO_WARP */
	uint16_t warp;
	uint16_t block; /* slot on the SM of its instruction's block */
	uint32_t lanes;
	uint32_t dram_sent;     /* bytes whose DRAM commands were issued */
	uint32_t dram_moved;    /* bytes that crossed the DRAM pins */
	uint8_t chunks;         /* of a store: mask of the 32-byte chunks that it touches, from `address` on */
	uint8_t full_chunks;    /* mask of those of these chunks in which every byte is written */
	uint32_t written;       /* for a store to one chunk: mask of the bytes that are written */
	uint8_t parts;          /* outstanding replies, when an L2 slice answers sector by sector */
	uint8_t sender;         /* number of the mechanism that sent it, from 1; 0: none */
	uint32_t pc;            /* of its instruction, from 1; 0: no instruction */
	struct request *parent; /* request of which this is a sector, or NULL */
	void *op;               /* instruction of the SM that waits for it, or NULL */
	void *mechanism;        /* the SM's record of a mechanism's request, or NULL */
	const struct base_prefetch *prefetch; /* the prefetch that it carries out, for the accounts */
	uint64_t born;        /* core cycle in which the SM made it */
	uint64_t ready;       /* delay queues: cycle at which it may leave */
	struct request *next; /* in a bank's queue or the pool */
	struct request_wait wait[REQUEST_CACHES]; /* in the caches where it waits */
	struct request_pool *pool;
};

/* The kind of memory access that its instruction makes. */
static inline enum base_access_kind request_access(const struct request *request)
{
	return request->kind == REQUEST_ATOMIC ? BASE_ACCESS_ATOMIC : request->is_write ? BASE_ACCESS_STORE : BASE_ACCESS_LOAD;
}

static inline uint32_t request_pc(const struct request *request)
{
	return request->pc ? request->pc - 1 : BASE_ACCESS_NO_PC;
}

enum { REQUEST_NO_WARP = UINT16_MAX };

/* The slot of its warp, or BASE_ACCESS_NOBODY. */
static inline uint32_t request_warp(const struct request *request)
{
	bool has_warp = (request->pc || request->sender) && request->warp != REQUEST_NO_WARP;
	return has_warp ? request->warp : BASE_ACCESS_NOBODY;
}

/* The number of the mechanism that sent it, or BASE_ACCESS_NOBODY. */
static inline uint32_t request_sender(const struct request *request)
{
	return (uint32_t)request->sender - 1;
}

static inline bool request_is_local(const struct request *request)
{
	return request->kind == REQUEST_LOCAL_READ || request->kind == REQUEST_LOCAL_WRITE;
}

/* REQUEST_HEADER_BYTES: header of every packet, with address and kind. REQUEST_CHUNK_BYTES: size of the
 * chunks of write masks. A cache's sector is one chunk or several. */
enum { REQUEST_HEADER_BYTES = 8, REQUEST_CHUNK_BYTES = 32 };

/* Size in bytes of its packet. Reads are sent as a header and return with data; writes are the opposite. */
static inline uint32_t request_packet_bytes(const struct request *request)
{
	bool with_data = request->is_reply ? !request->is_write : request->is_write || request->kind == REQUEST_ATOMIC;
	return REQUEST_HEADER_BYTES + (with_data ? request->bytes : 0);
}

enum { REQUEST_MAX_POOLS = 64 };

/* Released requests on their way to their own pool, whose thread reclaims them after the step. */
struct request_chain {
	struct request *first, *last;
	uint64_t count;
};

struct request_pool {
	struct arena *arena;
	struct request *free;
	uint64_t in_use;            /* made by this pool and not returned yet */
	uint32_t index;             /* among the machine's pools */
	struct request_chain *away; /* by pool: requests released here in this step; NULL when there is only one pool */
};

struct request *request_new(struct request_pool *pool);

/* Releases a request; `here` is the pool of the calling thread. */
static inline void request_release(struct request_pool *here, struct request *request)
{
	struct request_pool *home = request->pool;
	if (home != here) {
		struct request_chain *chain = &here->away[home->index];
		request->next = chain->first;
		chain->first = request;
		if (!chain->count++)
			chain->last = request;
		return;
	}
	request->next = home->free;
	home->free = request;
	home->in_use--;
}

/* Returns the requests of a chain to their pool. */
static inline void request_pool_reclaim(struct request_pool *home, struct request_chain *chain)
{
	if (!chain->count)
		return;
	chain->last->next = home->free;
	home->free = chain->first;
	home->in_use -= chain->count;
}

/* A bounded queue inside one stage, without latency. */
struct request_queue {
	struct request **slot;
	uint32_t capacity, head, count;
};

void request_queue_open(struct request_queue *queue, struct arena *arena, uint32_t capacity);

static inline bool request_queue_full(const struct request_queue *queue)
{
	return queue->count == queue->capacity;
}

static inline struct request *request_queue_front(const struct request_queue *queue)
{
	return queue->count ? queue->slot[queue->head] : NULL;
}

static inline void request_queue_push(struct request_queue *queue, struct request *request)
{
	assert(!request_queue_full(queue));
	uint32_t at = queue->head + queue->count++;
	queue->slot[at < queue->capacity ? at : at - queue->capacity] = request;
}

static inline struct request *request_queue_pop(struct request_queue *queue)
{
	assert(queue->count);
	struct request *request = queue->slot[queue->head];
	queue->head = queue->head + 1 == queue->capacity ? 0 : queue->head + 1;
	queue->count--;
	return request;
}

#endif
