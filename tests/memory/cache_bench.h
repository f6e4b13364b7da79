/* cache_bench: one small cache; the test is its client and the level below it. */
#ifndef SLUICE_TESTS_CACHE_BENCH_H
#define SLUICE_TESTS_CACHE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "memory/cache.h"

enum { LINE = 128 };

struct bench {
	struct arena arena;
	struct request_pool pool;
	struct cache cache;
	bool sent_down; /* of the last access */
};

/* Two sets of two ways, four MSHRs of two requests each, a miss queue of four: a test can exhaust each resource. */
static inline struct cache_config small(void)
{
	return (struct cache_config){.sectors = 1,
	                             .sets = 2,
	                             .ways = 2,
	                             .line_bytes = LINE,
	                             .replacement = REPLACE_LRU,
	                             .allocation = ALLOCATE_ON_MISS,
	                             .write = WRITE_EVICT,
	                             .write_miss = WRITE_MISS_NONE,
	                             .mshrs = 4,
	                             .merges = 2,
	                             .miss_queue = 4};
}

static inline void open_bench(struct bench *bench, struct cache_config config)
{
	*bench = (struct bench){0};
	bench->pool.arena = &bench->arena;
	cache_open(&bench->cache, &config, CACHE_OF_SM, &bench->pool, &bench->arena);
}

static inline struct request *make(struct bench *bench, enum request_kind kind, uint64_t address)
{
	struct request *request = request_new(&bench->pool);
	request->kind = (uint8_t)kind;
	request->is_write = kind == REQUEST_WRITE || kind == REQUEST_LOCAL_WRITE;
	request->address = request->slice_address = address;
	request->bytes = LINE;
	return request;
}

static inline enum base_access_result access(struct bench *bench, enum request_kind kind, uint64_t address, uint64_t cycle)
{
	return cache_access(&bench->cache, make(bench, kind, address), cycle, &bench->sent_down);
}

static inline enum base_access_result read(struct bench *bench, uint64_t address, uint64_t cycle)
{
	return access(bench, REQUEST_READ, address, cycle);
}

/* Pops the oldest miss, checks its kind and address, and returns it. */
static inline struct request *send(struct bench *bench, enum request_kind kind, uint64_t address)
{
	assert_true(bench->cache.miss_queue.count > 0);
	struct request *request = cache_take_miss(&bench->cache);
	assert_int_equal(request->kind, kind);
	assert_int_equal(request->address, address);
	return request;
}

static inline void answer_all(struct bench *bench)
{
	while (cache_has_ready(&bench->cache))
		cache_next_ready(&bench->cache);
}

/* Loads a line with a read miss and its fill, both at `cycle`. */
static inline void load(struct bench *bench, uint64_t address, uint64_t cycle)
{
	assert_int_equal(read(bench, address, cycle), BASE_ACCESS_MISS);
	cache_fill(&bench->cache, cache_take_miss(&bench->cache), cycle);
	answer_all(bench);
}

/* True when the line is present. Reads the tags directly, so that the check is not a use. */
static inline bool holds(const struct bench *bench, uint64_t address)
{
	for (uint32_t i = 0; i < bench->cache.config.sets * bench->cache.config.ways; i++) {
		const struct cache_line *line = &bench->cache.tags.line[i];
		if (line->block == address && line->present)
			return true;
	}
	return false;
}

#endif
