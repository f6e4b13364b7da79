/* inst: a line of a trace: what a warp did at one instruction. */
#ifndef SLUICE_TRACE_INST_H
#define SLUICE_TRACE_INST_H

#include "trace/code.h"

struct trace_record {
	uint32_t instruction; /* in the list of trace_code */
	uint32_t lanes, issued;
	const struct trace_static *fixed;
	enum ptx_space space;
	uint64_t address[WARP_SIZE]; /* of lanes, where fixed->has_addresses */
	uint64_t to[WARP_SIZE];      /* of a copy: where it goes in shared memory */
	uint32_t immediate;          /* of a barrier, and where replay_has_outcome(): replay.h */
};

/* What the current line says. `live` are the warp's lanes that have not exited: those that were active where none ran. False after a message. */
bool trace_read_line(struct trace_code *code, const struct trace_header *header, const struct trace_lines *lines,
                     uint32_t live, struct trace_record *record, struct diag *diag);

#endif
