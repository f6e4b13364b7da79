/* access: turns a memory instruction's address operand into checked host addresses. */
#ifndef SLUICE_SIMT_ACCESS_H
#define SLUICE_SIMT_ACCESS_H

#include "simt/exec.h"

/* Host location of the lanes' data: lane i at base + where[i]. */
struct reach {
	uintptr_t base;
	const uint64_t *where;
	uint64_t own[WARP_SIZE]; /* for lanes whose data are not contiguous in one mapping */
};

/* Bounds of the active lanes' addresses. */
struct extent {
	uint64_t low, high; /* lowest and highest address */
	uint64_t bits;      /* OR of all addresses: shows misaligned ones */
};

/* Slow paths. Each returns false after it has filled in step->fault. */
bool access_global(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, struct reach *reach);
bool access_mixed(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, struct reach *reach);
bool access_misaligned(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step);
bool access_outside(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, uint64_t limit);
bool access_to_parameters(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step);

/* For copies to shared memory. access_bytes() returns a lane's bytes in global memory and changes its address in
 * `step` to the machine's; NULL after a fault. access_copied_to() returns whether step->to lies in the block's
 * shared memory. */
const void *access_bytes(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, unsigned lane,
                         uint32_t bytes);
bool access_copied_to(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step);

/* Finds the data of a global access whose lanes access different mappings. */
void access_apart(const struct simt_warp *warp, const struct simt_step *step, struct reach *reach);

/* Records a fault of one lane of the warp. */
void fault_set(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, enum simt_fault_kind kind,
               const char *what, unsigned lane);

/* Returns the lanes whose addresses the instruction uses. For ldmatrix and stmatrix these are the lanes with row
 * addresses, 8 per matrix. */
static inline uint32_t addressing_lanes(const struct simt_inst *inst, uint32_t lanes)
{
	bool is_moved = inst->ptx->op == PTX_OP_LDMATRIX || inst->ptx->op == PTX_OP_STMATRIX;
	return is_moved ? lanes & UINT32_MAX >> (WARP_SIZE - 8 * inst->vector) : lanes;
}

static inline bool is_window(uint64_t address)
{
	return address - SIMT_SHARED_WINDOW < SIMT_WINDOWS_END - SIMT_SHARED_WINDOW;
}

static inline enum ptx_space generic_space(uint64_t address)
{
	return !is_window(address)           ? PTX_GLOBAL
	       : address < SIMT_LOCAL_WINDOW ? PTX_SHARED
	       : address < SIMT_PARAM_WINDOW ? PTX_LOCAL
	                                     : PTX_PARAM;
}

/* Returns the base of a space's window: the difference between its generic addresses and its own addresses. */
static inline uint64_t window_of(enum ptx_space space)
{
	return space == PTX_SHARED  ? SIMT_SHARED_WINDOW
	       : space == PTX_LOCAL ? SIMT_LOCAL_WINDOW
	       : space == PTX_PARAM ? SIMT_PARAM_WINDOW
	                            : 0;
}

/* Returns the lanes that access global memory, also when an access uses several spaces. */
static inline uint32_t global_lanes(const struct simt_step *step)
{
	uint32_t lanes = step->lanes;
	if (!step->mixed_spaces)
		return step->space == PTX_GLOBAL ? lanes : 0;
	for (unsigned i = 0; i < WARP_SIZE; i++)
		if (is_window(step->address[i]))
			lanes &= ~lane_bit[i];
	return lanes;
}

static inline void access_addresses(const struct simt_warp *warp, const struct simt_inst *inst, uint64_t *address)
{
	uint64_t offset = (uint64_t)inst->offset + (inst->immediate & EXEC_FRAME ? warp->frame : 0);
	if (LIKELY(!(inst->immediate & EXEC_BASE32))) {
		SOURCE(base, lane64, 0);
		FOR_LANES
		address[i] = base[i] + offset;
	} else {
		SOURCE(base, lane32, 0);
		FOR_LANES
		address[i] = (uint32_t)(base[i] + (uint32_t)offset);
	}
}

/* Return true when lane i's address is the first one's, or i unit strides further. Most accesses of whole warps are
 * one or the other. The stride is a shift, which avoids 64-bit products: few hosts have them for vectors. */
static inline bool has_one_address(const uint64_t *address)
{
	uint64_t differ = 0, first = address[0];
	FOR_LANES
	differ |= address[i] ^ first;
	return differ == 0;
}

static inline bool has_unit_stride(const uint64_t *address, unsigned shift)
{
	uint64_t differ = 0, first = address[0];
	FOR_LANES
	differ |= (address[i] - first) ^ (uint64_t)i << shift;
	return differ == 0;
}

/* For a whole warp: returns true when its addresses are of one of these two kinds. */
static inline bool regular_extent(const struct simt_inst *inst, struct simt_step *step, struct extent *extent)
{
	uint64_t first = step->address[0], length = (WARP_SIZE - 1) * (uint64_t)inst->size;
	*extent = (struct extent){first, first, first};
	if (step->address[1] == first) {
		step->same = has_one_address(step->address);
		return step->same;
	}
	if (first > UINT64_MAX - length || !has_unit_stride(step->address, (unsigned)__builtin_ctz(inst->size)))
		return false;
	step->unit_stride = true;
	extent->high = first + length;
	return true;
}

static inline struct extent access_extent(const struct simt_inst *inst, struct simt_step *step)
{
	const uint64_t *address = step->address;
	uint32_t lanes = step->lanes;
	struct extent extent;
	if (lanes == ALL_LANES && regular_extent(inst, step, &extent))
		return extent;
	uint64_t first = address[__builtin_ctz(lanes)], low = first, high = first, bits = first;
	FOR_LANES
	{
		uint64_t a = lanes & lane_bit[i] ? address[i] : first;
		low = a < low ? a : low;
		high = a > high ? a : high;
		bits |= a;
	}
	return (struct extent){low, high, bits};
}

static inline bool within(const struct extent *extent, uint64_t limit, uint64_t size)
{
	return extent->high < limit && limit - extent->high >= size;
}

/* Returns the space of a generic access, and converts the addresses to that space. */
static inline enum ptx_space access_space(struct simt_step *step, struct extent *extent)
{
	static const uint8_t spaces[] = {PTX_GENERIC, PTX_SHARED, PTX_LOCAL, PTX_PARAM};
	uint64_t window = extent->low & ~(uint64_t)(SIMT_WINDOW_BYTES - 1);
	if (LIKELY(extent->low >= SIMT_WINDOWS_END || extent->high < SIMT_SHARED_WINDOW))
		return PTX_GLOBAL;
	if (extent->high - window >= SIMT_WINDOW_BYTES)
		return PTX_GENERIC; /* several spaces */
	FOR_LANES
	step->address[i] -= window;
	extent->low -= window;
	extent->high -= window;
	return (enum ptx_space)spaces[window / SIMT_WINDOW_BYTES];
}

static inline bool reach_local(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                               const struct extent *extent, struct reach *reach)
{
	uint64_t pitch = warp->block->launch->program->local_bytes;
	step->unit_stride = step->same = false;
	if (UNLIKELY(!within(extent, pitch, inst->size)))
		return access_outside(warp, inst, step, pitch);
	reach->base = (uintptr_t)warp->local;
	reach->where = reach->own;
	FOR_LANES
	reach->own[i] = i * pitch + step->address[i];
	return true;
}

/* Converts program addresses of mapped memory to machine addresses. */
static inline void access_shift(struct simt_step *step, uint64_t shift)
{
	FOR_LANES
	step->address[i] += shift;
}

/* Fills in step->address, base, space, apart, mixed_spaces and unit_stride, and `reach`. Returns false on a fault. */
static inline bool access_reach(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                                struct reach *reach)
{
	struct simt_block *block = warp->block;
	access_addresses(warp, inst, step->address);
	struct extent extent = access_extent(inst, step);
	if (UNLIKELY(extent.bits & (inst->size - 1u)))
		return access_misaligned(warp, inst, step);
	enum ptx_space space = inst->space;
	if (space == PTX_GENERIC)
		space = access_space(step, &extent);
	step->space = space;
	reach->where = step->address;
	switch (space) {
	case PTX_SHARED:
		if (UNLIKELY(!within(&extent, block->shared_bytes, inst->size)))
			return access_outside(warp, inst, step, block->shared_bytes);
		reach->base = (uintptr_t)block->shared;
		return true;
	case PTX_LOCAL:
		return reach_local(warp, inst, step, &extent, reach);
	case PTX_PARAM:
		if (!(inst->immediate & EXEC_KERNEL_PARAM)) {
			step->space = PTX_LOCAL; /* parameter of a call: it lies in the thread's frame */
			return reach_local(warp, inst, step, &extent, reach);
		}
		if (UNLIKELY(inst->kind != SIMT_LOAD))
			return access_to_parameters(warp, inst, step);
		if (UNLIKELY(!within(&extent, block->launch->program->param_bytes, inst->size)))
			return access_outside(warp, inst, step, block->launch->program->param_bytes);
		reach->base = (uintptr_t)block->launch->params;
		return true;
	case PTX_GENERIC:
		return access_mixed(warp, inst, step, reach);
	default: {
		const struct simt_range *range = &block->range[inst->pc % SIMT_RANGES];
		step->base = reach->base = range->base;
		if (UNLIKELY(extent.low < range->low || !within(&extent, range->high, inst->size)))
			return access_global(warp, inst, step, reach);
		if (UNLIKELY(range->shift))
			access_shift(step, range->shift);
		return true;
	}
	}
}

/* Finds, at commit, the data of the step's lanes that access global memory. */
static inline void access_again(const struct simt_warp *warp, const struct simt_step *step, struct reach *reach)
{
	reach->base = step->base;
	reach->where = step->address;
	if (UNLIKELY(step->apart))
		access_apart(warp, step, reach);
}

#endif
