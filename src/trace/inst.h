/* inst: one line of an instruction trace: the effect of a warp instruction. */
#ifndef SLUICE_TRACE_INST_H
#define SLUICE_TRACE_INST_H

#include "trace/code.h"

struct trace_record {
	uint32_t instruction; /* in the list of trace_code */
	uint32_t lanes, issued;
	const struct trace_static *fixed;
	enum ptx_space space;
	uint64_t address[WARP_SIZE]; /* per lane, if fixed->has_addresses */
	uint64_t to[WARP_SIZE];      /* copies: destination in shared memory */
	uint32_t immediate;          /* for a barrier, and if replay_has_outcome(): see replay.h */
};

/* Parses the current line. `live`: the warp's lanes that have not exited; they count as active when no lane ran.
 * Returns false after a message. */
bool trace_read_line(struct trace_code *code, const struct trace_header *header, const struct trace_lines *lines,
                     uint32_t live, struct trace_record *record, struct diag *diag);

#endif
