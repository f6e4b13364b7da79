// cuBLAS: the legacy interface without handles. All calls use one handle. The first failure status is stored until
// cublasGetError() returns it.
#include "inner.h"

static cublasHandle_t handle;
static cublasStatus_t kept;

static cublasStatus_t keep(cublasStatus_t status)
{
	if (kept == CUBLAS_STATUS_SUCCESS)
		kept = status;
	return status;
}

static cublasOperation_t operation(char letter)
{
	switch (letter) {
	case 'n':
	case 'N':
		return CUBLAS_OP_N;
	case 't':
	case 'T':
		return CUBLAS_OP_T;
	case 'c':
	case 'C':
		return CUBLAS_OP_C;
	default:
		return (cublasOperation_t)-1;
	}
}

extern "C" {

cublasStatus_t cublasInit(void)
{
	return handle ? CUBLAS_STATUS_SUCCESS : keep(cublasCreate_v2(&handle));
}

cublasStatus_t cublasShutdown(void)
{
	cublasStatus_t status = cublasDestroy_v2(handle);
	handle = nullptr;
	return status;
}

cublasStatus_t cublasGetError(void)
{
	cublasStatus_t status = kept;
	kept = CUBLAS_STATUS_SUCCESS;
	return status;
}

#undef cublasGetVersion
cublasStatus_t cublasGetVersion(int *version)
{
	return cublasGetVersion_v2(handle, version);
}

cublasStatus_t cublasSetKernelStream(cudaStream_t stream)
{
	return keep(cublasSetStream_v2(handle, stream));
}

cublasStatus_t cublasAlloc(int n, int size, void **pointer)
{
	if (n <= 0 || size <= 0 || !pointer)
		return keep(CUBLAS_STATUS_INVALID_VALUE);
	return cudaMalloc(pointer, (size_t)n * size) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : keep(CUBLAS_STATUS_ALLOC_FAILED);
}

cublasStatus_t cublasFree(void *pointer)
{
	return cudaFree(pointer) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : keep(CUBLAS_STATUS_INTERNAL_ERROR);
}

} // extern "C"

// In this interface, names have no _v2.
#undef cublasIsamax
#undef cublasIdamax
#undef cublasIsamin
#undef cublasIdamin
#undef cublasSasum
#undef cublasDasum
#undef cublasSnrm2
#undef cublasDnrm2
#undef cublasSdot
#undef cublasDdot
#undef cublasSaxpy
#undef cublasDaxpy
#undef cublasSscal
#undef cublasDscal
#undef cublasScopy
#undef cublasDcopy
#undef cublasSswap
#undef cublasDswap
#undef cublasSrot
#undef cublasDrot
#undef cublasSgemv
#undef cublasDgemv
#undef cublasSger
#undef cublasDger
#undef cublasSgemm
#undef cublasDgemm

#define RESULT(T, call)                                                                                                \
	T result = 0;                                                                                                  \
	keep(call);                                                                                                    \
	return result

#define OF_TYPE(T, t, i)                                                                                               \
	extern "C" int cublasI##i##amax(int n, const T *x, int incx)                                                   \
	{                                                                                                              \
		RESULT(int, cublasI##i##amax_v2(handle, n, x, incx, &result));                                         \
	}                                                                                                              \
	extern "C" int cublasI##i##amin(int n, const T *x, int incx)                                                   \
	{                                                                                                              \
		RESULT(int, cublasI##i##amin_v2(handle, n, x, incx, &result));                                         \
	}                                                                                                              \
	extern "C" T cublas##t##asum(int n, const T *x, int incx)                                                      \
	{                                                                                                              \
		RESULT(T, cublas##t##asum_v2(handle, n, x, incx, &result));                                            \
	}                                                                                                              \
	extern "C" T cublas##t##nrm2(int n, const T *x, int incx)                                                      \
	{                                                                                                              \
		RESULT(T, cublas##t##nrm2_v2(handle, n, x, incx, &result));                                            \
	}                                                                                                              \
	extern "C" T cublas##t##dot(int n, const T *x, int incx, const T *y, int incy)                                 \
	{                                                                                                              \
		RESULT(T, cublas##t##dot_v2(handle, n, x, incx, y, incy, &result));                                    \
	}                                                                                                              \
	extern "C" void cublas##t##axpy(int n, T alpha, const T *x, int incx, T *y, int incy)                          \
	{                                                                                                              \
		keep(cublas##t##axpy_v2(handle, n, &alpha, x, incx, y, incy));                                         \
	}                                                                                                              \
	extern "C" void cublas##t##scal(int n, T alpha, T *x, int incx)                                                \
	{                                                                                                              \
		keep(cublas##t##scal_v2(handle, n, &alpha, x, incx));                                                  \
	}                                                                                                              \
	extern "C" void cublas##t##copy(int n, const T *x, int incx, T *y, int incy)                                   \
	{                                                                                                              \
		keep(cublas##t##copy_v2(handle, n, x, incx, y, incy));                                                 \
	}                                                                                                              \
	extern "C" void cublas##t##swap(int n, T *x, int incx, T *y, int incy)                                         \
	{                                                                                                              \
		keep(cublas##t##swap_v2(handle, n, x, incx, y, incy));                                                 \
	}                                                                                                              \
	extern "C" void cublas##t##rot(int n, T *x, int incx, T *y, int incy, T c, T s)                                \
	{                                                                                                              \
		keep(cublas##t##rot_v2(handle, n, x, incx, y, incy, &c, &s));                                          \
	}                                                                                                              \
	extern "C" void cublas##t##gemv(char trans, int m, int n, T alpha, const T *a, int lda, const T *x, int incx,  \
	                                T beta, T *y, int incy)                                                        \
	{                                                                                                              \
		keep(cublas##t##gemv_v2(handle, operation(trans), m, n, &alpha, a, lda, x, incx, &beta, y, incy));     \
	}                                                                                                              \
	extern "C" void cublas##t##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a,        \
	                               int lda)                                                                        \
	{                                                                                                              \
		keep(cublas##t##ger_v2(handle, m, n, &alpha, x, incx, y, incy, a, lda));                               \
	}                                                                                                              \
	extern "C" void cublas##t##gemm(char transa, char transb, int m, int n, int k, T alpha, const T *a, int lda,   \
	                                const T *b, int ldb, T beta, T *c, int ldc)                                    \
	{                                                                                                              \
		keep(cublas##t##gemm_v2(handle, operation(transa), operation(transb), m, n, k, &alpha, a, lda, b, ldb, \
		                        &beta, c, ldc));                                                               \
	}
OF_TYPE(float, S, s)
OF_TYPE(double, D, d)
