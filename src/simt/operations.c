/* The arithmetic operations that an instruction counts for: those of rooflines. As usual there, an addition, a
 * multiplication, a division or a special function is one, a fused multiply-add two; comparisons, minima, moves and
 * conversions are none. */
#include "simt/simt.h"

/* Returns the operations of an instruction on scalars. */
static uint32_t operations_of(enum ptx_opcode op)
{
	switch (op) {
	case PTX_OP_MAD:
	case PTX_OP_FMA:
		return 2;
	case PTX_OP_ADD:
	case PTX_OP_SUB:
	case PTX_OP_MUL:
	case PTX_OP_DIV:
	case PTX_OP_RCP:
	case PTX_OP_SQRT:
	case PTX_OP_RSQRT:
	case PTX_OP_SIN:
	case PTX_OP_COS:
	case PTX_OP_LG2:
	case PTX_OP_EX2:
	case PTX_OP_TANH:
		return 1;
	default:
		return 0;
	}
}

void simt_count_operations(struct simt_inst *inst, enum ptx_opcode op, uint32_t parts)
{
	inst->operation_type = inst->data_type;
	inst->operations = 0;
	bool is_product = inst->latency >= PTX_LATENCY_MMA_256 && inst->latency <= PTX_LATENCY_MMA_8K;
	if (is_product && (op == PTX_OP_MMA || op == PTX_OP_WMMA)) {
		/* latency classes are powers of two times 256 multiplications, each with an addition */
		uint32_t multiplications = 256u << (inst->latency - PTX_LATENCY_MMA_256);
		inst->operation_type = PTX_DATA_INT;
		inst->operations = (uint16_t)(2 * multiplications / WARP_SIZE);
	} else if (inst->kind == SIMT_ALU && inst->data_type != PTX_DATA_INT) {
		inst->operations = (uint16_t)(operations_of(op) * parts);
	}
}
