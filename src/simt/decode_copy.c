/* decode_copy: decodes cp.async and its groups. A copy is a load of global memory whose data are written to shared
 * memory instead of a register. The address is source 1 + simt_inst.target. Source 2 is the number of bytes read,
 * or a predicate that disables the read. */
#include "simt/decode.h"

static bool is_count(const struct ptx_operand *operand, const struct decoder *decoder)
{
	return operand->kind == PTX_OPERAND_INT || decode_reg_bytes(decoder, operand->reg) == 4;
}

/* The number of bytes is followed by at most a count or a predicate, and then by a cache policy, which is ignored. */
static void decode_part(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	inst->vector = COPY_WHOLE;
	if (ptx->operands - ptx->cache_hint < 4)
		return;
	bool counts = is_count(&ptx->operand[3], decoder);
	inst->vector = counts ? COPY_PART : COPY_UNLESS;
	decode_source(decoder, inst, 2, &ptx->operand[3], counts ? PTX_U32 : PTX_PRED);
}

static void decode_shared_place(struct decoder *decoder, struct simt_inst *inst, const struct ptx_operand *operand)
{
	const struct ptx_operand reg = {.kind = PTX_OPERAND_REG, .reg = operand->reg},
				 none = {.kind = PTX_OPERAND_INT, .reg = PTX_NO_REG};
	bool in_frame = false;
	decode_source(decoder, inst, 1, operand->reg == PTX_NO_REG ? &none : &reg, PTX_U32);
	inst->target =
		(uint32_t)(operand->symbol ? decode_symbol(decoder, operand, &in_frame) : (uint64_t)operand->offset);
}

static void decode_async_copy(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	inst->exec = exec_copy;
	inst->async = SIMT_COPY;
	inst->space = PTX_GLOBAL;
	inst->cache = (uint8_t)ptx->cache;
	inst->size = (uint8_t)ptx->operand[2].bits;
	decode_address(decoder, inst, &ptx->operand[1]);
	decode_shared_place(decoder, inst, &ptx->operand[0]);
	decode_part(decoder, inst);
}

void decode_copy(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	inst->exec = exec_copy_group;
	inst->dst[0] = SIMT_NO_REGISTER;
	inst->async = ptx->op == PTX_OP_CP_ASYNC_COMMIT ? SIMT_COMMIT : SIMT_WAIT_ALL;
	if (ptx->op == PTX_OP_CP_ASYNC) {
		decode_async_copy(decoder, inst);
	} else if (ptx->op == PTX_OP_CP_ASYNC_ARRIVE) {
		decoder->program->has_arrivals = true;
		inst->exec = exec_copy_arrive;
		inst->async = SIMT_ARRIVE;
		inst->space = (uint8_t)ptx->space;
		inst->size = 8;
		decode_address(decoder, inst, &ptx->operand[0]);
	} else if (ptx->op == PTX_OP_CP_ASYNC_WAIT) {
		inst->async = SIMT_WAIT;
		inst->offset = (int64_t)ptx->operand[0].bits;
	}
}
