// cuSPARSE: y = alpha op(A) x + beta y for a sparse matrix A.
#include "matrix.h"

using namespace cusparse;

// 1 << shift lanes of a warp add the products of a line and keep their order, so results are the same in every run.
template <typename T>
__global__ void cusparse_spmv_lines(matrix a, int shift, bool conjugate, scalar<typename T::sum> alpha,
                                    const typename T::in *x, scalar<typename T::sum> beta, typename T::out *y)
{
	typedef typename T::sum sum;
	const auto *values = values_of<typename T::in>(a);
	const auto *indices = indices_of<typename T::index>(a);
	int lanes = 1 << shift, lane = threadIdx.x & (lanes - 1), together = blockDim.x >> shift;
	for (int64_t first = (int64_t)blockIdx.x * together; first < a.lines; first += (int64_t)gridDim.x * together) {
		int64_t line = first + (threadIdx.x >> shift);
		sum total = {};
		if (line < a.lines) {
			span s = entries_of<typename T::index>(a, line);
			for (int64_t k = s.begin + lane; k < s.end; k += lanes)
				total = total + conjugated(to<sum>(values[k]), conjugate) * to<sum>(x[indices[k] - a.base]);
		}
		total = sum_of_lanes(total, shift);
		if (line < a.lines && lane == 0)
			finish(y[line], alpha.value(), total, beta.value());
	}
}

// The lines of A are columns of op(A): lanes add their products to the results by atomics.
template <typename T>
__global__ void cusparse_spmv_spread(matrix a, int shift, bool conjugate, scalar<typename T::sum> alpha,
                                     const typename T::in *x, typename T::sum *sums)
{
	typedef typename T::sum sum;
	const auto *values = values_of<typename T::in>(a);
	const auto *indices = indices_of<typename T::index>(a);
	int lanes = 1 << shift, lane = threadIdx.x & (lanes - 1), together = blockDim.x >> shift;
	for (int64_t line = (int64_t)blockIdx.x * together + (threadIdx.x >> shift); line < a.lines;
	     line += (int64_t)gridDim.x * together) {
		span s = entries_of<typename T::index>(a, line);
		sum factor = alpha.value() * to<sum>(x[s.line]);
		for (int64_t k = s.begin + lane; k < s.end; k += lanes)
			add_atomically(&sums[indices[k] - a.base], conjugated(to<sum>(values[k]), conjugate) * factor);
	}
}

// A thread has an entry; entries may have any order. Adjacent entries of one row in a warp are added first. Then the
// last lane of these adds their sum to the result by an atomic.
template <typename T>
__global__ void cusparse_spmv_entries(matrix a, scalar<typename T::sum> alpha, const typename T::in *x, typename T::sum *sums)
{
	typedef typename T::sum sum;
	const auto *values = values_of<typename T::in>(a);
	const auto *indices = indices_of<typename T::index>(a), *rows = (const typename T::index *)a.offsets;
	int lane = threadIdx.x % WARP;
	for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k - lane < a.nnz;
	     k += (int64_t)gridDim.x * blockDim.x) {
		typename T::index row = k < a.nnz ? rows[k] : -1;
		sum total = {};
		if (k < a.nnz)
			total = to<sum>(values[k]) * to<sum>(x[indices[k] - a.base]);
		typename T::index before = of_lane_below(row, 1); // all lanes take part
		unsigned firsts = __ballot_sync(~0u, lane == 0 || before != row);
		int first = 31 - __clz(firsts & (2u << lane) - 1);
		for (int distance = 1; distance < WARP; distance *= 2) {
			sum below = of_lane_below(total, distance);
			if (lane - distance >= first)
				total = total + below;
		}
		bool last = lane == WARP - 1 || firsts >> (lane + 1) & 1;
		if (last && k < a.nnz)
			add_atomically(&sums[row - a.base], alpha.value() * total);
	}
}

template <typename T>
static void add_products(cudaStream_t stream, const lines &a, bool conjugate, bool by_entries,
                         scalar<typename T::sum> alpha, const typename T::in *x, typename T::sum *sums)
{
	if (!a.m.nnz)
		return;
	if (by_entries) {
		cusparse_spmv_entries<T><<<blocks_for(a.m.nnz, THREADS), THREADS, 0, stream>>>(a.m, alpha, x, sums);
		return;
	}
	int shift = lanes_for(a.m.nnz, a.m.lines);
	cusparse_spmv_spread<T><<<blocks_for(a.m.lines, THREADS >> shift), THREADS, 0, stream>>>(a.m, shift, conjugate,
	                                                                                        alpha, x, sums);
}

// Results of the type of sums take the atomics themselves. Others need a buffer of sums.
template <typename T>
static cusparseStatus_t multiply(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                 cusparseConstSpMatDescr_t a, const void *x, const void *beta,
                                 cusparseDnVecDescr_t y, bool by_entries, void *buffer)
{
	typedef typename T::sum sum;
	typedef typename T::out out;
	lines l = lines_of(a, op);
	bool conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
	scalar<sum> by = scalar_of<sum>(handle, alpha), keep = scalar_of<sum>(handle, beta);
	cudaStream_t stream = handle->stream;
	int64_t n = y->size;
	const auto *from = (const typename T::in *)x;
	out *into = (out *)y->values;
	unsigned all = blocks_for(n, THREADS);
	if (l.gathered && !by_entries) {
		int shift = lanes_for(a->nnz, n);
		cusparse_spmv_lines<T><<<blocks_for(n, THREADS >> shift), THREADS, 0, stream>>>(l.m, shift, conjugate,
		                                                                               by, from, keep, into);
	} else if constexpr (std::is_same<sum, out>::value) {
		cusparse_scale<out, sum><<<all, THREADS, 0, stream>>>(n, 1, 1, n, n, keep, into);
		add_products<T>(stream, l, conjugate, by_entries, by, from, into);
	} else {
		if (!buffer)
			return CUSPARSE_STATUS_INVALID_VALUE;
		if (cudaMemsetAsync(buffer, 0, n * sizeof(sum), stream) != cudaSuccess)
			return CUSPARSE_STATUS_EXECUTION_FAILED;
		add_products<T>(stream, l, conjugate, by_entries, constant(one<sum>()), from, (sum *)buffer);
		cusparse_finish<out, sum><<<all, THREADS, 0, stream>>>(n, 1, 1, n, n, by, (sum *)buffer, keep, into);
	}
	return launched();
}

// The usual algorithm for entries adds by atomics; COO_ALG2 promises the same results in every run.
static bool by_entries(cusparseConstSpMatDescr_t a, cusparseOperation_t op, cusparseSpMVAlg_t alg)
{
	return a->format == CUSPARSE_FORMAT_COO && op == CUSPARSE_OPERATION_NON_TRANSPOSE && alg != CUSPARSE_SPMV_COO_ALG2;
}

static cusparseStatus_t check(const char *name, cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                              cusparseConstDnVecDescr_t y, cusparseSpMVAlg_t alg)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!is_operation(op) || !alpha || !a || !x || !beta || !y || alg < 0 || alg > CUSPARSE_SPMV_BSR_ALG1)
		return CUSPARSE_STATUS_INVALID_VALUE;
	bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE, coo = a->format == CUSPARSE_FORMAT_COO;
	if (x->size != (transposed ? a->rows : a->columns) || y->size != (transposed ? a->columns : a->rows))
		return CUSPARSE_STATUS_INVALID_VALUE;
	bool for_coo = alg == CUSPARSE_SPMV_COO_ALG1 || alg == CUSPARSE_SPMV_COO_ALG2;
	bool for_csr = alg == CUSPARSE_SPMV_CSR_ALG1 || alg == CUSPARSE_SPMV_CSR_ALG2;
	if (alg != CUSPARSE_SPMV_ALG_DEFAULT && !(coo ? for_coo : for_csr))
		return refused(name, "the algorithm does not belong to the matrix's format");
	if (x->type != a->type)
		return refused(name, "matrix and vector have different types");
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                                    const void *beta, cusparseDnVecDescr_t y, cudaDataType compute,
                                                    cusparseSpMVAlg_t alg, size_t *bytes)
{
	if (cusparseStatus_t wrong = check("cusparseSpMV_bufferSize", handle, op, alpha, a, x, beta, y, alg))
		return wrong;
	if (!bytes)
		return CUSPARSE_STATUS_INVALID_VALUE;
	bool adds = by_entries(a, op, alg) || !lines_of(a, op).gathered;
	return with_types("cusparseSpMV_bufferSize", a->type, y->type, compute, a->index_type, [&](auto) {
		*bytes = adds && y->type != compute ? y->size * size_of(compute) : 0;
		return CUSPARSE_STATUS_SUCCESS;
	});
}

extern "C" cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                                    const void *beta, cusparseDnVecDescr_t y, cudaDataType compute,
                                                    cusparseSpMVAlg_t alg, void *)
{
	size_t bytes;
	return cusparseSpMV_bufferSize(handle, op, alpha, a, x, beta, y, compute, alg, &bytes);
}

extern "C" cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t alg,
                                         void *buffer)
{
	if (cusparseStatus_t wrong = check("cusparseSpMV", handle, op, alpha, a, x, beta, y, alg))
		return wrong;
	if (!y->size)
		return CUSPARSE_STATUS_SUCCESS;
	return with_types("cusparseSpMV", a->type, y->type, compute, a->index_type, [&](auto t) {
		return multiply<decltype(t)>(handle, op, alpha, a, x->values, beta, y, by_entries(a, op, alg), buffer);
	});
}
