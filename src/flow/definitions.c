/* definitions: reaching definitions, by a forward iteration over sets until they are stable (Aho, Lam, Sethi and
 * Ullman, "Compilers", section 9.2.4). A definition under a guard adds to the set and ends none: lanes whose guard
 * is false keep the old value. */
#include "flow/flow.h"

#include "flow/sets.h"

struct walk {
	const struct flow_cfg *cfg;
	struct flow_definitions *definitions;
	uint64_t *gives, *ends; /* by block: its own definitions that reach its end; definitions that it overwrites */
	uint64_t *out;
};

/* Numbers all definitions, and links those of each register. */
static void find_all(struct arena *arena, const struct ptx_function *function, struct flow_definitions *definitions)
{
	uint32_t ids[FLOW_MAX_REGS], count = 0;
	for (uint32_t i = 0; i < function->body_count; i++)
		count += ptx_inst_writes(&function->body[i], ids);
	definitions->inst = arena_array(arena, count, sizeof *definitions->inst);
	definitions->next = arena_array(arena, count, sizeof *definitions->next);
	definitions->first_of = arena_array(arena, function->reg_count, sizeof *definitions->first_of);
	definitions->words = count / 64 + 1;
	for (uint32_t reg = 0; reg < function->reg_count; reg++)
		definitions->first_of[reg] = FLOW_NONE;
	for (uint32_t i = function->body_count; i-- > 0;)
		for (uint32_t k = ptx_inst_writes(&function->body[i], ids); k-- > 0;) {
			definitions->inst[definitions->count] = i;
			definitions->next[definitions->count] = definitions->first_of[ids[k]];
			definitions->first_of[ids[k]] = definitions->count++;
		}
}

static void change_all_of(const struct flow_definitions *definitions, uint32_t reg, uint64_t *taken, uint64_t *added)
{
	for (uint32_t d = definitions->first_of[reg]; d != FLOW_NONE; d = definitions->next[d]) {
		set_remove(taken, d);
		set_add(added, d);
	}
}

/* Returns the definition of a register by an instruction. */
static uint32_t definition_at(const struct flow_definitions *definitions, uint32_t reg, uint32_t inst)
{
	uint32_t d = definitions->first_of[reg];
	while (definitions->inst[d] != inst)
		d = definitions->next[d];
	return d;
}

static void walk_block(const struct walk *walk, uint32_t block)
{
	const struct flow_block *b = &walk->cfg->block[block];
	uint64_t *gives = walk->gives + (size_t)block * walk->definitions->words;
	uint64_t *ends = walk->ends + (size_t)block * walk->definitions->words;
	uint32_t ids[FLOW_MAX_REGS];
	for (uint32_t at = b->first; at < b->first + b->count; at++) {
		const struct ptx_inst *inst = &walk->cfg->function->body[at];
		for (uint32_t k = ptx_inst_writes(inst, ids); k-- > 0;) {
			if (inst->guard == PTX_NO_REG)
				change_all_of(walk->definitions, ids[k], gives, ends);
			set_add(gives, definition_at(walk->definitions, ids[k], at));
		}
	}
}

/* Returns true when the set at the block's end has grown. */
static bool pass_through(const struct walk *walk, uint32_t block)
{
	uint32_t words = walk->definitions->words;
	const struct flow_block *b = &walk->cfg->block[block];
	size_t at = (size_t)block * words;
	bool grown = false;
	for (uint32_t word = 0; word < words; word++) {
		uint64_t in = 0;
		for (uint32_t k = 0; k < b->predecessors; k++)
			in |= walk->out[(size_t)b->predecessor[k] * words + word];
		uint64_t out = walk->gives[at + word] | (in & ~walk->ends[at + word]);
		grown |= out != walk->out[at + word];
		walk->definitions->in[at + word] = in;
		walk->out[at + word] = out;
	}
	return grown;
}

struct flow_definitions *flow_definitions(struct arena *arena, const struct flow_cfg *cfg)
{
	struct arena scratch = {0};
	struct flow_definitions *definitions = arena_alloc(arena, sizeof *definitions);
	find_all(arena, cfg->function, definitions);
	size_t words = (size_t)definitions->words * cfg->blocks;
	definitions->in = arena_array(arena, words, sizeof *definitions->in);
	const struct walk walk = {.cfg = cfg,
	                          .definitions = definitions,
	                          .gives = arena_array(&scratch, words, sizeof *walk.gives),
	                          .ends = arena_array(&scratch, words, sizeof *walk.ends),
	                          .out = arena_array(&scratch, words, sizeof *walk.out)};
	for (uint32_t block = 0; block < cfg->blocks; block++)
		walk_block(&walk, block);
	for (bool grown = true; grown;) {
		grown = false;
		for (uint32_t block = 0; block < cfg->blocks; block++)
			grown |= pass_through(&walk, block);
	}
	arena_free(&scratch);
	return definitions;
}

static bool writes(const struct ptx_inst *inst, uint32_t reg)
{
	uint32_t ids[FLOW_MAX_REGS];
	for (uint32_t k = ptx_inst_writes(inst, ids); k-- > 0;)
		if (ids[k] == reg)
			return true;
	return false;
}

/* The block's own writes were counted already, so those that reach it around a loop are skipped. */
static bool is_within(uint32_t inst, uint32_t begin, uint32_t end)
{
	return inst >= begin && inst < end;
}

uint32_t flow_reaching(const struct flow_definitions *definitions, const struct flow_cfg *cfg, uint32_t at,
                       uint32_t reg, uint32_t *inst, uint32_t room)
{
	uint32_t block = cfg->block_of[at], count = 0;
	for (uint32_t i = at; i-- > cfg->block[block].first;) {
		if (!writes(&cfg->function->body[i], reg))
			continue;
		if (count++ < room)
			inst[count - 1] = i;
		if (cfg->function->body[i].guard == PTX_NO_REG)
			return count;
	}
	const uint64_t *in = definitions->in + (size_t)block * definitions->words;
	for (uint32_t d = definitions->first_of[reg]; d != FLOW_NONE; d = definitions->next[d])
		if (set_has(in, d) && !is_within(definitions->inst[d], cfg->block[block].first, at) && count++ < room)
			inst[count - 1] = definitions->inst[d];
	return count;
}
