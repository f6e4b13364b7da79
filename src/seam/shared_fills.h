/* shared_fills: what mechanisms' requests bring into shared memory: the words of 4 bytes that each goes to, and whether instructions
 * have come for them.
 *
 * A fill has one fate (struct prefetch, of base/traffic.h). Useful: an instruction read a word of it that was there; late: one issued that reads a word on its way; early
 * evicted: other data came over the last of its words before; redundant: its block ended before.
 */
#ifndef SLUICE_SEAM_SHARED_FILLS_H
#define SLUICE_SEAM_SHARED_FILLS_H

#include "base/arena.h"
#include "seam/mech.h"

struct shared_fill {
	struct prefetch kept;  /* of its request, from its sending until its fate is told */
	uint32_t block;        /* slot */
	uint32_t words, holds; /* that it goes to; of these, that hold its data */
	struct shared_fill *next; /* of those on their way, or free ones */
	uint32_t word[MECH_MAX_WORDS]; /* of the block's shared memory, by number */
};

struct shared_fills {
	struct arena *arena; /* of the kernel; NULL: nobody has asked for anything yet */
	uint32_t block_words;
	struct shared_fill **word; /* by block slot and word: whose data are there, */
	uint32_t *on_way;          /* and how many have data on their way there */
	struct shared_fill *coming, *free;
	struct prefetch_teller teller;
};

/* For blocks with so many bytes each. */
void shared_fills_open(struct shared_fills *fills, uint32_t blocks, uint32_t block_bytes,
                       const struct prefetch_teller *teller, struct arena *arena);

/* What a request to shared memory asks for. */
struct shared_fill *shared_fills_new(struct shared_fills *fills, const struct mech_request *request);
/* It has left; it is there, the block still being so; its block has gone. One that has not come to its words is freed by whoever has it. */
void shared_fills_sent(struct shared_fills *fills, struct shared_fill *fill, const struct prefetch *kept);
void shared_fills_arrived(struct shared_fills *fills, struct shared_fill *fill);
void shared_fills_lost(struct shared_fills *fills, struct shared_fill *fill);
void shared_fills_free(struct shared_fills *fills, struct shared_fill *fill);

/* An instruction of a block reads, or writes, so many bytes at each lane's address. */
void shared_fills_read(struct shared_fills *fills, uint32_t block, const uint64_t *address, uint32_t lanes,
                       uint32_t bytes);
void shared_fills_written(struct shared_fills *fills, uint32_t block, const uint64_t *address, uint32_t lanes,
                          uint32_t bytes);
void shared_fills_block_ended(struct shared_fills *fills, uint32_t block);

#endif
