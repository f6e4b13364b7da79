/* axis: the range and the marks of a picture's axis for bars. The range contains zero, so that a bar's length is its
 * value. A bar so long that it would make all others short is cut off, with its number at the cut end. */
#ifndef SLUICE_LAB_AXIS_H
#define SLUICE_LAB_AXIS_H

#include <stddef.h>

struct axis {
	/* low <= 0 < high or low < 0 <= high; both are multiples of step, the distance of the marks */
	double low, high, step;
};

/* Returns the axis for these values; non-finite values are ignored. May cut long bars off. */
struct axis axis_of(const double *values, size_t count);
/* As axis_of(), but cuts nothing off: for lines. */
struct axis axis_of_all(const double *values, size_t count);

#endif
