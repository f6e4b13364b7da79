/* split: the lanes of a warp that wait for other lanes of it.
 *
 * The paths of a branch run one behind the other, so lanes that poll a place which others of their warp are to write would poll for ever. Where
 * a path comes round its loop SPLIT_TURNS times with the same lanes and each time reads the same values from the same addresses, it goes on
 * apart: the warp's stack is taken apart into one for the path's lanes and one for the others, which run in turns, changing whenever one of
 * them comes round such a loop again. A stack that comes to an instruction which others take part in (a barrier of the block, .sync with a mask
 * that names them, a matrix) waits for them. Stacks that come to the same place are put together again. Nothing of this is looked for in programs
 * without a loop that polls.
 */
#ifndef SLUICE_SIMT_SPLIT_H
#define SLUICE_SIMT_SPLIT_H

#include "simt/program.h"

/* A call that has not returned: in warp->frames, behind the registers it saved. */
struct frame_record {
	const struct simt_call *call;
	const struct simt_function *callee;
	uint32_t lanes;
	uint32_t caller_frame;           /* of the caller's slots */
	uint32_t outer_frame, outer_top; /* the warp's before */
	uint32_t saved;                  /* bytes of registers */
};

/* Finds the loops that poll, and the instructions at which lanes that are apart wait for each other. */
void split_mark(struct simt_program *program);

/* What the loop that the warp is in reads in every round to know whether it may go on; NULL: it is in no such loop. */
const struct simt_inst *split_poll(const struct simt_warp *warp);

/* The lanes that ran have all ended, and others are parked: these run on. */
void split_resume(struct simt_warp *warp);

void split_block_free(struct simt_block *block);

/* control.c: writes the running pc and lanes back to the top of the stack, which it returns. */
struct simt_stack_entry *control_save_top(struct simt_warp *warp);
/* control.c: copies what a recursive call saved of a function's registers, of some lanes. */
void control_blend_rows(uint8_t *registers, const struct simt_function *function, const uint8_t *saved, uint32_t lanes);

#endif
