/* double_trig: trigonometric functions of double and their inverses. */
#include "libdevice.h"

/* 2/pi, 64 bits a word, highest first, behind a word of zeros */
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

/* x modulo pi/2, for |x| from 2^30 up (Payne and Hanek): the product of x's 53-bit significand with the 192 bits of
 * 2/pi that weigh less than 4 in it; its top two bits are the quadrant. */
INLINE double reduce_large(double x, int *quadrant)
{
	uint32_t exponent = (f64_high(x) >> 20 & 0x7ff) - 1023;
	uint64_t significand = (f64_bits(x) & 0xfffffffffffff) | 0x10000000000000;
	uint32_t first = exponent + 10; /* of the 192 bits, counting from the word of zeros */
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
	int64_t fraction = (int64_t)(high << 2 | middle >> 62); /* of a quadrant, -1/2 .. 1/2 */
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

/* One polynomial with selected coefficients, so that the lanes of a warp stay together. */
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

double __nv_sin(double x)
{
	int quadrant;
	double r = reduce(x, &quadrant);
	return sin_or_cos(r, quadrant);
}

double __nv_cos(double x)
{
	int quadrant;
	double r = reduce(x, &quadrant);
	return sin_or_cos(r, quadrant + 1);
}

void __nv_sincos(double x, double *sine, double *cosine)
{
	int quadrant;
	double r = reduce(x, &quadrant);
	double s = sin_kernel(r), c = cos_kernel(r);
	double s1 = quadrant & 1 ? c : s, c1 = quadrant & 1 ? s : c;
	*sine = quadrant & 2 ? -s1 : s1;
	*cosine = (quadrant + 1) & 2 ? -c1 : c1;
}

double __nv_tan(double x)
{
	int quadrant;
	double r = reduce(x, &quadrant);
	double z = r * r;
	/* (tan r - r) / r^3 on [-pi/4, pi/4]: error 2^-60 */
	double p = POLYD(z, 0x1.555555555555ep-2, 0x1.1111111110622p-3, 0x1.ba1ba1babaedbp-5, 0x1.664f485e10673p-6,
	                 0x1.226e3a6388068p-7, 0x1.d6d2ec9603c59p-9, 0x1.7db148d516b07p-10, 0x1.34bedb1cd3775p-11,
	                 0x1.ff070bb4c60eep-13, 0x1.5f443e8d5d016p-14, 0x1.1880dd12bbd22p-14, -0x1.a6c2c28d4a3ap-16,
	                 0x1.94f1d794a2b36p-15, -0x1.943d5c6112818p-16, 0x1.4776ebe385706p-17);
	double y = fma(p * z, r, r);
	return quadrant & 1 ? -1 / y : y;
}

/* x = n/2 + r, exactly */
INLINE double reduce_pi(double x, int *quadrant)
{
	double n = __builtin_rint(x + x);
	/* beyond 2^53 all numbers are even integers */
	*quadrant = __builtin_fabs(n) < 0x1p54 ? (int)(long long)n : 0;
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

double __nv_sinpi(double x)
{
	int quadrant;
	double r = reduce_pi(x, &quadrant);
	double y = quadrant & 1 ? cospi_kernel(r) : sinpi_kernel(r);
	y = quadrant & 2 ? -y : y;
	return r == 0 && !(quadrant & 1) ? f64_sign_of(0, x) : y;
}

double __nv_cospi(double x)
{
	int quadrant;
	double r = reduce_pi(x, &quadrant);
	double y = quadrant & 1 ? sinpi_kernel(r) : cospi_kernel(r);
	y = (quadrant + 1) & 2 ? -y : y;
	return y == 0 ? 0 : y;
}

void __nv_sincospi(double x, double *sine, double *cosine)
{
	*sine = __nv_sinpi(x);
	*cosine = __nv_cospi(x);
}

/* (atan x - x) / x^3 on [0, 1]: error 2^-55 */
INLINE double atan_kernel(double x)
{
	double z = x * x;
	double p = POLYD(z, -0x1.555555555544cp-2, 0x1.99999999840cfp-3, -0x1.2492491fa16c2p-3, 0x1.c71c709dfd77dp-4,
	                 -0x1.745d022f85651p-4, 0x1.3b12b2db4e0b7p-4, -0x1.11089cab961e9p-4, 0x1.e17813fd18acep-5,
	                 -0x1.ad32aed9954b7p-5, 0x1.7ee3d70885b3ep-5, -0x1.4f44e078661a8p-5, 0x1.1715710149fa1p-5,
	                 -0x1.a7259fb049faap-6, 0x1.162b3fbdbc826p-6, -0x1.2cf5fff4ca493p-7, 0x1.f969d21171204p-9,
	                 -0x1.312823db20928p-10, 0x1.d3b764b1e0797p-13, -0x1.53e2d3b6c7cc3p-16);
	return fma(p * z, x, x);
}

/* a from pi/2 or pi, in two parts */
INLINE double from_half_pi(double a)
{
	return add_rn_d(0x1.921fb54442d18p+0, -a) + 0x1.1a62633145c07p-54;
}

INLINE double from_pi(double a)
{
	return add_rn_d(0x1.921fb54442d18p+1, -a) + 0x1.1a62633145c07p-53;
}

double __nv_atan(double x)
{
	double a = __builtin_fabs(x);
	bool inverse = a > 1;
	double y = atan_kernel(inverse ? 1 / a : a);
	if (inverse)
		y = from_half_pi(y);
	return f64_sign_of(y, x);
}

double __nv_atan2(double y, double x)
{
	double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
	double big = f64_max(ax, ay), small = f64_min(ax, ay);
	double q = small / big;
	if (big == 0)
		q = 0;
	if (small == F64_INF)
		q = 1;
	double a = atan_kernel(q);
	if (ay > ax)
		a = from_half_pi(a);
	if (f64_bits(x) >> 63)
		a = from_pi(a);
	return x != x || y != y ? x + y : f64_sign_of(a, y);
}

/* (asin x - x) / x^3 on [0, 0.5625]: error 2^-54.3 */
INLINE double asin_kernel(double x)
{
	double z = x * x;
	double p = POLYD(z, 0x1.5555555555a4bp-3, 0x1.333333329b561p-4, 0x1.6db6dbd32d01fp-5, 0x1.f1c6fa5e25393p-6,
	                 0x1.6e8f0095e476p-6, 0x1.1c184b199de5ep-6, 0x1.ce3a17a0e4141p-7, 0x1.57dc56ee3740fp-7,
	                 0x1.f454b1ad77495p-7, -0x1.732a088333b53p-7, 0x1.bc3519a925e4p-5, -0x1.fc22214ab117cp-5,
	                 0x1.c74f424af9b93p-5);
	return fma(p * z, x, x);
}

/* Near 1: asin x = pi/2 - 2 asin sqrt((1 - x) / 2). */
double __nv_asin(double x)
{
	double a = __builtin_fabs(x);
	bool large = a > 0.5625;
	double y = asin_kernel(large ? sqrt(fma(a, -0.5, 0.5)) : a);
	if (large)
		y = from_half_pi(2 * y);
	return f64_sign_of(y, x);
}

double __nv_acos(double x)
{
	double a = __builtin_fabs(x);
	bool large = a > 0.5625;
	double y = asin_kernel(large ? sqrt(fma(a, -0.5, 0.5)) : a);
	if (large)
		return x < 0 ? from_pi(2 * y) : 2 * y;
	return from_half_pi(f64_sign_of(y, x));
}
