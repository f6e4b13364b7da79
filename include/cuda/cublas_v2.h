/* cublas_v2: linear algebra on the device, a small library by Sluice (docs/reference/cuda-headers.md): vector,
 * matrix-vector and matrix-matrix operations in float and double. Products of matrices also have complex, 16-bit and
 * 8-bit types (sluice/cublas_gemm.h).
 *
 * Matrices are stored by columns; ld* is the distance of columns in elements. Scalars and results passed by pointer are
 * in host memory. After cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE) they are in device memory. Functions
 * that return CUBLAS_STATUS_INVALID_VALUE have done nothing.
 */
#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_

#include "sluice/macros_off.h"

#ifdef CUBLAS_H_
#error "sluice: a source includes <cublas.h> or <cublas_v2.h>, not both"
#endif

#include "sluice/cublas_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cublasContext *cublasHandle_t;

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITAN = 2 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
/* Without effect: sums always have one order. */
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
/* Accepted, not used: no product here needs memory of the user. Setting a stream ends its use, as in CUDA. */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);

/* The functions of one type: T is its name in C, t the letter in function names. Indices of iamax and iamin count from
 * 1; 0: no element. */
#define SLUICE_CUBLAS(T, t, i)                                                                                         \
	cublasStatus_t cublasI##i##amax_v2(cublasHandle_t, int n, const T *x, int incx, int *result);                  \
	cublasStatus_t cublasI##i##amin_v2(cublasHandle_t, int n, const T *x, int incx, int *result);                  \
	cublasStatus_t cublas##t##asum_v2(cublasHandle_t, int n, const T *x, int incx, T *result);                     \
	cublasStatus_t cublas##t##nrm2_v2(cublasHandle_t, int n, const T *x, int incx, T *result);                     \
	cublasStatus_t cublas##t##dot_v2(cublasHandle_t, int n, const T *x, int incx, const T *y, int incy, T *result);\
	cublasStatus_t cublas##t##axpy_v2(cublasHandle_t, int n, const T *alpha, const T *x, int incx, T *y, int incy);\
	cublasStatus_t cublas##t##scal_v2(cublasHandle_t, int n, const T *alpha, T *x, int incx);                      \
	cublasStatus_t cublas##t##copy_v2(cublasHandle_t, int n, const T *x, int incx, T *y, int incy);                \
	cublasStatus_t cublas##t##swap_v2(cublasHandle_t, int n, T *x, int incx, T *y, int incy);                      \
	cublasStatus_t cublas##t##rot_v2(cublasHandle_t, int n, T *x, int incx, T *y, int incy, const T *c,            \
	                                 const T *s);                                                                  \
	cublasStatus_t cublas##t##gemv_v2(cublasHandle_t, cublasOperation_t trans, int m, int n, const T *alpha,       \
	                                  const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy);   \
	cublasStatus_t cublas##t##ger_v2(cublasHandle_t, int m, int n, const T *alpha, const T *x, int incx,           \
	                                 const T *y, int incy, T *a, int lda);                                         \
	cublasStatus_t cublas##t##geam(cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb, int m,      \
	                               int n, const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, \
	                               T *c, int ldc);                                                                 \
	/* In-place L U = P a for each matrix. pivots: n rows each, from 1, or NULL: no pivoting.                      \
	 * info, per matrix: 0, or the first k with U(k, k) = 0. */                                                    \
	cublasStatus_t cublas##t##getrfBatched(cublasHandle_t, int n, T *const a[], int lda, int *pivots, int *info,   \
	                                       int count);
SLUICE_CUBLAS(float, S, s)
SLUICE_CUBLAS(double, D, d)
#undef SLUICE_CUBLAS

/* Types as arguments. All vectors and the result have one type: half, bfloat16, float (`executed` is float) or double.
 * alpha has the type `executed`. Other combinations return CUBLAS_STATUS_NOT_SUPPORTED. */
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType type_x, int incx, const void *y,
                           cudaDataType type_y, int incy, void *result, cudaDataType type, cudaDataType executed);
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void *x, cudaDataType type_x, int incx, const void *y,
                            cudaDataType type_y, int incy, void *result, cudaDataType type, cudaDataType executed);
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType type_x, int incx, void *result,
                            cudaDataType type, cudaDataType executed);
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType type_alpha, const void *x,
                            cudaDataType type_x, int incx, void *y, cudaDataType type_y, int incy,
                            cudaDataType executed);
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType type_alpha, void *x,
                            cudaDataType type_x, int incx, cudaDataType executed);

#include "sluice/cublas_gemm.h"

#define cublasCreate         cublasCreate_v2
#define cublasDestroy        cublasDestroy_v2
#define cublasGetVersion     cublasGetVersion_v2
#define cublasSetStream      cublasSetStream_v2
#define cublasGetStream      cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace   cublasSetWorkspace_v2

#define cublasIsamax cublasIsamax_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasIdamin cublasIdamin_v2
#define cublasSasum  cublasSasum_v2
#define cublasDasum  cublasDasum_v2
#define cublasSnrm2  cublasSnrm2_v2
#define cublasDnrm2  cublasDnrm2_v2
#define cublasSdot   cublasSdot_v2
#define cublasDdot   cublasDdot_v2
#define cublasSaxpy  cublasSaxpy_v2
#define cublasDaxpy  cublasDaxpy_v2
#define cublasSscal  cublasSscal_v2
#define cublasDscal  cublasDscal_v2
#define cublasScopy  cublasScopy_v2
#define cublasDcopy  cublasDcopy_v2
#define cublasSswap  cublasSswap_v2
#define cublasDswap  cublasDswap_v2
#define cublasSrot   cublasSrot_v2
#define cublasDrot   cublasDrot_v2
#define cublasSgemv  cublasSgemv_v2
#define cublasDgemv  cublasDgemv_v2
#define cublasSger   cublasSger_v2
#define cublasDger   cublasDger_v2
#define cublasSgemm  cublasSgemm_v2
#define cublasDgemm  cublasDgemm_v2
#define cublasCgemm  cublasCgemm_v2
#define cublasZgemm  cublasZgemm_v2

#ifdef __cplusplus
}
#include "sluice/cublas_gemm_old.h"
#endif

#include "sluice/macros_on.h"

#endif
