/* cache_put: the copy engine fills a cache without traffic (GPGPU-Sim 4.2.0: baseline_cache::force_tag_access()). */
#include "memory/cache_insert.h"

void cache_put(struct cache *cache, const struct request *request, uint64_t cycle)
{
	struct tag_probe probe = tags_probe(&cache->tags, request);
	if (probe.state == TAG_NO_LINE || probe.state == TAG_RESERVED)
		return;
	struct cache_line *line = &cache->tags.line[probe.at];
	if (probe.state == TAG_MISS)
		cache_insert(cache, request, probe.at, probe.block, cycle);
	if (probe.state != TAG_HIT) /* what is copied first is replaced first, although all copies take no time */
		tags_make_last(&cache->tags, probe.at);
	tags_clean(&cache->tags, line);
	line->present |= probe.bit;
	line->partial &= (uint8_t)~probe.bit;
	line->dirty &= (uint8_t)~probe.bit;
	tags_soil(&cache->tags, line, false);
	cache_changed(cache, true);
}
