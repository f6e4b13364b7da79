/* printf: prints what device code passes to printf. */
#ifndef SLUICE_API_PRINTF_H
#define SLUICE_API_PRINTF_H

#include "simt/simt.h"

#include <stdio.h>

/* Resolves a lane's generic addresses. */
struct lane_memory {
	struct simt_memory *memory;
	const struct simt_windows *windows;
};

/* Readable bytes that begin at an address; 0 bytes: none. */
struct span {
	const char *at;
	size_t bytes;
};

/* Returns the readable bytes from the address to the end of the memory that contains it; 0 bytes: unreadable. */
struct span syscall_reach(const struct lane_memory *lane, uint64_t address);
/* Returns the length of the text at the start of the span. The text may lack a terminator. */
size_t syscall_span_length(const struct span *text);

/* Prints `format` with the arguments that the compiler laid out in `buffer`; both are generic addresses. Returns the
 * number of arguments, as CUDA's printf does; -1 without a format. */
int syscall_printf(FILE *file, const struct lane_memory *lane, uint64_t format, uint64_t buffer);

#endif
