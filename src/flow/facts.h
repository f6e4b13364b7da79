/* facts: analysis results about a function's code. They are computed on demand and cached until the code changes. */
#ifndef SLUICE_FLOW_FACTS_H
#define SLUICE_FLOW_FACTS_H

#include "flow/flow.h"

enum flow_fact {
	FACT_CFG,             /* struct flow_cfg */
	FACT_DOMINATORS,      /* uint32_t by block, as from flow_dominators() */
	FACT_POST_DOMINATORS, /* the same from flow_post_dominators() */
	FACT_LOOPS,           /* struct fact_loops */
	FACT_LIVENESS,        /* struct flow_liveness */
	FACT_DEFINITIONS,     /* struct flow_definitions */
	FACT_AFFINE,          /* struct affine_kernel of flow/affine.h; a pass cannot list it in `keeps` */
	FACTS_COUNT
};

/* Sets of facts. */
#define FACT_SET(name) (1u << FACT_##name)
enum {
	FACTS_NONE = 0,
	/* Facts about which block leads to which. They stay valid when operands change but no instruction is
	 * inserted or removed. */
	FACTS_OF_SHAPE = FACT_SET(CFG) | FACT_SET(DOMINATORS) | FACT_SET(POST_DOMINATORS) | FACT_SET(LOOPS),
	FACTS_ALL = (1u << FACTS_COUNT) - 1,
};

struct fact_loops {
	struct flow_loop *loop;
	uint32_t count;
};

struct flow_facts {
	const struct ptx_function *function;
	struct arena arena[FACTS_COUNT]; /* one arena per fact */
	void *found[FACTS_COUNT];        /* NULL: not computed yet */
};

/* Returns the fact, and computes it and the facts that it depends on if needed. Free with facts_drop(facts,
 * FACTS_ALL). */
const void *facts_get(struct flow_facts *facts, enum flow_fact fact);
/* Drops the facts of a set, and all that depend on them. */
void facts_drop(struct flow_facts *facts, unsigned set);
/* Returns true when the cached facts equal those that would be computed now. */
bool facts_hold(const struct flow_facts *facts);

const char *fact_name(enum flow_fact fact);

/* Prints the function's flow for Graphviz. Each block shows its immediate dominator and post-dominator, the loop
 * whose header it is, and its live-in registers. */
void facts_print_dot(struct flow_facts *facts, FILE *file);

#endif
