/* half/rounding: conversions between float or double and 16-bit formats, on the host and on the device.
 *
 * add, sub, mul, div and sqrt of 16-bit numbers are computed in float and rounded again. The result equals a single
 * rounding, because float has at least 2 p + 2 bits for the p of f16 (11) and bf16 (8). This does not hold for fma,
 * which uses a float rounded to odd (odd_fma()).
 */
#ifndef SLUICE_CUDA_HALF_ROUNDING_H
#define SLUICE_CUDA_HALF_ROUNDING_H

#include "../../host_defines.h"

#include <math.h>
#include <string.h>

#define SLUICE_HALF static __host__ __device__ __forceinline__

namespace sluice
{
namespace half
{
enum rounding { TO_NEAREST, TO_ZERO, DOWN, UP };

SLUICE_HALF unsigned int bits_of(float value)
{
	unsigned int bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}
SLUICE_HALF float float_of(unsigned int bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Returns `kept`, or `kept` + 1 if the cut-off part `rest` rounds up. `unit` is the value of `rest` that equals one
 * step of `kept`. */
SLUICE_HALF unsigned int rounded(unsigned int kept, unsigned int rest, unsigned int unit, bool negative, rounding how)
{
	switch (how) {
	case TO_NEAREST:
		return kept + (rest > unit / 2 || (rest == unit / 2 && kept & 1));
	case DOWN:
		return kept + (rest && negative);
	case UP:
		return kept + (rest && !negative);
	default:
		return kept;
	}
}

/* IEEE binary16: 5 exponent bits. */
struct f16 {
	SLUICE_HALF unsigned short from_float_bits(float value, rounding how)
	{
		unsigned int bits = bits_of(value), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
		if (size >= 0x7f800000)
			return (unsigned short)(size > 0x7f800000 ? 0x7fff : sign | 0x7c00);
		if (size >= 143u << 23) /* 65536 and above round as the largest number plus a fraction of 3/4 */
			return (unsigned short)(sign | rounded(0x7bff, 3, 4, sign, how));
		if (size >= 113u << 23)
			return (unsigned short)(sign |
			                        rounded((size >> 13) - (112u << 10), size & 0x1fff, 0x2000, sign, how));
		/* a multiple of 2^-24 plus the rest */
		unsigned int exponent = size >> 23, fraction = exponent ? (size & 0x7fffff) | 0x800000 : size;
		unsigned int shift = exponent < 101 ? 26 : 126 - exponent;
		unsigned int rest = fraction & ((1u << shift) - 1);
		return (unsigned short)(sign | rounded(fraction >> shift, rest, 1u << shift, sign, how));
	}
	SLUICE_HALF float to_float_bits(unsigned short bits)
	{
		unsigned int sign = (bits & 0x8000u) << 16, size = bits & 0x7fffu;
		if (size >= 0x7c00)
			return float_of(sign | 0x7f800000 | (size & 0x3ff) << 13);
		if (size >= 0x400)
			return float_of(sign | ((size << 13) + (112u << 23)));
		return float_of(sign | bits_of((float)size * 0x1p-24f));
	}
#if defined(__CUDA_ARCH__)
	static __device__ __forceinline__ unsigned short from_float(float value, rounding how)
	{
		unsigned short bits;
		switch (how) {
		case TO_NEAREST:
			asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
			break;
		case TO_ZERO:
			asm("cvt.rz.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
			break;
		case DOWN:
			asm("cvt.rm.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
			break;
		default:
			asm("cvt.rp.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
			break;
		}
		return bits;
	}
	static __device__ __forceinline__ float to_float(unsigned short bits)
	{
		float value;
		asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
		return value;
	}
#else
	SLUICE_HALF unsigned short from_float(float value, rounding how)
	{
		return from_float_bits(value, how);
	}
	SLUICE_HALF float to_float(unsigned short bits)
	{
		return to_float_bits(bits);
	}
#endif
	enum { ONE = 0x3c00, INFINITE = 0x7c00, LARGEST = 0x7bff };
};

/* bfloat16: the upper half of a float. */
struct bf16 {
	SLUICE_HALF unsigned short from_float(float value, rounding how)
	{
		unsigned int bits = bits_of(value), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
		if (size > 0x7f800000)
			return 0x7fff;
		return (unsigned short)(sign | rounded(size >> 16, size & 0xffff, 0x10000, sign, how));
	}
	SLUICE_HALF float to_float(unsigned short bits)
	{
		return float_of((unsigned int)bits << 16);
	}
	enum { ONE = 0x3f80, INFINITE = 0x7f80, LARGEST = 0x7f7f };
};

/* Converts a double to float, with an odd last bit when inexact. Rounding the result to fewer bits gives the same as
 * rounding the double. */
SLUICE_HALF float odd_float(double value)
{
	float near = (float)value;
	double back = (double)near;
	if (back == value || value != value || bits_of(near) & 1)
		return near;
	return float_of(fabs(back) < fabs(value) ? bits_of(near) + 1 : bits_of(near) - 1);
}

/* a * b + c, rounded to odd. The product is exact in float for f16, and in double for both formats. */
#if defined(__CUDA_ARCH__)
static __device__ __forceinline__ float odd_fma(float a, float b, float c)
{
	float down = __fmaf_rd(a, b, c), up = __fmaf_ru(a, b, c);
	return down == up || !(bits_of(down) & 1) ? up : down;
}
#else
SLUICE_HALF float odd_fma(float a, float b, float c)
{
	double product = (double)a * b, sum = product + c;
	double part = sum - product, error = (product - (sum - part)) + (c - part);
	unsigned long long bits;
	memcpy(&bits, &sum, sizeof bits);
	if ((error > 0 || error < 0) && !(bits & 1))
		bits += (error > 0) == (sum > 0) ? 1 : -1;
	memcpy(&sum, &bits, sizeof sum);
	return odd_float(sum);
}
#endif

/* Converts an integer to double: exact, or with an odd last bit. */
SLUICE_HALF double odd_double(unsigned long long size)
{
	if (size >> 53 && size & 0x7ff)
		size = (size & ~0x7ffull) | 0x800;
	return (double)size;
}
SLUICE_HALF double odd_double(long long value)
{
	unsigned long long size = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
	return value < 0 ? -odd_double(size) : odd_double(size);
}

/* Converts to an integer type with the limits `low` and `high`; NaN becomes `unordered`. */
template <class Integer>
SLUICE_HALF Integer to_integer(float value, rounding how, Integer low, Integer high, Integer unordered)
{
	float whole = how == TO_NEAREST ? rintf(value)
	              : how == DOWN     ? floorf(value)
	              : how == UP       ? ceilf(value)
	                                : truncf(value);
	if (whole != whole)
		return unordered;
	if (whole <= (float)low)
		return low;
	return whole >= (float)high ? high : (Integer)whole;
}
} // namespace half
} // namespace sluice

#endif
