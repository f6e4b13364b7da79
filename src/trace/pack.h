/* pack: records on their way into a file without a name, and what is made of it. */
#ifndef SLUICE_TRACE_PACK_H
#define SLUICE_TRACE_PACK_H

#include "base/diag.h"
#include "trace/replay.h"

#include <stdio.h>

struct trace_pack {
	FILE *file;
	uint64_t length; /* bytes written so far */
};

/* In TMPDIR, or /tmp. False after a message. */
bool trace_pack_open(struct trace_pack *pack, struct diag *diag);
void trace_pack_write(struct trace_pack *pack, const void *from, size_t size);
/* The bytes, for as long as the records live. False after a message: there was no room for them. */
bool trace_pack_map(struct trace_pack *pack, struct trace_records *records, struct diag *diag);
void trace_pack_close(struct trace_pack *pack);
void trace_pack_unmap(struct trace_records *records);

#endif
