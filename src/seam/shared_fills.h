/* shared_fills: tracks the data that mechanisms' requests write into shared memory: the 4-byte words that each
 * request fills, and whether instructions have used them.
 *
 * A fill has one outcome (struct base_prefetch in base/traffic.h):
 * - useful: an instruction read one of its words after the data had arrived;
 * - late: an instruction that reads one of its words issued while the data were in flight;
 * - early evicted: other data overwrote its last word before any use;
 * - redundant: its block ended before any use.
 */
#ifndef SLUICE_SEAM_SHARED_FILLS_H
#define SLUICE_SEAM_SHARED_FILLS_H

#include "base/arena.h"
#include "seam/mech.h"

struct shared_fill {
	struct base_prefetch kept;     /* of its request; valid from sending until its outcome is reported */
	uint32_t block;                /* block slot */
	uint32_t words, holds;         /* number of destination words, and how many of them hold its data */
	struct shared_fill *next;      /* in the list of fills in flight, or of free ones */
	uint32_t word[MECH_MAX_WORDS]; /* word indices in the block's shared memory */
};

struct shared_fills {
	struct arena *arena; /* of the kernel; NULL: no request has been made yet */
	uint32_t block_words;
	struct shared_fill **word; /* by block slot and word: the fill whose data the word holds */
	uint32_t *on_way;          /* by block slot and word: number of fills in flight to the word */
	struct shared_fill *coming, *free;
	struct base_prefetch_listener listener;
};

/* Opens the table for `blocks` block slots with `block_bytes` bytes each. */
void shared_fills_open(struct shared_fills *fills, uint32_t blocks, uint32_t block_bytes,
                       const struct base_prefetch_listener *listener, struct arena *arena);

/* Makes a fill for a request to shared memory. */
struct shared_fill *shared_fills_new(struct shared_fills *fills, const struct mech_request *request);
/* shared_fills_sent: the request has left. shared_fills_arrived: its data have arrived while its block is still
 * resident. shared_fills_lost: its block has ended. shared_fills_free: the caller frees a fill that has not reached
 * its words. */
void shared_fills_sent(struct shared_fills *fills, struct shared_fill *fill, const struct base_prefetch *kept);
void shared_fills_arrived(struct shared_fills *fills, struct shared_fill *fill);
void shared_fills_lost(struct shared_fills *fills, struct shared_fill *fill);
void shared_fills_free(struct shared_fills *fills, struct shared_fill *fill);

/* An instruction of a block reads or writes `bytes` bytes at each lane's address. */
void shared_fills_read(struct shared_fills *fills, uint32_t block, const uint64_t *address, uint32_t lanes,
                       uint32_t bytes);
void shared_fills_written(struct shared_fills *fills, uint32_t block, const uint64_t *address, uint32_t lanes,
                          uint32_t bytes);
void shared_fills_block_ended(struct shared_fills *fills, uint32_t block);

#endif
