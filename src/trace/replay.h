/* replay: executes a program that is an instruction trace: each instruction takes the next record of its warp.
 *
 * A record consists of 32-bit words. The first three are the instruction, the lanes that run it, and the lanes that
 * were active. If its lanes access memory, RECORD_LIST or RECORD_STRIDE with the space follows, and then 64-bit
 * addresses. A list has one address per lane. A stride has the first lane's address and the distance from each lane
 * to the next. For a copy the same follows for its destinations; lanes with source address 0 read nothing. A
 * barrier has its number plus its thread count, which is a multiple of 32. An instruction on an mbarrier has its
 * outcome: whether a phase has ended, or the wait failed. */
#ifndef SLUICE_TRACE_REPLAY_H
#define SLUICE_TRACE_REPLAY_H

#include "simt/simt.h"

enum { RECORD_SPACE = 0xff, RECORD_LIST = 0, RECORD_STRIDE = 1 << 8, RECORD_BARRIER = WARP_SIZE - 1 };

/* A warp's records. */
struct trace_warp {
	uint64_t at, count; /* bytes from the beginning; number of records */
};

/* All records of a kernel. */
struct trace_records {
	const uint8_t *bytes;
	size_t length;
	uint64_t *block_at; /* by block: position of its warps' struct trace_warp */
	uint32_t *index;    /* by instruction of a record: its index in the program */
	const struct trace_ranges *memory; /* the global memory that exists */
};

/* Sets the fields that are the same in all instructions of such a program. */
void replay_instruction(struct simt_inst *inst);
/* Returns true when records of the instruction contain the outcome at an mbarrier. */
static inline bool replay_has_outcome(const struct simt_inst *inst)
{
	return inst->async == SIMT_PHASE || inst->async == SIMT_TRY_WAIT;
}
/* Declares that the instruction's records contain addresses. */
void replay_addresses(struct simt_inst *inst);
/* Turns a program into one that replays these records. */
void replay_program(struct simt_program *program, const struct trace_records *records, struct arena *arena);

#endif
