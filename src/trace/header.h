/* header: the lines "-kernel name = ..." at the start of a kernel's instruction trace. */
#ifndef SLUICE_TRACE_HEADER_H
#define SLUICE_TRACE_HEADER_H

#include "trace/lines.h"
#include "trace/trace.h"

/* Reads the lines up to the one that begins with "#BEGIN_TB", which is then the current line. Returns false after a
 * message. */
bool trace_header_read(struct trace_header *header, struct trace_lines *lines, struct arena *arena, struct diag *diag);

#endif
