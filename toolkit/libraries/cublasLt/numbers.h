// Numbers of products on the device: conversions, complex numbers, and reading and writing by a type known at run time.
#pragma once

#include "product.h"

#include <cuda_fp8.h>
#include <type_traits>

namespace products {

template <typename T> struct complex {
	T x, y;
};

template <typename T> __device__ __forceinline__ complex<T> operator*(complex<T> a, complex<T> b)
{
	return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <typename T> __device__ __forceinline__ complex<T> operator+(complex<T> a, complex<T> b)
{
	return {a.x + b.x, a.y + b.y};
}
template <typename T> __device__ __forceinline__ void operator+=(complex<T> &a, complex<T> b)
{
	a = a + b;
}
template <typename T> __device__ __forceinline__ complex<T> conjugated(complex<T> a)
{
	return {a.x, -a.y};
}
template <typename T> __device__ __forceinline__ T conjugated(T a)
{
	return a;
}
template <typename T> __device__ __forceinline__ bool is_zero(complex<T> a)
{
	return a.x == 0 && a.y == 0;
}
template <typename T> __device__ __forceinline__ bool is_zero(T a)
{
	return a == 0;
}

struct e4m3 {
	unsigned char bits;
};
struct e5m2 {
	unsigned char bits;
};
struct fp8 { // one of both formats, which the matrix names
	unsigned char bits;
};

__device__ __forceinline__ __half half_of(unsigned char bits, bool wide)
{
	return __half(__nv_cvt_fp8_to_halfraw(bits, wide ? __NV_E5M2 : __NV_E4M3));
}

// Converts a number to type T. `type` is the format of fp8.
template <typename T, typename From> __device__ __forceinline__ T to(From x, cudaDataType type = CUDA_R_32F)
{
	if constexpr (std::is_same<T, From>::value)
		return x;
	else if constexpr (std::is_same<From, fp8>::value)
		return to<T>(half_of(x.bits, type == CUDA_R_8F_E5M2));
	else if constexpr (std::is_same<From, e4m3>::value || std::is_same<From, e5m2>::value)
		return to<T>(half_of(x.bits, std::is_same<From, e5m2>::value));
	else if constexpr (std::is_same<T, float>::value && std::is_same<From, __half>::value)
		return __half2float(x);
	else if constexpr (std::is_same<T, float>::value && std::is_same<From, __nv_bfloat16>::value)
		return __bfloat162float(x);
	else if constexpr (std::is_same<T, __half>::value)
		return __float2half(x);
	else if constexpr (std::is_same<T, __nv_bfloat16>::value)
		return __float2bfloat16(x);
	else if constexpr (std::is_same<T, e4m3>::value)
		return {__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3)};
	else if constexpr (std::is_same<T, e5m2>::value)
		return {__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2)};
	else if constexpr (std::is_same<T, signed char>::value)
		return (signed char)max(-128, min(127, __float2int_rn(x)));
	else if constexpr (std::is_same<T, complex<float>>::value)
		return {(float)x.x, (float)x.y};
	else
		return (T)x;
}

// Reads element i of an array whose type is known at run time, as a number of type S.
template <typename S> __device__ __forceinline__ S number_at(const void *from, cudaDataType type, long long i)
{
	if constexpr (std::is_same<S, float>::value)
		switch (type) {
		case CUDA_R_16F:
			return to<S>(((const __half *)from)[i]);
		case CUDA_R_16BF:
			return to<S>(((const __nv_bfloat16 *)from)[i]);
		case CUDA_R_8F_E4M3:
			return to<S>(((const e4m3 *)from)[i]);
		case CUDA_R_8F_E5M2:
			return to<S>(((const e5m2 *)from)[i]);
		case CUDA_R_8I:
			return to<S>(((const signed char *)from)[i]);
		default:
			break;
		}
	return ((const S *)from)[i];
}

// Writes element i of an array of float, half or bfloat16.
__device__ __forceinline__ void put_number(void *into, cudaDataType type, long long i, float x)
{
	if (type == CUDA_R_16F)
		((__half *)into)[i] = to<__half>(x);
	else if (type == CUDA_R_16BF)
		((__nv_bfloat16 *)into)[i] = to<__nv_bfloat16>(x);
	else
		((float *)into)[i] = x;
}

template <typename S> __device__ __forceinline__ S value_of(const scalar &s)
{
	if (s.device)
		return number_at<S>(s.device, s.type, 0);
	if constexpr (std::is_same<S, complex<float>>::value || std::is_same<S, complex<double>>::value)
		return {(decltype(S::x))s.real, (decltype(S::x))s.imaginary};
	else
		return (S)s.real;
}

template <typename T> __device__ __forceinline__ T *matrix_of(const matrices &of, long long number)
{
	return of.list ? (T *)of.list[number] : (T *)of.base + number * of.stride;
}

} // namespace products
