/* matrix_sums: a model in plain C of one element of a matrix product. */
#ifndef SLUICE_TESTS_MATRIX_SUMS_H
#define SLUICE_TESTS_MATRIX_SUMS_H

#include "row_numbers.h"

#include <math.h>

enum { SIDE = 64 /* more elements than any line has */ };

/* One instruction. */
struct product {
	const char *op, *shape;
	unsigned m, n, k;
	struct row_type d, a, b, c; /* parts: 1 */
	bool a_col, b_col, clamps, is_xor;
	int rounding; /* of double precision: a constant of fenv.h */
	char words[128];
};

static inline bool is(const struct product *p, const char *shape)
{
	return strcmp(p->shape, shape) == 0;
}

/* --- a plain product --- */

static inline double value_of(struct row_type type, uint64_t bits)
{
	if (type.bits == 64)
		return bits_double(bits);
	if (strcmp(type.name, "tf32") == 0)
		return bits_float((uint32_t)bits & ~0x1fffu);
	if (type.bits == 32 && type.kind == 'f')
		return bits_float((uint32_t)bits);
	if (type.kind == 'e') { /* sign, exponent, mantissa of a byte */
		int wide = strcmp(type.name, "e5m2") == 0, mantissa = wide ? 2 : 3, bias = wide ? 15 : 7;
		int exponent = (int)(bits >> mantissa & (wide ? 31 : 15)),
		    fraction = (int)(bits & (uint64_t)(wide ? 3 : 7));
		double sign = bits & 0x80 ? -1 : 1;
		if (wide && exponent == 31)
			return fraction ? NAN : sign * INFINITY;
		if (!wide && exponent == 15 && fraction == 7)
			return NAN;
		return sign * (exponent ? ldexp(1 + ldexp(fraction, -mantissa), exponent - bias)
		                        : ldexp(fraction, 1 - bias - mantissa));
	}
	if (type.kind == 'h' || type.kind == 'o')
		return small_number(type, (unsigned)bits);
	if (type.kind == 's')
		return (double)((int64_t)(bits << (64 - type.bits)) >> (64 - type.bits));
	return (double)bits;
}

/* sum + x y. A NaN of y counts first, then the sum's. */
static inline double double_step(double x, double y, double sum)
{
	const double operand[] = {y, sum, x};
	volatile double a = x, b = y, c = sum; /* between the two changes of the rounding mode */
	double result = fma(a, b, c);
	for (unsigned k = 0; isnan(result) && k < 3; k++)
		if (isnan(operand[k]))
			return bits_double(double_bits(operand[k]) | (uint64_t)1 << 51);
	return isnan(result) ? bits_double(0xfff8000000000000) : result;
}

/* A term's exponent before its digits are looked at: that of the smallest normal number for a smaller one. The sum does
 * not depend on that of an infinity or a NaN. */
static inline int nominal(struct row_type type, double value)
{
	int least = type.bits == 8 || type.kind == 'h' ? -14 : -126;
	return value == 0 || !isfinite(value) || ilogb(value) < least ? least : ilogb(value);
}

/* Sums of an H100's tensor core: x[i] y[i] and c, cut off 25 bits below the largest exponent. */
static inline double tensor_sum(const struct product *p, const double *x, const double *y, unsigned count, double c,
                         struct row_type c_type)
{
	double sum = c;
	bool negative = signbit(c), zero = c == 0;
	int top = c == 0 ? -1000 : nominal(c_type, c);
	for (unsigned i = 0; i < count; i++) {
		int exponent = nominal(p->a, x[i]) + nominal(p->b, y[i]);
		negative &= !signbit(x[i]) != !signbit(y[i]);
		zero &= x[i] == 0 || y[i] == 0;
		top = x[i] * y[i] != 0 && exponent > top ? exponent : top;
		sum += x[i] * y[i];
	}
	if (!isfinite(sum) || zero)
		return zero && negative ? -0.0 : sum == 0 ? 0 : sum;
	sum = trunc(ldexp(c, 25 - top));
	for (unsigned i = 0; i < count; i++)
		sum += trunc(ldexp(x[i] * y[i], 25 - top));
	sum = ldexp(sum, top - 25);
	if (c_type.bits == 16) {
		double rounded = small_number(c_type, to_small(c_type, (quad)sum, signbit(sum), "rn"));
		return rounded == 0 ? 0 : rounded;
	}
	fesetround(FE_TOWARDZERO);
	volatile float single = (float)sum;
	fesetround(FE_TONEAREST);
	if (fabs(sum) >= 0x1p128)
		return sum < 0 ? -INFINITY : INFINITY;
	return single == 0 ? 0 : single;
}

/* A row of A and a column of B, and c: in steps of 16 products, or 4 with wmma's tf32; of bytes those with k mod 4 = 0
 * or 1 first, and c at last. Volta's products are fused. */
static inline double tensor_product(const struct product *p, const double *x, const double *y, double c)
{
	static const struct row_type single = {"f32", 32, 'f', 1};
	bool is_byte = p->a.bits == 8, to_half = p->d.bits == 16 && p->c.bits == 16;
	struct row_type type = to_half ? p->d : single;
	double sum = is_byte ? 0 : c, part_x[16], part_y[16];
	unsigned most = p->op[0] == 'w' && p->a.bits == 32 ? 4 : 16;
	if (strcmp(p->shape, "m8n8k4") == 0) {
		float chain = to_half ? (float)c : 0;
		for (unsigned i = 0; i < 4; i++)
			chain = fmaf((float)x[i], (float)y[i], chain);
		return to_half ? chain : chain + (float)c;
	}
	for (unsigned part = 0; part < (is_byte ? 2 : 1); part++)
		for (unsigned i = 0, count = 0; i < p->k; i++) {
			if (is_byte && i % 4 / 2 != part)
				continue;
			part_x[count] = x[i];
			part_y[count++] = y[i];
			if (count == most || count == p->k / (is_byte ? 2 : 1)) {
				sum = tensor_sum(p, part_x, part_y, count, sum, type);
				count = 0;
			}
		}
	return is_byte ? (float)sum + (float)c : sum;
}

/* The bits of D's element, from a row of A and a column of B. */
static inline uint64_t dot(const struct product *p, const uint64_t *a, const uint64_t *b, uint64_t c, unsigned row,
                    unsigned column)
{
	double exact = value_of(p->c, c);
	double first = exact, xs[SIDE], ys[SIDE];
	int64_t whole = (int32_t)c;
	for (unsigned i = 0; i < p->k; i++) {
		uint64_t left = a[row * p->k + i], right = b[i * p->n + column];
		double x = value_of(p->a, left), y = value_of(p->b, right);
		if (p->a.bits == 1)
			whole += p->is_xor ? left != right : left && right;
		else if (p->d.kind == 's')
			whole += (int64_t)x * (int64_t)y;
		if (p->d.bits == 64)
			fesetround(p->rounding);
		exact = double_step(x, y, exact);
		fesetround(FE_TONEAREST);
		if (p->d.kind != 's') {
			xs[i] = x;
			ys[i] = y;
		}
	}
	if (p->d.kind == 's')
		return (uint32_t)(p->clamps && whole > INT32_MAX   ? INT32_MAX
		                  : p->clamps && whole < INT32_MIN ? INT32_MIN
		                                                   : whole);
	if (p->d.bits == 64)
		return double_bits(exact);
	float single = (float)tensor_product(p, xs, ys, first);
	return p->d.bits == 32 ? float_bits(canonical_f32(single))
	                       : to_small(p->d, (quad)single, signbit(single), "rn");
}

#endif
