/* driver: declarations shared by the files of the driver API. The driver API is a thin layer over the runtime's calls.
 * Apart from a few, its errors have the runtime's numbers. */
#ifndef SLUICE_CUDART_DRIVER_H
#define SLUICE_CUDART_DRIVER_H

#include "cudart/copy.h"

#include <cuda.h>

/* Returns the driver's error for one of the runtime's. */
CUresult driver_result(cudaError_t error);
/* Fills rows. Returns an error if they are not aligned to their values, or overlap. */
CUresult driver_fill(const char *call, struct order order, const struct cudaMemsetParams *rows);
/* For synchronous calls: waits for the legacy stream's work if `result` is a success. */
CUresult driver_wait(CUresult result);

/* Converts a copy's box to the runtime's form. driver_box_of() converts it back. */
CUresult driver_box(const CUDA_MEMCPY3D *box, struct cudaMemcpy3DParms *parameters);
CUDA_MEMCPY3D driver_box_of(const struct cudaMemcpy3DParms *parameters);
/* Converts a kernel node's parameters to the runtime's form. */
void driver_kernel_node(const CUDA_KERNEL_NODE_PARAMS *given, struct cudaKernelNodeParams *parameters);
/* Returns the symbol that a CUfunction or CUkernel is; NULL: there is none. */
struct symbol *driver_symbol(const struct runtime *runtime, const void *function);
/* True when the pointer is a loaded module. */
bool driver_is_module(const struct runtime *runtime, const void *module);
/* Converts a texel format to the runtime's form. Returns an error for an unsupported format. */
CUresult driver_format(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *description);

static inline void *driver_pointer(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

#endif
