#include "ptx/mix.h"

static enum ptx_mix_kind kind_of(enum ptx_opcode op)
{
	switch (op) {
	case PTX_OP_LD:
	case PTX_OP_LDU:
		return PTX_MIX_LD;
	case PTX_OP_BAR:
	case PTX_OP_BARRIER:
		return PTX_MIX_BAR;
	case PTX_OP_CVT:
	case PTX_OP_CVTA:
		return PTX_MIX_CVT;
	case PTX_OP_MOV:
		return PTX_MIX_MOV;
	case PTX_OP_ST:
		return PTX_MIX_ST;
	case PTX_OP_ADD:
	case PTX_OP_ADDC:
	case PTX_OP_SUB:
	case PTX_OP_SUBC:
		return PTX_MIX_ADD;
	case PTX_OP_MUL:
	case PTX_OP_MUL24:
	case PTX_OP_MAD:
	case PTX_OP_MADC:
	case PTX_OP_MAD24:
	case PTX_OP_FMA:
		return PTX_MIX_MUL;
	case PTX_OP_EXIT:
	case PTX_OP_RET:
		return PTX_MIX_EXIT;
	default:
		return PTX_MIX_OTHER;
	}
}

void ptx_mix_count(const struct ptx_function *function, struct ptx_mix *mix)
{
	*mix = (struct ptx_mix){.instructions = function->body_count};
	for (uint32_t i = 0; i < function->body_count; i++) {
		enum ptx_opcode op = function->body[i].op;
		enum ptx_unit unit = ptx_op_unit(op);
		mix->unit[unit]++;
		mix->opcode[op]++;
		mix->kind[kind_of(op)]++;
		if (unit == PTX_UNIT_MEM)
			mix->space[function->body[i].space]++;
	}
}

const char *ptx_mix_kind_name(enum ptx_mix_kind kind)
{
#define NAME(id, name, meaning) name,
	static const char *const names[] = {PTX_MIX_KINDS(NAME)};
#undef NAME
	return names[kind];
}

const char *ptx_mix_kind_meaning(enum ptx_mix_kind kind)
{
#define MEANING(id, name, meaning) meaning,
	static const char *const meanings[] = {PTX_MIX_KINDS(MEANING)};
#undef MEANING
	return meanings[kind];
}
