/* driver_refused_13: further calls of the driver API that are always refused (see driver_refused.h). Part of
 * sluice/driver_13.h. */
#ifndef SLUICE_CUDA_DRIVER_REFUSED_13_H
#define SLUICE_CUDA_DRIVER_REFUSED_13_H

/* ---- arrays, external memory and semaphores, graphics ---- */

typedef struct CUDA_ARRAY_SPARSE_PROPERTIES_st {
	struct {
		unsigned int width, height, depth;
	} tileExtent;
	unsigned int miptailFirstLevel;
	unsigned long long miptailSize;
	unsigned int flags, reserved[4];
} CUDA_ARRAY_SPARSE_PROPERTIES;
typedef struct CUDA_ARRAY_MEMORY_REQUIREMENTS_st {
	size_t size, alignment;
	unsigned int reserved[4];
} CUDA_ARRAY_MEMORY_REQUIREMENTS;
typedef struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st {
	unsigned long long offset;
	CUDA_ARRAY3D_DESCRIPTOR arrayDesc;
	unsigned int numLevels, reserved[16];
} CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUarray array);
CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUmipmappedArray mipmap);
CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUarray array, CUdevice device);
CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUmipmappedArray mipmap,
					       CUdevice device);
CUresult cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *mipmap, CUexternalMemory memory,
						 const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *array);
CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned int flags);
CUresult cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *mipmap, CUgraphicsResource resource);
#define cuGraphicsResourceSetMapFlags cuGraphicsResourceSetMapFlags_v2

/* ---- graph nodes ---- */

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
						size_t count, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *parameters);
CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
					      size_t count, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *parameters);
CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode node, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *parameters);
CUresult cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode node,
						      const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *parameters);
CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode node, CUDA_EXT_SEM_WAIT_NODE_PARAMS *parameters);
CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *parameters);
CUresult cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec executable, CUgraphNode node,
							  const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *parameters);
CUresult cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec executable, CUgraphNode node,
							const CUDA_EXT_SEM_WAIT_NODE_PARAMS *parameters);
CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
				  const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters);
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters);
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters);
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec executable, CUgraphNode node,
					    const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters);

/* ---- multicast, tensor maps, decompression ---- */

typedef enum CUtensorMapIm2ColWideMode_enum {
	CU_TENSOR_MAP_IM2COL_WIDE_MODE_W = 0,
	CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 = 1
} CUtensorMapIm2ColWideMode;
typedef enum CUmemDecompressAlgorithm_enum {
	CU_MEM_DECOMPRESS_UNSUPPORTED = 0,
	CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE = 1,
	CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY = 2,
	CU_MEM_DECOMPRESS_ALGORITHM_LZ4 = 4
} CUmemDecompressAlgorithm;
typedef struct CUmemDecompressParams_st {
	size_t srcNumBytes, dstNumBytes;
	cuuint32_t *dstActBytes;
	const void *src;
	void *dst;
	CUmemDecompressAlgorithm algo;
	unsigned char padding[20];
} CUmemDecompressParams;

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle handle, size_t offset, CUmemGenericAllocationHandle memory,
			    size_t memory_offset, size_t size, unsigned long long flags);
CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle handle, size_t offset, CUdeviceptr address, size_t size,
			     unsigned long long flags);
CUresult cuMulticastUnbind(CUmemGenericAllocationHandle handle, CUdevice device, size_t offset, size_t size);
CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
				 const cuuint64_t *size, const cuuint64_t *strides, const int *lower, const int *upper,
				 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *element_strides,
				 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
				     const cuuint64_t *size, const cuuint64_t *strides, int lower, int upper,
				     cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *element_strides,
				     CUtensorMapInterleave interleave, CUtensorMapIm2ColWideMode mode,
				     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
				     CUtensorMapFloatOOBfill fill);
CUresult cuMemBatchDecompressAsync(CUmemDecompressParams *list, size_t count, unsigned int flags, size_t *wrong,
				   CUstream stream);

/* ---- green contexts, checkpoints ---- */

typedef int CUdevResourceType;
typedef enum CUprocessState_enum {
	CU_PROCESS_STATE_RUNNING = 0,
	CU_PROCESS_STATE_LOCKED = 1,
	CU_PROCESS_STATE_CHECKPOINTED = 2,
	CU_PROCESS_STATE_FAILED = 3
} CUprocessState;
typedef struct CUcheckpointLockArgs_st CUcheckpointLockArgs;
typedef struct CUcheckpointCheckpointArgs_st CUcheckpointCheckpointArgs;
typedef struct CUcheckpointRestoreArgs_st CUcheckpointRestoreArgs;
typedef struct CUcheckpointUnlockArgs_st CUcheckpointUnlockArgs;

CUresult cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx green);
CUresult cuDevSmResourceSplitByCount(CUdevResource *parts, unsigned int *count, const CUdevResource *whole,
				     CUdevResource *rest, unsigned int flags, unsigned int least);
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *description, CUdevResource *list, unsigned int count);
CUresult cuGreenCtxGetDevResource(CUgreenCtx green, CUdevResource *resource, CUdevResourceType type);
CUresult cuGreenCtxGetId(CUgreenCtx green, unsigned long long *id);
CUresult cuGreenCtxRecordEvent(CUgreenCtx green, CUevent event);
CUresult cuGreenCtxWaitEvent(CUgreenCtx green, CUevent event);
CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx green, unsigned int flags, int priority);
CUresult cuCheckpointProcessGetRestoreThreadId(int process, int *thread);
CUresult cuCheckpointProcessGetState(int process, CUprocessState *state);
CUresult cuCheckpointProcessLock(int process, CUcheckpointLockArgs *arguments);
CUresult cuCheckpointProcessCheckpoint(int process, CUcheckpointCheckpointArgs *arguments);
CUresult cuCheckpointProcessRestore(int process, CUcheckpointRestoreArgs *arguments);
CUresult cuCheckpointProcessUnlock(int process, CUcheckpointUnlockArgs *arguments);

/* ---- devices, notifications, logs ---- */

typedef enum CUatomicOperation_enum {
	CU_ATOMIC_OPERATION_INTEGER_ADD = 0,
	CU_ATOMIC_OPERATION_INTEGER_MIN = 1,
	CU_ATOMIC_OPERATION_INTEGER_MAX = 2,
	CU_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
	CU_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
	CU_ATOMIC_OPERATION_AND = 5,
	CU_ATOMIC_OPERATION_OR = 6,
	CU_ATOMIC_OPERATION_XOR = 7,
	CU_ATOMIC_OPERATION_EXCHANGE = 8,
	CU_ATOMIC_OPERATION_CAS = 9,
	CU_ATOMIC_OPERATION_FLOAT_ADD = 10,
	CU_ATOMIC_OPERATION_FLOAT_MIN = 11,
	CU_ATOMIC_OPERATION_FLOAT_MAX = 12
} CUatomicOperation;
typedef enum CUasyncNotificationType_enum { CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET = 1 } CUasyncNotificationType;
typedef struct CUasyncNotificationInfo_st {
	CUasyncNotificationType type;
	union {
		struct {
			unsigned long long bytesOverBudget;
		} overBudget;
	} info;
} CUasyncNotificationInfo;
typedef struct CUasyncCallbackEntry_st *CUasyncCallbackHandle;
typedef void (*CUasyncCallback)(CUasyncNotificationInfo *info, void *user, CUasyncCallbackHandle handle);
typedef enum CUlogLevel_enum { CU_LOG_LEVEL_ERROR = 0, CU_LOG_LEVEL_WARNING = 1 } CUlogLevel;
typedef unsigned int CUlogIterator;
typedef struct CUlogsCallbackEntry_st *CUlogsCallbackHandle;
typedef void (*CUlogsCallback)(void *user, CUlogLevel level, char *message, size_t length);

CUresult cuDeviceGetNvSciSyncAttributes(void *list, CUdevice device, int flags);
CUresult cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities, const CUatomicOperation *operations,
					   unsigned int count, CUdevice device);
CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int *capabilities, const CUatomicOperation *operations,
					  unsigned int count, CUdevice from, CUdevice to);
CUresult cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callback, void *user,
					   CUasyncCallbackHandle *handle);
CUresult cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle handle);
CUresult cuLogsRegisterCallback(CUlogsCallback callback, void *user, CUlogsCallbackHandle *handle);
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle);
CUresult cuLogsCurrent(CUlogIterator *iterator, unsigned int flags);
CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *path, unsigned int flags);
CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size, unsigned int flags);

/* ---- texture and surface references of modules: use texture and surface objects ---- */

typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
#define CU_TRSA_OVERRIDE_FORMAT 0x01
#define CU_PARAM_TR_DEFAULT     -1

CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name);
CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name);
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref reference);
CUresult cuTexRefCreate(CUtexref *reference);
CUresult cuTexRefDestroy(CUtexref reference);
CUresult cuTexRefSetArray(CUtexref reference, CUarray array, unsigned int flags);
CUresult cuTexRefSetMipmappedArray(CUtexref reference, CUmipmappedArray mipmap, unsigned int flags);
CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref reference, CUdeviceptr address, size_t bytes);
CUresult cuTexRefSetAddress2D_v3(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *description, CUdeviceptr address,
				 size_t pitch);
CUresult cuTexRefSetFormat(CUtexref reference, CUarray_format format, int channels);
CUresult cuTexRefSetAddressMode(CUtexref reference, int dimension, CUaddress_mode mode);
CUresult cuTexRefSetFilterMode(CUtexref reference, CUfilter_mode mode);
CUresult cuTexRefSetMipmapFilterMode(CUtexref reference, CUfilter_mode mode);
CUresult cuTexRefSetMipmapLevelBias(CUtexref reference, float bias);
CUresult cuTexRefSetMipmapLevelClamp(CUtexref reference, float least, float most);
CUresult cuTexRefSetMaxAnisotropy(CUtexref reference, unsigned int most);
CUresult cuTexRefSetBorderColor(CUtexref reference, float *color);
CUresult cuTexRefSetFlags(CUtexref reference, unsigned int flags);
CUresult cuTexRefGetArray(CUarray *array, CUtexref reference);
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *mipmap, CUtexref reference);
CUresult cuTexRefGetAddress_v2(CUdeviceptr *address, CUtexref reference);
CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref reference);
CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref reference, int dimension);
CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref reference);
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *mode, CUtexref reference);
CUresult cuTexRefGetMipmapLevelBias(float *bias, CUtexref reference);
CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref reference);
CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref reference);
CUresult cuTexRefGetBorderColor(float *color, CUtexref reference);
CUresult cuTexRefGetFlags(unsigned int *flags, CUtexref reference);
CUresult cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned int flags);
CUresult cuSurfRefGetArray(CUarray *array, CUsurfref reference);
#define cuTexRefSetAddress   cuTexRefSetAddress_v2
#define cuTexRefSetAddress2D cuTexRefSetAddress2D_v3
#define cuTexRefGetAddress   cuTexRefGetAddress_v2

#endif
