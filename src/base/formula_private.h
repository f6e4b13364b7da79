/* formula_private: what the parser of formulas and their evaluation have in common. */
#ifndef SLUICE_BASE_FORMULA_PRIVATE_H
#define SLUICE_BASE_FORMULA_PRIVATE_H

#include "base/formula.h"

struct formula {
	char operation; /* + - * /, 'n' a number, 'v' a name */
	double number;
	const char *name;
	unsigned needs;    /* sources of a name's values */
	bool largest;      /* maximum over all launches, else the sum */
	bool empty_shares; /* for a division: 0 / 0 is 0 */
	/* selected value of a mechanism's vector, or of a counter's values by unit; SCALAR: of neither */
	enum { SCALAR, ELEMENT, SUM, MEAN, MEDIAN, LEAST, MOST } of;
	const char *element, *vector; /* label or number of the element; "NAME[]" of a vector, else NULL */
	const struct formula *left, *right;
};

/* Statistics of a launch other than counters. */
struct statistic {
	const char *name;
	bool largest;           /* else the sum */
	const char *key, *dims; /* its key in a kernel; or the key whose three numbers are multiplied */
	bool of_code;           /* it follows from the compiled program and its inputs, whatever the machine */
	bool of_session;        /* kernels that run together share it: their session has it */
};

/* The statistic of this name, or NULL: it is a counter. */
const struct statistic *formula_statistic(const char *name);

#endif
