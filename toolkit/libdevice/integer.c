/* integer: integer and bit functions. */
#include "libdevice.h"

int __nv_abs(int x)
{
	return x < 0 ? (int)(0u - (unsigned)x) : x;
}

long long __nv_llabs(long long x)
{
	return x < 0 ? (long long)(0ull - (unsigned long long)x) : x;
}

#define MIN_MAX(type, min, max)                                                                                        \
	type min(type x, type y)                                                                                       \
	{                                                                                                              \
		return x < y ? x : y;                                                                                  \
	}                                                                                                              \
	type max(type x, type y)                                                                                       \
	{                                                                                                              \
		return x > y ? x : y;                                                                                  \
	}
MIN_MAX(int, __nv_min, __nv_max)
MIN_MAX(unsigned, __nv_umin, __nv_umax)
MIN_MAX(long long, __nv_llmin, __nv_llmax)
MIN_MAX(unsigned long long, __nv_ullmin, __nv_ullmax)

int __nv_mulhi(int x, int y)
{
	return (int)((long long)x * y >> 32);
}

unsigned __nv_umulhi(unsigned x, unsigned y)
{
	return (unsigned)((unsigned long long)x * y >> 32);
}

long long __nv_mul64hi(long long x, long long y)
{
	return (long long)((int128)x * y >> 64);
}

unsigned long long __nv_umul64hi(unsigned long long x, unsigned long long y)
{
	return (unsigned long long)((uint128)x * y >> 64);
}

/* The low 32 bits of the product of the low 24 bits. */
int __nv_mul24(int x, int y)
{
#ifdef __NVPTX__
	return __nvvm_mul24_i(x, y);
#else
	return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8));
#endif
}

unsigned __nv_umul24(unsigned x, unsigned y)
{
#ifdef __NVPTX__
	return (unsigned)__nvvm_mul24_ui(x, y);
#else
	return (x & 0xffffff) * (y & 0xffffff);
#endif
}

unsigned __nv_sad(int x, int y, unsigned z)
{
	return (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x) + z;
}

unsigned __nv_usad(unsigned x, unsigned y, unsigned z)
{
	return (x > y ? x - y : y - x) + z;
}

/* Averages without overflow; rhadd rounds up. */
int __nv_hadd(int x, int y)
{
	return (x & y) + ((x ^ y) >> 1);
}

int __nv_rhadd(int x, int y)
{
	return (x | y) - ((x ^ y) >> 1);
}

unsigned __nv_uhadd(unsigned x, unsigned y)
{
	return (x & y) + ((x ^ y) >> 1);
}

unsigned __nv_urhadd(unsigned x, unsigned y)
{
	return (x | y) - ((x ^ y) >> 1);
}

int __nv_clz(unsigned x)
{
	return x ? __builtin_clz(x) : 32;
}

int __nv_clzll(unsigned long long x)
{
	return x ? __builtin_clzll(x) : 64;
}

int __nv_popc(unsigned x)
{
	return __builtin_popcount(x);
}

int __nv_popcll(unsigned long long x)
{
	return __builtin_popcountll(x);
}

unsigned __nv_brev(unsigned x)
{
#ifdef __clang__
	return __builtin_bitreverse32(x);
#else
	unsigned y = 0;
	for (int i = 0; i < 32; i++)
		y |= (x >> i & 1) << (31 - i);
	return y;
#endif
}

unsigned long long __nv_brevll(unsigned long long x)
{
	return (unsigned long long)__nv_brev((unsigned)x) << 32 | __nv_brev((unsigned)(x >> 32));
}

/* Position of the lowest set bit, counted from 1; 0 if no bit is set. */
int __nv_ffs(unsigned x)
{
	return 32 - __nv_clz(x & (0u - x));
}

int __nv_ffsll(unsigned long long x)
{
	return 64 - __nv_clzll(x & (0ull - x));
}

unsigned __nv_byte_perm(unsigned x, unsigned y, unsigned selector)
{
#ifdef __NVPTX__
	return (unsigned)__nvvm_prmt(x, y, selector);
#else
	unsigned result = 0;
	unsigned long long bytes = (unsigned long long)y << 32 | x;
	for (int i = 0; i < 4; i++) {
		unsigned nibble = selector >> 4 * i & 15, byte = (unsigned)(bytes >> 8 * (nibble & 7)) & 255;
		if (nibble & 8)
			byte = byte & 128 ? 255 : 0;
		result |= byte << 8 * i;
	}
	return result;
#endif
}
