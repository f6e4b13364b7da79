/* affine_check: compares the reads of a run with the predicted rows. */
#include "flow/affine.h"

#include <stdlib.h>
#include <string.h>

struct range {
	uint64_t low, high;
};

struct ranges {
	struct range *range;
	size_t count, room;
};

struct affine_check {
	struct arena arena;
	const struct affine_kernel *kernel;
	struct affine_rows *rows; /* by load */
	uint64_t *base;           /* by load: start of its array */
	struct range *array;      /* by load: the allocation that contains its base; empty: none */
	uint32_t *load_of;        /* by instruction; FLOW_NONE if it is not listed */
};

struct affine_block {
	const struct affine_check *check;
	uint32_t ctaid[3];
	struct affine_counts counts;
	struct ranges reads, predicted;
};

static int by_low(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return (x->low > y->low) - (x->low < y->low);
}

/* Sorts and joins the ranges, and returns the number of bytes. */
static uint64_t unite(struct ranges *ranges)
{
	size_t kept = 0;
	uint64_t bytes = 0;
	if (!ranges->count)
		return 0;
	qsort(ranges->range, ranges->count, sizeof *ranges->range, by_low);
	for (size_t i = 1; i < ranges->count; i++) {
		struct range *last = &ranges->range[kept];
		if (ranges->range[i].low > last->high)
			ranges->range[++kept] = ranges->range[i];
		else if (ranges->range[i].high > last->high)
			last->high = ranges->range[i].high;
	}
	ranges->count = kept + 1;
	for (size_t i = 0; i < ranges->count; i++)
		bytes += ranges->range[i].high - ranges->range[i].low;
	return bytes;
}

static void add_range(struct ranges *ranges, uint64_t low, uint64_t high)
{
	struct range *last = ranges->count ? &ranges->range[ranges->count - 1] : NULL;
	if (last && low >= last->low && low <= last->high) { /* the next lane */
		last->high = high > last->high ? high : last->high;
		return;
	}
	if (ranges->count == ranges->room) {
		unite(ranges);
		if (ranges->count >= ranges->room / 2) {
			ranges->room = ranges->room ? 2 * ranges->room : 256;
			ranges->range = base_realloc(ranges->range, ranges->room * sizeof *ranges->range);
		}
	}
	ranges->range[ranges->count++] = (struct range){low, high};
}

/* Returns the number of bytes in both; each is already united. */
static uint64_t common(const struct ranges *a, const struct ranges *b)
{
	uint64_t bytes = 0;
	for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
		struct range x = a->range[i], y = b->range[k];
		uint64_t low = x.low > y.low ? x.low : y.low, high = x.high < y.high ? x.high : y.high;
		bytes += high > low ? high - low : 0;
		if (x.high < y.high)
			i++;
		else
			k++;
	}
	return bytes;
}

static uint64_t base_of(const struct affine_load *load, const struct affine_launch *launch)
{
	uint64_t base = 0;
	if (!load->array)
		return 0;
	if (!load->is_parameter)
		return load->array->address;
	memcpy(&base, launch->params + load->array->offset + load->array_offset, sizeof base);
	return base;
}

struct affine_check *affine_check_open(const struct affine_kernel *kernel, const struct affine_launch *launch,
                                       bool (*clip)(void *user, uint64_t address, uint64_t *low, uint64_t *high),
                                       void *user)
{
	struct affine_check *check = base_calloc(1, sizeof *check);
	check->kernel = kernel;
	check->rows = arena_array(&check->arena, kernel->loads, sizeof *check->rows);
	check->base = arena_array(&check->arena, kernel->loads, sizeof *check->base);
	check->array = arena_array(&check->arena, kernel->loads, sizeof *check->array);
	check->load_of = arena_array(&check->arena, kernel->function->body_count, sizeof *check->load_of);
	for (uint32_t i = 0; i < kernel->function->body_count; i++)
		check->load_of[i] = FLOW_NONE;
	for (uint32_t i = 0; i < kernel->loads; i++) {
		struct range *array = &check->array[i];
		check->rows[i] = affine_footprint(&check->arena, kernel, &kernel->load[i], launch);
		check->base[i] = base_of(&kernel->load[i], launch);
		check->load_of[kernel->load[i].inst] = i;
		if (!clip(user, check->base[i], &array->low, &array->high))
			*array = (struct range){0};
	}
	return check;
}

void affine_check_close(struct affine_check *check)
{
	arena_free(&check->arena);
	free(check);
}

/* Returns the address of offset 0 of a load's row for this block. */
static uint64_t shift(const struct affine_block *block, const struct affine_row *row, uint64_t base)
{
	for (uint32_t i = 0; i < 3; i++)
		base += (uint64_t)row->ctaid[i] * block->ctaid[i];
	return base;
}

struct affine_block *affine_block_open(void)
{
	return base_calloc(1, sizeof(struct affine_block));
}

void affine_block_begin(struct affine_block *block, const struct affine_check *check, const uint32_t ctaid[3])
{
	block->check = check;
	memcpy(block->ctaid, ctaid, sizeof block->ctaid);
	block->counts = (struct affine_counts){0};
	block->reads.count = block->predicted.count = 0;
	for (uint32_t i = 0; i < check->kernel->loads; i++) {
		int64_t first = (int64_t)check->array[i].low, end = (int64_t)check->array[i].high;
		for (uint32_t k = 0; k < check->rows[i].count; k++) {
			const struct affine_row *row = &check->rows[i].row[k];
			uint64_t at = shift(block, row, check->base[i]);
			int64_t low = (int64_t)(at + (uint64_t)row->low), high = (int64_t)(at + (uint64_t)row->high);
			low = low < first ? first : low;
			high = high > end ? end : high;
			if (low < high)
				add_range(&block->predicted, (uint64_t)low, (uint64_t)high);
		}
	}
}

bool affine_block_read(struct affine_block *block, uint32_t inst, uint64_t address)
{
	const struct affine_check *check = block->check;
	uint32_t number = inst == FLOW_NONE ? FLOW_NONE : check->load_of[inst];
	if (number == FLOW_NONE || check->rows[number].why) {
		block->counts.other++;
		return true;
	}
	const struct affine_rows *rows = &check->rows[number];
	uint32_t bytes = check->kernel->load[number].bytes, first = 0, end = rows->count;
	int64_t at = rows->count ? (int64_t)(address - shift(block, rows->row, check->base[number])) : 0;
	/* The last row that begins at or before the address; all rows of a load move alike. */
	while (end - first > 1) {
		uint32_t middle = first + (end - first) / 2;
		if (rows->row[middle].low <= at)
			first = middle;
		else
			end = middle;
	}
	block->counts.reads++;
	add_range(&block->reads, address, address + bytes);
	if (rows->count && at >= rows->row[first].low && at + bytes <= rows->row[first].high)
		return true;
	block->counts.missed++;
	return false;
}

void affine_counts_add(struct affine_counts *counts, const struct affine_counts *more)
{
	counts->reads += more->reads;
	counts->other += more->other;
	counts->missed += more->missed;
	counts->read_bytes += more->read_bytes;
	counts->over_bytes += more->over_bytes;
}

void affine_block_end(struct affine_block *block, struct affine_counts *counts)
{
	block->counts.read_bytes = unite(&block->reads);
	block->counts.over_bytes = unite(&block->predicted) - common(&block->reads, &block->predicted);
	affine_counts_add(counts, &block->counts);
}

void affine_block_close(struct affine_block *block)
{
	free(block->reads.range);
	free(block->predicted.range);
	free(block);
}
