/* op: an instruction in flight, from issue to write-back, with its memory accesses. */
#ifndef SLUICE_SM_OP_H
#define SLUICE_SM_OP_H

#include "base/arena.h"
#include "base/likely.h"
#include "simt/simt.h"

/* Maximum transactions of an instruction. Local memory: 16 bytes per lane, whose words are not adjacent. Textures:
 * eight texels per lane. */
enum { OP_MAX_LOCAL_ACCESSES = 4 * WARP_SIZE, OP_MAX_ACCESSES = 8 * WARP_SIZE };

/* One memory transaction of a warp: bytes of one line, or of a part of it. */
struct access {
	uint64_t address;
	uint32_t bytes, lanes;
	uint32_t written;    /* for an access to one chunk: mask of the bytes that are accessed */
	uint8_t chunks;      /* mask of the 32-byte chunks that it touches, from `address` on */
	uint8_t full_chunks; /* mask of those of these chunks in which every byte is accessed */
};

struct op {
	const struct simt_inst *inst;
	uint64_t number;      /* issue number, in the SM's order */
	uint64_t issued;      /* issue cycle; known only when a profile is recorded */
	uint32_t warp;        /* slot */
	uint32_t lanes;       /* active lanes */
	uint8_t space;        /* memory: enum ptx_space, resolved */
	uint8_t pipe;         /* enum sm_pipe */
	uint8_t place;        /* index of its entry in a sub-core (sub_cores.h) */
	uint8_t level;        /* enum request_level: the deepest level that served it */
	uint16_t bank_cycles; /* shared memory: cycles still needed; for a copy, after its replies */
	uint16_t latency, initiation; /* in its unit */
	uint16_t accesses;   /* access[0..accesses) are still to be made, the last one first */
	uint16_t unanswered; /* accesses made or to be made that have no reply */
	uint32_t group;      /* of a copy */
	struct op *next;     /* in the pool, a latch, a slot of the result bus or the queue of copies */
	struct access access[OP_MAX_ACCESSES];
};

struct op_pool {
	struct arena *arena;
	struct op *free;
};

static inline struct op *op_new(struct op_pool *pool)
{
	struct op *op = pool->free;
	if (!op)
		return arena_alloc(pool->arena, sizeof *op);
	pool->free = op->next;
	return op;
}

static inline void op_free(struct op_pool *pool, struct op *op)
{
	op->next = pool->free;
	pool->free = op;
}

#endif
