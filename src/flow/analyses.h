/* analyses: results of analyses about a function's code. They are computed on demand and cached until the code
 * changes. */
#ifndef SLUICE_FLOW_ANALYSES_H
#define SLUICE_FLOW_ANALYSES_H

#include "flow/flow.h"

enum flow_analysis {
	ANALYSIS_CFG,             /* struct flow_cfg */
	ANALYSIS_DOMINATORS,      /* uint32_t by block, as from flow_dominators() */
	ANALYSIS_POST_DOMINATORS, /* the same from flow_post_dominators() */
	ANALYSIS_LOOPS,           /* struct analysis_loops */
	ANALYSIS_LIVENESS,        /* struct flow_liveness */
	ANALYSIS_DEFINITIONS,     /* struct flow_definitions */
	ANALYSIS_AFFINE,          /* struct affine_kernel of flow/affine.h; a pass cannot list it in `keeps` */
	ANALYSES_COUNT
};

/* Sets of analyses. */
#define ANALYSIS_SET(name) (1u << ANALYSIS_##name)
enum {
	ANALYSES_NONE = 0,
	/* Analyses of which block leads to which. They stay valid when operands change but no instruction is
	 * inserted or removed. */
	ANALYSES_OF_SHAPE = ANALYSIS_SET(CFG) | ANALYSIS_SET(DOMINATORS) | ANALYSIS_SET(POST_DOMINATORS) | ANALYSIS_SET(LOOPS),
	ANALYSES_ALL = (1u << ANALYSES_COUNT) - 1,
};

struct analysis_loops {
	struct flow_loop *loop;
	uint32_t count;
};

struct flow_analyses {
	const struct ptx_function *function;
	struct arena arena[ANALYSES_COUNT]; /* one arena per analysis */
	void *found[ANALYSES_COUNT];        /* NULL: not computed yet */
};

/* Returns the result, and computes it and those that it depends on if needed. Free with analyses_drop(analyses,
 * ANALYSES_ALL). */
const void *analyses_get(struct flow_analyses *analyses, enum flow_analysis analysis);
/* Drops the results of a set, and all that depend on them. */
void analyses_drop(struct flow_analyses *analyses, unsigned set);
/* Returns true when the cached results equal those that would be computed now. */
bool analyses_hold(const struct flow_analyses *analyses);

const char *analysis_name(enum flow_analysis analysis);

/* Prints the function's flow for Graphviz. Each block shows its immediate dominator and post-dominator, the loop
 * whose header it is, and its live-in registers. */
void analyses_print_dot(struct flow_analyses *analyses, FILE *file);

#endif
