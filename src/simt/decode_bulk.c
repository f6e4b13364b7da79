/* decode_bulk: decodes bulk copies. Operands become the sources that simt/bulk.h defines. */
#include "simt/bulk.h"
#include "simt/decode.h"

/* Stores the constant that is added to an address register at run time (bulk_offset()). */
static void keep_offset(struct simt_inst *inst, unsigned k, int64_t offset)
{
	if (k == BULK_OTHER)
		inst->offset = offset;
	else
		inst->immediate |= (uint64_t)(uint32_t)offset << (k == BULK_BARRIER ? 32 : 0);
}

static void decode_place(struct decoder *decoder, struct simt_inst *inst, unsigned k, const struct ptx_operand *address)
{
	struct ptx_operand base = *address;
	base.kind = address->reg != PTX_NO_REG ? PTX_OPERAND_REG
	            : address->symbol          ? PTX_OPERAND_SYMBOL
	                                       : PTX_OPERAND_INT;
	base.bits = (uint64_t)address->offset;
	base.count = 0;
	decode_source(decoder, inst, k, &base, PTX_U64);
	if (address->reg != PTX_NO_REG)
		keep_offset(inst, k, address->offset);
}

static void decode_coordinates(struct decoder *decoder, struct simt_inst *inst, const struct ptx_operand *tensor)
{
	for (unsigned k = 0; k < tensor->count; k++)
		decode_source(decoder, inst, BULK_COORDINATES + k, &tensor->element[k], PTX_U32);
}

/* The operand's letter in ops.h defines its role. */
static void decode_operand(struct decoder *decoder, struct simt_inst *inst, char letter,
                           const struct ptx_operand *operand)
{
	enum ptx_space space = letter == 'm' ? inst->ptx->space : inst->ptx->from;
	bool within = inst->ptx->space == PTX_SHARED && inst->ptx->from == PTX_SHARED;
	switch (letter) {
	case 'm':
	case 'k':
		decode_place(decoder, inst,
		             space == PTX_SHARED && !(within && letter == 'k') ? BULK_SHARED : BULK_OTHER, operand);
		return;
	case 'b':
		decode_place(decoder, inst, BULK_BARRIER, operand);
		return;
	case 'y':
		decode_place(decoder, inst, BULK_OTHER, operand);
		decode_coordinates(decoder, inst, operand);
		return;
	case 'u':
		decode_source(decoder, inst, BULK_SIZE, operand, PTX_U32);
		return;
	default: /* a mask of blocks, or a cache policy */
		return;
	}
}

/* Sources: the number of groups that may stay pending, and whether it suffices that their source data have been
 * read. The mechanism that times the copies uses both. */
static void decode_wait(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_operand read = {.kind = PTX_OPERAND_INT, .reg = PTX_NO_REG, .bits = inst->ptx->is_read};
	decode_source(decoder, inst, 0, &inst->ptx->operand[0], PTX_U32);
	decode_source(decoder, inst, 1, &read, PTX_U32);
}

static bool is_copy(enum ptx_opcode op)
{
	return op >= PTX_OP_CP_BULK && op <= PTX_OP_CP_REDUCE_BULK_TENSOR;
}

/* Suffixes may appear in any order in forms; these determine the direction of the copy. */
static void check_direction(struct decoder *decoder, const struct ptx_inst *ptx)
{
	if ((ptx->by_mbarrier && ptx->space != PTX_SHARED) || (ptx->by_group && ptx->space != PTX_GLOBAL))
		decode_error(decoder, ptx->place, "'%s' to .%s that signals %s; expected .%s", ptx_op_name(ptx->op),
		             ptx_space_name(ptx->space), ptx->by_mbarrier ? "an mbarrier" : "a group",
		             ptx->by_mbarrier ? "shared" : "global");
}

void decode_bulk(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	decoder->program->has_bulk |= is_copy(ptx->op);
	inst->exec = bulk_nothing;
	if (!is_copy(ptx->op)) {
		if (ptx->op == PTX_OP_CP_BULK_WAIT)
			decode_wait(decoder, inst);
		return;
	}
	check_direction(decoder, ptx);
	inst->exec = bulk_start;
	inst->commit = bulk_commit;
	const char *letter = strchr(ptx->pattern, '>') + 1;
	for (unsigned k = 0; k < ptx->operands; k++)
		decode_operand(decoder, inst, letter[k], &ptx->operand[k]);
}
