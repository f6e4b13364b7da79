/* functions: what the device's mathematics promises: each function with its reference (MPFR's, or of reference.h), the ranges that it is measured in, its largest
 * error, and CUDA's documented one, which counts from the correctly rounded result and so may exceed ours by a half. */
#ifndef SLUICE_LIBDEVICE_FUNCTIONS_H
#define SLUICE_LIBDEVICE_FUNCTIONS_H

#include <mpfr.h>
#include <stdbool.h>

enum { RANGES = 4 };

struct range {
	double low, high;
};

struct function {
	const char *name, *part; /* `part` of its domain; NULL: all of it, special values too */
	float (*single)(float);
	double (*dual)(double); /* NULL, and dual2 too: there is none */
	int (*reference)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
	float (*single2)(float, float); /* of two arguments */
	double (*dual2)(double, double);
	int (*reference2)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
	double single_bound, dual_bound; /* of the error, in units of the last place */
	double cuda_single, cuda_dual;   /* NAN: none is documented */
	bool absolute;                   /* the bounds are of the absolute error */
	struct range ranges[RANGES], second;
};

/* Ends with one without a name. */
extern const struct function functions[];

#endif
