#include "trace/replay.h"

#include "simt/exec.h"
#include "trace/ranges.h"

#include <stddef.h>

/* Flags in simt_inst.immediate. */
enum { HAS_ADDRESSES = 1 };

/* A warp's position in its records, stored in place of its register values. The lanes of the next record act as its
 * instruction's guard, so that simt_next_lanes() works as in any program. The rows are a barrier's sources. */
struct cursor {
	lane32 lanes, issued;
	uint32_t instruction;
	const uint8_t *at; /* remainder of the next record */
	uint64_t left;     /* number of records after it */
	_Alignas(SIMT_ALIGN) lane32 number[WARP_SIZE];
	lane32 expected[WARP_SIZE];
};
_Static_assert(sizeof(lane32[WARP_SIZE]) % SIMT_ALIGN == 0, "each row is aligned");

static struct cursor *cursor_of(const struct simt_warp *warp)
{
	return (struct cursor *)(void *)warp->registers;
}

static const struct trace_records *records_of(const struct simt_warp *warp)
{
	return warp->block->launch->program->source->user;
}

static uint32_t take32(const uint8_t **at)
{
	uint32_t value;
	memcpy(&value, *at, sizeof value);
	*at += sizeof value;
	return value;
}

static uint64_t take64(const uint8_t **at)
{
	uint64_t value;
	memcpy(&value, *at, sizeof value);
	*at += sizeof value;
	return value;
}

/* Makes the next record the warp's next instruction. */
static void load(struct simt_warp *warp, struct cursor *cursor)
{
	cursor->left--;
	cursor->instruction = take32(&cursor->at);
	cursor->lanes = take32(&cursor->at);
	cursor->issued = take32(&cursor->at);
	warp->pc = records_of(warp)->index[cursor->instruction];
	warp->lanes = cursor->issued;
}

static void end(struct simt_warp *warp, struct simt_step *step)
{
	warp->exited = warp->exists;
	warp->lanes = 0;
	warp->done = true;
	warp->block->live &= ~((uint64_t)1 << warp->index);
	step->exited = true;
}

/* Reads the addresses of a record's lanes. Returns their space, and moves *at after them. */
static enum ptx_space take_addresses(const uint8_t **at, uint32_t lanes, uint64_t *address)
{
	uint32_t head = take32(at);
	uint64_t next = head & RECORD_STRIDE ? take64(at) : 0, stride = head & RECORD_STRIDE ? take64(at) : 0;
	for (; lanes; lanes &= lanes - 1) {
		address[__builtin_ctz(lanes)] = head & RECORD_STRIDE ? next : take64(at);
		next += stride;
	}
	return (enum ptx_space)(head & RECORD_SPACE);
}

static void take_barrier(struct cursor *cursor)
{
	uint32_t barrier = take32(&cursor->at);
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		cursor->number[i] = barrier & RECORD_BARRIER;
		cursor->expected[i] = barrier & ~(uint32_t)RECORD_BARRIER;
	}
}

static void take_access(struct cursor *cursor, const struct simt_inst *inst, struct simt_step *step)
{
	step->space = (uint8_t)take_addresses(&cursor->at, step->lanes, step->address);
	step->mixed_spaces = step->space == PTX_GENERIC;
	if (inst->async != SIMT_COPY)
		return;
	(void)take_addresses(&cursor->at, step->lanes, step->to);
	step->fetches = 0;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1)
		step->fetches |= step->address[__builtin_ctz(rest)] ? rest & -rest : 0;
}

static void take_outcome(struct cursor *cursor, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t outcome = take32(&cursor->at);
	step->phase_ended = outcome;
	step->waits = inst->async == SIMT_TRY_WAIT ? outcome : 0;
}

/* Every instruction runs this, whether any lane is active or not. */
static void replay(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct cursor *cursor = cursor_of(warp);
	if (step->lanes && inst->immediate & HAS_ADDRESSES)
		take_access(cursor, inst, step);
	if (inst->kind == SIMT_BARRIER)
		take_barrier(cursor);
	else if (replay_has_outcome(inst))
		take_outcome(cursor, inst, step);
	if (inst->kind == SIMT_EXIT && step->lanes) {
		warp->exited |= step->lanes;
		step->exited = true;
	}
	if (cursor->left)
		load(warp, cursor);
	else
		end(warp, step);
}

static void begin(struct simt_block *block)
{
	const struct trace_records *records = block->launch->program->source->user;
	const uint8_t *at = records->bytes + records->block_at[block->number];
	for (uint32_t w = 0; w < block->warps; w++) {
		struct trace_warp warp;
		struct cursor *cursor = cursor_of(&block->warp[w]);
		memcpy(&warp, at + w * sizeof warp, sizeof warp);
		cursor->at = records->bytes + warp.at;
		cursor->left = warp.count;
		load(&block->warp[w], cursor);
	}
}

static bool reaches(const struct simt_source *source, uint64_t address, uint64_t bytes)
{
	const struct trace_records *records = source->user;
	return trace_ranges_touch(records->memory, address, bytes);
}

/* A trace has no values of sources. */
static void ahead(const struct simt_warp *warp, struct simt_operands *operands)
{
	const struct cursor *cursor = cursor_of(warp);
	const struct simt_inst *inst = &warp->code[warp->pc];
	operands->lanes = cursor->lanes;
	operands->sources = 0;
	operands->has_address = inst->immediate & HAS_ADDRESSES && cursor->lanes;
	if (!operands->has_address)
		return;
	const uint8_t *at = cursor->at;
	memset(operands->address, 0, sizeof operands->address);
	enum ptx_space space = take_addresses(&at, cursor->lanes, operands->address);
	memset(operands->space, space, sizeof operands->space);
}

void replay_instruction(struct simt_inst *inst)
{
	inst->exec = replay;
	inst->skipped = replay;
	inst->guard = offsetof(struct cursor, lanes);
	inst->target = SIMT_NO_PC;
	inst->reconverge = SIMT_NO_PC;
	inst->vector = 1;
	inst->src[0] = offsetof(struct cursor, number);
	inst->src[1] = offsetof(struct cursor, expected);
}

void replay_addresses(struct simt_inst *inst)
{
	inst->immediate = HAS_ADDRESSES;
}

void replay_program(struct simt_program *program, const struct trace_records *records, struct arena *arena)
{
	struct simt_source *source = arena_alloc(arena, sizeof *source);
	*source = (struct simt_source){.begin = begin, .reaches = reaches, .ahead = ahead, .user = records};
	program->source = source;
	program->register_bytes = sizeof(struct cursor);
	program->alloca_row = SIMT_NO_REGISTER;
	program->constants = arena_alloc(arena, SIMT_ALIGN);
}
