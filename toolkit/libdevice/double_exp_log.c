/* double_exp_log: exponentials, logarithms, powers, roots and hyperbolic functions of double. */
#include "double_core.h"

double __nv_exp(double x)
{
	return f64_exp(x, 0, 0);
}

double __nv_exp2(double x)
{
	double c = x > 1100 ? 1100 : x < -1100 ? -1100 : x;
	double n = f64_max(__builtin_rint(c), -1100), r = c - n;
	/* (2^r - 1) / r on [-1/2, 1/2]: error 2^-61 */
	double p = POLYD(r, 1, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0c6p-5, 0x1.3b2ab6fba4e6p-7,
	                 0x1.5d87fe78a3fe5p-10, 0x1.430912f874178p-13, 0x1.ffcbfc6d8d41fp-17, 0x1.62c0221b5c8efp-20,
	                 0x1.b524ec0bee3f6p-24, 0x1.e4cfae6eda3a9p-28, 0x1.e9ebc1d35ca89p-32, 0x1.c3bd3e63828e7p-36);
	return f64_scale(p, (int)n);
}

/* 10^x = e^(x ln 10), ln 10 in two parts. */
double __nv_exp10(double x)
{
	double c = x > 400 ? 400 : x < -400 ? -400 : x;
	double high = mul_rn_d(c, 0x1.26bb1bbb55516p+1);
	double low = fma(c, 0x1.26bb1bbb55516p+1, -high);
	return f64_exp(high, fma(c, -0x1.f48ad494ea3e9p-53, low), 0);
}

double __nv_expm1(double x)
{
	return f64_expm1(x);
}

double __nv_log(double x)
{
	double e, f = f64_split(x, &e) - 1;
	double y = fma(e, 0x1.ef35793c76730p-45, f64_log_rest(f));
	return f64_log_special(x, fma(e, 0x1.62e42fefa3800p-1, f + y));
}

/* c log m + e step, for x = 2^e m: the logarithm to another base. Both constants have two parts. */
INLINE double scaled_log(double x, double c, double c_low, double step, double step_low)
{
	double e, f = f64_split(x, &e) - 1;
	double rest = f64_log_rest(f);
	double high = add_rn_d(f, rest), low = add_rn_d(add_rn_d(f, -high), rest);
	double y = mul_rn_d(high, c), y_low = fma(high, c, -y);
	y_low = fma(low, c, fma(high, c_low, y_low));
	double base = mul_rn_d(e, step), sum = add_rn_d(base, y);
	y_low += add_rn_d(add_rn_d(base, -sum), y);
	return f64_log_special(x, sum + fma(e, step_low, y_low));
}

double __nv_log2(double x)
{
	return scaled_log(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 1, 0);
}

double __nv_log10(double x)
{
	return scaled_log(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.34413509f7000p-2, 0x1.3fde623e2566bp-43);
}

double __nv_log1p(double x)
{
	return f64_log1p(x);
}

/* e^(y log x) for x > 0. The logarithm has two parts because the exponent reaches 745. */
static double pow_positive(double x, double y)
{
	double low, high = f64_log_parts(x, &low);
	double product = mul_rn_d(high, y), product_low = fma(high, y, -product);
	product_low = fma(low, y, product_low);
	if (!(__builtin_fabs(product) < 800))
		product_low = 0;
	return f64_exp(product, product_low, 0);
}

double __nv_pow(double x, double y)
{
	double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
	if (x == 1 || y == 0)
		return 1;
	if (x != x || y != y)
		return x + y;
	bool odd = ay < 0x1p53 && (ay - 2 * __builtin_trunc(0.5 * ay)) == 1;
	if (ax == 0 || ax == F64_INF) {
		double magnitude = (ax == 0) == (y < 0) ? F64_INF : 0;
		return odd ? f64_sign_of(magnitude, x) : magnitude;
	}
	if (ay == F64_INF)
		return ax == 1 ? 1 : (ax < 1) == (y < 0) ? F64_INF : 0;
	double result = pow_positive(ax, y);
	if (x < 0) {
		if (__builtin_trunc(y) != y)
			return F64_NAN;
		if (odd)
			result = -result;
	}
	return result;
}

/* Small powers use multiplications, where these lose less accuracy than pow(). */
double __nv_powi(double x, int n)
{
	if (n < -1 || n > 8) {
		/* The sign comes from n, because a large odd n may round to an even double. */
		double y = __nv_pow(__builtin_fabs(x), (double)n);
		return x < 0 && (n & 1) ? -y : y;
	}
	double result = 1;
	for (int k = n < 0 ? 1 : n; k; k >>= 1) {
		if (k & 1)
			result *= x;
		x *= x;
	}
	return n < 0 ? 1 / result : result;
}

/* sinh and tanh use h = e^|x| - 1, which avoids cancellation near zero. */
double __nv_sinh(double x)
{
	double a = __builtin_fabs(x), y;
	if (a < 22) {
		double h = f64_expm1(a);
		y = 0.5 * (h + h / (h + 1));
	} else {
		y = 2 * f64_exp(a, 0, -2);
	}
	return f64_sign_of(y, x);
}

double __nv_cosh(double x)
{
	double quarter = f64_exp(__builtin_fabs(x), 0, -2);
	return fma(quarter, 2, 0.125 / quarter);
}

double __nv_tanh(double x)
{
	double a = __builtin_fabs(x);
	double h = f64_expm1(2 * (a > 22 ? 22 : a));
	return x != x ? x : f64_sign_of(h / (h + 2), x);
}

double __nv_asinh(double x)
{
	double a = __builtin_fabs(x), y;
	if (a < 0x1p500)
		y = f64_log1p(fma(a, a / (1 + sqrt(fma(a, a, 1))), a));
	else
		y = __nv_log(a) + 0x1.62e42fefa39efp-1;
	return f64_sign_of(y, x);
}

double __nv_acosh(double x)
{
	double t = x - 1;
	if (x < 1)
		return F64_NAN;
	if (x < 0x1p500)
		return f64_log1p(t + sqrt(fma(t, t, 2 * t)));
	return __nv_log(x) + 0x1.62e42fefa39efp-1;
}

double __nv_atanh(double x)
{
	double a = __builtin_fabs(x);
	return f64_sign_of(0.5 * f64_log1p(2 * a / (1 - a)), x);
}

double __nv_rsqrt(double x)
{
	return 1 / sqrt(x);
}

/* Starts from a third of the exponent; then Halley's cubic iteration and one correction with the exact residual. */
double __nv_cbrt(double x)
{
	double a = __builtin_fabs(x), scale = 1;
	if (a == 0 || !(a < F64_INF))
		return x;
	if (a > 0x1p900) {
		a *= 0x1p-300;
		scale = 0x1p100;
	} else if (a < 0x1p-900) {
		a *= 0x1p300;
		scale = 0x1p-100;
	}
	double y = f64_from((uint64_t)((uint32_t)(f64_bits(a) >> 32) / 3 + 0x2a9f7893) << 32);
	for (int i = 0; i < 3; i++) {
		double c = y * y * y;
		y *= (c + 2 * a) / (2 * c + a);
	}
	double square = mul_rn_d(y, y);
	double residual = fma(square, y, -a) + fma(y, y, -square) * y;
	y = fma(residual / square, -0x1.5555555555555p-2, y);
	return f64_sign_of(y * scale, x);
}

double __nv_rcbrt(double x)
{
	return 1 / __nv_cbrt(x);
}
