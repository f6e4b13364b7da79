/* decode_memory: decodes moves, address conversions and memory accesses. */
#include "simt/access.h"
#include "simt/decode.h"

/* Decodes a destination, which may be the sink `_`. */
static void decode_element(struct decoder *decoder, struct simt_inst *inst, unsigned k,
                           const struct ptx_operand *element)
{
	if (element->kind == PTX_OPERAND_SINK)
		inst->dst[k] = SIMT_NO_REGISTER;
	else
		decode_destination(decoder, inst, k, element);
}

/* Returns the type of the elements of a vector that mov packs or unpacks. */
static enum ptx_type part_type(enum ptx_type type, uint32_t count)
{
	return ptx_type_bytes(type) / count == 8 ? PTX_B64 : PTX_B32;
}

static bool is_wide(const struct ptx_operand *operand)
{
	return operand->kind != PTX_OPERAND_VECTOR;
}

/* Decodes a mov of 128 bits, from two rows to two rows. */
static void decode_wide_mov(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_operand *to = &inst->ptx->operand[0], *from = &inst->ptx->operand[1];
	inst->vector = 2;
	if (!is_wide(to) && !is_wide(from))
		decode_error(decoder, inst->ptx->place, "'mov' from halves to halves is not supported");
	if (is_wide(to))
		decode_wide_destination(decoder, inst, 0, to);
	if (is_wide(from))
		decode_wide_source(decoder, inst, 0, from);
	for (unsigned k = 0; k < 2 && !is_wide(to); k++)
		decode_element(decoder, inst, k, &to->element[k]);
	for (unsigned k = 0; k < 2 && !is_wide(from); k++)
		decode_source(decoder, inst, k, &from->element[k], PTX_B64);
}

void decode_mov(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_operand *to = &inst->ptx->operand[0], *from = &inst->ptx->operand[1];
	enum ptx_type type = inst->ptx->type;
	if (type == PTX_B128) {
		decode_wide_mov(decoder, inst);
		return;
	}
	if (to->kind == PTX_OPERAND_VECTOR) {
		inst->vector = (uint8_t)to->count;
		for (unsigned k = 0; k < to->count; k++)
			decode_element(decoder, inst, k, &to->element[k]);
		decode_source(decoder, inst, 0, from, type);
		return;
	}
	decode_destination(decoder, inst, 0, to);
	if (from->kind != PTX_OPERAND_VECTOR) {
		decode_source(decoder, inst, 0, from, type);
		return;
	}
	inst->vector = (uint8_t)from->count;
	for (unsigned k = 0; k < from->count; k++)
		decode_source(decoder, inst, k, &from->element[k], part_type(type, from->count));
}

/* Only a kernel's parameters have generic addresses; parameters of other functions lie in frames. */
void decode_cvta(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	int64_t window = (int64_t)window_of(ptx->space);
	if (ptx->space == PTX_PARAM && decoder->current)
		decode_error(decoder, ptx->place,
		             "'cvta' of a function's parameters is not supported; expected a kernel's");
	decode_ordinary(decoder, inst);
	inst->offset = ptx->to ? -window : window;
}

/* Decodes the elements of a vector, or a single value: as destinations, or as sources from 1 on. */
static void decode_elements(struct decoder *decoder, struct simt_inst *inst, const struct ptx_operand *operand,
                            bool destination)
{
	const struct ptx_operand *element = operand->kind == PTX_OPERAND_VECTOR ? operand->element : operand;
	uint32_t count = operand->kind == PTX_OPERAND_VECTOR ? operand->count : 1;
	bool wide = inst->ptx->type == PTX_B128;
	inst->vector = (uint8_t)(wide ? 2 : count);
	if (wide && destination)
		decode_wide_destination(decoder, inst, 0, element);
	else if (wide)
		decode_wide_source(decoder, inst, 1, element);
	for (unsigned k = 0; k < count && !wide; k++)
		if (destination)
			decode_element(decoder, inst, k, &element[k]);
		else
			decode_source(decoder, inst, 1 + k, &element[k], inst->ptx->type);
}

/* The last operand may be a cache policy, which is ignored. */
static void decode_atomic(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	unsigned first = ptx->destinations + 1u, sources = ptx->operands - first - ptx->cache_hint;
	bool wide = ptx->type == PTX_B128;
	if (wide)
		decode_wide_destination(decoder, inst, 0, &ptx->operand[0]);
	else if (ptx->destinations && ptx->operand[0].kind == PTX_OPERAND_REG)
		decode_destination(decoder, inst, 0, &ptx->operand[0]);
	decode_address(decoder, inst, &ptx->operand[ptx->destinations]);
	for (unsigned k = 0; k < sources; k++)
		if (wide)
			decode_wide_source(decoder, inst, 1 + 2 * k, &ptx->operand[first + k]);
		else
			decode_source(decoder, inst, 1 + k, &ptx->operand[first + k], ptx->type);
}

void decode_memory(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	inst->space = (uint8_t)ptx->space;
	inst->cache = (uint8_t)ptx->cache;
	inst->size = (uint8_t)(ptx_type_bytes(ptx->type) * (ptx->vector ? ptx->vector : 1));
	inst->dst[0] = SIMT_NO_REGISTER;
	switch (ptx->op) {
	case PTX_OP_LD:
	case PTX_OP_LDU:
		decode_elements(decoder, inst, &ptx->operand[0], true);
		decode_address(decoder, inst, &ptx->operand[1]);
		break;
	case PTX_OP_ST:
		decode_elements(decoder, inst, &ptx->operand[1], false);
		decode_address(decoder, inst, &ptx->operand[0]);
		break;
	case PTX_OP_PREFETCH:
	case PTX_OP_PREFETCHU:
		inst->size = 1;
		decode_address(decoder, inst, &ptx->operand[0]);
		break;
	default: /* atom, red */
		decode_atomic(decoder, inst);
		break;
	}
}
