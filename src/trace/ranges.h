/* ranges: stretches of addresses, for what a trace knows of memory: its allocations, or the pages that its kernel accesses. */
#ifndef SLUICE_TRACE_RANGES_H
#define SLUICE_TRACE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise; trace_ranges_free() afterwards. */
struct trace_ranges {
	struct trace_range {
		uint64_t begin, end;
	} *range;
	uint32_t count, capacity;
	uint64_t last; /* page that was added last, and one */
};

/* Of [begin, end), which is not empty. */
void trace_ranges_add(struct trace_ranges *ranges, uint64_t begin, uint64_t end);
/* The page of 2 MiB that holds the address. */
void trace_ranges_add_page(struct trace_ranges *ranges, uint64_t address);
/* In ascending order, and those that meet as one: before trace_ranges_touch(). */
void trace_ranges_merge(struct trace_ranges *ranges);
/* Some of the bytes lie in one. */
bool trace_ranges_touch(const struct trace_ranges *ranges, uint64_t address, uint64_t bytes);
void trace_ranges_free(struct trace_ranges *ranges);

#endif
