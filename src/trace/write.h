/* write: writes the text of Sluice's own instruction traces. */
#ifndef SLUICE_TRACE_WRITE_H
#define SLUICE_TRACE_WRITE_H

#include "simt/simt.h"

struct trace_recorder;
struct recorded_block;

/* Lines of a warp that have not been written to the file yet. */
struct recorded_text {
	char *text;
	size_t length, capacity;
	uint64_t lines;
};

/* Begins the lines of a block with that number in the grid. */
struct recorded_block *recorded_block_new(struct trace_recorder *recorder, uint64_t number, uint32_t warps);
/* recorded_line() begins a line of a warp and writes everything up to the access width. recorded_addresses() writes
 * addresses. recorded_rest() writes the fields after them; unless `whole`, it omits default values. recorded_end()
 * ends the line. */
struct recorded_text *recorded_line(struct recorded_block *block, uint32_t warp, uint32_t pc, uint32_t lanes);
void recorded_addresses(struct recorded_text *text, uint32_t lanes, const uint64_t *address);
void recorded_rest(struct recorded_text *text, uint32_t immediate, uint32_t lanes, uint32_t issued, bool whole);
void recorded_end(struct recorded_text *text);
/* One of the block's warps has ended. Returns true when all have; the block is then written to the file. */
bool recorded_warp_done(struct recorded_block *block);

/* In record.c: return whether an instruction's lines have addresses, and whether these are generic. */
bool record_has_addresses(const struct simt_inst *inst);
bool record_is_generic(const struct simt_inst *inst);

#endif
