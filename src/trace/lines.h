/* lines: reads a text file line by line, with decompression, and reports errors at positions in it. */
#ifndef SLUICE_TRACE_LINES_H
#define SLUICE_TRACE_LINES_H

#include "base/diag.h"

struct trace_buffer;

struct trace_lines {
	const char *name;   /* the path, for messages; owned by the caller */
	uint64_t number;    /* line number, from 1 */
	char *text;         /* the line without its end, NUL-terminated; valid until the next call */
	size_t length;
	struct trace_buffer *buffer;
};

/* Opens FILE, FILE.zst or, if Sluice was built with liblzma, FILE.xz. Returns false after a message. */
bool trace_lines_open(struct trace_lines *lines, const char *path, struct diag *diag);
/* Reads the next line. Returns false at the end, and after a message: a read error, or a line longer than 1 MiB. */
bool trace_lines_next(struct trace_lines *lines, struct diag *diag);
void trace_lines_close(struct trace_lines *lines);

/* Reports "FILE:LINE:COLUMN: error: ..." with the line and a caret. `at` points into the line; NULL: no position. */
__attribute__((format(printf, 4, 5))) void trace_error(const struct trace_lines *lines, struct diag *diag,
                                                       const char *at, const char *format, ...);

#endif
