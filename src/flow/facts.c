/* facts: how each fact is computed, what it depends on, and when two are equal. */
#include "flow/facts.h"

#include "flow/affine.h"
#include "flow/sets.h"

#include <string.h>

static const struct flow_cfg *cfg_of(struct flow_facts *facts)
{
	return facts_get(facts, FACT_CFG);
}

static void *find_cfg(struct arena *arena, struct flow_facts *facts)
{
	return flow_cfg_build(arena, facts->function);
}

static void *find_dominators(struct arena *arena, struct flow_facts *facts)
{
	return flow_dominators(arena, cfg_of(facts));
}

static void *find_post_dominators(struct arena *arena, struct flow_facts *facts)
{
	return flow_post_dominators(arena, cfg_of(facts));
}

static void *find_loops(struct arena *arena, struct flow_facts *facts)
{
	struct fact_loops *loops = arena_alloc(arena, sizeof *loops);
	loops->count = flow_loops(arena, cfg_of(facts), facts_get(facts, FACT_DOMINATORS), &loops->loop);
	return loops;
}

static void *find_liveness(struct arena *arena, struct flow_facts *facts)
{
	return flow_liveness(arena, cfg_of(facts));
}

static void *find_definitions(struct arena *arena, struct flow_facts *facts)
{
	return flow_definitions(arena, cfg_of(facts));
}

static void *find_affine(struct arena *arena, struct flow_facts *facts)
{
	return affine_analyze(arena, facts->function);
}

/* Compare two facts of the same graph; same_cfg() compares the graphs themselves. */
static bool same_cfg(const struct flow_cfg *cfg, const void *a, const void *b)
{
	const struct flow_cfg *one = a, *other = b;
	(void)cfg;
	if (one->blocks != other->blocks)
		return false;
	for (uint32_t i = 0; i < one->blocks; i++) {
		const struct flow_block *x = &one->block[i], *y = &other->block[i];
		if (x->first != y->first || x->count != y->count || x->successors != y->successors ||
		    memcmp(x->successor, y->successor, x->successors * sizeof *x->successor) != 0)
			return false;
	}
	return true;
}

static bool same_by_block(const struct flow_cfg *cfg, const void *a, const void *b)
{
	return memcmp(a, b, cfg->blocks * sizeof(uint32_t)) == 0;
}

static bool same_loops(const struct flow_cfg *cfg, const void *a, const void *b)
{
	const struct fact_loops *one = a, *other = b;
	bool same = one->count == other->count;
	for (uint32_t i = 0; same && i < one->count; i++)
		same = one->loop[i].header == other->loop[i].header &&
		       memcmp(one->loop[i].body, other->loop[i].body, (cfg->blocks / 64 + 1) * sizeof(uint64_t)) == 0;
	return same;
}

static bool same_liveness(const struct flow_cfg *cfg, const void *a, const void *b)
{
	const struct flow_liveness *one = a, *other = b;
	size_t bytes = (size_t)one->words * cfg->blocks * sizeof(uint64_t);
	return one->words == other->words && memcmp(one->in, other->in, bytes) == 0 &&
	       memcmp(one->out, other->out, bytes) == 0;
}

static bool same_definitions(const struct flow_cfg *cfg, const void *a, const void *b)
{
	const struct flow_definitions *one = a, *other = b;
	return one->count == other->count && memcmp(one->inst, other->inst, one->count * sizeof *one->inst) == 0 &&
	       memcmp(one->next, other->next, one->count * sizeof *one->next) == 0 &&
	       memcmp(one->first_of, other->first_of, cfg->function->reg_count * sizeof *one->first_of) == 0 &&
	       memcmp(one->in, other->in, (size_t)one->words * cfg->blocks * sizeof *one->in) == 0;
}

static const struct {
	const char *name;
	unsigned rests_on; /* directly or indirectly */
	void *(*find)(struct arena *arena, struct flow_facts *facts);
	bool (*same)(const struct flow_cfg *cfg, const void *a, const void *b); /* NULL: cannot be compared */
} rows[FACTS_COUNT] = {
	[FACT_CFG] = {"control flow", FACTS_NONE, find_cfg, same_cfg},
	[FACT_DOMINATORS] = {"dominators", FACT_SET(CFG), find_dominators, same_by_block},
	[FACT_POST_DOMINATORS] = {"post-dominators", FACT_SET(CFG), find_post_dominators, same_by_block},
	[FACT_LOOPS] = {"loops", FACT_SET(CFG) | FACT_SET(DOMINATORS), find_loops, same_loops},
	[FACT_LIVENESS] = {"liveness", FACT_SET(CFG), find_liveness, same_liveness},
	[FACT_DEFINITIONS] = {"reaching definitions", FACT_SET(CFG), find_definitions, same_definitions},
	[FACT_AFFINE] = {"affine forms", FACTS_NONE, find_affine, NULL},
};

const char *fact_name(enum flow_fact fact)
{
	return rows[fact].name;
}

const void *facts_get(struct flow_facts *facts, enum flow_fact fact)
{
	if (!facts->found[fact])
		facts->found[fact] = rows[fact].find(&facts->arena[fact], facts);
	return facts->found[fact];
}

void facts_drop(struct flow_facts *facts, unsigned set)
{
	for (uint32_t fact = 0; fact < FACTS_COUNT; fact++) {
		if (!(set & (1u << fact | rows[fact].rests_on)))
			continue;
		arena_free(&facts->arena[fact]);
		facts->found[fact] = NULL;
	}
}

bool facts_hold(const struct flow_facts *facts)
{
	struct flow_facts now = {.function = facts->function};
	bool hold = true;
	for (uint32_t fact = 0; hold && fact < FACTS_COUNT; fact++) {
		if (!facts->found[fact])
			continue;
		const void *found = facts_get(&now, fact);
		hold = rows[fact].same && rows[fact].same(cfg_of(&now), facts->found[fact], found);
	}
	facts_drop(&now, FACTS_ALL);
	return hold;
}

static void print_number(const char *what, uint32_t block, FILE *file)
{
	if (block != FLOW_NONE)
		fprintf(file, "%s %u\\l", what, block);
}

static void print_live(const struct flow_cfg *cfg, const struct flow_liveness *live, uint32_t block, FILE *file)
{
	const uint64_t *set = live->in + (size_t)block * live->words;
	const char *before = "live in";
	for (uint32_t reg = 0; (reg = set_next(set, live->words, reg)) != UINT32_MAX; reg++) {
		fprintf(file, "%s %s", before, cfg->function->regs[reg].name);
		before = "";
	}
	if (!*before)
		fputs("\\l", file);
}

static void print_beside(void *user, uint32_t block, FILE *file)
{
	struct flow_facts *facts = user;
	const struct fact_loops *loops = facts_get(facts, FACT_LOOPS);
	print_number("dominated by", ((const uint32_t *)facts_get(facts, FACT_DOMINATORS))[block], file);
	print_number("post-dominated by", ((const uint32_t *)facts_get(facts, FACT_POST_DOMINATORS))[block], file);
	for (uint32_t i = 0; i < loops->count; i++)
		if (loops->loop[i].header == block)
			fputs("header of a loop\\l", file);
	print_live(cfg_of(facts), facts_get(facts, FACT_LIVENESS), block, file);
}

void facts_print_dot(struct flow_facts *facts, FILE *file)
{
	flow_cfg_print_beside(cfg_of(facts), print_beside, facts, file);
}
