// Products on tensor cores: factors of 8-bit integers.
#include "tensor.h"

using namespace products;

cublasStatus_t products::tensor_bytes(const product &p, cudaStream_t stream)
{
	return tensor<signed char, signed char>(p, stream);
}
