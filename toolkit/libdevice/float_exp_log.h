/* float_exp_log: helpers of several float functions. */
#ifndef SLUICE_LIBDEVICE_FLOAT_EXP_LOG_H
#define SLUICE_LIBDEVICE_FLOAT_EXP_LOG_H

#include "libdevice.h"

/* e^x * 2^k for k from -2 to 0: x = n ln 2 + r, then 2^(r log2 e) from the special-function unit. The clamp of n keeps
 * both factors of f32_scale() in range and lets infinities and NaNs through. */
INLINE float f32_exp(float x, int k)
{
	float n = f32_max(f32_min(__builtin_rintf(x * 0x1.715476p+0f), 252), -250);
	float r = fmaf(n, -0x1.62e4p-1f, x);
	r = fmaf(n, -0x1.7f7d1cp-20f, r);
	return f32_scale(ex2_approx(r * 0x1.715476p+0f), (int)n + k);
}

/* (log(1 + f) - f) / f^2 * f^2 + f on [-1/3, 1/3]: error 2^-27.7 */
INLINE float f32_log_poly(float f)
{
	float p = POLYF(f, -0x1p-1f, 0x1.555502p-2f, -0x1.fffe84p-3f, 0x1.99d1f2p-3f, -0x1.55a754p-3f, 0x1.1ebe68p-3f,
	                -0x1.f25deap-4f, 0x1.1ed142p-3f, -0x1.0931bcp-3f);
	return fmaf(p * f, f, f);
}

/* Splits x = 2^*e * m, m from 2/3 to 4/3, and returns log m. */
INLINE float f32_log_reduced(float x, float *e)
{
	float scale = 0;
	if (x < 0x1p-126f) {
		x *= 0x1p23f;
		scale = -23;
	}
	uint32_t over = (f32_bits(x) - 0x3f2aaaab) & 0xff800000;
	*e = (float)((int32_t)over >> 23) + scale;
	return f32_log_poly(f32_from(f32_bits(x) - over) - 1);
}

/* The result of any logarithm for infinity, NaN, negatives and zero; y otherwise. */
INLINE float f32_log_special(float x, float y)
{
	if (!(x < F32_INF))
		y = x; /* infinity and NaN */
	if (x < 0)
		y = F32_NAN;
	return x == 0 ? -F32_INF : y;
}

/* log(1 + x). A power of two scales 1 + x to 0.75 .. 1.5. It is derived from the rounded 1 + x, and applied to 1 and x
 * separately. */
INLINE float f32_log1p(float x)
{
	uint32_t over = (f32_bits(add_rn(x, 1)) - 0x3f400000) & 0xff800000;
	float inverse4 = f32_from(0x40800000 - over); /* 4 / 2^e */
	float m = f32_from(f32_bits(x) - over);       /* x / 2^e */
	float f = m + fmaf(inverse4, 0.25f, -1);
	/* (log(1 + f) - f) / f^2 on [-1/4, 1/2]: error 2^-27.7 */
	float p = POLYF(f, -0x1p-1f, 0x1.5555a6p-2f, -0x1.000024p-2f, 0x1.99685ap-3f, -0x1.54f23ep-3f, 0x1.2897bp-3f,
	                -0x1.0d900ap-3f, 0x1.abf70ep-4f, -0x1.6fe6f2p-5f);
	p = fmaf(p * f, f, f);
	float y = fmaf((float)((int32_t)over >> 23), 0x1.62e43p-1f, p);
	if (!(x < F32_INF))
		y = x;
	if (x < -1)
		y = F32_NAN;
	if (x == -1)
		y = -F32_INF;
	return x == 0 ? x : y;
}

#endif
