#include "simt/access.h"

#include "simt/message.h"

/* An access as messages name it. */
enum verb { LOAD, STORE, ATOMIC };

static enum verb verb_of(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD ? LOAD : inst->kind == SIMT_STORE ? STORE : ATOMIC;
}

#define VERBS(space, problem)                                                                                          \
	{                                                                                                              \
		space " load " problem, space " store " problem, space " atomic " problem                              \
	}

/* What is said of an address that is not there, by space. */
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

/* The lane's address is wrong; a generic one becomes that of its space. */
static void fault_access(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                         enum simt_fault_kind kind, enum ptx_space space, unsigned lane)
{
	uint64_t address = step->address[lane];
	if (space == PTX_GENERIC) {
		space = generic_space(address);
		address -= space == PTX_SHARED ? SIMT_SHARED_WINDOW : space == PTX_LOCAL ? SIMT_LOCAL_WINDOW : 0;
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

/* Remembers the allocation for the instruction's next accesses. */
static bool find_range(struct simt_warp *warp, const struct simt_inst *inst, uint64_t address)
{
	const struct simt_memory *memory = warp->block->launch->memory;
	struct simt_range *range = &warp->block->range[inst->pc % SIMT_RANGES];
	if (address >= range->low && address < range->high && range->high - address >= inst->size)
		return true;
	const struct simt_allocation *allocation = simt_find(memory, address);
	if (!allocation || allocation->size - (address - allocation->address) < inst->size)
		return false;
	*range = (struct simt_range){allocation->address, allocation->address + allocation->size};
	return true;
}

bool access_global(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	for (unsigned i = 0; i < WARP_SIZE; i++)
		if (step->lanes >> i & 1 && !find_range(warp, inst, step->address[i])) {
			fault_access(warp, inst, step, SIMT_FAULT_RANGE, step->space, i);
			return false;
		}
	return true;
}

bool access_mixed(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, struct reach *reach)
{
	const struct simt_block *block = warp->block;
	uint64_t pitch = block->launch->program->local_bytes;
	step->mixed_spaces = true;
	step->unit_stride = false;
	reach->base = 0;
	reach->where = reach->own;
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		uint64_t address = step->address[i];
		if (!(step->lanes >> i & 1))
			continue;
		enum ptx_space space = generic_space(address);
		uint64_t offset = address - (space == PTX_SHARED ? SIMT_SHARED_WINDOW : SIMT_LOCAL_WINDOW);
		uint64_t limit = space == PTX_SHARED ? block->shared_bytes : pitch;
		bool valid = space == PTX_GLOBAL ? find_range(warp, inst, address)
		                                 : offset < limit && limit - offset >= inst->size;
		if (!valid) {
			fault_access(warp, inst, step, SIMT_FAULT_RANGE, PTX_GENERIC, i);
			return false;
		}
		reach->own[i] = space == PTX_GLOBAL   ? (uintptr_t)block->global + address
		                : space == PTX_SHARED ? (uintptr_t)block->shared + offset
		                                      : (uintptr_t)warp->local + i * pitch + offset;
	}
	return true;
}
