// cuSPARSE: a sparse matrix in kernels. Its lines are rows or columns; a line's entries have indices and values.
#pragma once

#include "numbers.h"

namespace cusparse {

enum line_kind {
	OFFSETS_32, // a line begins at its offset
	OFFSETS_64,
	SORTED, // entries have their line, in order: a search finds the first one
	ENTRIES // each entry is a line
};

struct matrix {
	line_kind kind;
	int base;
	int64_t lines, nnz;
	const void *offsets, *indices, *values;
	int64_t offset_stride, value_stride; // of a batch
};

// The first entry whose line is not before `line`.
template <typename I> __device__ int64_t first_entry(const I *lines, int64_t count, int64_t line)
{
	int64_t from = 0, end = count;
	while (from < end) {
		int64_t middle = (from + end) / 2;
		if (lines[middle] < line)
			from = middle + 1;
		else
			end = middle;
	}
	return from;
}

struct span {
	int64_t begin, end, line;
};

// The entries of a line, and the line's number.
template <typename I> __device__ span entries_of(const matrix &m, int64_t line, int number = 0)
{
	const void *offsets = m.offsets;
	int64_t skipped = number * m.offset_stride;
	if (m.kind == OFFSETS_32) {
		const int *at = (const int *)offsets + skipped + line;
		return {at[0] - m.base, at[1] - m.base, line};
	}
	if (m.kind == OFFSETS_64) {
		const int64_t *at = (const int64_t *)offsets + skipped + line;
		return {at[0] - m.base, at[1] - m.base, line};
	}
	const I *lines = (const I *)offsets + skipped;
	if (m.kind == ENTRIES)
		return {line, line + 1, (int64_t)lines[line] - m.base};
	int64_t begin = first_entry(lines, m.nnz, line + m.base);
	return {begin, first_entry(lines, m.nnz, line + 1 + m.base), line};
}

template <typename T> __device__ const T *values_of(const matrix &m, int number = 0)
{
	return (const T *)m.values + number * m.value_stride;
}

template <typename I> __device__ const I *indices_of(const matrix &m, int number = 0)
{
	return (const I *)m.indices + number * m.value_stride;
}

// Lines of op(A) are whole, or spread over the results.
struct lines {
	matrix m;
	bool gathered; // a line of the matrix is a row of op(A)
};

lines lines_of(cusparseConstSpMatDescr_t a, cusparseOperation_t op);

// Lanes of a line, as an exponent of 2: at most the mean count of entries.
int lanes_for(int64_t nnz, int64_t lines);

template <typename Y, typename S>
__global__ void cusparse_scale(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                               int64_t matrix_stride, scalar<S> beta, Y *y)
{
	S by = beta.value();
	y += blockIdx.y * matrix_stride;
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns;
	     i += (int64_t)gridDim.x * blockDim.x) {
		Y &one = y[i % rows * row_stride + i / rows * column_stride];
		one = is_zero(by) ? to<Y>(S()) : to<Y>(by * to<S>(one));
	}
}

template <typename Y, typename S>
__global__ void cusparse_finish(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                                int64_t matrix_stride, scalar<S> alpha, const S *sums, scalar<S> beta, Y *y)
{
	S by = alpha.value(), keep = beta.value();
	y += blockIdx.y * matrix_stride;
	sums += blockIdx.y * rows * columns;
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns;
	     i += (int64_t)gridDim.x * blockDim.x)
		finish(y[i % rows * row_stride + i / rows * column_stride], by, sums[i], keep);
}

} // namespace cusparse
