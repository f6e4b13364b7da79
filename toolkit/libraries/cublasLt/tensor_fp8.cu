// Products on tensor cores: 8-bit floating-point factors; half holds each of their numbers exactly.
#include "tensor.h"

using namespace products;

cublasStatus_t products::tensor_fp8(const product &p, cudaStream_t stream)
{
	return tensor<__half, fp8>(p, stream);
}
