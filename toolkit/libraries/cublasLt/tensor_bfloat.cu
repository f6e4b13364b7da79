// Products on tensor cores: factors of bfloat16.
#include "tensor.h"

using namespace products;

cublasStatus_t products::tensor_bfloat(const product &p, cudaStream_t stream)
{
	return tensor<__nv_bfloat16, __nv_bfloat16>(p, stream);
}
