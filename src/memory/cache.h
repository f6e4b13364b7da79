/* cache: the tags, MSHRs and miss queue of one cache. L1 data, constant and instruction caches and L2 all use this
 * model. This file describes accesses; tags.h, mshr.h and prefetch_account.h describe the parts.
 *
 * The cache has no clock: its owner passes the cycle. An access returns its result at once. Misses wait in the miss
 * queue until the owner sends them on, and return through cache_fill(). The merged requests of a filled line then
 * leave one by one.
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

/* All caches have the same counters, so that formulas and scripts can treat them alike. In caches that are only read
 * (l1i, l1t, l1c), the counters of writes, write-backs, prefetches and global memory are always 0. */
#define CACHE_COUNTERS(X)                                                                                              \
	X(accesses, "requests", "accesses that the cache accepted: hits + misses + merged")                            \
	X(hits, "requests", "accesses that found their line")                                                          \
	X(misses, "requests",                                                                                          \
	  "accesses that did not find their line; in a cache that does not allocate on writes, also every write")      \
	X(merged, "requests", "accesses whose line was already in flight; they wait with the earlier miss")            \
	X(refused, "tries",                                                                                            \
	  "refused accesses, which are retried: no free line, MSHR, merge entry or miss-queue entry")                  \
	X(read_accesses, "requests", "accesses that read")                                                             \
	X(read_misses, "requests", "misses of reads, without merged ones")                                             \
	X(write_accesses, "requests", "accesses that write; always 0 in caches that are only read: l1i, l1t, l1c")     \
	X(global_reads, "requests", "read_accesses of global memory by loads, atomics and mechanisms")                 \
	X(global_read_hits, "requests", "global_reads that found their line")                                          \
	X(global_writes, "requests", "write_accesses of global memory by stores")                                      \
	X(global_write_hits, "requests", "global_writes that found their line")                                        \
	X(writebacks, "lines", "dirty lines written to the next level when they were replaced")                        \
	X(prefetches, "lines",                                                                                         \
	  "lines fetched for mechanisms, not for an instruction and not counted as accesses; in a sectored cache, "    \
	  "sectors")                                                                                                   \
	X(fills, "lines", "lines that arrived; in a sectored cache, sectors")                                          \
	X(data_port_cycles, "cycles", "cycles for which hits and write-backs occupied the data port")

struct cache_stats {
#define X(name, unit, meaning) uint64_t name;
	CACHE_COUNTERS(X)
#undef X
};

#define CACHE_NO_PLACES UINT32_MAX /* no access waits for an entry */

struct cache {
	struct cache_config config;
	struct tags tags;
	struct mshr_file mshrs;
	struct prefetch_account account; /* unused when nothing prefetches into this cache */
	struct cache_watch *watch;       /* NULL: no watcher */
	struct request_queue miss_queue;
	uint32_t sector_bytes;
	struct request_pool *pool; /* for write-backs and write-allocate reads */
	/* computes the placement of requests that go down; NULL: they are already placed */
	const struct address_map *map;
	uint8_t depth; /* CACHE_OF_SM or CACHE_OF_SLICE */
	uint64_t data_port_until, fill_port_until; /* busy before this cycle */
	/* generation of the state that refusals depend on, from 1; a refusal holds while it is unchanged */
	uint64_t changes;
	/* The events that accesses refused in this generation wait for: */
	uint32_t wanted_places; /* free miss-queue entries, the least number that one of them needs */
	/* wants_register: an MSHR, or a merge entry in one. wants_data: the arrival of some data in flight */
	bool wants_register, wants_data;
	struct cache_stats stats;
};

void cache_open(struct cache *cache, const struct cache_config *config, uint32_t depth, struct request_pool *pool,
                struct arena *arena);

/* Invalidates all lines; nothing may be in flight. Dirty lines are dropped, because values live in the device
 * memory. */
void cache_invalidate(struct cache *cache);

/* Widens a read to a whole sector, the unit of transfer. Without sectors this is a line. */
static inline void cache_widen(const struct cache *cache, struct request *request)
{
	request->bytes = cache->sector_bytes;
	request->address &= ~(uint64_t)(request->bytes - 1);
}

/* Looks the request up at `cycle`. After a read HIT, or a write that stays in this cache (!*sent_down), the caller
 * owns the request again. After REFUSED the caller still owns it. Otherwise the cache owns it; `*sent_down` means
 * that it is in the miss queue as a write. */
enum base_access_result cache_access(struct cache *cache, struct request *request, uint64_t cycle, bool *sent_down);

/* Enables prefetching into the cache. The listener receives the outcomes of prefetched lines. */
void cache_watch_open(struct cache *cache, const struct base_prefetch_listener *listener, struct arena *arena);
/* Looks up a request for request.prefetch, which no instruction waits for. It is not counted as an access and does not
 * change the replacement order. This is our choice, because no version of GPGPU-Sim prefetches
 * (docs/explanation/timing-model.md lists the other choices). HIT, MERGED: the data are present or in flight, and the
 * caller owns the request again. MISS: the cache owns it until cache_fill(). */
enum base_access_result cache_prefetch(struct cache *cache, struct request *request, uint64_t cycle);
/* The same for a request at the head of a queue that blocks later ones. A refusal is counted as for an access. */
enum base_access_result cache_prefetch_in_turn(struct cache *cache, struct request *request, uint64_t cycle);
/* True when an instruction waits for the line that `request` fetched. */
bool cache_is_demanded(const struct cache *cache, const struct request *request);
/* Reports prefetched data that were not used as unused, at a kernel's end. */
void cache_end_prefetches(struct cache *cache, uint32_t senders);

/* Starts a new generation if refused accesses may have waited for this event. */
static inline void cache_changed(struct cache *cache, bool is_wanted)
{
	if (!is_wanted)
		return;
	cache->changes++;
	cache->wanted_places = CACHE_NO_PLACES;
	cache->wants_register = cache->wants_data = false;
}

/* cache_hold_mshr takes a free MSHR without a line, for a request whose data go elsewhere. cache_release_mshr frees
 * it. */
static inline void cache_hold_mshr(struct cache *cache, struct request *request)
{
	request->wait[cache->depth].index = mshr_take(&cache->mshrs, 0);
}

static inline void cache_release_mshr(struct cache *cache, const struct request *request)
{
	mshr_release(&cache->mshrs, request->wait[cache->depth].index);
	cache_changed(cache, cache->wants_register);
}

/* Makes the request's sector present and clean, at once and without traffic, as if the copy engine had moved it
 * through this cache. A dirty line that it replaces vanishes, because memory has its data. Nothing is counted. Unless
 * it hits, it is a use of the line. */
void cache_put(struct cache *cache, const struct request *request, uint64_t cycle);

/* Another unit has written these bytes. Invalidates them where present, except data that a line must write back.
 * Data in flight will still arrive. */
void cache_forget(struct cache *cache, uint64_t address, uint32_t bytes, uint64_t cycle);

/* A read hit for which only the address matters: like cache_access(), without a request. False when the data are not
 * present; then nothing has changed. */
bool cache_read_hit(struct cache *cache, uint64_t address, uint32_t bytes, uint64_t cycle);

/* True when an access that was refused at generation `changes` would be refused again, because nothing has happened
 * in the cache. No lookup is needed. */
static inline bool cache_still_refuses(const struct cache *cache, uint64_t changes)
{
	return cache->changes == changes;
}

/* The same for an access that tries again: it is counted as refused. */
static inline bool cache_refuses_again(struct cache *cache, uint64_t changes)
{
	bool refused = cache_still_refuses(cache, changes);
	cache->stats.refused += refused;
	return refused;
}

/* Takes the oldest miss out of the queue, which must not be empty. The freed entry may serve an access that was
 * refused because the queue was full. */
static inline struct request *cache_take_miss(struct cache *cache)
{
	struct request *request = request_queue_pop(&cache->miss_queue);
	cache_changed(cache, (uint64_t)cache->miss_queue.count + cache->wanted_places <= cache->config.miss_queue);
	return request;
}

/* The line that `request` fetched has arrived. After cache_prefetch() the caller owns the request again. */
void cache_fill(struct cache *cache, struct request *request, uint64_t cycle);

/* True when the request is a read that this cache sent down and waits for. */
static inline bool cache_waits_for(const struct request *request)
{
	return !request->is_write && request->kind != REQUEST_L2_WRITEBACK;
}

/* cache_has_ready: true when a merged request waits whose line has arrived. cache_next_ready() takes the next one,
 * or returns NULL. */
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

extern const struct base_counter cache_counters[];
extern const size_t cache_counter_count;

#endif
