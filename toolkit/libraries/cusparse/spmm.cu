// cuSPARSE: C = alpha op(A) op(B) + beta C for a sparse matrix A and dense matrices B and C.
#include "dense.h"

using namespace cusparse;

enum { WARPS = 4, COLUMNS = 4 };

// A warp has a line of A and 32 columns of the result: each lane adds the products of its column. The warp reads 32
// entries at a time and passes them around. Lanes read consecutive numbers of a B by rows.
template <typename T>
__global__ void cusparse_spmm_rows(matrix a, bool conjugate, scalar<typename T::sum> alpha,
                                   dense<const typename T::in> b, scalar<typename T::sum> beta, dense<typename T::out> c)
{
	typedef typename T::sum sum;
	typedef typename T::index index;
	int number = blockIdx.z, lane = threadIdx.x;
	int64_t column = (int64_t)blockIdx.y * WARP + lane;
	const auto *values = values_of<typename T::in>(a, number);
	const auto *indices = indices_of<index>(a, number);
	for (int64_t line = (int64_t)blockIdx.x * WARPS + threadIdx.y; line < a.lines; line += (int64_t)gridDim.x * WARPS) {
		span s = entries_of<index>(a, line, number);
		sum total = {};
		for (int64_t k0 = s.begin; k0 < s.end; k0 += WARP) {
			sum value = {};
			index row = 0;
			int count = min((int64_t)WARP, s.end - k0);
			if (lane < count) {
				value = conjugated(to<sum>(values[k0 + lane]), conjugate);
				row = indices[k0 + lane] - a.base;
			}
			for (int i = 0; i < count; i++) {
				sum factor = of_lane(value, i);
				index from = of_lane(row, i);
				if (column < c.columns)
					total = total + factor * b.template at<sum>(number, from, column);
			}
		}
		if (column < c.columns)
			finish(c.element(number, line, column), alpha.value(), total, beta.value());
	}
}

// 1 << shift lanes have a line of A and four columns of the result. Lanes read adjacent entries, as B by
// columns has no better order.
template <typename T>
__global__ void cusparse_spmm_columns(matrix a, int shift, bool conjugate, scalar<typename T::sum> alpha,
                                      dense<const typename T::in> b, scalar<typename T::sum> beta,
                                      dense<typename T::out> c)
{
	typedef typename T::sum sum;
	int number = blockIdx.z, lanes = 1 << shift, lane = threadIdx.x & (lanes - 1), together = blockDim.x >> shift;
	int64_t column = (int64_t)blockIdx.y * COLUMNS;
	const auto *values = values_of<typename T::in>(a, number);
	const auto *indices = indices_of<typename T::index>(a, number);
	for (int64_t first = (int64_t)blockIdx.x * together; first < a.lines; first += (int64_t)gridDim.x * together) {
		int64_t line = first + (threadIdx.x >> shift);
		sum totals[COLUMNS] = {};
		if (line < a.lines) {
			span s = entries_of<typename T::index>(a, line, number);
			for (int64_t k = s.begin + lane; k < s.end; k += lanes) {
				sum value = conjugated(to<sum>(values[k]), conjugate);
				int64_t row = indices[k] - a.base;
				for (int i = 0; i < COLUMNS; i++)
					if (column + i < c.columns)
						totals[i] = totals[i] + value * b.template at<sum>(number, row, column + i);
			}
		}
		for (int i = 0; i < COLUMNS; i++) {
			sum total = sum_of_lanes(totals[i], shift);
			if (line < a.lines && lane == 0 && column + i < c.columns)
				finish(c.element(number, line, column + i), alpha.value(), total, beta.value());
		}
	}
}

// The lines of A are columns of op(A): a warp adds the products of a line to the results by atomics.
template <typename T>
__global__ void cusparse_spmm_spread(matrix a, bool conjugate, scalar<typename T::sum> alpha,
                                     dense<const typename T::in> b, dense<typename T::sum> sums)
{
	typedef typename T::sum sum;
	int number = blockIdx.z;
	int64_t column = (int64_t)blockIdx.y * WARP + threadIdx.x;
	if (column >= sums.columns)
		return;
	const auto *values = values_of<typename T::in>(a, number);
	const auto *indices = indices_of<typename T::index>(a, number);
	for (int64_t line = (int64_t)blockIdx.x * WARPS + threadIdx.y; line < a.lines; line += (int64_t)gridDim.x * WARPS) {
		span s = entries_of<typename T::index>(a, line, number);
		sum factor = alpha.value() * b.template at<sum>(number, s.line, column);
		for (int64_t k = s.begin; k < s.end; k++)
			add_atomically(&sums.element(number, indices[k] - a.base, column),
			               conjugated(to<sum>(values[k]), conjugate) * factor);
	}
}

struct product {
	cusparseHandle_t handle;
	cusparseOperation_t op_a, op_b;
	const void *alpha, *beta;
	cusparseConstSpMatDescr_t a;
	cusparseConstDnMatDescr_t b;
	cusparseConstDnMatDescr_t c;
	void *buffer;
};

// Results of the type of sums take the atomics themselves. Others need a buffer of sums.
template <typename T> static cusparseStatus_t spread(const product &p, const lines &l, dense<const typename T::in> b)
{
	typedef typename T::sum sum;
	typedef typename T::out out;
	bool conjugate = p.op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
	scalar<sum> by = scalar_of<sum>(p.handle, p.alpha), keep = scalar_of<sum>(p.handle, p.beta);
	dense<out> c = dense_of<out>(p.c, CUSPARSE_OPERATION_NON_TRANSPOSE);
	cudaStream_t stream = p.handle->stream;
	int64_t count = p.c->count, numbers = c.rows * c.columns;
	dim3 all(blocks_for(numbers, THREADS), count), block(WARP, WARPS);
	dim3 grid(blocks_for(l.m.lines, WARPS), up(c.columns, WARP), count);
	if constexpr (std::is_same<sum, out>::value) {
		cusparse_scale<out, sum>
			<<<all, THREADS, 0, stream>>>(c.rows, c.columns, c.row_stride, c.column_stride, c.stride, keep, c.numbers);
		if (l.m.nnz)
			cusparse_spmm_spread<T><<<grid, block, 0, stream>>>(l.m, conjugate, by, b, c);
	} else {
		dense<sum> sums = {(sum *)p.buffer, c.rows, c.columns, 1, c.rows, numbers, false};
		if (!p.buffer)
			return CUSPARSE_STATUS_INVALID_VALUE;
		if (cudaMemsetAsync(p.buffer, 0, numbers * count * sizeof(sum), stream) != cudaSuccess)
			return CUSPARSE_STATUS_EXECUTION_FAILED;
		if (l.m.nnz)
			cusparse_spmm_spread<T><<<grid, block, 0, stream>>>(l.m, conjugate, constant(one<sum>()), b, sums);
		cusparse_finish<out, sum><<<all, THREADS, 0, stream>>>(c.rows, c.columns, c.row_stride, c.column_stride,
		                                                      c.stride, by, sums.numbers, keep, c.numbers);
	}
	return launched();
}

template <typename T> static cusparseStatus_t multiply(const product &p)
{
	typedef typename T::sum sum;
	lines l = lines_of(p.a, p.op_a);
	auto b = dense_of<const typename T::in>(p.b, p.op_b);
	if (!l.gathered)
		return spread<T>(p, l, b);
	bool conjugate = p.op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
	auto c = dense_of<typename T::out>(p.c, CUSPARSE_OPERATION_NON_TRANSPOSE);
	scalar<sum> by = scalar_of<sum>(p.handle, p.alpha), keep = scalar_of<sum>(p.handle, p.beta);
	unsigned count = p.c->count;
	if (b.column_stride == 1) {
		dim3 grid(blocks_for(c.rows, WARPS), up(c.columns, WARP), count), block(WARP, WARPS);
		cusparse_spmm_rows<T><<<grid, block, 0, p.handle->stream>>>(l.m, conjugate, by, b, keep, c);
	} else {
		int shift = lanes_for(p.a->nnz, c.rows);
		dim3 grid(blocks_for(c.rows, THREADS >> shift), up(c.columns, COLUMNS), count);
		cusparse_spmm_columns<T><<<grid, THREADS, 0, p.handle->stream>>>(l.m, shift, conjugate, by, b, keep, c);
	}
	return launched();
}

static bool belongs(cusparseSpMMAlg_t alg, cusparseFormat_t format)
{
	switch (alg) {
	case CUSPARSE_SPMM_ALG_DEFAULT:
		return true;
	case CUSPARSE_SPMM_COO_ALG1:
	case CUSPARSE_SPMM_COO_ALG2:
	case CUSPARSE_SPMM_COO_ALG3:
	case CUSPARSE_SPMM_COO_ALG4:
		return format == CUSPARSE_FORMAT_COO;
	case CUSPARSE_SPMM_CSR_ALG1:
	case CUSPARSE_SPMM_CSR_ALG2:
	case CUSPARSE_SPMM_CSR_ALG3:
		return format != CUSPARSE_FORMAT_COO;
	default:
		return false;
	}
}

static cusparseStatus_t check(const char *name, const product &p, cusparseSpMMAlg_t alg)
{
	if (!p.handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!is_operation(p.op_a) || !is_operation(p.op_b) || !p.alpha || !p.beta || !p.a || !p.b || !p.c || alg < 0 ||
	    alg > CUSPARSE_SPMM_BSR_ALG1)
		return CUSPARSE_STATUS_INVALID_VALUE;
	bool a_turned = p.op_a != CUSPARSE_OPERATION_NON_TRANSPOSE, b_turned = p.op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
	if (p.c->rows != (a_turned ? p.a->columns : p.a->rows) ||
	    p.c->columns != (b_turned ? p.b->rows : p.b->columns) ||
	    (a_turned ? p.a->rows : p.a->columns) != (b_turned ? p.b->columns : p.b->rows) ||
	    (p.a->count > 1 && p.a->count != p.c->count) || (p.b->count > 1 && p.b->count != p.c->count))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (!belongs(alg, p.a->format))
		return refused(name, "the algorithm does not belong to the matrix's format");
	if (p.b->type != p.a->type)
		return refused(name, "the factors have different types");
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
                                                    cusparseOperation_t op_b, const void *alpha,
                                                    cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                                    const void *beta, cusparseDnMatDescr_t c, cudaDataType compute,
                                                    cusparseSpMMAlg_t alg, size_t *bytes)
{
	if (cusparseStatus_t wrong =
	            check("cusparseSpMM_bufferSize", {handle, op_a, op_b, alpha, beta, a, b, c, nullptr}, alg))
		return wrong;
	if (!bytes)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return with_types("cusparseSpMM_bufferSize", a->type, c->type, compute, a->index_type, [&](auto) {
		bool adds = !lines_of(a, op_a).gathered && c->type != compute;
		*bytes = adds ? (size_t)c->rows * c->columns * c->count * size_of(compute) : 0;
		return CUSPARSE_STATUS_SUCCESS;
	});
}

extern "C" cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a,
                                                    cusparseOperation_t op_b, const void *alpha,
                                                    cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                                    const void *beta, cusparseDnMatDescr_t c, cudaDataType compute,
                                                    cusparseSpMMAlg_t alg, void *)
{
	size_t bytes;
	return cusparseSpMM_bufferSize(handle, op_a, op_b, alpha, a, b, beta, c, compute, alg, &bytes);
}

extern "C" cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                         const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c, cudaDataType compute,
                                         cusparseSpMMAlg_t alg, void *buffer)
{
	product p = {handle, op_a, op_b, alpha, beta, a, b, c, buffer};
	if (cusparseStatus_t wrong = check("cusparseSpMM", p, alg))
		return wrong;
	if (!c->rows || !c->columns)
		return CUSPARSE_STATUS_SUCCESS;
	return with_types("cusparseSpMM", a->type, c->type, compute, a->index_type,
	                  [&](auto t) { return multiply<decltype(t)>(p); });
}
