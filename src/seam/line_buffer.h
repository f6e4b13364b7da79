/* line_buffer: the buffer in front of L1. It has set-associative tags over lines of 32-byte sectors and replaces the
 * least recently used line. Blocks own the lines that were fetched for them.
 *
 * The buffer may lie in shared memory, of which resident blocks have allocated a part. Its number of ways is then
 * what fits into the rest.
 */
#ifndef SLUICE_SEAM_LINE_BUFFER_H
#define SLUICE_SEAM_LINE_BUFFER_H

#include "base/arena.h"
#include "base/traffic.h"
#include "seam/mech.h"

enum { BUFFER_SECTORS = 8 }; /* per line, at most */

/* A request that has fetched some sectors of a line. */
struct buffer_brought {
	struct base_prefetch prefetch;
	struct buffer_brought *next;
};

struct buffer_line {
	uint64_t address; /* of the line's first byte */
	uint64_t used;    /* time of the last use, by the buffer's count of uses */
	uint64_t owners;  /* owning blocks, one bit per slot */
	/* requests that fetched it, in order, until an instruction hits the line; then NULL */
	struct buffer_brought *brought;
	uint8_t sectors; /* present sectors, one bit each */
};

struct buffer_set {
	struct buffer_line *line;
	uint32_t lines, room;
};

struct line_buffer {
	struct mech_buffer config;
	uint32_t line_bytes, ways; /* ways at present; UINT32_MAX: no limit */
	struct buffer_set *set;
	uint64_t uses;
	struct base_prefetch_listener listener;
	struct arena arena; /* holds the buffer_brought entries */
	struct buffer_brought *free;
};

/* The listener, which receives the outcomes of requests, must not change the buffer while it is called. */
void line_buffer_open(struct line_buffer *buffer, const struct mech_buffer *config, uint32_t line_bytes,
                      const struct base_prefetch_listener *listener);
void line_buffer_close(struct line_buffer *buffer);

/* Resident blocks have allocated `bytes` bytes of the memory that holds the buffer. */
void line_buffer_allocated(struct line_buffer *buffer, uint32_t bytes);

/* True when an access hits all the sectors that it touches; this counts as a use. Bit i of `touched` is the i-th
 * sector from `address`, which is a sector's first byte. */
bool line_buffer_find(struct line_buffer *buffer, uint64_t address, uint32_t touched);
/* True when line_buffer_find() would hit. Does not count as a use. */
bool line_buffer_has(const struct line_buffer *buffer, uint64_t address, uint32_t touched);

/* Writes data that arrived for a block. `brought` is the request to account for them; NULL: no account. */
void line_buffer_put(struct line_buffer *buffer, uint64_t address, uint32_t bytes, uint32_t block,
                     const struct base_prefetch *brought);

/* line_buffer_drop invalidates a line. line_buffer_block_ended removes a block's ownership and the lines that no
 * other block owns. line_buffer_empty invalidates all lines. */
void line_buffer_drop(struct line_buffer *buffer, uint64_t address);
/* Reports the requests of these senders that no instruction has used as redundant. Bit i: sender i + 1. */
void line_buffer_end_requests(struct line_buffer *buffer, uint32_t senders);
void line_buffer_block_ended(struct line_buffer *buffer, uint32_t block);
void line_buffer_empty(struct line_buffer *buffer);

#endif
