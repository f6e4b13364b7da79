/* header: the lines "-kernel name = ..." with which a kernel's trace begins. */
#ifndef SLUICE_TRACE_HEADER_H
#define SLUICE_TRACE_HEADER_H

#include "trace/lines.h"
#include "trace/trace.h"

/* The lines up to the one that begins with "#BEGIN_TB", which is the current one then. False after a message. */
bool trace_header_read(struct trace_header *header, struct trace_lines *lines, struct arena *arena, struct diag *diag);

#endif
