/* double_trig: sine and cosine of double, also for the Bessel functions and the gamma function. */
#ifndef SLUICE_LIBDEVICE_DOUBLE_TRIG_H
#define SLUICE_LIBDEVICE_DOUBLE_TRIG_H

#include "libdevice.h"

/* 2/pi, 64 bits per word, highest first, after a word of zeros */
CONSTANT uint64_t two_over_pi[] = {
	0,
	0xa2f9836e4e441529,
	0xfc2757d1f534ddc0,
	0xdb6295993c439041,
	0xfe5163abdebbc561,
	0xb7246e3a424dd2e0,
	0x06492eea09d1921c,
	0xfe1deb1cb129a73e,
	0xe88235f52ebb4484,
	0xe99c7026b45f7e41,
	0x3991d639835339f4,
	0x9c845f8bbdf9283b,
	0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f,
	0x6d367ecf27cb09b7,
	0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea,
	0x6bfb5fb11f8d5d08,
	0x56033046fc7b6bab,
};

/* x modulo pi/2, for |x| from 2^30 up (Payne and Hanek). x's 53-bit significand is multiplied by the 192 bits of 2/pi
 * whose weight in the product is below 4. The top two bits of the product are the quadrant. */
INLINE double reduce_large(double x, int *quadrant)
{
	uint32_t exponent = (f64_high(x) >> 20 & 0x7ff) - 1023;
	uint64_t significand = (f64_bits(x) & 0xfffffffffffff) | 0x10000000000000;
	uint32_t first = exponent + 10; /* first of the 192 bits, counted from the word of zeros */
	uint32_t word = first >> 6, shift = first & 63;
	uint64_t part[4], bits[3];
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++)
		part[i] = two_over_pi[word + i];
#pragma GCC unroll 3
	for (int i = 0; i < 3; i++)
		bits[i] = part[i] << shift | part[i + 1] >> 1 >> (63 - shift);
	uint64_t middle = significand * bits[1];
	uint64_t high = significand * bits[0] + (uint64_t)((uint128)significand * bits[1] >> 64);
	uint64_t carry = (uint64_t)((uint128)significand * bits[2] >> 64);
	middle += carry;
	high += middle < carry;
	*quadrant = (int)(high >> 62) + (int)(high >> 61 & 1);
	int64_t fraction = (int64_t)(high << 2 | middle >> 62); /* in quadrants, -1/2 .. 1/2 */
	double r = fma((double)(middle << 2), 0x1p-128, (double)fraction * 0x1p-64);
	return fma(r, 0x1.921fb54442d18p+0, r * 0x1.1a62633145c07p-54);
}

/* x = quadrant * pi/2 + r, |r| <= pi/4. The parts of pi/2 are positive, so that -0 stays -0. */
INLINE double reduce(double x, int *quadrant)
{
	double a = __builtin_fabs(x);
	if (a < 0x1p30) {
		int n = (int)__builtin_rint(x * 0x1.45f306dc9c883p-1);
		double r = fma((double)n, -0x1.921fb54442d18p+0, x);
		r = fma((double)n, -0x1.1a62633145c06p-54, r);
		*quadrant = n;
		return fma((double)n, -0x1.c1cd129024e09p-107, r);
	}
	int n;
	double r = reduce_large(a, &n);
	*quadrant = x < 0 ? -n : n;
	return a < F64_INF ? f64_sign_of(1, x) * r : F64_NAN;
}

/* on [-pi/4, pi/4]: errors 2^-57.9 and 2^-63 */
INLINE double sin_kernel(double r)
{
	double z = r * r;
	double p = POLYD(z, 0, -0x1.5555555555548p-3, 0x1.111111110f78fp-7, -0x1.a01a019bf5795p-13,
	                 0x1.71de35603ad07p-19, -0x1.ae5e546e8dac1p-26, 0x1.5d8dfd055ae2fp-33);
	return fma(p, r, r);
}

INLINE double cos_kernel(double r)
{
	double z = r * r;
	return POLYD(z, 1, -0.5, 0x1.555555555554bp-5, -0x1.6c16c16c14f47p-10, 0x1.a01a019c7cdadp-16,
	             -0x1.27e4f7e53eef8p-22, 0x1.1ee9d3dcf335dp-29, -0x1.8fa2911acb498p-37);
}

/* One polynomial with selected coefficients, so that the lanes of a warp do not diverge. */
INLINE double sin_or_cos(double r, int quadrant)
{
	double z = r * r;
	bool cosine = quadrant & 1;
	double p = cosine ? -0x1.8fa2911acb498p-37 : 0x1.5d8dfd055ae2fp-33;
	p = fma(p, z, cosine ? 0x1.1ee9d3dcf335dp-29 : -0x1.ae5e546e8dac1p-26);
	p = fma(p, z, cosine ? -0x1.27e4f7e53eef8p-22 : 0x1.71de35603ad07p-19);
	p = fma(p, z, cosine ? 0x1.a01a019c7cdadp-16 : -0x1.a01a019bf5795p-13);
	p = fma(p, z, cosine ? -0x1.6c16c16c14f47p-10 : 0x1.111111110f78fp-7);
	p = fma(p, z, cosine ? 0x1.555555555554bp-5 : -0x1.5555555555548p-3);
	p = fma(p, z, cosine ? -0.5 : 0);
	double y = fma(p, cosine ? z : r, cosine ? 1 : r);
	return quadrant & 2 ? -y : y;
}

/* x = n/2 + r, exactly. Beyond 2^53 all numbers are even integers, equivalent to zero. Infinities become NaN. */
INLINE double reduce_pi(double x, int *quadrant)
{
	x = __builtin_fabs(x) < 0x1p53 ? x : x * 0;
	double n = __builtin_rint(x + x);
	*quadrant = (int)(long long)n;
	return fma(n, -0.5, x);
}

/* on [-1/4, 1/4]: errors 2^-58 and 2^-64 */
INLINE double sinpi_kernel(double r)
{
	double z = r * r;
	double p = POLYD(z, -0x1.4abbce625be46p+2, 0x1.466bc67758cb2p+1, -0x1.32d2cce324149p-1, 0x1.5078300c42e4dp-4,
	                 -0x1.e3009897b7d45p-8, 0x1.e3ff27c2d833cp-12);
	return fma(r, 0x1.921fb54442d18p+1, r * fma(p, z, 0x1.1a62633145c07p-53));
}

INLINE double cospi_kernel(double r)
{
	double z = r * r;
	return POLYD(z, 1, -0x1.3bd3cc9be45dep+2, 0x1.03c1f081b5abp+2, -0x1.55d3c7e3c95bcp+0, 0x1.e1f50683b42f7p-3,
	             -0x1.a6d1ecb7420e1p-6, 0x1.f9cc6ad123368p-10, -0x1.b26fe8bafa83p-14);
}

INLINE double f64_sinpi(double x)
{
	int quadrant;
	double r = reduce_pi(x, &quadrant);
	double y = quadrant & 1 ? cospi_kernel(r) : sinpi_kernel(r);
	y = quadrant & 2 ? -y : y;
	return r == 0 && !(quadrant & 1) ? f64_sign_of(0, x) : y;
}

#endif
