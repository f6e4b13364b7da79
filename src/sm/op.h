/* op: an instruction in flight, from issue to write-back, with the memory accesses that it makes. */
#ifndef SLUICE_SM_OP_H
#define SLUICE_SM_OP_H

#include "base/arena.h"
#include "base/likely.h"
#include "simt/simt.h"

/* Most transactions of an instruction: 16 bytes a lane of local memory, whose words lie apart; eight texels a lane of a texture. */
enum { OP_MAX_LOCAL_ACCESSES = 4 * WARP_SIZE, OP_MAX_ACCESSES = 8 * WARP_SIZE };

/* One memory transaction of a warp: bytes of one line (or piece of it). */
struct access {
	uint64_t address;
	uint32_t bytes, lanes;
	uint32_t written;      /* where one piece is touched: its bytes that are */
	uint8_t chunks, whole; /* 32-byte pieces touched, and covered in full, from `address` on */
};

struct op {
	const struct simt_inst *inst;
	uint64_t number;      /* of its issue, in the SM's order */
	uint64_t issued;      /* cycle; known where a profile is kept */
	uint32_t warp;        /* slot */
	uint32_t lanes;       /* that run */
	uint8_t space;        /* memory: enum ptx_space, resolved */
	uint8_t pipe;         /* enum sm_pipe */
	uint8_t place;        /* of a sub-core (sub_cores.h) */
	uint8_t level;        /* enum request_level: the deepest that served it */
	uint16_t bank_cycles; /* shared memory: still to come; of a copy, behind its answers */
	uint16_t latency, initiation; /* in its unit */
	uint16_t accesses;    /* access[0..accesses) are still to be made; the last goes first */
	uint16_t unanswered;  /* made or to be made, without an answer */
	uint32_t group;       /* of a copy */
	struct op *next;      /* in the pool, a latch, a slot of the result bus or the queue of copies */
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
