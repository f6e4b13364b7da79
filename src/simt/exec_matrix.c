/* exec_matrix: products of matrices.
 *
 * Small floating-point types are added as the tensor cores of an H100 do it. PTX leaves the order and the roundings
 * open, and other machines differ. An H100's results for random operands of all shapes and types are reproduced bit for
 * bit:
 * - Up to 16 products and the element of C form one sum. The products are exact.
 * - Each term has a nominal exponent: a product that of its factors together, where a subnormal factor has the
 *   exponent of the smallest normal number. Each term is cut off at 25 bits below the largest nominal exponent among
 *   the terms that are not zero. The remaining sum is exact.
 * - The sum is cut off to single precision, or rounded to the nearest f16. It is -0 only if all terms are.
 * - wmma of tf32 does this for each four products.
 * - 8-bit types are products of f16. Elements of A and B with k mod 4 = 0 or 1 are added first, to zero, then the
 *   others, and C at last in ordinary arithmetic.
 *
 * The four products of mma.m8n8k4 (Volta's) are fused multiply-adds from zero, and C is added at last. With C and D of
 * f16 they start from C; there fewer than one of a thousand results differs.
 *
 * Double precision is one fused multiply-add after another in order of k. Integers are exact and wrap around; with
 * .satfinite they are clamped to the range of s32.
 */
#include "simt/matrix.h"

#include "simt/access.h"
#include "simt/convert.h"

#include <fenv.h>
#include <math.h>

#ifdef __clang__
#pragma clang fp contract(off)
#endif

/* --- elements --- */

/* 16-bit numbers: a multiplication corrects the exponent, exactly. */
static float half_value(uint32_t bits)
{
	float value = bits_float((bits & 0x7fff) << 13) * 0x1p112f;
	uint32_t is_end = (bits & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
	return bits_float(float_bits(value) | is_end | (bits & 0x8000) << 16);
}

/* e4m3 has no infinity, and one NaN per sign. */
static float e4m3_value(uint32_t bits)
{
	float value = bits_float((bits & 0x7f) << 20) * 0x1p120f;
	uint32_t is_nan = (bits & 0x7f) == 0x7f ? 0x7fc00000 : 0;
	return bits_float(float_bits(value) | is_nan | (bits & 0x80) << 24);
}

static float real_value(enum ptx_type type, uint32_t bits)
{
	switch (type) {
	case PTX_F16:
		return half_value(bits);
	case PTX_BF16:
		return bits_float(bits << 16);
	case PTX_TF32: /* the last 13 bits are ignored */
		return bits_float(bits & 0xffffe000);
	case PTX_E4M3:
		return e4m3_value(bits);
	case PTX_E5M2:
		return half_value(bits << 8);
	default:
		return bits_float(bits);
	}
}

static int32_t whole_value(enum ptx_type type, uint32_t bits)
{
	switch (type) {
	case PTX_S8:
		return (int8_t)bits;
	case PTX_S4:
		return (int32_t)(bits << 28) >> 28;
	default: /* u8, u4 and b1, whose upper bits are already zero; s32 */
		return (int32_t)bits;
	}
}

/* Returns slot i of a lane's fragment, as bits. */
static uint32_t slot_bits(const struct simt_warp *warp, const struct matrix_fragment *fragment, uint32_t lane,
                          uint32_t i)
{
	uint32_t each = fragment->slots / fragment->registers, k = i / each, bits = 32 / each;
	const lane32 *row =
		(const lane32 *)((fragment->is_constant[k] ? warp->constants : warp->registers) + fragment->row[k]);
	return row[lane] >> i % each * bits & (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
}

/* Gathers all elements of a matrix, each from a slot that holds it. */
#define GATHER(name, T, value)                                                                                         \
	static void name(const struct simt_warp *warp, const struct matrix_fragment *fragment, T *matrix)              \
	{                                                                                                              \
		for (uint32_t lane = 0; lane < WARP_SIZE; lane++)                                                      \
			for (uint32_t i = 0; i < fragment->slots; i++)                                                 \
				matrix[fragment->element[lane * fragment->slots + i]] = value;                         \
	}
GATHER(gather_real, float, real_value(fragment->type, slot_bits(warp, fragment, lane, i)))
GATHER(gather_whole, int32_t, whole_value(fragment->type, slot_bits(warp, fragment, lane, i)))
GATHER(gather_double, double,
       ((const laned *)((fragment->is_constant[i] ? warp->constants : warp->registers) + fragment->row[i]))[lane])

/* Writes the lanes' registers of D; two f16 results share a register. */
static void scatter_real(struct simt_warp *warp, const struct matrix_fragment *fragment, const float *matrix,
                         uint32_t lanes)
{
	uint32_t each = fragment->slots / fragment->registers;
	for (; lanes; lanes &= lanes - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(lanes);
		const uint16_t *element = &fragment->element[lane * fragment->slots];
		for (uint32_t k = 0; k < fragment->registers; k++) {
			lane32 *row = (lane32 *)(warp->registers + fragment->row[k]);
			row[lane] = each == 1 ? float_bits(canonical_f32(matrix[element[k]]))
			                      : small_round(PTX_F16, matrix[element[2 * k]], PTX_RN) |
			                                small_round(PTX_F16, matrix[element[2 * k + 1]], PTX_RN) << 16;
		}
	}
}

#define SCATTER(name, T, L, value)                                                                                     \
	static void name(struct simt_warp *warp, const struct matrix_fragment *fragment, const T *matrix,              \
	                 uint32_t lanes)                                                                               \
	{                                                                                                              \
		for (; lanes; lanes &= lanes - 1) {                                                                    \
			uint32_t lane = (uint32_t)__builtin_ctz(lanes);                                                \
			for (uint32_t k = 0; k < fragment->registers; k++) {                                           \
				T result = matrix[fragment->element[lane * fragment->slots + k]];                      \
				((L *)(warp->registers + fragment->row[k]))[lane] = value;                             \
			}                                                                                              \
		}                                                                                                      \
	}
SCATTER(scatter_double, double, laned, result)
SCATTER(scatter_whole, int32_t, lane32, (uint32_t)result)

/* --- products --- */

enum { MOST_COLUMNS = 32 };

/* Computes C + A B for all products. `step`: adds one element to sum[j]. */
#define PRODUCT(name, T, S, begin, step, finish)                                                                       \
	static void name(const struct matrix_operands *operands, const T *a, const T *b, T *c)                         \
	{                                                                                                              \
		uint32_t n = operands->n, k = operands->k;                                                             \
		for (uint32_t row = 0; row < operands->products * operands->m; row++, c += n) {                        \
			const T *line = b + row / operands->m * k * n;                                                 \
			S sum[MOST_COLUMNS];                                                                           \
			for (uint32_t j = 0; j < n; j++)                                                               \
				sum[j] = begin;                                                                        \
			for (uint32_t i = 0; i < k; i++, line += n)                                                    \
				for (uint32_t j = 0; j < n; j++)                                                       \
					sum[j] = step;                                                                 \
			for (uint32_t j = 0; j < n; j++)                                                               \
				c[j] = finish;                                                                         \
			a += k;                                                                                        \
		}                                                                                                      \
	}
PRODUCT(chained_product, float, float, 0, __builtin_fmaf(a[i], line[j], sum[j]), sum[j] + c[j])
PRODUCT(half_product, float, float, c[j], __builtin_fmaf(a[i], line[j], sum[j]), sum[j])
PRODUCT(double_product, double, double, c[j], nan3_f64(__builtin_fma(a[i], line[j], sum[j]), line[j], sum[j], a[i]),
        sum[j])
/* Volatile operands keep the operation between the two changes of the rounding mode. */
static double rounded_fma(double in_a, double in_b, double in_c)
{
	volatile double a = in_a, b = in_b, c = in_c;
	volatile double result = __builtin_fma(a, b, c);
	return result;
}
PRODUCT(rounded_product, double, double, c[j], nan3_f64(rounded_fma(a[i], line[j], sum[j]), line[j], sum[j], a[i]),
        sum[j])
PRODUCT(whole_product, int32_t, int64_t, c[j], sum[j] + (int64_t)a[i] * line[j], (int32_t)(uint32_t)sum[j])
PRODUCT(clamped_product, int32_t, int64_t, c[j], sum[j] + (int64_t)a[i] * line[j],
        (int32_t)(sum[j]<INT32_MIN ? INT32_MIN : sum[j]> INT32_MAX ? INT32_MAX : sum[j]))
PRODUCT(xor_product, int32_t, int64_t, c[j], sum[j] + __builtin_popcount((uint32_t)(a[i] ^ line[j])),
        (int32_t)(uint32_t)sum[j])
PRODUCT(and_product, int32_t, int64_t, c[j], sum[j] + __builtin_popcount((uint32_t)(a[i] & line[j])),
        (int32_t)(uint32_t)sum[j])

/* --- sums of a tensor core --- */

enum { BLOCK = 8, SUM_BITS = 25, SUM_NONE = -1000 /* an exponent below all others */ };

/* Formats by their mantissa and smallest exponent. */
struct sum_format {
	int mantissa, least;
};

static struct sum_format sum_format(enum ptx_type type)
{
	return type == PTX_F32    ? (struct sum_format){23, -126}
	       : type == PTX_TF32 ? (struct sum_format){10, -126}
	       : type == PTX_BF16 ? (struct sum_format){7, -126}
	                          : (struct sum_format){10, -14};
}

/* Numbers as integers times 2^(exponent - mantissa). */
struct sum_numbers {
	int32_t digits[MATRIX_ELEMENTS], exponent[MATRIX_ELEMENTS];
};

static inline void sum_split(struct sum_format format, float value, int32_t *digits, int32_t *exponent)
{
	uint32_t bits = float_bits(value), field = bits >> 23 & 0xff;
	int32_t magnitude = (int32_t)((bits & 0x7fffff) | (field ? 1u << 23 : 0)),
		power = (int32_t)(field ? field : 1) - 127;
	int32_t below = format.least > power ? format.least - power : 0;
	magnitude = magnitude >> (below < 31 ? below : 31) >> (23 - format.mantissa);
	*digits = bits >> 31 ? -magnitude : magnitude;
	*exponent = power + below;
}

static void sum_split_all(enum ptx_type type, const float *values, uint32_t count, struct sum_numbers *numbers)
{
	struct sum_format format = sum_format(type);
	for (uint32_t i = 0; i < count; i++)
		sum_split(format, values[i], &numbers->digits[i], &numbers->exponent[i]);
}

static inline double power_of_two(int32_t exponent)
{
	return bits_double((uint64_t)(exponent + 1023) << 52);
}

/* Cuts a number off to single precision. A number that becomes zero is +0. */
static inline float cut_off(double value)
{
	double normal = bits_double(double_bits(value) & ~(uint64_t)0x1fffffff);
	double small = trunc(value * 0x1p149) * 0x1p-149;
	return (float)(fabs(value) < 0x1p-126 ? small : normal) + 0.0f;
}

/* Rounds a number to the nearest f16. A number that becomes zero is +0. */
static inline float nearest_half(double value)
{
	int32_t exponent = (int32_t)(double_bits(value) >> 52 & 0x7ff) - 1023;
	double units = 3 * power_of_two((exponent > -14 ? exponent : -14) + 41); /* the last bit counts units */
	float rounded = (float)(value + units - units) + 0.0f;
	return rounded > 65504 ? INFINITY : rounded < -65504 ? -INFINITY : rounded;
}

/* Returns digits / 2^by, cut off. */
static inline int32_t aligned(int32_t digits, int32_t by)
{
	int32_t sign = digits >> 31, shift = by < 0 ? 0 : by < 31 ? by : 31;
	return (((digits ^ sign) - sign) >> shift ^ sign) - sign;
}

/* Adds up to 16 products to each of eight elements of a row of C, from column `first` on. `row`: where the row's
 * numbers begin in `a`; `at`: which of them, and which rows of B; `bits`: of a product below its exponent's unit. */
struct sum_step {
	const struct sum_numbers *a, *b;
	uint32_t row, n, count;
	uint32_t at[MATRIX_TERMS];
	int32_t bits;
	bool to_half;
};

static void sum_products(const struct sum_step *step, uint32_t first, float *c)
{
	int32_t digits[MATRIX_TERMS][BLOCK], exponent[MATRIX_TERMS][BLOCK];
	int32_t own[BLOCK], own_exponent[BLOCK], top[BLOCK], unit = 1 << (SUM_BITS - step->bits);
	double sum[BLOCK];
	struct sum_format format = sum_format(step->to_half ? PTX_F16 : PTX_F32);
	for (uint32_t j = 0; j < BLOCK; j++) {
		sum_split(format, c[j], &own[j], &own_exponent[j]);
		top[j] = own[j] ? own_exponent[j] : SUM_NONE;
	}
	for (uint32_t i = 0; i < step->count; i++) {
		const int32_t *right = &step->b->digits[step->at[i] * step->n + first];
		const int32_t *right_exponent = &step->b->exponent[step->at[i] * step->n + first];
		int32_t left = step->a->digits[step->row + step->at[i]];
		int32_t left_exponent = step->a->exponent[step->row + step->at[i]];
		for (uint32_t j = 0; j < BLOCK; j++) {
			int32_t product = left * right[j], power = left_exponent + right_exponent[j];
			power = product ? power : SUM_NONE;
			digits[i][j] = product * unit;
			exponent[i][j] = power;
			top[j] = power > top[j] ? power : top[j];
		}
	}
	for (uint32_t j = 0; j < BLOCK; j++)
		sum[j] = aligned(own[j] * (1 << (SUM_BITS - format.mantissa)), top[j] - own_exponent[j]);
	for (uint32_t i = 0; i < step->count; i++)
		for (uint32_t j = 0; j < BLOCK; j++)
			sum[j] += aligned(digits[i][j], top[j] - exponent[i][j]);
	for (uint32_t j = 0; j < BLOCK; j++) {
		double value = sum[j] * power_of_two(top[j] > SUM_NONE ? top[j] - SUM_BITS : 0);
		float result = step->to_half ? nearest_half(value) : cut_off(value);
		c[j] = c[j] - c[j] == 0 ? result : c[j];
	}
}

/* True if all products of a row and a column, and the element of C, are negative. */
static bool sum_is_negative(const float *a, const float *b, uint32_t k, uint32_t n, float c)
{
	uint32_t sign = float_bits(c);
	for (uint32_t i = 0; i < k; i++)
		sign &= float_bits(a[i]) ^ float_bits(b[i * n]);
	return sign >> 31;
}

/* A sum with infinities or NaNs. */
static float sum_special(const float *a, const float *b, uint32_t k, uint32_t n, float c)
{
	double sum = c;
	for (uint32_t i = 0; i < k; i++)
		sum += (double)a[i] * b[i * n];
	return (float)sum;
}

static bool has_special(const float *values, uint32_t count, uint32_t step)
{
	bool special = false;
	for (uint32_t i = 0; i < count; i++)
		special |= (float_bits(values[i * step]) & 0x7f800000) == 0x7f800000;
	return special;
}

static void real_row(const struct matrix_operands *operands, struct sum_step *step, const float *a, const float *b,
                     const bool *special_columns, const float *from, float *to)
{
	uint32_t n = operands->n, k = operands->k;
	enum ptx_type type = operands->fragment[PTX_MATRIX_A].type;
	bool is_byte = type == PTX_E4M3 || type == PTX_E5M2, special = has_special(a, k, 1);
	for (uint32_t j = 0; j < n; j++)
		to[j] = is_byte ? 0 : from[j];
	for (uint32_t part = 0; part < (is_byte ? 2 : 1); part++) {
		step->count = 0;
		for (uint32_t i = 0; i < k; i++) {
			if (!is_byte || i / 2 % 2 == part)
				step->at[step->count++] = i;
			if (step->count == operands->terms || (i == k - 1 && step->count)) {
				for (uint32_t first = 0; first < n; first += BLOCK)
					sum_products(step, first, to + first);
				step->count = 0;
			}
		}
	}
	for (uint32_t j = 0; j < n; j++) {
		if (is_byte)
			to[j] += from[j];
		if (to[j] == 0 && sum_is_negative(a, b + j, k, n, from[j]))
			to[j] = is_byte ? to[j] : -0.0f;
		if (special || special_columns[j] || has_special(from + j, 1, 1))
			to[j] = sum_special(a, b + j, k, n, from[j]);
	}
}

static void real_product(const struct matrix_operands *operands, const float *a, const float *b, float *c)
{
	const struct matrix_fragment *fragment = operands->fragment;
	uint32_t m = operands->m, n = operands->n, k = operands->k;
	enum ptx_type type_a = fragment[PTX_MATRIX_A].type, type_b = fragment[PTX_MATRIX_B].type;
	bool to_half = fragment[PTX_MATRIX_D].type == PTX_F16 && fragment[PTX_MATRIX_C].type == PTX_F16;
	bool special_columns[MOST_COLUMNS];
	struct sum_numbers split_a, split_b;
	struct sum_step step = {.a = &split_a,
	                        .b = &split_b,
	                        .n = n,
	                        .bits = sum_format(type_a).mantissa + sum_format(type_b).mantissa,
	                        .to_half = to_half};
	if (operands->terms == 1) { /* only these are several products */
		(to_half ? half_product : chained_product)(operands, a, b, c);
		return;
	}
	sum_split_all(type_a, a, m * k, &split_a);
	sum_split_all(type_b, b, k * n, &split_b);
	for (uint32_t j = 0; j < n; j++)
		special_columns[j] = has_special(b + j, k, n);
	for (uint32_t row = 0; row < m; row++, c += n, a += k) {
		float from[MOST_COLUMNS];
		memcpy(from, c, n * sizeof *c);
		step.row = row * k;
		real_row(operands, &step, a, b, special_columns, from, c);
	}
}

/* Reads the registers of all lanes, active or not, as shfl does. PTX requires all lanes to be active. */
#define MULTIPLY(name, T, gather, product, scatter)                                                                    \
	static void multiply_##name(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)      \
	{                                                                                                              \
		const struct matrix_operands *operands = matrix_operands(inst);                                        \
		T a[MATRIX_ELEMENTS], b[MATRIX_ELEMENTS], c[MATRIX_ELEMENTS];                                          \
		gather(warp, &operands->fragment[PTX_MATRIX_A], a);                                                    \
		gather(warp, &operands->fragment[PTX_MATRIX_B], b);                                                    \
		gather(warp, &operands->fragment[PTX_MATRIX_C], c);                                                    \
		product(operands, a, b, c);                                                                            \
		scatter(warp, &operands->fragment[PTX_MATRIX_D], c, step->lanes);                                      \
	}
MULTIPLY(real, float, gather_real, real_product, scatter_real)
MULTIPLY(double, double, gather_double, double_product, scatter_double)
/* with a rounding mode other than to nearest */
static void directed_product(const struct simt_inst *inst, const struct matrix_operands *operands, const double *a,
                             const double *b, double *c)
{
	int old = round_set(inst->ptx->round);
	rounded_product(operands, a, b, c);
	fesetround(old);
}
#define DIRECTED(operands, a, b, c) directed_product(inst, operands, a, b, c)
MULTIPLY(directed, double, gather_double, DIRECTED, scatter_double)
MULTIPLY(whole, int32_t, gather_whole, whole_product, scatter_whole)
MULTIPLY(clamped, int32_t, gather_whole, clamped_product, scatter_whole)
MULTIPLY(xor, int32_t, gather_whole, xor_product, scatter_whole)
MULTIPLY(and, int32_t, gather_whole, and_product, scatter_whole)

simt_exec *ISA(exec_find_matrix)(const struct ptx_inst *ptx)
{
	if (ptx->type == PTX_F64)
		return ptx->round == PTX_ROUND_NONE || ptx->round == PTX_RN ? multiply_double : multiply_directed;
	if (ptx->type != PTX_S32)
		return multiply_real;
	if (ptx->type2 == PTX_B1)
		return ptx->atomic == PTX_ATOM_XOR ? multiply_xor : multiply_and;
	return ptx->satfinite ? multiply_clamped : multiply_whole;
}
