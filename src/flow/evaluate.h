/* evaluate: polynomials as affine forms with numbers, for a launch, inside flow. */
#ifndef SLUICE_FLOW_EVALUATE_H
#define SLUICE_FLOW_EVALUATE_H

#include "flow/symbolic.h"

__extension__ typedef __int128 wide; /* no sum of the few products here overflows it */

/* The variables: %ctaid.x, y, z, %tid.x, y, z, then the loops' counters. */
enum { EVAL_CTAID = 0, EVAL_TID = 3, EVAL_LOOPS = 6 };

struct eval_form {
	wide constant;
	wide *coef; /* by variable */
};

/* What is known where a block of the function runs. */
struct eval {
	struct arena *arena;
	const struct affine_state *state;
	const struct affine_launch *launch;
	uint32_t variables;
	uint32_t block;
	const bool *bounding;   /* by loop: being bounded further out, to stop circles; NULL: none */
	bool *tried, *known;    /* by variable: bounds looked for (loops: when first wanted), found */
	int64_t *low, *high;    /* by variable: now; high < low: the place is never reached */
	int64_t *first, *last;  /* by variable: up to now, which facts do not narrow */
	struct eval_form *fact; /* each is 0 or greater */
	uint32_t facts, fact_room;
	const char *why;       /* the last failure */
	const char *unbounded; /* the last failure to bound a loop */
};

/* `guards` hold at the block. */
void eval_open(struct eval *eval, struct arena *arena, const struct affine_state *state,
               const struct affine_launch *launch, uint32_t block, const struct sym_condition *guards,
               const bool *bounding);

/* The polynomial of `bits` bits as a form that is equal to it modulo 2^bits; false: eval->why. */
bool eval_poly(struct eval *eval, const struct sym_poly *poly, uint32_t bits, struct eval_form *form);
/* Whether the variable has bounds; a loop's are looked for when it is first asked. False: eval->why. */
bool eval_is_bounded(struct eval *eval, uint32_t variable);
/* Bounds of a form, by the variables' and, unless `plainly`, by the facts. False: a variable has no bounds. */
bool eval_range(struct eval *eval, const struct eval_form *form, bool plainly, wide *low, wide *high);
/* Whether the values are what their polynomials say. */
bool eval_proves(struct eval *eval, const struct sym_need *needs);
/* Whether the facts and bounds exclude that the place is reached. */
bool eval_is_unreachable(struct eval *eval);

#endif
