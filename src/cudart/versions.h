/* versions: structs of CUDA 12 and 13 that differ from those of our headers, which follow CUDA 11. */
#ifndef SLUICE_CUDART_VERSIONS_H
#define SLUICE_CUDART_VERSIONS_H

#include <cuda_runtime_api.h>

/* New fields: in CUDA 12 after those of CUDA 11, in CUDA 13 in the middle. */
struct properties_12_more {
	int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
	int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
	int gpuDirectRDMAFlushWritesOptions, gpuDirectRDMAWritesOrdering, memoryPoolSupportedHandleTypes;
	int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
};

struct cudaDeviceProp_12 {
	struct cudaDeviceProp first;
	struct properties_12_more more;
	int reserved[63];
};
_Static_assert(sizeof(struct cudaDeviceProp_12) == 1032, "cudaDeviceProp of CUDA 12");

/* CUDA 13 lacks the clocks and other removed fields. */
struct cudaDeviceProp_13 {
	char name[256];
	cudaUUID_t uuid;
	char luid[8];
	unsigned int luidDeviceNodeMask;
	size_t totalGlobalMem, sharedMemPerBlock;
	int regsPerBlock, warpSize;
	size_t memPitch;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int multiProcessorCount, integrated, canMapHostMemory;
	int limits[39]; /* maxTexture1D to maxSurfaceCubemapLayered, without maxTexture1DLinear */
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
	int unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
	int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
	int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
	int canUseHostPointerForRegisteredMem, cooperativeLaunch;
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
	int accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
	struct properties_12_more more;
	int reserved[63];
};
_Static_assert(sizeof(struct cudaDeviceProp_13) == 1008, "cudaDeviceProp of CUDA 13");

/* CUDA 12 and 13 add fields for thread block clusters. */
struct cudaFuncAttributes_12 {
	struct cudaFuncAttributes first;
	int clusterDimMustBeSet, requiredCluster[3], clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
	int reserved[16];
};
_Static_assert(sizeof(struct cudaFuncAttributes_12) == 144, "cudaFuncAttributes of CUDA 12");

struct cudaTextureDesc_12 {
	struct cudaTextureDesc first;
	int seamlessCubemap;
};
_Static_assert(sizeof(struct cudaTextureDesc_12) == 72, "cudaTextureDesc of CUDA 12");

/* CUDA 13 reserves more room in the union, and adds flags, which must be 0. */
struct cudaResourceDesc_13 {
	union {
		struct cudaResourceDesc first;
		char room[136];
	};
	unsigned int flags;
};
_Static_assert(sizeof(struct cudaResourceDesc_13) == 144, "cudaResourceDesc of CUDA 13");
struct cudaResourceViewDesc_13 {
	struct cudaResourceViewDesc first;
	unsigned int reserved[16];
};
_Static_assert(sizeof(struct cudaResourceViewDesc_13) == 112, "cudaResourceViewDesc of CUDA 13");

struct cudaPointerAttributes_13 {
	struct cudaPointerAttributes first;
	long reserved[8];
};
_Static_assert(sizeof(struct cudaPointerAttributes_13) == 88, "cudaPointerAttributes of CUDA 13");

/* Programs of these versions call these functions under their original names. */
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp_12 *properties, int device);
cudaError_t cudaChooseDevice_v2(int *device, const struct cudaDeviceProp_12 *properties);
cudaError_t abi13_cudaGetDeviceProperties(struct cudaDeviceProp_13 *properties, int device);
cudaError_t abi13_cudaChooseDevice(int *device, const struct cudaDeviceProp_13 *properties);
cudaError_t abi12_cudaFuncGetAttributes(struct cudaFuncAttributes_12 *attributes, const void *function);
cudaError_t abi13_cudaPointerGetAttributes(struct cudaPointerAttributes_13 *attributes, const void *pointer);
cudaError_t abi12_cudaRuntimeGetVersion(int *version);
cudaError_t abi13_cudaRuntimeGetVersion(int *version);
cudaError_t abi12_cudaCreateTextureObject(cudaTextureObject_t *made, const struct cudaResourceDesc *resource,
                                          const struct cudaTextureDesc_12 *texture,
                                          const struct cudaResourceViewDesc *view);
cudaError_t abi12_cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                          enum cudaDriverEntryPointQueryResult *status);
cudaError_t abi12_cudaGetTextureObjectTextureDesc(struct cudaTextureDesc_12 *texture, cudaTextureObject_t object);
cudaError_t abi13_cudaGetTextureObjectResourceDesc(struct cudaResourceDesc_13 *resource, cudaTextureObject_t object);
cudaError_t abi13_cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc_13 *resource, cudaSurfaceObject_t object);
cudaError_t abi13_cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc_13 *view,
                                                       cudaTextureObject_t object);
cudaError_t abi13_cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location,
				       unsigned int flags, cudaStream_t stream);
cudaError_t abi13_cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
				struct cudaMemLocation location);
/* Batches without the index of a wrong operation. */
cudaError_t abi13_cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                                       struct cudaMemcpyAttributes *attributes, size_t *starts, size_t attribute_count,
                                       cudaStream_t stream);
cudaError_t abi13_cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags,
                                         cudaStream_t stream);
/* Graphs: edge data, and update results in one struct. */
cudaError_t abi12_cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags);
cudaError_t abi12_cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                      cudaGraphExecUpdateResultInfo *info);
cudaError_t abi13_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                    cudaGraphEdgeData *edges, size_t *count);
cudaError_t abi13_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                               size_t *count);
cudaError_t abi13_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                                 size_t *count);
cudaError_t abi13_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edges, size_t count);
cudaError_t abi13_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                              const cudaGraphEdgeData *edges, size_t count);
cudaError_t abi13_cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *parameters);
cudaError_t abi13_cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                           unsigned long long *id, cudaGraph_t *graph,
                                           const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges,
                                           size_t *count);
cudaError_t abi13_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                      const cudaGraphEdgeData *edges, size_t count, unsigned int flags);

#endif
