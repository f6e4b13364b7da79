// cuBLASLt: the combinations of types.
#include "types.h"

#include "product.h"

using namespace cublaslt;

#define ROW(arithmetic, scale, ab, c, d, bias, allowed)                                                                \
	{                                                                                                              \
		arithmetic, scale, ab, ab, c, d, bias, allowed                                                         \
	}

static const combination combinations[] = {
	ROW(CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, ALL_STEPS),
	ROW(CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, NO_TYPE, ONLY_DEFAULT),
	ROW(CUBLAS_COMPUTE_32I, CUDA_R_32F, CUDA_R_8I, CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, NO_GELU),
	ROW(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, ALL_STEPS),
	ROW(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, ALL_STEPS),
	ROW(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F, NO_TYPE, ONLY_DEFAULT),
	ROW(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, ALL_STEPS),
	ROW(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, ALL_STEPS),
	ROW(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, ALL_STEPS),
	ROW(CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_8I, CUDA_C_32F, CUDA_C_32F, NO_TYPE, ONLY_DEFAULT),
	ROW(CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, NO_TYPE, ONLY_DEFAULT),
	ROW(CUBLAS_COMPUTE_32F_FAST_16F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, ALL_STEPS),
	ROW(CUBLAS_COMPUTE_32F_FAST_16F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, NO_TYPE, ONLY_DEFAULT),
	ROW(CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, NO_TYPE, ONLY_DEFAULT),
	ROW(CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, NO_TYPE, ONLY_DEFAULT),
};

// C of 8-bit factors, the type of a bias with it, and whether D may have 8 bits.
static const struct wide {
	cudaDataType c, bias;
	bool narrows;
} wides[] = {
	{CUDA_R_16BF, CUDA_R_16BF, true},
	{CUDA_R_16F, CUDA_R_16F, true},
	{CUDA_R_32F, CUDA_R_16BF, false},
};

// Finds the combination of 8-bit floating-point factors. At most one factor is e5m2; only then D may be.
static const combination *find_fp8(cublasComputeType_t compute, cudaDataType scale, cudaDataType a, cudaDataType b,
                                   cudaDataType c, cudaDataType d)
{
	static thread_local combination found;
	bool mixed = a != b;
	if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F || !is_fp8(a) || !is_fp8(b) ||
	    (!mixed && a == CUDA_R_8F_E5M2))
		return nullptr;
	for (const wide &row : wides)
		if (row.c == c &&
		    (d == c || (row.narrows && (d == CUDA_R_8F_E4M3 || (mixed && d == CUDA_R_8F_E5M2))))) {
			found = {compute, scale, a, b, c, d, row.bias, ALL_STEPS};
			return &found;
		}
	return nullptr;
}

const combination *cublaslt::find(cublasComputeType_t compute, cudaDataType scale, cudaDataType a, cudaDataType b,
                                  cudaDataType c, cudaDataType d)
{
	if (is_fp8(a) || is_fp8(b))
		return find_fp8(compute, scale, a, b, c, d);
	for (const combination &row : combinations)
		if (row.compute == products::plain(compute) && row.scale == scale && row.a == a && row.b == b && row.c == c &&
		    row.d == d)
			return &row;
	return nullptr;
}
