/* cusparse_legacy: functions of cuSPARSE that take a matrix as its arrays. Part of cusparse.h. */
#ifndef SLUICE_CUSPARSE_LEGACY_H
#define SLUICE_CUSPARSE_LEGACY_H

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descr, cusparseMatrixType_t type);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descr, cusparseFillMode_t fill);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descr, cusparseDiagType_t diag);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descr, cusparseIndexBase_t base);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descr);

/* Indices: rows of entries from offsets of rows and back; 0, 1, 2 and so on. */
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int nnz, int m, int *rows,
                                  cusparseIndexBase_t base);
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int nnz, int m, int *offsets,
                                  cusparseIndexBase_t base);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p);

/* y = alpha op(A) x + beta y, and C = alpha op(A) op(B) + beta C with B and C by columns. CUDA 10 was the last with
 * these; programs of that time are compiled with the oldest version. */
#if __SLUICE_CUDA__ == 11
#define SLUICE_OF_TYPE(T, t)                                                                                           \
	cusparseStatus_t cusparse##t##csrmv(cusparseHandle_t handle, cusparseOperation_t op, int m, int n, int nnz,    \
	                                    const T *alpha, const cusparseMatDescr_t descr, const T *values,           \
	                                    const int *offsets, const int *indices, const T *x, const T *beta, T *y);  \
	cusparseStatus_t cusparse##t##csrmm(cusparseHandle_t handle, cusparseOperation_t op, int m, int n, int k,      \
	                                    int nnz, const T *alpha, const cusparseMatDescr_t descr, const T *values,  \
	                                    const int *offsets, const int *indices, const T *b, int ldb,               \
	                                    const T *beta, T *c, int ldc);                                             \
	cusparseStatus_t cusparse##t##csrmm2(cusparseHandle_t handle, cusparseOperation_t op_a,                        \
	                                     cusparseOperation_t op_b, int m, int n, int k, int nnz, const T *alpha,   \
	                                     const cusparseMatDescr_t descr, const T *values, const int *offsets,      \
	                                     const int *indices, const T *b, int ldb, const T *beta, T *c, int ldc);
SLUICE_OF_TYPE(float, S)
SLUICE_OF_TYPE(double, D)
#undef SLUICE_OF_TYPE
#endif

#endif
