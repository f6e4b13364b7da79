/* lines: a text file line by line, decompressed on the way, and messages about its places. */
#ifndef SLUICE_TRACE_LINES_H
#define SLUICE_TRACE_LINES_H

#include "base/diag.h"

struct trace_buffer;

struct trace_lines {
	const char *name;   /* the path, for messages; kept by the caller */
	uint64_t number;    /* of the line, from 1 on */
	char *text;         /* the line, without its end, NUL-terminated; until the next call */
	size_t length;
	struct trace_buffer *buffer;
};

/* Opens FILE, FILE.zst or, where Sluice was built with liblzma, FILE.xz. False after a message. */
bool trace_lines_open(struct trace_lines *lines, const char *path, struct diag *diag);
/* The next line. False at the end, and after a message: a file that cannot be read, or a line beyond a MiB. */
bool trace_lines_next(struct trace_lines *lines, struct diag *diag);
void trace_lines_close(struct trace_lines *lines);

/* "FILE:LINE:COLUMN: error: ..." with the line and a caret. `at` points into the line, or NULL: into none. */
__attribute__((format(printf, 4, 5))) void trace_error(const struct trace_lines *lines, struct diag *diag,
                                                       const char *at, const char *format, ...);

#endif
