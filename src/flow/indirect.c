#include "flow/indirect.h"

static bool is_load(const struct ptx_inst *inst)
{
	return inst->op == PTX_OP_LD || inst->op == PTX_OP_LDU;
}

bool flow_is_global_load(const struct ptx_inst *inst)
{
	return is_load(inst) && (inst->space == PTX_GLOBAL || inst->space == PTX_GENERIC);
}

/* Returns true when the result comes from memory, or from an unknown source. */
static bool gives_memory(const struct ptx_inst *inst)
{
	bool is_constant = inst->space == PTX_PARAM || inst->space == PTX_CONST || inst->is_spill;
	return (is_load(inst) && !is_constant) || inst->op == PTX_OP_ATOM || ptx_reads_texture(inst);
}

struct walk {
	const struct flow_dependences *on;
	uint32_t *seen; /* by instruction: the load whose walk last reached it, plus one */
	uint32_t *to_do;
	uint32_t left;
};

/* Walks to the providers of the operands from `first` on; guards are not included. */
static void walk_back(struct walk *walk, uint32_t inst, uint32_t first, uint32_t load)
{
	const struct flow_dependences *on = walk->on;
	const struct ptx_inst *ptx = on->inst[inst];
	for (uint32_t use = on->first_use[inst]; use < on->first_use[inst + 1]; use++) {
		bool reads = on->use[use].reg == PTX_NO_REG;
		for (uint32_t i = first; i < ptx->operands && !reads; i++)
			reads = flow_operand_reads(&ptx->operand[i], on->use[use].reg);
		uint32_t giver = on->use[use].giver;
		if (!reads || walk->seen[giver] == load + 1)
			continue;
		walk->seen[giver] = load + 1;
		walk->to_do[walk->left++] = giver;
	}
}

static bool is_indirect(struct walk *walk, uint32_t load)
{
	walk->left = 0;
	walk_back(walk, load, walk->on->inst[load]->destinations, load);
	while (walk->left) {
		uint32_t inst = walk->to_do[--walk->left];
		const struct ptx_inst *ptx = walk->on->inst[inst];
		if (gives_memory(ptx))
			return true;
		walk_back(walk, inst, ptx->op == PTX_OP_ST ? 1 : ptx->destinations, load);
	}
	return false;
}

struct flow_loads *flow_find_loads(struct arena *arena, const struct ptx_function *kernel)
{
	const struct flow_dependences *on = flow_dependences(arena, kernel);
	struct flow_loads *loads = arena_alloc(arena, sizeof *loads);
	struct walk walk = {.on = on,
	                    .seen = arena_array(arena, on->count + 1, sizeof *walk.seen),
	                    .to_do = arena_array(arena, on->count + 1, sizeof *walk.to_do)};
	*loads = (struct flow_loads){on, arena_array(arena, on->count + 1, sizeof *loads->indirect)};
	for (uint32_t inst = 0; inst < on->count; inst++)
		loads->indirect[inst] = flow_is_global_load(on->inst[inst]) && is_indirect(&walk, inst);
	return loads;
}
