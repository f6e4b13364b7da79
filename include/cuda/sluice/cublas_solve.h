/* cublas_solve: triangular systems, op(A) X = alpha B and X op(A) = alpha B. X replaces B. Part of cublas_v2.h. */
#ifndef SLUICE_CUBLAS_SOLVE_H
#define SLUICE_CUBLAS_SOLVE_H

typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;

/* B has m rows and n columns. A has m rows with LEFT, n with RIGHT. Only the triangle that `uplo` names is read, and
 * with UNIT not its diagonal. Batched: arrays of pointers in device memory. */
#define SLUICE_CUBLAS_SOLVE(T, t)                                                                                      \
	cublasStatus_t cublas##t##trsm_v2(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t uplo,                \
	                                  cublasOperation_t trans, cublasDiagType_t diag, int m, int n,                \
	                                  const T *alpha, const T *a, int lda, T *b, int ldb);                         \
	cublasStatus_t cublas##t##trsmBatched(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t uplo,            \
	                                      cublasOperation_t trans, cublasDiagType_t diag, int m, int n,            \
	                                      const T *alpha, const T *const a[], int lda, T *const b[], int ldb,      \
	                                      int count);
SLUICE_CUBLAS_SOLVE(float, S)
SLUICE_CUBLAS_SOLVE(double, D)
#undef SLUICE_CUBLAS_SOLVE

#define cublasStrsm cublasStrsm_v2
#define cublasDtrsm cublasDtrsm_v2

#endif
