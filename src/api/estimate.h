/* estimate: what a part that was simulated says of the whole, and how far that may be off (docs/how-to/sampling.md has the formulas). */
#ifndef SLUICE_API_ESTIMATE_H
#define SLUICE_API_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* The share of intervals that is meant to hold the true value. */
#define ESTIMATE_CONFIDENCE 0.95

/* A sum of independent estimates; zero-initialise. */
struct estimate {
	double value;
	double variance; /* squares of the parts' standard errors, together */
	double fourth;   /* their fourth powers, each by its degrees of freedom */
	bool unknown;    /* of some part nothing says how far it is off */
};

void estimate_add(struct estimate *sum, const struct estimate *part);
/* Half the width of the interval of ESTIMATE_CONFIDENCE; 0: nothing was estimated. Has no meaning where `unknown`. */
double estimate_error(const struct estimate *estimate);
/* Student's t for that confidence, both sides; freedom at least 1. */
double estimate_student(double freedom);

/* Launches of one kind, in their order. */
struct estimate_member {
	double work;   /* warp instructions, more than 0 */
	double value;  /* what it cost, where it was simulated */
	bool simulated;
	double weight; /* out: of a simulated one, how many of its kind its figures stand for, by work; else 0 */
};
/* Those between two that were simulated cost, by work, the mean of both; those behind the last one what it did. At least one is simulated.
 * The sum over all weights times values is the estimate. */
struct estimate estimate_members(struct estimate_member *member, size_t count);

/* Stretches of steady progress, and what is left to do. */
struct estimate_batch {
	double work, cycles;
};
/* The cycles of `rest` further warp instructions at these stretches' rate; fewer than two: its error is not known. */
struct estimate estimate_rest(const struct estimate_batch *batch, size_t count, double rest);

#endif
