#include "memory/tags.h"

#include "base/bits.h"
#include "base/invariant.h"

#include <string.h>

enum { MOST_BUCKETS_LOG2 = 31 };

/* The number of buckets is the number of lines, rounded up to a power of two; at most 2^31. */
static void open_buckets(struct tags *tags, struct arena *arena)
{
	uint32_t log2 = 1;
	while (1u << log2 < tags->lines && log2 < MOST_BUCKETS_LOG2)
		log2++;
	tags->bucket_shift = (uint8_t)(64 - log2);
	tags->bucket = arena_array(arena, (size_t)1 << log2, sizeof *tags->bucket);
	tags->chain = arena_array(arena, tags->lines, sizeof *tags->chain);
}

void tags_set_ways(struct tags *tags, uint32_t ways)
{
	tags->ways = ways;
	tags_clear(tags); /* ways beyond the new number must be free if the number grows again */
}

/* The set's own entry in its ring. */
static uint32_t ring_of(const struct tags *tags, uint32_t set)
{
	return tags->lines + set;
}

/* Links a line, which is in no ring, after another entry of its set. */
static void put_behind(struct tags *tags, uint32_t at, uint32_t older)
{
	struct tag_place *place = &tags->place[at];
	place->older = older;
	place->younger = tags->place[older].younger;
	tags->place[place->younger].older = at;
	tags->place[older].younger = at;
}

/* Makes all lines of a set free; the first one is the oldest. */
static void clear_set(struct tags *tags, uint32_t set)
{
	uint32_t ring = ring_of(tags, set);
	tags->place[ring] = (struct tag_place){.older = ring, .younger = ring, .set = set};
	for (uint32_t way = 0; way < tags->ways; way++) {
		uint32_t at = set * tags->ways + way;
		tags->place[at].set = set;
		put_behind(tags, at, tags->place[ring].older);
		bits_add(&tags->free[set * tags->free_words], way);
	}
}

/* Makes all lines free, as they were opened. */
static void open_lines(struct tags *tags)
{
	memset(tags->bucket, 0xff, sizeof *tags->bucket << (64 - tags->bucket_shift));
	memset(tags->free, 0, (size_t)tags->sets * tags->free_words * sizeof *tags->free);
	for (uint32_t at = 0; at < tags->lines; at++)
		tags->chain[at] = TAGS_UNLINKED;
	for (uint32_t set = 0; set < tags->sets; set++)
		clear_set(tags, set);
	tags->dirty_lines = 0;
}

void tags_clear(struct tags *tags)
{
	memset(tags->line, 0, tags->lines * sizeof *tags->line);
	open_lines(tags);
}

void tags_open(struct tags *tags, const struct cache_config *config, uint32_t depth, struct arena *arena)
{
	bool is_power = !(config->sets & (config->sets - 1));
	assert(config->sets && (is_power || config->index == INDEX_LINEAR));
	assert(config->sectors && config->sectors <= CACHE_MAX_SECTORS);
	*tags = (struct tags){.line = arena_array(arena, (size_t)config->sets * config->ways, sizeof *tags->line),
	                      .sets = config->sets,
	                      .ways = config->ways,
	                      .lines = config->sets * config->ways,
	                      .free_words = bits_words(config->ways),
	                      .index = (uint8_t)(is_power ? config->index : INDEX_MODULO),
	                      .dirty_percent = tags_keep_dirty(config) ? config->dirty_percent : 0,
	                      .by_use = config->replacement == REPLACE_LRU,
	                      .depth = (uint8_t)depth,
	                      .line_shift = (uint8_t)__builtin_ctz(config->line_bytes),
	                      .sector_shift = (uint8_t)__builtin_ctz(config->line_bytes / config->sectors)};
	tags->place = arena_array(arena, (size_t)tags->lines + tags->sets, sizeof *tags->place);
	tags->free = arena_array(arena, (size_t)tags->sets * tags->free_words, sizeof *tags->free);
	if (config->index == INDEX_POLYNOMIAL)
		polynomial_hash_open(&tags->hash, config->sets);
	open_buckets(tags, arena);
	open_lines(tags); /* the lines are zero, and pages of large caches are touched only on use */
}

/* Fermi's L1 as measured by Nugteren et al. (HPCA 2014): address bits 7 to 11 xor bits 13, 14, 15, 17 and 19. With
 * 64 sets bit 12 is the next index bit. */
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

/* True when too few lines are dirty to evict one of them. */
static bool keeps_dirty(const struct tags *tags)
{
	uint64_t lines = (uint64_t)tags->sets * tags->ways;
	return (uint64_t)tags->dirty_lines * 100 < tags->dirty_percent * lines;
}

/* The last free line of a set, or TAGS_NONE. */
static uint32_t last_free(const struct tags *tags, uint32_t set)
{
	const uint64_t *free = &tags->free[set * tags->free_words];
	for (uint32_t word = tags->free_words; word--;)
		if (free[word])
			return set * tags->ways + word * 64 + 63 - (uint32_t)__builtin_clzll(free[word]);
	return TAGS_NONE;
}

uint32_t tags_victim(const struct tags *tags, uint32_t set)
{
	uint32_t ring = ring_of(tags, set), at = last_free(tags, set);
	if (at != TAGS_NONE)
		return at;
	bool clean = tags->dirty_percent && keeps_dirty(tags);
	for (at = tags->place[ring].younger; at != ring; at = tags->place[at].younger) {
		const struct cache_line *line = &tags->line[at];
		if (!line->reserved && !(clean && line->dirty))
			return at;
	}
	return TAGS_NONE;
}

void tags_free_line(struct tags *tags, uint32_t at)
{
	uint32_t set = tags->place[at].set;
	bits_add(&tags->free[set * tags->free_words], at - set * tags->ways);
}

static void take_out(struct tags *tags, uint32_t at)
{
	const struct tag_place *place = &tags->place[at];
	tags->place[place->older].younger = place->younger;
	tags->place[place->younger].older = place->older;
}

void tags_make_last(struct tags *tags, uint32_t at)
{
	uint32_t ring = ring_of(tags, tags->place[at].set);
	take_out(tags, at);
	put_behind(tags, at, tags->place[ring].older);
}

void tags_make_youngest(struct tags *tags, uint32_t at, uint64_t cycle)
{
	struct tag_place *place = &tags->place[at];
	uint32_t ring = ring_of(tags, place->set);
	invariant(cycle >= tags->line[at].used);
	tags->line[at].used = cycle;
	if (place->younger == ring)
		return;
	take_out(tags, at);
	uint32_t older = tags->place[ring].older;
	while (older > at && older != ring && tags->line[older].used == cycle)
		older = tags->place[older].older;
	put_behind(tags, at, older);
}

/* Takes a line out of the bucket of the block that it last held. */
static void unlink_block(struct tags *tags, uint32_t at)
{
	uint32_t *link = tags_bucket(tags, tags->line[at].block);
	while (*link != at)
		link = &tags->chain[*link];
	*link = tags->chain[at];
}

void tags_insert(struct tags *tags, uint32_t at, uint64_t block, uint64_t slice_address, uint16_t slice, uint64_t cycle)
{
	struct cache_line *line = &tags->line[at];
	uint32_t set = tags->place[at].set, *bucket = tags_bucket(tags, block);
	assert(!line->reserved);
	tags_clean(tags, line);
	if (tags->chain[at] != TAGS_UNLINKED)
		unlink_block(tags, at);
	tags->chain[at] = *bucket;
	*bucket = at;
	bits_remove(&tags->free[set * tags->free_words], at - set * tags->ways);
	*line = (struct cache_line){.block = block, .used = line->used, .slice_address = slice_address, .slice = slice};
	tags_make_youngest(tags, at, cycle);
}

static bool holds(const struct cache_line *line, uint64_t block, uint32_t bit)
{
	return line->block == block && line->present & ~line->reserved & ~line->partial & bit;
}

uint32_t tags_find_present(struct tags *tags, uint64_t address)
{
	uint64_t block = address >> tags->line_shift << tags->line_shift;
	uint32_t bit = 1u << ((address - block) >> tags->sector_shift);
	if (holds(&tags->line[tags->latest], block, bit))
		return tags->latest;
	uint32_t at = tags_find(tags, block);
	if (at == TAGS_NONE || !holds(&tags->line[at], block, bit))
		return TAGS_NONE;
	return tags->latest = at;
}
