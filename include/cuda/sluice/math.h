/* math: overloads that clang's headers leave to CUDA's headers: float forms of C++ mathematics on the device, min and
 * max for all pairs of types, and CUDA's own functions for the host. */
#ifndef SLUICE_CUDA_MATH_H
#define SLUICE_CUDA_MATH_H

#define SLUICE_DEVICE static __device__ __forceinline__
#define SLUICE_BOTH   static __host__ __device__ __forceinline__

/* Declared, but not defined, in clang's __clang_cuda_math_forward_declares.h. */
#define SLUICE_FLOAT_1(name)                                                                                           \
	SLUICE_DEVICE float name(float x)                                                                              \
	{                                                                                                              \
		return ::name##f(x);                                                                                   \
	}
#define SLUICE_FLOAT_2(name)                                                                                           \
	SLUICE_DEVICE float name(float x, float y)                                                                     \
	{                                                                                                              \
		return ::name##f(x, y);                                                                                \
	}
SLUICE_FLOAT_1(acosh)
SLUICE_FLOAT_1(asinh)
SLUICE_FLOAT_1(atanh)
SLUICE_FLOAT_1(cbrt)
SLUICE_FLOAT_1(erf)
SLUICE_FLOAT_1(erfc)
SLUICE_FLOAT_1(exp2)
SLUICE_FLOAT_1(expm1)
SLUICE_FLOAT_1(lgamma)
SLUICE_FLOAT_1(log1p)
SLUICE_FLOAT_1(log2)
SLUICE_FLOAT_1(logb)
SLUICE_FLOAT_1(nearbyint)
SLUICE_FLOAT_1(rint)
SLUICE_FLOAT_1(round)
SLUICE_FLOAT_1(tgamma)
SLUICE_FLOAT_1(trunc)
SLUICE_FLOAT_2(copysign)
SLUICE_FLOAT_2(fdim)
SLUICE_FLOAT_2(fmax)
SLUICE_FLOAT_2(fmin)
SLUICE_FLOAT_2(hypot)
SLUICE_FLOAT_2(nextafter)
SLUICE_FLOAT_2(remainder)

SLUICE_DEVICE float fma(float x, float y, float z)
{
	return ::fmaf(x, y, z);
}
SLUICE_DEVICE int ilogb(float x)
{
	return ::ilogbf(x);
}
SLUICE_DEVICE long lrint(float x)
{
	return ::lrintf(x);
}
SLUICE_DEVICE long lround(float x)
{
	return ::lroundf(x);
}
SLUICE_DEVICE long long llrint(float x)
{
	return ::llrintf(x);
}
SLUICE_DEVICE long long llround(float x)
{
	return ::llroundf(x);
}
SLUICE_DEVICE float remquo(float x, float y, int *quotient)
{
	return ::remquof(x, y, quotient);
}
SLUICE_DEVICE float scalbn(float x, int exponent)
{
	return ::scalbnf(x, exponent);
}
/* Exponents outside the range of int have the same effect as its limits. */
SLUICE_DEVICE double scalbln(double x, long exponent)
{
	return ::scalbn(x, (int)(exponent > INT_MAX ? INT_MAX : exponent < INT_MIN ? INT_MIN : exponent));
}
SLUICE_DEVICE float scalblnf(float x, long exponent)
{
	return ::scalbnf(x, (int)(exponent > INT_MAX ? INT_MAX : exponent < INT_MIN ? INT_MIN : exponent));
}
SLUICE_DEVICE float scalbln(float x, long exponent)
{
	return ::scalblnf(x, exponent);
}

SLUICE_DEVICE double nan(const char *tag)
{
	return __nv_nan((const signed char *)tag);
}
SLUICE_DEVICE float nanf(const char *tag)
{
	return __nv_nanf((const signed char *)tag);
}

/* Float forms of CUDA's own functions, on the device. */
SLUICE_FLOAT_1(cospi)
SLUICE_FLOAT_1(cyl_bessel_i0)
SLUICE_FLOAT_1(cyl_bessel_i1)
SLUICE_FLOAT_1(erfcinv)
SLUICE_FLOAT_1(erfcx)
SLUICE_FLOAT_1(erfinv)
SLUICE_FLOAT_1(exp10)
SLUICE_FLOAT_1(j0)
SLUICE_FLOAT_1(j1)
SLUICE_FLOAT_1(normcdf)
SLUICE_FLOAT_1(normcdfinv)
SLUICE_FLOAT_1(rcbrt)
SLUICE_FLOAT_1(rsqrt)
SLUICE_FLOAT_1(sinpi)
SLUICE_FLOAT_1(y0)
SLUICE_FLOAT_1(y1)
SLUICE_FLOAT_2(fdivide)
SLUICE_FLOAT_2(rhypot)
SLUICE_DEVICE float jn(int n, float x)
{
	return ::jnf(n, x);
}
SLUICE_DEVICE float yn(int n, float x)
{
	return ::ynf(n, x);
}
#undef SLUICE_FLOAT_1
#undef SLUICE_FLOAT_2
SLUICE_DEVICE void sincos(float x, float *sine, float *cosine)
{
	::sincosf(x, sine, cosine);
}
SLUICE_DEVICE void sincospi(float x, float *sine, float *cosine)
{
	::sincospif(x, sine, cosine);
}

/* Host forms of CUDA's own functions. libcudart contains the device library's code compiled for the host. */
#define SLUICE_HOST(type, name, symbol, parameters, arguments)                                                         \
	extern "C" type sluice_host_##symbol parameters __asm__("__nv_" #symbol);                                      \
	static inline __host__ type name parameters                                                                    \
	{                                                                                                              \
		return sluice_host_##symbol arguments;                                                                 \
	}
/* A double function, its float form with its own name, and the float overload of the double's name, as in C++. */
#define SLUICE_HOST_FORMS(name, double_parameters, float_parameters, arguments)                                        \
	SLUICE_HOST(double, name, name, double_parameters, arguments)                                                  \
	SLUICE_HOST(float, name##f, name##f, float_parameters, arguments)                                              \
	static inline __host__ float name float_parameters                                                             \
	{                                                                                                              \
		return name##f arguments;                                                                              \
	}
#define SLUICE_HOST_1(name) SLUICE_HOST_FORMS(name, (double x), (float x), (x))
SLUICE_HOST_1(cospi)
SLUICE_HOST_1(cyl_bessel_i0)
SLUICE_HOST_1(cyl_bessel_i1)
SLUICE_HOST_1(erfcinv)
SLUICE_HOST_1(erfcx)
SLUICE_HOST_1(erfinv)
SLUICE_HOST_1(normcdf)
SLUICE_HOST_1(normcdfinv)
SLUICE_HOST_1(rcbrt)
SLUICE_HOST_1(sinpi)
SLUICE_HOST_FORMS(rhypot, (double x, double y), (float x, float y), (x, y))
SLUICE_HOST(void, sincospi, sincospi, (double x, double *sine, double *cosine), (x, sine, cosine))
SLUICE_HOST(void, sincospif, sincospif, (float x, float *sine, float *cosine), (x, sine, cosine))
SLUICE_HOST(double, norm3d, norm3d, (double x, double y, double z), (x, y, z))
SLUICE_HOST(float, norm3df, norm3df, (float x, float y, float z), (x, y, z))
SLUICE_HOST(double, rnorm3d, rnorm3d, (double x, double y, double z), (x, y, z))
SLUICE_HOST(float, rnorm3df, rnorm3df, (float x, float y, float z), (x, y, z))
SLUICE_HOST(double, norm4d, norm4d, (double x, double y, double z, double w), (x, y, z, w))
SLUICE_HOST(float, norm4df, norm4df, (float x, float y, float z, float w), (x, y, z, w))
SLUICE_HOST(double, rnorm4d, rnorm4d, (double x, double y, double z, double w), (x, y, z, w))
SLUICE_HOST(float, rnorm4df, rnorm4df, (float x, float y, float z, float w), (x, y, z, w))
#undef SLUICE_HOST_1
#undef SLUICE_HOST_FORMS
#undef SLUICE_HOST
static inline __host__ double rsqrt(double x)
{
	return 1 / std::sqrt(x);
}
static inline __host__ float rsqrt(float x)
{
	return (float)(1 / std::sqrt((double)x));
}
static inline __host__ float rsqrtf(float x)
{
	return rsqrt(x);
}
static inline __host__ double fdivide(double x, double y)
{
	return x / y;
}
static inline __host__ float fdividef(float x, float y)
{
	return x / y;
}

/* min and max. clang's headers have the device's int version. */
static inline __host__ int min(int x, int y)
{
	return x < y ? x : y;
}
static inline __host__ int max(int x, int y)
{
	return x > y ? x : y;
}
#define SLUICE_MIN_MAX(result, type1, type2)                                                                           \
	SLUICE_BOTH result min(type1 x, type2 y)                                                                       \
	{                                                                                                              \
		return (result)x < (result)y ? (result)x : (result)y;                                                  \
	}                                                                                                              \
	SLUICE_BOTH result max(type1 x, type2 y)                                                                       \
	{                                                                                                              \
		return (result)x > (result)y ? (result)x : (result)y;                                                  \
	}
SLUICE_MIN_MAX(unsigned int, unsigned int, unsigned int)
SLUICE_MIN_MAX(unsigned int, int, unsigned int)
SLUICE_MIN_MAX(unsigned int, unsigned int, int)
SLUICE_MIN_MAX(long, long, long)
SLUICE_MIN_MAX(unsigned long, unsigned long, unsigned long)
SLUICE_MIN_MAX(unsigned long, long, unsigned long)
SLUICE_MIN_MAX(unsigned long, unsigned long, long)
SLUICE_MIN_MAX(long long, long long, long long)
SLUICE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
SLUICE_MIN_MAX(unsigned long long, long long, unsigned long long)
SLUICE_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef SLUICE_MIN_MAX
#define SLUICE_MIN_MAX(result, type1, type2, suffix)                                                                   \
	SLUICE_BOTH result min(type1 x, type2 y)                                                                       \
	{                                                                                                              \
		return ::fmin##suffix(x, y);                                                                           \
	}                                                                                                              \
	SLUICE_BOTH result max(type1 x, type2 y)                                                                       \
	{                                                                                                              \
		return ::fmax##suffix(x, y);                                                                           \
	}
SLUICE_MIN_MAX(float, float, float, f)
SLUICE_MIN_MAX(double, double, double, )
SLUICE_MIN_MAX(double, float, double, )
SLUICE_MIN_MAX(double, double, float, )
#undef SLUICE_MIN_MAX

#endif
