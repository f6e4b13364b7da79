/* driver: what the files of the driver API share. It is a thin layer over the runtime's calls, whose errors have the same numbers
 * but for a few. */
#ifndef SLUICE_CUDART_DRIVER_H
#define SLUICE_CUDART_DRIVER_H

#include "cudart/runtime.h"

#include <cuda.h>

/* The driver's error for one of the runtime's. */
CUresult driver_result(cudaError_t error);

/* A box of a copy as the runtime takes it, and back. */
CUresult driver_box(const CUDA_MEMCPY3D *box, struct cudaMemcpy3DParms *parameters);
CUDA_MEMCPY3D driver_box_of(const struct cudaMemcpy3DParms *parameters);
/* Whether it is a module that was loaded. */
bool driver_is_module(const struct runtime *runtime, const void *module);
/* The format of texels as the runtime has it; an error where it is none. */
CUresult driver_format(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *description);

/* What cuda.h of CUDA 13 calls; parameters of contexts are for what a simulated device has not. */
CUresult cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned int flags, CUdevice device);
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end);

static inline void *driver_pointer(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

#endif
