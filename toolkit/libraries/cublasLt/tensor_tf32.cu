// Products on tensor cores: factors of float, rounded to tf32.
#include "tensor.h"

using namespace products;

cublasStatus_t products::tensor_tf32(const product &p, cudaStream_t stream)
{
	return tensor<wmma::precision::tf32, float>(p, stream);
}
