/* axis: the range that a picture's bars stand in. It holds zero, so that a bar's length is its value; a bar that would make all others
 * short is cut off, and its number stands where it ends. */
#ifndef SLUICE_LAB_AXIS_H
#define SLUICE_LAB_AXIS_H

#include <stddef.h>

struct axis {
	double low, high, step; /* low <= 0 < high or low < 0 <= high; both multiples of step, at which the marks are */
};

/* For these values; what is not finite does not count. */
struct axis axis_of(const double *values, size_t count);
/* None is cut off: of lines. */
struct axis axis_of_all(const double *values, size_t count);

#endif
