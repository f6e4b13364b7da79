/* functions: the accuracy guarantees of the device's mathematics. Each function has its reference (from MPFR or
 * reference.h), the ranges of its measurement, its error bound, and CUDA's documented bound. CUDA's errors are relative
 * to the correctly rounded result, so they may differ from ours by half a unit. */
#ifndef SLUICE_LIBDEVICE_FUNCTIONS_H
#define SLUICE_LIBDEVICE_FUNCTIONS_H

#include <mpfr.h>
#include <stdbool.h>

enum { RANGES = 4 };

struct range {
	double low, high;
};

struct function {
	const char *name, *part; /* `part` of its domain; NULL: the whole domain with special values */
	float (*single)(float);
	double (*dual)(double); /* dual and dual2 are NULL: no such function */
	int (*reference)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
	float (*single2)(float, float); /* of two arguments */
	double (*dual2)(double, double);
	int (*reference2)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
	double single_bound, dual_bound; /* error bounds, in units of the last place */
	double cuda_single, cuda_dual;   /* NAN: none is documented */
	bool absolute;                   /* the bounds are of the absolute error */
	struct range ranges[RANGES], second;
};

/* The last entry has a NULL name. */
extern const struct function functions[];

#endif
