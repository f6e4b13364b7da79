// Products of matrices, for cuBLAS and cuBLASLt: the description of a product, and its numbers' types. libcublasLt has
// the kernels; libcublas calls them.
#pragma once

#include <cublas_v2.h>

namespace products {

// A scalar: a value that the host has read, or a device pointer.
struct scalar {
	const void *device;
	cudaDataType type;
	double real, imaginary;
};

// Reads a scalar in host memory, or keeps its address on the device.
inline scalar scalar_at(const void *from, cudaDataType type, bool on_device)
{
	if (on_device)
		return {from, type, 0, 0};
	switch (type) {
	case CUDA_R_16F:
		return {nullptr, type, __half2float(*(const __half *)from), 0};
	case CUDA_R_32I:
		return {nullptr, type, (double)*(const int *)from, 0};
	case CUDA_R_64F:
		return {nullptr, type, *(const double *)from, 0};
	case CUDA_C_32F:
		return {nullptr, type, ((const float *)from)[0], ((const float *)from)[1]};
	case CUDA_C_64F:
		return {nullptr, type, ((const double *)from)[0], ((const double *)from)[1]};
	default:
		return {nullptr, type, *(const float *)from, 0};
	}
}

// A batch of matrices, at a constant stride or in a list of pointers.
struct matrices {
	void *base;
	void *const *list;
	long long stride, ld;
	cudaDataType type;
};

// A factor. `index` is the index of op(matrix) that C shares.
struct factor : matrices {
	bool index_is_row; // `index` is the row of the stored matrix: contiguous in memory
	bool conjugate;
};

// The steps from alpha op(A) op(B) + beta C to D, in float. Their bits are those of cublasLtEpilogue_t.
struct epilogue {
	int kind; // 0: nothing
	const void *bias;
	cudaDataType bias_type;
	long long bias_stride;
	matrices aux;
	const float *scale_a, *scale_b, *scale_c, *scale_d; // null: 1
	float *amax;                                        // the largest magnitude before scale_d; null: not wanted
};

struct product {
	int m, n, k, count;
	scalar alpha, beta;
	factor a, b;
	matrices c, d; // c is read only if beta is not 0
	epilogue after;
	cublasComputeType_t compute;
	long long first_matrix;
};

// The arithmetic whose types are those of `compute`.
inline cublasComputeType_t plain(cublasComputeType_t compute)
{
	switch (compute) {
	case CUBLAS_COMPUTE_16F_PEDANTIC:
	case CUBLAS_COMPUTE_32F_PEDANTIC:
	case CUBLAS_COMPUTE_64F_PEDANTIC:
	case CUBLAS_COMPUTE_32I_PEDANTIC:
		return (cublasComputeType_t)(compute - 1);
	case CUBLAS_COMPUTE_32F_FAST_16BF:
	case CUBLAS_COMPUTE_32F_FAST_TF32:
		return CUBLAS_COMPUTE_32F_FAST_16F;
	default:
		return compute;
	}
}

// The kernels' parts, by the factors' types. With `tensor`, a machine's tensor cores multiply.
typedef cublasStatus_t runner(const product &p, cudaStream_t stream);
runner simple_real, simple_small, simple_complex;
runner tensor_half, tensor_bfloat, tensor_tf32, tensor_bytes, tensor_fp8, tensor_float_as_half, tensor_float_as_bfloat;

} // namespace products

// Runs a product whose sizes and pointers are valid. CUBLAS_STATUS_NOT_SUPPORTED: no kernel has these types.
extern "C" cublasStatus_t cublasLtRunProduct(const products::product *p, cudaStream_t stream);
