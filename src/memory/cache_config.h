/* cache_config: what a cache is, as a machine's options give it. */
#ifndef SLUICE_MEMORY_CACHE_CONFIG_H
#define SLUICE_MEMORY_CACHE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum cache_replacement { REPLACE_LRU, REPLACE_FIFO };
/* When a line is claimed for a miss: when the miss is sent, or when its data arrive. */
enum cache_allocation { ALLOCATE_ON_MISS, ALLOCATE_ON_FILL };
/* What a write hit does: */
enum cache_write {
	WRITE_EVICT,   /* the line is dropped, the write goes down (Fermi's L1, global data) */
	WRITE_THROUGH, /* the line is updated, the write goes down */
	WRITE_BACK,    /* the line is updated and dirty */
};
/* Which set a block goes to. */
enum cache_index { INDEX_LINEAR, INDEX_HASHED, INDEX_POLYNOMIAL };
/* What a write miss does besides sending the write down: */
enum cache_write_miss {
	WRITE_MISS_NONE,  /* nothing */
	WRITE_MISS_FETCH, /* reads the line (fetch on write) */
	WRITE_MISS_LAZY, /* keeps the write, sends nothing; a read of what was not written fetches (lazy fetch on read) */
};

enum { CACHE_MAX_SECTORS = 4 };

struct cache_config {
	uint32_t sets, ways, line_bytes;
	uint32_t sectors; /* parts of a line that come and go alone: 1 or 4 */
	uint32_t index;   /* enum cache_index; hashed: 32 or 64 sets; polynomial: 16, 32 or 64 */
	uint32_t replacement, allocation, write, write_miss;
	uint32_t mshrs, merges; /* lines in flight; requests a line */
	uint32_t miss_queue;    /* requests waiting to be sent down */
	uint32_t port_bytes;    /* data port: bytes a cycle; 0: a line */
	uint32_t dirty_percent; /* of all lines, which must be dirty before a dirty one goes */
	bool writes_pass;       /* a write that claims no line goes down though no line of its set could go */
	bool perfect;           /* idealised: every access hits, nothing goes down */
};

#endif
