/* estimate: estimates a whole from its simulated part, with an error (docs/how-to/sampling.md has the formulas). */
#ifndef SLUICE_SAMPLING_ESTIMATE_H
#define SLUICE_SAMPLING_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* The fraction of intervals meant to contain the true value. */
#define ESTIMATE_CONFIDENCE 0.95

/* A sum of independent estimates; zero-initialize. */
struct estimate {
	double value;
	double variance; /* sum of the parts' squared standard errors */
	double fourth;   /* sum of their fourth powers, each divided by its degrees of freedom */
	bool unknown;    /* the error of at least one part is not known */
};

/* Adds an independent estimate: values and variances add up. */
void estimate_add(struct estimate *sum, const struct estimate *part);
/* Returns half the width of the ESTIMATE_CONFIDENCE interval; 0: nothing was estimated. Meaningless when `unknown` is
 * true. */
double estimate_error(const struct estimate *estimate);
/* Returns the two-sided quantile of Student's t for ESTIMATE_CONFIDENCE. `freedom` is at least 1. */
double estimate_student(double freedom);

/* One launch of a kind, in launch order. */
struct estimate_member {
	double work;   /* warp instructions, more than 0 */
	double value;  /* its cost, if it was simulated */
	bool simulated;
	double weight; /* out: number of launches that a simulated one represents, by work; else 0 */
};
/* Estimates the sum of the members' costs; at least one member is simulated. A member between two simulated ones costs,
 * per unit of work, the mean of both. A member before the first simulated one or after the last one costs, per unit of
 * work, what that one costs. The estimate is the sum of all weights times values. */
struct estimate estimate_members(struct estimate_member *member, size_t count);

/* A stretch of steady progress. */
struct estimate_batch {
	double work, cycles;
};
/* Estimates the cycles of `rest` more warp instructions at the batches' rate. With fewer than two batches the error is
 * unknown. */
struct estimate estimate_rest(const struct estimate_batch *batch, size_t count, double rest);

#endif
