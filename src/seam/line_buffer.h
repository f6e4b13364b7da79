/* line_buffer: the buffer that answers before L1: set-associative tags over lines of 32-byte sectors, least recently used
 * lines replaced, each line owned by the blocks that it was brought for.
 *
 * It may lie in shared memory, of which resident blocks have allocated a part: then it has as many ways as the rest holds.
 */
#ifndef SLUICE_SEAM_LINE_BUFFER_H
#define SLUICE_SEAM_LINE_BUFFER_H

#include "base/arena.h"
#include "base/traffic.h"
#include "seam/mech.h"

enum { BUFFER_SECTORS = 8 }; /* of a line, at most */

/* A request that has brought some of a line's sectors. */
struct buffer_brought {
	struct prefetch prefetch;
	struct buffer_brought *next;
};

struct buffer_line {
	uint64_t block;                 /* address of its first byte */
	uint64_t used;                  /* when it was used last, by the buffer's count of uses */
	uint64_t owners;                /* block slots, as bits */
	struct buffer_brought *brought; /* by whom, in order, until an instruction finds it; then NULL */
	uint8_t sectors;                /* present */
};

struct buffer_set {
	struct buffer_line *line;
	uint32_t lines, room;
};

struct line_buffer {
	struct mech_buffer config;
	uint32_t line_bytes, ways; /* at present; UINT32_MAX: no limit */
	struct buffer_set *set;
	uint64_t uses;
	struct prefetch_teller teller;
	struct arena arena; /* of what is kept of requests */
	struct buffer_brought *free;
};

/* Who hears what becomes of what is brought must not change the buffer meanwhile. */
void line_buffer_open(struct line_buffer *buffer, const struct mech_buffer *config, uint32_t line_bytes,
                      const struct prefetch_teller *teller);
void line_buffer_close(struct line_buffer *buffer);

/* Resident blocks have allocated so many bytes of the memory that the buffer lies in. */
void line_buffer_allocated(struct line_buffer *buffer, uint32_t bytes);

/* An access finds the sectors that it touches; bit i of `touched` is the i-th from `address` on, which is a sector's first
 * byte. */
bool line_buffer_find(struct line_buffer *buffer, uint64_t address, uint32_t touched);
/* Whether it would, without counting as a use. */
bool line_buffer_has(const struct line_buffer *buffer, uint64_t address, uint32_t touched);

/* Data come, for a block. `brought` NULL: nobody's account. */
void line_buffer_put(struct line_buffer *buffer, uint64_t address, uint32_t bytes, uint32_t block,
                     const struct prefetch *brought);

/* Forgets a line; a block's ownership, and lines that no other block owns; everything. */
void line_buffer_drop(struct line_buffer *buffer, uint64_t address);
void line_buffer_block_ended(struct line_buffer *buffer, uint32_t block);
void line_buffer_empty(struct line_buffer *buffer);

#endif
