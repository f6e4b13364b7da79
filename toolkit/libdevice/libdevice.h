/* libdevice: the device's mathematics, as the __nv_* functions that clang's CUDA headers call.
 *
 * The sources are compiled to NVPTX bitcode, which clang links into each CUDA program and inlines. They are also
 * compiled for the host, where tests compare them with MPFR. The CUDA compiler may fuse plain * and +. Where a result
 * needs a separately rounded operation (error terms, exact products), the code uses mul_rn() and add_rn().
 *
 * Polynomials are minimax fits; the error in their comments is that of the fit, relative to the function.
 */
#ifndef SLUICE_LIBDEVICE_H
#define SLUICE_LIBDEVICE_H

#include <stdbool.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#ifdef __NVPTX__
#define mul_rn(x, y)      __nvvm_mul_rn_f(x, y)
#define add_rn(x, y)      __nvvm_add_rn_f(x, y)
#define fmaf(x, y, z)     __nvvm_fma_rn_f(x, y, z)
#define sqrtf(x)          __nvvm_sqrt_rn_f(x)
#define mul_rn_d(x, y)    __nvvm_mul_rn_d(x, y)
#define add_rn_d(x, y)    __nvvm_add_rn_d(x, y)
#define fma(x, y, z)      __nvvm_fma_rn_d(x, y, z)
#define sqrt(x)           __nvvm_sqrt_rn_d(x)
#define ex2_approx(x)     __nvvm_ex2_approx_f(x)
#define lg2_approx(x)     __nvvm_lg2_approx_f(x)
#define sin_approx(x)     __nvvm_sin_approx_f(x)
#define cos_approx(x)     __nvvm_cos_approx_f(x)
#define rsqrt_approx(x)   __nvvm_rsqrt_approx_f(x)
#define rsqrt_approx_d(x) __nvvm_rsqrt_approx_d(x)
#define div_approx(x, y)  __nvvm_div_approx_f(x, y)
#define CONSTANT          static const __attribute__((address_space(4)))
#define NOINLINE          __attribute__((noinline))
#else
#include <math.h>
#define mul_rn(x, y)      ((float)(x) * (float)(y))
#define add_rn(x, y)      ((float)(x) + (float)(y))
#define mul_rn_d(x, y)    ((x) * (y))
#define add_rn_d(x, y)    ((x) + (y))
#define ex2_approx(x)     ((float)exp2((double)(x)))
#define lg2_approx(x)     ((float)log2((double)(x)))
#define sin_approx(x)     ((float)sin((double)(x)))
#define cos_approx(x)     ((float)cos((double)(x)))
#define rsqrt_approx(x)   ((float)(1 / sqrt((double)(x))))
#define rsqrt_approx_d(x) (1 / sqrt(x))
#define div_approx(x, y)  ((x) / (y))
#define CONSTANT          static const
#define NOINLINE          __attribute__((noinline))
#endif

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

#define F32_INF __builtin_inff()
#define F32_NAN __builtin_nanf("")
#define F64_INF __builtin_inf()
#define F64_NAN __builtin_nan("")

INLINE uint32_t f32_bits(float x)
{
	uint32_t bits;
	__builtin_memcpy(&bits, &x, sizeof bits);
	return bits;
}

INLINE float f32_from(uint32_t bits)
{
	float x;
	__builtin_memcpy(&x, &bits, sizeof x);
	return x;
}

INLINE uint64_t f64_bits(double x)
{
	uint64_t bits;
	__builtin_memcpy(&bits, &x, sizeof bits);
	return bits;
}

INLINE double f64_from(uint64_t bits)
{
	double x;
	__builtin_memcpy(&x, &bits, sizeof x);
	return x;
}

INLINE uint32_t f64_high(double x)
{
	return (uint32_t)(f64_bits(x) >> 32);
}

/* magnitude of the first, sign of the second */
INLINE float f32_sign_of(float x, float sign)
{
	return f32_from((f32_bits(x) & 0x7fffffff) | (f32_bits(sign) & 0x80000000));
}

INLINE double f64_sign_of(double x, double sign)
{
	return f64_from((f64_bits(x) & 0x7fffffffffffffff) | (f64_bits(sign) & 0x8000000000000000));
}

/* 2^n for n from -126 to 127 */
INLINE float f32_pow2(int n)
{
	return f32_from((uint32_t)(n + 127) << 23);
}

/* 2^n for n from -1022 to 1023 */
INLINE double f64_pow2(int n)
{
	return f64_from((uint64_t)(n + 1023) << 52);
}

/* x * 2^n for n from -252 to 254, rounded once */
INLINE float f32_scale(float x, int n)
{
	int half = n >> 1;
	return x * f32_pow2(half) * f32_pow2(n - half);
}

INLINE double f64_scale(double x, int n)
{
	int half = n >> 1;
	return x * f64_pow2(half) * f64_pow2(n - half);
}

/* min and max as in PTX: a NaN operand yields the other operand */
INLINE float f32_min(float x, float y)
{
	return __builtin_fminf(x, y);
}

INLINE float f32_max(float x, float y)
{
	return __builtin_fmaxf(x, y);
}

INLINE double f64_min(double x, double y)
{
	return __builtin_fmin(x, y);
}

INLINE double f64_max(double x, double y)
{
	return __builtin_fmax(x, y);
}

/* c[0] + x * (c[1] + x * (c[2] + ...)). The loop unrolls and the coefficients become immediates, without a table. */
INLINE float poly_f(float x, const float *c, int n)
{
	float p = c[n - 1];
#pragma GCC unroll 32
	for (int i = n - 2; i >= 0; i--)
		p = fmaf(p, x, c[i]);
	return p;
}

INLINE double poly_d(double x, const double *c, int n)
{
	double p = c[n - 1];
#pragma GCC unroll 32
	for (int i = n - 2; i >= 0; i--)
		p = fma(p, x, c[i]);
	return p;
}

#define POLYF(x, ...)                                                                                                  \
	poly_f(x, (const float[]){__VA_ARGS__}, (int)(sizeof((const float[]){__VA_ARGS__}) / sizeof(float)))
#define POLYD(x, ...)                                                                                                  \
	poly_d(x, (const double[]){__VA_ARGS__}, (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

#endif
