/* exec_matrix: products of matrices.
 *
 * The sums of a product are computed in order of k. For floating-point numbers each step is one fused multiply-add
 * in single precision (f64: double), rounded to nearest. Products of f16, bf16, tf32 and 8-bit types are therefore
 * exact. An f16 result is rounded again at the end. Integers are exact and wrap around; with .satfinite they are
 * clamped to the range of s32. Hardware uses other summation orders and roundings. These differ between machines
 * and are not documented.
 */
#include "simt/matrix.h"

#include "simt/access.h"
#include "simt/convert.h"

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
PRODUCT(real_product, float, float, c[j], __builtin_fmaf(a[i], line[j], sum[j]), sum[j])
PRODUCT(double_product, double, double, c[j],
        nan3_f64(__builtin_fma(a[i], line[j], sum[j]), line[j], sum[j], a[i]), sum[j])
PRODUCT(whole_product, int32_t, int64_t, c[j], sum[j] + (int64_t)a[i] * line[j], (int32_t)(uint32_t)sum[j])
PRODUCT(clamped_product, int32_t, int64_t, c[j], sum[j] + (int64_t)a[i] * line[j],
        (int32_t)(sum[j]<INT32_MIN ? INT32_MIN : sum[j]> INT32_MAX ? INT32_MAX : sum[j]))
PRODUCT(xor_product, int32_t, int64_t, c[j], sum[j] + __builtin_popcount((uint32_t)(a[i] ^ line[j])),
        (int32_t)(uint32_t)sum[j])
PRODUCT(and_product, int32_t, int64_t, c[j], sum[j] + __builtin_popcount((uint32_t)(a[i] & line[j])),
        (int32_t)(uint32_t)sum[j])

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
MULTIPLY(whole, int32_t, gather_whole, whole_product, scatter_whole)
MULTIPLY(clamped, int32_t, gather_whole, clamped_product, scatter_whole)
MULTIPLY(xor, int32_t, gather_whole, xor_product, scatter_whole)
MULTIPLY(and, int32_t, gather_whole, and_product, scatter_whole)

simt_exec *ISA(exec_find_matrix)(const struct ptx_inst *ptx)
{
	if (ptx->type == PTX_F64)
		return multiply_double;
	if (ptx->type != PTX_S32)
		return multiply_real;
	if (ptx->type2 == PTX_B1)
		return ptx->atomic == PTX_ATOM_XOR ? multiply_xor : multiply_and;
	return ptx->satfinite ? multiply_clamped : multiply_whole;
}
