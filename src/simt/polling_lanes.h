/* polling_lanes: runs lanes of a warp apart from lanes that they wait for.
 *
 * The paths of a branch run one after the other. Lanes that poll a location which other lanes of their warp are to
 * write would therefore poll forever. A path is parked when it comes round its loop POLLING_TURNS times with the same
 * lanes and the same values from the same addresses. The warp's stack is then split into one stack for the path's
 * lanes and one for the others. The stacks run in turns and change whenever one of them comes round such a loop
 * again. A stack waits for other lanes at an instruction in which these take part: a barrier of the block, a .sync
 * whose mask names them, a matrix instruction. Stacks that reach the same pc are merged. Programs without a loop
 * that polls skip all of this.
 */
#ifndef SLUICE_SIMT_POLLING_LANES_H
#define SLUICE_SIMT_POLLING_LANES_H

#include "simt/program.h"

/* A call that has not returned. The record is in warp->frames, after the registers that it saved. */
struct frame_record {
	const struct simt_call *call;
	const struct simt_function *callee;
	uint32_t lanes;
	uint32_t caller_frame;           /* frame of the caller's slots */
	uint32_t outer_frame, outer_top; /* the warp's values before the call */
	uint32_t saved;                  /* bytes of registers */
};

/* Finds the loops that poll, and the instructions at which lanes that run apart wait for each other. */
void polling_mark(struct simt_program *program);

/* Returns the instruction that the warp's loop reads in every round to decide whether to continue. Returns NULL
 * when the warp is in no such loop. */
const struct simt_inst *polling_inst(const struct simt_warp *warp);

/* Call it when all running lanes have ended and others are parked: the parked lanes run on. */
void polling_resume(struct simt_warp *warp);

void polling_block_free(struct simt_block *block);

/* In control.c: writes the running pc and lanes back to the top of the stack. Returns that entry. */
struct simt_stack_entry *control_save_top(struct simt_warp *warp);
/* In control.c: copies, for some lanes, the registers of a function that a recursive call saved. */
void control_blend_rows(uint8_t *registers, const struct simt_function *function, const uint8_t *saved, uint32_t lanes);

#endif
