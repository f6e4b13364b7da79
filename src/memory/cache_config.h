/* cache_config: the parameters of a cache, as a machine's options set them. */
#ifndef SLUICE_MEMORY_CACHE_CONFIG_H
#define SLUICE_MEMORY_CACHE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum cache_replacement { REPLACE_LRU, REPLACE_FIFO };
/* When a miss claims a line: when it is sent, or when its data arrive. */
enum cache_allocation { ALLOCATE_ON_MISS, ALLOCATE_ON_FILL };
/* The action of a write hit: */
enum cache_write {
	WRITE_EVICT,   /* drops the line and sends the write down (Fermi's L1, global data) */
	WRITE_THROUGH, /* updates the line and sends the write down */
	WRITE_BACK,    /* updates the line and makes it dirty */
};
/* How a block is mapped to a set. */
enum cache_index { INDEX_LINEAR, INDEX_HASHED, INDEX_POLYNOMIAL };
/* The action of a write miss in addition to sending the write down: */
enum cache_write_miss {
	WRITE_MISS_NONE,  /* none */
	WRITE_MISS_FETCH, /* reads the line (fetch on write) */
	/* holds the write here and sends nothing; a later read of unwritten bytes fetches them (lazy fetch on read) */
	WRITE_MISS_LAZY,
};

enum { CACHE_MAX_SECTORS = 4 };

struct cache_config {
	uint32_t sets, ways, line_bytes;
	uint32_t sectors; /* separately valid parts of a line: 1 or 4 */
	uint32_t index;   /* enum cache_index; hashed: 32 or 64 sets; polynomial: 16, 32 or 64; linear: any */
	uint32_t replacement, allocation, write, write_miss;
	uint32_t mshrs, merges; /* lines in flight; requests per line */
	uint32_t miss_queue;    /* requests waiting to be sent down */
	uint32_t port_bytes;    /* data port: bytes per cycle; 0: a line */
	uint32_t dirty_percent; /* percentage of all lines that must be dirty before a dirty line may be evicted */
	bool writes_pass;       /* a write that claims no line goes down even when no line of its set can be evicted */
	bool perfect;           /* idealised: every access hits, nothing goes down */
};

#endif
