/* write: the text of our own traces. */
#ifndef SLUICE_TRACE_WRITE_H
#define SLUICE_TRACE_WRITE_H

#include "simt/simt.h"

struct trace_recorder;
struct recorded_block;

/* Lines of a warp, on their way into the file. */
struct recorded_text {
	char *text;
	size_t length, capacity;
	uint64_t lines;
};

struct recorded_block *recorded_block_new(struct trace_recorder *recorder, uint64_t number, uint32_t warps);
/* Begins a line of a warp: all up to the width of the access; addresses behind it; what is behind these, `whole` or as far as it says something; its end. */
struct recorded_text *recorded_line(struct recorded_block *block, uint32_t warp, uint32_t pc, uint32_t lanes);
void recorded_addresses(struct recorded_text *text, uint32_t lanes, const uint64_t *address);
void recorded_rest(struct recorded_text *text, uint32_t immediate, uint32_t lanes, uint32_t issued, bool whole);
void recorded_end(struct recorded_text *text);
/* One of the block's warps has ended. True: all have, and the block goes into the file. */
bool recorded_warp_done(struct recorded_block *block);

/* Whether an instruction's lines have addresses; and whether those are generic ones (record.c). */
bool record_has_addresses(const struct simt_inst *inst);
bool record_is_generic(const struct simt_inst *inst);

#endif
