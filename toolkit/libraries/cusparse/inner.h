// cuSPARSE: descriptions, and declarations shared by the files of this library.
#pragma once

#include <cuda_runtime.h>
#include <cusparse.h>

struct cusparseContext {
	cudaStream_t stream;
	cusparsePointerMode_t pointers;
	void *scratch; // device memory for partial sums
};

struct cusparseMatDescr {
	cusparseMatrixType_t type;
	cusparseFillMode_t fill;
	cusparseDiagType_t diag;
	cusparseIndexBase_t base;
};

struct cusparseSpVecDescr {
	int64_t size, nnz;
	void *indices, *values;
	cusparseIndexType_t index_type;
	cusparseIndexBase_t base;
	cudaDataType type;
};

struct cusparseDnVecDescr {
	int64_t size;
	void *values;
	cudaDataType type;
};

struct cusparseSpMatDescr {
	cusparseFormat_t format;
	int64_t rows, columns, nnz;
	void *offsets; // COO: the rows of the entries
	void *indices, *values;
	cusparseIndexType_t offset_type, index_type;
	cusparseIndexBase_t base;
	cudaDataType type;
	int count; // of matrices in a batch
	int64_t offset_stride, value_stride;
	cusparseFillMode_t fill;
	cusparseDiagType_t diag;
};

struct cusparseDnMatDescr {
	int64_t rows, columns, ld;
	void *values;
	cudaDataType type;
	cusparseOrder_t order;
	int count;
	int64_t stride;
};

namespace cusparse {

enum { THREADS = 128, WARP = 32, MAX_BLOCKS = 64, SCRATCH_BYTES = MAX_BLOCKS * 16 };

// Prints the function's name with the reason, and returns CUSPARSE_STATUS_NOT_SUPPORTED.
cusparseStatus_t refused(const char *name, const char *reason);

inline cusparseStatus_t launched()
{
	return cudaPeekAtLastError() == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

inline int64_t up(int64_t work, int64_t each)
{
	return (work + each - 1) / each;
}

// Blocks of a loop over a grid. The limit is that of the oldest architectures.
inline unsigned blocks_for(int64_t work, int64_t each)
{
	int64_t blocks = up(work, each);
	return blocks < 65535 ? (unsigned)blocks : 65535;
}

inline bool is_operation(cusparseOperation_t op)
{
	return op >= CUSPARSE_OPERATION_NON_TRANSPOSE && op <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

inline bool is_base(cusparseIndexBase_t base)
{
	return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE;
}

// The Get functions leave out results without a place.
template <typename T, typename V> void put(T *into, V value)
{
	if (into)
		*into = (T)value;
}

// Bytes of a number; 0 for types that no kernel has.
inline int size_of(cudaDataType type)
{
	switch (type) {
	case CUDA_R_16F:
	case CUDA_R_16BF:
		return 2;
	case CUDA_R_32F:
		return 4;
	case CUDA_R_64F:
	case CUDA_C_32F:
		return 8;
	case CUDA_C_64F:
		return 16;
	default:
		return 0;
	}
}

} // namespace cusparse
