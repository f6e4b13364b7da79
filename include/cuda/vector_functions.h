/* vector_functions: make_char1 .. make_double4. */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "sluice/macros_off.h"

#include "vector_types.h"

#define SLUICE_MAKE(type, name)                                                                                        \
	static __inline__ __host__ __device__ name##1 make_##name##1(type x)                                           \
	{                                                                                                              \
		name##1 v = {x};                                                                                       \
		return v;                                                                                              \
	}                                                                                                              \
	static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y)                                   \
	{                                                                                                              \
		name##2 v = {x, y};                                                                                    \
		return v;                                                                                              \
	}                                                                                                              \
	static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z)                           \
	{                                                                                                              \
		name##3 v = {x, y, z};                                                                                 \
		return v;                                                                                              \
	}                                                                                                              \
	static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w)                   \
	{                                                                                                              \
		name##4 v = {x, y, z, w};                                                                              \
		return v;                                                                                              \
	}

SLUICE_MAKE(signed char, char)
SLUICE_MAKE(unsigned char, uchar)
SLUICE_MAKE(short, short)
SLUICE_MAKE(unsigned short, ushort)
SLUICE_MAKE(int, int)
SLUICE_MAKE(unsigned int, uint)
SLUICE_MAKE(long, long)
SLUICE_MAKE(unsigned long, ulong)
SLUICE_MAKE(long long, longlong)
SLUICE_MAKE(unsigned long long, ulonglong)
SLUICE_MAKE(float, float)
SLUICE_MAKE(double, double)
#undef SLUICE_MAKE

#include "sluice/macros_on.h"

#endif
