/* cache: tags, miss-status holding registers and a miss queue; the same model for L1 data, constant, instruction and L2. What an
 * access does to them is here; what they are, in tags.h, mshr.h and prefetch_account.h.
 *
 * It knows no time of its own: its owner says when. An access is answered at once with what happened; misses wait in the
 * miss queue until the owner sends them on, and come back through cache_fill(); the merged requests of a filled line then
 * come out one by one.
 */
#ifndef SLUICE_MEMORY_CACHE_H
#define SLUICE_MEMORY_CACHE_H

#include "base/table.h"
#include "base/traffic.h"
#include "memory/address_map.h"
#include "memory/cache_config.h"
#include "memory/cache_watch.h"
#include "memory/mshr.h"
#include "memory/prefetch_account.h"
#include "memory/request.h"
#include "memory/tags.h"

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
	X(global_reads, "requests", "read_accesses of global memory by loads, atomics and mechanisms")                 \
	X(global_read_hits, "requests", "of global_reads: found their line")                                           \
	X(global_writes, "requests", "write_accesses of global memory by stores")                                      \
	X(global_write_hits, "requests", "of global_writes: found their line")                                         \
	X(writebacks, "lines", "dirty lines sent down when they were replaced")                                        \
	X(prefetches, "lines", "sent for by mechanisms, for no instruction; they are no accesses; sectors, if it has any")     \
	X(fills, "lines", "that arrived; sectors, where a line's come alone")

struct cache_stats {
#define X(name, unit, meaning) uint64_t name;
	CACHE_COUNTERS(X)
#undef X
};

#define CACHE_NO_PLACES UINT32_MAX /* wanted */

struct cache {
	struct cache_config config;
	struct tags tags;
	struct mshr_file mshrs;
	struct prefetch_account account; /* not kept: nobody prefetches */
	struct cache_watch *watch;       /* NULL: nobody looks at its lines */
	struct request_queue miss_queue;
	uint32_t sector_bytes;
	struct request_pool *pool; /* for write-backs and write-allocate reads */
	const struct address_map *map; /* by which requests that go down are placed; NULL: they are when they come */
	uint8_t depth;             /* CACHE_OF_SM or CACHE_OF_SLICE */
	uint64_t data_port_until, fill_port_until; /* busy before this cycle */
	uint64_t changes; /* of what accesses were refused for: who was refused is as long as it stands, from 1 */
	/* what those want who were refused since it changed: */
	uint32_t wanted_places; /* as many free ones in the miss queue, for one of them at least */
	bool wants_register, wants_data; /* a register, or a place in one; that something of what is on its way comes */
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
enum access_result cache_access(struct cache *cache, struct request *request, uint64_t cycle, bool *sent_down);

/* From now on lines may be prefetched: who hears what becomes of them. */
void cache_watch_open(struct cache *cache, const struct prefetch_teller *teller, struct arena *arena);
/* Looks a request of request.prefetch up that no instruction waits for: it is no access, and moves no line (our choice: no version of
 * GPGPU-Sim prefetches, docs/explanation/timing-model.md says what else was chosen). HIT and MERGED: its data
 * are there or on their way, and it is the caller's again; MISS: the cache has it until cache_fill(). */
enum access_result cache_prefetch(struct cache *cache, struct request *request, uint64_t cycle);
/* The same of a request in a queue, behind which others wait: it counts as turned away as an access does. */
enum access_result cache_prefetch_in_turn(struct cache *cache, struct request *request, uint64_t cycle);
/* True when an instruction waits for the line that `request` fetched. */
bool cache_is_demanded(const struct cache *cache, const struct request *request);
/* Tells that what has not been used is unused, at a kernel's end. */
void cache_watch_end(struct cache *cache);

/* Something has happened, which may be what somebody was refused for. */
static inline void cache_changed(struct cache *cache, bool is_wanted)
{
	if (!is_wanted)
		return;
	cache->changes++;
	cache->wanted_places = CACHE_NO_PLACES;
	cache->wants_register = cache->wants_data = false;
}

/* A request takes a free register without a line: its data go elsewhere; and gives it back. */
static inline void cache_hold_mshr(struct cache *cache, struct request *request)
{
	request->wait[cache->depth].index = mshr_take(&cache->mshrs, 0);
}

static inline void cache_release_mshr(struct cache *cache, const struct request *request)
{
	mshr_release(&cache->mshrs, request->wait[cache->depth].index);
	cache_changed(cache, cache->wants_register);
}

/* Others have written these bytes: what is there of them goes, but for what a line has to write back. What is on its way comes. */
void cache_forget(struct cache *cache, uint64_t address, uint32_t bytes, uint64_t cycle);

/* A read that finds its data, of which nothing but the address matters: as cache_access(), without a request. False: they
 * are not there, and nothing was done. */
bool cache_read_hit(struct cache *cache, uint64_t address, uint32_t bytes, uint64_t cycle);

/* True when an access that was turned away as of these `changes` would be again, because nothing has happened in the cache: it
 * need not be looked up. */
static inline bool cache_still_refuses(const struct cache *cache, uint64_t changes)
{
	return cache->changes == changes;
}

/* The same of one that tries again: it counts as turned away. */
static inline bool cache_refuses_again(struct cache *cache, uint64_t changes)
{
	bool refused = cache_still_refuses(cache, changes);
	cache->stats.refused += refused;
	return refused;
}

/* Takes the oldest miss, which leaves; there is one. Its place is of use to who was refused for want of places. */
static inline struct request *cache_take_miss(struct cache *cache)
{
	struct request *request = request_queue_pop(&cache->miss_queue);
	cache_changed(cache, cache->miss_queue.capacity - cache->miss_queue.count >= cache->wanted_places);
	return request;
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
	return cache->mshrs.ready_count > 0;
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
