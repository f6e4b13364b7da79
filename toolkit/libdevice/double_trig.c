/* double_trig: trigonometric functions of double and their inverses. */
#include "double_trig.h"

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

double __nv_sinpi(double x)
{
	return f64_sinpi(x);
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
