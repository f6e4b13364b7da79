// Products on tensor cores: factors of float, rounded to bfloat16.
#include "tensor.h"

using namespace products;

cublasStatus_t products::tensor_float_as_bfloat(const product &p, cudaStream_t stream)
{
	return tensor<__nv_bfloat16, float>(p, stream);
}
