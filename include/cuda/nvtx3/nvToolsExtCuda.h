/* nvToolsExtCuda: names for devices, contexts, streams and events of the driver API. */
#ifndef NVTOOLSEXT_CUDA_H_
#define NVTOOLSEXT_CUDA_H_

#include "../sluice/macros_off.h"

#include "../cuda.h"
#include "nvToolsExt.h"

#define SLUICE_NVTX_NAMED(N)                                                                                           \
	N(CuDevice, CUdevice)                                                                                          \
	N(CuContext, CUcontext)                                                                                        \
	N(CuStream, CUstream)                                                                                          \
	N(CuEvent, CUevent)
#include "../sluice/nvtx_names.h"

#if defined(UNICODE)
#define nvtxNameCuDevice  nvtxNameCuDeviceW
#define nvtxNameCuContext nvtxNameCuContextW
#define nvtxNameCuStream  nvtxNameCuStreamW
#define nvtxNameCuEvent   nvtxNameCuEventW
#else
#define nvtxNameCuDevice  nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream  nvtxNameCuStreamA
#define nvtxNameCuEvent   nvtxNameCuEventA
#endif

#include "../sluice/macros_on.h"

#endif
