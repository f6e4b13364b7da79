/* cuda_fp8: 8-bit numbers, single and in vectors of two and four, on the host and on the device. The formats are e4m3
 * (4 exponent bits, no infinity) and e5m2.
 *
 * Every conversion rounds once, to nearest, from the given number; NaN becomes 0x7f. Numbers that are too large become
 * the largest number. Without saturation they become infinity in e5m2 and NaN in e4m3.
 */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "sluice/macros_off.h"

#if defined(__cplusplus)

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#define SLUICE_FP8 static __host__ __device__ __forceinline__

SLUICE_FP8 __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
                                                     const __nv_fp8_interpretation_t interpretation)
{
	const bool wide = interpretation == __NV_E5M2;
	const int fraction = wide ? 2 : 3, lowest = wide ? -14 : -6; /* exponent of the smallest normal number */
	const unsigned int largest = wide ? 0x7b : 0x7e;
	unsigned long long bits;
	memcpy(&bits, &x, sizeof bits);
	const unsigned int sign = (unsigned int)(bits >> 56) & 0x80;
	const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	const unsigned long long mantissa = (bits & 0xfffffffffffffull) | 1ull << 52;
	if (x != x)
		return 0x7f;
	/* Number of bits to cut off to get units of the last place. Numbers below half the smallest number become 0. */
	const int cut = 52 - fraction + (exponent < lowest ? lowest - exponent : 0);
	unsigned int size = 0;
	if (cut <= 54) {
		const unsigned long long kept = cut < 64 ? mantissa >> cut : 0, rest = mantissa - (kept << cut);
		const unsigned long long half = 1ull << (cut - 1);
		const int above = exponent < lowest ? 0 : exponent - lowest;
		const unsigned long long units = kept + (rest > half || (rest == half && kept & 1));
		/* A carry out of the fraction increments the exponent. */
		size = exponent > 15 ? 0x100 : (unsigned int)(units + ((unsigned long long)above << fraction));
	}
	if (size > largest)
		size = saturate == __NV_SATFINITE ? largest : wide ? 0x7c : 0x7f;
	return (__nv_fp8_storage_t)(sign | size);
}

SLUICE_FP8 __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
                                                    const __nv_fp8_interpretation_t interpretation)
{
	return __nv_cvt_double_to_fp8((double)x, saturate, interpretation);
}

SLUICE_FP8 __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate,
                                                      const __nv_fp8_interpretation_t interpretation)
{
	return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, interpretation);
}

SLUICE_FP8 __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
                                                          const __nv_fp8_interpretation_t interpretation)
{
	return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, interpretation);
}

#define SLUICE_FP8_PAIR(name, type, one, low, high)                                                                    \
	SLUICE_FP8 __nv_fp8x2_storage_t name(const type x, const __nv_saturation_t saturate,                           \
	                                     const __nv_fp8_interpretation_t interpretation)                           \
	{                                                                                                              \
		return (__nv_fp8x2_storage_t)(one(low, saturate, interpretation) |                                     \
		                              one(high, saturate, interpretation) << 8);                               \
	}
SLUICE_FP8_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, x.x, x.y)
SLUICE_FP8_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, x.x, x.y)
SLUICE_FP8_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw{x.x}, __half_raw{x.y})
SLUICE_FP8_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8,
                __nv_bfloat16_raw{x.x}, __nv_bfloat16_raw{x.y})
#undef SLUICE_FP8_PAIR

/* e5m2 is the upper half of f16; every e4m3 number is representable in f16. */
SLUICE_FP8 __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x,
                                              const __nv_fp8_interpretation_t interpretation)
{
	const unsigned int sign = (x & 0x80u) << 8, size = x & 0x7fu;
	__half_raw result;
	if (interpretation == __NV_E5M2 && size > 0x7c)
		result.x = 0x7fff;
	else if (interpretation == __NV_E5M2)
		result.x = (unsigned short)(x << 8);
	else if (size == 0x7f)
		result.x = 0x7fff;
	else if (size >= 8)
		result.x = (unsigned short)(sign | ((size << 7) + (8u << 10)));
	else if (size >= 4)
		result.x = (unsigned short)(sign | 8u << 10 | (size & 3) << 8);
	else if (size >= 2)
		result.x = (unsigned short)(sign | 7u << 10 | (size & 1) << 9);
	else
		result.x = (unsigned short)(sign | (size ? 6u << 10 : 0));
	return result;
}

SLUICE_FP8 __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x,
                                                  const __nv_fp8_interpretation_t interpretation)
{
	__half2_raw result;
	result.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, interpretation).x;
	result.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), interpretation).x;
	return result;
}

#define SLUICE_FP8_TYPES(name, interpretation)                                                                         \
	struct name {                                                                                                  \
		__nv_fp8_storage_t __x;                                                                                \
		name() = default;                                                                                      \
		explicit __host__ __device__ name(const __half f)                                                      \
			: __x(__nv_cvt_float_to_fp8(__half2float(f), __NV_SATFINITE, interpretation))                  \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ name(const __nv_bfloat16 f)                                               \
			: __x(__nv_cvt_float_to_fp8(__bfloat162float(f), __NV_SATFINITE, interpretation))              \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ name(const float f)                                                       \
			: __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, interpretation))                                \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ name(const double f)                                                      \
			: __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, interpretation))                               \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ name(const int f)                                                         \
			: __x(__nv_cvt_double_to_fp8((double)f, __NV_SATFINITE, interpretation))                       \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ name(const unsigned int f)                                                \
			: __x(__nv_cvt_double_to_fp8((double)f, __NV_SATFINITE, interpretation))                       \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ operator __half() const                                                   \
		{                                                                                                      \
			return __half(__nv_cvt_fp8_to_halfraw(__x, interpretation));                                   \
		}                                                                                                      \
		explicit __host__ __device__ operator float() const                                                    \
		{                                                                                                      \
			return __half2float(__half(__nv_cvt_fp8_to_halfraw(__x, interpretation)));                     \
		}                                                                                                      \
		explicit __host__ __device__ operator __nv_bfloat16() const                                            \
		{                                                                                                      \
			return __float2bfloat16((float)*this);                                                         \
		}                                                                                                      \
		explicit __host__ __device__ operator double() const                                                   \
		{                                                                                                      \
			return (double)(float)*this;                                                                   \
		}                                                                                                      \
		explicit __host__ __device__ operator bool() const                                                     \
		{                                                                                                      \
			return (__x & 0x7f) != 0;                                                                      \
		}                                                                                                      \
	};
#define SLUICE_FP8_VECTORS(one, two, four, interpretation)                                                             \
	struct __align__(2) two                                                                                        \
	{                                                                                                              \
		__nv_fp8x2_storage_t __x;                                                                              \
		two() = default;                                                                                       \
		explicit __host__ __device__ two(const float2 f)                                                       \
			: __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, interpretation))                             \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ two(const double2 f)                                                      \
			: __x(__nv_cvt_double2_to_fp8x2(f, __NV_SATFINITE, interpretation))                            \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ two(const __half2 f)                                                      \
			: __x(__nv_cvt_halfraw2_to_fp8x2((__half2_raw)f, __NV_SATFINITE, interpretation))              \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ two(const __nv_bfloat162 f)                                               \
			: __x(__nv_cvt_bfloat16raw2_to_fp8x2((__nv_bfloat162_raw)f, __NV_SATFINITE, interpretation))   \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ operator __half2() const                                                  \
		{                                                                                                      \
			return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, interpretation));                               \
		}                                                                                                      \
		explicit __host__ __device__ operator float2() const                                                   \
		{                                                                                                      \
			return __half22float2((__half2)*this);                                                         \
		}                                                                                                      \
	};                                                                                                             \
	struct __align__(4) four                                                                                       \
	{                                                                                                              \
		__nv_fp8x4_storage_t __x;                                                                              \
		four() = default;                                                                                      \
		explicit __host__ __device__ four(const __half2 low, const __half2 high)                               \
			: __x(two(low).__x | (__nv_fp8x4_storage_t)two(high).__x << 16)                                \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ four(const __nv_bfloat162 low, const __nv_bfloat162 high)                 \
			: __x(two(low).__x | (__nv_fp8x4_storage_t)two(high).__x << 16)                                \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ four(const float4 f)                                                      \
			: __x(two(make_float2(f.x, f.y)).__x |                                                         \
		              (__nv_fp8x4_storage_t)two(make_float2(f.z, f.w)).__x << 16)                              \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ four(const double4 f)                                                     \
			: __x(two(make_double2(f.x, f.y)).__x |                                                        \
		              (__nv_fp8x4_storage_t)two(make_double2(f.z, f.w)).__x << 16)                             \
		{                                                                                                      \
		}                                                                                                      \
		explicit __host__ __device__ operator float4() const                                                   \
		{                                                                                                      \
			two low, high;                                                                                 \
			low.__x = (__nv_fp8x2_storage_t)__x;                                                           \
			high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                                  \
			const float2 a = (float2)low, b = (float2)high;                                                \
			return make_float4(a.x, a.y, b.x, b.y);                                                        \
		}                                                                                                      \
	};
SLUICE_FP8_TYPES(__nv_fp8_e4m3, __NV_E4M3)
SLUICE_FP8_TYPES(__nv_fp8_e5m2, __NV_E5M2)
SLUICE_FP8_VECTORS(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
SLUICE_FP8_VECTORS(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef SLUICE_FP8_TYPES
#undef SLUICE_FP8_VECTORS
#undef SLUICE_FP8

#endif

#include "sluice/macros_on.h"

#endif
