/* float_exp_log: exponentials, logarithms, powers and hyperbolic functions of float. */
#include "float_exp_log.h"

float __nv_exp2f(float x)
{
	return ex2_approx(x);
}

float __nv_expf(float x)
{
	return f32_exp(x, 0);
}

/* Like expf(), with ln 10 / ln 2 in two parts. */
float __nv_exp10f(float x)
{
	float n = f32_max(f32_min(__builtin_rintf(x * 0x1.a934fp+1f), 252), -252);
	float r = fmaf(n, -0x1.344p-2f, x);
	r = fmaf(n, -0x1.3509f8p-18f, r);
	return f32_scale(ex2_approx(fmaf(r, 0x1.a934fp+1f, r * 0x1.2f346ep-24f)), (int)n);
}

/* 2^n * (e^r - 1) + (2^n - 1), computed at half its value so that n = 128 fits. */
float __nv_expm1f(float x)
{
	float n = f32_max(f32_min(__builtin_rintf(x * 0x1.715476p+0f), 128), -26);
	float r = fmaf(n, -0x1.62e4p-1f, x);
	r = fmaf(n, -0x1.7f7d1cp-20f, r);
	/* error 2^-26 on [-0.3466, 0.3466] */
	float p = POLYF(r, 0x1.fffffep-2f, 0x1.5554bp-3f, 0x1.555674p-5f, 0x1.122772p-7f, 0x1.6bec08p-10f);
	p = fmaf(r * p, r, r);
	float half = f32_pow2((int)n - 1);
	float y = fmaf(half, p, half - 0.5f);
	y += y;
	if (x > 89)
		y = F32_INF;
	if (x < -17.5f)
		y = -1;
	return __builtin_fabsf(x) < 0x1p-24f ? x : y;
}

float __nv_logf(float x)
{
	float e, y = f32_log_reduced(x, &e);
	y = fmaf(e, 0x1.62e430p-1f, fmaf(e, -0x1.05c61p-29f, y));
	return f32_log_special(x, y);
}

float __nv_log2f(float x)
{
	float e, y = f32_log_reduced(x, &e);
	float high = mul_rn(y, 0x1.715476p+0f);
	float low = fmaf(y, 0x1.715476p+0f, -high);
	low = fmaf(y, 0x1.4ae0cp-26f, low);
	/* low matters only for small e: near 1 the result is just high + low */
	return f32_log_special(x, add_rn(add_rn(e, high), low));
}

float __nv_log10f(float x)
{
	float e, y = f32_log_reduced(x, &e);
	y = fmaf(y, 0x1.bcb7b2p-2f, y * -0x1.5b235ep-27f);
	y = fmaf(e, 0x1.344136p-2f, fmaf(e, -0x1.ec10c0p-27f, y));
	return f32_log_special(x, y);
}

float __nv_log1pf(float x)
{
	return f32_log1p(x);
}

/* 2^(y log2|x|), with log2|x| in two parts. The logarithm's relative error is at most 2^-31. For a finite result,
 * |y log2|x|| is at most 128. Therefore its absolute error is below a third of an ulp of the result. */
static float pow_positive(float x, float y)
{
	float e = 0;
	if (x < 0x1p-126f) {
		x *= 0x1p24f;
		e = -24;
	}
	uint32_t over = (f32_bits(x) - 0x3f3504f3) & 0xff800000;
	float m = f32_from(f32_bits(x) - over);
	e += (float)((int32_t)over >> 23);

	/* q = 2 (m - 1) / (m + 1) in two parts; log m = 2 atanh(q / 2) */
	float f = m - 1, inverse = 1 / add_rn(m, 1);
	float q = mul_rn(add_rn(f, f), inverse);
	float residual = add_rn(f, -q);
	float q_low = mul_rn(inverse, fmaf(-q, f, add_rn(residual, residual)));
	float z = mul_rn(q, q);
	/* atanh's series in q: error 2^-30 */
	float p = POLYF(z, 0x1.55557ap-4f, 0x1.995ec6p-7f, 0x1.31e1fcp-9f) * z;
	q_low = fmaf(p, q, q_low);

	/* times log2(e), plus e */
	float high = mul_rn(q, 0x1.715476p+0f);
	float low = fmaf(q, 0x1.715476p+0f, -high);
	low = fmaf(q, 0x1.4ae0cp-26f, low);
	low = fmaf(q_low, 0x1.715476p+0f, low);
	float sum = add_rn(e, high);
	float sum_low = add_rn(add_rn(high, add_rn(e, -sum)), low);

	float product = mul_rn(sum, y);
	float product_low = fmaf(sum, y, -product);
	product_low = fmaf(sum_low, y, product_low);
	/* far outside the range the low part is meaningless or NaN */
	if (!(__builtin_fabsf(product) < 252))
		product_low = 0;
	product = f32_max(f32_min(product, 252), -252);
	float n = __builtin_rintf(product);
	return f32_scale(ex2_approx(add_rn(add_rn(product, -n), product_low)), (int)n);
}

float __nv_powf(float x, float y)
{
	float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
	if (x == 1 || y == 0)
		return 1;
	if (x != x || y != y)
		return x + y;
	bool odd = ay < 0x1p24f && (ay - 2 * __builtin_truncf(0.5f * ay)) == 1;
	if (ax == 0 || ax == F32_INF) {
		float magnitude = (ax == 0) == (y < 0) ? F32_INF : 0;
		return odd ? f32_sign_of(magnitude, x) : magnitude;
	}
	if (ay == F32_INF)
		return ax == 1 ? 1 : (ax < 1) == (y < 0) ? F32_INF : 0;
	float result = pow_positive(ax, y);
	if (x < 0) {
		if (__builtin_truncf(y) != y)
			return F32_NAN;
		if (odd)
			result = -result;
	}
	return result;
}

/* Small powers use multiplications, where these lose less accuracy than powf(). */
float __nv_powif(float x, int n)
{
	if (n < -1 || n > 8) {
		/* The sign comes from n, because a large odd n may round to an even float. */
		float y = __nv_powf(__builtin_fabsf(x), (float)n);
		return x < 0 && (n & 1) ? -y : y;
	}
	float result = 1;
	for (int k = n < 0 ? 1 : n; k; k >>= 1) {
		if (k & 1)
			result *= x;
		x *= x;
	}
	return n < 0 ? 1 / result : result;
}

float __nv_sinhf(float x)
{
	float a = __builtin_fabsf(x);
	if (a < 1) {
		float z = x * x;
		/* error 2^-25 on [0, 1] */
		float p = POLYF(z, 0x1.555598p-3f, 0x1.10f77cp-7f, 0x1.ab3c62p-13f);
		return fmaf(p * z, x, x);
	}
	float quarter = f32_exp(a, -2);
	return f32_sign_of(fmaf(quarter, 2, -0.125f / quarter), x);
}

float __nv_coshf(float x)
{
	float quarter = f32_exp(__builtin_fabsf(x), -2);
	return fmaf(quarter, 2, 0.125f / quarter);
}

float __nv_tanhf(float x)
{
	float a = __builtin_fabsf(x);
	if (a < 0.55f) {
		float z = x * x;
		/* error 2^-24.7 on [0, 0.55] */
		float p = POLYF(z, 0, -0x1.555452p-2f, 0x1.10cef6p-3f, -0x1.af7cccp-5f, 0x1.0d5038p-6f);
		return fmaf(p, x, x);
	}
	float e = ex2_approx(a * 0x1.715476p+1f);
	float y = fmaf(-2, 1 / add_rn(e, 1), 1);
	return x != x ? x : f32_sign_of(y, x);
}

float __nv_asinhf(float x)
{
	float a = __builtin_fabsf(x), y;
	if (a < 0x1p60f) /* a + a^2 / (1 + sqrt(1 + a^2)), which is x + sqrt(1 + x^2) - 1 */
		y = f32_log1p(fmaf(a, a / (1 + sqrtf(fmaf(a, a, 1))), a));
	else
		y = __nv_logf(a) + 0x1.62e43p-1f;
	return f32_sign_of(y, x);
}

float __nv_acoshf(float x)
{
	float t = x - 1;
	if (x < 1)
		return F32_NAN;
	if (x < 0x1p60f)
		return f32_log1p(t + sqrtf(fmaf(t, t, 2 * t)));
	return __nv_logf(x) + 0x1.62e43p-1f;
}

float __nv_atanhf(float x)
{
	float a = __builtin_fabsf(x);
	float t = 2 * a / (1 - a);
	float y = 0.5f * f32_log1p(t);
	return f32_sign_of(y, x);
}

float __nv_fast_expf(float x)
{
	return ex2_approx(x * 0x1.715476p+0f);
}

float __nv_fast_exp10f(float x)
{
	return ex2_approx(x * 0x1.a934fp+1f);
}

float __nv_fast_log2f(float x)
{
	return lg2_approx(x);
}

float __nv_fast_logf(float x)
{
	return lg2_approx(x) * 0x1.62e43p-1f;
}

float __nv_fast_log10f(float x)
{
	return lg2_approx(x) * 0x1.344136p-2f;
}

float __nv_fast_powf(float x, float y)
{
	return ex2_approx(y * lg2_approx(x));
}
