/* request: one transaction of the memory system, from the SM that makes it to wherever it is answered and back.
 *
 * Requests come from pools, one a host thread, and pass through ports by pointer. Who sees a request last gives it back
 * to the pool it came from.
 */
#ifndef SLUICE_MEMORY_REQUEST_H
#define SLUICE_MEMORY_REQUEST_H

#include "base/arena.h"
#include "base/traffic.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum request_kind {
	REQUEST_READ,   /* global load */
	REQUEST_WRITE,  /* global store */
	REQUEST_ATOMIC, /* performed at L2 */
	REQUEST_LOCAL_READ,
	REQUEST_LOCAL_WRITE,
	REQUEST_INSTRUCTION,
	REQUEST_CONSTANT, /* constant memory and kernel parameters */
	REQUEST_L1_WRITEBACK,
	REQUEST_L1_FILL, /* the read that a write miss makes in a cache that fetches on writes, */
	REQUEST_L2_FILL, /* of an SM or of a slice */
	REQUEST_L2_WRITEBACK,
	REQUEST_L2_PREFETCH, /* a mechanism's request for a sector of L2, which no data answer */
	REQUEST_TEXTURE, /* a line of the texture cache */
	REQUEST_KINDS
};

/* The deepest level that had to be asked. */
enum request_level { LEVEL_L1, LEVEL_L2, LEVEL_DRAM };

/* A request may wait in two caches at once, an SM's and L2. */
enum { CACHE_OF_SM, CACHE_OF_SLICE, REQUEST_CACHES };

struct request_wait {
	struct request *next; /* in the list of the MSHR */
	uint32_t index;       /* of the line reserved for it; of the MSHR in a cache that allocates on fills */
};

struct request_pool;

struct request {
	uint64_t address; /* first byte */
	uint64_t local;   /* address within its slice: channel and slice bits taken out (L2 set index) */
	uint32_t bytes;   /* of data between SM and L2: what a store writes, the L1 line that a miss fetches */
	uint32_t fetch;   /* of data between L2 and DRAM */
	uint32_t row;
	uint8_t kind;  /* enum request_kind */
	uint8_t level; /* enum request_level */
	uint8_t bank;
	bool is_write, is_reply;
	bool bypass;   /* its answer goes past L1 */
	bool urgent;   /* its sender asked memory controllers to serve it before others */
	uint16_t sm, slice;
	uint16_t warp; /* slot of its instruction's warp, or of the one that a mechanism has bound to it, or REQUEST_NO_WARP */
	uint16_t block; /* slot on the SM of the block of its instruction */
	uint32_t lanes;
	uint32_t sent;          /* DRAM: bytes whose commands were issued */
	uint32_t moved;         /* DRAM: bytes that crossed the pins */
	uint8_t chunks;         /* of a store: the 32-byte pieces that it touches, from `address` on */
	uint8_t whole;          /* of these, written in every byte */
	uint32_t written;       /* ... where it touches one: its bytes that are written */
	uint8_t parts;          /* replies still to come, when an L2 slice answers sector by sector */
	uint8_t sender;         /* the mechanism that asked for it, from 1; 0: none */
	uint32_t pc;            /* of its instruction, from 1; 0: it is on behalf of none */
	struct request *parent; /* of which this is a sector, or NULL */
	void *op;               /* the SM's instruction that waits for it, or NULL */
	void *mechanism;        /* what the SM keeps of a mechanism's request, or NULL */
	const struct prefetch *prefetch; /* of it: for the accounts */
	uint64_t born;          /* core cycle in which the SM made it */
	uint64_t ready;         /* delay queues: cycle at which it may go on */
	struct request *next;   /* in a bank's queue or the pool */
	struct request_wait wait[REQUEST_CACHES]; /* in the caches that wait for it */
	struct request_pool *pool;
};

/* What an instruction does to memory with it. */
static inline enum access_kind request_access(const struct request *request)
{
	return request->kind == REQUEST_ATOMIC ? ACCESS_ATOMIC : request->is_write ? ACCESS_STORE : ACCESS_LOAD;
}

static inline uint32_t request_pc(const struct request *request)
{
	return request->pc ? request->pc - 1 : ACCESS_NO_PC;
}

enum { REQUEST_NO_WARP = UINT16_MAX };

/* The slot of its warp, or ACCESS_NOBODY. */
static inline uint32_t request_warp(const struct request *request)
{
	bool has_warp = (request->pc || request->sender) && request->warp != REQUEST_NO_WARP;
	return has_warp ? request->warp : ACCESS_NOBODY;
}

/* The number of the mechanism that asked for it, or ACCESS_NOBODY. */
static inline uint32_t request_sender(const struct request *request)
{
	return (uint32_t)request->sender - 1;
}

static inline bool request_is_local(const struct request *request)
{
	return request->kind == REQUEST_LOCAL_READ || request->kind == REQUEST_LOCAL_WRITE;
}

/* Header of every packet: address and kind; the pieces in which a store says what it writes. */
enum { REQUEST_HEADER_BYTES = 8, REQUEST_CHUNK_BYTES = 32 };

/* Bytes of the packet that carries it: reads go out as a header and come back with data, writes the other way. */
static inline uint32_t request_packet_bytes(const struct request *request)
{
	bool with_data = request->is_reply ? !request->is_write : request->is_write || request->kind == REQUEST_ATOMIC;
	return REQUEST_HEADER_BYTES + (with_data ? request->bytes : 0);
}

enum { REQUEST_MAX_POOLS = 64 };

/* Requests on their way home, for the thread of another pool to fetch when the step is over. */
struct request_chain {
	struct request *first, *last;
	uint64_t count;
};

struct request_pool {
	struct arena *arena;
	struct request *free;
	uint64_t in_use;            /* made here and not home again */
	uint32_t index;             /* among the machine's pools */
	struct request_chain *away; /* by pool: released here in this step; NULL where there is only one pool */
};

struct request *request_new(struct request_pool *pool);

/* Gives it back; `here` is the pool of the thread that does. */
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

/* Takes a chain home. */
static inline void request_fetch(struct request_pool *home, struct request_chain *chain)
{
	if (!chain->count)
		return;
	chain->last->next = home->free;
	home->free = chain->first;
	home->in_use -= chain->count;
}

/* A bounded queue inside one stage (no latency of its own). */
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
