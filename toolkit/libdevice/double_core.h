/* double_core: helpers of several double functions. */
#ifndef SLUICE_LIBDEVICE_DOUBLE_CORE_H
#define SLUICE_LIBDEVICE_DOUBLE_CORE_H

#include "libdevice.h"

/* e^(x + low) * 2^k, for |low| far below |x|: x = n ln 2 + r, ln 2 in two parts. */
INLINE double f64_exp(double x, double low, int k)
{
	x = x > 800 ? 800 : x < -800 ? -800 : x; /* a NaN stays */
	double n = f64_max(__builtin_rint(x * 0x1.71547652b82fep+0), -1200); /* a number even if x is a NaN */
	double r = fma(n, -0x1.62e42fefa39efp-1, x);
	r = fma(n, -0x1.abc9e3b39803fp-56, r) + low;
	/* (e^r - 1 - r) / r^2 on [-0.3467, 0.3467]: error 2^-58 of e^r */
	double p = POLYD(r, 1, 1, 0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.5555555550853p-5,
	                 0x1.1111111127cb7p-7, 0x1.6c16c18433d0dp-10, 0x1.a01a012a23e87p-13, 0x1.a01999f05e941p-16,
	                 0x1.71df259a56272p-19, 0x1.28ad8df8cc89ep-22, 0x1.ad7f42d31a63fp-26);
	return f64_scale(p, (int)n + k);
}

/* x = 2^e * m with m from 2/3 to 4/3; returns m. */
INLINE double f64_split(double x, double *e)
{
	double bias = 0;
	if (x < 0x1p-1022) {
		x *= 0x1p54;
		bias = -54;
	}
	uint64_t over = (f64_bits(x) - 0x3fe5555555555555) & 0xfff0000000000000;
	*e = (double)((int32_t)(over >> 32) >> 20) + bias;
	return f64_from(f64_bits(x) - over);
}

/* log(1 + f) - f for f from -1/3 to 1/3: -s (f - R(s^2)) with s = f / (2 + f). */
INLINE double f64_log_rest(double f)
{
	double s = f / (2 + f);
	double z = 4 * s * s;
	/* (2 atanh(q/2) - q) / q^3 for q = 2s: error 2^-62 */
	double p = POLYD(z, 0x1.555555555554fp-4, 0x1.999999999c0fp-7, 0x1.24924921ec356p-9, 0x1.c71c7488e0beap-12,
	                 0x1.745c4c70d28ecp-14, 0x1.3b358dd98b9dbp-16, 0x1.0dcee2b0e6c2p-18, 0x1.1b6b821a8a5d4p-20);
	return -s * fma(-2 * z, p, f);
}

/* log x for x > 0 in two parts, with relative error 2^-67. Returns the rounded logarithm; *rest is its correction. */
INLINE double f64_log_parts(double x, double *rest)
{
	double e, m = f64_split(x, &e), f = m - 1;
	/* q = 2f / (2 + f) in two parts */
	double inverse = 1 / add_rn_d(m, 1);
	double q = mul_rn_d(add_rn_d(f, f), inverse);
	double residual = add_rn_d(f, -q);
	double q_low = mul_rn_d(inverse, fma(-q, f, add_rn_d(residual, residual)));

	double z = mul_rn_d(q, q), z_low = fma(q, q, -z);
	z_low = fma(q, q_low + q_low, z_low);
	/* z / 12 in two parts, then the rest of the series: error 2^-69 of the logarithm */
	double t = mul_rn_d(z, 0x1.5555555555555p-4), t_low = fma(z, 0x1.5555555555555p-4, -t);
	t_low = fma(z, 0x1.5555555555555p-58, fma(z_low, 0x1.5555555555555p-4, t_low));
	double p = POLYD(z, 0x1.9999999999968p-7, 0x1.2492492498d28p-9, 0x1.c71c71bc79555p-12, 0x1.745d1bc28c65p-14,
	                 0x1.3b129919feb3fp-16, 0x1.113a052cc8891p-18, 0x1.dad28d9a8aaf8p-21, 0x1.0177415491cd8p-22);
	t_low = fma(z * z, p, t_low);
	double u = mul_rn_d(q, t), u_low = fma(q, t, -u);
	u_low = fma(q, t_low, fma(q_low, t, u_low));
	double log_m = add_rn_d(q, u);
	double log_m_low = add_rn_d(add_rn_d(add_rn_d(q, -log_m), u), add_rn_d(q_low, u_low));

	double base = mul_rn_d(e, 0x1.62e42fefa3800p-1);
	double high = add_rn_d(base, log_m);
	double low = add_rn_d(add_rn_d(base, -high), log_m);
	low = add_rn_d(low, fma(e, 0x1.ef35793c76730p-45, log_m_low));

	double sum = add_rn_d(high, low);
	*rest = add_rn_d(add_rn_d(high, -sum), low);
	return sum;
}

/* The result of any logarithm for infinity, NaN, negatives and zero; y otherwise. */
INLINE double f64_log_special(double x, double y)
{
	if (!(x < F64_INF))
		y = x;
	if (x < 0)
		y = F64_NAN;
	return x == 0 ? -F64_INF : y;
}

INLINE double f64_log1p(double x)
{
	/* 1 + x, rounded; the rounding error is added later as a fraction of it */
	double u = add_rn_d(1, x), e;
	double lost = __builtin_fabs(x) < 1 ? add_rn_d(x, -add_rn_d(u, -1)) : add_rn_d(1, -add_rn_d(u, -x));
	double m = f64_split(u, &e), f = m - 1;
	double y = f64_log_rest(f);
	y = fma(e, 0x1.ef35793c76730p-45, y) + lost / u;
	y = fma(e, 0x1.62e42fefa3800p-1, f + y);
	/* for u near 1, f lacks digits of x that are in `lost`; the sum above restored them */
	if (!(x < F64_INF))
		y = x;
	if (x < -1)
		y = F64_NAN;
	if (x == -1)
		y = -F64_INF;
	return __builtin_fabs(x) < 0x1p-54 ? x : y;
}

INLINE double f64_expm1(double x)
{
	x = x > 800 ? 800 : x < -50 ? -50 : x;
	double n = __builtin_rint(x * 0x1.71547652b82fep+0);
	double r = fma(n, -0x1.62e42fefa39efp-1, x);
	r = fma(n, -0x1.abc9e3b39803fp-56, r);
	/* (e^r - 1 - r) / r^2: error 2^-61 of e^r - 1 */
	double p = POLYD(r, 0x1p-1, 0x1.5555555555559p-3, 0x1.555555555553fp-5, 0x1.111111110f6ccp-7,
	                 0x1.6c16c16c1f0c5p-10, 0x1.a01a01afda402p-13, 0x1.a01a017bb6c67p-16, 0x1.71ddf86cead1dp-19,
	                 0x1.27e5363cecf4dp-22, 0x1.af5e96e3f3705p-26, 0x1.1ee88762bcf5ap-29);
	p = fma(r * p, r, r);
	/* half the value, so that n = 1024 fits */
	double half = f64_pow2((int)f64_min(n, 1024) - 1);
	double y = fma(half, p, half - 0.5);
	y += y;
	if (x > 709.79)
		y = F64_INF;
	return __builtin_fabs(x) < 0x1p-54 ? x : y;
}

/* erfc for x >= 0, without its factor e^(-x^2): (1 + 2x) erfcx(x) is a polynomial in (x - 4) / (x + 4), to x = 27.3:
 * error 2^-56. */
INLINE double f64_erfcx_positive(double x)
{
	double t = (x - 4) / (x + 4);
	double p = POLYD(t, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a29bp-3, 0x1.f7f5df66fd7f3p-7, 0x1.16ecefcfa5f6bp-4,
	                 -0x1.9ddb23c3e908p-4, 0x1.7fee004df83ddp-4, -0x1.0fb06dfe4fb7p-4, 0x1.3079edf9d1d1cp-5,
	                 -0x1.096238822b067p-6, 0x1.49c6719948064p-8, -0x1.8d4a9e7746188p-11, -0x1.a1de8649a9ap-13,
	                 0x1.3be0ba591296dp-13, -0x1.9969e3386b02ep-16, -0x1.78a48c9288eecp-17, 0x1.7fb1d0ed4c99ep-18,
	                 0x1.43808d8b10922p-22, -0x1.c02824e716c76p-21, 0x1.0e10fb092b35bp-24, 0x1.ee90d5ca5b86ap-24,
	                 -0x1.0d691672663cep-27, -0x1.d4dadfa80c008p-27, -0x1.ee70bdcfe8befp-30);
	return p / fma(2, x, 1);
}

INLINE double f64_erfc(double x)
{
	double a = __builtin_fabs(x);
	a = a > 27.3 ? 27.3 : a; /* erfc underflows at 27.23; a NaN stays */
	double square = mul_rn_d(-a, a), low = fma(-a, a, -square);
	double y = f64_erfcx_positive(a) * f64_exp(square, low, 0);
	return x < 0 ? 2 - y : y;
}

#endif
