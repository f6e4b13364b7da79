/* driver: what the files of the driver API share. It is a thin layer over the runtime's calls, whose errors have the same numbers
 * but for a few. */
#ifndef SLUICE_CUDART_DRIVER_H
#define SLUICE_CUDART_DRIVER_H

#include "cudart/runtime.h"

#include <cuda.h>

/* The driver's error for one of the runtime's. */
CUresult driver_result(cudaError_t error);

/* What cuda.h of CUDA 13 calls; parameters of contexts are for what a simulated device has not. */
CUresult cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned int flags, CUdevice device);
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end);

static inline void *driver_pointer(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

#endif
