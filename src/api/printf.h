/* printf: what device code prints. */
#ifndef SLUICE_API_PRINTF_H
#define SLUICE_API_PRINTF_H

#include "simt/simt.h"

#include <stdio.h>

/* Where a lane's generic addresses lead. */
struct lane_memory {
	struct simt_memory *memory;
	const struct simt_windows *windows;
};

/* Bytes that can be read from an address on, or none. */
struct span {
	const char *at;
	size_t bytes;
};

struct span syscall_reach(const struct lane_memory *lane, uint64_t address);
/* Of the text that begins there, which need not end. */
size_t syscall_span_length(const struct span *text);

/* `format` and `buffer`, in which the compiler has laid out the arguments, are generic addresses. Returns the number of
 * arguments, as CUDA's printf does; -1 without a format. */
int syscall_printf(FILE *file, const struct lane_memory *lane, uint64_t format, uint64_t buffer);

#endif
