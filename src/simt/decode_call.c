/* decode_call: decodes calls: the callee, and where the caller holds arguments and results. */
#include "simt/decode.h"

#include "base/arena.h"

static bool decode_argument(struct decoder *decoder, const struct ptx_operand *operand, uint32_t size,
                            struct simt_argument *argument)
{
	*argument = (struct simt_argument){.lane_bytes = size == 8 ? 8 : 4};
	switch (operand->kind) {
	case PTX_OPERAND_SYMBOL: {
		const struct place_of *place = layout_find(decoder, operand->symbol);
		if (!place)
			return false;
		argument->kind = SIMT_ARGUMENT_SLOT;
		argument->slot = place->slot;
		return true;
	}
	case PTX_OPERAND_REG:
		argument->kind = SIMT_ARGUMENT_REGISTER;
		argument->row = decoder->details[decoder->current].offset[operand->reg];
		argument->lane_bytes = decode_reg_bytes(decoder, operand->reg);
		return argument->lane_bytes != 0 && decode_reg(decoder, operand->reg)->type != PTX_B128;
	case PTX_OPERAND_INT:
		argument->kind = SIMT_ARGUMENT_CONSTANT;
		argument->row = decode_constant(decoder, operand->bits, argument->lane_bytes);
		return true;
	default:
		return false;
	}
}

static struct simt_argument *decode_list(struct decoder *decoder, const struct ptx_operand *list,
                                         const struct ptx_variable *variables, uint32_t variable_count)
{
	struct simt_argument *arguments =
		list->count ? arena_array(decoder->arena, list->count, sizeof *arguments) : NULL;
	for (uint32_t k = 0; k < list->count; k++) {
		uint32_t size = k < variable_count ? (uint32_t)variables[k].size : 8;
		if (!decode_argument(decoder, &list->element[k], size, &arguments[k]))
			decode_error(decoder, list->element[k].place, "this argument of a call is not supported yet");
	}
	return arguments;
}

/* A function that the runtime provides. */
static void decode_system_call(struct decoder *decoder, struct simt_inst *inst, struct simt_call *call)
{
	const struct ptx_operand *target = &inst->ptx->operand[1];
	const char *name = target->function->name;
	call->system = ptx_system_named(name);
	call->own_stream = ptx_system_is_per_thread(name);
	decoder->program->launches_kernels |=
		call->system == PTX_SYSTEM_LAUNCH_DEVICE || call->system == PTX_SYSTEM_LAUNCH_DEVICE_V2;
	decoder->program->waits_for_kernels |= call->system == PTX_SYSTEM_DEVICE_SYNCHRONIZE;
	inst->exec = control_system_call;
	inst->commit = control_system_commit;
	if (call->system == PTX_SYSTEM_CALLS) {
		decode_error(decoder, target->place, "function '%s' is called but has no body", name);
		if (target->function->errors)
			diag_append(decoder->diag, target->function->errors, 0);
	} else if (inst->ptx->operand[2].count != ptx_system_arguments(call->system)) {
		decode_error(decoder, target->place, "function '%s' takes %u arguments, not %u", name,
		             ptx_system_arguments(call->system), inst->ptx->operand[2].count);
	}
}

void decode_call(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	const struct ptx_operand *target = &ptx->operand[1];
	const struct ptx_function *signature = target->kind == PTX_OPERAND_FUNCTION ? target->function : ptx->prototype;
	struct simt_call *call = arena_alloc(decoder->arena, sizeof *call);
	inst->exec = control_call;
	if (target->kind == PTX_OPERAND_REG) {
		decode_source(decoder, inst, 0, target, PTX_U64);
		if (decode_reg_bytes(decoder, target->reg) != 8)
			decode_error(decoder, target->place, "a call by a 32-bit address is not supported yet");
	} else if (target->function->has_body) {
		call->callee = &decoder->functions[layout_function_index(decoder, target->function)];
		inst->target = call->callee->pc;
	} else {
		decode_system_call(decoder, inst, call);
	}
	call->result_count = ptx->operand[0].count;
	call->results = decode_list(decoder, &ptx->operand[0], signature->results, signature->result_count);
	call->argument_count = ptx->operand[2].count;
	call->arguments = decode_list(decoder, &ptx->operand[2], signature->params, signature->param_count);
	inst->immediate = (uintptr_t)call;
}
