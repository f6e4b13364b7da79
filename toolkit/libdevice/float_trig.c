/* float_trig: trigonometric functions of float and their inverses. */
#include "libdevice.h"

/* Words of 2/pi, highest first, after a word of zeros. Constants select them, so that no table is loaded. */
INLINE uint32_t two_over_pi(uint32_t word)
{
	uint32_t low = word == 0 ? 0 : word == 1 ? 0xa2f9836e : word == 2 ? 0x4e441529 : 0xfc2757d1;
	uint32_t high = word == 4 ? 0xf534ddc0 : word == 5 ? 0xdb629599 : word == 6 ? 0x3c439041 : 0xfe5163ab;
	return word < 4 ? low : high;
}

/* |x| * 2/pi modulo 4 for |x| from 2^16 up, as a fixed-point number with two integer bits (Payne and Hanek). It is the
 * product of x's 24-bit significand and the 96 bits of 2/pi with weights below 4 and above 2^-94. */
INLINE uint64_t large_quadrants(float x)
{
	uint32_t exponent = (f32_bits(x) >> 23 & 0xff) - 127;
	uint32_t significand = (f32_bits(x) & 0x7fffff) | 0x800000;
	uint32_t first = exponent + 7; /* first of the 96 bits, counted from the word of zeros */
	uint32_t word = first >> 5, shift = first & 31;
	uint64_t a = two_over_pi(word), b = two_over_pi(word + 1), c = two_over_pi(word + 2), d = two_over_pi(word + 3);
	uint32_t high = (uint32_t)((a << 32 | b) << shift >> 32);
	uint32_t middle = (uint32_t)((b << 32 | c) << shift >> 32);
	uint32_t low = (uint32_t)((c << 32 | d) << shift >> 32);
	uint64_t product = ((uint64_t)significand * low >> 32) + (uint64_t)significand * middle;
	return product + ((uint64_t)(significand * high) << 32);
}

/* x = quadrant * pi/2 + r, |r| <= pi/4. Up to 105615, pi/2 has three parts, and fused operations use the exact products
 * of parts and quadrant. All parts are positive, so that -0 stays -0. */
INLINE float reduce(float x, int *quadrant)
{
	int n = (int)__builtin_rintf(x * 0x1.45f306p-1f);
	float r = fmaf((float)n, -0x1.921fb4p+0f, x);
	r = fmaf((float)n, -0x1.4442dp-24f, r);
	r = fmaf((float)n, -0x1.84698ap-48f, r);
	if (!(__builtin_fabsf(x) < 105615)) {
		uint64_t turns = large_quadrants(x);
		bool up = turns >> 61 & 1; /* rounds to the nearest quadrant: the rest is from -1/2 to 1/2 */
		uint64_t fraction = up ? 0 - (turns << 2) : turns << 2;
		float high = (float)(int32_t)(fraction >> 40), low = (float)(uint32_t)(fraction >> 8);
		r = fmaf(high, 0x1.921fb6p-24f, fmaf(low, 0x1.921fb6p-56f, high * -0x1.777a5cp-49f));
		n = (int)(turns >> 62) + up;
		r = up != (x < 0) ? -r : r;
		n = x < 0 ? -n : n;
		if (!(__builtin_fabsf(x) < F32_INF))
			r = F32_NAN;
	}
	*quadrant = n;
	return r;
}

/* on [-pi/4, pi/4]: errors 2^-27.8 and 2^-32 */
INLINE float sin_kernel(float r)
{
	float z = r * r;
	return fmaf(POLYF(z, 0, -0x1.555544p-3f, 0x1.1106d4p-7f, -0x1.9920c2p-13f), r, r);
}

INLINE float cos_kernel(float r)
{
	float z = r * r;
	return POLYF(z, 1, -0.5f, 0x1.55554ap-5f, -0x1.6c0bc4p-10f, 0x1.99cb8p-16f);
}

/* One polynomial with selected coefficients, so that the lanes of a warp do not diverge. */
INLINE float sin_or_cos(float r, int quadrant)
{
	float z = r * r;
	bool cosine = quadrant & 1;
	float p = cosine ? 0x1.99cb8p-16f : -0x1.9920c2p-13f;
	p = fmaf(p, z, cosine ? -0x1.6c0bc4p-10f : 0x1.1106d4p-7f);
	p = fmaf(p, z, cosine ? 0x1.55554ap-5f : -0x1.555544p-3f);
	p = fmaf(p, z, cosine ? -0.5f : 0);
	float factor = cosine ? z : r, term = cosine ? 1 : r;
	float y = fmaf(p, factor, term);
	return quadrant & 2 ? -y : y;
}

float __nv_sinf(float x)
{
	int quadrant;
	float r = reduce(x, &quadrant);
	return sin_or_cos(r, quadrant);
}

float __nv_cosf(float x)
{
	int quadrant;
	float r = reduce(x, &quadrant);
	return sin_or_cos(r, quadrant + 1);
}

void __nv_sincosf(float x, float *sine, float *cosine)
{
	int quadrant;
	float r = reduce(x, &quadrant);
	float s = sin_kernel(r), c = cos_kernel(r);
	float s1 = quadrant & 1 ? c : s, c1 = quadrant & 1 ? s : c;
	*sine = quadrant & 2 ? -s1 : s1;
	*cosine = (quadrant + 1) & 2 ? -c1 : c1;
}

float __nv_tanf(float x)
{
	int quadrant;
	float r = reduce(x, &quadrant);
	float z = r * r;
	/* (tan r - r) / r^3 on [-pi/4, pi/4]: error 2^-25.5 */
	float p =
		POLYF(z, 0x1.5554ccp-2f, 0x1.11316cp-3f, 0x1.b50fcp-5f, 0x1.93c03cp-6f, 0x1.6bc7fcp-9f, 0x1.3a467p-7f);
	float y = fmaf(p * z, r, r);
	return quadrant & 1 ? -1 / y : y;
}

/* x = n/2 + r, exactly. Beyond 2^24 all numbers are even integers, equivalent to zero. Infinities become NaN. */
INLINE float reduce_pi(float x, int *quadrant)
{
	x = __builtin_fabsf(x) < 0x1p24f ? x : x * 0;
	float n = __builtin_rintf(x + x);
	*quadrant = (int)n;
	return fmaf(n, -0.5f, x);
}

/* on [-1/4, 1/4]: errors 2^-30 and 2^-34 */
INLINE float sinpi_kernel(float r)
{
	float z = r * r;
	float p = POLYF(z, -0x1.4abbcp+2f, 0x1.466032p+1f, -0x1.2dd048p-1f);
	return fmaf(r, 0x1.921fb6p+1f, r * fmaf(p, z, -0x1.777a5cp-24f));
}

INLINE float cospi_kernel(float r)
{
	float z = r * r;
	return POLYF(z, 1, -0x1.3bd3ccp+2f, 0x1.03c1dep+2f, -0x1.55c664p+0f, 0x1.d9f7bcp-3f);
}

float __nv_sinpif(float x)
{
	int quadrant;
	float r = reduce_pi(x, &quadrant);
	float y = quadrant & 1 ? cospi_kernel(r) : sinpi_kernel(r);
	y = quadrant & 2 ? -y : y;
	return r == 0 && !(quadrant & 1) ? f32_sign_of(0, x) : y;
}

float __nv_cospif(float x)
{
	int quadrant;
	float r = reduce_pi(x, &quadrant);
	float y = quadrant & 1 ? sinpi_kernel(r) : cospi_kernel(r);
	y = (quadrant + 1) & 2 ? -y : y;
	return y == 0 ? 0 : y;
}

void __nv_sincospif(float x, float *sine, float *cosine)
{
	*sine = __nv_sinpif(x);
	*cosine = __nv_cospif(x);
}

/* (atan x - x) / x^3 on [0, 1]: error 2^-25.8 */
INLINE float atan_kernel(float x)
{
	float z = x * x;
	float p = POLYF(z, -0x1.5554dcp-2f, 0x1.9978f4p-3f, -0x1.230adcp-3f, 0x1.b4e13p-4f, -0x1.3556cp-4f,
	                0x1.61fdecp-5f, -0x1.0c2c26p-6f, 0x1.7ed24cp-9f);
	return fmaf(p * z, x, x);
}

float __nv_atanf(float x)
{
	float a = __builtin_fabsf(x);
	bool inverse = a > 1;
	float y = atan_kernel(inverse ? 1 / a : a);
	if (inverse)
		y = 0x1.921fb6p+0f - y;
	return f32_sign_of(y, x);
}

float __nv_atan2f(float y, float x)
{
	float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
	float big = f32_max(ax, ay), small = f32_min(ax, ay);
	float q = small / big;
	if (big == 0)
		q = 0;
	if (small == F32_INF)
		q = 1;
	float a = atan_kernel(q);
	if (ay > ax)
		a = 0x1.921fb6p+0f - a;
	if (f32_bits(x) >> 31)
		a = 0x1.921fb6p+1f - a;
	return x != x || y != y ? x + y : f32_sign_of(a, y);
}

/* (asin x - x) / x^3 on [0, 0.5625]: error 2^-25.2 */
INLINE float asin_kernel(float x)
{
	float z = x * x;
	float p = POLYF(z, 0x1.555728p-3f, 0x1.32970cp-4f, 0x1.7e74bp-5f, 0x1.2f5b3ep-6f, 0x1.a36aaap-5f);
	return fmaf(p * z, x, x);
}

/* Near 1: asin x = pi/2 - 2 asin sqrt((1 - x) / 2). */
float __nv_asinf(float x)
{
	float a = __builtin_fabsf(x);
	bool large = a > 0.5625f;
	float y = asin_kernel(large ? sqrtf(fmaf(a, -0.5f, 0.5f)) : a);
	if (large)
		y = fmaf(y, -2, 0x1.921fb6p+0f);
	return f32_sign_of(y, x);
}

float __nv_acosf(float x)
{
	float a = __builtin_fabsf(x);
	bool large = a > 0.5625f;
	float y = asin_kernel(large ? sqrtf(fmaf(a, -0.5f, 0.5f)) : a);
	if (large) {
		y += y;
		return x < 0 ? 0x1.921fb6p+1f - y : y;
	}
	/* pi/2 in two parts */
	return 0x1.921fb6p+0f - f32_sign_of(y, x) - 0x1.777a5cp-25f;
}

float __nv_fast_sinf(float x)
{
	return sin_approx(x);
}

float __nv_fast_cosf(float x)
{
	return cos_approx(x);
}

void __nv_fast_sincosf(float x, float *sine, float *cosine)
{
	*sine = sin_approx(x);
	*cosine = cos_approx(x);
}

float __nv_fast_tanf(float x)
{
	return div_approx(sin_approx(x), cos_approx(x));
}
