#include "flow/dependences.h"

#include "flow/sets.h"

#include <stdlib.h>
#include <string.h>

/* A growing list. */
struct list {
	uint32_t *item;
	uint32_t count, room;
};

static void push(struct list *list, uint32_t item)
{
	if (list->count == list->room) {
		list->room = list->room ? 2 * list->room : 64;
		list->item = base_realloc(list->item, list->room * sizeof *list->item);
	}
	list->item[list->count++] = item;
}

/* Moves the list to the arena. */
static uint32_t *keep(struct arena *arena, struct list *list)
{
	uint32_t *kept = arena_array(arena, list->count + 1, sizeof *kept);
	if (list->count)
		memcpy(kept, list->item, list->count * sizeof *kept);
	free(list->item);
	*list = (struct list){0};
	return kept;
}

/* --- functions --- */

enum { RESULTS, CALLED, ARGUMENTS }; /* operands of a call */

static const struct ptx_function *called_by(const struct ptx_inst *inst)
{
	const struct ptx_function *called = inst->op == PTX_OP_CALL ? inst->operand[CALLED].function : NULL;
	return called && called->has_body ? called : NULL;
}

static void add_part(struct flow_dependences *on, const struct ptx_function *function)
{
	for (uint32_t p = 0; p < on->parts; p++)
		if (on->part[p].function == function)
			return;
	on->part[on->parts++] = (struct flow_part){.function = function};
}

/* Lists the kernel and all functions that it calls, each once. */
static void find_parts(struct arena *arena, struct flow_dependences *on, const struct ptx_function *kernel)
{
	on->part = arena_array(arena, kernel->module->function_count, sizeof *on->part);
	add_part(on, kernel);
	uint32_t blocks = 0;
	for (uint32_t p = 0; p < on->parts; p++) {
		struct flow_part *part = &on->part[p];
		const struct ptx_function *function = part->function;
		part->cfg = flow_cfg_build(arena, function);
		part->first_inst = on->count;
		part->first_block = blocks;
		on->count += function->body_count;
		blocks += part->cfg->blocks;
		for (uint32_t i = 0; i < function->body_count; i++)
			if (called_by(&function->body[i]))
				add_part(on, called_by(&function->body[i]));
	}
}

static void number_all(struct arena *arena, struct flow_dependences *on)
{
	on->inst = arena_array(arena, on->count + 1, sizeof *on->inst);
	on->part_of = arena_array(arena, on->count + 1, sizeof *on->part_of);
	on->block_of = arena_array(arena, on->count + 1, sizeof *on->block_of);
	for (uint32_t p = 0; p < on->parts; p++) {
		const struct flow_part *part = &on->part[p];
		for (uint32_t i = 0; i < part->function->body_count; i++) {
			on->inst[part->first_inst + i] = &part->function->body[i];
			on->part_of[part->first_inst + i] = p;
			on->block_of[part->first_inst + i] = part->first_block + part->cfg->block_of[i];
		}
	}
}

uint32_t flow_number(const struct flow_dependences *dependences, const struct ptx_inst *inst)
{
	for (uint32_t p = 0; p < dependences->parts; p++) {
		const struct flow_part *part = &dependences->part[p];
		if (inst >= part->function->body && inst < part->function->body + part->function->body_count)
			return part->first_inst + (uint32_t)(inst - part->function->body);
	}
	return FLOW_NONE;
}

bool flow_operand_reads(const struct ptx_operand *operand, uint32_t reg)
{
	for (uint32_t i = 0; operand->kind == PTX_OPERAND_VECTOR && i < operand->count; i++)
		if (flow_operand_reads(&operand->element[i], reg))
			return true;
	return (operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_ADDRESS) && operand->reg == reg;
}

/* --- values --- */

/* The registers read, and the instructions that provide their values. */
struct uses {
	struct list reg, giver;
};

static void add_use(struct uses *uses, uint32_t reg, uint32_t giver)
{
	push(&uses->reg, reg);
	push(&uses->giver, giver);
}

/* A register may be read twice by an instruction; its definitions are listed once. */
static bool is_first(const uint32_t *ids, uint32_t k)
{
	for (uint32_t i = 0; i < k; i++)
		if (ids[i] == ids[k])
			return false;
	return true;
}

static void find_registers(const struct flow_part *part, const struct flow_definitions *definitions, uint32_t inst,
                           uint32_t *room, struct uses *uses)
{
	uint32_t ids[FLOW_MAX_REGS], count = ptx_inst_reads(&part->function->body[inst], ids);
	for (uint32_t k = 0; k < count; k++) {
		if (!is_first(ids, k))
			continue;
		uint32_t reaching = flow_reaching(definitions, part->cfg, inst, ids[k], room, definitions->count);
		for (uint32_t i = 0; i < reaching; i++)
			add_use(uses, ids[k], part->first_inst + room[i]);
	}
}

/* Returns the parameter, or the variable for one, that an instruction loads or stores; or NULL. */
static const struct ptx_variable *parameter_of(const struct ptx_inst *inst)
{
	bool is_store = inst->op == PTX_OP_ST;
	if ((inst->op != PTX_OP_LD && !is_store) || inst->space != PTX_PARAM)
		return NULL;
	return inst->operand[is_store ? 0 : 1].symbol;
}

static void find_stores(const struct flow_part *part, const struct ptx_variable *variable, struct uses *uses)
{
	for (uint32_t i = 0; i < part->function->body_count; i++)
		if (part->function->body[i].op == PTX_OP_ST && parameter_of(&part->function->body[i]) == variable)
			add_use(uses, PTX_NO_REG, part->first_inst + i);
}

static uint32_t place_in(const struct ptx_variable *list, const struct ptx_variable *variable)
{
	for (uint32_t k = 0; list; list = list->next, k++)
		if (list == variable)
			return k;
	return FLOW_NONE;
}

static uint32_t place_among(const struct ptx_operand *list, const struct ptx_variable *variable)
{
	for (uint32_t k = 0; k < list->count; k++)
		if (list->element[k].symbol == variable)
			return k;
	return FLOW_NONE;
}

/* A parameter of a function: its values are those that callers have stored for it. */
static void find_arguments(const struct flow_dependences *on, const struct ptx_function *function, uint32_t place,
                           struct uses *uses)
{
	for (uint32_t i = 0; i < on->count; i++) {
		if (called_by(on->inst[i]) != function)
			continue;
		const struct ptx_operand *list = &on->inst[i]->operand[ARGUMENTS];
		if (place < list->count && list->element[place].symbol)
			find_stores(&on->part[on->part_of[i]], list->element[place].symbol, uses);
	}
}

/* A result of a call: its values are those that the callee has stored for it. */
static void find_results(const struct flow_dependences *on, const struct flow_part *part,
                         const struct ptx_variable *variable, struct uses *uses)
{
	for (uint32_t i = 0; i < part->function->body_count; i++) {
		const struct ptx_function *called = called_by(&part->function->body[i]);
		uint32_t place = called ? place_among(&part->function->body[i].operand[RESULTS], variable) : FLOW_NONE;
		const struct ptx_variable *result = place == FLOW_NONE ? NULL : called->results;
		while (place-- > 0 && result)
			result = result->next;
		for (uint32_t p = 0; result && p < on->parts; p++)
			if (on->part[p].function == called)
				find_stores(&on->part[p], result, uses);
	}
}

static void find_parameter(const struct flow_dependences *on, const struct flow_part *part, const struct ptx_inst *inst,
                           struct uses *uses)
{
	const struct ptx_variable *variable = inst->op == PTX_OP_LD ? parameter_of(inst) : NULL;
	if (!variable)
		return;
	uint32_t place = place_in(part->function->params, variable);
	if (place != FLOW_NONE)
		find_arguments(on, part->function, place, uses);
	else
		find_results(on, part, variable, uses);
}

static void find_values_of(struct flow_dependences *on, const struct flow_part *part, struct uses *uses)
{
	struct arena scratch = {0};
	const struct flow_definitions *definitions = flow_definitions(&scratch, part->cfg);
	uint32_t *room = arena_array(&scratch, definitions->count + 1, sizeof *room);
	for (uint32_t i = 0; i < part->function->body_count; i++) {
		on->first_use[part->first_inst + i] = uses->reg.count;
		if (!part->cfg->block[part->cfg->block_of[i]].reachable)
			continue;
		find_registers(part, definitions, i, room, uses);
		find_parameter(on, part, &part->function->body[i], uses);
	}
	arena_free(&scratch);
}

static void find_values(struct arena *arena, struct flow_dependences *on)
{
	struct uses uses = {0};
	on->first_use = arena_array(arena, on->count + 1, sizeof *on->first_use);
	for (uint32_t p = 0; p < on->parts; p++)
		find_values_of(on, &on->part[p], &uses);
	on->first_use[on->count] = uses.reg.count;
	on->use = arena_array(arena, uses.reg.count + 1, sizeof *on->use);
	for (uint32_t i = 0; i < uses.reg.count; i++)
		on->use[i] = (struct flow_use){uses.reg.item[i], uses.giver.item[i]};
	free(uses.reg.item);
	free(uses.giver.item);
}

/* --- control dependencies --- */

/* Returns true when the path along one edge of a branch always reaches a block that another path can miss. */
static bool leads_to(const uint32_t *ipdom, uint32_t branching, uint32_t edge, uint32_t block)
{
	for (uint32_t on = edge; on != FLOW_NONE && on != ipdom[branching]; on = ipdom[on])
		if (on == block)
			return true;
	return false;
}

static bool decides(const struct flow_cfg *cfg, const uint32_t *ipdom, uint32_t branching, uint32_t block)
{
	const struct flow_block *b = &cfg->block[branching];
	for (uint32_t k = 0; b->reachable && b->successors > 1 && k < b->successors; k++)
		if (leads_to(ipdom, branching, b->successor[k], block))
			return true;
	return false;
}

static void find_calls(const struct flow_dependences *on, const struct ptx_function *function, struct list *found)
{
	for (uint32_t i = 0; i < on->count; i++)
		if (called_by(on->inst[i]) == function)
			push(found, i);
}

static void find_deciders(struct arena *arena, struct flow_dependences *on)
{
	struct arena scratch = {0};
	struct list found = {0};
	const struct flow_part *last = &on->part[on->parts - 1];
	on->first_decider = arena_array(arena, last->first_block + last->cfg->blocks + 1, sizeof *on->first_decider);
	for (const struct flow_part *part = on->part; part <= last; part++) {
		const struct flow_cfg *cfg = part->cfg;
		const uint32_t *ipdom = flow_post_dominators(&scratch, cfg);
		for (uint32_t block = 0; block < cfg->blocks; block++) {
			on->first_decider[part->first_block + block] = found.count;
			for (uint32_t from = 0; from < cfg->blocks; from++)
				if (decides(cfg, ipdom, from, block))
					push(&found,
					     part->first_inst + cfg->block[from].first + cfg->block[from].count - 1);
			find_calls(on, part->function, &found);
		}
	}
	on->first_decider[last->first_block + last->cfg->blocks] = found.count;
	on->decider = keep(arena, &found);
	arena_free(&scratch);
}

struct flow_dependences *flow_dependences(struct arena *arena, const struct ptx_function *kernel)
{
	struct flow_dependences *on = arena_alloc(arena, sizeof *on);
	find_parts(arena, on, kernel);
	number_all(arena, on);
	find_values(arena, on);
	find_deciders(arena, on);
	return on;
}

/* --- slices --- */

static void reach(uint32_t inst, uint8_t set, uint8_t *serves, struct list *to_do)
{
	if ((serves[inst] | set) == serves[inst])
		return;
	serves[inst] |= set;
	push(to_do, inst);
}

void flow_slice(const struct flow_dependences *on, uint32_t inst, uint8_t set, uint8_t *serves)
{
	struct list to_do = {0};
	reach(inst, set, serves, &to_do);
	while (to_do.count) {
		uint32_t next = to_do.item[--to_do.count], block = on->block_of[next];
		for (uint32_t i = on->first_use[next]; i < on->first_use[next + 1]; i++)
			reach(on->use[i].giver, set, serves, &to_do);
		for (uint32_t i = on->first_decider[block]; i < on->first_decider[block + 1]; i++)
			reach(on->decider[i], set, serves, &to_do);
	}
	free(to_do.item);
}
