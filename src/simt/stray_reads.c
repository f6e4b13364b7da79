/* stray_reads: executes out-of-bounds reads where they are allowed. They return 0, as they often do on a GPU, whose
 * pages are larger than allocations. Three kinds stay faults: reads of freed memory, reads below the first address that
 * can be allocated, and reads beyond device memory. */
#include "simt/checks.h"
#include "simt/message.h"

/* Page size with which a GPU maps device memory, in bytes. */
enum { PAGE = 2 << 20 };

bool stray_may(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD &&
	       (inst->space == PTX_GLOBAL || inst->space == PTX_CONST || inst->space == PTX_GENERIC);
}

static bool is_stray(const struct simt_memory *memory, uint64_t address, uint64_t size)
{
	return address % size == 0 && simt_in_memory(memory, address, size) && !simt_valid(memory, address, size) &&
	       !simt_freed(memory, address);
}

static uint32_t stray_lanes(const struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step)
{
	uint32_t stray = 0;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t address = step->address[lane];
		bool global = inst->space != PTX_GENERIC || generic_space(address) == PTX_GLOBAL;
		if (global && is_stray(warp->block->launch->memory, address, inst->size))
			stray |= lane_bit[lane];
	}
	return stray;
}

static void tell(const struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step,
                 uint32_t stray)
{
	for (; stray; stray &= stray - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(stray);
		finding_add(warp->block, &(struct finding){.kind = FINDING_STRAY,
		                                           .access = {{inst, warp->index, lane}},
		                                           .address = step->address[lane],
		                                           .size = inst->size});
	}
}

static void give_zeros(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t stray)
{
	for (unsigned e = 0; e < inst->vector; e++) {
		if (inst->dst[e] == SIMT_NO_REGISTER)
			continue;
		size_t pitch = unchecked(warp, inst)->dst_pitch[e];
		uint8_t *row = destination(warp, inst, e);
		for (uint32_t rest = stray; rest; rest &= rest - 1)
			memset(row + (size_t)__builtin_ctz(rest) * pitch, 0, pitch);
	}
}

void stray_load(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	access_addresses(warp, inst, step->address);
	uint32_t lanes = step->lanes, stray = stray_lanes(warp, inst, step);
	if (stray)
		tell(warp, inst, step, stray);
	step->lanes &= ~stray;
	if (step->lanes)
		unchecked(warp, inst)->load(warp, inst, step);
	else
		step->space = inst->space == PTX_GENERIC ? PTX_GLOBAL : inst->space;
	step->lanes = lanes;
	give_zeros(warp, inst, stray);
}

bool simt_fault_strays(const struct simt_launch *launch, const struct simt_fault *fault)
{
	const struct simt_memory *memory = launch->memory;
	bool load = fault->kind == SIMT_FAULT_ADDRESS && fault->inst && stray_may(fault->inst);
	bool global = fault->space == PTX_GLOBAL || fault->space == PTX_CONST;
	if (!load || !global || !is_stray(memory, fault->address, fault->size))
		return false;
	const struct simt_allocation *near = simt_nearest(memory, fault->address);
	if (!near)
		return false;
	uint64_t begin = simt_named(memory, near->address);
	return simt_gap(PTX_GLOBAL, begin, begin + near->size, fault->address).bytes < PAGE;
}
