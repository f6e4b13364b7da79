/* cublas_gemm: products of matrices, C = alpha op(A) op(B) + beta C, and the types that name their arithmetic. Part of
 * cublas_v2.h. */
#ifndef SLUICE_CUBLAS_GEMM_H
#define SLUICE_CUBLAS_GEMM_H

/* The low four bits choose the arithmetic of products in float. TENSOR_OP and TF32 allow tensor cores for them, with
 * factors rounded to half or tf32. PEDANTIC forbids tensor cores. The others change nothing here. */
typedef enum {
	CUBLAS_DEFAULT_MATH = 0,
	CUBLAS_TENSOR_OP_MATH = 1,
	CUBLAS_PEDANTIC_MATH = 2,
	CUBLAS_TF32_TENSOR_OP_MATH = 3,
	CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
	CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
	CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef enum {
	CUBLAS_COMPUTE_16F = 64,
	CUBLAS_COMPUTE_16F_PEDANTIC = 65,
	CUBLAS_COMPUTE_32F = 68,
	CUBLAS_COMPUTE_32F_PEDANTIC = 69,
	CUBLAS_COMPUTE_32F_FAST_16F = 74,
	CUBLAS_COMPUTE_32F_FAST_16BF = 75,
	CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
	CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
	CUBLAS_COMPUTE_64F = 70,
	CUBLAS_COMPUTE_64F_PEDANTIC = 71,
	CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79,
	CUBLAS_COMPUTE_32I = 72,
	CUBLAS_COMPUTE_32I_PEDANTIC = 73
} cublasComputeType_t;

/* Names of algorithms. All choose the same one. */
typedef enum {
	CUBLAS_GEMM_DFALT = -1,
	CUBLAS_GEMM_DEFAULT = -1,
	CUBLAS_GEMM_ALGO0 = 0,
	CUBLAS_GEMM_ALGO1 = 1,
	CUBLAS_GEMM_ALGO2 = 2,
	CUBLAS_GEMM_ALGO3 = 3,
	CUBLAS_GEMM_ALGO4 = 4,
	CUBLAS_GEMM_ALGO5 = 5,
	CUBLAS_GEMM_ALGO6 = 6,
	CUBLAS_GEMM_ALGO7 = 7,
	CUBLAS_GEMM_ALGO8 = 8,
	CUBLAS_GEMM_ALGO9 = 9,
	CUBLAS_GEMM_ALGO10 = 10,
	CUBLAS_GEMM_ALGO11 = 11,
	CUBLAS_GEMM_ALGO12 = 12,
	CUBLAS_GEMM_ALGO13 = 13,
	CUBLAS_GEMM_ALGO14 = 14,
	CUBLAS_GEMM_ALGO15 = 15,
	CUBLAS_GEMM_ALGO16 = 16,
	CUBLAS_GEMM_ALGO17 = 17,
	CUBLAS_GEMM_ALGO18 = 18,
	CUBLAS_GEMM_ALGO19 = 19,
	CUBLAS_GEMM_ALGO20 = 20,
	CUBLAS_GEMM_ALGO21 = 21,
	CUBLAS_GEMM_ALGO22 = 22,
	CUBLAS_GEMM_ALGO23 = 23,
	CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
	CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
	CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
	CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
	CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
	CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
	CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
	CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
	CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
	CUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
	CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
	CUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
	CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
	CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
	CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
	CUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
	CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
	CUBLAS_GEMM_ALGO15_TENSOR_OP = 115,
	CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);

/* One product, and batches of them; `one` is the name of the first. */
#define SLUICE_GEMM(T, t, one)                                                                                         \
	cublasStatus_t one(cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,    \
	                   const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc);    \
	cublasStatus_t cublas##t##gemmBatched(cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb,      \
	                                      int m, int n, int k, const T *alpha, const T *const a[], int lda,        \
	                                      const T *const b[], int ldb, const T *beta, T *const c[], int ldc,       \
	                                      int count);                                                              \
	cublasStatus_t cublas##t##gemmStridedBatched(                                                                  \
		cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,               \
		const T *alpha, const T *a, int lda, long long int stride_a, const T *b, int ldb,                      \
		long long int stride_b, const T *beta, T *c, int ldc, long long int stride_c, int count);
SLUICE_GEMM(float, S, cublasSgemm_v2)
SLUICE_GEMM(double, D, cublasDgemm_v2)
SLUICE_GEMM(cuComplex, C, cublasCgemm_v2)
SLUICE_GEMM(cuDoubleComplex, Z, cublasZgemm_v2)
#ifdef __cplusplus
SLUICE_GEMM(__half, H, cublasHgemm)
#endif
#undef SLUICE_GEMM

/* Types of the matrices as arguments; alpha and beta are float, or complex. */
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const float *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                             cudaDataType type_b, int ldb, const float *beta, void *c, cudaDataType type_c, int ldc);
cublasStatus_t cublasCgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const cuComplex *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                             cudaDataType type_b, int ldb, const cuComplex *beta, void *c, cudaDataType type_c,
                             int ldc);

/* Types of matrices and arithmetic as arguments. alpha and beta have the type of the arithmetic. Combinations outside
 * docs/reference/cuda-headers.md return CUBLAS_STATUS_NOT_SUPPORTED. */
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                            int k, const void *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                            cudaDataType type_b, int ldb, const void *beta, void *c, cudaDataType type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                   int n, int k, const void *alpha, const void *const a[], cudaDataType type_a, int lda,
                                   const void *const b[], cudaDataType type_b, int ldb, const void *beta,
                                   void *const c[], cudaDataType type_c, int ldc, int count,
                                   cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void *alpha, const void *a, cudaDataType type_a,
                                          int lda, long long int stride_a, const void *b, cudaDataType type_b, int ldb,
                                          long long int stride_b, const void *beta, void *c, cudaDataType type_c,
                                          int ldc, long long int stride_c, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algo);

#endif
