/* split_wide: splits accesses of more than 16 bytes, and atomics on vectors, into several of one kind. PTX guarantees
 * atomicity of a vector only per element. */
#include "ptx/parse.h"

enum { MOST_BYTES = 16 };

static bool is_atomic(const struct ptx_inst *inst)
{
	return inst->op == PTX_OP_ATOM || inst->op == PTX_OP_RED;
}

static bool is_access(const struct ptx_inst *inst)
{
	return inst->op == PTX_OP_LD || inst->op == PTX_OP_LDU || inst->op == PTX_OP_ST;
}

uint32_t split_elements(const struct ptx_inst *inst)
{
	uint32_t bytes = ptx_type_bytes(inst->type), all = inst->vector;
	if (is_atomic(inst))
		return 1;
	return is_access(inst) && bytes * all > MOST_BYTES ? MOST_BYTES / bytes : all;
}

static bool is_register(const struct ptx_operand *operand, uint32_t reg)
{
	return (operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_ADDRESS) && operand->reg == reg;
}

/* Returns true when a part that runs before another part changes a register that the other reads: its address, or
 * its elements of another operand. Cache policies are not read. */
static bool disturbs(const struct ptx_inst *inst, uint32_t part, uint32_t other, uint32_t count)
{
	for (uint32_t e = part * count; inst->destinations && e < (part + 1) * count; e++) {
		const struct ptx_operand *to = &inst->operand[0].element[e];
		for (uint32_t k = 1; to->kind == PTX_OPERAND_REG && k + inst->cache_hint < inst->operands; k++) {
			const struct ptx_operand *from = &inst->operand[k];
			bool is_vector = from->kind == PTX_OPERAND_VECTOR;
			if (is_register(is_vector ? &from->element[other] : from, to->reg))
				return true;
		}
	}
	return false;
}

/* Returns the next remaining part that disturbs no other remaining part; `parts` when there is none. */
static uint32_t next_part(const struct ptx_inst *inst, uint32_t left, uint32_t parts, uint32_t count)
{
	for (uint32_t part = 0; part < parts; part++) {
		bool good = left >> part & 1;
		for (uint32_t other = 0; good && other < parts; other++)
			good = other == part || !(left >> other & 1) || !disturbs(inst, part, other, count);
		if (good)
			return part;
	}
	return parts;
}

/* Returns an instruction for elements `first` to `first` + count of the operands, with the address advanced
 * accordingly. */
static struct ptx_inst part_of(struct parser *p, const struct ptx_inst *inst, uint32_t first, uint32_t count)
{
	struct ptx_inst part = *inst;
	part.vector = (uint8_t)count;
	part.hint2 = PTX_HINT_NONE; /* PTX has it only for 32 bytes, and caches ignore it */
	part.operand = arena_array(p->arena, inst->operands, sizeof *part.operand);
	if (is_atomic(inst))
		part.pattern = inst->op == PTX_OP_RED ? (inst->cache_hint ? ">mth" : ">mt")
		                                      : (inst->cache_hint ? "t>mth" : "t>mt");
	for (uint32_t k = 0; k < inst->operands; k++) {
		struct ptx_operand *operand = &part.operand[k];
		*operand = inst->operand[k];
		if (operand->kind == PTX_OPERAND_ADDRESS) {
			operand->offset += (int64_t)first * ptx_type_bytes(inst->type);
		} else if (operand->kind == PTX_OPERAND_VECTOR && count == 1) {
			*operand = inst->operand[k].element[first];
		} else if (operand->kind == PTX_OPERAND_VECTOR) {
			operand->element += first;
			operand->count = count;
		}
	}
	return part;
}

bool split_instruction(struct parser *p, const struct ptx_inst *inst,
                       void (*add)(struct parser *p, const struct ptx_inst *inst))
{
	uint32_t count = split_elements(inst), parts = inst->vector / count, left = (1u << parts) - 1;
	while (left) {
		uint32_t next = next_part(inst, left, parts, count);
		if (next == parts)
			return fail(p, inst->place, "results of '%s' that its other elements read are not supported",
			            ptx_op_name(inst->op));
		struct ptx_inst part = part_of(p, inst, next * count, count);
		add(p, &part);
		left &= ~(1u << next);
	}
	return true;
}
