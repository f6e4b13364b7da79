/* calls_13: calls of the runtime API that CUDA 12 and 13 added: batches of copies and of hints, pools by location, and
 * calls that are always refused. Part of cuda_runtime_api.h, which defines `__dv`. */
#ifndef SLUICE_CUDA_CALLS_13_H
#define SLUICE_CUDA_CALLS_13_H

/* When a batch reads the source of a copy. */
enum cudaMemcpySrcAccessOrder {
	cudaMemcpySrcAccessOrderInvalid = 0,
	cudaMemcpySrcAccessOrderStream = 1,
	cudaMemcpySrcAccessOrderDuringApiCall = 2,
	cudaMemcpySrcAccessOrderAny = 3,
	cudaMemcpySrcAccessOrderMax = 0x7fffffff
};
enum cudaMemcpyFlags { cudaMemcpyFlagDefault = 0, cudaMemcpyFlagPreferOverlapWithCompute = 1 };
/* The hints of locations have no effect. */
struct cudaMemcpyAttributes {
	enum cudaMemcpySrcAccessOrder srcAccessOrder;
	struct cudaMemLocation srcLocHint, dstLocHint;
	unsigned int flags;
};

enum cudaMemcpy3DOperandType {
	cudaMemcpyOperandTypePointer = 1,
	cudaMemcpyOperandTypeArray = 2,
	cudaMemcpyOperandTypeMax = 0x7fffffff
};
struct cudaOffset3D {
	size_t x, y, z;
};
/* Lengths are in elements: the array's texels if the other side is an array, else bytes. 0: that of the copy. */
struct cudaMemcpy3DOperand {
	enum cudaMemcpy3DOperandType type;
	union {
		struct {
			void *ptr;
			size_t rowLength, layerHeight;
			struct cudaMemLocation locHint;
		} ptr;
		struct {
			cudaArray_t array;
			struct cudaOffset3D offset;
		} array;
	} op;
};
struct cudaMemcpy3DBatchOp {
	struct cudaMemcpy3DOperand src, dst;
	struct cudaExtent extent;
	enum cudaMemcpySrcAccessOrder srcAccessOrder;
	unsigned int flags;
};

/* kernels and pools */
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type);
cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, enum cudaMemAllocationType type);
cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t pool);

/* Batches in any stream but the legacy one. Entry k of a list with `starts` applies to the operations from starts[k] to
 * the next start. CUDA 12 has the index of a wrong copy as a result; the C++ form without it is in
 * sluice/runtime_templates.h. */
#if CUDART_VERSION >= 13000
cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *starts, size_t attribute_count,
                                 cudaStream_t stream);
cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags,
                                   cudaStream_t stream);
#else
cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *starts, size_t attribute_count,
                                 size_t *wrong, cudaStream_t stream);
cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *list, size_t *wrong,
                                   unsigned long long flags, cudaStream_t stream);
#endif
cudaError_t cudaMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *locations,
                                      size_t *starts, size_t location_count, unsigned long long flags,
                                      cudaStream_t stream);
cudaError_t cudaMemDiscardBatchAsync(void **pointers, size_t *sizes, size_t count, unsigned long long flags,
                                     cudaStream_t stream);
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
                                                struct cudaMemLocation *locations, size_t *starts,
                                                size_t location_count, unsigned long long flags, cudaStream_t stream);

/* ---- always refused ---- */

struct cudaArraySparseProperties {
	struct {
		unsigned int width, height, depth;
	} tileExtent;
	unsigned int miptailFirstLevel;
	unsigned long long miptailSize;
	unsigned int flags, reserved[4];
};
struct cudaArrayMemoryRequirements {
	size_t size, alignment;
	unsigned int reserved[4];
};
struct cudaExternalMemoryMipmappedArrayDesc {
	unsigned long long offset;
	struct cudaChannelFormatDesc formatDesc;
	struct cudaExtent extent;
	unsigned int flags, numLevels, reserved[16];
};
struct cudaExternalSemaphoreSignalNodeParams {
	cudaExternalSemaphore_t *extSemArray;
	const struct cudaExternalSemaphoreSignalParams *paramsArray;
	unsigned int numExtSems;
};
struct cudaExternalSemaphoreWaitNodeParams {
	cudaExternalSemaphore_t *extSemArray;
	const struct cudaExternalSemaphoreWaitParams *paramsArray;
	unsigned int numExtSems;
};
enum cudaAtomicOperation {
	cudaAtomicOperationIntegerAdd = 0,
	cudaAtomicOperationIntegerMin = 1,
	cudaAtomicOperationIntegerMax = 2,
	cudaAtomicOperationIntegerIncrement = 3,
	cudaAtomicOperationIntegerDecrement = 4,
	cudaAtomicOperationAnd = 5,
	cudaAtomicOperationOr = 6,
	cudaAtomicOperationXOR = 7,
	cudaAtomicOperationExchange = 8,
	cudaAtomicOperationCAS = 9,
	cudaAtomicOperationFloatAdd = 10,
	cudaAtomicOperationFloatMin = 11,
	cudaAtomicOperationFloatMax = 12
};
typedef enum cudaAsyncNotificationType_enum { cudaAsyncNotificationTypeOverBudget = 1 } cudaAsyncNotificationType;
typedef struct cudaAsyncNotificationInfo {
	cudaAsyncNotificationType type;
	union {
		struct {
			unsigned long long bytesOverBudget;
		} overBudget;
	} info;
} cudaAsyncNotificationInfo_t;
typedef struct cudaAsyncCallbackEntry *cudaAsyncCallbackHandle_t;
typedef void (*cudaAsyncCallback)(cudaAsyncNotificationInfo_t *info, void *user, cudaAsyncCallbackHandle_t handle);
typedef enum cudaLogLevel { cudaLogLevelError = 0, cudaLogLevelWarning = 1 } cudaLogLevel;
typedef unsigned int cudaLogIterator;
typedef struct CUlogsCallbackEntry_st *cudaLogsCallbackHandle;
typedef void (*cudaLogsCallback_t)(void *user, cudaLogLevel level, char *message, size_t length);

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *properties, cudaArray_t array);
cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *properties,
                                                  cudaMipmappedArray_t mipmap);
cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements, cudaArray_t array,
                                           int device);
cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements,
                                                    cudaMipmappedArray_t mipmap, int device);
cudaError_t cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap, cudaExternalMemory_t memory,
                                                      const struct cudaExternalMemoryMipmappedArrayDesc *array);
cudaError_t cudaGraphAddExternalSemaphoresSignalNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                     const cudaGraphNode_t *dependencies, size_t count,
                                                     const struct cudaExternalSemaphoreSignalNodeParams *parameters);
cudaError_t cudaGraphAddExternalSemaphoresWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                   const cudaGraphNode_t *dependencies, size_t count,
                                                   const struct cudaExternalSemaphoreWaitNodeParams *parameters);
cudaError_t cudaGraphExternalSemaphoresSignalNodeGetParams(cudaGraphNode_t node,
                                                           struct cudaExternalSemaphoreSignalNodeParams *parameters);
cudaError_t
cudaGraphExternalSemaphoresSignalNodeSetParams(cudaGraphNode_t node,
                                               const struct cudaExternalSemaphoreSignalNodeParams *parameters);
cudaError_t cudaGraphExternalSemaphoresWaitNodeGetParams(cudaGraphNode_t node,
                                                         struct cudaExternalSemaphoreWaitNodeParams *parameters);
cudaError_t cudaGraphExternalSemaphoresWaitNodeSetParams(cudaGraphNode_t node,
                                                         const struct cudaExternalSemaphoreWaitNodeParams *parameters);
cudaError_t
cudaGraphExecExternalSemaphoresSignalNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                   const struct cudaExternalSemaphoreSignalNodeParams *parameters);
cudaError_t
cudaGraphExecExternalSemaphoresWaitNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 const struct cudaExternalSemaphoreWaitNodeParams *parameters);
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities, const enum cudaAtomicOperation *operations,
                                                unsigned int count, int device);
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities, const enum cudaAtomicOperation *operations,
                                               unsigned int count, int from, int to);
cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callback, void *user,
                                                cudaAsyncCallbackHandle_t *handle);
cudaError_t cudaDeviceUnregisterAsyncNotification(int device, cudaAsyncCallbackHandle_t handle);
cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callback, void *user, cudaLogsCallbackHandle *handle);
cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle handle);
cudaError_t cudaLogsCurrent(cudaLogIterator *iterator, unsigned int flags);
cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *path, unsigned int flags);
cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size, unsigned int flags);

#endif
