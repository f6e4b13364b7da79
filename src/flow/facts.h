/* facts: what is known of a function's code, found when somebody asks and kept until the code changes. */
#ifndef SLUICE_FLOW_FACTS_H
#define SLUICE_FLOW_FACTS_H

#include "flow/flow.h"

enum fact {
	FACT_CFG,             /* struct flow_cfg */
	FACT_DOMINATORS,      /* uint32_t by block, as of flow_dominators() */
	FACT_POST_DOMINATORS, /* the same of flow_post_dominators() */
	FACT_LOOPS,           /* struct fact_loops */
	FACT_LIVENESS,        /* struct flow_liveness */
	FACT_DEFINITIONS,     /* struct flow_definitions */
	FACT_AFFINE,          /* struct affine_kernel of flow/affine.h; never kept */
	FACTS
};

/* Sets of facts. */
#define FACT_SET(name) (1u << FACT_##name)
enum {
	NO_FACTS = 0,
	/* Those of which block leads to which: they stay when operands change, and instructions neither come nor go. */
	FACTS_OF_SHAPE = FACT_SET(CFG) | FACT_SET(DOMINATORS) | FACT_SET(POST_DOMINATORS) | FACT_SET(LOOPS),
	ALL_FACTS = (1u << FACTS) - 1,
};

struct fact_loops {
	struct flow_loop *loop;
	uint32_t count;
};

struct facts {
	const struct ptx_function *function;
	struct arena arena[FACTS]; /* of each fact alone */
	void *found[FACTS];        /* NULL: not yet */
};

/* The fact, with those that it rests on. Frees with facts_drop(facts, ALL_FACTS). */
const void *facts_get(struct facts *facts, enum fact fact);
/* Forgets those of a set, and what rests on them. */
void facts_drop(struct facts *facts, unsigned set);
/* Whether those that are there are what would be found now. */
bool facts_hold(const struct facts *facts);

const char *fact_name(enum fact fact);

/* The function's flow for Graphviz: beside each block its immediate dominator and post-dominator, the loop that it is the header
 * of, and the registers that live into it. */
void facts_print_dot(struct facts *facts, FILE *file);

#endif
