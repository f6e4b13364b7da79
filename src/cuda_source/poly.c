/* poly: sums of products of symbols with integer coefficients, sorted, without zero terms. */
#include "cuda_source/private.h"

#include <string.h>

static int compare(const struct monomial *a, const struct monomial *b)
{
	if (a->degree != b->degree)
		return a->degree < b->degree ? 1 : -1; /* the constant is last */
	for (uint32_t i = 0; i < a->degree; i++)
		if (a->symbol[i] != b->symbol[i])
			return a->symbol[i] < b->symbol[i] ? -1 : 1;
	return 0;
}

static const struct poly *keep_terms(struct arena *arena, const struct monomial *terms, uint32_t count)
{
	struct poly *poly = arena_alloc(arena, sizeof *poly + count * sizeof *terms);
	poly->count = count;
	if (count)
		memcpy(poly->terms, terms, count * sizeof *terms);
	return poly;
}

const struct poly *poly_constant(struct arena *arena, int64_t value)
{
	return keep_terms(arena, &(struct monomial){.coefficient = value}, value != 0);
}

const struct poly *poly_symbol(struct arena *arena, uint32_t symbol)
{
	if (symbol > UINT16_MAX)
		return NULL;
	return keep_terms(arena, &(struct monomial){.coefficient = 1, .degree = 1, .symbol = {(uint16_t)symbol}}, 1);
}

const struct poly *poly_add(struct arena *arena, const struct poly *a, const struct poly *b, int64_t times_b)
{
	struct monomial sum[2 * POLY_TERMS];
	uint32_t count = 0, i = 0, j = 0;
	if (!a || !b)
		return NULL;
	while (i < a->count || j < b->count) {
		int order = i == a->count ? 1 : j == b->count ? -1 : compare(&a->terms[i], &b->terms[j]);
		struct monomial *term = &sum[count];
		*term = order <= 0 ? a->terms[i] : b->terms[j];
		int64_t more = 0;
		if (order >= 0 && __builtin_mul_overflow(b->terms[j].coefficient, times_b, &more))
			return NULL;
		if (__builtin_add_overflow(order <= 0 ? a->terms[i].coefficient : 0, more, &term->coefficient))
			return NULL;
		i += order <= 0;
		j += order >= 0;
		count += term->coefficient != 0;
	}
	return count > POLY_TERMS ? NULL : keep_terms(arena, sum, count);
}

static bool multiply(const struct monomial *a, const struct monomial *b, struct monomial *product)
{
	if (a->degree + b->degree > POLY_DEGREE)
		return false;
	*product = (struct monomial){.degree = a->degree + b->degree};
	uint32_t i = 0, j = 0;
	for (uint32_t k = 0; k < product->degree; k++) {
		bool first = j == b->degree || (i < a->degree && a->symbol[i] <= b->symbol[j]);
		product->symbol[k] = first ? a->symbol[i++] : b->symbol[j++];
	}
	return !__builtin_mul_overflow(a->coefficient, b->coefficient, &product->coefficient);
}

const struct poly *poly_multiply(struct arena *arena, const struct poly *a, const struct poly *b)
{
	if (!a || !b)
		return NULL;
	const struct poly *sum = keep_terms(arena, NULL, 0);
	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t j = 0; j < b->count; j++) {
			struct monomial product;
			if (!multiply(&a->terms[i], &b->terms[j], &product))
				return NULL;
			sum = poly_add(arena, sum, keep_terms(arena, &product, 1), 1);
			if (!sum)
				return NULL;
		}
	return sum;
}

bool poly_equal(const struct poly *a, const struct poly *b)
{
	if (!a || !b || a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->terms[i].coefficient != b->terms[i].coefficient || compare(&a->terms[i], &b->terms[i]) != 0)
			return false;
	return true;
}

bool poly_is_constant(const struct poly *poly, int64_t *value)
{
	if (!poly || poly->count > 1 || (poly->count == 1 && poly->terms[0].degree > 0))
		return false;
	*value = poly->count ? poly->terms[0].coefficient : 0;
	return true;
}

bool poly_has(const struct poly *poly, uint32_t symbol)
{
	for (uint32_t i = 0; i < poly->count; i++)
		for (uint32_t k = 0; k < poly->terms[i].degree; k++)
			if (poly->terms[i].symbol[k] == symbol)
				return true;
	return false;
}
