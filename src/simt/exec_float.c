/* exec_float: floating-point arithmetic with default rounding. Directed rounding is in exec_round.c, f16 in
 * exec_half.c.
 *
 * Approximate functions are computed in double precision, by series that need only + - * and /. They therefore
 * vectorize and give the same bits on every host. Rounded to single precision, they are correct except for rare
 * errors in the last bit. This is more accurate than any hardware.
 */
#include "simt/exec.h"

#include <math.h>

static inline float saturate(float value)
{
	return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f; /* NaN becomes 0 */
}

/* Each f32 function exists in a plain version and in one that reads the modifiers .ftz and .sat from the
 * instruction. */
#define F32_MODIFIED(name, sources, call)                                                                              \
	LANE_FUNCTION(name##_mod_f32, lanef, sources; uint32_t keep = ftz_keep(inst);                                  \
	              uint32_t sat = inst->immediate & EXEC_SAT ? UINT32_MAX : 0, modify(call, keep, sat))

static inline float modify(float value, uint32_t keep, uint32_t sat)
{
	value = flush_f32(value, keep);
	return bits_float((float_bits(saturate(value)) & sat) | (float_bits(value) & ~sat));
}

#define REAL1(name, f32_value, f64_value)                                                                              \
	static inline float name##_f32_lane(float a)                                                                   \
	{                                                                                                              \
		return f32_value;                                                                                      \
	}                                                                                                              \
	static inline double name##_f64_lane(double a)                                                                 \
	{                                                                                                              \
		return f64_value;                                                                                      \
	}                                                                                                              \
	LANE_FUNCTION(name##_f32, lanef, SOURCE(pa, lanef, 0), name##_f32_lane(pa[i]))                                 \
	LANE_FUNCTION(name##_f64, laned, SOURCE(pa, laned, 0), name##_f64_lane(pa[i]))                                 \
	F32_MODIFIED(name, SOURCE(pa, lanef, 0), name##_f32_lane(flush_f32(pa[i], keep)))

#define REAL2(name, f32_value, f64_value)                                                                              \
	static inline float name##_f32_lane(float a, float b)                                                          \
	{                                                                                                              \
		return f32_value;                                                                                      \
	}                                                                                                              \
	static inline double name##_f64_lane(double a, double b)                                                       \
	{                                                                                                              \
		return f64_value;                                                                                      \
	}                                                                                                              \
	LANE_FUNCTION(name##_f32, lanef, SOURCE(pa, lanef, 0); SOURCE(pb, lanef, 1), name##_f32_lane(pa[i], pb[i]))    \
	LANE_FUNCTION(name##_f64, laned, SOURCE(pa, laned, 0); SOURCE(pb, laned, 1), name##_f64_lane(pa[i], pb[i]))    \
	F32_MODIFIED(name, SOURCE(pa, lanef, 0);                                                                       \
	             SOURCE(pb, lanef, 1), name##_f32_lane(flush_f32(pa[i], keep), flush_f32(pb[i], keep)))

#define REAL3(name, f32_value, f64_value)                                                                              \
	static inline float name##_f32_lane(float a, float b, float c)                                                 \
	{                                                                                                              \
		return f32_value;                                                                                      \
	}                                                                                                              \
	static inline double name##_f64_lane(double a, double b, double c)                                             \
	{                                                                                                              \
		return f64_value;                                                                                      \
	}                                                                                                              \
	LANE_FUNCTION(name##_f32, lanef, SOURCE(pa, lanef, 0); SOURCE(pb, lanef, 1);                                   \
	              SOURCE(pc, lanef, 2), name##_f32_lane(pa[i], pb[i], pc[i]))                                      \
	LANE_FUNCTION(name##_f64, laned, SOURCE(pa, laned, 0); SOURCE(pb, laned, 1);                                   \
	              SOURCE(pc, laned, 2), name##_f64_lane(pa[i], pb[i], pc[i]))                                      \
	F32_MODIFIED(name, SOURCE(pa, lanef, 0); SOURCE(pb, lanef, 1);                                                 \
	             SOURCE(pc, lanef, 2),                                                                             \
	             name##_f32_lane(flush_f32(pa[i], keep), flush_f32(pb[i], keep), flush_f32(pc[i], keep)))

REAL2(add, canonical_f32(a + b), sum_f64(a, b))
REAL2(sub, canonical_f32(a - b), nan2_f64(a - b, b, a))
REAL2(mul, canonical_f32(a *b), nan2_f64(a *b, b, a))
REAL2(div, canonical_f32(a / b), nan2_f64(a / b, a, b))
REAL3(fma, canonical_f32(__builtin_fmaf(a, b, c)), nan3_f64(__builtin_fma(a, b, c), b, c, a))
REAL1(rcp, canonical_f32(1.0f / a), nan1_f64(1.0 / a, a))
REAL1(sqrt, canonical_f32(sqrtf(a)), nan1_f64(sqrt(a), a))
REAL1(rsqrt, canonical_f32((float)(1.0 / sqrt((double)a))), nan1_f64(1.0 / sqrt(a), a))

/* abs and neg are additions on hardware: they do not change the sign of a NaN. */
REAL1(abs, canonical_f32(bits_float(float_bits(a) & 0x7fffffff)),
      a == a ? bits_double(double_bits(a) & INT64_MAX) : quiet_f64(a))
REAL1(neg, canonical_f32(bits_float(float_bits(a) ^ 0x80000000)),
      a == a ? bits_double(double_bits(a) ^ (uint64_t)INT64_MIN) : quiet_f64(a))

/* f32x2: two independent single-precision numbers in 64 bits. */
#define PAIR(value)                                                                                                    \
	((uint64_t)float_bits(flush_f32(value(0), keep)) | (uint64_t)float_bits(flush_f32(value(32), keep)) << 32)
#define HALF(p, shift) flush_f32(bits_float((uint32_t)(p[i] >> shift)), keep)
#define PAIR2(name)                                                                                                    \
	LANE_FUNCTION(name##_f32x2, lane64, SOURCE(pa, lane64, 0); SOURCE(pb, lane64, 1);                              \
	              uint32_t keep = ftz_keep(inst), PAIR(name##_HALVES))
#define add_HALVES(shift) add_f32_lane(HALF(pa, shift), HALF(pb, shift))
#define sub_HALVES(shift) sub_f32_lane(HALF(pa, shift), HALF(pb, shift))
#define mul_HALVES(shift) mul_f32_lane(HALF(pa, shift), HALF(pb, shift))
#define fma_HALVES(shift) fma_f32_lane(HALF(pa, shift), HALF(pb, shift), HALF(pc, shift))
PAIR2(add)
PAIR2(sub)
PAIR2(mul)
LANE_FUNCTION(fma_f32x2, lane64, SOURCE(pa, lane64, 0); SOURCE(pb, lane64, 1); SOURCE(pc, lane64, 2);
              uint32_t keep = ftz_keep(inst), PAIR(fma_HALVES))

/* min and max ignore a NaN operand, and order -0 before +0. Reflecting the negative numbers makes their order as
 * integers the same as their order as numbers. */
static inline int32_t order_f32(float value)
{
	int32_t bits = (int32_t)float_bits(value);
	return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

static inline int64_t order_f64(double value)
{
	int64_t bits = (int64_t)double_bits(value);
	return bits ^ (int64_t)((uint64_t)(bits >> 63) >> 1);
}

static inline float pick_f32(float a, float b, bool first)
{
	return canonical_f32(a != a ? b : b != b || first ? a : b);
}

static inline double pick_f64(double a, double b, bool first)
{
	return nan2_f64(a != a ? b : b != b || first ? a : b, b, a);
}

REAL2(min, pick_f32(a, b, order_f32(a) < order_f32(b)), pick_f64(a, b, order_f64(a) < order_f64(b)))
REAL2(max, pick_f32(a, b, order_f32(a) > order_f32(b)), pick_f64(a, b, order_f64(a) > order_f64(b)))

/* copysign a, b: b with the sign of a. */
REAL2(copysign, bits_float((float_bits(a) & 0x80000000) | (float_bits(b) & 0x7fffffff)),
      bits_double((double_bits(a) & (uint64_t)INT64_MIN) | (double_bits(b) & INT64_MAX)))

/* 2^x for |x| < 1000: splits off the nearest integer and uses the exponential series for the rest. */
static inline double power2(double x)
{
	const double round = 0x1.8p52;
	double shifted = x + round; /* its low bits are the integer */
	double f = x - (shifted - round);
	double sum = 0x1.816193166d0f9p-40;
	sum = sum * f + 0x1.c3bd650fc2986p-36;
	sum = sum * f + 0x1.e8cac7351bb25p-32;
	sum = sum * f + 0x1.e4cf5158b8ecap-28;
	sum = sum * f + 0x1.b5253d395e7c4p-24;
	sum = sum * f + 0x1.62c0223a5c824p-20;
	sum = sum * f + 0x1.ffcbfc588b0c7p-17;
	sum = sum * f + 0x1.430912f86c787p-13;
	sum = sum * f + 0x1.5d87fe78a6731p-10;
	sum = sum * f + 0x1.3b2ab6fba4e77p-7;
	sum = sum * f + 0x1.c6b08d704a0c0p-5;
	sum = sum * f + 0x1.ebfbdff82c58fp-3;
	sum = sum * f + 0x1.62e42fefa39efp-1;
	sum = sum * f + 1.0;
	return sum * bits_double((double_bits(shifted) + 1023) << 52);
}

static inline double clamp(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

static inline float ex2_lane(float a)
{
	float result = (float)power2(clamp(a, -200, 200));
	return canonical_f32(a == a ? result : a);
}

/* log2 of m * 2^e by the area tangent series, with m between sqrt(1/2) and sqrt(2). */
static inline double logarithm2(double a)
{
	uint64_t bits = double_bits(a);
	const uint64_t root = 0x6a09e667f3bcd; /* mantissa of sqrt(2) */
	uint64_t upper = (bits & 0xfffffffffffff) > root;
	int32_t exponent = (int32_t)((bits >> 52) + upper) - 1023;
	double m = bits_double((bits & 0xfffffffffffff) | (1023 - upper) << 52);
	double s = (m - 1) / (m + 1), z = s * s;
	double sum = 1.0 / 23;
	sum = sum * z + 1.0 / 21;
	sum = sum * z + 1.0 / 19;
	sum = sum * z + 1.0 / 17;
	sum = sum * z + 1.0 / 15;
	sum = sum * z + 1.0 / 13;
	sum = sum * z + 1.0 / 11;
	sum = sum * z + 1.0 / 9;
	sum = sum * z + 1.0 / 7;
	sum = sum * z + 1.0 / 5;
	sum = sum * z + 1.0 / 3;
	sum = sum * z + 1.0;
	return exponent + sum * s * 0x1.71547652b82fep+1;
}

static inline float lg2_lane(float a)
{
	float result = (float)logarithm2(a);
	result = a == INFINITY ? INFINITY : result;
	result = a == 0 ? -INFINITY : result;
	return canonical_f32(a >= 0 ? result : bits_float(0x7fffffff));
}

/* tanh x = 1 - 2 / (e^2x + 1), or its series where that expression cancels. */
static inline float tanh_lane(float a)
{
	double x = clamp(a, -20, 20);
	double power = power2(x * 0x1.71547652b82fep+1);
	double result = x < 1e-4 && x > -1e-4 ? x - x * x * x / 3 : 1 - 2 / (power + 1);
	return canonical_f32(a == a ? (float)result : a);
}

/* From this magnitude on the argument cannot be reduced to the first octant in double precision. */
#define LARGE_ANGLE 0x1p20f

/* sin (quadrant 0) or cos (quadrant 1). */
static inline float circular_lane(float a, uint64_t quadrant)
{
	const double round = 0x1.8p52;
	double x = a;
	double shifted = x * 0x1.45f306dc9c883p-1 + round; /* its low bits are the multiple of pi/2 */
	double k = shifted - round;
	double r = (x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626331p-34;
	quadrant += double_bits(shifted);
	double z = r * r;
	double sine = 1.0 / 1307674368000;
	sine = 1.0 / 6227020800 - z * sine;
	sine = 1.0 / 39916800 - z * sine;
	sine = 1.0 / 362880 - z * sine;
	sine = 1.0 / 5040 - z * sine;
	sine = 1.0 / 120 - z * sine;
	sine = 1.0 / 6 - z * sine;
	sine = r * (1.0 - z * sine);
	double cosine = 1.0 / 20922789888000;
	cosine = 1.0 / 87178291200 - z * cosine;
	cosine = 1.0 / 479001600 - z * cosine;
	cosine = 1.0 / 3628800 - z * cosine;
	cosine = 1.0 / 40320 - z * cosine;
	cosine = 1.0 / 720 - z * cosine;
	cosine = 1.0 / 24 - z * cosine;
	cosine = 1.0 / 2 - z * cosine;
	cosine = 1.0 - z * cosine;
	double result = quadrant & 1 ? cosine : sine;
	return (float)(quadrant & 2 ? -result : result);
}

static void circular(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, uint64_t quadrant)
{
	SOURCE(pa, lanef, 0);
	lanef *d = destination(warp, inst, 0);
	uint32_t keep = ftz_keep(inst);
	float in[WARP_SIZE], out[WARP_SIZE] __attribute__((aligned(SIMT_ALIGN)));
	uint32_t large = 0;
	FOR_LANES
	in[i] = flush_f32(pa[i], keep);
	FOR_LANES
	out[i] = flush_f32(circular_lane(in[i], quadrant), keep);
	for (unsigned i = 0; i < WARP_SIZE; i++)
		large |= !(in[i] < LARGE_ANGLE && in[i] > -LARGE_ANGLE);
	for (unsigned i = 0; large && i < WARP_SIZE; i++)
		if (!(in[i] < LARGE_ANGLE && in[i] > -LARGE_ANGLE))
			out[i] = canonical_f32((float)(quadrant ? cos((double)in[i]) : sin((double)in[i])));
	blend32(d, out, step->lanes);
}

static void sin_f32(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	circular(warp, inst, step, 0);
}

static void cos_f32(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	circular(warp, inst, step, 1);
}

#define REAL1_F32(name)                                                                                                \
	LANE_FUNCTION(name##_f32, lanef, SOURCE(pa, lanef, 0), name##_lane(pa[i]))                                     \
	F32_MODIFIED(name, SOURCE(pa, lanef, 0), name##_lane(flush_f32(pa[i], keep)))
REAL1_F32(ex2)
REAL1_F32(lg2)
REAL1_F32(tanh)

/* f32 plain, f32 with modifiers, f64 */
#define ROW(f)                                                                                                         \
	{                                                                                                              \
		f##_f32, f##_mod_f32, f##_f64                                                                          \
	}

simt_exec *ISA(exec_find_real)(const struct exec_query *query)
{
	static simt_exec *const table[PTX_OPCODES][3] = {
		[PTX_OP_ADD] = ROW(add),
		[PTX_OP_SUB] = ROW(sub),
		[PTX_OP_MUL] = ROW(mul),
		[PTX_OP_FMA] = ROW(fma),
		[PTX_OP_MAD] = ROW(fma),
		[PTX_OP_DIV] = ROW(div),
		[PTX_OP_RCP] = ROW(rcp),
		[PTX_OP_SQRT] = ROW(sqrt),
		[PTX_OP_RSQRT] = ROW(rsqrt),
		[PTX_OP_ABS] = ROW(abs),
		[PTX_OP_NEG] = ROW(neg),
		[PTX_OP_MIN] = ROW(min),
		[PTX_OP_MAX] = ROW(max),
		[PTX_OP_COPYSIGN] = ROW(copysign),
		[PTX_OP_SIN] = {sin_f32, sin_f32},
		[PTX_OP_COS] = {cos_f32, cos_f32},
		[PTX_OP_EX2] = {ex2_f32, ex2_mod_f32},
		[PTX_OP_LG2] = {lg2_f32, lg2_mod_f32},
		[PTX_OP_TANH] = {tanh_f32, tanh_mod_f32},
	};
	const struct ptx_inst *ptx = query->ptx;
	static simt_exec *const pairs[PTX_OPCODES] = {
		[PTX_OP_ADD] = add_f32x2, [PTX_OP_SUB] = sub_f32x2, [PTX_OP_MUL] = mul_f32x2, [PTX_OP_FMA] = fma_f32x2};
	if (query->type == PTX_F32X2)
		return pairs[ptx->op];
	if (query->type == PTX_F64)
		return table[ptx->op][2];
	if (query->type == PTX_F32)
		return table[ptx->op][ptx->ftz || ptx->sat];
	return NULL;
}
