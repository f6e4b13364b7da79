/* pack: writes records to an unnamed temporary file and maps the result. */
#ifndef SLUICE_TRACE_PACK_H
#define SLUICE_TRACE_PACK_H

#include "base/diag.h"
#include "trace/replay.h"

#include <stdio.h>

struct trace_pack {
	FILE *file;
	uint64_t length; /* bytes written so far */
};

/* Opens a file in TMPDIR, or in /tmp. Returns false after a message. */
bool trace_pack_open(struct trace_pack *pack, struct diag *diag);
void trace_pack_write(struct trace_pack *pack, const void *from, size_t size);
/* Maps the bytes for the lifetime of the records. Returns false after a message: the bytes could not be stored. */
bool trace_pack_map(struct trace_pack *pack, struct trace_records *records, struct diag *diag);
void trace_pack_close(struct trace_pack *pack);
void trace_pack_unmap(struct trace_records *records);

#endif
