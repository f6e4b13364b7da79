/* stream: reads the bytes of a file, with decompression according to its file name suffix. */
#ifndef SLUICE_TRACE_STREAM_H
#define SLUICE_TRACE_STREAM_H

#include "base/diag.h"

struct trace_stream;

/* Opens a stream. Returns NULL after a message. */
struct trace_stream *trace_stream_open(const char *path, struct diag *diag);
/* Reads up to `room` bytes; 0 bytes at the end. Returns false after a message: a read error, or invalid compressed
 * data. */
bool trace_stream_read(struct trace_stream *stream, char *to, size_t room, size_t *got, struct diag *diag);
void trace_stream_close(struct trace_stream *stream);

#endif
