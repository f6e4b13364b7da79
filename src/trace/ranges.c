#include "trace/ranges.h"

#include "base/arena.h"

#include <stdlib.h>

enum { PAGE_SHIFT = 21 };

void trace_ranges_add(struct trace_ranges *ranges, uint64_t begin, uint64_t end)
{
	if (ranges->count == ranges->capacity) {
		trace_ranges_merge(ranges);
		if (2 * ranges->count >= ranges->capacity) {
			ranges->capacity = ranges->capacity ? 2 * ranges->capacity : 256;
			ranges->range = base_realloc(ranges->range, ranges->capacity * sizeof *ranges->range);
		}
	}
	ranges->range[ranges->count++] = (struct trace_range){begin, end};
}

void trace_ranges_add_page(struct trace_ranges *ranges, uint64_t address)
{
	uint64_t page = address >> PAGE_SHIFT;
	if (ranges->last == page + 1)
		return;
	ranges->last = page + 1;
	trace_ranges_add(ranges, page << PAGE_SHIFT, (page + 1) << PAGE_SHIFT);
}

static int by_begin(const void *a, const void *b)
{
	const struct trace_range *x = a, *y = b;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

void trace_ranges_merge(struct trace_ranges *ranges)
{
	uint32_t kept = 0;
	if (ranges->count)
		qsort(ranges->range, ranges->count, sizeof *ranges->range, by_begin);
	for (uint32_t i = 0; i < ranges->count; i++) {
		struct trace_range next = ranges->range[i], *last = kept ? &ranges->range[kept - 1] : NULL;
		if (last && next.begin <= last->end)
			last->end = next.end > last->end ? next.end : last->end;
		else
			ranges->range[kept++] = next;
	}
	ranges->count = kept;
}

bool trace_ranges_touch(const struct trace_ranges *ranges, uint64_t address, uint64_t bytes)
{
	uint32_t low = 0, high = ranges->count; /* the first range that ends after the address is among [low, high] */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (ranges->range[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low < ranges->count && ranges->range[low].begin < address + bytes;
}

void trace_ranges_free(struct trace_ranges *ranges)
{
	free(ranges->range);
	*ranges = (struct trace_ranges){0};
}
