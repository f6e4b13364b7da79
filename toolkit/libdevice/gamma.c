/* gamma: the gamma function and the logarithm of its magnitude. */
#include "double_core.h"
#include "double_trig.h"

double __nv_log(double x);

/* 1 / gamma(1 + f) for f from 0 to 1: error 2^-61 */
INLINE double reciprocal_gamma(double f)
{
	return POLYD(f, 1, 0x1.2788cfc6fb617p-1, -0x1.4fcf4026af9afp-1, -0x1.5815e8fa37841p-5, 0x1.5512320b8bba4p-3,
	             -0x1.59af1047ec275p-5, -0x1.3b4af14558fd6p-7, 0x1.d919b98cd62c2p-8, -0x1.31707aedb3a2ep-10,
	             -0x1.c3700715a216p-13, 0x1.0c9c8e2211948p-13, -0x1.526f0927882d3p-16, -0x1.491ddab297fd6p-20,
	             0x1.2f5648cef71f2p-20, -0x1.d06651164b2f5p-23, 0x1.21263fe0d7581p-26);
}

/* log gamma x for x from 8 up in two parts, by Stirling's formula: (x - 1/2) log x - x + log(2 pi) / 2 + R(x).
 * x R(x) is a polynomial in 1 / x^2: error 2^-57. */
INLINE double stirling(double x, double *rest)
{
	double log_low, log_high = f64_log_parts(x, &log_low);
	double n = x - 0.5;
	double product = mul_rn_d(n, log_high), low = fma(n, log_low, fma(n, log_high, -product));
	double difference = add_rn_d(product, -x);
	low += add_rn_d(add_rn_d(product, -difference), -x);
	double sum = add_rn_d(difference, 0x1.d67f1c864beb5p-1);
	low += add_rn_d(add_rn_d(difference, -sum), 0x1.d67f1c864beb5p-1);
	double inverse = 1 / x;
	double p = POLYD(inverse * inverse, 0x1.5555555555555p-4, -0x1.6c16c16c149f4p-9, 0x1.a01a017dcf9ep-11,
	                 -0x1.38134d4f8892fp-11, 0x1.b92c33f942b2ap-11, -0x1.ef8d748ac05fbp-10, 0x1.4bffc9d7e286bp-8);
	*rest = fma(p, inverse, low);
	return sum;
}

/* gamma x for |x| below 8: gamma(1 + f) of x's fraction f, times or divided by the factors between 1 + f and x. A pole
 * divides by zero. */
INLINE double gamma_near(double x)
{
	double whole = __builtin_floor(x);
	int n = (int)whole;
	double product = n > 0 ? 1 : x;
	for (int i = 1; i < n; i++)
		product *= x - i;
	for (int i = 1; i <= -n; i++)
		product *= x + i;
	double reciprocal = reciprocal_gamma(x - whole);
	return n > 0 ? product / reciprocal : 1 / (product * reciprocal);
}

/* gamma x for |x| from 8 up. A negative x is reflected: gamma(-a) = -pi / (a sin(pi a) gamma(a)). A factor of 2^200
 * ensures that only the last product can round to a subnormal number. */
INLINE double gamma_far(double x)
{
	double a = f64_min(__builtin_fabs(x), 200); /* beyond 200 the result is infinite or zero */
	double low, high = stirling(a, &low);
	if (x > 0)
		return f64_exp(high, low, 0);
	double quotient = -0x1.921fb54442d18p+1 / (a * f64_sinpi(__builtin_fabs(x)));
	return f64_scale(f64_exp(-high, -low, 200) * quotient, -200);
}

double __nv_tgamma(double x)
{
	if (x != x || (x < 0 && __builtin_floor(x) == x))
		return F64_NAN;
	return __builtin_fabs(x) < 8 ? gamma_near(x) : gamma_far(x);
}

float __nv_tgammaf(float x)
{
	return (float)__nv_tgamma(x);
}

/* (log gamma(2 + f) / f - (1 - euler)) / f for f from -2/3 to 1/3: error 2^-58 of log gamma */
INLINE double lgamma_kernel(double f)
{
	return POLYD(f, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557618p-4, 0x1.51322ac7d869ap-6, -0x1.e404fc2184f6bp-8,
	             0x1.7add6ead6d05ep-9, -0x1.38ac5c35d948p-10, 0x1.0b36af9fca4a6p-11, -0x1.d3fd4311a7483p-13,
	             0x1.a127b4de09648p-14, -0x1.78e0c2d92cfd4p-15, 0x1.580749d4fcaeep-16, -0x1.3c6bd2162b828p-17,
	             0x1.272bfd6a201a9p-18, -0x1.158aac3f58136p-19, 0x1.b10ea380c57afp-21, -0x1.1dbf00dd3f209p-21,
	             0x1.122a710bd1cfp-21, 0x1.d731e4c5a861p-22, 0x1.7c261d86a91e7p-22);
}

/* log gamma x for x from 0 to 8. Near 1, both log x and log gamma(1 + x) vanish; they are computed from x - 1. */
INLINE double lgamma_near(double x)
{
	double f = x - 1, product = 1;
	if (__builtin_fabs(f) <= 0x1p+0 / 3)
		return fma(f, fma(f, lgamma_kernel(f), -0x1.2788cfc6fb619p-1), -f64_log_rest(f));
	bool below = x < 1;
	if (below) {
		product = f < -0x1.5555555555555p-1 ? fma(x, x, x) : x;
		f = f < -0x1.5555555555555p-1 ? x : f;
	} else {
		for (; x >= 0x1.2aaaaaaaaaaabp+1; product *= x)
			x -= 1;
		f = x - 2;
	}
	double logarithm = __nv_log(product);
	return fma(f, fma(f, lgamma_kernel(f), 0x1.b0ee6072093cep-2), below ? -logarithm : logarithm);
}

INLINE double lgamma_positive(double x)
{
	if (x < 8)
		return lgamma_near(x);
	double low, high = stirling(x, &low);
	return high < F64_INF ? high + low : F64_INF;
}

double __nv_lgamma(double x)
{
	double a = __builtin_fabs(x);
	if (!(a < F64_INF))
		return x * x;
	if (a < 0x1p-70)
		return -__nv_log(a);
	double y = lgamma_positive(a);
	if (x > 0)
		return y;
	if (__builtin_floor(x) == x)
		return F64_INF;
	return __nv_log(0x1.921fb54442d18p+1 / __builtin_fabs(a * f64_sinpi(a))) - y;
}

float __nv_lgammaf(float x)
{
	return (float)__nv_lgamma(x);
}
