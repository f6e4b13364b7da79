/* spill_choose: chooses registers to spill. While too many registers are live at some program point, it
 * picks the register that relieves the most such points per load and store. Accesses in loops count more.
 *
 * A function has two program points per instruction: instruction i reads at point 2i and writes at point 2i + 1
 * (flow/ranges.h). */
#include "flow/spill.h"

#include "flow/ranges.h"
#include "flow/sets.h"

/* ITERATIONS: assumed iterations of a loop. DEEPEST_LOOP: nesting depth beyond which weights do not grow. */
enum { ITERATIONS = 8, DEEPEST_LOOP = 6 };

/* The sites of all registers, grouped by register. */
struct site_list {
	struct spill_site *site;
	uint32_t *inst;  /* by site */
	uint32_t *first; /* by register: its sites are site[first[reg]..first[reg + 1]) */
};

struct chooser {
	const struct ptx_function *function;
	const struct flow_cfg *cfg;
	struct ranges ranges;
	struct site_list sites;
	uint32_t limit, points;
	uint32_t *pressure;     /* by program point: live registers, in 32-bit registers */
	uint32_t *points_above; /* by program point: number of earlier points whose pressure is above the limit */
	uint64_t *cost;         /* by register: estimated executions of its loads and stores; 0: it cannot be spilled */
};

uint32_t spill_sites(const struct ptx_inst *inst, struct spill_site site[SPILL_MAX_SITES])
{
	uint32_t reads[PTX_MAX_IDS], writes[PTX_MAX_IDS], count = 0;
	uint32_t read_count = ptx_inst_reads(inst, reads), write_count = ptx_inst_writes(inst, writes);
	for (uint32_t i = 0; i < read_count + write_count; i++) {
		bool is_write = i >= read_count;
		uint32_t reg = is_write ? writes[i - read_count] : reads[i], at = 0;
		while (at < count && site[at].reg != reg)
			at++;
		if (at == count)
			site[count++] = (struct spill_site){.reg = reg};
		site[at].loads |= !is_write || inst->guard != PTX_NO_REG;
		site[at].stores |= is_write;
	}
	return count;
}

static void find_sites(struct arena *arena, const struct ptx_function *function, struct site_list *sites)
{
	struct spill_site site[SPILL_MAX_SITES];
	sites->first = arena_array(arena, (size_t)function->reg_count + 2, sizeof *sites->first);
	for (uint32_t i = 0; i < function->body_count; i++)
		for (uint32_t k = spill_sites(&function->body[i], site); k-- > 0;)
			sites->first[site[k].reg + 2]++;
	for (uint32_t reg = 0; reg < function->reg_count; reg++)
		sites->first[reg + 2] += sites->first[reg + 1];
	uint32_t total = sites->first[function->reg_count + 1];
	sites->site = arena_array(arena, total, sizeof *sites->site);
	sites->inst = arena_array(arena, total, sizeof *sites->inst);
	/* first[reg + 1] advances from the register's first position to the next register's. */
	for (uint32_t i = 0; i < function->body_count; i++)
		for (uint32_t k = spill_sites(&function->body[i], site); k-- > 0;) {
			uint32_t at = sites->first[site[k].reg + 1]++;
			sites->site[at] = site[k];
			sites->inst[at] = i;
		}
}

/* Returns, by block, the estimated executions per run of the function, from the loop nesting. */
static uint64_t *find_weights(struct arena *arena, const struct flow_cfg *cfg)
{
	struct flow_loop *loop;
	uint32_t loops = flow_loops(arena, cfg, flow_dominators(arena, cfg), &loop), words = cfg->blocks / 64 + 1;
	uint64_t *weight = arena_array(arena, cfg->blocks, sizeof *weight), most = 1;
	for (uint32_t i = 0; i < DEEPEST_LOOP; i++)
		most *= ITERATIONS;
	for (uint32_t block = 0; block < cfg->blocks; block++)
		weight[block] = 1;
	for (uint32_t i = 0; i < loops; i++)
		for (uint32_t block = 0; (block = set_next(loop[i].body, words, block)) != UINT32_MAX; block++)
			if (weight[block] < most)
				weight[block] *= ITERATIONS;
	return weight;
}

static uint32_t width_of(const struct chooser *chooser, uint32_t reg)
{
	return flow_register_width(chooser->function->regs[reg].type);
}

/* Predicates have a separate register file. */
static bool can_be_spilled(const struct chooser *chooser, uint32_t reg)
{
	return chooser->function->regs[reg].type != PTX_PRED && chooser->ranges.of[reg];
}

static void find_costs(struct arena *arena, struct chooser *chooser, uint32_t candidates)
{
	const struct site_list *sites = &chooser->sites;
	const uint64_t *weight = find_weights(arena, chooser->cfg);
	chooser->cost = arena_array(arena, candidates, sizeof *chooser->cost);
	for (uint32_t reg = 0; reg < candidates; reg++) {
		if (!can_be_spilled(chooser, reg))
			continue;
		for (uint32_t i = sites->first[reg]; i < sites->first[reg + 1]; i++) {
			uint32_t accesses = sites->site[i].loads + sites->site[i].stores;
			chooser->cost[reg] += accesses * weight[chooser->cfg->block_of[sites->inst[i]]];
		}
	}
}

/* Live across a call are the caller's registers and the larger of two numbers: the registers that the callee needs, and
 * the results that it returns in registers. */
static void add_calls(struct chooser *chooser, const uint32_t *callee_registers)
{
	uint32_t ids[FLOW_MAX_REGS];
	for (uint32_t i = 0; i < chooser->function->body_count; i++) {
		uint32_t results = 0,
			 count = callee_registers[i] ? ptx_inst_writes(&chooser->function->body[i], ids) : 0;
		for (uint32_t k = 0; k < count; k++)
			results += width_of(chooser, ids[k]);
		if (callee_registers[i] > results)
			chooser->pressure[2 * i + 1] += callee_registers[i] - results;
	}
}

static void find_pressure(struct arena *arena, struct chooser *chooser, const uint32_t *callee_registers)
{
	chooser->points = 2 * chooser->function->body_count;
	chooser->points_above = arena_array(arena, (size_t)chooser->points + 1, sizeof *chooser->points_above);
	chooser->pressure = arena_array(arena, (size_t)chooser->points + 1, sizeof *chooser->pressure);
	for (uint32_t reg = 0; reg < chooser->function->reg_count; reg++) {
		if (chooser->function->regs[reg].type == PTX_PRED)
			continue;
		for (const struct live_range *live = chooser->ranges.of[reg]; live; live = live->next)
			for (uint32_t point = live->range.begin; point < live->range.end; point++)
				chooser->pressure[point] += width_of(chooser, reg);
	}
	add_calls(chooser, callee_registers);
}

static bool is_above(const struct chooser *chooser, uint32_t point)
{
	return chooser->pressure[point] > chooser->limit;
}

/* Counts the program points above the limit. Returns false when there are none. */
static bool count_points_above(struct chooser *chooser)
{
	for (uint32_t point = 0; point < chooser->points; point++)
		chooser->points_above[point + 1] = chooser->points_above[point] + is_above(chooser, point);
	return chooser->points_above[chooser->points] > 0;
}

/* Returns the relief from spilling a register: the number of program points above the limit at which it is live, except
 * at its loads and stores, multiplied by its 32-bit registers. */
static uint64_t relief(const struct chooser *chooser, uint32_t reg)
{
	const struct site_list *sites = &chooser->sites;
	uint64_t lives = 0, stays = 0;
	for (const struct live_range *live = chooser->ranges.of[reg]; live; live = live->next)
		lives += chooser->points_above[live->range.end] - chooser->points_above[live->range.begin];
	for (uint32_t i = sites->first[reg]; i < sites->first[reg + 1]; i++) {
		stays += sites->site[i].loads && is_above(chooser, 2 * sites->inst[i]);
		stays += sites->site[i].stores && is_above(chooser, 2 * sites->inst[i] + 1);
	}
	return lives > stays ? (lives - stays) * width_of(chooser, reg) : 0;
}

static uint32_t find_best(const struct chooser *chooser, uint32_t candidates)
{
	uint32_t best = FLOW_NONE;
	uint64_t best_relief = 0;
	for (uint32_t reg = 0; reg < candidates; reg++) {
		uint64_t here = chooser->cost[reg] ? relief(chooser, reg) : 0;
		if (!here || (best != FLOW_NONE && here * chooser->cost[best] <= best_relief * chooser->cost[reg]))
			continue;
		best = reg;
		best_relief = here;
	}
	return best;
}

/* Spills the register: from now on it occupies a physical register only while an instruction uses it. */
static void move_to_memory(struct chooser *chooser, uint32_t reg)
{
	const struct site_list *sites = &chooser->sites;
	uint32_t width = width_of(chooser, reg);
	for (const struct live_range *live = chooser->ranges.of[reg]; live; live = live->next)
		for (uint32_t point = live->range.begin; point < live->range.end; point++)
			chooser->pressure[point] -= width;
	for (uint32_t i = sites->first[reg]; i < sites->first[reg + 1]; i++) {
		chooser->pressure[2 * sites->inst[i]] += sites->site[i].loads ? width : 0;
		chooser->pressure[2 * sites->inst[i] + 1] += sites->site[i].stores ? width : 0;
	}
	chooser->cost[reg] = 0;
}

const uint64_t *spill_choose(struct arena *arena, const struct ptx_function *function, uint32_t candidates,
                             uint32_t limit, const uint32_t *callee_registers)
{
	struct chooser chooser = {.function = function, .cfg = flow_cfg_build(arena, function), .limit = limit};
	uint64_t *set = arena_array(arena, candidates / 64 + 1, sizeof *set);
	bool any = false;
	ranges_find(arena, chooser.cfg, flow_liveness(arena, chooser.cfg), false, &chooser.ranges);
	find_sites(arena, function, &chooser.sites);
	find_costs(arena, &chooser, candidates);
	find_pressure(arena, &chooser, callee_registers);
	while (count_points_above(&chooser)) {
		uint32_t reg = find_best(&chooser, candidates);
		if (reg == FLOW_NONE)
			break;
		move_to_memory(&chooser, reg);
		set_add(set, reg);
		any = true;
	}
	return any ? set : NULL;
}
