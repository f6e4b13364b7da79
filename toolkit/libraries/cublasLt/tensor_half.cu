// Products on tensor cores: factors of half.
#include "tensor.h"

using namespace products;

cublasStatus_t products::tensor_half(const product &p, cudaStream_t stream)
{
	return tensor<__half, __half>(p, stream);
}
