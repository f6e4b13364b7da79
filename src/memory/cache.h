/* cache: tags, miss-status holding registers and a miss queue; the same model for L1 data, constant, instruction and L2.
 *
 * It knows no time of its own: its owner says when. An access is answered at once with what happened; misses wait in the
 * miss queue until the owner sends them on, and come back through cache_fill(); the merged requests of a filled line then
 * come out one by one.
 */
#ifndef SLUICE_MEMORY_CACHE_H
#define SLUICE_MEMORY_CACHE_H

#include "base/table.h"
#include "memory/request.h"

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
enum cache_index { INDEX_LINEAR, INDEX_HASHED };
/* What a write miss does besides sending the write down: */
enum cache_write_miss {
	WRITE_MISS_NONE,  /* nothing */
	WRITE_MISS_FETCH, /* reads the line (fetch on write) */
	WRITE_MISS_LAZY, /* keeps the write, sends nothing; a read of what was not written fetches (lazy fetch on read) */
};

struct cache_config {
	uint32_t sets, ways, line_bytes;
	uint32_t sectors; /* parts of a line that come and go alone: 1 or 4 */
	uint32_t index;   /* enum cache_index; hashed: 32 or 64 sets */
	uint32_t replacement, allocation, write, write_miss;
	uint32_t mshrs, merges; /* lines in flight; requests a line */
	uint32_t miss_queue;    /* requests waiting to be sent down */
	uint32_t port_bytes;    /* data port: bytes a cycle; 0: a line */
	bool perfect;           /* idealised: every access hits, nothing goes down */
};

/* How an access ended. Refused: nothing was done, try again. */
enum cache_result { CACHE_HIT, CACHE_MISS, CACHE_MERGED, CACHE_REFUSED };

#define CACHE_COUNTERS(X)                                                                                              \
	X(accesses, "requests", "accesses that were accepted: hits + misses + merged")                                 \
	X(hits, "requests", "found their line")                                                                        \
	X(misses, "requests",                                                                                          \
	  "did not find their line; for a cache that does not allocate on writes, every such write")                   \
	X(merged, "requests", "found their line on its way and joined the wait")                                       \
	X(refused, "tries", "turned away for want of a line, an MSHR, a merge place or miss-queue room; tried again")  \
	X(read_accesses, "requests", "accesses that read")                                                             \
	X(read_misses, "requests", "misses that read, merged ones not counted")                                        \
	X(write_accesses, "requests", "accesses that write")                                                           \
	X(writebacks, "lines", "dirty lines sent down when they were replaced")                                        \
	X(prefetches, "lines", "sent for by mechanisms, for no instruction; they are no accesses; sectors, if it has any")     \
	X(fills, "lines", "that arrived; sectors, where a line's come alone")

/* What became of a line that was fetched for nobody's instruction, or of one of its sectors. */
enum cache_fate { CACHE_USED, CACHE_LATE, CACHE_EVICTED, CACHE_UNUSED };

/* Follows lines that cache_prefetch() brings, for whoever keeps accounts of them. */
struct cache_watch {
	void (*tell)(void *user, enum cache_fate fate, uint32_t mark);
	void *user;
	uint32_t *present, *coming; /* marks: by line and sector; by MSHR. 0: none */
};

struct cache_stats {
#define X(name, unit, meaning) uint64_t name;
	CACHE_COUNTERS(X)
#undef X
};

enum { CACHE_MAX_SECTORS = 4 };

/* A line; masks have a bit a sector. It is free when nothing is present or reserved. */
struct cache_line {
	uint64_t block;                   /* address of its first byte */
	uint64_t used;                    /* time of last use (LRU) or of allocation (FIFO) */
	uint64_t local;                   /* request.local of the block, for its write-back */
	uint32_t mshr[CACHE_MAX_SECTORS]; /* while reserved: the register that waits for it */
	uint16_t slice;
	uint8_t reserved; /* data on their way */
	uint8_t present;  /* hold data */
	uint8_t partial;  /* of those, not all bytes: only written ones */
	uint8_t dirty;
	uint8_t dirty_on_fill; /* written while on their way */
};

struct mshr {
	uint64_t block;
	struct request *first, *last; /* merged requests, in order */
	uint32_t count;
	bool has_atomic;
	bool prefetches; /* the first of them is of cache_prefetch() */
};

struct cache {
	struct cache_config config;
	struct cache_line *line;
	struct mshr *mshr;
	uint32_t *free_mshr; /* stack of indices */
	uint32_t free_mshrs;
	uint32_t *ready; /* ring of MSHRs whose line has arrived */
	uint32_t ready_head, ready_count;
	struct cache_line *read_last; /* the line that cache_read_hit() found last */
	struct request_queue miss_queue;
	uint32_t sector_bytes;
	uint8_t line_shift, sector_shift; /* of addresses */
	struct request_pool *pool;        /* for write-backs and write-allocate reads */
	uint8_t depth;                    /* CACHE_OF_SM or CACHE_OF_SLICE (whose sets come from request.local) */
	uint64_t data_port_until, fill_port_until; /* busy before this cycle */
	const struct request *refused; /* the last access, when it was turned away; nothing has come or gone since, */
	uint32_t refused_queue;        /* as long as the miss queue holds as many as then */
	struct cache_watch watch;      /* tell NULL: nobody prefetches */
	struct cache_stats stats;
};

void cache_open(struct cache *cache, const struct cache_config *config, uint32_t depth, struct request_pool *pool,
                struct arena *arena);

/* Forgets all lines; nothing may be in flight. Dirty lines are dropped: values live in the device memory. */
void cache_invalidate(struct cache *cache);

/* Makes a read one of a whole sector, which is what comes and goes: a line, where it has no smaller ones. */
static inline void cache_widen(const struct cache *cache, struct request *request)
{
	request->bytes = cache->sector_bytes;
	request->address &= ~(uint64_t)(request->bytes - 1);
}

/* Looks the request up at `cycle`. After HIT of a read the request is the caller's again, after a write that is kept here
 * (!*sent_down) too; in all other cases but REFUSED the cache has it (`*sent_down`: as a write in the miss queue). */
enum cache_result cache_access(struct cache *cache, struct request *request, uint64_t cycle, bool *sent_down);

/* From now on lines may be prefetched: `tell` hears what becomes of them. */
void cache_watch_open(struct cache *cache, void (*tell)(void *user, enum cache_fate fate, uint32_t mark), void *user,
                      struct arena *arena);
/* Looks a request with a mark up that no instruction waits for: it is no access, and moves no line. HIT and MERGED: its data
 * are there or on their way, and it is the caller's again; MISS: the cache has it until cache_fill(). */
enum cache_result cache_prefetch(struct cache *cache, struct request *request, uint64_t cycle);
/* True when an instruction waits for the line that `request` fetched. */
bool cache_is_demanded(const struct cache *cache, const struct request *request);
/* Tells that what has not been used is unused, at a kernel's end. */
void cache_watch_end(struct cache *cache);

/* A read that finds its data, of which nothing but the address matters: as cache_access(), without a request. False: they
 * are not there, and nothing was done. */
bool cache_read_hit(struct cache *cache, uint64_t address, uint32_t bytes, uint64_t cycle);

/* True when the request was turned away and would be again, unchanged, because nothing has happened in the cache: it counts
 * as turned away, and need not be looked up. */
static inline bool cache_refuses(struct cache *cache, const struct request *request)
{
	if (cache->refused != request || cache->refused_queue != cache->miss_queue.count)
		return false;
	cache->stats.refused++;
	return true;
}

/* The line that `request` fetched has arrived. A request of cache_prefetch() is the caller's again. */
void cache_fill(struct cache *cache, struct request *request, uint64_t cycle);

/* True when the request is a read that this cache sent down and waits for. */
static inline bool cache_waits_for(const struct request *request)
{
	return !request->is_write && request->kind != REQUEST_L2_WRITEBACK;
}

/* The next merged request whose line is there, or NULL; cache_next_ready() takes it. */
static inline bool cache_has_ready(const struct cache *cache)
{
	return cache->ready_count > 0;
}
struct request *cache_next_ready(struct cache *cache);

static inline bool cache_data_port_free(const struct cache *cache, uint64_t cycle)
{
	return cache->data_port_until <= cycle;
}

static inline bool cache_fill_port_free(const struct cache *cache, uint64_t cycle)
{
	return cache->fill_port_until <= cycle;
}

extern const struct counter cache_counters[];
extern const size_t cache_counter_count;

#endif
