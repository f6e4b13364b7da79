/* tags: the lines of a cache: to which set a block goes, which line holds it, and which line goes when another one comes.
 *
 * Replacement is in three functions and nowhere else: tags_victim() chooses the way of a set that goes, tags_insert() says where
 * in the set's order a new line begins, tags_use() where one goes that is used.
 *
 * Nothing is searched line by line, of which a set may have hundreds: a block's line is found by a hash of its address, the line that
 * goes in the set of free ones or at the old end of its set's order.
 */
#ifndef SLUICE_MEMORY_TAGS_H
#define SLUICE_MEMORY_TAGS_H

#include "memory/cache_config.h"
#include "memory/polynomial_hash.h"
#include "memory/request.h"

/* A line; masks have a bit a sector. It is free when nothing is present or reserved. */
struct cache_line {
	uint64_t block;                   /* address of its first byte */
	uint64_t used;                    /* its place in the order of replacement: the time of last use, or of insertion */
	uint64_t local;                   /* request.local of the block, for its write-back */
	uint32_t mshr[CACHE_MAX_SECTORS]; /* while reserved: the register that waits for it */
	uint32_t written[CACHE_MAX_SECTORS]; /* bytes of sectors that are partial */
	uint16_t slice;
	uint8_t reserved; /* data on their way */
	uint8_t present;  /* hold data */
	uint8_t partial;  /* of those, not all bytes: only written ones */
	uint8_t dirty;
	uint8_t dirty_on_fill; /* written while on their way */
};

/* A line's place in its set's order of replacement: a ring through all its lines and the set's own entry, which stands behind the
 * youngest and before the oldest. */
struct tag_place {
	uint32_t older, younger;
	uint32_t set;
};

struct tags {
	struct cache_line *line; /* sets * ways */
	uint32_t *bucket;        /* by hash of a block: the first of the lines that have or had one with this hash, */
	uint32_t *chain;         /* by line: the next one; TAGS_UNLINKED: it is in no bucket */
	struct tag_place *place; /* by line, and behind all lines by set */
	uint64_t *free;          /* set of ways, by set, of `free_words`: those of lines that are free */
	uint32_t sets, ways;
	uint32_t lines; /* sets * ways when it was opened */
	uint32_t free_words;
	uint32_t latest;                  /* the line that tags_find_present() found last */
	uint32_t dirty_percent;           /* cache_config.dirty_percent, */
	uint32_t dirty_lines;             /* and how many are; counted only where it is asked for */
	struct polynomial_hash hash;      /* INDEX_POLYNOMIAL */
	uint8_t index;                    /* enum cache_index */
	bool by_use;                      /* REPLACE_LRU; else by insertion */
	uint8_t depth;                    /* CACHE_OF_SM or CACHE_OF_SLICE (whose sets come from request.local) */
	uint8_t line_shift, sector_shift; /* of addresses */
	uint8_t bucket_shift;             /* from a product of 64 bits to a bucket's number */
};

#define TAGS_NONE     UINT32_MAX /* no line */
#define TAGS_UNLINKED (UINT32_MAX - 1)

/* Where a request stands. */
enum tag_state {
	TAG_HIT,         /* its sector is there */
	TAG_RESERVED,    /* ... is on its way */
	TAG_SECTOR_MISS, /* ... is neither, though the line is the block's */
	TAG_MISS,        /* another line has to go */
	TAG_NO_LINE,     /* ... but all lines of the set are reserved */
};

struct tag_probe {
	enum tag_state state;
	uint32_t at;     /* line: its own, or the one to replace */
	uint32_t sector; /* of the line */
	uint8_t bit;     /* of the sector in the line's masks */
	uint64_t block, sector_address;
};

/* Dirty lines keep their places: cache_config.dirty_percent, of caches that write through and keep what they write, which alone have
 * dirty lines that nobody waits for. */
static inline bool tags_keep_dirty(const struct cache_config *config)
{
	return config->dirty_percent && config->write == WRITE_THROUGH && config->write_miss == WRITE_MISS_LAZY;
}

void tags_open(struct tags *tags, const struct cache_config *config, uint32_t depth, struct arena *arena);
/* Sets have so many lines from now on, at most as many as they were opened with; all are free. */
void tags_set_ways(struct tags *tags, uint32_t ways);
/* Makes all lines free. */
void tags_clear(struct tags *tags);

/* The line that holds all of the sector at the address, or TAGS_NONE. */
uint32_t tags_find_present(struct tags *tags, uint64_t address);

/* The number of the line of this set that goes for another one: a free one, else the first in the order of replacement that is
 * not reserved; TAGS_NONE: all are (GPGPU-Sim: tag_array::probe(), whose free line is the set's last one, too). */
uint32_t tags_victim(const struct tags *tags, uint32_t set);

/* For tags_drop() and tags_use(): nothing of the line is there; it is its set's youngest, or one of them: of those of one cycle the
 * line with the lowest number is the oldest. */
void tags_free_line(struct tags *tags, uint32_t at);
void tags_make_youngest(struct tags *tags, uint32_t at, uint64_t cycle);

/* The set of an address where the index is hashed. */
uint32_t tags_hashed_set(uint64_t address, uint32_t sets);
/* ... where it is a polynomial's, from the bits that count for it. */
uint32_t tags_polynomial_set(const struct tags *tags, uint64_t place);

/* L2 of a slice goes by the address without channel and slice bits, or it would use a part of its sets alone (GPGPU-Sim:
 * linear_to_raw_address_translation::partition_address()). */
static inline uint32_t tags_set(const struct tags *tags, uint64_t address, uint64_t local)
{
	uint64_t place = tags->depth == CACHE_OF_SLICE ? local : address;
	if (tags->index != INDEX_LINEAR)
		return tags->index == INDEX_HASHED ? tags_hashed_set(address, tags->sets)
		                                   : tags_polynomial_set(tags, place);
	return (uint32_t)(place >> tags->line_shift & (tags->sets - 1));
}

/* The bucket of a block: neighbours spread evenly (Knuth, The Art of Computer Programming, 6.4: multiplicative hashing). */
static inline uint32_t *tags_bucket(const struct tags *tags, uint64_t block)
{
	return &tags->bucket[(block >> tags->line_shift) * 0x9E3779B97F4A7C15u >> tags->bucket_shift];
}

/* The line that holds the block or waits for it, or TAGS_NONE. Lines that are free may have had it. */
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

/* Where a request's sector stands in its block's line. */
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
		at = tags_victim(tags, tags_set(tags, address, request->local));
		state = at == TAGS_NONE ? TAG_NO_LINE : TAG_MISS;
	}
	return (struct tag_probe){state, at, sector, bit, block, sector_address};
}

static inline bool tags_is_dirty(const struct cache_line *line)
{
	return line->dirty | line->dirty_on_fill;
}

/* A dirty line will not be, or one that was clean has become dirty. */
static inline void tags_clean(struct tags *tags, const struct cache_line *line)
{
	tags->dirty_lines -= tags->dirty_percent && tags_is_dirty(line);
}

static inline void tags_soil(struct tags *tags, const struct cache_line *line, bool was_dirty)
{
	tags->dirty_lines += tags->dirty_percent && !was_dirty && tags_is_dirty(line);
}

/* The line is another block's from now on, with nothing present: the caller says what is, or is on its way. Time does not go back. */
void tags_insert(struct tags *tags, uint32_t at, uint64_t block, uint64_t local, uint16_t slice, uint64_t cycle);

/* A sector of the line is not present any more. */
static inline void tags_drop(struct tags *tags, uint32_t at, uint8_t bit)
{
	struct cache_line *line = &tags->line[at];
	line->present &= (uint8_t)~bit;
	line->dirty &= (uint8_t)~bit;
	if (!(line->present | line->reserved))
		tags_free_line(tags, at);
}

/* Hits are uses, and so is joining those that wait for the line (GPGPU-Sim: tag_array::access()). */
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
