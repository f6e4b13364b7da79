#include "flow/alias.h"

/* The analysis state of a kernel. */
struct walk {
	const struct ptx_function *kernel;
	struct alias_info *alias;
	alias_set *reg;      /* by register */
	alias_set inside[2]; /* pointers stored to shared and to local memory */
	bool calls, changed;
};

#define BIT(source) (UINT64_C(1) << (source))

static alias_set source_of(struct alias_info *alias, const struct ptx_variable *variable, uint64_t offset)
{
	for (uint32_t i = 0; i < alias->sources; i++)
		if (alias->source[i].variable == variable && alias->source[i].offset == offset)
			return BIT(i);
	if (alias->sources == ALIAS_SOURCES)
		return BIT(ALIAS_UNKNOWN);
	alias->source[alias->sources] = (struct alias_source){variable, offset};
	return BIT(alias->sources++);
}

static alias_set of_symbol(struct walk *walk, const struct ptx_variable *variable)
{
	if (variable->space == PTX_GLOBAL)
		return source_of(walk->alias, variable, 0);
	return BIT(ALIAS_INSIDE);
}

/* Returns the pointers from which an operand's value, or the address in it, derives. */
static alias_set of_operand(struct walk *walk, const struct ptx_operand *operand)
{
	alias_set set = operand->symbol ? of_symbol(walk, operand->symbol) : 0;
	for (uint32_t i = 0; operand->kind == PTX_OPERAND_VECTOR && i < operand->count; i++)
		set |= of_operand(walk, &operand->element[i]);
	bool has_reg = operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_ADDRESS;
	return has_reg && operand->reg != PTX_NO_REG ? set | walk->reg[operand->reg] : set;
}

static void give(struct walk *walk, const struct ptx_operand *to, alias_set set)
{
	for (uint32_t i = 0; to->kind == PTX_OPERAND_VECTOR && i < to->count; i++)
		give(walk, &to->element[i], set);
	if (to->kind != PTX_OPERAND_REG || to->reg == PTX_NO_REG || walk->kernel->regs[to->reg].type == PTX_PRED ||
	    !(set & ~walk->reg[to->reg]))
		return;
	walk->reg[to->reg] |= set;
	walk->changed = true;
}

/* Results of a call are in .param too, but are no parameters of the kernel. */
static bool is_parameter(const struct ptx_function *kernel, const struct ptx_operand *from)
{
	const struct ptx_variable *symbol = from->symbol;
	return symbol && symbol >= kernel->params && symbol < kernel->params + kernel->param_count &&
	       from->reg == PTX_NO_REG;
}

/* A kernel parameter at a known offset is a pointer if it has pointer width. Each element of a vector counts
 * separately. */
static void load_parameter(struct walk *walk, const struct ptx_inst *inst)
{
	const struct ptx_operand *to = &inst->operand[0], *from = &inst->operand[1];
	uint32_t bytes = ptx_type_bytes(inst->type);
	bool is_known = is_parameter(walk->kernel, from);
	for (uint32_t i = 0; i < (inst->vector > 1 ? inst->vector : 1); i++) {
		uint64_t place = is_known ? from->symbol->offset + (uint64_t)from->offset + i * bytes : 0;
		give(walk, inst->vector > 1 ? &to->element[i] : to,
		     bytes < 8  ? 0
		     : is_known ? source_of(walk->alias, NULL, place)
		                : BIT(ALIAS_UNKNOWN));
	}
}

/* A pointer loaded from shared or local memory is one that this kernel stored there; from other memory it is
 * unknown. Narrower values are indexes. */
static alias_set of_memory(const struct walk *walk, const struct ptx_inst *inst)
{
	if (ptx_type_bytes(inst->type) < 8)
		return 0;
	if (inst->space == PTX_SHARED || inst->space == PTX_LOCAL)
		return walk->inside[inst->space == PTX_LOCAL];
	return BIT(ALIAS_UNKNOWN);
}

static bool is_inside(enum ptx_space space)
{
	return space == PTX_SHARED || space == PTX_LOCAL || space == PTX_PARAM || space == PTX_CONST;
}

static void keep_inside(struct walk *walk, bool is_local, alias_set set)
{
	walk->changed |= (set & ~walk->inside[is_local]) != 0;
	walk->inside[is_local] |= set;
}

/* Records possible pointers stored to memory that only this kernel accesses: all operands after the address. */
static void store(struct walk *walk, const struct ptx_inst *inst)
{
	alias_set set = 0;
	if (ptx_type_bytes(inst->type) < 8 || inst->space == PTX_GLOBAL)
		return;
	for (uint32_t i = inst->destinations + 1u; i < inst->operands; i++)
		set |= of_operand(walk, &inst->operand[i]);
	for (int is_local = 0; is_local < 2; is_local++)
		if (inst->space != (is_local ? PTX_SHARED : PTX_LOCAL))
			keep_inside(walk, is_local, set);
}

/* All results may derive from all sources. */
static void compute(struct walk *walk, const struct ptx_inst *inst)
{
	alias_set set = 0;
	for (uint32_t i = inst->destinations; i < inst->operands; i++)
		set |= of_operand(walk, &inst->operand[i]);
	if (inst->op == PTX_OP_MOV &&
	    inst->operand[1].kind == PTX_OPERAND_VECTOR) /* halves may come from a pointer in memory */
		set |= BIT(ALIAS_UNKNOWN);
	for (uint32_t i = 0; i < inst->destinations; i++)
		give(walk, &inst->operand[i], set);
}

static void look_at(struct walk *walk, const struct ptx_inst *inst)
{
	switch (inst->op) {
	case PTX_OP_LD:
	case PTX_OP_LDU:
		if (inst->space == PTX_PARAM)
			load_parameter(walk, inst);
		else
			give(walk, &inst->operand[0], of_memory(walk, inst));
		break;
	case PTX_OP_ST:
		store(walk, inst);
		break;
	case PTX_OP_ATOM:
	case PTX_OP_RED:
		store(walk, inst);
		if (inst->destinations)
			give(walk, &inst->operand[0], of_memory(walk, inst));
		break;
	case PTX_OP_CP_ASYNC: /* may copy pointers */
		keep_inside(walk, false, BIT(ALIAS_UNKNOWN));
		break;
	case PTX_OP_SULD:
		give(walk, &inst->operand[0], of_memory(walk, inst));
		break;
	case PTX_OP_CALL:
		walk->calls = true;
		break;
	default:
		compute(walk, inst);
		break;
	}
}

bool alias_is_asynchronous(const struct ptx_inst *inst)
{
	switch (inst->op) {
	case PTX_OP_CP_BULK:
	case PTX_OP_CP_BULK_TENSOR:
	case PTX_OP_CP_REDUCE_BULK:
	case PTX_OP_CP_REDUCE_BULK_TENSOR:
	case PTX_OP_DMA_EXECUTE:
		return true;
	default:
		return false;
	}
}

bool alias_is_load(const struct ptx_inst *inst)
{
	switch (inst->op) {
	case PTX_OP_LD:
	case PTX_OP_LDU:
		return !inst->nc && !is_inside(inst->space);
	case PTX_OP_CP_ASYNC:
	case PTX_OP_SULD:
		return true;
	default:
		return false;
	}
}

/* Returns the pointers of an address outside the block's own memories. An address without a pointer counts as
 * unknown. */
static alias_set address(struct walk *walk, const struct ptx_operand *operand)
{
	alias_set set = of_operand(walk, operand);
	return set ? set : BIT(ALIAS_UNKNOWN);
}

static alias_set loaded(struct walk *walk, const struct ptx_inst *inst)
{
	if (walk->calls)
		return BIT(ALIAS_UNKNOWN);
	return inst->op == PTX_OP_SULD ? BIT(ALIAS_IMAGE) : address(walk, &inst->operand[1]);
}

static void find_loads(struct walk *walk, struct arena *arena)
{
	struct alias_info *alias = walk->alias;
	const struct ptx_function *kernel = walk->kernel;
	alias->load = arena_array(arena, kernel->body_count + 1, sizeof *alias->load);
	for (uint32_t i = 0; i < kernel->body_count; i++)
		if (alias_is_load(&kernel->body[i]))
			alias->load[alias->loads++] = (struct alias_load){i, loaded(walk, &kernel->body[i])};
}

static alias_set stored(struct walk *walk, const struct ptx_inst *inst)
{
	switch (inst->op) {
	case PTX_OP_ST:
	case PTX_OP_ATOM:
	case PTX_OP_RED:
		return is_inside(inst->space) ? 0 : address(walk, &inst->operand[inst->destinations]);
	case PTX_OP_SUST:
	case PTX_OP_SURED:
		return BIT(ALIAS_IMAGE);
	case PTX_OP_CALL:
		return BIT(ALIAS_UNKNOWN);
	default:
		return 0;
	}
}

static void find_stores(struct walk *walk)
{
	for (uint32_t i = 0; i < walk->kernel->body_count; i++)
		walk->alias->stored |= stored(walk, &walk->kernel->body[i]);
}

const struct alias_info *alias_of(struct arena *arena, const struct ptx_function *kernel)
{
	struct arena scratch = {0};
	struct alias_info *alias = arena_alloc(arena, sizeof *alias);
	struct walk walk = {.kernel = kernel, .alias = alias, .changed = true};
	walk.reg = arena_array(&scratch, kernel->reg_count + 1, sizeof *walk.reg);
	while (walk.changed) {
		walk.changed = false;
		for (uint32_t i = 0; i < kernel->body_count; i++)
			look_at(&walk, &kernel->body[i]);
	}
	find_loads(&walk, arena);
	find_stores(&walk);
	arena_free(&scratch);
	return alias;
}
