// Products without tensor cores, of all types.
#include "simple.h"

using namespace products;

cublasStatus_t products::simple_real(const product &p, cudaStream_t stream)
{
	return p.a.type == CUDA_R_64F ? simple<double, double>(p, stream) : simple<float, float>(p, stream);
}

cublasStatus_t products::simple_small(const product &p, cudaStream_t stream)
{
	switch (p.a.type) {
	case CUDA_R_16F:
		return simple<__half, float>(p, stream);
	case CUDA_R_16BF:
		return simple<__nv_bfloat16, float>(p, stream);
	case CUDA_R_8I:
		return simple<signed char, int>(p, stream);
	default:
		return simple<fp8, float>(p, stream);
	}
}

cublasStatus_t products::simple_complex(const product &p, cudaStream_t stream)
{
	switch (p.a.type) {
	case CUDA_C_32F:
		return simple<complex<float>, complex<float>>(p, stream);
	case CUDA_C_64F:
		return simple<complex<double>, complex<double>>(p, stream);
	default:
		return simple<complex<signed char>, complex<float>>(p, stream);
	}
}
