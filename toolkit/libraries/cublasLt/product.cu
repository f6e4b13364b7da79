// Chooses the kernel of a product.
#include "product.h"

using namespace products;

static int compute_capability()
{
	int device = 0, major = 0, minor = 0;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
	cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
	return 10 * major + minor;
}

// Returns the kernels for tensor cores; null: the type or the machine has none.
static runner *with_tensor_cores(const product &p, int capability)
{
	switch (p.a.type) {
	case CUDA_R_16F:
		return capability >= 70 ? tensor_half : nullptr;
	case CUDA_R_16BF:
		return capability >= 80 ? tensor_bfloat : nullptr;
	case CUDA_R_8I:
		return capability >= 72 ? tensor_bytes : nullptr;
	case CUDA_R_8F_E4M3:
	case CUDA_R_8F_E5M2:
		return capability >= 70 ? tensor_fp8 : nullptr;
	case CUDA_R_32F:
		if (p.compute == CUBLAS_COMPUTE_32F_FAST_16F && capability >= 70)
			return tensor_float_as_half;
		if (p.compute == CUBLAS_COMPUTE_32F_FAST_16BF && capability >= 80)
			return tensor_float_as_bfloat;
		return p.compute == CUBLAS_COMPUTE_32F_FAST_TF32 && capability >= 80 ? tensor_tf32 : nullptr;
	default:
		return nullptr;
	}
}

static runner *without_tensor_cores(cudaDataType type)
{
	switch (type) {
	case CUDA_R_32F:
	case CUDA_R_64F:
		return simple_real;
	case CUDA_C_32F:
	case CUDA_C_64F:
	case CUDA_C_8I:
		return simple_complex;
	case CUDA_R_16F:
	case CUDA_R_16BF:
	case CUDA_R_8I:
	case CUDA_R_8F_E4M3:
	case CUDA_R_8F_E5M2:
		return simple_small;
	default:
		return nullptr;
	}
}

extern "C" cublasStatus_t cublasLtRunProduct(const product *p, cudaStream_t stream)
{
	bool pedantic = p->compute == CUBLAS_COMPUTE_16F_PEDANTIC || p->compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
	                p->compute == CUBLAS_COMPUTE_32I_PEDANTIC;
	runner *run = pedantic ? nullptr : with_tensor_cores(*p, compute_capability());
	run = run ? run : without_tensor_cores(p->a.type);
	return run ? run(*p, stream) : CUBLAS_STATUS_NOT_SUPPORTED;
}
