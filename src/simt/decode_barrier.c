/* decode_barrier: decodes barriers of a block and of a cluster, and mbarriers. */
#include "simt/decode.h"

/* simt_inst.vector of an mbarrier is 2 when an operand follows the address. */
void decode_mbarrier(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	inst->exec = exec_find_mbarrier(ptx);
	inst->dst[0] = SIMT_NO_REGISTER;
	if (ptx->destinations && ptx->operand[0].kind == PTX_OPERAND_REG)
		decode_destination(decoder, inst, 0, &ptx->operand[0]);
	if (ptx->mbarrier == PTX_MBARRIER_PENDING) {
		inst->kind = SIMT_ALU;
		inst->unit = PTX_UNIT_SP;
		inst->latency = PTX_LATENCY_MOVE;
		decode_destination(decoder, inst, 0, &ptx->operand[0]);
		decode_source(decoder, inst, 0, &ptx->operand[1], PTX_B64);
		return;
	}
	inst->async = ptx->mbarrier == PTX_MBARRIER_TRY    ? SIMT_TRY_WAIT
	              : inst->exec == exec_mbarrier_change ? SIMT_PHASE
	                                                   : SIMT_NOT_ASYNC;
	bool takes_state = (ptx->mbarrier == PTX_MBARRIER_TEST || ptx->mbarrier == PTX_MBARRIER_TRY) && !ptx->parity;
	inst->space = (uint8_t)ptx->space;
	inst->size = 8;
	decode_address(decoder, inst, &ptx->operand[ptx->destinations]);
	if (ptx->operands > ptx->destinations + 1) {
		inst->vector = 2;
		decode_source(decoder, inst, 1, &ptx->operand[ptx->destinations + 1], takes_state ? PTX_B64 : PTX_U32);
	}
}

void decode_barrier(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	const struct ptx_operand none = {.kind = PTX_OPERAND_INT, .reg = PTX_NO_REG};
	const struct ptx_operand cluster = {.kind = PTX_OPERAND_INT, .reg = PTX_NO_REG, .bits = SIMT_CLUSTER};
	inst->exec = control_barrier;
	if (ptx->op == PTX_OP_BARRIER_CLUSTER) {
		decode_source(decoder, inst, 0, &cluster, PTX_U32);
		decode_source(decoder, inst, 1, &none, PTX_U32);
		inst->offset = SIMT_CLUSTER;
		return;
	}
	unsigned first = ptx->destinations, last = ptx->operands;
	if (first)
		decode_destination(decoder, inst, 0, &ptx->operand[0]);
	if (ptx->barrier == PTX_BARRIER_RED)
		decode_source(decoder, inst, 2, &ptx->operand[--last], PTX_PRED);
	decode_source(decoder, inst, 0, &ptx->operand[first], PTX_U32);
	decode_source(decoder, inst, 1, first + 1 < last ? &ptx->operand[first + 1] : &none, PTX_U32);
	inst->offset = ptx->operand[first].kind == PTX_OPERAND_INT ? (int64_t)ptx->operand[first].bits : -1;
}
