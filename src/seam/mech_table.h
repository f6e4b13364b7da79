/* mech_table: small tables indexed by pc, as prefetchers have them, and strides. Mechanisms include the parts that
 * they need next to seam/mech.h. */
#ifndef SLUICE_SEAM_MECH_TABLE_H
#define SLUICE_SEAM_MECH_TABLE_H

#include "seam/mech.h"

#include <string.h>

/* The begin of each row. Two rows of a table differ in pc or whose. */
struct mech_key {
	uint64_t used; /* time of its last claim or touch, counted by the table; 0: the row is free */
	uint32_t pc;
	uint32_t whose; /* a slot of a warp or a block; MECH_NOWHERE: no single owner */
};

/* Fully associative, with LRU replacement. */
struct mech_table {
	uint8_t *row;
	uint32_t rows;
	size_t row_bytes;
	uint64_t uses;
};

/* Opens a table of rows. A row is a struct that begins with a struct mech_key. */
static inline void mech_table_open(struct mech_table *table, struct mech_pool *pool, uint32_t rows, size_t row_bytes)
{
	table->row = (uint8_t *)mech_alloc(pool, rows * row_bytes);
	table->rows = rows;
	table->row_bytes = row_bytes;
	table->uses = 0;
}

static inline struct mech_key *mech_table_row(const struct mech_table *table, uint32_t number)
{
	return (struct mech_key *)(void *)(table->row + number * table->row_bytes);
}

/* Returns the row, or NULL. */
static inline void *mech_table_find(const struct mech_table *table, uint32_t pc, uint32_t whose)
{
	for (uint32_t i = 0; i < table->rows; i++) {
		struct mech_key *key = mech_table_row(table, i);
		if (key->used && key->pc == pc && key->whose == whose)
			return key;
	}
	return NULL;
}

/* Makes the row the most recently used one. */
static inline void mech_table_touch(struct mech_table *table, void *row)
{
	((struct mech_key *)row)->used = ++table->uses;
}

/* Returns a row for a pair that is not in the table, with all other members zero: a free row, else the LRU one. */
static inline void *mech_table_claim(struct mech_table *table, uint32_t pc, uint32_t whose)
{
	struct mech_key *oldest = mech_table_row(table, 0);
	for (uint32_t i = 1; i < table->rows; i++) {
		struct mech_key *key = mech_table_row(table, i);
		if (key->used < oldest->used)
			oldest = key;
	}
	memset(oldest, 0, table->row_bytes);
	oldest->pc = pc;
	oldest->whose = whose;
	mech_table_touch(table, oldest);
	return oldest;
}

/* True when no row is free: the next claim replaces one. */
static inline bool mech_table_is_full(const struct mech_table *table)
{
	for (uint32_t i = 0; i < table->rows; i++)
		if (!mech_table_row(table, i)->used)
			return false;
	return true;
}

static inline void mech_table_free(void *row)
{
	((struct mech_key *)row)->used = 0;
}

static inline void mech_table_clear(struct mech_table *table)
{
	memset(table->row, 0, table->rows * table->row_bytes);
	table->uses = 0;
}

/* For sm_keep. */
static inline void mech_table_keep(struct mech_table *table, struct mech_kept *kept)
{
	mech_keep(kept, table->row, table->rows * table->row_bytes);
	mech_keep(kept, &table->uses, sizeof table->uses);
}

/* Frees the rows of the owners first to first + count - 1: the slots of a block that has ended. */
static inline void mech_table_free_of(struct mech_table *table, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < table->rows; i++) {
		struct mech_key *key = mech_table_row(table, i);
		if (key->whose - first < count)
			key->used = 0;
	}
}

/* Returns the bits that encode `values` different values, for the costs of a row. */
static inline uint32_t mech_bits_of(uint32_t values)
{
	uint32_t bits = 0;
	while (bits < 32 && 1ull << bits < values)
		bits++;
	return bits;
}

/* A sequence of addresses and their distance. */
struct mech_stride {
	uint64_t address; /* the last address */
	int64_t bytes;    /* its distance from the one before */
	uint32_t same;    /* how often in a row this distance occurred; 0: fewer than two addresses */
	bool begun;
};

/* Adds the next address. Each repetition of a distance increments `same`; another distance restarts it at one. */
static inline void mech_stride_add(struct mech_stride *stride, uint64_t address)
{
	int64_t bytes = (int64_t)(address - stride->address);
	if (stride->begun) {
		stride->same = stride->same && bytes == stride->bytes ? stride->same + 1 : 1;
		stride->bytes = bytes;
	}
	stride->address = address;
	stride->begun = true;
}

#endif
