/* cublas: the older interface of <cublas_v2.h>: no handle, scalars by value, operations as letters. cublasGetError()
 * returns the first error since its last call. */
#ifndef CUBLAS_H_
#define CUBLAS_H_

#include "sluice/macros_off.h"

#ifdef CUBLAS_V2_H_
#error "sluice: a source includes <cublas.h> or <cublas_v2.h>, not both"
#endif

#include "sluice/cublas_types.h"

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus cublasInit(void);
cublasStatus cublasShutdown(void);
cublasStatus cublasGetError(void); /* also clears the error */
cublasStatus cublasGetVersion(int *version);
cublasStatus cublasSetKernelStream(cudaStream_t stream);
cublasStatus cublasAlloc(int n, int elem_size, void **pointer);
cublasStatus cublasFree(void *pointer);

#define SLUICE_CUBLAS(T, t, i)                                                                                         \
	int cublasI##i##amax(int n, const T *x, int incx);                                                             \
	int cublasI##i##amin(int n, const T *x, int incx);                                                             \
	T cublas##t##asum(int n, const T *x, int incx);                                                                \
	T cublas##t##nrm2(int n, const T *x, int incx);                                                                \
	T cublas##t##dot(int n, const T *x, int incx, const T *y, int incy);                                           \
	void cublas##t##axpy(int n, T alpha, const T *x, int incx, T *y, int incy);                                    \
	void cublas##t##scal(int n, T alpha, T *x, int incx);                                                          \
	void cublas##t##copy(int n, const T *x, int incx, T *y, int incy);                                             \
	void cublas##t##swap(int n, T *x, int incx, T *y, int incy);                                                   \
	void cublas##t##rot(int n, T *x, int incx, T *y, int incy, T c, T s);                                          \
	void cublas##t##gemv(char trans, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta,     \
	                     T *y, int incy);                                                                          \
	void cublas##t##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda);         \
	void cublas##t##gemm(char transa, char transb, int m, int n, int k, T alpha, const T *a, int lda, const T *b,  \
	                     int ldb, T beta, T *c, int ldc);
SLUICE_CUBLAS(float, S, s)
SLUICE_CUBLAS(double, D, d)
#undef SLUICE_CUBLAS

#ifdef __cplusplus
}
#endif

#include "sluice/macros_on.h"

#endif
