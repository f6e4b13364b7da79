// Products on tensor cores: factors of float, rounded to half.
#include "tensor.h"

using namespace products;

cublasStatus_t products::tensor_float_as_half(const product &p, cudaStream_t stream)
{
	return tensor<__half, float>(p, stream);
}
