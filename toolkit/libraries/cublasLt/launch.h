// Launches of a product's kernels.
#pragma once

#include "product.h"

namespace products {

// One block per tile of D. A grid has at most 65,535 matrices, so larger batches take several launches.
inline cublasStatus_t launch_tiles(void (*kernel)(product), dim3 block, int side, product p, cudaStream_t stream)
{
	const int most = 65535;
	for (p.first_matrix = 0; p.first_matrix < p.count; p.first_matrix += most) {
		long long left = p.count - p.first_matrix;
		dim3 grid((p.m + side - 1) / side, (p.n + side - 1) / side, (unsigned)(left < most ? left : most));
		kernel<<<grid, block, 0, stream>>>(p);
	}
	return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // namespace products
