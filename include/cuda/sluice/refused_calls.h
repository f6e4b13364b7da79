/* refused_calls: runtime API calls that a simulated GPU does not support. Each prints a message, and returns the code
 * that CUDA uses for hardware without the feature. Part of cuda_runtime_api.h. */
#ifndef SLUICE_CUDA_REFUSED_CALLS_H
#define SLUICE_CUDA_REFUSED_CALLS_H

#include "external_handle.h"

typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;

enum cudaExternalMemoryHandleType {
	cudaExternalMemoryHandleTypeOpaqueFd = 1,
	cudaExternalMemoryHandleTypeOpaqueWin32 = 2,
	cudaExternalMemoryHandleTypeOpaqueWin32Kmt = 3,
	cudaExternalMemoryHandleTypeD3D12Heap = 4,
	cudaExternalMemoryHandleTypeD3D12Resource = 5,
	cudaExternalMemoryHandleTypeD3D11Resource = 6,
	cudaExternalMemoryHandleTypeD3D11ResourceKmt = 7,
	cudaExternalMemoryHandleTypeNvSciBuf = 8
};
enum cudaExternalSemaphoreHandleType {
	cudaExternalSemaphoreHandleTypeOpaqueFd = 1,
	cudaExternalSemaphoreHandleTypeOpaqueWin32 = 2,
	cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt = 3,
	cudaExternalSemaphoreHandleTypeD3D12Fence = 4,
	cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd = 9
};
struct cudaExternalMemoryHandleDesc {
	enum cudaExternalMemoryHandleType type;
	SLUICE_EXTERNAL_HANDLE
	unsigned long long size;
	unsigned int flags, reserved[16];
};
struct cudaExternalMemoryBufferDesc {
	unsigned long long offset, size;
	unsigned int flags, reserved[16];
};
struct cudaExternalSemaphoreHandleDesc {
	enum cudaExternalSemaphoreHandleType type;
	SLUICE_EXTERNAL_HANDLE
	unsigned int flags, reserved[16];
};
struct cudaExternalSemaphoreSignalParams {
	struct {
		struct {
			unsigned long long value;
		} fence;
		unsigned long long reserved[16];
	} params;
	unsigned int flags, reserved[16];
};
struct cudaExternalSemaphoreWaitParams {
	struct {
		struct {
			unsigned long long value;
		} fence;
		unsigned long long reserved[16];
	} params;
	unsigned int flags, reserved[16];
};

cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *memory, const struct cudaExternalMemoryHandleDesc *handle);
cudaError_t cudaExternalMemoryGetMappedBuffer(void **pointer, cudaExternalMemory_t memory,
                                              const struct cudaExternalMemoryBufferDesc *buffer);
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t memory);
cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t *semaphore,
                                        const struct cudaExternalSemaphoreHandleDesc *handle);
cudaError_t cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *list,
                                              const struct cudaExternalSemaphoreSignalParams *how, unsigned int count,
                                              cudaStream_t stream __dv(0));
cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *list,
                                            const struct cudaExternalSemaphoreWaitParams *how, unsigned int count,
                                            cudaStream_t stream __dv(0));
cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t semaphore);
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource);
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned int flags);
cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t *list, cudaStream_t stream __dv(0));
cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *list, cudaStream_t stream __dv(0));
cudaError_t cudaGraphicsResourceGetMappedPointer(void **pointer, size_t *size, cudaGraphicsResource_t resource);
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array, cudaGraphicsResource_t resource,
                                                  unsigned int index, unsigned int level);
cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap, cudaGraphicsResource_t resource);
cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned int index);
cudaError_t cudaDeviceGetNvSciSyncAttributes(void *list, int device, int flags);
cudaError_t cudaGetExportTable(const void **table, const cudaUUID_t *id);

#endif
