// cuBLASLt: sums of a matrix's rows or columns.
#pragma once

#include "product.h"

namespace products {

// Sum i, of `count`, has `terms` elements of the matrix: element j is at i * step + j * term_step.
struct sums {
	matrices of;
	int count, terms;
	long long step, term_step;
	void *into;
	cudaDataType type;
	long long into_stride;
};

cublasStatus_t run_sums(const sums &s, int matrices, cudaStream_t stream);

} // namespace products
