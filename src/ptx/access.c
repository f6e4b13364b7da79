#include "ptx/access.h"

#include <string.h>

/* Letters of ops.h: m and k are addresses in brackets. b is the address of an mbarrier, y of a tensor map, x of a
 * texture or surface. a is a generic address and j an address in shared memory, both in a register. */
static const char letters[] = "mkbyxaj";

struct row {
	enum ptx_opcode op;
	char letter;
	uint8_t how;
	uint8_t ends; /* enum ptx_ending */
};

#define NOTHING 0
#define READS   PTX_READS
#define WRITES  PTX_WRITES
#define BOTH    (PTX_READS | PTX_WRITES)

/* In the order of ops.h. */
static const struct row rows[] = {
	{PTX_OP_LD, 'm', READS, PTX_ENDS_AT_ONCE},
	{PTX_OP_LDU, 'm', READS, PTX_ENDS_AT_ONCE},
	{PTX_OP_ST, 'm', WRITES, PTX_ENDS_AT_ONCE},
	{PTX_OP_ATOM, 'm', BOTH, PTX_ENDS_AT_ONCE},
	{PTX_OP_RED, 'm', BOTH, PTX_ENDS_AT_ONCE},
	{PTX_OP_ISSPACEP, 'a', NOTHING, PTX_ENDS_AT_ONCE},
	{PTX_OP_CP_ASYNC, 'm', WRITES, PTX_ENDS_BY_COPY_GROUP},
	{PTX_OP_CP_ASYNC, 'k', READS, PTX_ENDS_BY_COPY_GROUP},
	/* arrives when the thread's copies are complete; a group wait does not wait for this */
	{PTX_OP_CP_ASYNC_ARRIVE, 'm', BOTH, PTX_ENDS_BY_MBARRIER},
	/* a prefetch of an address in shared memory has no effect (PTX ISA, "prefetch") */
	{PTX_OP_PREFETCH, 'm', NOTHING, PTX_ENDS_AT_ONCE},
	{PTX_OP_PREFETCHU, 'm', NOTHING, PTX_ENDS_AT_ONCE},
	{PTX_OP_APPLYPRIORITY, 'm', NOTHING, PTX_ENDS_AT_ONCE},
	{PTX_OP_DISCARD, 'm', NOTHING, PTX_ENDS_AT_ONCE},
	{PTX_OP_CREATEPOLICY, 'm', NOTHING, PTX_ENDS_AT_ONCE},
	{PTX_OP_TEX, 'x', READS, PTX_ENDS_AT_ONCE},
	{PTX_OP_TLD4, 'x', READS, PTX_ENDS_AT_ONCE},
	{PTX_OP_TXQ, 'm', NOTHING, PTX_ENDS_AT_ONCE},
	{PTX_OP_SUQ, 'm', NOTHING, PTX_ENDS_AT_ONCE},
	{PTX_OP_SULD, 'x', READS, PTX_ENDS_AT_ONCE},
	{PTX_OP_SUST, 'x', WRITES, PTX_ENDS_AT_ONCE},
	{PTX_OP_SURED, 'x', BOTH, PTX_ENDS_AT_ONCE},
	{PTX_OP_CP_BULK, 'm', WRITES, PTX_ENDS_BY_MBARRIER}, /* or by a group: by_group */
	{PTX_OP_CP_BULK, 'k', READS, PTX_ENDS_BY_MBARRIER},
	{PTX_OP_CP_BULK, 'b', BOTH, PTX_ENDS_BY_MBARRIER},
	{PTX_OP_CP_BULK_PREFETCH, 'm', NOTHING, PTX_ENDS_AT_ONCE},
	{PTX_OP_CP_BULK_TENSOR, 'm', WRITES, PTX_ENDS_BY_MBARRIER},
	{PTX_OP_CP_BULK_TENSOR, 'y', BOTH, PTX_ENDS_BY_MBARRIER}, /* the tensor lies in global memory */
	{PTX_OP_CP_BULK_TENSOR, 'k', READS, PTX_ENDS_BY_MBARRIER},
	{PTX_OP_CP_BULK_TENSOR, 'b', BOTH, PTX_ENDS_BY_MBARRIER},
	{PTX_OP_CP_BULK_PREFETCH_TENSOR, 'y', NOTHING, PTX_ENDS_AT_ONCE},
	{PTX_OP_CP_REDUCE_BULK, 'm', BOTH, PTX_ENDS_BY_BULK_GROUP},
	{PTX_OP_CP_REDUCE_BULK, 'k', READS, PTX_ENDS_BY_BULK_GROUP},
	{PTX_OP_CP_REDUCE_BULK_TENSOR, 'y', BOTH, PTX_ENDS_BY_BULK_GROUP},
	{PTX_OP_CP_REDUCE_BULK_TENSOR, 'k', READS, PTX_ENDS_BY_BULK_GROUP},
	{PTX_OP_PREFETCH_TENSORMAP, 'm', NOTHING, PTX_ENDS_AT_ONCE},
	{PTX_OP_FENCE, 'm', NOTHING, PTX_ENDS_AT_ONCE}, /* of a tensor map, which lies in global memory */
	{PTX_OP_LDMATRIX, 'm', READS, PTX_ENDS_AT_ONCE},
	{PTX_OP_STMATRIX, 'm', WRITES, PTX_ENDS_AT_ONCE},
	{PTX_OP_MBARRIER, 'm', BOTH, PTX_ENDS_AT_ONCE},
	{PTX_OP_DMA_FLAT, 'j', WRITES, PTX_ENDS_BY_ENGINE},
	{PTX_OP_DMA_FLAT, 'a', READS, PTX_ENDS_BY_ENGINE},
	{PTX_OP_DMA_STRIDED, 'j', WRITES, PTX_ENDS_BY_ENGINE},
	{PTX_OP_DMA_STRIDED, 'a', READS, PTX_ENDS_BY_ENGINE},
	{PTX_OP_DMA_MATRIX, 'j', WRITES, PTX_ENDS_BY_ENGINE},
	{PTX_OP_DMA_MATRIX, 'a', READS, PTX_ENDS_BY_ENGINE},
	{PTX_OP_DMA_EXECUTE, 'j', WRITES, PTX_ENDS_BY_ENGINE},
	{PTX_OP_DMA_EXECUTE, 'a', READS, PTX_ENDS_BY_ENGINE},
};

bool ptx_letter_is_address(char letter)
{
	return letter && strchr(letters, letter);
}

bool ptx_access_row(enum ptx_opcode op, char letter, unsigned *how, enum ptx_ending *ends)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].op != op || rows[i].letter != letter)
			continue;
		*how = rows[i].how;
		*ends = (enum ptx_ending)rows[i].ends;
		return true;
	}
	return false;
}

static enum ptx_space space_of(const struct ptx_inst *inst, char letter)
{
	switch (letter) {
	case 'm':
		return inst->space;
	case 'k':
		return inst->from;
	case 'b':
	case 'j':
		return PTX_SHARED;
	case 'x':
		return PTX_TEX;
	default: /* a generic address of global memory: of a tensor map, or the source of a DMA transfer */
		return PTX_GLOBAL;
	}
}

static uint32_t bytes_of(const struct ptx_inst *inst, char letter)
{
	switch (inst->op) {
	case PTX_OP_LD:
	case PTX_OP_LDU:
	case PTX_OP_ST:
	case PTX_OP_ATOM:
	case PTX_OP_RED:
		return ptx_type_bytes(inst->type) * (inst->vector ? inst->vector : 1);
	case PTX_OP_LDMATRIX:
	case PTX_OP_STMATRIX:
		return 16; /* a row */
	case PTX_OP_MBARRIER:
	case PTX_OP_CP_ASYNC_ARRIVE:
		return 8;
	case PTX_OP_CP_ASYNC:
		return (uint32_t)inst->operand[2].bits;
	case PTX_OP_CP_BULK:
	case PTX_OP_CP_REDUCE_BULK: /* operands: destination, source, size */
		return letter == 'b'                              ? 8
		       : inst->operand[2].kind == PTX_OPERAND_INT ? (uint32_t)inst->operand[2].bits
		                                                  : 0;
	default:
		return letter == 'b' ? 8 : 0;
	}
}

static struct ptx_access access_at(const struct ptx_inst *inst, char letter, const struct ptx_operand *operand)
{
	struct ptx_access access = {operand, space_of(inst, letter), PTX_READS | PTX_WRITES, PTX_ENDS_BY_MBARRIER,
	                            bytes_of(inst, letter)};
	if (!ptx_access_row(inst->op, letter, &access.how, &access.ends)) {
		access.space = PTX_GENERIC;
		access.bytes = 0;
	}
	if (access.ends == PTX_ENDS_BY_MBARRIER && inst->by_group)
		access.ends = PTX_ENDS_BY_BULK_GROUP;
	return access;
}

uint32_t ptx_inst_accesses(const struct ptx_inst *inst, struct ptx_access access[PTX_MAX_ACCESSES])
{
	uint32_t count = 0, at = inst->destinations;
	const char *letter = inst->pattern ? strchr(inst->pattern, '>') : NULL;
	if (!letter)
		return 0;
	for (letter++; *letter && at < inst->operands; letter++) {
		if (*letter == '?')
			continue;
		if (ptx_letter_is_address(*letter) && count < PTX_MAX_ACCESSES)
			access[count++] = access_at(inst, *letter, &inst->operand[at]);
		at++;
	}
	return count;
}

enum ptx_wait ptx_inst_waits(const struct ptx_inst *inst)
{
	switch (inst->op) {
	case PTX_OP_CP_ASYNC_COMMIT:
		return PTX_COPY_COMMIT;
	case PTX_OP_CP_ASYNC_WAIT:
		return inst->operand[0].bits == 0 ? PTX_COPY_WAIT : PTX_NO_WAIT;
	case PTX_OP_CP_ASYNC_WAIT_ALL:
		return PTX_COPY_WAIT_ALL;
	case PTX_OP_CP_BULK_COMMIT:
		return PTX_BULK_COMMIT;
	case PTX_OP_CP_BULK_WAIT:
		return inst->operand[0].bits == 0 ? PTX_BULK_WAIT : PTX_NO_WAIT;
	default:
		return PTX_NO_WAIT;
	}
}

/* Letters whose space a suffix names, or that only denote shared memory. */
bool ptx_op_may_touch_shared(enum ptx_opcode op)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].op == op && rows[i].how && strchr("mkbj", rows[i].letter))
			return true;
	return false;
}
