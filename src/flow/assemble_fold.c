/* assemble_fold: turns PTX into machine-like instructions. Constants need no register, base + index * size is one
 * instruction, and addresses have offsets. Unused results are removed. */
#include "flow/assemble.h"

#include <string.h>

/* Largest distance in instructions between the scaling of an index and its addition to a base. */
enum { FOLD_DISTANCE = 256 };

struct folder {
	struct arena *arena;
	const struct ptx_function *from;
	struct ptx_function *to;
	struct assemble_values known;
	const uint32_t *block_of; /* by old instruction */
	uint32_t block;           /* block of the current instruction */
	/* By old register, and one more entry for the size of an indexed element: the register that holds the
	 * constant in the current block. */
	uint32_t *holder, *holder_block; /* holder_block: block number + 1 */
	uint32_t *moved_to;              /* by old instruction, and for the body's end */
	uint32_t room, reg_room;
};

static void *grown(struct arena *arena, void *old, uint32_t count, uint32_t *room, size_t size)
{
	*room = 2 * *room + 64;
	void *bigger = arena_array(arena, *room, size);
	if (count)
		memcpy(bigger, old, count * size);
	return bigger;
}

static void append(struct folder *folder, struct ptx_inst inst)
{
	struct ptx_function *to = folder->to;
	if (to->body_count == folder->room)
		to->body = grown(folder->arena, to->body, to->body_count, &folder->room, sizeof *to->body);
	to->body[to->body_count++] = inst;
}

static uint32_t new_register(struct folder *folder, enum ptx_type type)
{
	struct ptx_function *to = folder->to;
	uint32_t id = to->reg_count;
	if (id == folder->reg_room)
		to->regs = grown(folder->arena, to->regs, id, &folder->reg_room, sizeof *to->regs);
	to->regs[id] = (struct ptx_reg){.name = "", .type = type, .id = id};
	to->reg_count++;
	return id;
}

/* An arbitrary constant. */
static struct ptx_operand constant_operand(void)
{
	return (struct ptx_operand){.kind = PTX_OPERAND_INT, .bits = 1};
}

static uint32_t new_constant(struct folder *folder, enum ptx_type type)
{
	struct ptx_operand *operand = arena_array(folder->arena, 2, sizeof *operand);
	uint32_t reg = new_register(folder, type);
	operand[0] = (struct ptx_operand){.kind = PTX_OPERAND_REG, .reg = reg};
	operand[1] = constant_operand();
	append(folder, (struct ptx_inst){.op = PTX_OP_MOV,
	                                 .type = type,
	                                 .guard = PTX_NO_REG,
	                                 .operand = operand,
	                                 .operands = 2,
	                                 .destinations = 1});
	return reg;
}

/* Returns the register that holds a constant. The constant is reloaded in each block that uses it. */
static uint32_t holder_of(struct folder *folder, uint32_t constant, enum ptx_type type)
{
	if (folder->holder_block[constant] != folder->block + 1) {
		folder->holder_block[constant] = folder->block + 1;
		folder->holder[constant] = new_constant(folder, type);
	}
	return folder->holder[constant];
}

static bool has_register(const struct ptx_operand *operand)
{
	return (operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_ADDRESS ||
	        operand->kind == PTX_OPERAND_TEXTURE) &&
	       operand->reg != PTX_NO_REG;
}

static bool is_constant(const struct ptx_operand *operand)
{
	return operand->kind == PTX_OPERAND_INT || operand->kind == PTX_OPERAND_FLOAT ||
	       operand->kind == PTX_OPERAND_SYMBOL;
}

static bool holds_constant(const struct folder *folder, const struct ptx_operand *operand)
{
	return operand->kind == PTX_OPERAND_REG ? folder->known.value[operand->reg].kind >= ASSEMBLE_CONSTANT
	                                        : is_constant(operand);
}

/* Returns the instruction that computes the value of an operand's register. Returns NULL when there are several or
 * none. */
static const struct ptx_inst *source_of(const struct folder *folder, const struct ptx_operand *operand)
{
	if (!has_register(operand))
		return NULL;
	const struct assemble_value *value = &folder->known.value[operand->reg];
	uint32_t reg = value->kind == ASSEMBLE_COPY ? value->of : operand->reg;
	return folder->known.value[reg].kind == ASSEMBLE_OWN ? folder->known.defined[reg] : NULL;
}

/* A computing instruction can encode one constant. Memory accesses and exchanges between lanes read registers. */
static bool names_constant(const struct ptx_inst *inst)
{
	return ptx_op_unit(inst->op) != PTX_UNIT_MEM && inst->op != PTX_OP_SHFL && inst->op != PTX_OP_CALL &&
	       inst->op != PTX_OP_MATCH && inst->op != PTX_OP_REDUX && !ptx_op_is_matrix(inst->op);
}

static void resolve(struct folder *folder, struct ptx_operand *operand, bool *may_name)
{
	struct assemble_value value = folder->known.value[operand->reg];
	bool is_plain = operand->kind == PTX_OPERAND_REG;
	if (value.kind == ASSEMBLE_COPY) {
		operand->reg = value.of;
	} else if (value.kind == ASSEMBLE_ZERO && is_plain) {
		*operand = (struct ptx_operand){.kind = PTX_OPERAND_INT};
	} else if (value.kind == ASSEMBLE_CONSTANT && is_plain && *may_name) {
		*operand = constant_operand();
		*may_name = false;
	} else if (value.kind != ASSEMBLE_OWN) {
		operand->reg = holder_of(folder, operand->reg, folder->to->regs[operand->reg].type);
	}
}

static void resolve_all(struct folder *folder, struct ptx_operand *operand, uint32_t count, bool *may_name)
{
	for (uint32_t i = 0; i < count; i++) {
		bool none = false;
		resolve_all(folder, operand[i].element, operand[i].count, &none);
		if (has_register(&operand[i]))
			resolve(folder, &operand[i], may_name);
	}
}

/* Returns true when a register holds the same value at two instructions: it is written only once, or not between
 * them. */
static bool is_unchanged(const struct folder *folder, uint32_t reg, const struct ptx_inst *then,
                         const struct ptx_inst *now)
{
	const struct ptx_inst *body = folder->from->body;
	uint32_t ids[PTX_MAX_IDS];
	if (folder->known.defined[reg])
		return true;
	if (then > now || now - then > FOLD_DISTANCE || folder->block_of[then - body] != folder->block_of[now - body])
		return false;
	for (const struct ptx_inst *inst = then; inst < now; inst++)
		for (uint32_t k = ptx_inst_writes(inst, ids); k-- > 0;)
			if (ids[k] == reg)
				return false;
	return true;
}

/* Returns the 32-bit register of which an operand is a constant multiple: by mul.wide, or by shl of cvt. */
static const struct ptx_operand *scaled_index(const struct folder *folder, const struct ptx_operand *operand,
                                              const struct ptx_inst *now)
{
	const struct ptx_inst *product = source_of(folder, operand), *widened = product;
	if (!product || (product->op != PTX_OP_MUL && product->op != PTX_OP_SHL) ||
	    !holds_constant(folder, &product->operand[2]))
		return NULL;
	if (product->op == PTX_OP_SHL) {
		widened = source_of(folder, &product->operand[1]);
		if (!widened || widened->op != PTX_OP_CVT || ptx_type_bytes(widened->type2) != 4 ||
		    ptx_type_is_float(widened->type2))
			return NULL;
	} else if (product->half != PTX_WIDE || ptx_type_bytes(product->type) != 4) {
		return NULL;
	}
	const struct ptx_operand *index = &widened->operand[1];
	return has_register(index) && is_unchanged(folder, index->reg, widened, now) ? index : NULL;
}

/* Folds base + index * size. If both base and size are constants, the size takes a register, because it is narrower. */
static bool fold_address(struct folder *folder, struct ptx_inst *inst, const struct ptx_inst *original)
{
	const struct ptx_operand *index = NULL;
	uint32_t at = 0;
	if (inst->op != PTX_OP_ADD || ptx_type_bytes(inst->type) != 8 || ptx_type_is_float(inst->type) ||
	    inst->carry_out)
		return false;
	while (!index && at < 2)
		index = scaled_index(folder, &inst->operand[++at], original);
	if (!index)
		return false;
	bool may_name = true;
	struct ptx_operand *operand = arena_array(folder->arena, 4, sizeof *operand);
	operand[0] = inst->operand[0];
	operand[1] = *index;
	operand[3] = inst->operand[3 - at];
	if (has_register(&operand[3]))
		resolve(folder, &operand[3], &may_name);
	operand[2] = constant_operand();
	if (is_constant(&operand[3]) && operand[3].bits)
		operand[2] = (struct ptx_operand){.kind = PTX_OPERAND_REG,
		                                  .reg = holder_of(folder, folder->from->reg_count, PTX_B32)};
	may_name = false;
	resolve(folder, &operand[1], &may_name);
	inst->op = PTX_OP_MAD;
	inst->half = PTX_WIDE;
	inst->operand = operand;
	inst->operands = 4;
	return true;
}

/* [x + constant] needs only x: for any immediate, and for a variable's address where 32 bits are enough. */
static void fold_offset(struct folder *folder, struct ptx_operand *address, const struct ptx_inst *now)
{
	const struct ptx_inst *sum;
	while (has_register(address) && (sum = source_of(folder, address)) && sum->op == PTX_OP_ADD) {
		uint32_t at = holds_constant(folder, &sum->operand[1]) ? 1 : 2;
		const struct ptx_operand *rest = &sum->operand[3 - at];
		bool fits = sum->operand[at].kind == PTX_OPERAND_INT ||
		            (folder->known.is_narrow[address->reg] && holds_constant(folder, &sum->operand[at]));
		if (!fits || !has_register(rest) || !is_unchanged(folder, rest->reg, sum, now))
			break;
		address->reg = rest->reg;
	}
	if (has_register(address) && folder->known.is_narrow[address->reg] &&
	    folder->known.value[address->reg].kind >= ASSEMBLE_CONSTANT)
		address->reg = PTX_NO_REG;
}

static struct ptx_operand *copy_operands(struct arena *arena, const struct ptx_operand *operand, uint32_t count)
{
	struct ptx_operand *copy = arena_array(arena, count, sizeof *copy);
	if (count)
		memcpy(copy, operand, count * sizeof *copy);
	for (uint32_t i = 0; i < count; i++)
		if (copy[i].element)
			copy[i].element = copy_operands(arena, copy[i].element, copy[i].count);
	return copy;
}

static void fold_inst(struct folder *folder, const struct ptx_inst *original)
{
	struct ptx_inst inst = *original;
	inst.operand = copy_operands(folder->arena, inst.operand, inst.operands);
	if (!fold_address(folder, &inst, original)) {
		bool may_name = names_constant(&inst);
		for (uint32_t i = inst.destinations; i < inst.operands; i++) {
			if (inst.operand[i].kind == PTX_OPERAND_ADDRESS)
				fold_offset(folder, &inst.operand[i], original);
			may_name &= !is_constant(&inst.operand[i]);
		}
		resolve_all(folder, inst.operand + inst.destinations, inst.operands - inst.destinations, &may_name);
	}
	if (inst.op == PTX_OP_ST && is_constant(&inst.operand[1]) && inst.operand[1].bits)
		inst.operand[1] = (struct ptx_operand){.kind = PTX_OPERAND_REG, .reg = new_constant(folder, inst.type)};
	append(folder, inst);
}

static void move_targets(struct ptx_function *function, const uint32_t *moved_to)
{
	for (uint32_t i = 0; i < function->body_count; i++)
		for (uint32_t k = 0; k < function->body[i].operands; k++)
			if (function->body[i].operand[k].kind == PTX_OPERAND_LABEL)
				function->body[i].operand[k].target = moved_to[function->body[i].operand[k].target];
}

static bool has_effect(const struct ptx_inst *inst)
{
	if (inst->op == PTX_OP_LD || inst->op == PTX_OP_LDU)
		return inst->order != PTX_ORDER_NONE && inst->order != PTX_WEAK;
	return !ptx_reads_texture(inst) &&
	       (ptx_op_unit(inst->op) == PTX_UNIT_MEM || ptx_op_latency(inst->op) == PTX_LATENCY_BRANCH ||
	        ptx_op_latency(inst->op) == PTX_LATENCY_BARRIER || inst->op == PTX_OP_VOTE ||
	        inst->op == PTX_OP_MATCH || inst->op == PTX_OP_REDUX || inst->op == PTX_OP_SHFL || inst->carry_out ||
	        ptx_op_is_matrix(inst->op));
}

/* Returns true when an instruction's results are read; an instruction without results counts as read. */
static bool is_needed(const struct ptx_inst *inst, const uint32_t *readers)
{
	uint32_t ids[PTX_MAX_IDS], count = ptx_inst_writes(inst, ids);
	for (uint32_t k = 0; k < count; k++)
		if (readers[ids[k]])
			return true;
	return count == 0 || inst->op == PTX_OP_CALL;
}

/* Removes instructions whose results are unused, users before sources. An unused result of an atomic needs no
 * register. */
static void remove_dead(struct arena *arena, struct ptx_function *function)
{
	uint32_t *readers = arena_array(arena, function->reg_count, sizeof *readers), ids[PTX_MAX_IDS], kept = 0;
	uint32_t *moved_to = arena_array(arena, (size_t)function->body_count + 1, sizeof *moved_to);
	bool *is_dead = arena_array(arena, function->body_count, sizeof *is_dead);
	for (uint32_t i = 0; i < function->body_count; i++)
		for (uint32_t k = ptx_inst_reads(&function->body[i], ids); k-- > 0;)
			readers[ids[k]]++;
	for (uint32_t i = function->body_count; i-- > 0;) {
		struct ptx_inst *inst = &function->body[i];
		if (is_needed(inst, readers))
			continue;
		is_dead[i] = !has_effect(inst);
		for (uint32_t k = 0; k < inst->destinations; k++)
			inst->operand[k] = (struct ptx_operand){.kind = PTX_OPERAND_SINK};
		for (uint32_t k = is_dead[i] ? ptx_inst_reads(inst, ids) : 0; k-- > 0;)
			readers[ids[k]]--;
	}
	for (uint32_t i = 0; i < function->body_count; i++) {
		moved_to[i] = kept;
		if (!is_dead[i])
			function->body[kept++] = function->body[i];
	}
	moved_to[function->body_count] = kept;
	function->body_count = kept;
	move_targets(function, moved_to);
}

struct ptx_function *assemble_fold(struct arena *arena, const struct ptx_function *function)
{
	struct ptx_function *to = arena_alloc(arena, sizeof *to);
	struct folder folder = {.arena = arena,
	                        .from = function,
	                        .to = to,
	                        .known = assemble_values(arena, function),
	                        .block_of = flow_cfg_build(arena, function)->block_of,
	                        .reg_room = function->reg_count};
	folder.holder = arena_array(arena, (size_t)function->reg_count + 1, sizeof *folder.holder);
	folder.holder_block = arena_array(arena, (size_t)function->reg_count + 1, sizeof *folder.holder_block);
	folder.moved_to = arena_array(arena, (size_t)function->body_count + 1, sizeof *folder.moved_to);
	*to = *function;
	to->labels = NULL;
	to->body = NULL;
	to->body_count = 0;
	to->regs = arena_array(arena, to->reg_count, sizeof *to->regs);
	for (uint32_t reg = 0; reg < to->reg_count; reg++) {
		to->regs[reg] = function->regs[reg];
		if (folder.known.is_narrow[reg])
			to->regs[reg].type = PTX_B32;
	}
	for (uint32_t i = 0; i < function->body_count; i++) {
		folder.moved_to[i] = to->body_count;
		folder.block = folder.block_of[i];
		fold_inst(&folder, &function->body[i]);
	}
	folder.moved_to[function->body_count] = to->body_count;
	move_targets(to, folder.moved_to);
	remove_dead(arena, to);
	return to;
}
