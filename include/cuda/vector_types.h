/* vector_types: char1 .. double4, dim3. A vector of 2 or 4 elements is aligned so that one access moves it, up to 16
 * bytes. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "sluice/macros_off.h"

#include "host_defines.h"

/* align2, align4: alignments of the vectors of 2 and 4 elements. */
#define SLUICE_VECTORS(type, name, align2, align4)                                                                     \
	struct name##1                                                                                                 \
	{                                                                                                              \
		type x;                                                                                                \
	};                                                                                                             \
	struct __align__(align2) name##2                                                                               \
	{                                                                                                              \
		type x, y;                                                                                             \
	};                                                                                                             \
	struct name##3                                                                                                 \
	{                                                                                                              \
		type x, y, z;                                                                                          \
	};                                                                                                             \
	struct __align__(align4) name##4                                                                               \
	{                                                                                                              \
		type x, y, z, w;                                                                                       \
	};                                                                                                             \
	typedef struct name##1 name##1;                                                                                \
	typedef struct name##2 name##2;                                                                                \
	typedef struct name##3 name##3;                                                                                \
	typedef struct name##4 name##4;

SLUICE_VECTORS(signed char, char, 2, 4)
SLUICE_VECTORS(unsigned char, uchar, 2, 4)
SLUICE_VECTORS(short, short, 4, 8)
SLUICE_VECTORS(unsigned short, ushort, 4, 8)
SLUICE_VECTORS(int, int, 8, 16)
SLUICE_VECTORS(unsigned int, uint, 8, 16)
SLUICE_VECTORS(long, long, 16, 16)
SLUICE_VECTORS(unsigned long, ulong, 16, 16)
SLUICE_VECTORS(long long, longlong, 16, 16)
SLUICE_VECTORS(unsigned long long, ulonglong, 16, 16)
SLUICE_VECTORS(float, float, 8, 16)
SLUICE_VECTORS(double, double, 16, 16)
#undef SLUICE_VECTORS

/* Converts a uint3 to a dim3, but no type that only converts to uint3: the builtin variables convert to both. */
#if defined(__cplusplus)
template <class T> struct sluice_if_uint3;
template <> struct sluice_if_uint3<uint3> {
	typedef int type;
};
#if __cplusplus >= 201103L
#define SLUICE_CONSTEXPR constexpr
#else
#define SLUICE_CONSTEXPR
#endif
#endif

struct dim3 {
	unsigned int x, y, z;
#if defined(__cplusplus)
	__host__ __device__ SLUICE_CONSTEXPR dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
	    : x(x), y(y), z(z)
	{
	}
	template <class T>
	__host__ __device__ SLUICE_CONSTEXPR dim3(T v, typename sluice_if_uint3<T>::type = 0) : x(v.x), y(v.y), z(v.z)
	{
	}
	__host__ __device__ operator uint3() const
	{
		uint3 v = {x, y, z};
		return v;
	}
#endif
};
typedef struct dim3 dim3;
#undef SLUICE_CONSTEXPR

#include "sluice/macros_on.h"

#endif
