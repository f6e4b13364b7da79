// cuSPARSE: triangles of CSR matrices: solving with them, and incomplete factors. A warp has a row and waits for the
// rows that its entries name, by a flag per row. Blocks start in the order of rows, so the earliest row never waits.
#include "matrix.h"

using namespace cusparse;

struct cusparseSpSVDescr {
	int *ready; // the buffer of the analysis: a flag per row
};

struct csrilu02Info {
	int *pivot; // device memory: the first row without a pivot; INT_MAX: none
};

enum { WARPS = THREADS / WARP, NO_ROW = 0x7fffffff };

__device__ static int64_t row_of_warp()
{
	return ((int64_t)blockIdx.y * gridDim.x + blockIdx.x) * WARPS + threadIdx.x / WARP;
}

static dim3 grid_of_rows(int64_t rows)
{
	int64_t blocks = up(rows, WARPS);
	return blocks <= 65535 ? dim3((unsigned)blocks) : dim3(65535, (unsigned)up(blocks, 65535));
}

__device__ static void wait_for(const volatile int *ready, int64_t row)
{
	while (!ready[row])
		;
	__threadfence();
}

__device__ static void publish(int *ready, int64_t row)
{
	__threadfence();
	__syncwarp();
	if (threadIdx.x % WARP == 0)
		((volatile int *)ready)[row] = 1;
}

template <typename T>
__global__ void cusparse_spsv(matrix a, bool upper, bool unit, scalar<typename T::sum> alpha, const typename T::in *x,
                              volatile typename T::in *y, int *ready)
{
	typedef typename T::in number;
	int64_t row = row_of_warp();
	if (row >= a.lines)
		return;
	row = upper ? a.lines - 1 - row : row;
	const number *values = values_of<number>(a);
	const auto *indices = indices_of<typename T::index>(a);
	span s = entries_of<typename T::index>(a, row);
	number sum = 0, diagonal = 0;
	for (int64_t k = s.begin + threadIdx.x % WARP; k < s.end; k += WARP) {
		int64_t column = indices[k] - a.base;
		if (column == row)
			diagonal = values[k];
		if (upper ? column > row : column < row) {
			wait_for(ready, column);
			sum += values[k] * y[column];
		}
	}
	__syncwarp();
	sum = sum_of_lanes(sum, 5);
	diagonal = sum_of_lanes(diagonal, 5);
	if (threadIdx.x % WARP == 0)
		y[row] = (alpha.value() * x[row] - sum) / (unit ? 1 : diagonal);
	publish(ready, row);
}

extern "C" cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr)
{
	if (!descr)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*descr = new cusparseSpSVDescr();
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr)
{
	delete descr;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t check(const char *name, cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseConstDnVecDescr_t y,
                              cudaDataType compute, cusparseSpSVDescr_t descr)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!is_operation(op) || !alpha || !a || !x || !y || !descr || a->rows != a->columns || x->size != a->rows ||
	    y->size != a->rows)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (op != CUSPARSE_OPERATION_NON_TRANSPOSE || a->format == CUSPARSE_FORMAT_CSC)
		return refused(name, "no kernel solves with a transposed matrix or with CSC");
	bool known = compute == CUDA_R_32F || compute == CUDA_R_64F;
	if (!known || a->type != compute || x->type != compute || y->type != compute)
		return refused(name, "triangles have float or double everywhere");
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                                    cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t,
                                                    cusparseSpSVDescr_t descr, size_t *bytes)
{
	if (cusparseStatus_t wrong = check("cusparseSpSV_bufferSize", handle, op, alpha, a, x, y, compute, descr))
		return wrong;
	if (!bytes)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bytes = a->rows * sizeof *descr->ready;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                                  cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                                  cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t,
                                                  cusparseSpSVDescr_t descr, void *buffer)
{
	if (cusparseStatus_t wrong = check("cusparseSpSV_analysis", handle, op, alpha, a, x, y, compute, descr))
		return wrong;
	if (!buffer && a->rows)
		return CUSPARSE_STATUS_INVALID_VALUE;
	descr->ready = (int *)buffer;
	return CUSPARSE_STATUS_SUCCESS;
}

template <typename S, typename I>
static cusparseStatus_t solve(cusparseHandle_t handle, const void *alpha, cusparseConstSpMatDescr_t a, const void *x,
                              void *y, int *ready)
{
	matrix m = lines_of(a, CUSPARSE_OPERATION_NON_TRANSPOSE).m;
	if (cudaMemsetAsync(ready, 0, a->rows * sizeof *ready, handle->stream) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	cusparse_spsv<types<S, S, S, I>><<<grid_of_rows(a->rows), THREADS, 0, handle->stream>>>(
		m, a->fill == CUSPARSE_FILL_MODE_UPPER, a->diag == CUSPARSE_DIAG_TYPE_UNIT, scalar_of<S>(handle, alpha),
		(const S *)x, (volatile S *)y, ready);
	return launched();
}

extern "C" cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                               cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                               cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t,
                                               cusparseSpSVDescr_t descr)
{
	if (cusparseStatus_t wrong = check("cusparseSpSV_solve", handle, op, alpha, a, x, y, compute, descr))
		return wrong;
	if (!a->rows)
		return CUSPARSE_STATUS_SUCCESS;
	if (!descr->ready)
		return CUSPARSE_STATUS_INVALID_VALUE;
	bool wide = a->index_type == CUSPARSE_INDEX_64I;
	if (compute == CUDA_R_32F)
		return wide ? solve<float, int64_t>(handle, alpha, a, x->values, y->values, descr->ready)
		            : solve<float, int>(handle, alpha, a, x->values, y->values, descr->ready);
	return wide ? solve<double, int64_t>(handle, alpha, a, x->values, y->values, descr->ready)
	            : solve<double, int>(handle, alpha, a, x->values, y->values, descr->ready);
}

// Row i of L and U: for each entry before the diagonal, in order, the row that it names is subtracted.
template <typename S>
__global__ void cusparse_ilu(int m, const int *offsets, const int *indices, int base, volatile S *values, int *ready, int *pivot)
{
	int64_t row = row_of_warp();
	if (row >= m)
		return;
	int lane = threadIdx.x % WARP;
	int64_t begin = offsets[row] - base, end = offsets[row + 1] - base;
	for (int64_t k = begin; k < end && indices[k] - base < row; k++) {
		int64_t above = indices[k] - base, above_end = offsets[above + 1] - base;
		wait_for(ready, above);
		int64_t from = offsets[above] - base;
		int64_t diagonal = from + first_entry(indices + from, above_end - from, above + base);
		bool present = diagonal < above_end && indices[diagonal] - base == above;
		S factor = present ? values[k] / values[diagonal] : values[k];
		__syncwarp();
		if (lane == 0)
			values[k] = factor;
		for (int64_t j = diagonal + 1 + lane; present && j < above_end; j += WARP) {
			int64_t at = k + 1 + first_entry(indices + k + 1, end - k - 1, indices[j]);
			if (at < end && indices[at] == indices[j])
				values[at] = values[at] - factor * values[j];
		}
		__threadfence();
		__syncwarp();
	}
	int64_t own = begin + first_entry(indices + begin, end - begin, row + base);
	if (lane == 0 && (own >= end || indices[own] - base != row || values[own] == 0))
		atomicMin(pivot, (int)row + base);
	publish(ready, row);
}

extern "C" cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info)
{
	if (!info)
		return CUSPARSE_STATUS_INVALID_VALUE;
	const int none = NO_ROW;
	csrilu02Info *made = new csrilu02Info();
	if (cudaMalloc(&made->pivot, sizeof none) != cudaSuccess ||
	    cudaMemcpy(made->pivot, &none, sizeof none, cudaMemcpyHostToDevice) != cudaSuccess) {
		delete made;
		return CUSPARSE_STATUS_ALLOC_FAILED;
	}
	*info = made;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info)
{
	if (info)
		cudaFree(info->pivot);
	delete info;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int *position)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!info || !position)
		return CUSPARSE_STATUS_INVALID_VALUE;
	int row = NO_ROW;
	if (cudaMemcpyAsync(&row, info->pivot, sizeof row, cudaMemcpyDeviceToHost, handle->stream) != cudaSuccess ||
	    cudaStreamSynchronize(handle->stream) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	*position = row == NO_ROW ? -1 : row;
	return row == NO_ROW ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

static cusparseStatus_t check_ilu(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, csrilu02Info_t info,
                                  bool result)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (m < 0 || nnz < 0 || !descr || !info || !result)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return descr->type == CUSPARSE_MATRIX_TYPE_GENERAL ? CUSPARSE_STATUS_SUCCESS
	                                                    : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

template <typename S>
static cusparseStatus_t factor(cusparseHandle_t handle, int m, int base, S *values, const int *offsets, const int *indices,
                               int *pivot, int *ready)
{
	if (!m)
		return CUSPARSE_STATUS_SUCCESS;
	if (cudaMemsetAsync(ready, 0, m * sizeof *ready, handle->stream) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	cusparse_ilu<S><<<grid_of_rows(m), THREADS, 0, handle->stream>>>(m, offsets, indices, base, values, ready, pivot);
	return launched();
}

#define OF_TYPE(T, t)                                                                                                  \
	extern "C" cusparseStatus_t cusparse##t##csrilu02_bufferSize(                                                  \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, T *, const int *,             \
		const int *, csrilu02Info_t info, int *bytes)                                                          \
	{                                                                                                              \
		if (cusparseStatus_t wrong = check_ilu(handle, m, nnz, descr, info, bytes))                            \
			return wrong;                                                                                  \
		*bytes = (m ? m : 1) * (int)sizeof(int);                                                               \
		return CUSPARSE_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	extern "C" cusparseStatus_t cusparse##t##csrilu02_analysis(                                                    \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, const T *, const int *,       \
		const int *, csrilu02Info_t info, cusparseSolvePolicy_t, void *buffer)                                 \
	{                                                                                                              \
		return check_ilu(handle, m, nnz, descr, info, buffer);                                                 \
	}                                                                                                              \
	extern "C" cusparseStatus_t cusparse##t##csrilu02(                                                             \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, T *values,                    \
		const int *offsets, const int *indices, csrilu02Info_t info, cusparseSolvePolicy_t, void *buffer)      \
	{                                                                                                              \
		if (cusparseStatus_t wrong = check_ilu(handle, m, nnz, descr, info, buffer))                           \
			return wrong;                                                                                  \
		return factor<T>(handle, m, descr->base, values, offsets, indices, info->pivot, (int *)buffer);        \
	}
OF_TYPE(float, S)
OF_TYPE(double, D)
