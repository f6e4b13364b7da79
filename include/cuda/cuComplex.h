/* cuComplex: complex numbers of float and double, for C and C++, on the host and on the device. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include "sluice/macros_off.h"

#include "host_defines.h"
#include "vector_types.h"

#include <math.h>

#define SLUICE_COMPLEX static __host__ __device__ __inline__

/* Defines all functions for one type. `real`: type of a part; `pair`: the vector type; the remaining arguments: CUDA's
 * name suffixes. */
#define SLUICE_COMPLEX_OF(real, pair, type, part, hypotenuse, magnitude, fused)                                        \
	typedef pair type;                                                                                             \
	SLUICE_COMPLEX type make_##type(real x, real y)                                                                \
	{                                                                                                              \
		type made;                                                                                             \
		made.x = x;                                                                                            \
		made.y = y;                                                                                            \
		return made;                                                                                           \
	}                                                                                                              \
	SLUICE_COMPLEX real cuCreal##part(type a)                                                                      \
	{                                                                                                              \
		return a.x;                                                                                            \
	}                                                                                                              \
	SLUICE_COMPLEX real cuCimag##part(type a)                                                                      \
	{                                                                                                              \
		return a.y;                                                                                            \
	}                                                                                                              \
	SLUICE_COMPLEX type cuConj##part(type a)                                                                       \
	{                                                                                                              \
		return make_##type(a.x, -a.y);                                                                         \
	}                                                                                                              \
	SLUICE_COMPLEX type cuCadd##part(type a, type b)                                                               \
	{                                                                                                              \
		return make_##type(a.x + b.x, a.y + b.y);                                                              \
	}                                                                                                              \
	SLUICE_COMPLEX type cuCsub##part(type a, type b)                                                               \
	{                                                                                                              \
		return make_##type(a.x - b.x, a.y - b.y);                                                              \
	}                                                                                                              \
	SLUICE_COMPLEX type cuCmul##part(type a, type b)                                                               \
	{                                                                                                              \
		return make_##type(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                      \
	}                                                                                                              \
	/* The divisor's parts are scaled, so that their squares do not overflow. */                                   \
	SLUICE_COMPLEX type cuCdiv##part(type a, type b)                                                               \
	{                                                                                                              \
		real scale = 1 / (magnitude(b.x) + magnitude(b.y));                                                    \
		real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                           \
		real square = 1 / (bx * bx + by * by);                                                                 \
		return make_##type((ax * bx + ay * by) * square, (ay * bx - ax * by) * square);                        \
	}                                                                                                              \
	SLUICE_COMPLEX real cuCabs##part(type a)                                                                       \
	{                                                                                                              \
		return hypotenuse(a.x, a.y);                                                                           \
	}                                                                                                              \
	SLUICE_COMPLEX type fused(type a, type b, type c)                                                              \
	{                                                                                                              \
		return cuCadd##part(cuCmul##part(a, b), c);                                                            \
	}

SLUICE_COMPLEX_OF(float, float2, cuFloatComplex, f, hypotf, fabsf, cuCfmaf)
SLUICE_COMPLEX_OF(double, double2, cuDoubleComplex, , hypot, fabs, cuCfma)

#undef SLUICE_COMPLEX_OF

typedef cuFloatComplex cuComplex;

SLUICE_COMPLEX cuComplex make_cuComplex(float x, float y)
{
	return make_cuFloatComplex(x, y);
}
SLUICE_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a)
{
	return make_cuDoubleComplex(a.x, a.y);
}
SLUICE_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
	return make_cuFloatComplex((float)a.x, (float)a.y);
}

#undef SLUICE_COMPLEX

#include "sluice/macros_on.h"

#endif
