/* exec_copy: cp.async. The data are in shared memory once the instruction has run. Groups and mbarriers tell when a
 * program may rely on them; the machine models that time. */
#include "simt/access.h"

#include <string.h>

/* Finds the lanes' destinations in the block's shared memory. Returns false after a fault. */
static bool find_places(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const void *row = source(warp, inst, 1);
	bool wide = (inst->source_widths >> 2 & 3) == SIMT_WIDTH_64;
	for (unsigned i = 0; i < WARP_SIZE; i++)
		step->to[i] = (uint32_t)(wide ? ((const lane64 *)row)[i] : ((const lane32 *)row)[i]) + inst->target;
	return access_copied_to(warp, inst, step);
}

/* Returns the bytes that a lane reads; the rest of its copy is zero. */
static uint32_t bytes_read(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane)
{
	if (inst->vector == COPY_WHOLE)
		return inst->size;
	if (inst->vector == COPY_UNLESS)
		return source_pred(warp, inst, 2) >> lane & 1 ? 0 : inst->size;
	uint32_t count = ((const lane32 *)source(warp, inst, 2))[lane];
	return count < inst->size ? count : inst->size;
}

static void copy_lane(const struct simt_block *block, const struct simt_inst *inst, const struct simt_step *step,
                      unsigned lane, const void *from, uint32_t bytes)
{
	uint8_t *to = block->shared + step->to[lane];
	if (bytes)
		memcpy(to, from, bytes);
	memset(to + bytes, 0, inst->size - bytes);
}

/* Returns the lanes that read all or nothing; `reads` gets those that read. */
static uint32_t whole_lanes(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t lanes, uint32_t *reads)
{
	uint32_t whole = 0;
	*reads = 0;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint32_t bytes = bytes_read(warp, inst, lane);
		whole |= bytes == 0 || bytes == inst->size ? lane_bit[lane] : 0;
		*reads |= bytes == inst->size ? lane_bit[lane] : 0;
	}
	return whole;
}

/* Copies for lanes that read only part of their bytes. The bytes after that part need not be allocated. */
static bool copy_parts(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, uint32_t lanes)
{
	uint64_t address[WARP_SIZE];
	access_addresses(warp, inst, address);
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint32_t bytes = bytes_read(warp, inst, lane);
		step->address[lane] = address[lane];
		const void *from = access_bytes(warp, inst, step, lane, bytes);
		if (!from)
			return false;
		copy_lane(warp->block, inst, step, lane, from, bytes);
	}
	return true;
}

void exec_copy(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t lanes = step->lanes, reads, whole = whole_lanes(warp, inst, lanes, &reads);
	struct reach reach = {0};
	if (!find_places(warp, inst, step))
		return;
	step->lanes = reads;
	if (reads && !access_reach(warp, inst, step, &reach))
		return;
	step->lanes = lanes;
	step->space = PTX_GLOBAL;
	for (uint32_t rest = whole; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		bool is_read = reads >> lane & 1;
		const void *from = is_read ? (const void *)(reach.base + reach.where[lane]) : NULL;
		copy_lane(warp->block, inst, step, lane, from, is_read ? inst->size : 0);
	}
	step->fetches = reads | (lanes & ~whole);
	(void)copy_parts(warp, inst, step, lanes & ~whole); /* a fault is recorded in the step */
}

/* All copies are already complete, so there is nothing to wait for. */
void exec_copy_group(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	(void)warp;
	(void)inst;
	(void)step;
}
