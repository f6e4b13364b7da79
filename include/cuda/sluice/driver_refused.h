/* driver_refused: driver API calls that a simulated GPU does not support. Each prints a message, and returns the code
 * of a driver whose hardware lacks the feature. Part of cuda.h. */
#ifndef SLUICE_CUDA_DRIVER_REFUSED_H
#define SLUICE_CUDA_DRIVER_REFUSED_H

#include "external_handle.h"

typedef struct CUextMemory_st *CUexternalMemory;
typedef struct CUextSemaphore_st *CUexternalSemaphore;
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef struct CUdevResource_st CUdevResource;
typedef struct CUmulticastObjectProp_st CUmulticastObjectProp;
typedef struct CUstreamBatchMemOpParams_union CUstreamBatchMemOpParams;
typedef int CUcoredumpSettings;

typedef enum CUexternalMemoryHandleType_enum {
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32 = 2,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 4,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 5,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE = 6,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT = 7,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF = 8
} CUexternalMemoryHandleType;
typedef enum CUexternalSemaphoreHandleType_enum {
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD = 1,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32 = 2,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE = 4,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9
} CUexternalSemaphoreHandleType;
typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st {
	CUexternalMemoryHandleType type;
	SLUICE_EXTERNAL_HANDLE
	unsigned long long size;
	unsigned int flags, reserved[16];
} CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {
	unsigned long long offset, size;
	unsigned int flags, reserved[16];
} CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
typedef struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st {
	CUexternalSemaphoreHandleType type;
	SLUICE_EXTERNAL_HANDLE
	unsigned int flags, reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_SEMAPHORE_PARAMS_st {
	struct {
		struct {
			unsigned long long value;
		} fence;
		unsigned long long reserved[16];
	} params;
	unsigned int flags, reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

CUresult cuImportExternalMemory(CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *handle);
CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *address, CUexternalMemory memory,
					 const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *buffer);
CUresult cuDestroyExternalMemory(CUexternalMemory memory);
CUresult cuImportExternalSemaphore(CUexternalSemaphore *semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *handle);
CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *list, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *how,
					 unsigned int count, CUstream stream);
CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *list, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *how,
				       unsigned int count, CUstream stream);
CUresult cuDestroyExternalSemaphore(CUexternalSemaphore semaphore);
CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource);
CUresult cuGraphicsMapResources(unsigned int count, CUgraphicsResource *list, CUstream stream);
CUresult cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource *list, CUstream stream);
CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *address, size_t *size, CUgraphicsResource resource);
CUresult cuGraphicsSubResourceGetMappedArray(CUarray *array, CUgraphicsResource resource, unsigned int index,
					     unsigned int level);
CUresult cuArrayGetPlane(CUarray *plane, CUarray array, unsigned int index);
CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr address, size_t size, int type,
				       unsigned long long flags);
CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *list, unsigned int flags);
CUresult cuMulticastCreate(CUmemGenericAllocationHandle *handle, const CUmulticastObjectProp *properties);
CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle handle, CUdevice device);
CUresult cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *properties, int option);
CUresult cuCoredumpGetAttribute(CUcoredumpSettings attribute, void *value, size_t *size);
CUresult cuCoredumpGetAttributeGlobal(CUcoredumpSettings attribute, void *value, size_t *size);
CUresult cuCoredumpSetAttribute(CUcoredumpSettings attribute, void *value, size_t *size);
CUresult cuCoredumpSetAttributeGlobal(CUcoredumpSettings attribute, void *value, size_t *size);
CUresult cuGreenCtxCreate(CUgreenCtx *context, CUdevResourceDesc description, CUdevice device, unsigned int flags);
CUresult cuGreenCtxDestroy(CUgreenCtx context);
CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, int type);
CUresult cuCtxGetDevResource(CUcontext context, CUdevResource *resource, int type);
CUresult cuCtxGetExecAffinity(CUexecAffinityParam *parameter, CUexecAffinityType type);
CUresult cuGetExportTable(const void **table, const CUuuid *id);
#define cuGraphicsResourceGetMappedPointer cuGraphicsResourceGetMappedPointer_v2
#define cuStreamBatchMemOp                 cuStreamBatchMemOp_v2

#endif
