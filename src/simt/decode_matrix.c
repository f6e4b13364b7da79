/* decode_matrix: decodes the operands of matrix instructions. Fragments have up to eight registers and are stored
 * apart from other instructions' operands. */
#include "simt/decode.h"
#include "simt/matrix.h"

#include "base/arena.h"

/* Finds the row of a fragment's register. Uses the instruction's first source or destination temporarily. */
static void place(struct decoder *decoder, struct simt_inst *inst, struct matrix_fragment *fragment, uint32_t k,
                  const struct ptx_operand *operand, bool is_result)
{
	if (is_result) {
		decode_destination(decoder, inst, 0, operand);
		fragment->row[k] = inst->dst[0];
		return;
	}
	decode_source(decoder, inst, 0, operand, fragment->type == PTX_F64 ? PTX_F64 : PTX_B32);
	fragment->row[k] = inst->src[0];
	fragment->is_constant[k] = inst->base_mask & 1;
	inst->base_mask = 0;
	inst->source_widths = 0;
}

/* For single-bit types, 32 neighbors along k are one element. */
static uint16_t element_of(const struct ptx_inst *ptx, enum ptx_matrix matrix, uint32_t lane, uint32_t i)
{
	if (ptx_element_type(ptx, matrix) != PTX_B1)
		return (uint16_t)ptx_fragment_element(ptx, matrix, lane, i);
	uint32_t bit = ptx_fragment_element(ptx, matrix, lane, 32 * i), columns = ptx_matrix_columns(ptx, matrix);
	return (uint16_t)(matrix == PTX_MATRIX_A ? bit / 32 : bit / columns / 32 * columns + bit % columns);
}

static void place_fragment(struct decoder *decoder, struct simt_inst *inst, struct matrix_fragment *fragment,
                           enum ptx_matrix matrix)
{
	const struct ptx_inst *ptx = inst->ptx;
	const struct ptx_operand *operand = &ptx->operand[matrix];
	const struct ptx_operand *element = operand->kind == PTX_OPERAND_VECTOR ? operand->element : operand;
	fragment->type = ptx_element_type(ptx, matrix);
	fragment->registers = ptx_fragment_registers(ptx, matrix);
	uint32_t bits = fragment->type == PTX_B1 ? 32 : ptx_element_bits(fragment->type);
	fragment->slots = bits < 32 ? fragment->registers * 32 / bits : fragment->registers;
	for (uint32_t k = 0; k < fragment->registers; k++)
		place(decoder, inst, fragment, k, &element[k], matrix == PTX_MATRIX_D);
	for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
		for (uint32_t i = 0; i < fragment->slots; i++)
			fragment->element[lane * fragment->slots + i] = element_of(ptx, matrix, lane, i);
}

/* As on an H100: Volta's products are fused multiply-adds there, and wmma's products of tf32 are two of depth 4. */
static uint32_t terms_of(const struct ptx_inst *ptx, const struct matrix_operands *operands)
{
	return operands->products > 1 ? 1 : ptx->op != PTX_OP_MMA && ptx->type2 == PTX_TF32 ? 4 : MATRIX_TERMS;
}

static void decode_product(struct decoder *decoder, struct simt_inst *inst, struct matrix_operands *operands)
{
	const struct ptx_inst *ptx = inst->ptx;
	struct ptx_extent extent = ptx_extent(ptx->shape);
	operands->products = ptx_matrix_products(ptx);
	operands->m = extent.m;
	operands->n = extent.n;
	operands->k = ptx->type2 == PTX_B1 ? extent.k / 32u : extent.k;
	operands->terms = terms_of(ptx, operands);
	for (enum ptx_matrix matrix = PTX_MATRIX_D; matrix < PTX_MATRICES; matrix++)
		place_fragment(decoder, inst, &operands->fragment[matrix], matrix);
	inst->exec = decoder->isa->matrix(ptx);
}

/* ldmatrix and stmatrix: one register per matrix, from destination 0 or source 1 on. */
static void decode_moved(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	bool is_load = ptx->op == PTX_OP_LDMATRIX;
	const struct ptx_operand *moved = &ptx->operand[is_load ? 0 : 1];
	const struct ptx_operand *element = moved->kind == PTX_OPERAND_VECTOR ? moved->element : moved;
	inst->vector = ptx->matrices;
	inst->space = (uint8_t)ptx->space;
	inst->size = 16; /* one row */
	for (unsigned k = 0; k < ptx->matrices; k++)
		if (is_load)
			decode_destination(decoder, inst, k, &element[k]);
		else
			decode_source(decoder, inst, 1 + k, &element[k], PTX_B32);
	decode_address(decoder, inst, &ptx->operand[is_load ? 1 : 0]);
	inst->exec = is_load ? matrix_load : matrix_store;
}

void decode_matrix(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	if (ptx->op == PTX_OP_LDMATRIX || ptx->op == PTX_OP_STMATRIX) {
		decode_moved(decoder, inst);
		return;
	}
	if (ptx->op == PTX_OP_MOVMATRIX) {
		decode_destination(decoder, inst, 0, &ptx->operand[0]);
		decode_source(decoder, inst, 0, &ptx->operand[1], PTX_B32);
		inst->exec = matrix_move;
		return;
	}
	struct matrix_operands *operands = arena_alloc(decoder->arena, sizeof *operands);
	decode_product(decoder, inst, operands);
	inst->immediate = (uintptr_t)operands;
}
