// The end of a product: from a sum to the stored element.
#pragma once

#include "numbers.h"

namespace products {

enum { RELU = 2, BIAS = 4, DRELU = 8, SUM_BIAS = 16, GELU = 32, DGELU = 64, AUX = 128, SUM_A = 256, SUM_B = 512 };

__device__ __forceinline__ float gelu(float x)
{
	return 0.5f * x * (1 + tanhf(0.797884561f * (x + 0.044715f * x * x * x)));
}

__device__ __forceinline__ float gelu_slope(float x)
{
	float t = tanhf(0.797884561f * (x + 0.044715f * x * x * x));
	return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.797884561f * (1 + 3 * 0.044715f * x * x);
}

// ReLU's mask has one bit per element. Aligned groups of 16 lanes have 16 rows of one column, so each group writes one
// short; no other thread writes to it. All lanes call this.
__device__ __forceinline__ void put_mask(const matrices &aux, long long number, int row, int column, bool inside,
                                         bool positive)
{
	unsigned lane = threadIdx.y * blockDim.x + threadIdx.x & 31, votes = __ballot_sync(~0u, inside && positive);
	unsigned short *mask = (unsigned short *)aux.base + (number * aux.stride + column * aux.ld) / 16;
	if (inside && (lane & 15) == 0)
		mask[row / 16] = (unsigned short)(votes >> (lane & 16));
}

__device__ __forceinline__ bool mask_bit(const matrices &aux, long long number, int row, int column)
{
	long long bit = number * aux.stride + column * aux.ld + row;
	return ((const unsigned char *)aux.base)[bit / 8] >> bit % 8 & 1;
}

__device__ __forceinline__ float after(const epilogue &e, long long number, int row, int column, bool inside, float x)
{
	long long at = number * e.aux.stride + column * e.aux.ld + row;
	if (e.kind & BIAS && inside)
		x += number_at<float>(e.bias, e.bias_type, number * e.bias_stride + row);
	if ((e.kind & (RELU | AUX)) == (RELU | AUX))
		put_mask(e.aux, number, row, column, inside, x > 0);
	if ((e.kind & (GELU | AUX)) == (GELU | AUX) && inside)
		put_number(e.aux.base, e.aux.type, at, x);
	if (e.kind & RELU)
		x = x < 0 ? 0 : x; // keeps NaN
	if (e.kind & GELU)
		x = gelu(x);
	if (e.kind & DRELU && inside && !mask_bit(e.aux, number, row, column))
		x = 0;
	if (e.kind & DGELU && inside)
		x *= gelu_slope(number_at<float>(e.aux.base, e.aux.type, at));
	if (e.amax && inside)
		atomicMax((int *)e.amax, __float_as_int(fabsf(x)));
	return e.scale_d ? x * *e.scale_d : x;
}

// alpha and beta, with the scales of 8-bit factors.
template <typename S> struct weights {
	S alpha, beta;
	__device__ __forceinline__ weights(const product &p) : alpha(value_of<S>(p.alpha)), beta(value_of<S>(p.beta))
	{
		if constexpr (std::is_same<S, float>::value) {
			alpha *= (p.after.scale_a ? *p.after.scale_a : 1) * (p.after.scale_b ? *p.after.scale_b : 1);
			beta *= p.after.scale_c ? *p.after.scale_c : 1;
		}
	}
};

// Writes one element of type Out. A warp calls this with all of its lanes; lanes outside D have `inside` false.
template <typename Out, typename S, typename Sum>
__device__ __forceinline__ void finish(const product &p, const weights<S> &by, long long number, int row, int column,
                                       Sum sum)
{
	bool inside = row < p.m && column < p.n;
	S x = by.alpha * to<S>(sum);
	if (!is_zero(by.beta) && inside) {
		long long at = (p.c.list ? 0 : number * p.c.stride) + column * p.c.ld + row;
		const void *c = p.c.list ? p.c.list[number] : p.c.base;
		x += by.beta * number_at<S>(c, p.c.type, at);
	}
	if constexpr (std::is_same<S, float>::value)
		if (p.after.kind || p.after.amax || p.after.scale_d)
			x = after(p.after, number, row, column, inside, x);
	if (inside)
		matrix_of<Out>(p.d, number)[column * p.d.ld + row] = to<Out>(x);
}

// Calls f(weights, element) for the types of alpha and D that factors of type In allow. So the type is chosen once.
template <typename In, typename F> __device__ __forceinline__ void with_types(const product &p, F f)
{
	constexpr bool eight = std::is_same<In, fp8>::value;
	if constexpr (std::is_same<In, double>::value || std::is_same<In, complex<float>>::value ||
	              std::is_same<In, complex<double>>::value) {
		f(weights<In>(p), In());
	} else if constexpr (std::is_same<In, complex<signed char>>::value) {
		f(weights<complex<float>>(p), complex<float>());
	} else if constexpr (std::is_same<In, signed char>::value) {
		if (p.d.type == CUDA_R_32I)
			f(weights<int>(p), 0);
		else if (p.d.type == CUDA_R_8I)
			f(weights<float>(p), (signed char)0);
		else
			f(weights<float>(p), 0.0f);
	} else {
		weights<float> by(p);
		if ((eight || std::is_same<In, __half>::value) && p.d.type == CUDA_R_16F)
			f(by, __half());
		else if ((eight || std::is_same<In, __nv_bfloat16>::value) && p.d.type == CUDA_R_16BF)
			f(by, __nv_bfloat16());
		else if (eight && p.d.type == CUDA_R_8F_E4M3)
			f(by, e4m3());
		else if (eight && p.d.type == CUDA_R_8F_E5M2)
			f(by, e5m2());
		else
			f(by, 0.0f);
	}
}

// True if alpha is 0: then A and B are not read.
__device__ __forceinline__ bool without_product(const scalar &s)
{
	if (!s.device)
		return s.real == 0 && s.imaginary == 0;
	switch (s.type) {
	case CUDA_R_64F:
		return *(const double *)s.device == 0;
	case CUDA_R_32I:
		return *(const int *)s.device == 0;
	case CUDA_C_32F:
		return is_zero(*(const complex<float> *)s.device);
	case CUDA_C_64F:
		return is_zero(*(const complex<double> *)s.device);
	default:
		return number_at<float>(s.device, s.type, 0) == 0;
	}
}

} // namespace products
