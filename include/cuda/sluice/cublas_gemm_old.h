/* cublas_gemm_old: the functions of cublas_gemm.h whose arithmetic is a cudaDataType, as before CUDA 11. C++ only; part
 * of cublas_v2.h. */
#ifndef SLUICE_CUBLAS_GEMM_OLD_H
#define SLUICE_CUBLAS_GEMM_OLD_H

/* Finds the arithmetic of a type; the handle's mode may ask for the pedantic form. */
static inline cublasStatus_t cublasMigrateComputeType(cublasHandle_t handle, cudaDataType type,
                                                      cublasComputeType_t *compute)
{
	cublasMath_t mode = CUBLAS_DEFAULT_MATH;
	const cublasStatus_t status = cublasGetMathMode(handle, &mode);
	const bool pedantic = (mode & 15) == CUBLAS_PEDANTIC_MATH;
	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	if (type == CUDA_R_32F || type == CUDA_C_32F)
		*compute = pedantic ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F;
	else if (type == CUDA_R_64F || type == CUDA_C_64F)
		*compute = pedantic ? CUBLAS_COMPUTE_64F_PEDANTIC : CUBLAS_COMPUTE_64F;
	else if (type == CUDA_R_16F)
		*compute = pedantic ? CUBLAS_COMPUTE_16F_PEDANTIC : CUBLAS_COMPUTE_16F;
	else if (type == CUDA_R_32I)
		*compute = pedantic ? CUBLAS_COMPUTE_32I_PEDANTIC : CUBLAS_COMPUTE_32I;
	else
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return CUBLAS_STATUS_SUCCESS;
}

/* `parameters` end before the arithmetic, and `arguments` are their names. */
#define SLUICE_GEMM_OLD(name, parameters, arguments)                                                                   \
	static inline cublasStatus_t name(parameters, cudaDataType type, cublasGemmAlgo_t algo)                        \
	{                                                                                                              \
		cublasComputeType_t compute = CUBLAS_COMPUTE_32F;                                                      \
		const cublasStatus_t status = cublasMigrateComputeType(handle, type, &compute);                        \
		return status == CUBLAS_STATUS_SUCCESS ? name(arguments, compute, algo) : status;                      \
	}
#define SLUICE_COMMA(...) __VA_ARGS__
SLUICE_GEMM_OLD(cublasGemmEx,
                SLUICE_COMMA(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const void *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                             cudaDataType type_b, int ldb, const void *beta, void *c, cudaDataType type_c, int ldc),
                SLUICE_COMMA(handle, transa, transb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c,
                             ldc))
SLUICE_GEMM_OLD(cublasGemmBatchedEx,
                SLUICE_COMMA(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const void *alpha, const void *const a[], cudaDataType type_a, int lda,
                             const void *const b[], cudaDataType type_b, int ldb, const void *beta, void *const c[],
                             cudaDataType type_c, int ldc, int count),
                SLUICE_COMMA(handle, transa, transb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c,
                             ldc, count))
SLUICE_GEMM_OLD(cublasGemmStridedBatchedEx,
                SLUICE_COMMA(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const void *alpha, const void *a, cudaDataType type_a, int lda,
                             long long int stride_a, const void *b, cudaDataType type_b, int ldb,
                             long long int stride_b, const void *beta, void *c, cudaDataType type_c, int ldc,
                             long long int stride_c, int count),
                SLUICE_COMMA(handle, transa, transb, m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb, stride_b,
                             beta, c, type_c, ldc, stride_c, count))
#undef SLUICE_GEMM_OLD
#undef SLUICE_COMMA

#endif
