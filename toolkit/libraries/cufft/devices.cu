// cuFFT: the cufftXt.h calls for several devices, of which there is one.
#include "inner.h"

#include <cufftXt.h>

extern "C" cufftResult cufftXtSetGPUs(cufftHandle, int count, int *devices)
{
	return count > 0 && devices ? CUFFT_INVALID_DEVICE : CUFFT_INVALID_VALUE;
}

extern "C" cufftResult cufftXtMalloc(cufftHandle, cudaLibXtDesc **, cufftXtSubFormat)
{
	return CUFFT_NOT_SUPPORTED;
}

extern "C" cufftResult cufftXtMemcpy(cufftHandle, void *, void *, cufftXtCopyType)
{
	return CUFFT_NOT_SUPPORTED;
}

extern "C" cufftResult cufftXtFree(cudaLibXtDesc *)
{
	return CUFFT_NOT_SUPPORTED;
}

#define TRANSFORM_OF_SEVERAL(type)                                                                                     \
	extern "C" cufftResult cufftXtExecDescriptor##type(cufftHandle, cudaLibXtDesc *, cudaLibXtDesc *)       \
	{                                                                                                              \
		return CUFFT_NOT_SUPPORTED;                                                                            \
	}
#define DIRECTED_OF_SEVERAL(type)                                                                                       \
	extern "C" cufftResult cufftXtExecDescriptor##type(cufftHandle, cudaLibXtDesc *, cudaLibXtDesc *, int)  \
	{                                                                                                              \
		return CUFFT_NOT_SUPPORTED;                                                                            \
	}
DIRECTED_OF_SEVERAL()
DIRECTED_OF_SEVERAL(C2C)
DIRECTED_OF_SEVERAL(Z2Z)
TRANSFORM_OF_SEVERAL(R2C)
TRANSFORM_OF_SEVERAL(C2R)
TRANSFORM_OF_SEVERAL(D2Z)
TRANSFORM_OF_SEVERAL(Z2D)
