// cuBLASLt: which types a product may have.
#pragma once

#include "descriptors.h"

namespace cublaslt {

const cudaDataType NO_TYPE = (cudaDataType)-1;

enum steps { ONLY_DEFAULT, NO_GELU, ALL_STEPS };

// A combination that cublasLtMatmul documents, with the type of a bias and the epilogues that go with it.
struct combination {
	cublasComputeType_t compute;
	cudaDataType scale, a, b, c, d, bias;
	steps allowed;
};

const combination *find(cublasComputeType_t compute, cudaDataType scale, cudaDataType a, cudaDataType b, cudaDataType c,
                        cudaDataType d);

inline bool is_fp8(cudaDataType type)
{
	return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

inline int bytes_of(cudaDataType type)
{
	switch (type) {
	case CUDA_C_64F:
		return 16;
	case CUDA_R_64F:
	case CUDA_C_32F:
		return 8;
	case CUDA_R_32F:
	case CUDA_R_32I:
		return 4;
	case CUDA_R_16F:
	case CUDA_R_16BF:
	case CUDA_C_8I:
		return 2;
	default:
		return 1;
	}
}

} // namespace cublaslt
