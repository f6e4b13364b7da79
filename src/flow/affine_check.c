/* What a run read against what the rows said. */
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

struct affine_check_state {
	struct arena arena;
	const struct affine_kernel *kernel;
	const struct affine_launch *launch;
	bool (*clip)(void *user, uint64_t address, uint64_t *low, uint64_t *high);
	void *user;
	struct affine_rows *rows; /* by load */
	uint64_t *base;           /* by load: where its array begins */
	uint32_t *load_of;        /* by instruction, FLOW_NONE where it is not listed */
	uint32_t ctaid[3];
	struct ranges reads, predicted; /* of the block */
};

static void add_range(struct ranges *ranges, uint64_t low, uint64_t high)
{
	if (ranges->count == ranges->room) {
		ranges->room = ranges->room ? 2 * ranges->room : 256;
		ranges->range = xrealloc(ranges->range, ranges->room * sizeof *ranges->range);
	}
	ranges->range[ranges->count++] = (struct range){low, high};
}

static int by_low(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return (x->low > y->low) - (x->low < y->low);
}

/* Sorts, joins, and counts the bytes. */
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

/* The bytes in both, each united. */
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

void affine_check_open(struct affine_check *check, const struct affine_kernel *kernel,
                       const struct affine_launch *launch,
                       bool (*clip)(void *user, uint64_t address, uint64_t *low, uint64_t *high), void *user)
{
	struct affine_check_state *state = xcalloc(1, sizeof *state);
	*check = (struct affine_check){.state = state};
	state->kernel = kernel;
	state->launch = launch;
	state->clip = clip;
	state->user = user;
	state->rows = arena_array(&state->arena, kernel->loads, sizeof *state->rows);
	state->base = arena_array(&state->arena, kernel->loads, sizeof *state->base);
	state->load_of = arena_array(&state->arena, kernel->function->body_count, sizeof *state->load_of);
	for (uint32_t i = 0; i < kernel->function->body_count; i++)
		state->load_of[i] = FLOW_NONE;
	for (uint32_t i = 0; i < kernel->loads; i++) {
		state->rows[i] = affine_footprint(&state->arena, kernel, &kernel->load[i], launch);
		state->base[i] = base_of(&kernel->load[i], launch);
		state->load_of[kernel->load[i].inst] = i;
	}
}

static uint64_t shift(const struct affine_check_state *state, const struct affine_row *row, uint64_t base)
{
	for (uint32_t i = 0; i < 3; i++)
		base += (uint64_t)row->ctaid[i] * state->ctaid[i];
	return base;
}

void affine_check_begin(struct affine_check *check, const uint32_t ctaid[3])
{
	struct affine_check_state *state = check->state;
	memcpy(state->ctaid, ctaid, sizeof state->ctaid);
	state->reads.count = state->predicted.count = 0;
	for (uint32_t i = 0; i < state->kernel->loads; i++) {
		uint64_t first, end;
		if (!state->rows[i].count || !state->clip(state->user, state->base[i], &first, &end))
			continue;
		for (uint32_t k = 0; k < state->rows[i].count; k++) {
			const struct affine_row *row = &state->rows[i].row[k];
			uint64_t at = shift(state, row, state->base[i]);
			int64_t low = (int64_t)(at + (uint64_t)row->low), high = (int64_t)(at + (uint64_t)row->high);
			low = low < (int64_t)first ? (int64_t)first : low;
			high = high > (int64_t)end ? (int64_t)end : high;
			if (low < high)
				add_range(&state->predicted, (uint64_t)low, (uint64_t)high);
		}
	}
}

void affine_check_read(struct affine_check *check, uint32_t inst, uint64_t address)
{
	struct affine_check_state *state = check->state;
	uint32_t number = state->load_of[inst];
	if (number == FLOW_NONE || state->rows[number].why) {
		check->other++;
		return;
	}
	const struct affine_rows *rows = &state->rows[number];
	uint32_t bytes = state->kernel->load[number].bytes, first = 0, end = rows->count;
	int64_t at = rows->count ? (int64_t)(address - shift(state, rows->row, state->base[number])) : 0;
	/* The last row that begins at or before the address; the rows of a load move alike. */
	while (end - first > 1) {
		uint32_t middle = first + (end - first) / 2;
		if (rows->row[middle].low <= at)
			first = middle;
		else
			end = middle;
	}
	check->reads++;
	add_range(&state->reads, address, address + bytes);
	if (!rows->count || at < rows->row[first].low || at + bytes > rows->row[first].high) {
		check->missed++;
		check->missed_inst = inst;
		check->missed_address = address;
	}
}

void affine_check_end(struct affine_check *check)
{
	struct affine_check_state *state = check->state;
	check->read_bytes += unite(&state->reads);
	check->over_bytes += unite(&state->predicted);
	check->over_bytes -= common(&state->reads, &state->predicted);
}

void affine_check_close(struct affine_check *check)
{
	free(check->state->reads.range);
	free(check->state->predicted.range);
	arena_free(&check->state->arena);
	free(check->state);
	check->state = NULL;
}
