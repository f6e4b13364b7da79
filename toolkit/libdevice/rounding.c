/* rounding: conversions and arithmetic with explicit rounding: rn to nearest even, rz to zero, rd down, ru up.
 * Device only: each function is one PTX instruction. */
#include "libdevice.h"

#define UNARY(result, name, type, call)                                                                                \
	result name(type x)                                                                                            \
	{                                                                                                              \
		return (result)call(x);                                                                                \
	}
#define BINARY(type, name, call)                                                                                       \
	type name(type x, type y)                                                                                      \
	{                                                                                                              \
		return call(x, y);                                                                                     \
	}
#define TERNARY(type, name, call)                                                                                      \
	type name(type x, type y, type z)                                                                              \
	{                                                                                                              \
		return call(x, y, z);                                                                                  \
	}

/* LLVM 14 treats its builtins for integer conversions towards zero as conversions to nearest. */
#define TOWARDS_ZERO(result, name, type, instruction, out, in)                                                         \
	INLINE result name(type x)                                                                                     \
	{                                                                                                              \
		result y;                                                                                              \
		__asm__("cvt.rz." instruction " %0, %1;" : "=" out(y) : in(x));                                        \
		return y;                                                                                              \
	}
TOWARDS_ZERO(float, i2f_rz, int, "f32.s32", "f", "r")
TOWARDS_ZERO(float, ui2f_rz, unsigned, "f32.u32", "f", "r")
TOWARDS_ZERO(float, ll2f_rz, long long, "f32.s64", "f", "l")
TOWARDS_ZERO(float, ull2f_rz, unsigned long long, "f32.u64", "f", "l")
TOWARDS_ZERO(double, ll2d_rz, long long, "f64.s64", "d", "l")
TOWARDS_ZERO(double, ull2d_rz, unsigned long long, "f64.u64", "d", "l")
#define __nvvm_i2f_rz   i2f_rz
#define __nvvm_ui2f_rz  ui2f_rz
#define __nvvm_ll2f_rz  ll2f_rz
#define __nvvm_ull2f_rz ull2f_rz
#define __nvvm_ll2d_rz  ll2d_rz
#define __nvvm_ull2d_rz ull2d_rz

/* `cuda` and `ptx`: the suffixes of CUDA and of clang's builtins; the latter use m and p for down and up. */
#define ROUNDINGS(cuda, ptx)                                                                                           \
	UNARY(int, __nv_float2int_##cuda, float, __nvvm_f2i_##ptx)                                                     \
	UNARY(unsigned, __nv_float2uint_##cuda, float, __nvvm_f2ui_##ptx)                                              \
	UNARY(long long, __nv_float2ll_##cuda, float, __nvvm_f2ll_##ptx)                                               \
	UNARY(unsigned long long, __nv_float2ull_##cuda, float, __nvvm_f2ull_##ptx)                                    \
	UNARY(int, __nv_double2int_##cuda, double, __nvvm_d2i_##ptx)                                                   \
	UNARY(unsigned, __nv_double2uint_##cuda, double, __nvvm_d2ui_##ptx)                                            \
	UNARY(long long, __nv_double2ll_##cuda, double, __nvvm_d2ll_##ptx)                                             \
	UNARY(unsigned long long, __nv_double2ull_##cuda, double, __nvvm_d2ull_##ptx)                                  \
	UNARY(float, __nv_double2float_##cuda, double, __nvvm_d2f_##ptx)                                               \
	UNARY(float, __nv_int2float_##cuda, int, __nvvm_i2f_##ptx)                                                     \
	UNARY(float, __nv_uint2float_##cuda, unsigned, __nvvm_ui2f_##ptx)                                              \
	UNARY(float, __nv_ll2float_##cuda, long long, __nvvm_ll2f_##ptx)                                               \
	UNARY(float, __nv_ull2float_##cuda, unsigned long long, __nvvm_ull2f_##ptx)                                    \
	UNARY(double, __nv_ll2double_##cuda, long long, __nvvm_ll2d_##ptx)                                             \
	UNARY(double, __nv_ull2double_##cuda, unsigned long long, __nvvm_ull2d_##ptx)                                  \
	UNARY(float, __nv_frcp_##cuda, float, __nvvm_rcp_##ptx##_f)                                                    \
	UNARY(float, __nv_fsqrt_##cuda, float, __nvvm_sqrt_##ptx##_f)                                                  \
	UNARY(double, __nv_drcp_##cuda, double, __nvvm_rcp_##ptx##_d)                                                  \
	UNARY(double, __nv_dsqrt_##cuda, double, __nvvm_sqrt_##ptx##_d)                                                \
	BINARY(float, __nv_fadd_##cuda, __nvvm_add_##ptx##_f)                                                          \
	BINARY(float, __nv_fmul_##cuda, __nvvm_mul_##ptx##_f)                                                          \
	BINARY(float, __nv_fdiv_##cuda, __nvvm_div_##ptx##_f)                                                          \
	BINARY(double, __nv_dadd_##cuda, __nvvm_add_##ptx##_d)                                                         \
	BINARY(double, __nv_dmul_##cuda, __nvvm_mul_##ptx##_d)                                                         \
	BINARY(double, __nv_ddiv_##cuda, __nvvm_div_##ptx##_d)                                                         \
	TERNARY(float, __nv_fmaf_##cuda, __nvvm_fma_##ptx##_f)                                                         \
	TERNARY(float, __nv_fmaf_ieee_##cuda, __nvvm_fma_##ptx##_f)                                                    \
	TERNARY(double, __nv_fma_##cuda, __nvvm_fma_##ptx##_d)                                                         \
	float __nv_fsub_##cuda(float x, float y)                                                                       \
	{                                                                                                              \
		return __nvvm_add_##ptx##_f(x, -y);                                                                    \
	}                                                                                                              \
	double __nv_dsub_##cuda(double x, double y)                                                                    \
	{                                                                                                              \
		return __nvvm_add_##ptx##_d(x, -y);                                                                    \
	}
ROUNDINGS(rn, rn)
ROUNDINGS(rz, rz)
ROUNDINGS(rd, rm)
ROUNDINGS(ru, rp)

/* No double result is so close to the midpoint of two floats that its error changes the rounding. An exhaustive test
 * over all inputs showed this. */
float __nv_frsqrt_rn(float x)
{
	return (float)(1 / sqrt((double)x));
}

double __nv_int2double_rn(int x)
{
	return x;
}

double __nv_uint2double_rn(unsigned x)
{
	return x;
}

double __nv_rcp64h(double x)
{
	return __nvvm_rcp_rn_d(x);
}

unsigned short __nv_float2half_rn(float x)
{
	return (unsigned short)__nvvm_f2h_rn(x);
}

float __nv_half2float(unsigned short x)
{
	float y;
	__asm__("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
	return y;
}

float __nv_fast_fdividef(float x, float y)
{
	return __nvvm_div_approx_f(x, y);
}

/* sqrt.rn, or sqrt.approx with the compiler's fast-math option. */
float __nv_sqrtf(float x)
{
	return __builtin_sqrtf(x);
}

double __nv_sqrt(double x)
{
	return __nvvm_sqrt_rn_d(x);
}

float __nv_rsqrtf(float x)
{
	return rsqrt_approx(x);
}

float __nv_saturatef(float x)
{
	return __nvvm_saturate_f(x);
}

float __nv_fmaf(float x, float y, float z)
{
	return fmaf(x, y, z);
}

double __nv_fma(double x, double y, double z)
{
	return fma(x, y, z);
}

/* Reinterpretations. */
int __nv_float_as_int(float x)
{
	return (int)f32_bits(x);
}

unsigned __nv_float_as_uint(float x)
{
	return f32_bits(x);
}

float __nv_int_as_float(int x)
{
	return f32_from((uint32_t)x);
}

float __nv_uint_as_float(unsigned x)
{
	return f32_from(x);
}

long long __nv_double_as_longlong(double x)
{
	return (long long)f64_bits(x);
}

double __nv_longlong_as_double(long long x)
{
	return f64_from((uint64_t)x);
}

int __nv_double2hiint(double x)
{
	return (int)f64_high(x);
}

int __nv_double2loint(double x)
{
	return (int)(uint32_t)f64_bits(x);
}

double __nv_hiloint2double(int high, int low)
{
	return f64_from((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}
