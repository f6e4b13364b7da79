/* vector: the values of a base_counter_vector, of one unit or summed over units and launches. */
#ifndef SLUICE_BASE_VECTOR_H
#define SLUICE_BASE_VECTOR_H

#include "base/table.h"

struct vector {
	uint32_t length;
	uint64_t *value; /* by index */
	uint64_t sum;    /* of a histogram: sum of the values entered */
	char **label;    /* by index, if elements have their own names in each launch; or NULL */
};

/* vector_bin: the bin of a value in a histogram of `length` bins. vector_bin_from: the minimum value of a bin. */
uint32_t vector_bin(const struct base_counter_vector *row, uint32_t length, uint64_t value);
uint64_t vector_bin_from(const struct base_counter_vector *row, uint32_t bin);

/* Makes a vector of zeros, without labels. */
struct vector vector_new(uint32_t length);
void vector_free(struct vector *vector);

/* Combines `from` with `sum`, which may be all zero: by index, or by name if elements have their own names. */
void vector_add(const struct base_counter_vector *row, struct vector *sum, const struct vector *from);

/* The sum of the elements. */
uint64_t vector_total(const struct vector *vector);
/* For a histogram, the mean of the values entered; else of the elements. 0 when there are none. */
double vector_mean(const struct base_counter_vector *row, const struct vector *vector);

/* The median of values of which `count[i]` lie in bin i, from `from[i]` to below the next bin's minimum. They are
 * assumed to be evenly spread there, from the minimum to the maximum. In the last bin, which has no maximum, it is
 * the minimum. NAN without values. */
double vector_median(const uint64_t *count, const uint64_t *from, size_t bins);

/* Writes the name of an element: its label, the values of its bin ("4 to 7", "128 and more"), or its number. */
enum { VECTOR_LABEL = 64 };
void vector_label(const struct base_counter_vector *row, const struct vector *vector, uint32_t index,
                  char label[VECTOR_LABEL]);

#endif
