#include "memory/cache.h"
#include "memory/cache_insert.h"

#include "base/arena.h"

const struct base_counter cache_counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_GPU, offsetof(struct cache_stats, name), meaning, BASE_COMBINE_SUM},
	CACHE_COUNTERS(X)
#undef X
};
const size_t cache_counter_count = sizeof cache_counters / sizeof cache_counters[0];

/* Additional entries of the miss queue for the write-backs of fills. A cache that allocates on fills evicts a dirty
 * line when data arrive, and must not make them wait for the queue: DRAM could not take the queue's requests while its
 * data wait. Each fill in flight, at most one per MSHR, has an entry. */
static uint32_t places_of_fills(const struct cache_config *config)
{
	return config->allocation == ALLOCATE_ON_FILL ? config->mshrs : 0;
}

void cache_open(struct cache *cache, const struct cache_config *config, uint32_t depth, struct request_pool *pool,
                struct arena *arena)
{
	*cache = (struct cache){.config = *config,
	                        .pool = pool,
	                        .depth = (uint8_t)depth,
	                        .changes = 1,
	                        .wanted_places = CACHE_NO_PLACES};
	tags_open(&cache->tags, config, depth, arena);
	mshr_open(&cache->mshrs, config->mshrs, config->merges, depth, arena);
	request_queue_open(&cache->miss_queue, arena, config->miss_queue + places_of_fills(config));
	cache->sector_bytes = config->line_bytes / config->sectors;
	if (!cache->config.port_bytes)
		cache->config.port_bytes = config->line_bytes;
}

void cache_invalidate(struct cache *cache)
{
	tags_clear(&cache->tags);
	cache_changed(cache, true);
}

/* Hits occupy the data port for their bytes, write-backs for the dirty bytes. Fills occupy the fill port for their
 * bytes. Misses occupy no port (GPGPU-Sim: baseline_cache::bandwidth_management; version 3.2.2 writes whole lines
 * back, 4.2.0 dirty sectors). */
static uint32_t port_cycles(const struct cache *cache, uint32_t bytes)
{
	uint32_t port_bytes = cache->config.port_bytes;
	return bytes <= port_bytes ? 1 : (bytes + port_bytes - 1) / port_bytes;
}

static void occupy(uint64_t *until, uint64_t cycle, uint32_t cycles)
{
	*until = (*until > cycle ? *until : cycle) + cycles;
}

static void occupy_data_port(struct cache *cache, uint64_t cycle, uint32_t cycles)
{
	occupy(&cache->data_port_until, cycle, cycles);
	cache->stats.data_port_cycles += cycles;
}

/* The MSHR that waits for the sector, or MSHR_NONE. A cache that allocates on misses stores its index in the
 * reserved line. One that allocates on fills has few MSHRs and searches them. */
static uint32_t find_mshr(const struct cache *cache, const struct tag_probe *probe)
{
	if (cache->config.allocation == ALLOCATE_ON_FILL)
		return mshr_find(&cache->mshrs, probe->sector_address);
	return probe->state == TAG_RESERVED ? cache->tags.line[probe->at].mshr[probe->sector] : MSHR_NONE;
}

/* True when the miss queue has this number of free entries. Otherwise the access is refused until they are free
 * (cache_take_miss()). */
static bool miss_queue_room(struct cache *cache, uint32_t requests)
{
	bool room = cache->miss_queue.count + requests <= cache->config.miss_queue;
	if (!room && requests < cache->wanted_places)
		cache->wanted_places = requests;
	return room;
}

/* A miss may need two entries, for its read and a write-back. A read-only cache never writes back (GPGPU-Sim:
 * data_cache::rd_miss_base(), read_only_cache::access()). All entries that a miss may need must be free, even if it
 * does not use them. */
static uint32_t places_of_read(const struct cache *cache)
{
	return cache->config.allocation == ALLOCATE_ON_MISS ? 2 : 1;
}

static void place(const struct cache *cache, struct request *request)
{
	if (cache->map)
		address_map_place(cache->map, request);
}

static void send_down(struct cache *cache, struct request *request)
{
	place(cache, request);
	request_queue_push(&cache->miss_queue, request);
}

/* Mask of the 32-byte chunks of a line that these sectors cover, as stores use it. */
static uint8_t chunks_of(const struct cache *cache, uint32_t sectors)
{
	uint32_t each = cache->sector_bytes / REQUEST_CHUNK_BYTES, chunks = 0;
	for (; sectors; sectors &= sectors - 1)
		chunks |= ((1u << each) - 1) << (uint32_t)__builtin_ctz(sectors) * each;
	return (uint8_t)chunks;
}

/* Sends the dirty sectors of a replaced line down. */
static void write_back(struct cache *cache, const struct cache_line *line, uint16_t sm, uint64_t cycle)
{
	struct request *victim = request_new(cache->pool);
	victim->kind = cache->depth == CACHE_OF_SLICE ? REQUEST_L2_WRITEBACK : REQUEST_L1_WRITEBACK;
	victim->is_write = true;
	victim->address = line->block;
	victim->slice_address = line->slice_address;
	victim->slice = line->slice;
	victim->sm = sm;
	victim->bytes = victim->dram_bytes = (uint32_t)__builtin_popcount(line->dirty) * cache->sector_bytes;
	victim->chunks = chunks_of(cache, line->dirty);
	send_down(cache, victim);
	occupy_data_port(cache, cycle, port_cycles(cache, victim->bytes));
	cache->stats.writebacks++;
}

/* The line to replace: the probed one, unless a watcher chooses. */
static inline uint32_t line_to_go(struct cache *cache, const struct request *request, const struct tag_probe *probe,
                                  uint64_t cycle)
{
	return cache->watch ? cache_watch_victim(cache->watch, &cache->tags, probe, request, cycle) : probe->at;
}

/* An access has hit the line or waits for it. */
static inline void use_line(struct cache *cache, const struct request *request, uint32_t at, uint64_t cycle)
{
	tags_use(&cache->tags, at, cycle);
	if (cache->watch)
		cache_watch_used(cache->watch, &cache->tags, at, request, cycle);
}

/* Assigns a line to the request's block and returns it. A dirty victim is written back. If the block already has a
 * line, only a use is recorded. */
static uint32_t claim_line(struct cache *cache, const struct request *request, const struct tag_probe *probe,
                           uint64_t cycle)
{
	if (probe->state != TAG_MISS) {
		use_line(cache, request, probe->at, cycle);
		return probe->at;
	}
	uint32_t at = line_to_go(cache, request, probe, cycle);
	const struct cache_line *line = &cache->tags.line[at];
	if (line->dirty && cache->config.write != WRITE_THROUGH)
		write_back(cache, line, request->sm, cycle);
	cache_insert(cache, request, at, probe->block, cycle);
	return at;
}

/* Merges a read with the requests that wait for the sector. False: refused. */
static bool merge(struct cache *cache, uint32_t index, struct request *request, const struct tag_probe *probe,
                  uint64_t cycle)
{
	if (!mshr_can_merge(&cache->mshrs, index))
		return false;
	mshr_merge(&cache->mshrs, index, request);
	prefetch_account_late(&cache->account, index);
	if (cache->config.allocation == ALLOCATE_ON_MISS)
		claim_line(cache, request, probe, cycle);
	return true;
}

/* Reserves the sector of the line for this MSHR. */
static void reserve(struct cache_line *line, const struct tag_probe *probe, uint32_t index)
{
	line->reserved |= probe->bit;
	line->dirty_on_fill = (uint8_t)((line->dirty_on_fill & ~probe->bit) | (line->dirty & probe->bit));
	line->present &= (uint8_t)~probe->bit;
	line->mshr[probe->sector] = index;
}

/* Sends a read for the sector down, or merges it with one in flight. False: refused. */
static bool read_down(struct cache *cache, struct request *request, const struct tag_probe *probe, uint64_t cycle)
{
	uint32_t index = find_mshr(cache, probe);
	bool on_miss = cache->config.allocation == ALLOCATE_ON_MISS;
	if (index != MSHR_NONE)
		return merge(cache, index, request, probe, cycle);
	if (!cache->mshrs.free || !miss_queue_room(cache, 1))
		return false;
	index = mshr_take(&cache->mshrs, probe->sector_address);
	mshr_merge(&cache->mshrs, index, request);
	request->wait[cache->depth].index = index;
	request->dram_bytes = cache->sector_bytes;
	send_down(cache, request);
	if (on_miss) {
		uint32_t at = claim_line(cache, request, probe, cycle);
		request->wait[cache->depth].index = at;
		reserve(&cache->tags.line[at], probe, index);
	}
	return true;
}

static enum base_access_result access_read(struct cache *cache, struct request *request, const struct tag_probe *probe,
                                           uint64_t cycle)
{
	if (probe->state == TAG_HIT) {
		struct cache_line *line = &cache->tags.line[probe->at];
		prefetch_account_used(&cache->account, probe->at, probe->sector);
		use_line(cache, request, probe->at, cycle);
		if (request->kind == REQUEST_ATOMIC)
			line->dirty |= probe->bit;
		return BASE_ACCESS_HIT;
	}
	if (!miss_queue_room(cache, places_of_read(cache)))
		return BASE_ACCESS_REFUSED;
	bool merges = find_mshr(cache, probe) != MSHR_NONE;
	if (!read_down(cache, request, probe, cycle))
		return BASE_ACCESS_REFUSED;
	return merges ? BASE_ACCESS_MERGED : BASE_ACCESS_MISS;
}

/* Mask of the bytes of its sector that the write covers. For sectors of more than 32 bytes it is all or none. */
static uint32_t bytes_written(const struct cache *cache, const struct request *request)
{
	uint32_t chunks = cache->sector_bytes / REQUEST_CHUNK_BYTES;
	if (chunks == 1)
		return request->written;
	return request->bytes == cache->sector_bytes && request->full_chunks == (1u << chunks) - 1 ? UINT32_MAX : 0;
}

/* A sector is partial until all its bytes are written (GPGPU-Sim 4.2.0: the byte masks of sector_cache_block). */
static void note_written(const struct cache *cache, struct cache_line *line, const struct request *request,
                         const struct tag_probe *probe)
{
	bool is_new = probe->state != TAG_HIT;
	uint32_t *written = &line->written[probe->sector];
	if (!is_new && !(line->partial & probe->bit))
		return;
	*written = (is_new ? 0 : *written) | bytes_written(cache, request);
	if (*written == UINT32_MAX)
		line->partial &= (uint8_t)~probe->bit;
	else
		line->partial |= probe->bit;
}

/* Invalidates a sector, because the data that it is a copy of are written. */
static void drop_sector(struct cache *cache, uint32_t at, uint32_t sector, uint64_t cycle)
{
	struct cache_line *line = &cache->tags.line[at];
	uint8_t bit = (uint8_t)(1u << sector);
	prefetch_account_dropped(&cache->account, at, sector);
	if (cache->watch && line->present == bit && !line->reserved)
		cache_watch_evicted(cache->watch, &cache->tags, at, true, cycle);
	tags_clean(&cache->tags, line);
	tags_drop(&cache->tags, at, bit);
	tags_soil(&cache->tags, line, false);
}

void cache_forget(struct cache *cache, uint64_t address, uint32_t bytes, uint64_t cycle)
{
	for (uint64_t sector = address & ~(uint64_t)(cache->sector_bytes - 1); sector < address + bytes;
	     sector += cache->sector_bytes) {
		uint32_t at = tags_find_present(&cache->tags, sector);
		bool owes =
			cache->config.write == WRITE_BACK && at != TAGS_NONE && tags_is_dirty(&cache->tags.line[at]);
		if (at == TAGS_NONE || owes)
			continue;
		drop_sector(cache, at, tags_sector(&cache->tags, sector), cycle);
		cache_changed(cache, true);
	}
}

/* A write into a line that holds the sector. Local memory is private to its thread, so a private cache may hold the
 * written data. Global data are evicted (GPGPU-Sim: data_cache::wr_hit_global_we_local_wb()). */
static enum base_access_result write_hit(struct cache *cache, struct request *request, const struct tag_probe *probe,
                                         uint64_t cycle, bool *sent_down)
{
	struct cache_line *line = &cache->tags.line[probe->at];
	uint32_t policy = request->kind == REQUEST_LOCAL_WRITE ? WRITE_BACK : cache->config.write;
	if (policy != WRITE_BACK) {
		if (!miss_queue_room(cache, 1))
			return BASE_ACCESS_REFUSED;
		send_down(cache, request);
		*sent_down = true;
	}
	use_line(cache, request, probe->at, cycle);
	if (policy == WRITE_BACK) {
		line->dirty |= probe->bit;
		note_written(cache, line, request, probe);
	} else if (policy == WRITE_EVICT) {
		drop_sector(cache, probe->at, probe->sector, cycle);
	}
	return BASE_ACCESS_HIT;
}

/* A write miss that stays in this cache: the sector becomes present, in whole or in part (GPGPU-Sim 4.2.0:
 * data_cache::wr_miss_wa_lazy_fetch_on_read()). */
static enum base_access_result write_lazily(struct cache *cache, struct request *request, const struct tag_probe *probe,
                                            uint64_t cycle)
{
	if (!miss_queue_room(cache, 1))
		return BASE_ACCESS_REFUSED;
	place(cache, request);
	struct cache_line *line = &cache->tags.line[claim_line(cache, request, probe, cycle)];
	if (probe->state == TAG_RESERVED) {
		line->dirty_on_fill |= probe->bit;
		return BASE_ACCESS_MERGED;
	}
	line->present |= probe->bit;
	line->dirty |= probe->bit;
	note_written(cache, line, request, probe);
	return BASE_ACCESS_MISS;
}

/* A write that goes down and also stays in this cache: its sector becomes present, in whole or in part (GPGPU-Sim
 * 4.2.0: data_cache::wr_hit_wt() and wr_miss_wa_lazy_fetch_on_read(), with a cache that writes through). */
static enum base_access_result write_through_lazily(struct cache *cache, struct request *request,
                                                    const struct tag_probe *probe, uint64_t cycle, bool *sent_down)
{
	static const enum base_access_result results[] = {[TAG_HIT] = BASE_ACCESS_HIT,
	                                                  [TAG_RESERVED] = BASE_ACCESS_MERGED,
	                                                  [TAG_SECTOR_MISS] = BASE_ACCESS_MISS,
	                                                  [TAG_MISS] = BASE_ACCESS_MISS,
	                                                  [TAG_NO_LINE] = BASE_ACCESS_REFUSED};
	if (!miss_queue_room(cache, 1))
		return BASE_ACCESS_REFUSED;
	send_down(cache, request);
	*sent_down = true;
	struct cache_line *line = &cache->tags.line[claim_line(cache, request, probe, cycle)];
	bool was_dirty = tags_is_dirty(line);
	if (probe->state == TAG_RESERVED) {
		line->dirty_on_fill |= probe->bit;
	} else {
		line->present |= probe->bit;
		line->dirty |= probe->bit;
		note_written(cache, line, request, probe);
	}
	tags_soil(&cache->tags, line, was_dirty);
	return results[probe->state];
}

/* A write miss that goes down and fetches the line. It makes up to three requests (the write, the read, a
 * write-back), and all need free entries (GPGPU-Sim: data_cache::wr_miss_wa_naive()). */
static bool write_and_fetch(struct cache *cache, struct request *request, const struct tag_probe *probe, uint64_t cycle)
{
	uint32_t index = find_mshr(cache, probe);
	bool available = index != MSHR_NONE ? mshr_can_merge(&cache->mshrs, index) : cache->mshrs.free > 0;
	if (!miss_queue_room(cache, 3) || !available)
		return false;
	send_down(cache, request);
	struct request *fill = request_new(cache->pool);
	fill->kind = cache->depth == CACHE_OF_SLICE ? REQUEST_L2_FILL : REQUEST_L1_FILL;
	fill->address = request->address;
	fill->slice_address = request->slice_address;
	fill->slice = request->slice;
	fill->bank = request->bank;
	fill->row = request->row;
	fill->sm = request->sm;
	fill->bytes = request->bytes;
	if (cache->depth == CACHE_OF_SM)
		cache_widen(cache, fill);
	read_down(cache, fill, probe, cycle);
	return true;
}

static enum base_access_result access_write(struct cache *cache, struct request *request, const struct tag_probe *probe,
                                            uint64_t cycle, bool *sent_down)
{
	bool lazy = cache->config.write_miss == WRITE_MISS_LAZY;
	if (lazy && cache->config.write == WRITE_THROUGH)
		return write_through_lazily(cache, request, probe, cycle, sent_down);
	if (probe->state == TAG_HIT)
		return write_hit(cache, request, probe, cycle, sent_down);
	if (lazy)
		return write_lazily(cache, request, probe, cycle);
	bool waits = find_mshr(cache, probe) != MSHR_NONE;
	if (cache->config.write_miss == WRITE_MISS_FETCH) {
		if (!write_and_fetch(cache, request, probe, cycle))
			return BASE_ACCESS_REFUSED;
	} else {
		if (!miss_queue_room(cache, 1))
			return BASE_ACCESS_REFUSED;
		send_down(cache, request);
	}
	*sent_down = true;
	return waits ? BASE_ACCESS_MERGED : BASE_ACCESS_MISS;
}

/* True for a write that needs a miss-queue entry whatever the cache holds. */
static bool needs_place(const struct cache *cache, const struct request *request)
{
	return request->is_write && cache->config.write != WRITE_BACK && request->kind != REQUEST_LOCAL_WRITE;
}

/* Records what a refused access may wait for besides miss-queue entries. It may also succeed only when data arrive:
 * its own, or those of another line. In a cache that allocates on fills only the MSHR shows that data are in flight,
 * and its merge entries become free one by one. */
static void note_wants(struct cache *cache, enum tag_state state)
{
	bool on_fill = cache->config.allocation == ALLOCATE_ON_FILL;
	cache->wants_register |= on_fill || !cache->mshrs.free;
	cache->wants_data |= on_fill || state == TAG_RESERVED || state == TAG_NO_LINE;
}

/* True for a write that claims no line. It is not refused when no line of its set can be evicted (GPGPU-Sim 4.2.0:
 * data_cache::process_tag_probe(); version 3.2.2 refuses it). */
static bool passes_full_set(const struct cache *cache, const struct request *request)
{
	return cache->config.writes_pass && request->is_write && cache->config.write_miss == WRITE_MISS_NONE;
}

static enum base_access_result look_up(struct cache *cache, struct request *request, uint64_t cycle, bool *sent_down)
{
	if (needs_place(cache, request) && !miss_queue_room(cache, 1))
		return BASE_ACCESS_REFUSED; /* without a lookup */
	struct tag_probe probe = tags_probe(&cache->tags, request);
	enum base_access_result result = BASE_ACCESS_REFUSED;
	if (probe.state != TAG_NO_LINE || passes_full_set(cache, request))
		result = request->is_write ? access_write(cache, request, &probe, cycle, sent_down)
		                           : access_read(cache, request, &probe, cycle);
	if (result == BASE_ACCESS_REFUSED)
		note_wants(cache, probe.state);
	return result;
}

static void count_write(struct cache_stats *stats, const struct request *request, bool hit)
{
	stats->write_accesses++;
	if (request->kind != REQUEST_WRITE)
		return;
	stats->global_writes++;
	if (hit)
		stats->global_write_hits++;
}

static void count_read(struct cache_stats *stats, const struct request *request, enum base_access_result result)
{
	stats->read_accesses++;
	if (result == BASE_ACCESS_MISS)
		stats->read_misses++;
	if (request->kind != REQUEST_READ && request->kind != REQUEST_ATOMIC)
		return;
	stats->global_reads++;
	if (result == BASE_ACCESS_HIT)
		stats->global_read_hits++;
}

/* Branches, because adding values that are mostly zero costs twice as much host work in instructions. */
static void count_access(struct cache_stats *stats, const struct request *request, enum base_access_result result)
{
	stats->accesses++;
	if (result == BASE_ACCESS_HIT)
		stats->hits++;
	else if (result == BASE_ACCESS_MISS)
		stats->misses++;
	else
		stats->merged++;
	if (request->is_write)
		count_write(stats, request, result == BASE_ACCESS_HIT);
	else
		count_read(stats, request, result);
}

enum base_access_result cache_access(struct cache *cache, struct request *request, uint64_t cycle, bool *sent_down)
{
	*sent_down = false;
	enum base_access_result result =
		cache->config.perfect ? BASE_ACCESS_HIT : look_up(cache, request, cycle, sent_down);
	if (result == BASE_ACCESS_REFUSED) {
		cache->stats.refused++;
		return result;
	}
	cache_changed(cache, true);
	if (result == BASE_ACCESS_HIT)
		occupy_data_port(cache, cycle, port_cycles(cache, request->bytes));
	count_access(&cache->stats, request, result);
	return result;
}

bool cache_read_hit(struct cache *cache, uint64_t address, uint32_t bytes, uint64_t cycle)
{
	uint32_t at = tags_find_present(&cache->tags, address);
	if (at == TAGS_NONE)
		return false;
	tags_use(&cache->tags, at, cycle);
	occupy_data_port(cache, cycle, port_cycles(cache, bytes));
	cache->stats.accesses++;
	cache->stats.hits++;
	cache->stats.read_accesses++;
	return true;
}

/* The line of a cache that allocates on fills, claimed now that its data have arrived. */
static uint32_t place_filled(struct cache *cache, const struct request *request, uint64_t cycle)
{
	struct tag_probe probe = tags_probe(&cache->tags, request);
	assert(probe.state != TAG_NO_LINE && probe.state != TAG_RESERVED); /* such a cache reserves no line */
	if (probe.state != TAG_MISS)                                       /* another of its sectors is present */
		return probe.at;
	return claim_line(cache, request, &probe, cycle); /* a dirty victim goes down */
}

/* The MSHR of the read that `request` was sent down for. */
static uint32_t waiting_mshr(const struct cache *cache, const struct request *request)
{
	uint32_t index = request->wait[cache->depth].index;
	bool in_line = cache->config.allocation == ALLOCATE_ON_MISS;
	return in_line ? cache->tags.line[index].mshr[tags_sector(&cache->tags, request->address)] : index;
}

void cache_fill(struct cache *cache, struct request *request, uint64_t cycle)
{
	uint32_t sector = tags_sector(&cache->tags, request->address), index = waiting_mshr(cache, request);
	uint8_t bit = (uint8_t)(1u << sector);
	bool on_miss = cache->config.allocation == ALLOCATE_ON_MISS;
	uint32_t at = on_miss ? request->wait[cache->depth].index : place_filled(cache, request, cycle);
	struct cache_line *line = &cache->tags.line[at];
	assert(!on_miss || line->reserved & bit);
	line->reserved &= (uint8_t)~bit;
	line->present |= bit;
	line->partial &= (uint8_t)~bit;
	line->dirty &= (uint8_t)~bit;
	if (cache->mshrs.mshr[index].has_atomic || line->dirty_on_fill & bit)
		line->dirty |= bit;
	line->dirty_on_fill &= (uint8_t)~bit;
	if (cache->watch)
		cache_watch_filled(cache->watch, &cache->tags, at, request, cache_is_demanded(cache, request), cycle);
	prefetch_account_arrived(&cache->account, index, at, sector);
	mshr_arrived(&cache->mshrs, index, request->level);
	occupy(&cache->fill_port_until, cycle, port_cycles(cache, cache->sector_bytes));
	cache_changed(cache, cache->wants_data || (cache->wants_register && cache->mshrs.free));
	cache->stats.fills++;
}

struct request *cache_next_ready(struct cache *cache)
{
	struct request *request = mshr_next_ready(&cache->mshrs);
	bool gives_place = cache->mshrs.free || cache->config.allocation == ALLOCATE_ON_FILL;
	cache_changed(cache, cache->wants_register && gives_place);
	return request;
}

void cache_watch_open(struct cache *cache, const struct base_prefetch_listener *listener, struct arena *arena)
{
	prefetch_account_open(&cache->account, &cache->config, listener, arena);
}

enum base_access_result cache_prefetch(struct cache *cache, struct request *request, uint64_t cycle)
{
	struct tag_probe probe = tags_probe(&cache->tags, request);
	assert(prefetch_account_is_kept(&cache->account) && request->prefetch);
	if (probe.state == TAG_HIT || cache->config.perfect)
		return BASE_ACCESS_HIT;
	if (find_mshr(cache, &probe) != MSHR_NONE)
		return BASE_ACCESS_MERGED;
	if (probe.state == TAG_NO_LINE || !miss_queue_room(cache, places_of_read(cache)) || !cache->mshrs.free) {
		note_wants(cache, probe.state);
		return BASE_ACCESS_REFUSED;
	}
	read_down(cache, request, &probe, cycle);
	uint32_t index = waiting_mshr(cache, request);
	cache->mshrs.mshr[index].prefetches = true;
	cache->account.coming[index] = *request->prefetch;
	cache_changed(cache, true);
	cache->stats.prefetches++;
	return BASE_ACCESS_MISS;
}

enum base_access_result cache_prefetch_in_turn(struct cache *cache, struct request *request, uint64_t cycle)
{
	enum base_access_result result = cache_prefetch(cache, request, cycle);
	if (result == BASE_ACCESS_REFUSED)
		cache->stats.refused++;
	return result;
}

bool cache_is_demanded(const struct cache *cache, const struct request *request)
{
	return !prefetch_account_is_unwanted(&cache->account, waiting_mshr(cache, request));
}

void cache_end_prefetches(struct cache *cache, uint32_t senders)
{
	prefetch_account_end(&cache->account, senders);
}
