/* analyses: how each result is computed, what it depends on, and when two are equal. */
#include "flow/analyses.h"

#include "flow/affine.h"
#include "flow/sets.h"

#include <string.h>

static const struct flow_cfg *cfg_of(struct flow_analyses *analyses)
{
	return analyses_get(analyses, ANALYSIS_CFG);
}

static void *find_cfg(struct arena *arena, struct flow_analyses *analyses)
{
	return flow_cfg_build(arena, analyses->function);
}

static void *find_dominators(struct arena *arena, struct flow_analyses *analyses)
{
	return flow_dominators(arena, cfg_of(analyses));
}

static void *find_post_dominators(struct arena *arena, struct flow_analyses *analyses)
{
	return flow_post_dominators(arena, cfg_of(analyses));
}

static void *find_loops(struct arena *arena, struct flow_analyses *analyses)
{
	struct analysis_loops *loops = arena_alloc(arena, sizeof *loops);
	loops->count = flow_loops(arena, cfg_of(analyses), analyses_get(analyses, ANALYSIS_DOMINATORS), &loops->loop);
	return loops;
}

static void *find_liveness(struct arena *arena, struct flow_analyses *analyses)
{
	return flow_liveness(arena, cfg_of(analyses));
}

static void *find_definitions(struct arena *arena, struct flow_analyses *analyses)
{
	return flow_definitions(arena, cfg_of(analyses));
}

static void *find_affine(struct arena *arena, struct flow_analyses *analyses)
{
	return affine_analyze(arena, analyses->function);
}

/* Compare two results for the same graph; same_cfg() compares the graphs themselves. */
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
	const struct analysis_loops *one = a, *other = b;
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
	void *(*find)(struct arena *arena, struct flow_analyses *analyses);
	bool (*same)(const struct flow_cfg *cfg, const void *a, const void *b); /* NULL: cannot be compared */
} rows[ANALYSES_COUNT] = {
	[ANALYSIS_CFG] = {"control flow", ANALYSES_NONE, find_cfg, same_cfg},
	[ANALYSIS_DOMINATORS] = {"dominators", ANALYSIS_SET(CFG), find_dominators, same_by_block},
	[ANALYSIS_POST_DOMINATORS] = {"post-dominators", ANALYSIS_SET(CFG), find_post_dominators, same_by_block},
	[ANALYSIS_LOOPS] = {"loops", ANALYSIS_SET(CFG) | ANALYSIS_SET(DOMINATORS), find_loops, same_loops},
	[ANALYSIS_LIVENESS] = {"liveness", ANALYSIS_SET(CFG), find_liveness, same_liveness},
	[ANALYSIS_DEFINITIONS] = {"reaching definitions", ANALYSIS_SET(CFG), find_definitions, same_definitions},
	[ANALYSIS_AFFINE] = {"affine forms", ANALYSES_NONE, find_affine, NULL},
};

const char *analysis_name(enum flow_analysis analysis)
{
	return rows[analysis].name;
}

const void *analyses_get(struct flow_analyses *analyses, enum flow_analysis analysis)
{
	if (!analyses->found[analysis])
		analyses->found[analysis] = rows[analysis].find(&analyses->arena[analysis], analyses);
	return analyses->found[analysis];
}

void analyses_drop(struct flow_analyses *analyses, unsigned set)
{
	for (uint32_t analysis = 0; analysis < ANALYSES_COUNT; analysis++) {
		if (!(set & (1u << analysis | rows[analysis].rests_on)))
			continue;
		arena_free(&analyses->arena[analysis]);
		analyses->found[analysis] = NULL;
	}
}

bool analyses_hold(const struct flow_analyses *analyses)
{
	struct flow_analyses now = {.function = analyses->function};
	bool hold = true;
	for (uint32_t analysis = 0; hold && analysis < ANALYSES_COUNT; analysis++) {
		if (!analyses->found[analysis])
			continue;
		const void *found = analyses_get(&now, analysis);
		hold = rows[analysis].same && rows[analysis].same(cfg_of(&now), analyses->found[analysis], found);
	}
	analyses_drop(&now, ANALYSES_ALL);
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
	struct flow_analyses *analyses = user;
	const struct analysis_loops *loops = analyses_get(analyses, ANALYSIS_LOOPS);
	print_number("dominated by", ((const uint32_t *)analyses_get(analyses, ANALYSIS_DOMINATORS))[block], file);
	print_number("post-dominated by", ((const uint32_t *)analyses_get(analyses, ANALYSIS_POST_DOMINATORS))[block],
	             file);
	for (uint32_t i = 0; i < loops->count; i++)
		if (loops->loop[i].header == block)
			fputs("header of a loop\\l", file);
	print_live(cfg_of(analyses), analyses_get(analyses, ANALYSIS_LIVENESS), block, file);
}

void analyses_print_dot(struct flow_analyses *analyses, FILE *file)
{
	flow_cfg_print_beside(cfg_of(analyses), print_beside, analyses, file);
}
