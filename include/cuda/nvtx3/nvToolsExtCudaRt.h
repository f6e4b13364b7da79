/* nvToolsExtCudaRt: names for devices, streams and events of the runtime API. */
#ifndef NVTOOLSEXT_CUDART_H_
#define NVTOOLSEXT_CUDART_H_

#include "../sluice/macros_off.h"

#include "../cuda_runtime_api.h"
#include "nvToolsExt.h"

#define SLUICE_NVTX_NAMED(N)                                                                                           \
	N(CudaDevice, int)                                                                                             \
	N(CudaStream, cudaStream_t)                                                                                    \
	N(CudaEvent, cudaEvent_t)
#include "../sluice/nvtx_names.h"

#if defined(UNICODE)
#define nvtxNameCudaDevice nvtxNameCudaDeviceW
#define nvtxNameCudaStream nvtxNameCudaStreamW
#define nvtxNameCudaEvent  nvtxNameCudaEventW
#else
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent  nvtxNameCudaEventA
#endif

#include "../sluice/macros_on.h"

#endif
