/* ranges: address ranges of the memory of a trace: its allocations, or the pages that its kernel accesses. */
#ifndef SLUICE_TRACE_RANGES_H
#define SLUICE_TRACE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialize it before use; free it with trace_ranges_free(). */
struct trace_ranges {
	struct trace_range {
		uint64_t begin, end;
	} *range;
	uint32_t count, capacity;
	uint64_t last; /* page added last, plus one */
};

/* Adds [begin, end), which must not be empty. */
void trace_ranges_add(struct trace_ranges *ranges, uint64_t begin, uint64_t end);
/* Adds the 2 MiB page that holds the address. */
void trace_ranges_add_page(struct trace_ranges *ranges, uint64_t address);
/* Sorts the ranges and merges overlapping and adjacent ones. Call it before trace_ranges_touch(). */
void trace_ranges_merge(struct trace_ranges *ranges);
/* Returns true when some of the bytes lie in a range. */
bool trace_ranges_touch(const struct trace_ranges *ranges, uint64_t address, uint64_t bytes);
void trace_ranges_free(struct trace_ranges *ranges);

#endif
