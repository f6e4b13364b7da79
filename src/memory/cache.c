#include "memory/cache.h"

#include "base/arena.h"

#include <string.h>

const struct counter cache_counters[] = {
#define X(name, unit, meaning) {#name, unit, SCOPE_GPU, offsetof(struct cache_stats, name), meaning},
	CACHE_COUNTERS(X)
#undef X
};
const size_t cache_counter_count = sizeof cache_counters / sizeof cache_counters[0];

void cache_open(struct cache *cache, const struct cache_config *config, uint32_t depth, struct request_pool *pool,
                struct arena *arena)
{
	*cache = (struct cache){.config = *config, .pool = pool, .depth = (uint8_t)depth};
	cache->line = arena_array(arena, (size_t)config->sets * config->ways, sizeof *cache->line);
	cache->mshr = arena_array(arena, config->mshrs, sizeof *cache->mshr);
	cache->free_mshr = arena_array(arena, config->mshrs, sizeof *cache->free_mshr);
	cache->ready = arena_array(arena, config->mshrs, sizeof *cache->ready);
	for (uint32_t i = 0; i < config->mshrs; i++)
		cache->free_mshr[cache->free_mshrs++] = config->mshrs - 1 - i;
	request_queue_open(&cache->miss_queue, arena, config->miss_queue);
	if (!cache->config.port_bytes)
		cache->config.port_bytes = config->line_bytes;
}

void cache_invalidate(struct cache *cache)
{
	memset(cache->line, 0, (size_t)cache->config.sets * cache->config.ways * sizeof *cache->line);
}

enum probe { PROBE_HIT, PROBE_RESERVED, PROBE_MISS, PROBE_NO_LINE };

/* Finds the block or the line to replace: an invalid one, else the least recently used that is not reserved. */
static enum probe probe(const struct cache *cache, const struct request *request, uint64_t block, uint32_t *at)
{
	uint32_t ways = cache->config.ways;
	uint64_t place = cache->depth == CACHE_OF_SLICE ? request->local : request->address;
	uint32_t set = (uint32_t)(place / cache->config.line_bytes & (cache->config.sets - 1));
	uint32_t invalid = UINT32_MAX, oldest = UINT32_MAX;
	uint64_t oldest_use = UINT64_MAX;

	for (uint32_t index = set * ways; index < (set + 1) * ways; index++) {
		const struct cache_line *line = &cache->line[index];
		if (line->state == LINE_INVALID) {
			invalid = index;
		} else if (line->block == block) {
			*at = index;
			return line->state == LINE_RESERVED ? PROBE_RESERVED : PROBE_HIT;
		} else if (line->state != LINE_RESERVED && line->used < oldest_use) {
			oldest_use = line->used;
			oldest = index;
		}
	}
	*at = invalid != UINT32_MAX ? invalid : oldest;
	return *at == UINT32_MAX ? PROBE_NO_LINE : PROBE_MISS;
}

static uint32_t port_cycles(const struct cache *cache, uint32_t bytes)
{
	return (bytes + cache->config.port_bytes - 1) / cache->config.port_bytes;
}

static void occupy(uint64_t *until, uint64_t cycle, uint32_t cycles)
{
	*until = (*until > cycle ? *until : cycle) + cycles;
}

/* The register that waits for the block, or UINT32_MAX. A cache that allocates on misses has it in the reserved line;
 * one that allocates on fills has few registers. */
static uint32_t find_mshr(const struct cache *cache, enum probe found, uint32_t at, uint64_t block)
{
	if (cache->config.allocation == ALLOCATE_ON_MISS)
		return found == PROBE_RESERVED ? cache->line[at].mshr : UINT32_MAX;
	for (uint32_t i = 0; i < cache->config.mshrs; i++)
		if (cache->mshr[i].count && cache->mshr[i].block == block)
			return i;
	return UINT32_MAX;
}

static bool miss_queue_room(const struct cache *cache, uint32_t requests)
{
	return cache->miss_queue.count + requests <= cache->miss_queue.capacity;
}

static void send_down(struct cache *cache, struct request *request)
{
	request_queue_push(&cache->miss_queue, request);
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

/* Claims the line for a miss; a dirty victim is written back. */
static void claim_line(struct cache *cache, const struct request *request, uint64_t block, uint32_t at, uint32_t mshr,
                       uint64_t cycle)
{
	struct cache_line *line = &cache->line[at];
	if (line->state == LINE_DIRTY) {
		struct request *victim = request_new(cache->pool);
		victim->kind = cache->depth == CACHE_OF_SLICE ? REQUEST_L2_WRITEBACK : REQUEST_L1_WRITEBACK;
		victim->is_write = true;
		victim->address = line->block;
		victim->local = line->local;
		victim->slice = line->slice;
		victim->sm = request->sm;
		victim->bytes = victim->fetch = cache->config.line_bytes;
		send_down(cache, victim);
		occupy(&cache->data_port_until, cycle, port_cycles(cache, cache->config.line_bytes));
		cache->stats.writebacks++;
	}
	*line = (struct cache_line){.block = block,
	                            .used = cycle,
	                            .local = request->local & ~(uint64_t)(cache->config.line_bytes - 1),
	                            .slice = request->slice,
	                            .mshr = mshr,
	                            .state = LINE_RESERVED};
}

/* Sends a read for the block down, or merges it with one in flight. False: refused. */
static bool read_down(struct cache *cache, struct request *request, enum probe found, uint32_t at, uint64_t block,
                      uint64_t cycle)
{
	uint32_t index = find_mshr(cache, found, at, block);
	if (index != UINT32_MAX) {
		if (cache->mshr[index].count >= cache->config.merges)
			return false;
		merge(cache, index, request);
		if (cache->config.allocation == ALLOCATE_ON_MISS && cache->config.replacement == REPLACE_LRU)
			cache->line[at].used = cycle;
		return true;
	}
	if (!cache->free_mshrs || !miss_queue_room(cache, 1))
		return false;
	index = cache->free_mshr[--cache->free_mshrs];
	cache->mshr[index] = (struct mshr){.block = block};
	merge(cache, index, request);
	request->wait[cache->depth].index = index;
	request->fetch = cache->config.line_bytes;
	send_down(cache, request);
	if (cache->config.allocation == ALLOCATE_ON_MISS) {
		request->wait[cache->depth].index = at;
		claim_line(cache, request, block, at, index, cycle);
	}
	return true;
}

static enum cache_result access_read(struct cache *cache, struct request *request, enum probe found, uint32_t at,
                                     uint64_t block, uint64_t cycle)
{
	if (found == PROBE_HIT) {
		struct cache_line *line = &cache->line[at];
		if (cache->config.replacement == REPLACE_LRU)
			line->used = cycle;
		if (request->kind == REQUEST_ATOMIC)
			line->state = LINE_DIRTY;
		return CACHE_HIT;
	}
	/* A miss may need two places, for its read and a write-back; a read-only cache never writes back. */
	uint32_t places = cache->config.allocation == ALLOCATE_ON_MISS ? 2 : 1;
	if (!miss_queue_room(cache, places))
		return CACHE_REFUSED;
	bool merges = find_mshr(cache, found, at, block) != UINT32_MAX;
	if (!read_down(cache, request, found, at, block, cycle))
		return CACHE_REFUSED;
	return merges ? CACHE_MERGED : CACHE_MISS;
}

static enum cache_result access_write(struct cache *cache, struct request *request, enum probe found, uint32_t at,
                                      uint64_t block, uint64_t cycle, bool *sent_down)
{
	if (found == PROBE_HIT) {
		struct cache_line *line = &cache->line[at];
		uint32_t policy = request->kind == REQUEST_LOCAL_WRITE ? WRITE_BACK : cache->config.write;
		if (policy != WRITE_BACK) {
			if (!miss_queue_room(cache, 1))
				return CACHE_REFUSED;
			send_down(cache, request);
			*sent_down = true;
		}
		if (cache->config.replacement == REPLACE_LRU)
			line->used = cycle;
		line->state = policy == WRITE_BACK ? LINE_DIRTY : policy == WRITE_EVICT ? LINE_INVALID : line->state;
		return CACHE_HIT;
	}
	if (cache->config.write_miss == WRITE_MISS_FETCH) {
		/* Up to three requests: the write, the read of the line, a write-back. */
		uint32_t index = find_mshr(cache, found, at, block);
		bool available =
			index != UINT32_MAX ? cache->mshr[index].count < cache->config.merges : cache->free_mshrs > 0;
		if (!miss_queue_room(cache, 3) || !available)
			return CACHE_REFUSED;
		send_down(cache, request);
		struct request *fill = request_new(cache->pool);
		fill->kind = REQUEST_L2_FILL;
		fill->address = request->address;
		fill->local = request->local;
		fill->slice = request->slice;
		fill->bank = request->bank;
		fill->row = request->row;
		fill->sm = request->sm;
		fill->bytes = request->bytes;
		read_down(cache, fill, found, at, block, cycle);
	} else {
		if (!miss_queue_room(cache, 1))
			return CACHE_REFUSED;
		send_down(cache, request);
	}
	*sent_down = true;
	return found == PROBE_RESERVED ? CACHE_MERGED : CACHE_MISS;
}

enum cache_result cache_access(struct cache *cache, struct request *request, uint64_t cycle, bool *sent_down)
{
	uint64_t block = request->address & ~(uint64_t)(cache->config.line_bytes - 1);
	uint32_t at;
	enum probe found = probe(cache, request, block, &at);
	enum cache_result result = CACHE_REFUSED;

	*sent_down = false;
	if (found != PROBE_NO_LINE)
		result = request->is_write ? access_write(cache, request, found, at, block, cycle, sent_down)
		                           : access_read(cache, request, found, at, block, cycle);
	if (result == CACHE_REFUSED) {
		cache->stats.refused++;
		return result;
	}
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

void cache_fill(struct cache *cache, struct request *request, uint64_t cycle)
{
	uint32_t index = request->wait[cache->depth].index, at = index;
	if (cache->config.allocation == ALLOCATE_ON_MISS) {
		index = cache->line[at].mshr;
	} else {
		uint64_t block = cache->mshr[index].block;
		probe(cache, request, block, &at);
		cache->line[at].block = block;
		cache->line[at].local = request->local;
		cache->line[at].used = cycle;
	}
	for (struct request *merged = cache->mshr[index].first; merged; merged = merged->wait[cache->depth].next)
		if (merged->level < request->level)
			merged->level = request->level;
	cache->line[at].state = cache->mshr[index].has_atomic ? LINE_DIRTY : LINE_VALID;
	uint32_t tail = cache->ready_head + cache->ready_count++;
	cache->ready[tail < cache->config.mshrs ? tail : tail - cache->config.mshrs] = index;
	occupy(&cache->fill_port_until, cycle, port_cycles(cache, cache->config.line_bytes));
	cache->stats.fills++;
}

struct request *cache_next_ready(struct cache *cache)
{
	uint32_t index = cache->ready[cache->ready_head];
	struct mshr *mshr = &cache->mshr[index];
	struct request *request = mshr->first;
	mshr->first = request->wait[cache->depth].next;
	if (--mshr->count == 0) {
		cache->free_mshr[cache->free_mshrs++] = index;
		cache->ready_head = cache->ready_head + 1 == cache->config.mshrs ? 0 : cache->ready_head + 1;
		cache->ready_count--;
	}
	return request;
}
