/* decode_image: decodes the operands of texture and surface instructions. They have more operands than other
 * instructions, so these are stored separately. */
#include "simt/decode.h"
#include "simt/image.h"

#include "base/arena.h"

bool image_is(enum ptx_opcode op)
{
	return op >= PTX_OP_TEX && op <= PTX_OP_SURED; /* their rows in ops.h are consecutive */
}

/* Returns the operand's location. Uses the instruction's first source temporarily. */
static struct image_source place(struct decoder *decoder, struct simt_inst *inst, const struct ptx_operand *operand,
                                 enum ptx_type type)
{
	decode_source(decoder, inst, 0, operand, type);
	const struct image_source source = {inst->src[0], inst->base_mask & 1};
	inst->base_mask = 0;
	inst->source_widths = 0;
	return source;
}

/* A texture, surface or sampler. The operand in brackets begins with its name or register. */
static struct image_source place_handle(struct decoder *decoder, struct simt_inst *inst,
                                        const struct ptx_operand *operand)
{
	struct ptx_operand base = *operand;
	base.kind = operand->reg == PTX_NO_REG ? PTX_OPERAND_SYMBOL : PTX_OPERAND_REG;
	if (base.kind == PTX_OPERAND_REG && decode_reg_bytes(decoder, base.reg) != 8)
		decode_error(decoder, operand->place, "a texture or surface in a 32-bit register is not supported");
	return place(decoder, inst, &base, PTX_U64);
}

static void place_coordinates(struct decoder *decoder, struct simt_inst *inst, struct image_operands *operands,
                              const struct ptx_operand *texture)
{
	uint32_t count = texture->count - texture->has_sampler;
	enum ptx_type type = inst->ptx->type2 == PTX_F32 ? PTX_F32 : PTX_U32;
	operands->handle = place_handle(decoder, inst, texture);
	operands->has_sampler = texture->has_sampler;
	if (texture->has_sampler)
		operands->sampler = place_handle(decoder, inst, &texture->element[count]);
	for (uint32_t k = 0; k < count; k++)
		operands->coordinate[k] = place(decoder, inst, &texture->element[k], type);
}

/* Decodes the level, or the derivatives. */
static void place_more(struct decoder *decoder, struct simt_inst *inst, struct image_operands *operands)
{
	const struct ptx_inst *ptx = inst->ptx;
	uint32_t count = 0;
	for (uint32_t k = ptx->destinations + 1u; k < ptx->operands; k++) {
		const struct ptx_operand *operand = &ptx->operand[k];
		bool is_vector = operand->kind == PTX_OPERAND_VECTOR;
		operands->derivatives = is_vector ? operand->count : 1;
		for (uint32_t e = 0; e < operands->derivatives; e++)
			operands->more[count++] =
				place(decoder, inst, is_vector ? &operand->element[e] : operand, ptx->type2);
	}
}

static void place_values(struct decoder *decoder, struct simt_inst *inst, struct image_operands *operands,
                         const struct ptx_operand *values)
{
	const struct ptx_operand *element = values->kind == PTX_OPERAND_VECTOR ? values->element : values;
	uint32_t count = values->kind == PTX_OPERAND_VECTOR ? values->count : 1;
	enum ptx_type type = inst->ptx->type;
	operands->is_wide = element->kind == PTX_OPERAND_REG ? decode_reg_bytes(decoder, element->reg) == 8
	                                                     : ptx_type_bytes(type) == 8;
	for (uint32_t k = 0; k < count; k++)
		operands->value[k] = place(decoder, inst, &element[k], type);
}

static void place_results(struct decoder *decoder, struct simt_inst *inst, struct image_operands *operands)
{
	const struct ptx_inst *ptx = inst->ptx;
	const struct ptx_operand *results = &ptx->operand[0];
	const struct ptx_operand *element = results->kind == PTX_OPERAND_VECTOR ? results->element : results;
	operands->is_wide = element->kind == PTX_OPERAND_REG && decode_reg_bytes(decoder, element->reg) == 8;
	for (uint32_t k = 0; k < ptx->vector; k++)
		if (element[k].kind == PTX_OPERAND_SINK)
			inst->dst[k] = SIMT_NO_REGISTER;
		else
			decode_destination(decoder, inst, k, &element[k]);
	operands->resident = SIMT_NO_REGISTER;
	if (ptx->destinations == 2 && ptx->operand[1].kind == PTX_OPERAND_REG)
		operands->resident = decoder->details[decoder->current].offset[ptx->operand[1].reg];
}

static void decode_texture(struct decoder *decoder, struct simt_inst *inst, struct image_operands *operands)
{
	const struct ptx_inst *ptx = inst->ptx;
	place_results(decoder, inst, operands);
	place_coordinates(decoder, inst, operands, &ptx->operand[ptx->destinations]);
	place_more(decoder, inst, operands);
	inst->space = PTX_TEX;
	inst->exec = ptx->op == PTX_OP_TEX ? image_read : image_gather;
}

static void decode_surface(struct decoder *decoder, struct simt_inst *inst, struct image_operands *operands)
{
	const struct ptx_inst *ptx = inst->ptx;
	inst->space = PTX_GLOBAL;
	inst->cache = (uint8_t)ptx->cache;
	if (ptx->op == PTX_OP_SULD) {
		place_results(decoder, inst, operands);
		place_coordinates(decoder, inst, operands, &ptx->operand[1]);
		inst->exec = image_load;
		return;
	}
	place_coordinates(decoder, inst, operands, &ptx->operand[0]);
	place_values(decoder, inst, operands, &ptx->operand[1]);
	inst->exec = ptx->op == PTX_OP_SUST ? image_store : image_reduce;
	inst->commit = ptx->op == PTX_OP_SUST ? image_store_commit : image_reduce_commit;
}

void decode_image(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	struct image_operands *operands = arena_alloc(decoder->arena, sizeof *operands);
	inst->vector = ptx->vector ? ptx->vector : 1;
	inst->size = (uint8_t)(ptx_type_bytes(ptx->type) * inst->vector);
	inst->dst[0] = SIMT_NO_REGISTER;
	decoder->program->has_images = true;
	if (ptx->op == PTX_OP_TXQ || ptx->op == PTX_OP_SUQ) {
		decode_destination(decoder, inst, 0, &ptx->operand[0]);
		operands->handle = place_handle(decoder, inst, &ptx->operand[1]);
		if (ptx->operands == 3)
			operands->more[0] = place(decoder, inst, &ptx->operand[2], PTX_U32);
		inst->exec = image_query;
	} else if (ptx->op == PTX_OP_TEX || ptx->op == PTX_OP_TLD4) {
		decode_texture(decoder, inst, operands);
	} else {
		decode_surface(decoder, inst, operands);
	}
	inst->immediate = (uintptr_t)operands;
}
