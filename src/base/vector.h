/* vector: the values of a counter_vector: of one unit, or summed over units and launches. */
#ifndef SLUICE_BASE_VECTOR_H
#define SLUICE_BASE_VECTOR_H

#include "base/table.h"

struct vector {
	uint32_t length;
	uint64_t *value; /* by index */
	uint64_t sum;    /* of a histogram: of the values that it has sorted */
	char **label;    /* by index, where elements have names of their own in each launch; or NULL */
};

/* The bin of a histogram of so many bins that a value belongs to; and a bin's least value. */
uint32_t vector_bin(const struct counter_vector *row, uint32_t length, uint64_t value);
uint64_t vector_bin_from(const struct counter_vector *row, uint32_t bin);

/* Elements, all zero, without labels. */
struct vector vector_new(uint32_t length);
void vector_free(struct vector *vector);

/* Combines `from` with `sum`, which may be all zero: by index; where elements have names of their own, by name. */
void vector_add(const struct counter_vector *row, struct vector *sum, const struct vector *from);

/* The sum of the elements. */
uint64_t vector_total(const struct vector *vector);
/* Of a histogram, of the values sorted; else of the elements. 0 where there is none. */
double vector_mean(const struct counter_vector *row, const struct vector *vector);

/* The median of values of which `count[i]` lie in bin i, from `from[i]` to below the next bin's: as if they lay evenly there, from the least
 * to the greatest. The last bin has no greatest; there it is the least. NAN without values. */
double vector_median(const uint64_t *count, const uint64_t *from, size_t bins);

/* What an element is called: by its label, a bin by its values ("4 to 7", "128 and more"), or by its number. */
enum { VECTOR_LABEL = 64 };
void vector_label(const struct counter_vector *row, const struct vector *vector, uint32_t index,
                  char label[VECTOR_LABEL]);

#endif
