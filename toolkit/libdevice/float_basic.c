/* float_basic: rounding, signs, exponents, remainders and norms of float. */
#include "libdevice.h"

#define F             float
#define U             uint32_t
#define N(name)       __nv_##name##f
#define BUILTIN(name) __builtin_##name##f
#define FMA           fmaf
#define MUL           mul_rn
#define SQRT          sqrtf
#define TO_LL(x)      ((long long)(x))
#define bits          f32_bits
#define from          f32_from
#define pow2          f32_pow2
#define SIGN          0x80000000u
#define INF_BITS      0x7f800000u
#define NAN_BITS      0x7fffffffu
#define FRACTION      0x7fffffu
#define FRACTION_BITS 23
#define BIAS          127
#define BELOW_HALF    0x1.fffffep-2f
#define CLZ(x)        (-118 - (int)__builtin_clz(x)) /* exponent of the subnormal with these bits */

#include "basic.inc"

int __nv_isnanf(float x)
{
	return x != x;
}

int __nv_isinff(float x)
{
	return __builtin_fabsf(x) == F32_INF;
}

int __nv_finitef(float x)
{
	return __builtin_fabsf(x) < F32_INF;
}

int __nv_signbitf(float x)
{
	return (int)(f32_bits(x) >> 31);
}

/* x^(1/3): starts from a third of the exponent; then Halley's cubic iteration. */
float __nv_cbrtf(float x)
{
	float a = __builtin_fabsf(x), scale = 1;
	if (a == 0 || !(a < F32_INF))
		return x;
	if (a > 0x1p100f) {
		a *= 0x1p-72f;
		scale = 0x1p24f;
	} else if (a < 0x1p-100f) {
		a *= 0x1p72f;
		scale = 0x1p-24f;
	}
	float y = f32_from(f32_bits(a) / 3 + 0x2a5119f2);
	for (int i = 0; i < 2; i++) {
		float c = y * y * y;
		y *= (c + 2 * a) / (2 * c + a);
	}
	/* one correction by Newton's method with the exact residual of y^3 */
	float square = mul_rn(y, y);
	float residual = fmaf(square, y, -a) + fmaf(y, y, -square) * y;
	y = fmaf(residual / square, -0x1.555556p-2f, y);
	return f32_sign_of(y * scale, x);
}

float __nv_rcbrtf(float x)
{
	return 1 / __nv_cbrtf(x);
}
