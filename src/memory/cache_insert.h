/* cache_insert: what cache.c and cache_put.c do when a line gets another block. */
#ifndef SLUICE_MEMORY_CACHE_INSERT_H
#define SLUICE_MEMORY_CACHE_INSERT_H

#include "memory/cache.h"

/* Assigns a line to the request's block. */
static inline void cache_insert(struct cache *cache, const struct request *request, uint32_t at, uint64_t block,
                          uint64_t cycle)
{
	uint64_t in_line = cache->config.line_bytes - 1;
	prefetch_account_evicted(&cache->account, at);
	if (cache->watch)
		cache_watch_evicted(cache->watch, &cache->tags, at, false, cycle);
	tags_insert(&cache->tags, at, block, request->slice_address & ~in_line, request->slice, cycle);
	if (cache->watch)
		cache_watch_inserted(cache->watch, &cache->tags, at, request, cycle);
}

#endif
