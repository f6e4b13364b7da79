/* evaluate: evaluates polynomials for a launch, as affine forms with numeric coefficients. Internal to flow. */
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

/* Everything known where a block of the function runs. */
struct eval {
	struct arena *arena;
	const struct affine_state *state;
	const struct affine_launch *launch;
	uint32_t variables;
	uint32_t block;
	/* by loop: its bounds are being computed by a caller, which prevents cycles; NULL: none */
	const bool *bounding;
	bool *tried, *known;    /* by variable: bounds were computed (for loops on first use); bounds were found */
	int64_t *low, *high;    /* by variable: current bounds; high < low: the location is never reached */
	int64_t *first, *last;  /* by variable: bounds up to now, not narrowed by facts */
	struct eval_form *fact; /* each form is 0 or greater */
	uint32_t facts, fact_room;
	const char *why;       /* the last failure */
	const char *unbounded; /* the last failure to bound a loop */
};

/* Opens an evaluation. `guards` hold at the block. */
void eval_open(struct eval *eval, struct arena *arena, const struct affine_state *state,
               const struct affine_launch *launch, uint32_t block, const struct sym_condition *guards,
               const bool *bounding);

/* Converts the polynomial of `bits` bits to a form that equals it modulo 2^bits. Returns false on failure:
 * eval->why. */
bool eval_poly(struct eval *eval, const struct sym_poly *poly, uint32_t bits, struct eval_form *form);
/* Returns true when the variable has bounds; bounds of a loop are computed on first use. Returns false otherwise:
 * eval->why. */
bool eval_is_bounded(struct eval *eval, uint32_t variable);
/* Computes bounds of a form from the variables' bounds and, unless `plainly`, from the facts. Returns false when a
 * variable has no bounds. */
bool eval_range(struct eval *eval, const struct eval_form *form, bool plainly, wide *low, wide *high);
/* Returns true when the values are proven to equal their polynomials. */
bool eval_proves(struct eval *eval, const struct sym_need *needs);
/* Returns true when facts and bounds prove that the location is never reached. */
bool eval_is_unreachable(struct eval *eval);

#endif
