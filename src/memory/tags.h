/* tags: the tag array of a cache: it maps a block to a set, finds the line that holds it, and chooses the line to
 * evict.
 *
 * Replacement is contained in three functions. tags_victim() chooses the way to evict. tags_insert() sets the
 * position of a new line in the set's order, and tags_use() that of a used line.
 *
 * A set may have hundreds of lines, so no function scans them. A hash of its address finds a block's line. The
 * victim is a free line from a bit set, or the oldest in the set's order.
 */
#ifndef SLUICE_MEMORY_TAGS_H
#define SLUICE_MEMORY_TAGS_H

#include "memory/cache_config.h"
#include "memory/polynomial_hash.h"
#include "memory/request.h"

/* A line. Its masks have one bit per sector. A line is free when no sector is present or reserved. */
struct cache_line {
	uint64_t block;                   /* address of its first byte */
	uint64_t used;                    /* key in the replacement order: time of last use, or of insertion */
	uint64_t slice_address;           /* request.slice_address of the block, for its write-back */
	uint32_t mshr[CACHE_MAX_SECTORS]; /* of reserved sectors: the MSHR that waits for the data */
	uint32_t written[CACHE_MAX_SECTORS]; /* mask of the written bytes of partial sectors */
	uint16_t slice;
	uint8_t reserved; /* data in flight */
	uint8_t present;  /* hold data */
	uint8_t partial;  /* present sectors of which only the written bytes are valid */
	uint8_t dirty;
	uint8_t dirty_on_fill; /* written while in flight */
};

/* A line's links in its set's replacement order. The order is a ring through all lines of the set and the set's own
 * entry, which lies between the youngest and the oldest. */
struct tag_place {
	uint32_t older, younger;
	uint32_t set;
};

struct tags {
	struct cache_line *line; /* sets * ways */
	uint32_t *bucket;        /* by block hash: first of the lines that hold, or held, a block with this hash */
	uint32_t *chain;         /* by line: the next one; TAGS_UNLINKED: it is in no bucket */
	struct tag_place *place; /* by line; after all lines, by set */
	uint64_t *free;          /* by set: bit set of its free ways, `free_words` words each */
	uint32_t sets, ways;
	uint32_t lines; /* sets * ways as opened */
	uint32_t free_words;
	uint32_t latest;                  /* the line that tags_find_present() found last */
	uint32_t dirty_percent;           /* cache_config.dirty_percent */
	uint32_t dirty_lines;             /* number of dirty lines; counted only when dirty_percent is set */
	struct polynomial_hash hash;      /* INDEX_POLYNOMIAL */
	uint8_t index;                    /* enum cache_index, or INDEX_MODULO */
	bool by_use;                      /* REPLACE_LRU; else by insertion */
	uint8_t depth; /* CACHE_OF_SM, or CACHE_OF_SLICE: then request.slice_address selects the set */
	uint8_t line_shift, sector_shift; /* of addresses */
	uint8_t bucket_shift;             /* from a 64-bit product to a bucket index */
};

/* The index of INDEX_LINEAR for a number of sets that is no power of two: the block's number modulo the sets. */
enum { INDEX_MODULO = INDEX_POLYNOMIAL + 1 };

#define TAGS_NONE     UINT32_MAX /* no line */
#define TAGS_UNLINKED (UINT32_MAX - 1)

/* Result of a lookup. */
enum tag_state {
	TAG_HIT,         /* the sector is present */
	TAG_RESERVED,    /* the sector is in flight */
	TAG_SECTOR_MISS, /* the block has a line, in which the sector is neither present nor in flight */
	TAG_MISS,        /* the block has no line; another line must be evicted */
	TAG_NO_LINE,     /* as TAG_MISS, and all lines of the set are reserved */
};

struct tag_probe {
	enum tag_state state;
	uint32_t at;     /* line: the block's own, or the one to replace */
	uint32_t sector; /* of the line */
	uint8_t bit;     /* of the sector in the line's masks */
	uint64_t block, sector_address;
};

/* True when dirty lines stay in the cache (cache_config.dirty_percent). This holds only for caches that write
 * through and hold written data. Only they have dirty lines that need no write-back. */
static inline bool tags_keep_dirty(const struct cache_config *config)
{
	return config->dirty_percent && config->write == WRITE_THROUGH && config->write_miss == WRITE_MISS_LAZY;
}

void tags_open(struct tags *tags, const struct cache_config *config, uint32_t depth, struct arena *arena);
/* Sets have `ways` lines from now on, at most the number that they were opened with. All lines become free. */
void tags_set_ways(struct tags *tags, uint32_t ways);
/* Makes all lines free. */
void tags_clear(struct tags *tags);

/* The line that holds all of the sector at the address, or TAGS_NONE. */
uint32_t tags_find_present(struct tags *tags, uint64_t address);

/* The line of this set to evict. It is a free line, else the first in the replacement order that is not reserved.
 * TAGS_NONE: all are reserved. (GPGPU-Sim: tag_array::probe(), whose free line is also the set's last one.) */
uint32_t tags_victim(const struct tags *tags, uint32_t set);

/* For tags_drop() and tags_use(). tags_free_line: no sector of the line is present any more. tags_make_youngest: it
 * becomes its set's youngest; among lines used in one cycle the lowest-numbered is the oldest. */
void tags_free_line(struct tags *tags, uint32_t at);
void tags_make_youngest(struct tags *tags, uint32_t at, uint64_t cycle);

/* The line becomes its set's youngest, also among those used in the same cycle. */
void tags_make_last(struct tags *tags, uint32_t at);

/* The set of an address under a hashed index. */
uint32_t tags_hashed_set(uint64_t address, uint32_t sets);
/* The set under a polynomial index, from the address bits that count for it. */
uint32_t tags_polynomial_set(const struct tags *tags, uint64_t place);

/* L2 of a slice is indexed by the address without channel and slice bits. Otherwise it would use only a part of its
 * sets (GPGPU-Sim: linear_to_raw_address_translation::partition_address()). */
static inline uint32_t tags_set(const struct tags *tags, uint64_t address, uint64_t slice_address)
{
	uint64_t place = tags->depth == CACHE_OF_SLICE ? slice_address : address;
	if (tags->index == INDEX_LINEAR)
		return (uint32_t)(place >> tags->line_shift & (tags->sets - 1));
	if (tags->index == INDEX_HASHED)
		return tags_hashed_set(address, tags->sets);
	if (tags->index == INDEX_MODULO)
		return (uint32_t)((place >> tags->line_shift) % tags->sets);
	return tags_polynomial_set(tags, place);
}

/* The bucket of a block. Neighboring blocks are spread evenly (Knuth, The Art of Computer Programming, 6.4:
 * multiplicative hashing). */
static inline uint32_t *tags_bucket(const struct tags *tags, uint64_t block)
{
	return &tags->bucket[(block >> tags->line_shift) * 0x9E3779B97F4A7C15u >> tags->bucket_shift];
}

/* The line that holds the block or waits for it, or TAGS_NONE. Free lines may still contain the block's address. */
static inline uint32_t tags_find(const struct tags *tags, uint64_t block)
{
	uint32_t at = *tags_bucket(tags, block);
	for (; at != TAGS_NONE; at = tags->chain[at]) {
		const struct cache_line *line = &tags->line[at];
		if (line->block == block && line->present | line->reserved)
			break;
	}
	return at;
}

/* The state of a request's sector in its block's line. */
static inline enum tag_state tags_state(const struct cache_line *line, const struct request *request, uint8_t bit)
{
	if (line->reserved & bit)
		return TAG_RESERVED;
	if (line->present & bit && (request->is_write || !(line->partial & bit)))
		return TAG_HIT;
	return TAG_SECTOR_MISS;
}

/* Finds the request's block, or the line to replace. Changes nothing. */
static inline struct tag_probe tags_probe(const struct tags *tags, const struct request *request)
{
	uint64_t address = request->address, block = address >> tags->line_shift << tags->line_shift;
	uint64_t sector_address = address >> tags->sector_shift << tags->sector_shift;
	uint32_t sector = (uint32_t)((sector_address - block) >> tags->sector_shift);
	uint32_t at = tags_find(tags, block);
	uint8_t bit = (uint8_t)(1u << sector);
	enum tag_state state;

	if (at != TAGS_NONE) {
		state = tags_state(&tags->line[at], request, bit);
	} else {
		at = tags_victim(tags, tags_set(tags, address, request->slice_address));
		state = at == TAGS_NONE ? TAG_NO_LINE : TAG_MISS;
	}
	return (struct tag_probe){state, at, sector, bit, block, sector_address};
}

static inline bool tags_is_dirty(const struct cache_line *line)
{
	return line->dirty | line->dirty_on_fill;
}

/* Keep the number of dirty lines: tags_clean before a line stops being dirty, tags_soil after a line may have become
 * dirty. */
static inline void tags_clean(struct tags *tags, const struct cache_line *line)
{
	tags->dirty_lines -= tags->dirty_percent && tags_is_dirty(line);
}

static inline void tags_soil(struct tags *tags, const struct cache_line *line, bool was_dirty)
{
	tags->dirty_lines += tags->dirty_percent && !was_dirty && tags_is_dirty(line);
}

/* Assigns the line to another block, with no sector present. The caller then sets the sectors that are present or in
 * flight. `cycle` must not decrease. */
void tags_insert(struct tags *tags, uint32_t at, uint64_t block, uint64_t slice_address, uint16_t slice,
                 uint64_t cycle);

/* Marks a sector of the line as not present. */
static inline void tags_drop(struct tags *tags, uint32_t at, uint8_t bit)
{
	struct cache_line *line = &tags->line[at];
	line->present &= (uint8_t)~bit;
	line->dirty &= (uint8_t)~bit;
	if (!(line->present | line->reserved))
		tags_free_line(tags, at);
}

/* Hits count as uses, and so do accesses that merge with a line in flight (GPGPU-Sim: tag_array::access()). */
static inline void tags_use(struct tags *tags, uint32_t at, uint64_t cycle)
{
	if (tags->by_use && tags->line[at].used != cycle)
		tags_make_youngest(tags, at, cycle);
}

static inline uint32_t tags_sector(const struct tags *tags, uint64_t address)
{
	return (uint32_t)(address >> tags->sector_shift & ((1u << (tags->line_shift - tags->sector_shift)) - 1));
}

#endif
