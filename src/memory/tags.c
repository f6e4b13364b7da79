#include "memory/tags.h"

#include <string.h>

void tags_open(struct tags *tags, const struct cache_config *config, uint32_t depth, struct arena *arena)
{
	assert(config->sets && !(config->sets & (config->sets - 1)));
	assert(config->sectors && config->sectors <= CACHE_MAX_SECTORS);
	*tags = (struct tags){.line = arena_array(arena, (size_t)config->sets * config->ways, sizeof *tags->line),
	                      .sets = config->sets,
	                      .ways = config->ways,
	                      .index = (uint8_t)config->index,
	                      .dirty_percent = tags_keep_dirty(config) ? config->dirty_percent : 0,
	                      .by_use = config->replacement == REPLACE_LRU,
	                      .depth = (uint8_t)depth,
	                      .line_shift = (uint8_t)__builtin_ctz(config->line_bytes),
	                      .sector_shift = (uint8_t)__builtin_ctz(config->line_bytes / config->sectors)};
	tags->latest = tags->line;
	if (config->index == INDEX_POLYNOMIAL)
		polynomial_hash_open(&tags->hash, config->sets);
}

void tags_set_ways(struct tags *tags, uint32_t ways)
{
	tags_clear(tags); /* so that what lies behind fewer ways is free when there are more again */
	tags->ways = ways;
}

void tags_clear(struct tags *tags)
{
	memset(tags->line, 0, (size_t)tags->sets * tags->ways * sizeof *tags->line);
	tags->dirty_lines = 0;
}

/* Fermi's L1 as measured by Nugteren et al. (HPCA 2014): address bits 7 to 11 xor bits 13, 14, 15, 17 and 19; with 64 sets bit
 * 12 comes on top. */
uint32_t tags_hashed_set(uint64_t address, uint32_t sets)
{
	uint32_t low = (uint32_t)(address >> 7 & 0x1f);
	uint32_t high = (uint32_t)((address >> 13 & 7) | (address >> 17 & 1) << 3 | (address >> 19 & 1) << 4);
	return (low ^ high) | (sets == 64 ? (uint32_t)(address >> 12 & 1) << 5 : 0);
}

uint32_t tags_polynomial_set(const struct tags *tags, uint64_t place)
{
	uint64_t line = place >> tags->line_shift;
	return polynomial_hash_place(&tags->hash, line / tags->sets, (uint32_t)line & (tags->sets - 1));
}

/* Too few lines are dirty for one of them to go. */
static bool keeps_dirty(const struct tags *tags)
{
	uint64_t lines = (uint64_t)tags->sets * tags->ways;
	return (uint64_t)tags->dirty_lines * 100 < tags->dirty_percent * lines;
}

uint32_t tags_victim(const struct tags *tags, uint32_t set)
{
	bool clean = tags->dirty_percent && keeps_dirty(tags);
	uint32_t free = UINT32_MAX, oldest = UINT32_MAX;
	uint64_t oldest_use = UINT64_MAX;
	uint32_t first = set * tags->ways, behind = first + tags->ways;
	for (uint32_t index = first; index < behind; index++) {
		const struct cache_line *line = &tags->line[index];
		if (!(line->present | line->reserved)) {
			free = index;
		} else if (!line->reserved && line->used < oldest_use && !(clean && line->dirty)) {
			oldest_use = line->used;
			oldest = index;
		}
	}
	return free != UINT32_MAX ? free : oldest;
}

static bool holds(const struct cache_line *line, uint64_t block, uint32_t bit)
{
	return line->block == block && line->present & ~line->reserved & ~line->partial & bit;
}

struct cache_line *tags_find_present(struct tags *tags, uint64_t address)
{
	uint64_t block = address >> tags->line_shift << tags->line_shift;
	uint32_t bit = 1u << ((address - block) >> tags->sector_shift);
	struct cache_line *line = tags->latest;

	assert(tags->depth == CACHE_OF_SM);
	if (holds(line, block, bit))
		return line;
	line = &tags->line[tags_set(tags, address, address) * tags->ways];
	const struct cache_line *behind = line + tags->ways;
	while (!holds(line, block, bit))
		if (++line == behind)
			return NULL;
	return tags->latest = line;
}
