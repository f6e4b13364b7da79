/* stream: the bytes of a file, decompressed by what its name ends in. */
#ifndef SLUICE_TRACE_STREAM_H
#define SLUICE_TRACE_STREAM_H

#include "base/diag.h"

struct trace_stream;

/* NULL after a message. */
struct trace_stream *trace_stream_open(const char *path, struct diag *diag);
/* Up to `room` bytes; 0 at the end. False after a message: it cannot be read, or is no such file. */
bool trace_stream_read(struct trace_stream *stream, char *to, size_t room, size_t *got, struct diag *diag);
void trace_stream_close(struct trace_stream *stream);

#endif
