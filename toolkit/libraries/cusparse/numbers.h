// cuSPARSE: numbers on the device, and the choice of a kernel by types.
#pragma once

#include "inner.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

namespace cusparse {

template <typename T> struct complex {
	T x, y;
};

template <typename T> __device__ complex<T> operator*(complex<T> a, complex<T> b)
{
	return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <typename T> __device__ complex<T> operator+(complex<T> a, complex<T> b)
{
	return {a.x + b.x, a.y + b.y};
}
template <typename T> __device__ complex<T> operator-(complex<T> a, complex<T> b)
{
	return {a.x - b.x, a.y - b.y};
}
template <typename T> __device__ complex<T> conjugated(complex<T> a, bool really)
{
	return {a.x, really ? -a.y : a.y};
}
template <typename T> __device__ T conjugated(T a, bool)
{
	return a;
}
template <typename T> __device__ bool is_zero(complex<T> a)
{
	return a.x == 0 && a.y == 0;
}
template <typename T> __device__ bool is_zero(T a)
{
	return a == 0;
}

// Converts a number to the type S of sums, or back.
template <typename S, typename T> __device__ S to(T x)
{
	if constexpr (std::is_same<S, T>::value)
		return x;
	else if constexpr (std::is_same<T, __half>::value)
		return __half2float(x);
	else if constexpr (std::is_same<T, __nv_bfloat16>::value)
		return __bfloat162float(x);
	else if constexpr (std::is_same<S, __half>::value)
		return __float2half(x);
	else
		return __float2bfloat16(x);
}

// Passes a number's 32-bit words between lanes by f.
template <typename T, typename F> __device__ T by_words(T x, F f)
{
	static_assert(sizeof x % 4 == 0, "words");
	int words[sizeof x / 4];
	memcpy(words, &x, sizeof x);
	for (int &word : words)
		word = f(word);
	memcpy(&x, words, sizeof x);
	return x;
}

template <typename T> __device__ T of_lane(T x, int lane)
{
	return by_words(x, [=](int word) { return __shfl_sync(~0u, word, lane); });
}

template <typename T> __device__ T of_lane_above(T x, int distance)
{
	return by_words(x, [=](int word) { return __shfl_down_sync(~0u, word, distance); });
}

template <typename T> __device__ T of_lane_below(T x, int distance)
{
	return by_words(x, [=](int word) { return __shfl_up_sync(~0u, word, distance); });
}

// The sum over groups of 1 << shift lanes, in each group's first lane.
template <typename S> __device__ S sum_of_lanes(S x, int shift)
{
	for (int distance = 1 << shift >> 1; distance; distance /= 2)
		x = x + of_lane_above(x, distance);
	return x;
}

__device__ inline void add_atomically(float *to, float x)
{
	atomicAdd(to, x);
}

// CUDA C++ has this function from sm_60 on only, but every machine executes the instruction.
__device__ inline void add_atomically(double *to, double x)
{
	asm volatile("red.global.add.f64 [%0], %1;" ::"l"(to), "d"(x) : "memory");
}

template <typename T> __device__ void add_atomically(complex<T> *to, complex<T> x)
{
	add_atomically(&to->x, x.x);
	add_atomically(&to->y, x.y);
}

// A scalar: a value that the host has read, or a device pointer.
template <typename S> struct scalar {
	const S *device;
	S host;
	__device__ S value() const
	{
		return device ? *device : host;
	}
};

template <typename S> scalar<S> constant(S x)
{
	return {nullptr, x};
}

template <typename S> scalar<S> scalar_of(cusparseHandle_t handle, const void *pointer)
{
	bool on_device = handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
	return {on_device ? (const S *)pointer : nullptr, on_device ? S() : *(const S *)pointer};
}

template <typename S> S one()
{
	if constexpr (std::is_arithmetic<S>::value)
		return 1;
	else
		return {1, 0};
}

// y = alpha sum + beta y. If beta is 0, y is not read.
template <typename Y, typename S> __device__ void finish(Y &y, S alpha, S sum, S beta)
{
	y = to<Y>(is_zero(beta) ? alpha * sum : alpha * sum + beta * to<S>(y));
}

// In is the type of A and X, Out of Y, Sum of sums and scalars, Index of indices.
template <typename In, typename Out, typename Sum, typename Index> struct types {
	typedef In in;
	typedef Out out;
	typedef Sum sum;
	typedef Index index;
};

template <typename In, typename Out, typename Sum, typename F>
cusparseStatus_t with_index(cusparseIndexType_t index, F f)
{
	return index == CUSPARSE_INDEX_64I ? f(types<In, Out, Sum, int64_t>()) : f(types<In, Out, Sum, int>());
}

// Calls f with the types. Returns CUSPARSE_STATUS_NOT_SUPPORTED if no kernel has this combination.
template <typename F>
cusparseStatus_t with_types(const char *name, cudaDataType in, cudaDataType out, cudaDataType sum,
                            cusparseIndexType_t index, F f)
{
	if (in == CUDA_R_32F && out == CUDA_R_32F && sum == CUDA_R_32F)
		return with_index<float, float, float>(index, f);
	if (in == CUDA_R_64F && out == CUDA_R_64F && sum == CUDA_R_64F)
		return with_index<double, double, double>(index, f);
	if (in == CUDA_R_16F && out == CUDA_R_16F && sum == CUDA_R_32F)
		return with_index<__half, __half, float>(index, f);
	if (in == CUDA_R_16F && out == CUDA_R_32F && sum == CUDA_R_32F)
		return with_index<__half, float, float>(index, f);
	if (in == CUDA_R_16BF && out == CUDA_R_16BF && sum == CUDA_R_32F)
		return with_index<__nv_bfloat16, __nv_bfloat16, float>(index, f);
	if (in == CUDA_R_16BF && out == CUDA_R_32F && sum == CUDA_R_32F)
		return with_index<__nv_bfloat16, float, float>(index, f);
	if (in == CUDA_C_32F && out == CUDA_C_32F && sum == CUDA_C_32F)
		return with_index<complex<float>, complex<float>, complex<float>>(index, f);
	if (in == CUDA_C_64F && out == CUDA_C_64F && sum == CUDA_C_64F)
		return with_index<complex<double>, complex<double>, complex<double>>(index, f);
	return refused(name, "no kernel has this combination of types");
}

} // namespace cusparse
