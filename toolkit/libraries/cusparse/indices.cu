// cuSPARSE: conversions of indices, and products of matrices that are given as arrays.
#include "matrix.h"

using namespace cusparse;

__global__ void cusparse_csr2coo(const int *offsets, int nnz, int m, int *rows, int base)
{
	for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < nnz; k += (int64_t)gridDim.x * blockDim.x)
		rows[k] = (int)first_entry(offsets, (int64_t)m + 1, k + 1 + base) - 1 + base;
}

__global__ void cusparse_coo2csr(const int *rows, int nnz, int m, int *offsets, int base)
{
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i <= m; i += (int64_t)gridDim.x * blockDim.x)
		offsets[i] = (int)first_entry(rows, (int64_t)nnz, i + base) + base;
}

__global__ void cusparse_identity(int n, int *p)
{
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
		p[i] = (int)i;
}

extern "C" cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int nnz, int m, int *rows,
                                             cusparseIndexBase_t base)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (nnz < 0 || m < 0 || !is_base(base) || !offsets || (nnz && !rows))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (nnz)
		cusparse_csr2coo<<<blocks_for(nnz, THREADS), THREADS, 0, handle->stream>>>(offsets, nnz, m, rows, base);
	return launched();
}

extern "C" cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int nnz, int m, int *offsets,
                                             cusparseIndexBase_t base)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (nnz < 0 || m < 0 || !is_base(base) || !offsets || (nnz && !rows))
		return CUSPARSE_STATUS_INVALID_VALUE;
	cusparse_coo2csr<<<blocks_for((int64_t)m + 1, THREADS), THREADS, 0, handle->stream>>>(rows, nnz, m, offsets, base);
	return launched();
}

extern "C" cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (n < 0 || (n && !p))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (n)
		cusparse_identity<<<blocks_for(n, THREADS), THREADS, 0, handle->stream>>>(n, p);
	return launched();
}

static cusparseSpMatDescr csr(int m, int n, int nnz, const cusparseMatDescr_t descr, cudaDataType type, const void *values,
                              const int *offsets, const int *indices)
{
	return {CUSPARSE_FORMAT_CSR, m, n, nnz, (void *)offsets, (void *)indices, (void *)values, CUSPARSE_INDEX_32I,
	        CUSPARSE_INDEX_32I, descr->base, type, 1};
}

static cusparseStatus_t csrmv(cusparseHandle_t handle, cusparseOperation_t op, int m, int n, int nnz, const void *alpha,
                              const cusparseMatDescr_t descr, cudaDataType type, const void *values, const int *offsets,
                              const int *indices, const void *x, const void *beta, void *y)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!descr || m < 0 || n < 0 || nnz < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (descr->type != CUSPARSE_MATRIX_TYPE_GENERAL)
		return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
	bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
	cusparseSpMatDescr a = csr(m, n, nnz, descr, type, values, offsets, indices);
	cusparseDnVecDescr from = {turned ? m : n, (void *)x, type}, into = {turned ? n : m, y, type};
	return cusparseSpMV(handle, op, alpha, &a, &from, beta, &into, type, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
}

static cusparseStatus_t csrmm(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, int m, int n,
                              int k, int nnz, const void *alpha, const cusparseMatDescr_t descr, cudaDataType type,
                              const void *values, const int *offsets, const int *indices, const void *b, int ldb,
                              const void *beta, void *c, int ldc)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!descr || m < 0 || n < 0 || k < 0 || nnz < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (descr->type != CUSPARSE_MATRIX_TYPE_GENERAL)
		return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
	bool a_turned = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE, b_turned = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
	int inner = a_turned ? m : k;
	cusparseSpMatDescr a = csr(m, k, nnz, descr, type, values, offsets, indices);
	cusparseDnMatDescr from = {b_turned ? n : inner, b_turned ? inner : n, ldb, (void *)b, type, CUSPARSE_ORDER_COL, 1, 0};
	cusparseDnMatDescr into = {a_turned ? k : m, n, ldc, c, type, CUSPARSE_ORDER_COL, 1, 0};
	if (ldb < from.rows || ldc < into.rows)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return cusparseSpMM(handle, op_a, op_b, alpha, &a, &from, beta, &into, type, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
}

#define OF_TYPE(T, t, type)                                                                                            \
	extern "C" cusparseStatus_t cusparse##t##csrmv(                                                                \
		cusparseHandle_t handle, cusparseOperation_t op, int m, int n, int nnz, const T *alpha,                \
		const cusparseMatDescr_t descr, const T *values, const int *offsets, const int *indices, const T *x,   \
		const T *beta, T *y)                                                                                   \
	{                                                                                                              \
		return csrmv(handle, op, m, n, nnz, alpha, descr, type, values, offsets, indices, x, beta, y);         \
	}                                                                                                              \
	extern "C" cusparseStatus_t cusparse##t##csrmm2(                                                               \
		cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, int m, int n, int k,      \
		int nnz, const T *alpha, const cusparseMatDescr_t descr, const T *values, const int *offsets,          \
		const int *indices, const T *b, int ldb, const T *beta, T *c, int ldc)                                 \
	{                                                                                                              \
		return csrmm(handle, op_a, op_b, m, n, k, nnz, alpha, descr, type, values, offsets, indices, b, ldb,   \
		             beta, c, ldc);                                                                            \
	}                                                                                                              \
	extern "C" cusparseStatus_t cusparse##t##csrmm(                                                                \
		cusparseHandle_t handle, cusparseOperation_t op, int m, int n, int k, int nnz, const T *alpha,         \
		const cusparseMatDescr_t descr, const T *values, const int *offsets, const int *indices, const T *b,   \
		int ldb, const T *beta, T *c, int ldc)                                                                 \
	{                                                                                                              \
		return csrmm(handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, m, n, k, nnz, alpha, descr, type, values,   \
		             offsets, indices, b, ldb, beta, c, ldc);                                                  \
	}
OF_TYPE(float, S, CUDA_R_32F)
OF_TYPE(double, D, CUDA_R_64F)
