// cuSPARSE: conversions between dense and sparse matrices.
#include "dense.h"

using namespace cusparse;

enum { WARPS = THREADS / WARP, SCAN_THREADS = 256 };

// A warp writes the numbers of a line at their places.
template <typename T, typename I>
__global__ void cusparse_to_dense(matrix a, bool by_columns, dense<T> b)
{
	const T *values = values_of<T>(a);
	const I *indices = indices_of<I>(a);
	for (int64_t line = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP; line < a.lines; line += (int64_t)gridDim.x * WARPS) {
		span s = entries_of<I>(a, line);
		for (int64_t k = s.begin + threadIdx.x % WARP; k < s.end; k += WARP) {
			int64_t index = indices[k] - a.base;
			b.element(0, by_columns ? index : s.line, by_columns ? s.line : index) = values[k];
		}
	}
}

template <typename T> __device__ bool is_entry(T x)
{
	if constexpr (std::is_same<T, __half>::value || std::is_same<T, __nv_bfloat16>::value)
		return to<float>(x) != 0;
	else
		return !is_zero(x);
}

// A warp counts the numbers of a line of the dense matrix that are not zero: into counts[line + 1].
template <typename T> __global__ void cusparse_count(dense<const T> a, int64_t *counts)
{
	for (int64_t line = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP; line < a.rows; line += (int64_t)gridDim.x * WARPS) {
		int64_t count = 0;
		for (int64_t first = 0; first < a.columns; first += WARP) {
			int64_t i = first + threadIdx.x % WARP;
			count += __popc(__ballot_sync(~0u, i < a.columns && is_entry<T>(a.element(0, line, i))));
		}
		if (threadIdx.x % WARP == 0)
			counts[line + 1] = count;
	}
}

// One block replaces the counts by their running sums.
__global__ void cusparse_running_sums(int64_t lines, int64_t *sums)
{
	__shared__ int64_t part[SCAN_THREADS];
	int64_t before = 0;
	for (int64_t first = 0; first <= lines; first += SCAN_THREADS) {
		int64_t i = first + threadIdx.x;
		part[threadIdx.x] = i > 0 && i <= lines ? sums[i] : 0;
		__syncthreads();
		for (int distance = 1; distance < SCAN_THREADS; distance *= 2) {
			int64_t below = threadIdx.x >= distance ? part[threadIdx.x - distance] : 0;
			__syncthreads();
			part[threadIdx.x] += below;
			__syncthreads();
		}
		if (i <= lines)
			sums[i] = before + part[threadIdx.x];
		before += part[SCAN_THREADS - 1];
		__syncthreads();
	}
}

// A warp writes the entries of a line in their order. `lines` has offsets, or the line of each entry.
template <typename T, typename L, typename I>
__global__ void cusparse_to_sparse(dense<const T> a, const int64_t *sums, int base, bool entries, L *lines, I *indices,
                                   T *values)
{
	int lane = threadIdx.x % WARP;
	for (int64_t line = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP; line < a.rows; line += (int64_t)gridDim.x * WARPS) {
		int64_t next = sums[line];
		if (!entries && lane == 0) {
			lines[line] = (L)(next + base);
			if (line == a.rows - 1)
				lines[line + 1] = (L)(sums[line + 1] + base);
		}
		for (int64_t first = 0; first < a.columns; first += WARP) {
			int64_t i = first + lane;
			bool present = i < a.columns && is_entry<T>(a.element(0, line, i));
			unsigned all = __ballot_sync(~0u, present);
			int64_t at = next + __popc(all & ((1u << lane) - 1));
			if (present) {
				indices[at] = (I)(i + base);
				values[at] = a.element(0, line, i);
			}
			if (present && entries)
				lines[at] = (L)(line + base);
			next += __popc(all);
		}
	}
}

static cusparseStatus_t check(cusparseHandle_t handle, cusparseConstSpMatDescr_t sparse, cusparseConstDnMatDescr_t full)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	return sparse && full && sparse->rows == full->rows && sparse->columns == full->columns && sparse->type == full->type
	               ? CUSPARSE_STATUS_SUCCESS
	               : CUSPARSE_STATUS_INVALID_VALUE;
}

// The lines of the sparse matrix are rows of this dense matrix.
template <typename T> static dense<T> lines_as_rows(cusparseConstDnMatDescr_t full, cusparseConstSpMatDescr_t sparse)
{
	bool columns = sparse->format == CUSPARSE_FORMAT_CSC;
	return dense_of<T>(full, columns ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE);
}

template <typename F> static cusparseStatus_t of_type(const char *name, cusparseConstSpMatDescr_t m, F f)
{
	return with_types(name, m->type, m->type, size_of(m->type) == 2 ? CUDA_R_32F : m->type, m->index_type, f);
}

extern "C" cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                             cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t,
                                                             size_t *bytes)
{
	if (cusparseStatus_t wrong = check(handle, a, b))
		return wrong;
	if (!bytes)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bytes = 0;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t, void *)
{
	if (cusparseStatus_t wrong = check(handle, a, b))
		return wrong;
	bool by_rows = b->order == CUSPARSE_ORDER_ROW, coo = a->format == CUSPARSE_FORMAT_COO;
	size_t bytes = size_of(b->type), width = bytes * (by_rows ? b->columns : b->rows);
	if (!a->rows || !a->columns)
		return CUSPARSE_STATUS_SUCCESS;
	if (cudaMemset2DAsync(b->values, bytes * b->ld, 0, width, by_rows ? b->rows : b->columns, handle->stream) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	lines l = lines_of(a, coo ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE);
	return of_type("cusparseSparseToDense", a, [&](auto t) {
		typedef typename decltype(t)::in in;
		if (a->nnz)
			cusparse_to_dense<in, typename decltype(t)::index>
				<<<blocks_for(l.m.lines, WARPS), THREADS, 0, handle->stream>>>(
					l.m, a->format == CUSPARSE_FORMAT_CSC,
					dense_of<in>(b, CUSPARSE_OPERATION_NON_TRANSPOSE));
		return launched();
	});
}

extern "C" cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                             cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t,
                                                             size_t *bytes)
{
	if (cusparseStatus_t wrong = check(handle, b, a))
		return wrong;
	if (!bytes)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bytes = ((b->format == CUSPARSE_FORMAT_CSC ? b->columns : b->rows) + 1) * sizeof(int64_t);
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                           cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t,
                                                           void *buffer)
{
	if (cusparseStatus_t wrong = check(handle, b, a))
		return wrong;
	if (!buffer)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return of_type("cusparseDenseToSparse_analysis", b, [&](auto t) {
		typedef const typename decltype(t)::in in;
		dense<in> rows = lines_as_rows<in>(a, b);
		int64_t *sums = (int64_t *)buffer, nnz = 0;
		if (rows.rows)
			cusparse_count<typename decltype(t)::in>
				<<<blocks_for(rows.rows, WARPS), THREADS, 0, handle->stream>>>(rows, sums);
		cusparse_running_sums<<<1, SCAN_THREADS, 0, handle->stream>>>(rows.rows, sums);
		if (cudaMemcpyAsync(&nnz, sums + rows.rows, sizeof nnz, cudaMemcpyDeviceToHost, handle->stream) != cudaSuccess ||
		    cudaStreamSynchronize(handle->stream) != cudaSuccess)
			return CUSPARSE_STATUS_EXECUTION_FAILED;
		b->nnz = nnz;
		return CUSPARSE_STATUS_SUCCESS;
	});
}

extern "C" cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                          cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void *buffer)
{
	if (cusparseStatus_t wrong = check(handle, b, a))
		return wrong;
	if (!buffer || !b->offsets || (b->nnz && (!b->indices || !b->values)))
		return CUSPARSE_STATUS_INVALID_VALUE;
	return of_type("cusparseDenseToSparse_convert", b, [&](auto t) {
		typedef typename decltype(t)::in in;
		typedef typename decltype(t)::index index;
		dense<const in> rows = lines_as_rows<const in>(a, b);
		bool entries = b->format == CUSPARSE_FORMAT_COO, wide = b->offset_type == CUSPARSE_INDEX_64I;
		dim3 grid(blocks_for(rows.rows, WARPS));
		if (rows.rows && wide)
			cusparse_to_sparse<in, int64_t, index><<<grid, THREADS, 0, handle->stream>>>(
				rows, (int64_t *)buffer, b->base, entries, (int64_t *)b->offsets, (index *)b->indices,
				(in *)b->values);
		else if (rows.rows)
			cusparse_to_sparse<in, int, index><<<grid, THREADS, 0, handle->stream>>>(
				rows, (int64_t *)buffer, b->base, entries, (int *)b->offsets, (index *)b->indices,
				(in *)b->values);
		return launched();
	});
}
