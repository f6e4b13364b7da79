/* special: the error function and functions derived from it, and the gamma function. */
#include "double_core.h"
#include "float_exp_log.h"

/* erf x / x - 1 on [0, 1]: error 2^-29.6 */
float __nv_erff(float x)
{
	float a = __builtin_fabsf(x);
	if (a < 1) {
		float z = x * x;
		float p = POLYF(z, 0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2cf8p-4f, -0x1.b7f90ep-6f, 0x1.5405b2p-8f,
		                -0x1.a3f702p-11f, 0x1.496a3ap-14f);
		return fmaf(p, x, x);
	}
	/* -log(erfc x) / x on [0.9, 4]: erf's error 2^-30 */
	a = a > 4 ? 4 : a;
	float q = POLYF(a, 0x1.20ee5cp+0f, 0x1.4538aep-1f, 0x1.b2d3d2p-4f, -0x1.84363p-6f, 0x1.d936ep-9f,
	                -0x1.4a26e2p-12f, 0x1.5e131ep-17f);
	float y = 1 - ex2_approx(q * a * -0x1.715476p+0f);
	return x != x ? x : f32_sign_of(y, x);
}

float __nv_erfcf(float x)
{
	float a = __builtin_fabsf(x);
	a = a > 10.1f ? 10.1f : a;
	float t = (a - 4) / (a + 4);
	/* (1 + 2x) erfcx(x) in (x - 4) / (x + 4): error 2^-26 */
	float p =
		POLYF(t, 0x1.3ba592p+0f, -0x1.1df1a8p-3f, 0x1.f7e2cap-7f, 0x1.16e974p-4f, -0x1.9da874p-4f,
	              0x1.80469p-4f, -0x1.10f37ep-4f, 0x1.2a635ep-5f, -0x1.044f2ap-6f, 0x1.cc77bap-8f, 0x1.d01292p-11f);
	float square = mul_rn(a, -a), low = fmaf(a, -a, -square);
	float y = p / fmaf(2, a, 1);
	y = fmaf(y, low, y) * f32_exp(square, 0);
	if (a == 10.1f)
		y = 0;
	return x < 0 ? 2 - y : y;
}

double __nv_erf(double x)
{
	double a = __builtin_fabs(x);
	if (a < 1) {
		double z = x * x;
		/* erf x / x - 1 on [0, 1]: error 2^-57 */
		double p = POLYD(z, 0x1.06eba8214db68p-3, -0x1.812746b0379bdp-2, 0x1.ce2f21a040d16p-4,
		                 -0x1.b82ce311fa93bp-6, 0x1.565bccf92b29cp-8, -0x1.c02db03dd634ap-11,
		                 0x1.f9a2baa8e8aa8p-14, -0x1.f4ca4d6de42c8p-17, 0x1.b97fd3cc0c815p-20,
		                 -0x1.5c07269c37a0ap-23, 0x1.d71b0ccb71cadp-27, -0x1.abae4214b9413p-31);
		return fma(p, x, x);
	}
	return f64_sign_of(1 - f64_erfc(a), x);
}

double __nv_erfc(double x)
{
	return f64_erfc(x);
}

/* e^(x^2) erfc x */
double __nv_erfcx(double x)
{
	double a = __builtin_fabs(x);
	if (a > 27) { /* asymptotic series in 1 / (2 x^2) */
		double z = 0.5 / (a * a);
		double y = 0x1.20dd750429b6dp-1 / a * POLYD(z, 1, -1, 3, -15, 105, -945, 10395, -135135);
		return x < 0 ? F64_INF : y;
	}
	double y = f64_erfcx_positive(a);
	if (x < 0) {
		double square = mul_rn_d(a, a);
		y = 2 * f64_exp(square, fma(a, a, -square), 0) - y;
	}
	return y;
}

float __nv_erfcxf(float x)
{
	return (float)__nv_erfcx(x);
}

double __nv_normcdf(double x)
{
	/* x / sqrt 2 in two parts: its error is multiplied by x in the tail */
	double a = mul_rn_d(x, -0x1.6a09e667f3bcdp-1);
	double low = fma(x, -0x1.6a09e667f3bcdp-1, -a) + x * 0x1.bdd3413b26456p-55;
	double y = f64_erfc(a);
	/* d erfc(a) / da = -2/sqrt(pi) e^(-a^2), which erfc approaches as 2a erfc(a) in the tail */
	double slope = a > 1 ? 2 * a * y : 0x1.20dd750429b6dp+0 * f64_exp(-a * a, 0, 0);
	return 0.5 * (__builtin_fabs(a) < 27 ? y - slope * low : y);
}

float __nv_normcdff(float x)
{
	return (float)__nv_normcdf(x);
}
