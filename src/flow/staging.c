#include "flow/staging.h"

/* The content of a register that comes from memory: nothing; a loaded value or one computed from it; anything. */
enum holding { HOLDS_NONE, HOLDS_LOADED, HOLDS_MIXED };

struct search {
	const struct flow_dependences *on;
	uint8_t *space;   /* by loading or storing instruction: enum ptx_space, resolved */
	uint8_t *holding; /* by instruction: enum holding of its result */
	/* by instruction: arrays whose transfers depend on it; else_serves: 1 if others depend on it */
	uint8_t *serves, *else_serves;
	/* by instruction: the last walk that reached it; instructions left to visit in this walk */
	uint32_t *seen, *to_do;
	uint32_t walk, left;
	/* NULL: the array of all stores that are not distinguished */
	const struct ptx_variable *array[FLOW_STAGING_ARRAYS];
	struct flow_staging *found;
};

static bool is_load(const struct ptx_inst *inst)
{
	return inst->op == PTX_OP_LD || inst->op == PTX_OP_LDU;
}

static bool is_parameter(const struct ptx_inst *inst)
{
	return (is_load(inst) || inst->op == PTX_OP_ST) && inst->space == PTX_PARAM;
}

/* Predicates control execution and are no data. Parameters are in no register. */
static bool is_data(const struct search *search, uint32_t inst, uint32_t reg)
{
	const struct ptx_function *function = search->on->part[search->on->part_of[inst]].function;
	return reg == PTX_NO_REG || function->regs[reg].type != PTX_PRED;
}

/* --- walks --- */

static void begin_walk(struct search *search)
{
	search->walk++;
	search->left = 0;
}

static void walk_to(struct search *search, uint32_t inst)
{
	if (search->seen[inst] == search->walk)
		return;
	search->seen[inst] = search->walk;
	search->to_do[search->left++] = inst;
}

/* Walks to the providers of an operand's reads, or of all reads if NULL. */
static void walk_back(struct search *search, uint32_t inst, const struct ptx_operand *operand)
{
	const struct flow_dependences *on = search->on;
	for (uint32_t use = on->first_use[inst]; use < on->first_use[inst + 1]; use++)
		if (is_data(search, inst, on->use[use].reg) &&
		    (!operand || flow_operand_reads(operand, on->use[use].reg)))
			walk_to(search, on->use[use].giver);
}

/* --- spaces of addresses --- */

/* The variables from which an address derives. */
struct origin {
	const struct ptx_variable *shared;
	bool several; /* from several shared variables */
	bool is_global;
};

static void note_symbol(const struct ptx_operand *operand, struct origin *origin)
{
	const struct ptx_variable *symbol =
		operand->kind == PTX_OPERAND_SYMBOL || operand->kind == PTX_OPERAND_ADDRESS ? operand->symbol : NULL;
	if (!symbol)
		return;
	origin->is_global |= symbol->space == PTX_GLOBAL;
	if (symbol->space != PTX_SHARED)
		return;
	origin->several |= origin->shared && origin->shared != symbol;
	origin->shared = symbol;
}

/* Walks through all computations and parameters. A value loaded from other memory gives no information. */
static void walk_origin(struct search *search, uint32_t inst, struct origin *origin)
{
	const struct ptx_inst *ptx = search->on->inst[inst];
	origin->is_global |= is_parameter(ptx) && is_load(ptx) && search->on->part_of[inst] == 0 &&
	                     search->on->first_use[inst] == search->on->first_use[inst + 1];
	if ((is_load(ptx) && !is_parameter(ptx)) || ptx->op == PTX_OP_ATOM)
		return;
	for (uint32_t i = ptx->destinations; !is_parameter(ptx) && i < ptx->operands; i++)
		note_symbol(&ptx->operand[i], origin);
	walk_back(search, inst, ptx->op == PTX_OP_ST ? &ptx->operand[1] : NULL);
}

static struct origin origin_of(struct search *search, uint32_t inst)
{
	const struct ptx_inst *ptx = search->on->inst[inst];
	const struct ptx_operand *address = &ptx->operand[ptx->destinations];
	struct origin origin = {0};
	begin_walk(search);
	note_symbol(address, &origin);
	walk_back(search, inst, address);
	while (search->left)
		walk_origin(search, search->to_do[--search->left], &origin);
	return origin;
}

static void find_spaces(struct search *search)
{
	for (uint32_t inst = 0; inst < search->on->count; inst++) {
		const struct ptx_inst *ptx = search->on->inst[inst];
		search->space[inst] = (uint8_t)ptx->space;
		if ((!is_load(ptx) && ptx->op != PTX_OP_ST) || ptx->space != PTX_GENERIC)
			continue;
		const struct origin origin = origin_of(search, inst);
		search->space[inst] = origin.shared ? PTX_SHARED : origin.is_global ? PTX_GLOBAL : PTX_GENERIC;
	}
}

/* --- what registers hold --- */

static bool is_global_load(const struct search *search, uint32_t inst)
{
	return is_load(search->on->inst[inst]) && search->space[inst] == PTX_GLOBAL;
}

/* Returns true for results from arbitrary memory and from unknown functions. */
static bool gives_anything(const struct search *search, uint32_t inst)
{
	const struct ptx_inst *ptx = search->on->inst[inst];
	if (is_load(ptx) && ptx->space == PTX_PARAM)
		return search->on->part_of[inst] && search->on->first_use[inst] == search->on->first_use[inst + 1];
	return (is_load(ptx) && ptx->space != PTX_CONST) || ptx->op == PTX_OP_ATOM || ptx->op == PTX_OP_CALL ||
	       ptx_reads_texture(ptx);
}

static bool brings_together(const struct ptx_inst *inst)
{
	return inst->op == PTX_OP_MOV || inst->op == PTX_OP_CVT || inst->op == PTX_OP_SELP || inst->op == PTX_OP_PRMT ||
	       is_parameter(inst);
}

static enum holding more(enum holding a, enum holding b)
{
	return a > b ? a : b;
}

/* Returns the content of the register whose uses begin at *use, and moves *use after them. */
static enum holding held_by_next(const struct search *search, uint32_t inst, uint32_t *use)
{
	const struct flow_dependences *on = search->on;
	uint32_t reg = on->use[*use].reg;
	enum holding held = HOLDS_NONE;
	for (; *use < on->first_use[inst + 1] && on->use[*use].reg == reg; ++*use)
		held = more(held, search->holding[on->use[*use].giver]);
	return is_data(search, inst, reg) ? held : HOLDS_NONE;
}

/* Returns the content of an instruction's reads in an operand, or in all operands if NULL. */
static enum holding held_in(const struct search *search, uint32_t inst, const struct ptx_operand *operand,
                            bool brings_together)
{
	enum holding held = HOLDS_NONE;
	for (uint32_t use = search->on->first_use[inst]; use < search->on->first_use[inst + 1];) {
		uint32_t reg = search->on->use[use].reg;
		enum holding next = held_by_next(search, inst, &use);
		if (operand && !flow_operand_reads(operand, reg))
			continue;
		if (next == HOLDS_LOADED && held == HOLDS_LOADED && !brings_together)
			return HOLDS_MIXED;
		held = more(held, next);
	}
	return held;
}

static enum holding held_behind(const struct search *search, uint32_t inst)
{
	const struct ptx_inst *ptx = search->on->inst[inst];
	if (is_global_load(search, inst))
		return HOLDS_LOADED;
	if (gives_anything(search, inst))
		return HOLDS_MIXED;
	return held_in(search, inst, ptx->op == PTX_OP_ST ? &ptx->operand[1] : NULL, brings_together(ptx));
}

static void find_holding(struct search *search)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t inst = 0; inst < search->on->count; inst++) {
			uint8_t held = (uint8_t)more(search->holding[inst], held_behind(search, inst));
			changed |= held != search->holding[inst];
			search->holding[inst] = held;
		}
	}
}

/* --- stores, and the walks back to their loads --- */

static bool is_transfer_store(const struct search *search, uint32_t inst)
{
	const struct ptx_inst *ptx = search->on->inst[inst];
	return ptx->op == PTX_OP_ST && search->space[inst] == PTX_SHARED &&
	       held_in(search, inst, &ptx->operand[1], true) == HOLDS_LOADED;
}

static uint8_t array_of(struct search *search, uint32_t store)
{
	const struct origin origin = origin_of(search, store);
	const struct ptx_variable *variable = origin.several ? NULL : origin.shared;
	struct flow_staging *found = search->found;
	uint32_t a = 0;
	while (a < found->arrays && search->array[a] != variable)
		a++;
	if (a == FLOW_STAGING_ARRAYS)
		a--;
	else if (a == found->arrays)
		search->array[found->arrays++] = variable;
	return (uint8_t)(1u << a);
}

static void walk_value(struct search *search, uint32_t inst, uint8_t array)
{
	const struct ptx_inst *ptx = search->on->inst[inst];
	struct flow_role *role = &search->found->inst[inst];
	if (search->holding[inst] != HOLDS_LOADED)
		return;
	if (is_global_load(search, inst)) {
		role->loads |= array;
		return;
	}
	role->handles |= array;
	walk_back(search, inst, ptx->op == PTX_OP_ST ? &ptx->operand[1] : NULL);
}

static void take_store(struct search *search, uint32_t store)
{
	struct flow_role *role = &search->found->inst[store];
	uint8_t array = array_of(search, store);
	role->stores = role->handles = array;
	begin_walk(search);
	walk_back(search, store, &search->on->inst[store]->operand[1]);
	while (search->left)
		walk_value(search, search->to_do[--search->left], array);
	flow_slice(search->on, store, array, search->serves);
}

/* --- address generation --- */

/* Returns true for instructions with an effect. Calls and parameters count only through the code of the functions. */
static bool has_effect(const struct ptx_inst *inst)
{
	if (inst->op == PTX_OP_BRA || inst->op == PTX_OP_CALL || is_parameter(inst))
		return false;
	return !inst->destinations || inst->op == PTX_OP_ATOM || inst->op == PTX_OP_BAR || inst->op == PTX_OP_BARRIER;
}

static void find_addresses(struct search *search)
{
	for (uint32_t inst = 0; inst < search->on->count; inst++)
		if (!search->found->inst[inst].stores && has_effect(search->on->inst[inst]))
			flow_slice(search->on, inst, 1, search->else_serves);
	for (uint32_t inst = 0; inst < search->on->count; inst++) {
		struct flow_role *role = &search->found->inst[inst];
		role->addresses = search->serves[inst] & (uint8_t) ~(role->loads | role->handles);
		role->own = search->serves[inst] && !search->else_serves[inst];
	}
}

struct flow_staging *flow_staging(struct arena *arena, const struct ptx_function *kernel)
{
	struct arena scratch = {0};
	const struct flow_dependences *on = flow_dependences(arena, kernel);
	struct flow_staging *found = arena_alloc(arena, sizeof *found);
	*found = (struct flow_staging){.on = on, .inst = arena_array(arena, on->count + 1, sizeof *found->inst)};
	struct search search = {.on = on,
	                        .space = arena_array(&scratch, on->count + 1, sizeof *search.space),
	                        .holding = arena_array(&scratch, on->count + 1, sizeof *search.holding),
	                        .serves = arena_array(&scratch, on->count + 1, sizeof *search.serves),
	                        .else_serves = arena_array(&scratch, on->count + 1, sizeof *search.else_serves),
	                        .seen = arena_array(&scratch, on->count + 1, sizeof *search.seen),
	                        .to_do = arena_array(&scratch, on->count + 1, sizeof *search.to_do),
	                        .found = found};
	find_spaces(&search);
	find_holding(&search);
	for (uint32_t inst = 0; inst < on->count; inst++)
		if (is_transfer_store(&search, inst))
			take_store(&search, inst);
	if (found->arrays)
		find_addresses(&search);
	arena_free(&scratch);
	return found;
}
