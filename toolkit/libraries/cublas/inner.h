// cuBLAS: declarations shared by the files of this library.
#pragma once

#include <cublas_v2.h>

struct cublasContext {
	cudaStream_t stream;
	cublasPointerMode_t pointers;
	cublasAtomicsMode_t atomics;
	cublasMath_t math;
	void *scratch; // device memory for partial sums
};

namespace cublas {

enum { THREADS = 128, MAX_BLOCKS = 64, SCRATCH_BYTES = (MAX_BLOCKS + 1) * 16 };

// A scalar: a value that the host has read, or a device pointer.
template <typename T> struct scalar {
	const T *device;
	T host;
	__device__ T value() const
	{
		return device ? *device : host;
	}
};

template <typename T> scalar<T> scalar_of(cublasHandle_t handle, const T *pointer)
{
	bool on_device = handle->pointers == CUBLAS_POINTER_MODE_DEVICE;
	return {on_device ? pointer : nullptr, on_device ? T() : *pointer};
}

// Address of a vector's first element. With a negative increment, this is the end of the array.
template <typename T> __host__ __device__ T *first(T *x, int n, int inc)
{
	return inc < 0 ? x + (long long)(1 - n) * inc : x;
}

inline int at_least_one(int n)
{
	return n > 1 ? n : 1;
}

inline unsigned blocks_for(long long work, int each, unsigned most)
{
	long long blocks = (work + each - 1) / each;
	return blocks < most ? (unsigned)blocks : most;
}

inline cublasStatus_t launched()
{
	return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

inline bool is_operation(cublasOperation_t op)
{
	return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

} // namespace cublas
