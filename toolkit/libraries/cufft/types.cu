// cuFFT: plans with the types and sizes of cufftXt.h.
#include "inner.h"

#include <climits>
#include <cufftXt.h>

static const struct transform {
	cudaDataType input, output, execution;
	cufftType type;
} transforms[] = {
	{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
	{CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
	{CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D},
};

static bool fits(long long value)
{
	return value >= 0 && value <= INT_MAX;
}

// NULL stays NULL.
static bool narrow(int (&to)[fft::MAX_RANK], const long long *from, int rank, int *&narrowed)
{
	narrowed = from ? to : nullptr;
	for (int i = 0; from && i < rank; i++) {
		if (!fits(from[i]))
			return false;
		to[i] = (int)from[i];
	}
	return true;
}

extern "C" cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long *n, long long *inembed, long long istride,
                                           long long idist, cudaDataType input, long long *onembed, long long ostride,
                                           long long odist, cudaDataType output, long long batch, size_t *work_size,
                                           cudaDataType execution)
{
	int sizes[fft::MAX_RANK], in[fft::MAX_RANK], out[fft::MAX_RANK], *all_sizes, *all_in, *all_out;
	if (rank < 1 || rank > fft::MAX_RANK || !n)
		return CUFFT_INVALID_VALUE;
	if (!narrow(sizes, n, rank, all_sizes) || !narrow(in, inembed, rank, all_in) || !narrow(out, onembed, rank, all_out) ||
	    !fits(istride) || !fits(idist) || !fits(ostride) || !fits(odist) || !fits(batch))
		return CUFFT_INVALID_SIZE;
	for (const transform &t : transforms)
		if (t.input == input && t.output == output && t.execution == execution)
			return cufftMakePlanMany(handle, rank, all_sizes, all_in, (int)istride, (int)idist, all_out,
			                         (int)ostride, (int)odist, t.type, (int)batch, work_size);
	return CUFFT_NOT_SUPPORTED;
}
