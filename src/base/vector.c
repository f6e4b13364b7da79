#include "base/vector.h"

#include "base/arena.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t vector_bin(const struct base_counter_vector *row, uint32_t length, uint64_t value)
{
	uint64_t bin = row->kind == BASE_VECTOR_LINEAR ? value / row->bin
	               : value                         ? 64 - (uint64_t)__builtin_clzll(value)
	                                               : 0;
	return bin < length ? (uint32_t)bin : length - 1;
}

uint64_t vector_bin_from(const struct base_counter_vector *row, uint32_t bin)
{
	if (row->kind == BASE_VECTOR_LINEAR)
		return (uint64_t)bin * row->bin;
	return bin ? 1ull << (bin - 1) : 0;
}

struct vector vector_new(uint32_t length)
{
	return (struct vector){.length = length, .value = base_calloc(length + 1, sizeof(uint64_t))};
}

void vector_free(struct vector *vector)
{
	for (uint32_t i = 0; vector->label && i < vector->length; i++)
		free(vector->label[i]);
	free(vector->label);
	free(vector->value);
	*vector = (struct vector){0};
}

/* Appends one element of value 0. */
static uint32_t append(struct vector *vector, const char *label)
{
	uint32_t index = vector->length++;
	vector->value = base_realloc(vector->value, vector->length * sizeof *vector->value);
	vector->label = base_realloc(vector->label, vector->length * sizeof *vector->label);
	vector->value[index] = 0;
	vector->label[index] = base_strdup(label);
	return index;
}

static uint32_t find_or_append(struct vector *vector, const char *label)
{
	for (uint32_t i = 0; i < vector->length; i++)
		if (strcmp(vector->label[i], label) == 0)
			return i;
	return append(vector, label);
}

static uint64_t combined(const struct base_counter_vector *row, uint64_t one, uint64_t other)
{
	if (row->combination == BASE_COMBINE_SUM)
		return one + other;
	return one > other ? one : other;
}

void vector_add(const struct base_counter_vector *row, struct vector *sum, const struct vector *from)
{
	if (!sum->value && !from->label)
		*sum = vector_new(from->length);
	for (uint32_t i = 0; i < from->length; i++) {
		uint32_t at = from->label ? find_or_append(sum, from->label[i]) : i;
		sum->value[at] = combined(row, sum->value[at], from->value[i]);
	}
	sum->sum += from->sum;
}

uint64_t vector_total(const struct vector *vector)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < vector->length; i++)
		total += vector->value[i];
	return total;
}

double vector_mean(const struct base_counter_vector *row, const struct vector *vector)
{
	uint64_t total = vector_total(vector);
	if (row->kind != BASE_VECTOR_COUNTERS)
		return total ? (double)vector->sum / (double)total : 0;
	return vector->length ? (double)total / vector->length : 0;
}

double vector_median(const uint64_t *count, const uint64_t *from, size_t bins)
{
	uint64_t below = 0, total = 0;
	for (size_t i = 0; i < bins; i++)
		total += count[i];
	double half = (double)total / 2;
	for (size_t i = 0; i < bins; below += count[i++]) {
		if (!count[i] || (double)(below + count[i]) < half)
			continue;
		double wide = i + 1 < bins ? (double)(from[i + 1] - 1 - from[i]) : 0;
		return (double)from[i] + wide * (half - (double)below) / (double)count[i];
	}
	return NAN;
}

static void label_bin(const struct base_counter_vector *row, uint32_t length, uint32_t bin, char label[VECTOR_LABEL])
{
	uint64_t from = vector_bin_from(row, bin), next = bin + 1 < length ? vector_bin_from(row, bin + 1) : 0;
	if (!next)
		snprintf(label, VECTOR_LABEL, "%" PRIu64 " and more", from);
	else if (next == from + 1)
		snprintf(label, VECTOR_LABEL, "%" PRIu64, from);
	else
		snprintf(label, VECTOR_LABEL, "%" PRIu64 " to %" PRIu64, from, next - 1);
}

void vector_label(const struct base_counter_vector *row, const struct vector *vector, uint32_t index,
                  char label[VECTOR_LABEL])
{
	if (row->kind != BASE_VECTOR_COUNTERS)
		label_bin(row, vector->length, index, label);
	else if (vector->label || row->labels)
		snprintf(label, VECTOR_LABEL, "%s", vector->label ? vector->label[index] : row->labels[index]);
	else
		snprintf(label, VECTOR_LABEL, "%" PRIu32, index);
}
