/* replay: the instructions of a program that is a trace: each takes the next record of its warp.
 *
 * A record is, in words of 32 bits: which instruction; the lanes that run it; the lanes that were active; and, where its lanes access
 * memory, RECORD_LIST or RECORD_STRIDE with the space, and addresses of 64 bits: one a lane, or the first lane's and the way from each to the
 * next; the same again of where a copy goes, whose lanes with address 0 read nothing. At a barrier: its number, and for how many threads,
 * which is a multiple of 32. Of what tells or asks an mbarrier: whether a phase has ended, or the question was in vain. */
#ifndef SLUICE_TRACE_REPLAY_H
#define SLUICE_TRACE_REPLAY_H

#include "simt/simt.h"

enum { RECORD_SPACE = 0xff, RECORD_LIST = 0, RECORD_STRIDE = 1 << 8, RECORD_BARRIER = WARP_SIZE - 1 };

/* A warp's records. */
struct trace_warp {
	uint64_t at, count; /* bytes from the beginning; records */
};

/* All of a kernel's. */
struct trace_records {
	const uint8_t *bytes;
	size_t length;
	uint64_t *block_at; /* by block: where its warps' struct trace_warp lie */
	uint32_t *index;    /* by instruction of a record: its place in the program */
	const struct trace_ranges *memory; /* global memory that there is */
};

/* Fills in what is the same in all instructions of such a program. */
void replay_instruction(struct simt_inst *inst);
/* Its records say what came of it at an mbarrier. */
static inline bool replay_has_outcome(const struct simt_inst *inst)
{
	return inst->async == SIMT_PHASE || inst->async == SIMT_TRY_WAIT;
}
/* The instruction's records hold addresses. */
void replay_addresses(struct simt_inst *inst);
/* Makes it a program of these records. */
void replay_program(struct simt_program *program, const struct trace_records *records, struct arena *arena);

#endif
