#include "simt/access.h"

#include "simt/message.h"

/* The kind of access, for messages. */
enum verb { LOAD, STORE, ATOMIC };

static enum verb verb_of(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD ? LOAD : inst->kind == SIMT_STORE ? STORE : ATOMIC;
}

#define VERBS(space, problem)                                                                                          \
	{                                                                                                              \
		space " load " problem, space " store " problem, space " atomic " problem                              \
	}

/* Returns the message for an address outside the space's memory. */
static const char *outside(const struct simt_warp *warp, enum ptx_space space, enum verb verb, uint64_t address)
{
	static const char *const text[PTX_SPACES][3] = {
		[PTX_GLOBAL] = VERBS("global", "outside every allocation"),
		[PTX_CONST] = VERBS("constant", "outside every allocation"),
		[PTX_SHARED] = VERBS("shared", "beyond the block's shared memory"),
		[PTX_LOCAL] = VERBS("local", "beyond the thread's local memory"),
		[PTX_PARAM] = VERBS("parameter", "beyond the parameters"),
	};
	static const char *const freed[3] = VERBS("global", "to freed memory");
	if (space == PTX_GLOBAL && simt_freed(warp->block->launch->memory, address))
		return freed[verb];
	return text[space][verb];
}

static const char *misaligned(enum ptx_space space, enum verb verb)
{
	static const char *const text[PTX_SPACES][3] = {
		[PTX_GLOBAL] = VERBS("global", "at a misaligned address"),
		[PTX_CONST] = VERBS("constant", "at a misaligned address"),
		[PTX_SHARED] = VERBS("shared", "at a misaligned address"),
		[PTX_LOCAL] = VERBS("local", "at a misaligned address"),
		[PTX_PARAM] = VERBS("parameter", "at a misaligned address"),
	};
	return text[space][verb];
}

void fault_set(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, enum simt_fault_kind kind,
               const char *what, unsigned lane)
{
	step->fault = (struct simt_fault){
		.what = what,
		.kind = kind,
		.inst = inst,
		.lane = lane,
		.block = warp->block->index,
		.thread = simt_thread(warp->block->launch, warp->index, lane),
	};
}

/* Sets a fault for the lane's address. A generic address becomes an address of its space. */
static void fault_access(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                         enum simt_fault_kind kind, enum ptx_space space, unsigned lane)
{
	uint64_t address = step->address[lane];
	if (space == PTX_GENERIC) {
		space = generic_space(address);
		address -= window_of(space);
	}
	if (kind == SIMT_FAULT_RANGE && (space == PTX_GLOBAL || space == PTX_CONST))
		kind = SIMT_FAULT_ADDRESS;
	const char *what = kind == SIMT_FAULT_MISALIGNED ? misaligned(space, verb_of(inst))
	                                                 : outside(warp, space, verb_of(inst), address);
	fault_set(warp, inst, step, kind, what, lane);
	step->fault.space = space;
	step->fault.address = address;
	step->fault.size = inst->size;
}

bool access_misaligned(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	for (unsigned i = 0; i < WARP_SIZE; i++)
		if (step->lanes >> i & 1 && step->address[i] % inst->size) {
			fault_access(warp, inst, step, SIMT_FAULT_MISALIGNED, inst->space, i);
			return false;
		}
	return true;
}

bool access_outside(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, uint64_t limit)
{
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		uint64_t address = step->address[i];
		if (step->lanes >> i & 1 && !(address < limit && limit - address >= inst->size)) {
			fault_access(warp, inst, step, SIMT_FAULT_RANGE, step->space, i);
			return false;
		}
	}
	return true;
}

bool access_to_parameters(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	unsigned lane = (unsigned)__builtin_ctz(step->lanes);
	fault_access(warp, inst, step, SIMT_FAULT_RANGE, PTX_PARAM, lane);
	step->fault.what = inst->kind == SIMT_STORE ? "store to a parameter of the kernel, which can only be read"
	                                            : "atomic on a parameter of the kernel, which can only be read";
	return false;
}

/* Returns the range of the allocation that holds a program's address. `low` and `high` are 0 when there is none. */
static struct simt_range range_of(const struct simt_block *block, uint64_t address)
{
	const struct simt_memory *memory = block->launch->memory;
	uint64_t shift = simt_address(memory, address) - address;
	const struct simt_allocation *allocation = simt_find(memory, address + shift);
	if (!allocation)
		return (struct simt_range){0};
	const struct simt_mapping mapping = simt_find_mapping(memory, address);
	if (mapping.size)
		return (struct simt_range){mapping.address, mapping.address + mapping.size, shift,
		                           (uintptr_t)block->global};
	uint64_t low = allocation->address - shift;
	uintptr_t base = allocation->owner == SIMT_SHARE ? (uintptr_t)(allocation->host - allocation->address)
	                                                 : (uintptr_t)block->global;
	return (struct simt_range){low, low + allocation->size, shift, base};
}

static bool is_in_range(const struct simt_range *range, uint64_t address, uint64_t size)
{
	return address >= range->low && address < range->high && range->high - address >= size;
}

const void *access_bytes(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, unsigned lane,
                         uint32_t bytes)
{
	uint64_t address = step->address[lane];
	const struct simt_range range = range_of(warp->block, address);
	bool is_aligned = address % inst->size == 0;
	if (is_aligned && is_in_range(&range, address, bytes)) {
		step->address[lane] += range.shift;
		return (const void *)(range.base + step->address[lane]);
	}
	fault_access(warp, inst, step, is_aligned ? SIMT_FAULT_RANGE : SIMT_FAULT_MISALIGNED, PTX_GLOBAL, lane);
	step->fault.size = bytes;
	return NULL;
}

bool access_copied_to(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint64_t limit = warp->block->shared_bytes;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t to = step->to[lane];
		bool is_aligned = to % inst->size == 0;
		if (is_aligned && to < limit && limit - to >= inst->size)
			continue;
		step->address[lane] = to;
		fault_access(warp, inst, step, is_aligned ? SIMT_FAULT_RANGE : SIMT_FAULT_MISALIGNED, PTX_SHARED, lane);
		step->fault.what = is_aligned ? "copy beyond the block's shared memory"
		                              : "copy to a misaligned address in shared memory";
		return false;
	}
	return true;
}

/* Caches the allocation for the instruction's next accesses. Returns NULL when the lane's address is in none. */
static const struct simt_range *find_range(struct simt_warp *warp, const struct simt_inst *inst, uint64_t address)
{
	struct simt_range *range = &warp->block->range[inst->pc % SIMT_RANGES];
	if (is_in_range(range, address, inst->size))
		return range;
	struct simt_range found = range_of(warp->block, address);
	if (!is_in_range(&found, address, inst->size))
		return NULL;
	*range = found;
	return range;
}

/* Converts the lane's address to the machine's, and sets the host's in `reach`. */
static bool reach_lane(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                       struct reach *reach, unsigned lane)
{
	const struct simt_range *range = find_range(warp, inst, step->address[lane]);
	if (!range)
		return false;
	step->address[lane] += range->shift;
	reach->own[lane] = range->base + step->address[lane];
	reach->base = range->base;
	return true;
}

bool access_global(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, struct reach *reach)
{
	uintptr_t first = 0;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		if (!reach_lane(warp, inst, step, reach, lane)) {
			fault_access(warp, inst, step, SIMT_FAULT_RANGE, step->space, lane);
			return false;
		}
		first = rest == step->lanes ? reach->base : first;
		step->apart |= reach->base != first;
	}
	step->base = reach->base;
	if (UNLIKELY(step->apart)) {
		step->unit_stride = step->same = false;
		reach->base = 0;
		reach->where = reach->own;
	}
	return true;
}

void access_apart(const struct simt_warp *warp, const struct simt_step *step, struct reach *reach)
{
	const struct simt_memory *memory = warp->block->launch->memory;
	reach->base = 0;
	reach->where = reach->own;
	for (uint32_t rest = global_lanes(step); rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		reach->own[lane] = (uintptr_t)simt_host(memory, step->address[lane]);
	}
}

/* Like reach_lane(), for an address in a window: memory of the block or the thread, or the kernel's parameters. */
static bool reach_window(const struct simt_warp *warp, const struct simt_inst *inst, struct reach *reach,
                         uint64_t address, unsigned lane)
{
	const struct simt_launch *launch = warp->block->launch;
	uint64_t pitch = launch->program->local_bytes, limit = warp->block->shared_bytes;
	enum ptx_space space = generic_space(address);
	uint64_t offset = address - window_of(space);
	uintptr_t base = (uintptr_t)warp->block->shared;
	if (space == PTX_LOCAL) {
		base = (uintptr_t)warp->local + lane * pitch;
		limit = pitch;
	} else if (space == PTX_PARAM) {
		base = (uintptr_t)launch->params;
		limit = inst->kind == SIMT_LOAD ? launch->program->param_bytes : 0;
	}
	reach->own[lane] = base + offset;
	return offset < limit && limit - offset >= inst->size;
}

bool access_mixed(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, struct reach *reach)
{
	step->mixed_spaces = step->apart = true;
	step->unit_stride = step->same = false;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t address = step->address[lane];
		if (!(is_window(address) ? reach_window(warp, inst, reach, address, lane)
		                         : reach_lane(warp, inst, step, reach, lane))) {
			fault_access(warp, inst, step, SIMT_FAULT_RANGE, PTX_GENERIC, lane);
			return false;
		}
	}
	reach->base = 0;
	reach->where = reach->own;
	return true;
}
