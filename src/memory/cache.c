#include "memory/cache.h"

#include "base/arena.h"

#include <assert.h>
#include <string.h>

const struct counter cache_counters[] = {
#define X(name, unit, meaning) {#name, unit, SCOPE_GPU, offsetof(struct cache_stats, name), meaning, COMBINE_SUM},
	CACHE_COUNTERS(X)
#undef X
};
const size_t cache_counter_count = sizeof cache_counters / sizeof cache_counters[0];

void cache_open(struct cache *cache, const struct cache_config *config, uint32_t depth, struct request_pool *pool,
                struct arena *arena)
{
	*cache = (struct cache){.config = *config, .pool = pool, .depth = (uint8_t)depth};
	cache->line = arena_array(arena, (size_t)config->sets * config->ways, sizeof *cache->line);
	cache->read_last = cache->line;
	cache->mshr = arena_array(arena, config->mshrs, sizeof *cache->mshr);
	cache->free_mshr = arena_array(arena, config->mshrs, sizeof *cache->free_mshr);
	cache->ready = arena_array(arena, config->mshrs, sizeof *cache->ready);
	for (uint32_t i = 0; i < config->mshrs; i++)
		cache->free_mshr[cache->free_mshrs++] = config->mshrs - 1 - i;
	request_queue_open(&cache->miss_queue, arena, config->miss_queue);
	cache->sector_bytes = config->line_bytes / config->sectors;
	cache->line_shift = (uint8_t)__builtin_ctz(config->line_bytes);
	cache->sector_shift = (uint8_t)__builtin_ctz(cache->sector_bytes);
	if (!cache->config.port_bytes)
		cache->config.port_bytes = config->line_bytes;
}

void cache_invalidate(struct cache *cache)
{
	memset(cache->line, 0, (size_t)cache->config.sets * cache->config.ways * sizeof *cache->line);
	cache->refused = NULL;
}

enum probe { PROBE_HIT, PROBE_RESERVED, PROBE_SECTOR_MISS, PROBE_MISS, PROBE_NO_LINE };

/* Where a request stands in the cache. */
struct spot {
	enum probe probe;
	uint32_t at;     /* line: its own, or the one to replace */
	uint32_t sector; /* of the line */
	uint8_t bit;     /* of the sector in the line's masks */
	uint64_t block, sector_address;
};

/* Fermi's L1 as measured by Nugteren et al. (HPCA 2014): address bits 7 to 11 xor bits 13, 14, 15, 17 and 19; with 64 sets bit
 * 12 comes on top. */
static uint32_t hashed_set(uint64_t address, uint32_t sets)
{
	uint32_t low = (uint32_t)(address >> 7 & 0x1f);
	uint32_t high = (uint32_t)((address >> 13 & 7) | (address >> 17 & 1) << 3 | (address >> 19 & 1) << 4);
	return (low ^ high) | (sets == 64 ? (uint32_t)(address >> 12 & 1) << 5 : 0);
}

static uint32_t set_of(const struct cache *cache, uint64_t address, uint64_t local)
{
	if (cache->config.index == INDEX_HASHED)
		return hashed_set(address, cache->config.sets);
	uint64_t place = cache->depth == CACHE_OF_SLICE ? local : address;
	return (uint32_t)(place >> cache->line_shift & (cache->config.sets - 1));
}

static enum probe probe_line(const struct cache_line *line, const struct request *request, uint8_t bit)
{
	if (line->reserved & bit)
		return PROBE_RESERVED;
	if (line->present & bit && (request->is_write || !(line->partial & bit)))
		return PROBE_HIT;
	return PROBE_SECTOR_MISS;
}

/* A free line of a set, else the least recently used that is not reserved; UINT32_MAX: none. */
static uint32_t line_to_replace(const struct cache *cache, uint32_t first, uint32_t behind)
{
	uint32_t free = UINT32_MAX, oldest = UINT32_MAX;
	uint64_t oldest_use = UINT64_MAX;
	for (uint32_t index = first; index < behind; index++) {
		const struct cache_line *line = &cache->line[index];
		if (!(line->present | line->reserved)) {
			free = index;
		} else if (!line->reserved && line->used < oldest_use) {
			oldest_use = line->used;
			oldest = index;
		}
	}
	return free != UINT32_MAX ? free : oldest;
}

/* The line that holds the block or waits for it, or UINT32_MAX. */
static inline uint32_t find_line(const struct cache *cache, uint64_t block, uint32_t first, uint32_t behind)
{
	const struct cache_line *line = &cache->line[first];
	for (uint32_t index = first; index < behind; index++, line++)
		if (line->block == block && line->present | line->reserved)
			return index;
	return UINT32_MAX;
}

/* Finds the block or the line to replace. */
static inline struct spot probe(const struct cache *cache, const struct request *request)
{
	uint64_t address = request->address, block = address >> cache->line_shift << cache->line_shift;
	uint64_t sector_address = address >> cache->sector_shift << cache->sector_shift;
	uint32_t first = set_of(cache, request->address, request->local) * cache->config.ways,
		 behind = first + cache->config.ways;
	uint32_t sector = (uint32_t)((sector_address - block) >> cache->sector_shift);
	uint32_t at = find_line(cache, block, first, behind);
	uint8_t bit = (uint8_t)(1u << sector);
	enum probe probe;

	if (at != UINT32_MAX) {
		probe = probe_line(&cache->line[at], request, bit);
	} else {
		at = line_to_replace(cache, first, behind);
		probe = at == UINT32_MAX ? PROBE_NO_LINE : PROBE_MISS;
	}
	return (struct spot){probe, at, sector, bit, block, sector_address};
}

static uint32_t port_cycles(const struct cache *cache, uint32_t bytes)
{
	uint32_t port_bytes = cache->config.port_bytes;
	return bytes <= port_bytes ? 1 : (bytes + port_bytes - 1) / port_bytes;
}

static void occupy(uint64_t *until, uint64_t cycle, uint32_t cycles)
{
	*until = (*until > cycle ? *until : cycle) + cycles;
}

/* The register that waits for the sector, or UINT32_MAX. A cache that allocates on misses has it in the reserved line;
 * one that allocates on fills has few registers. */
static uint32_t find_mshr(const struct cache *cache, const struct spot *spot)
{
	if (cache->config.allocation == ALLOCATE_ON_MISS)
		return spot->probe == PROBE_RESERVED ? cache->line[spot->at].mshr[spot->sector] : UINT32_MAX;
	for (uint32_t i = 0; i < cache->config.mshrs; i++)
		if (cache->mshr[i].count && cache->mshr[i].block == spot->sector_address)
			return i;
	return UINT32_MAX;
}

static bool miss_queue_room(const struct cache *cache, uint32_t requests)
{
	return cache->miss_queue.count + requests <= cache->miss_queue.capacity;
}

/* A miss may need two places, for its read and a write-back; a read-only cache never writes back. */
static uint32_t places_of_read(const struct cache *cache)
{
	return cache->config.allocation == ALLOCATE_ON_MISS ? 2 : 1;
}

static void send_down(struct cache *cache, struct request *request)
{
	request_queue_push(&cache->miss_queue, request);
}

static void tell(const struct cache *cache, enum cache_fate fate, uint32_t *mark)
{
	if (*mark)
		cache->watch.tell(cache->watch.user, fate, *mark);
	*mark = 0;
}

static uint32_t *mark_of(const struct cache *cache, uint32_t line, uint32_t sector)
{
	return &cache->watch.present[line * cache->config.sectors + sector];
}

/* The sectors of a line that goes. */
static void tell_line(const struct cache *cache, uint32_t line, enum cache_fate fate)
{
	for (uint32_t sector = 0; sector < cache->config.sectors; sector++)
		tell(cache, fate, mark_of(cache, line, sector));
}

static void merge(struct cache *cache, uint32_t index, struct request *request)
{
	struct mshr *mshr = &cache->mshr[index];
	request->wait[cache->depth].next = NULL;
	if (mshr->count++)
		mshr->last->wait[cache->depth].next = request;
	else
		mshr->first = request;
	mshr->last = request;
	mshr->has_atomic |= request->kind == REQUEST_ATOMIC;
}

/* Sectors of a line as the 32-byte pieces that a store names. */
static uint8_t chunks_of(const struct cache *cache, uint32_t sectors)
{
	uint32_t each = cache->sector_bytes / REQUEST_CHUNK_BYTES, chunks = 0;
	for (; sectors; sectors &= sectors - 1)
		chunks |= ((1u << each) - 1) << (uint32_t)__builtin_ctz(sectors) * each;
	return (uint8_t)chunks;
}

/* Sends the dirty sectors of a line that is replaced down. */
static void write_back(struct cache *cache, const struct cache_line *line, uint16_t sm, uint64_t cycle)
{
	struct request *victim = request_new(cache->pool);
	victim->kind = cache->depth == CACHE_OF_SLICE ? REQUEST_L2_WRITEBACK : REQUEST_L1_WRITEBACK;
	victim->is_write = true;
	victim->address = line->block;
	victim->local = line->local;
	victim->slice = line->slice;
	victim->sm = sm;
	victim->bytes = victim->fetch = (uint32_t)__builtin_popcount(line->dirty) * cache->sector_bytes;
	victim->chunks = chunks_of(cache, line->dirty);
	send_down(cache, victim);
	occupy(&cache->data_port_until, cycle, port_cycles(cache, victim->bytes));
	cache->stats.writebacks++;
}

/* Makes the line the request's block's: a dirty victim is written back. Nothing to do when the line is there. */
static struct cache_line *claim_line(struct cache *cache, const struct request *request, const struct spot *spot,
                                     uint64_t cycle)
{
	struct cache_line *line = &cache->line[spot->at];
	if (spot->probe == PROBE_MISS) {
		if (line->dirty)
			write_back(cache, line, request->sm, cycle);
		if (cache->watch.tell)
			tell_line(cache, spot->at, CACHE_EVICTED);
		*line = (struct cache_line){.block = spot->block,
		                            .used = cycle,
		                            .local = request->local & ~(uint64_t)(cache->config.line_bytes - 1),
		                            .slice = request->slice};
	} else if (cache->config.replacement == REPLACE_LRU) {
		line->used = cycle;
	}
	return line;
}

/* Sends a read for the sector down, or merges it with one in flight. False: refused. */
static bool read_down(struct cache *cache, struct request *request, const struct spot *spot, uint64_t cycle)
{
	uint32_t index = find_mshr(cache, spot);
	bool on_miss = cache->config.allocation == ALLOCATE_ON_MISS;
	if (index != UINT32_MAX) {
		if (cache->mshr[index].count >= cache->config.merges)
			return false;
		merge(cache, index, request);
		if (cache->watch.tell)
			tell(cache, CACHE_LATE, &cache->watch.coming[index]);
		if (on_miss)
			claim_line(cache, request, spot, cycle);
		return true;
	}
	if (!cache->free_mshrs || !miss_queue_room(cache, 1))
		return false;
	index = cache->free_mshr[--cache->free_mshrs];
	cache->mshr[index] = (struct mshr){.block = spot->sector_address};
	merge(cache, index, request);
	request->wait[cache->depth].index = on_miss ? spot->at : index;
	request->fetch = cache->sector_bytes;
	send_down(cache, request);
	if (on_miss) {
		struct cache_line *line = claim_line(cache, request, spot, cycle);
		line->reserved |= spot->bit;
		line->dirty_on_fill = (uint8_t)((line->dirty_on_fill & ~spot->bit) | (line->dirty & spot->bit));
		line->present &= (uint8_t)~spot->bit;
		line->mshr[spot->sector] = index;
	}
	return true;
}

static enum cache_result access_read(struct cache *cache, struct request *request, const struct spot *spot,
                                     uint64_t cycle)
{
	if (spot->probe == PROBE_HIT) {
		struct cache_line *line = &cache->line[spot->at];
		if (cache->watch.tell)
			tell(cache, CACHE_USED, mark_of(cache, spot->at, spot->sector));
		if (cache->config.replacement == REPLACE_LRU)
			line->used = cycle;
		if (request->kind == REQUEST_ATOMIC)
			line->dirty |= spot->bit;
		return CACHE_HIT;
	}
	if (!miss_queue_room(cache, places_of_read(cache)))
		return CACHE_REFUSED;
	bool merges = find_mshr(cache, spot) != UINT32_MAX;
	if (!read_down(cache, request, spot, cycle))
		return CACHE_REFUSED;
	return merges ? CACHE_MERGED : CACHE_MISS;
}

/* A write into a line that holds the sector. */
static enum cache_result write_hit(struct cache *cache, struct request *request, const struct spot *spot,
                                   uint64_t cycle, bool *sent_down)
{
	struct cache_line *line = &cache->line[spot->at];
	uint32_t policy = request->kind == REQUEST_LOCAL_WRITE ? WRITE_BACK : cache->config.write;
	if (policy != WRITE_BACK) {
		if (!miss_queue_room(cache, 1))
			return CACHE_REFUSED;
		send_down(cache, request);
		*sent_down = true;
	}
	if (cache->config.replacement == REPLACE_LRU)
		line->used = cycle;
	if (policy == WRITE_BACK) {
		line->dirty |= spot->bit;
		if (request->is_whole)
			line->partial &= (uint8_t)~spot->bit;
	} else if (policy == WRITE_EVICT) {
		if (cache->watch.tell)
			tell(cache, CACHE_EVICTED, mark_of(cache, spot->at, spot->sector));
		line->present &= (uint8_t)~spot->bit;
		line->dirty &= (uint8_t)~spot->bit;
	}
	return CACHE_HIT;
}

/* A write miss that stays here: the sector is present, whole or in part. */
static enum cache_result write_lazily(struct cache *cache, const struct request *request, const struct spot *spot,
                                      uint64_t cycle)
{
	if (!miss_queue_room(cache, 1))
		return CACHE_REFUSED;
	struct cache_line *line = claim_line(cache, request, spot, cycle);
	if (spot->probe == PROBE_RESERVED) {
		line->dirty_on_fill |= spot->bit;
		return CACHE_MERGED;
	}
	line->present |= spot->bit;
	line->dirty |= spot->bit;
	if (request->is_whole)
		line->partial &= (uint8_t)~spot->bit;
	else
		line->partial |= spot->bit;
	return CACHE_MISS;
}

/* A write miss that goes down and fetches the line: up to three requests, the write, the read, a write-back. */
static bool write_and_fetch(struct cache *cache, struct request *request, const struct spot *spot, uint64_t cycle)
{
	uint32_t index = find_mshr(cache, spot);
	bool available = index != UINT32_MAX ? cache->mshr[index].count < cache->config.merges : cache->free_mshrs > 0;
	if (!miss_queue_room(cache, 3) || !available)
		return false;
	send_down(cache, request);
	struct request *fill = request_new(cache->pool);
	fill->kind = cache->depth == CACHE_OF_SLICE ? REQUEST_L2_FILL : REQUEST_L1_FILL;
	fill->address = request->address;
	fill->local = request->local;
	fill->slice = request->slice;
	fill->bank = request->bank;
	fill->row = request->row;
	fill->sm = request->sm;
	fill->bytes = request->bytes;
	if (cache->depth == CACHE_OF_SM)
		cache_widen(cache, fill);
	read_down(cache, fill, spot, cycle);
	return true;
}

static enum cache_result access_write(struct cache *cache, struct request *request, const struct spot *spot,
                                      uint64_t cycle, bool *sent_down)
{
	if (spot->probe == PROBE_HIT)
		return write_hit(cache, request, spot, cycle, sent_down);
	if (cache->config.write_miss == WRITE_MISS_LAZY)
		return write_lazily(cache, request, spot, cycle);
	if (cache->config.write_miss == WRITE_MISS_FETCH) {
		if (!write_and_fetch(cache, request, spot, cycle))
			return CACHE_REFUSED;
	} else {
		if (!miss_queue_room(cache, 1))
			return CACHE_REFUSED;
		send_down(cache, request);
	}
	*sent_down = true;
	return spot->probe == PROBE_RESERVED ? CACHE_MERGED : CACHE_MISS;
}

static enum cache_result look_up(struct cache *cache, struct request *request, uint64_t cycle, bool *sent_down)
{
	struct spot spot = probe(cache, request);
	if (spot.probe == PROBE_NO_LINE)
		return CACHE_REFUSED;
	return request->is_write ? access_write(cache, request, &spot, cycle, sent_down)
	                         : access_read(cache, request, &spot, cycle);
}

enum cache_result cache_access(struct cache *cache, struct request *request, uint64_t cycle, bool *sent_down)
{
	*sent_down = false;
	enum cache_result result = cache->config.perfect ? CACHE_HIT : look_up(cache, request, cycle, sent_down);
	if (result == CACHE_REFUSED) {
		cache->stats.refused++;
		cache->refused = request;
		cache->refused_queue = cache->miss_queue.count;
		return result;
	}
	cache->refused = NULL;
	if (result == CACHE_HIT)
		occupy(&cache->data_port_until, cycle, port_cycles(cache, request->bytes));
	cache->stats.accesses++;
	cache->stats.hits += result == CACHE_HIT;
	cache->stats.misses += result == CACHE_MISS;
	cache->stats.merged += result == CACHE_MERGED;
	if (request->is_write) {
		cache->stats.write_accesses++;
	} else {
		cache->stats.read_accesses++;
		cache->stats.read_misses += result == CACHE_MISS;
	}
	return result;
}

static bool holds(const struct cache_line *line, uint64_t block, uint32_t bit)
{
	return line->block == block && line->present & ~line->reserved & ~line->partial & bit;
}

bool cache_read_hit(struct cache *cache, uint64_t address, uint32_t bytes, uint64_t cycle)
{
	uint64_t block = address & ~(uint64_t)(cache->config.line_bytes - 1);
	uint32_t bit = 1u << ((address - block) >> cache->sector_shift);
	struct cache_line *line = cache->read_last;

	if (!holds(line, block, bit)) {
		line = &cache->line[set_of(cache, address, address) * cache->config.ways];
		const struct cache_line *behind = line + cache->config.ways;
		while (!holds(line, block, bit))
			if (++line == behind)
				return false;
		cache->read_last = line;
	}
	if (cache->config.replacement == REPLACE_LRU)
		line->used = cycle;
	occupy(&cache->data_port_until, cycle, port_cycles(cache, bytes));
	cache->stats.accesses++;
	cache->stats.hits++;
	cache->stats.read_accesses++;
	return true;
}

/* The line of an on-fill cache, claimed now that its data are here. */
static uint32_t place_filled(struct cache *cache, const struct request *request, uint64_t cycle)
{
	struct spot spot = probe(cache, request);
	if (spot.probe != PROBE_MISS) /* another sector of it is there */
		return spot.at;
	if (cache->watch.tell)
		tell_line(cache, spot.at, CACHE_EVICTED);
	cache->line[spot.at] = (struct cache_line){.block = spot.block, .local = request->local, .used = cycle};
	return spot.at;
}

static uint32_t sector_of(const struct cache *cache, const struct request *request)
{
	return (uint32_t)(request->address >> cache->sector_shift & (cache->config.sectors - 1));
}

/* The register of the read that `request` was sent down for. */
static uint32_t waiting_mshr(const struct cache *cache, const struct request *request)
{
	uint32_t index = request->wait[cache->depth].index;
	bool in_line = cache->config.allocation == ALLOCATE_ON_MISS;
	return in_line ? cache->line[index].mshr[sector_of(cache, request)] : index;
}

/* Takes the oldest of the requests that wait for a line. */
static struct request *take_first(struct mshr *mshr, uint32_t depth)
{
	struct request *request = mshr->first;
	mshr->first = request->wait[depth].next;
	mshr->count--;
	return request;
}

static void push_ready(struct cache *cache, uint32_t index)
{
	assert(cache->ready_count < cache->config.mshrs);
	uint32_t tail = cache->ready_head + cache->ready_count++;
	cache->ready[tail < cache->config.mshrs ? tail : tail - cache->config.mshrs] = index;
}

void cache_fill(struct cache *cache, struct request *request, uint64_t cycle)
{
	uint32_t sector = sector_of(cache, request), index = waiting_mshr(cache, request);
	uint8_t bit = (uint8_t)(1u << sector);
	uint32_t at = cache->config.allocation == ALLOCATE_ON_MISS ? request->wait[cache->depth].index
	                                                           : place_filled(cache, request, cycle);
	struct mshr *mshr = &cache->mshr[index];
	if (mshr->prefetches)
		take_first(mshr, cache->depth);
	for (struct request *merged = mshr->first; merged; merged = merged->wait[cache->depth].next)
		if (merged->level < request->level)
			merged->level = request->level;
	struct cache_line *line = &cache->line[at];
	line->reserved &= (uint8_t)~bit;
	line->present |= bit;
	line->partial &= (uint8_t)~bit;
	line->dirty &= (uint8_t)~bit;
	if (cache->watch.tell) {
		*mark_of(cache, at, sector) = cache->watch.coming[index];
		cache->watch.coming[index] = 0;
	}
	if (mshr->has_atomic || line->dirty_on_fill & bit)
		line->dirty |= bit;
	line->dirty_on_fill &= (uint8_t)~bit;
	if (mshr->count)
		push_ready(cache, index);
	else
		cache->free_mshr[cache->free_mshrs++] = index;
	occupy(&cache->fill_port_until, cycle, port_cycles(cache, cache->sector_bytes));
	cache->refused = NULL;
	cache->stats.fills++;
}

struct request *cache_next_ready(struct cache *cache)
{
	uint32_t index = cache->ready[cache->ready_head];
	struct mshr *mshr = &cache->mshr[index];
	struct request *request = take_first(mshr, cache->depth);
	cache->refused = NULL;
	if (mshr->count == 0) {
		cache->free_mshr[cache->free_mshrs++] = index;
		cache->ready_head = cache->ready_head + 1 == cache->config.mshrs ? 0 : cache->ready_head + 1;
		cache->ready_count--;
	}
	return request;
}

void cache_watch_open(struct cache *cache, void (*tell)(void *user, enum cache_fate fate, uint32_t mark), void *user,
                      struct arena *arena)
{
	const struct cache_config *config = &cache->config;
	size_t sectors = (size_t)config->sets * config->ways * config->sectors;
	cache->watch = (struct cache_watch){.tell = tell,
	                                    .user = user,
	                                    .present = arena_array(arena, sectors, sizeof(uint32_t)),
	                                    .coming = arena_array(arena, config->mshrs, sizeof(uint32_t))};
}

enum cache_result cache_prefetch(struct cache *cache, struct request *request, uint64_t cycle)
{
	struct spot spot = probe(cache, request);
	if (spot.probe == PROBE_HIT || cache->config.perfect)
		return CACHE_HIT;
	if (find_mshr(cache, &spot) != UINT32_MAX)
		return CACHE_MERGED;
	if (spot.probe == PROBE_NO_LINE || !miss_queue_room(cache, places_of_read(cache)) || !cache->free_mshrs)
		return CACHE_REFUSED;
	uint32_t index = cache->free_mshr[cache->free_mshrs - 1];
	read_down(cache, request, &spot, cycle);
	cache->mshr[index].prefetches = true;
	cache->watch.coming[index] = request->mark;
	cache->refused = NULL;
	cache->stats.prefetches++;
	return CACHE_MISS;
}

bool cache_is_demanded(const struct cache *cache, const struct request *request)
{
	return !cache->watch.tell || !cache->watch.coming[waiting_mshr(cache, request)];
}

void cache_watch_end(struct cache *cache)
{
	for (uint32_t line = 0; cache->watch.tell && line < cache->config.sets * cache->config.ways; line++)
		tell_line(cache, line, CACHE_UNUSED);
}
