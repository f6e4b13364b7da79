/* look_ahead: the operands of a warp's next instruction, for units that decide whether it may run. The warp is not
 * changed. */
#include "simt/access.h"
#include "simt/image.h"

uint32_t simt_next_lanes(const struct simt_warp *warp)
{
	return guarded_lanes(warp, &warp->code[warp->pc]);
}

static bool has_address(const struct simt_inst *inst)
{
	if (image_is(inst->ptx->op))
		return false; /* known only when the instruction runs */
	return inst->kind == SIMT_LOAD || inst->kind == SIMT_STORE || inst->kind == SIMT_ATOMIC ||
	       inst->kind == SIMT_PREFETCH;
}

/* Returns the space of a lane's address, and converts the address to that space. */
static enum ptx_space resolve(const struct simt_memory *memory, const struct simt_inst *inst, uint64_t *address)
{
	enum ptx_space space = inst->space;
	if (space == PTX_PARAM && !(inst->immediate & EXEC_KERNEL_PARAM))
		return PTX_LOCAL; /* parameter of a call: it lies in the thread's frame */
	if (space == PTX_GENERIC)
		space = generic_space(*address);
	if (space == PTX_GLOBAL)
		*address = simt_address(memory, *address);
	if (inst->space != PTX_GENERIC)
		return space;
	*address -= window_of(space);
	return space;
}

static void read_source(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k, uint64_t *value)
{
	enum simt_width width = inst->source_widths >> 2 * k & 3;
	uint32_t holds = width == SIMT_PREDICATE ? source_pred(warp, inst, k) : 0;
	for (unsigned i = 0; i < WARP_SIZE; i++)
		value[i] = width == SIMT_PREDICATE  ? holds >> i & 1
		           : width == SIMT_WIDTH_64 ? ((const lane64 *)source(warp, inst, k))[i]
		                                    : ((const lane32 *)source(warp, inst, k))[i];
}

void simt_look_ahead(const struct simt_warp *warp, struct simt_operands *operands)
{
	const struct simt_inst *inst = &warp->code[warp->pc];
	const struct simt_source *source = warp->block->launch->program->source;
	if (source) {
		source->ahead(warp, operands);
		return;
	}
	operands->lanes = guarded_lanes(warp, inst);
	operands->has_address = has_address(inst);
	if (operands->has_address) {
		access_addresses(warp, inst, operands->address);
		uint32_t lanes = addressing_lanes(inst, UINT32_MAX);
		for (unsigned i = 0; i < WARP_SIZE; i++)
			operands->space[i] = !(lanes >> i & 1) ? PTX_REG
			                                       : (uint8_t)resolve(warp->block->launch->memory, inst,
			                                                          &operands->address[i]);
	}
	operands->sources = 0;
	for (unsigned k = 0; k < SIMT_MAX_SOURCES; k++)
		if (inst->source_widths >> 2 * k & 3)
			read_source(warp, inst, k, operands->source[operands->sources++]);
}
