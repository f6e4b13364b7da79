#include "lab/axis.h"

#include "base/arena.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { STEPS = 6, FEW = 8 };

/* The largest value is cut if it exceeds the 90th percentile by this factor. */
static const double outlier = 2.5;

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Returns the extent of the axis on one side of zero, from the lengths of the bars there; 0 when there are none. */
static double reach(double *lengths, size_t count, bool cuts)
{
	if (!count)
		return 0;
	qsort(lengths, count, sizeof *lengths, by_size);
	double largest = lengths[count - 1], usual = lengths[(9 * count + 9) / 10 - 1];
	if (!cuts || count < FEW || largest <= outlier * usual)
		return largest;
	for (size_t i = count; i-- > 0;)
		if (lengths[i] <= outlier * usual)
			return lengths[i];
	return largest;
}

/* The smallest of 1, 2, 2.5 and 5 times a power of ten that gives at most STEPS steps. */
static double step_of(double span)
{
	static const double nice[] = {1, 2, 2.5, 5};
	double rough = span / STEPS, power = pow(10, floor(log10(rough)));
	for (size_t i = 0; i < sizeof nice / sizeof *nice; i++)
		if (nice[i] * power >= rough)
			return nice[i] * power;
	return 10 * power;
}

static struct axis make(const double *values, size_t count, bool cuts)
{
	double *up = base_calloc(2 * count + 1, sizeof *up), *down = up + count;
	size_t ups = 0, downs = 0;
	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]) && values[i] >= 0)
			up[ups++] = values[i];
		else if (isfinite(values[i]))
			down[downs++] = -values[i];
	double above = reach(up, ups, cuts), below = reach(down, downs, cuts);
	free(up);
	if (above + below == 0)
		return (struct axis){0, 1, 0.5};
	double step = step_of(above + below), slack = 1e-9; /* a value that equals a mark up to rounding is that mark */
	return (struct axis){-ceil(below / step - slack) * step, ceil(above / step - slack) * step, step};
}

struct axis axis_of(const double *values, size_t count)
{
	return make(values, count, true);
}

struct axis axis_of_all(const double *values, size_t count)
{
	return make(values, count, false);
}
