// cuSPARSE: dense matrices in kernels.
#pragma once

#include "matrix.h"

namespace cusparse {

template <typename T> struct dense {
	T *numbers;
	int64_t rows, columns, row_stride, column_stride;
	int64_t stride; // of a batch
	bool conjugate;

	__device__ T &element(int number, int64_t row, int64_t column) const
	{
		return numbers[number * stride + row * row_stride + column * column_stride];
	}
	template <typename S> __device__ S at(int number, int64_t row, int64_t column) const
	{
		return conjugated(to<S>((std::remove_const_t<T>)element(number, row, column)), conjugate);
	}
};

// op(M).
template <typename T> dense<T> dense_of(cusparseConstDnMatDescr_t m, cusparseOperation_t op)
{
	bool by_rows = m->order == CUSPARSE_ORDER_ROW, turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
	int64_t between_rows = by_rows ? m->ld : 1, between_columns = by_rows ? 1 : m->ld;
	return {(T *)m->values,
	        turned ? m->columns : m->rows,
	        turned ? m->rows : m->columns,
	        turned ? between_columns : between_rows,
	        turned ? between_rows : between_columns,
	        m->stride,
	        op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
}

} // namespace cusparse
