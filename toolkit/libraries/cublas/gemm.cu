// cuBLAS: products of matrices. libcublasLt has their kernels.
#include "inner.h"

#include "../cublasLt/product.h"

using namespace cublas;
using products::matrices;
using products::plain;
using products::product;

// A call of any of the functions below.
struct call {
	cublasHandle_t handle;
	cublasOperation_t transa, transb;
	int m, n, k;
	const void *alpha;
	matrices a, b;
	const void *beta;
	matrices c;
	int count;
	cublasComputeType_t compute;
};

static matrices one(const void *base, long long stride, int ld, cudaDataType type)
{
	return {(void *)base, nullptr, stride, ld, type};
}

static matrices listed(const void *list, int ld, cudaDataType type)
{
	return {nullptr, (void *const *)list, 0, ld, type};
}

// Types of A and B, of C, and of alpha and beta, for each arithmetic, as cublasGemmEx documents them.
struct combination {
	cublasComputeType_t compute;
	cudaDataType ab, c, scale;
};
static const combination combinations[] = {
	{CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
	{CUBLAS_COMPUTE_32I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
	{CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F},
	{CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F},
	{CUBLAS_COMPUTE_32F, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},
	{CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F},
	{CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
	{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
	{CUBLAS_COMPUTE_32F, CUDA_C_8I, CUDA_C_32F, CUDA_C_32F},
	{CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
	{CUBLAS_COMPUTE_32F_FAST_16F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
	{CUBLAS_COMPUTE_32F_FAST_16F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
	{CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
	{CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
};

static const combination *find(const call &c)
{
	for (const combination &row : combinations)
		if (row.compute == plain(c.compute) && row.ab == c.a.type && row.ab == c.b.type && row.c == c.c.type)
			return &row;
	return nullptr;
}

// Integers are multiplied in words of four, which needs aligned columns.
static bool is_aligned(const matrices &of)
{
	return of.ld % 4 == 0 && (unsigned long long)of.base % 4 == 0;
}

// The handle's mode chooses the arithmetic of products that name float without a form of it.
static cublasComputeType_t by_mode(cublasHandle_t handle, const call &c)
{
	int mode = handle->math & 15;
	if (mode == CUBLAS_PEDANTIC_MATH && plain(c.compute) == c.compute && c.compute != CUBLAS_COMPUTE_32F_FAST_16F)
		return (cublasComputeType_t)(c.compute + 1);
	if (c.compute != CUBLAS_COMPUTE_32F || c.a.type != CUDA_R_32F)
		return c.compute;
	return mode == CUBLAS_TENSOR_OP_MATH        ? CUBLAS_COMPUTE_32F_FAST_16F
	       : mode == CUBLAS_TF32_TENSOR_OP_MATH ? CUBLAS_COMPUTE_32F_FAST_TF32
	                                            : c.compute;
}

static cublasStatus_t run(const call &c)
{
	if (!c.handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	bool turn_a = c.transa != CUBLAS_OP_N, turn_b = c.transb != CUBLAS_OP_N;
	if (!is_operation(c.transa) || !is_operation(c.transb) || c.m < 0 || c.n < 0 || c.k < 0 || c.count < 0 ||
	    !c.alpha || !c.beta || c.a.ld < at_least_one(turn_a ? c.k : c.m) ||
	    c.b.ld < at_least_one(turn_b ? c.n : c.k) || c.c.ld < at_least_one(c.m))
		return CUBLAS_STATUS_INVALID_VALUE;
	const combination *types = find(c);
	if (!types || (types->scale == CUDA_R_32I && !(is_aligned(c.a) && is_aligned(c.b))))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!c.m || !c.n || !c.count)
		return CUBLAS_STATUS_SUCCESS;
	product p = {c.m, c.n, c.k, c.count};
	bool on_device = c.handle->pointers == CUBLAS_POINTER_MODE_DEVICE;
	p.alpha = products::scalar_at(c.alpha, types->scale, on_device);
	p.beta = products::scalar_at(c.beta, types->scale, on_device);
	if (!(c.c.base || c.c.list) || (c.k && (on_device || p.alpha.real != 0 || p.alpha.imaginary != 0) &&
	                                !((c.a.base || c.a.list) && (c.b.base || c.b.list))))
		return CUBLAS_STATUS_INVALID_VALUE;
	static_cast<matrices &>(p.a) = c.a;
	static_cast<matrices &>(p.b) = c.b;
	p.a.index_is_row = !turn_a;
	p.b.index_is_row = turn_b;
	p.a.conjugate = c.transa == CUBLAS_OP_C;
	p.b.conjugate = c.transb == CUBLAS_OP_C;
	p.c = p.d = c.c;
	p.compute = by_mode(c.handle, c);
	return cublasLtRunProduct(&p, c.handle->stream);
}

// The type of matrices whose elements are of type T, and its arithmetic.
template <typename T> struct type_of;
#define TYPE(T, type, arithmetic)                                                                                      \
	template <> struct type_of<T> {                                                                                \
		static const cudaDataType value = type;                                                                \
		static const cublasComputeType_t compute = arithmetic;                                                 \
	}
TYPE(float, CUDA_R_32F, CUBLAS_COMPUTE_32F);
TYPE(double, CUDA_R_64F, CUBLAS_COMPUTE_64F);
TYPE(__half, CUDA_R_16F, CUBLAS_COMPUTE_16F);
TYPE(cuComplex, CUDA_C_32F, CUBLAS_COMPUTE_32F);
TYPE(cuDoubleComplex, CUDA_C_64F, CUBLAS_COMPUTE_64F);

#define OF_TYPE(T, t, one_product)                                                                                     \
	extern "C" cublasStatus_t one_product(cublasHandle_t handle, cublasOperation_t transa,                         \
	                                      cublasOperation_t transb, int m, int n, int k, const T *alpha,           \
	                                      const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)  \
	{                                                                                                              \
		const cudaDataType type = type_of<T>::value;                                                           \
		return run({handle, transa, transb, m, n, k, alpha, one(a, 0, lda, type), one(b, 0, ldb, type), beta,  \
		            one(c, 0, ldc, type), 1, type_of<T>::compute});                                            \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##gemmBatched(                                                              \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,        \
		const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], \
		int ldc, int count)                                                                                    \
	{                                                                                                              \
		const cudaDataType type = type_of<T>::value;                                                           \
		return run({handle, transa, transb, m, n, k, alpha, listed(a, lda, type), listed(b, ldb, type), beta,  \
		            listed(c, ldc, type), count, type_of<T>::compute});                                        \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##gemmStridedBatched(                                                       \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,        \
		const T *alpha, const T *a, int lda, long long int stride_a, const T *b, int ldb,                      \
		long long int stride_b, const T *beta, T *c, int ldc, long long int stride_c, int count)               \
	{                                                                                                              \
		const cudaDataType type = type_of<T>::value;                                                           \
		return run({handle, transa, transb, m, n, k, alpha, one(a, stride_a, lda, type),                       \
		            one(b, stride_b, ldb, type), beta, one(c, stride_c, ldc, type), count,                     \
		            type_of<T>::compute});                                                                     \
	}
OF_TYPE(float, S, cublasSgemm_v2)
OF_TYPE(double, D, cublasDgemm_v2)
OF_TYPE(__half, H, cublasHgemm)
OF_TYPE(cuComplex, C, cublasCgemm_v2)
OF_TYPE(cuDoubleComplex, Z, cublasZgemm_v2)

#define OF_FACTORS(T, name)                                                                                            \
	extern "C" cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,      \
	                               int m, int n, int k, const T *alpha, const void *a, cudaDataType type_a,        \
	                               int lda, const void *b, cudaDataType type_b, int ldb, const T *beta, void *c,   \
	                               cudaDataType type_c, int ldc)                                                   \
	{                                                                                                              \
		call made = {handle,                                                                                   \
		             transa,                                                                                   \
		             transb,                                                                                   \
		             m,                                                                                        \
		             n,                                                                                        \
		             k,                                                                                        \
		             alpha,                                                                                    \
		             one(a, 0, lda, type_a),                                                                   \
		             one(b, 0, ldb, type_b),                                                                   \
		             beta,                                                                                     \
		             one(c, 0, ldc, type_c),                                                                   \
		             1,                                                                                        \
		             CUBLAS_COMPUTE_32F};                                                                      \
		const combination *types = find(made);                                                                 \
		return handle && (!types || types->scale != type_of<T>::value) ? CUBLAS_STATUS_NOT_SUPPORTED           \
		                                                               : run(made);                            \
	}
OF_FACTORS(float, cublasSgemmEx)
OF_FACTORS(cuComplex, cublasCgemmEx)

extern "C" cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                       int n, int k, const void *alpha, const void *a, cudaDataType type_a, int lda,
                                       const void *b, cudaDataType type_b, int ldb, const void *beta, void *c,
                                       cudaDataType type_c, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t)
{
	return run({handle, transa, transb, m, n, k, alpha, one(a, 0, lda, type_a), one(b, 0, ldb, type_b), beta,
	            one(c, 0, ldc, type_c), 1, compute});
}

extern "C" cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                              int m, int n, int k, const void *alpha, const void *const a[],
                                              cudaDataType type_a, int lda, const void *const b[], cudaDataType type_b,
                                              int ldb, const void *beta, void *const c[], cudaDataType type_c, int ldc,
                                              int count, cublasComputeType_t compute, cublasGemmAlgo_t)
{
	return run({handle, transa, transb, m, n, k, alpha, listed(a, lda, type_a), listed(b, ldb, type_b), beta,
	            listed(c, ldc, type_c), count, compute});
}

extern "C" cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                                     cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                                     const void *a, cudaDataType type_a, int lda,
                                                     long long int stride_a, const void *b, cudaDataType type_b,
                                                     int ldb, long long int stride_b, const void *beta, void *c,
                                                     cudaDataType type_c, int ldc, long long int stride_c, int count,
                                                     cublasComputeType_t compute, cublasGemmAlgo_t)
{
	return run({handle, transa, transb, m, n, k, alpha, one(a, stride_a, lda, type_a),
	            one(b, stride_b, ldb, type_b), beta, one(c, stride_c, ldc, type_c), count, compute});
}
