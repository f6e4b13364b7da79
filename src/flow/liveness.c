/* liveness: walks, for each register, from the blocks that use it back to those that define it. Time is
 * proportional to the size of the result: each pair of block and live register is visited once, regardless of
 * loops. */
#include "flow/flow.h"

#include "flow/sets.h"

/* Pairs of register and block, later grouped by register. */
struct sites {
	uint32_t *reg, *block;
	uint32_t count;
	uint32_t *first; /* by register: its blocks are block[first[reg]..first[reg + 1]) */
};

static void sites_add(struct sites *sites, uint32_t reg, uint32_t block)
{
	sites->reg[sites->count] = reg;
	sites->block[sites->count++] = block;
}

static void sites_group(struct arena *scratch, struct sites *sites, uint32_t regs)
{
	uint32_t *first = arena_array(scratch, (size_t)regs + 2, sizeof *first);
	uint32_t *block = arena_array(scratch, sites->count, sizeof *block);
	for (uint32_t i = 0; i < sites->count; i++)
		first[sites->reg[i] + 2]++;
	for (uint32_t i = 2; i <= regs; i++)
		first[i] += first[i - 1];
	/* first[reg + 1] advances from the register's first position to the next register's. */
	for (uint32_t i = 0; i < sites->count; i++)
		block[first[sites->reg[i] + 1]++] = sites->block[i];
	sites->block = block;
	sites->first = first;
}

/* Finds the blocks that may read a register before they have certainly written it (uses), and those that certainly
 * write it (kills). A write under a guard is not certain: lanes whose guard is false keep the old value. */
static void find_sites(struct arena *scratch, const struct flow_cfg *cfg, struct sites *uses, struct sites *kills)
{
	const struct ptx_function *function = cfg->function;
	uint32_t *used_in = arena_array(scratch, function->reg_count, sizeof *used_in);
	uint32_t *killed_in = arena_array(scratch, function->reg_count, sizeof *killed_in);
	uint32_t ids[FLOW_MAX_REGS];
	size_t reads = 0, writes = 0;
	for (uint32_t i = 0; i < function->body_count; i++) {
		reads += ptx_inst_reads(&function->body[i], ids);
		writes += ptx_inst_writes(&function->body[i], ids);
	}
	*uses = (struct sites){arena_array(scratch, reads, sizeof *uses->reg),
	                       arena_array(scratch, reads, sizeof *uses->block), 0, NULL};
	*kills = (struct sites){arena_array(scratch, writes, sizeof *kills->reg),
	                        arena_array(scratch, writes, sizeof *kills->block), 0, NULL};

	for (uint32_t i = 0; i < function->body_count; i++) {
		const struct ptx_inst *inst = &function->body[i];
		uint32_t block = cfg->block_of[i], count = ptx_inst_reads(inst, ids);
		for (uint32_t k = 0; k < count; k++) {
			if (killed_in[ids[k]] == block + 1 || used_in[ids[k]] == block + 1)
				continue;
			used_in[ids[k]] = block + 1;
			sites_add(uses, ids[k], block);
		}
		count = inst->guard == PTX_NO_REG ? ptx_inst_writes(inst, ids) : 0;
		for (uint32_t k = 0; k < count; k++) {
			if (killed_in[ids[k]] == block + 1)
				continue;
			killed_in[ids[k]] = block + 1;
			sites_add(kills, ids[k], block);
		}
	}
	sites_group(scratch, uses, function->reg_count);
	sites_group(scratch, kills, function->reg_count);
}

/* Marks the register live from the blocks that use it back to those that kill it. */
static void walk_back(const struct flow_cfg *cfg, struct flow_liveness *live, uint32_t reg, const struct sites *uses,
                      const uint32_t *killed_for, uint32_t *stack)
{
	for (uint32_t i = uses->first[reg]; i < uses->first[reg + 1]; i++) {
		uint32_t depth = 0;
		if (set_add(live->in + (size_t)uses->block[i] * live->words, reg))
			stack[depth++] = uses->block[i];
		while (depth) {
			const struct flow_block *block = &cfg->block[stack[--depth]];
			for (uint32_t k = 0; k < block->predecessors; k++) {
				uint32_t from = block->predecessor[k];
				if (!set_add(live->out + (size_t)from * live->words, reg) ||
				    killed_for[from] == reg + 1)
					continue;
				if (set_add(live->in + (size_t)from * live->words, reg))
					stack[depth++] = from;
			}
		}
	}
}

struct flow_liveness *flow_liveness(struct arena *arena, const struct flow_cfg *cfg)
{
	struct arena scratch = {0};
	uint32_t regs = cfg->function->reg_count;
	struct flow_liveness *live = arena_alloc(arena, sizeof *live);
	live->words = (regs + 63) / 64;
	live->in = arena_array(arena, (size_t)live->words * cfg->blocks, sizeof *live->in);
	live->out = arena_array(arena, (size_t)live->words * cfg->blocks, sizeof *live->out);

	struct sites uses, kills;
	find_sites(&scratch, cfg, &uses, &kills);
	uint32_t *killed_for = arena_array(&scratch, cfg->blocks, sizeof *killed_for);
	uint32_t *stack = arena_array(&scratch, cfg->blocks, sizeof *stack);
	for (uint32_t reg = 0; reg < regs; reg++) {
		for (uint32_t i = kills.first[reg]; i < kills.first[reg + 1]; i++)
			killed_for[kills.block[i]] = reg + 1;
		walk_back(cfg, live, reg, &uses, killed_for, stack);
	}
	arena_free(&scratch);
	return live;
}
