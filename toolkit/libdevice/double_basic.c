/* double_basic: rounding, signs, exponents, remainders and norms of double. */
#include "libdevice.h"

#define F             double
#define U             uint64_t
#define N(name)       __nv_##name
#define BUILTIN(name) __builtin_##name
#define FMA           fma
#define MUL           mul_rn_d
#define SQRT          sqrt
#define TO_LL(x)      ((long long)(x))
#define bits          f64_bits
#define from          f64_from
#define pow2          f64_pow2
#define SIGN          0x8000000000000000u
#define INF_BITS      0x7ff0000000000000u
#define NAN_BITS      0x7fffffffffffffffu
#define FRACTION      0xfffffffffffffu
#define FRACTION_BITS 52
#define BIAS          1023
#define BELOW_HALF    0x1.fffffffffffffp-2
#define CLZ(x)        (-1011 - (int)__builtin_clzll(x)) /* exponent of the subnormal with these bits */

#include "basic.inc"

int __nv_isnand(double x)
{
	return x != x;
}

int __nv_isinfd(double x)
{
	return __builtin_fabs(x) == F64_INF;
}

int __nv_isfinited(double x)
{
	return __builtin_fabs(x) < F64_INF;
}

int __nv_signbitd(double x)
{
	return (int)(f64_bits(x) >> 63);
}
