/* per_thread: the functions of programs with per-thread default streams (nvcc --default-stream per-thread). Such a
 * program calls NAME_ptsz or NAME_ptds instead of NAME, and its stream 0 is the default stream of the calling thread.
 * toolkit/versions.awk gives the functions their versions, and requires one for each function of that kind. */
#include "cudart/versions.h"

static cudaStream_t of_thread(cudaStream_t stream)
{
	return stream ? stream : cudaStreamPerThread;
}

/* Functions by name: those of per-thread default streams, unless the flags name a kind. */
static unsigned long long kind(unsigned long long flags)
{
	return flags ? flags : cudaEnablePerThreadDefaultStream;
}

/* Asynchronous calls, and calls about a stream. */
#define OF_STREAM(name, parameters, arguments)                                                                         \
	cudaError_t name##_ptsz parameters;                                                                            \
	cudaError_t name##_ptsz parameters                                                                             \
	{                                                                                                              \
		return name arguments;                                                                                 \
	}

/* Copies and fills that wait for their end, and for that of the stream's earlier work. */
#define SYNCHRONOUS(name, parameters, arguments)                                                                       \
	cudaError_t name##_ptds parameters;                                                                            \
	cudaError_t name##_ptds parameters                                                                             \
	{                                                                                                              \
		cudaError_t result = name##Async arguments;                                                            \
		return result == cudaSuccess ? cudaStreamSynchronize(cudaStreamPerThread) : result;                    \
	}

/* clang-format off */
OF_STREAM(__cudaLaunchKernel,
          (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
          (kernel, grid, block, arguments, shared, of_thread(stream)))
OF_STREAM(cudaEventRecordWithFlags,
          (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
          (event, of_thread(stream), flags))
OF_STREAM(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, of_thread(stream)))
OF_STREAM(cudaGetDriverEntryPoint,
          (const char *symbol, void **function, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status),
          (symbol, function, kind(flags), status))
OF_STREAM(cudaGetDriverEntryPointByVersion,
          (const char *symbol, void **function, unsigned int version, unsigned long long flags, enum
           cudaDriverEntryPointQueryResult *status),
          (symbol, function, version, kind(flags), status))
OF_STREAM(cudaFreeAsync, (void *pointer, cudaStream_t stream), (pointer, of_thread(stream)))
OF_STREAM(cudaGraphLaunch, (cudaGraphExec_t executable, cudaStream_t stream), (executable, of_thread(stream)))
OF_STREAM(cudaGraphUpload, (cudaGraphExec_t executable, cudaStream_t stream), (executable, of_thread(stream)))
OF_STREAM(cudaLaunchCooperativeKernel,
          (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
          (function, grid, block, arguments, shared, of_thread(stream)))
OF_STREAM(cudaLaunchHostFunc,
          (cudaStream_t stream, cudaHostFn_t function, void *user),
          (of_thread(stream), function, user))
OF_STREAM(cudaLaunchKernel,
          (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
          (function, grid, block, arguments, shared, of_thread(stream)))
OF_STREAM(cudaMallocAsync, (void **pointer, size_t size, cudaStream_t stream), (pointer, size, of_thread(stream)))
OF_STREAM(cudaMallocFromPoolAsync,
          (void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream),
          (pointer, size, pool, of_thread(stream)))
OF_STREAM(cudaMemPrefetchAsync,
          (const void *pointer, size_t size, int device, cudaStream_t stream),
          (pointer, size, device, of_thread(stream)))
OF_STREAM(cudaMemPrefetchAsync_v2,
          (const void *pointer, size_t size, struct cudaMemLocation location, unsigned int flags, cudaStream_t
           stream),
          (pointer, size, location, flags, of_thread(stream)))
OF_STREAM(cudaMemPrefetchBatchAsync,
          (void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *locations, size_t *starts, size_t
           location_count, unsigned long long flags, cudaStream_t stream),
          (pointers, sizes, count, locations, starts, location_count, flags, of_thread(stream)))
OF_STREAM(cudaMemDiscardBatchAsync,
          (void **pointers, size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream),
          (pointers, sizes, count, flags, of_thread(stream)))
OF_STREAM(cudaMemDiscardAndPrefetchBatchAsync,
          (void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *locations, size_t *starts, size_t
           location_count, unsigned long long flags, cudaStream_t stream),
          (pointers, sizes, count, locations, starts, location_count, flags, of_thread(stream)))
OF_STREAM(cudaMemcpyBatchAsync,
          (void **to, void **from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes, size_t
           *starts, size_t attribute_count, size_t *wrong, cudaStream_t stream),
          (to, from, sizes, count, attributes, starts, attribute_count, wrong, of_thread(stream)))
OF_STREAM(cudaMemcpy3DBatchAsync,
          (size_t count, struct cudaMemcpy3DBatchOp *list, size_t *wrong, unsigned long long flags, cudaStream_t
           stream),
          (count, list, wrong, flags, of_thread(stream)))
OF_STREAM(cudaMemcpy2DAsync,
          (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum
           cudaMemcpyKind kind, cudaStream_t stream),
          (to, to_pitch, from, from_pitch, width, height, kind, of_thread(stream)))
OF_STREAM(cudaMemcpy2DFromArrayAsync,
          (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum
           cudaMemcpyKind kind, cudaStream_t stream),
          (to, pitch, from, x, y, width, height, kind, of_thread(stream)))
OF_STREAM(cudaMemcpy2DToArrayAsync,
          (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, enum
           cudaMemcpyKind kind, cudaStream_t stream),
          (to, x, y, from, pitch, width, height, kind, of_thread(stream)))
OF_STREAM(cudaMemcpy3DAsync,
          (const struct cudaMemcpy3DParms *parameters, cudaStream_t stream),
          (parameters, of_thread(stream)))
OF_STREAM(cudaMemcpy3DPeerAsync,
          (const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream),
          (parameters, of_thread(stream)))
OF_STREAM(cudaMemcpyAsync,
          (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
          (to, from, size, kind, of_thread(stream)))
OF_STREAM(cudaMemcpyFromArrayAsync,
          (void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind, cudaStream_t
           stream),
          (to, from, x, y, size, kind, of_thread(stream)))
OF_STREAM(cudaMemcpyFromSymbolAsync,
          (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream),
          (to, symbol, size, offset, kind, of_thread(stream)))
OF_STREAM(cudaMemcpyPeerAsync,
          (void *to, int to_device, const void *from, int from_device, size_t size, cudaStream_t stream),
          (to, to_device, from, from_device, size, of_thread(stream)))
OF_STREAM(cudaMemcpyToArrayAsync,
          (cudaArray_t to, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t
           stream),
          (to, x, y, from, size, kind, of_thread(stream)))
OF_STREAM(cudaMemcpyToSymbolAsync,
          (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind, cudaStream_t
           stream),
          (symbol, from, size, offset, kind, of_thread(stream)))
OF_STREAM(cudaMemset2DAsync,
          (void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
          (pointer, pitch, value, width, height, of_thread(stream)))
OF_STREAM(cudaMemset3DAsync,
          (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent, cudaStream_t stream),
          (pointer, value, extent, of_thread(stream)))
OF_STREAM(cudaMemsetAsync,
          (void *pointer, int value, size_t size, cudaStream_t stream),
          (pointer, value, size, of_thread(stream)))
OF_STREAM(cudaStreamAddCallback,
          (cudaStream_t stream, cudaStreamCallback_t callback, void *user, unsigned int flags),
          (of_thread(stream), callback, user, flags))
OF_STREAM(cudaStreamAttachMemAsync,
          (cudaStream_t stream, void *pointer, size_t length, unsigned int flags),
          (of_thread(stream), pointer, length, flags))
OF_STREAM(cudaStreamBeginCaptureToGraph,
          (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies, const cudaGraphEdgeData
           *edges, size_t count, enum cudaStreamCaptureMode mode),
          (of_thread(stream), graph, dependencies, edges, count, mode))
OF_STREAM(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode), (of_thread(stream), mode))
OF_STREAM(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from), (of_thread(to), of_thread(from)))
OF_STREAM(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), (of_thread(stream), graph))
OF_STREAM(cudaStreamGetAttribute,
          (cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue *value),
          (of_thread(stream), attribute, value))
OF_STREAM(cudaStreamGetCaptureInfo,
          (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id),
          (of_thread(stream), status, id))
OF_STREAM(cudaStreamGetCaptureInfo_v2,
          (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
           const cudaGraphNode_t **dependencies, size_t *count),
          (of_thread(stream), status, id, graph, dependencies, count))
OF_STREAM(cudaStreamGetCaptureInfo_v3,
          (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
           const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges, size_t *count),
          (of_thread(stream), status, id, graph, dependencies, edges, count))
OF_STREAM(cudaStreamGetDevice, (cudaStream_t stream, int *device), (of_thread(stream), device))
OF_STREAM(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), (of_thread(stream), id))
OF_STREAM(cudaStreamGetFlags, (cudaStream_t stream, unsigned int *flags), (of_thread(stream), flags))
OF_STREAM(cudaStreamGetPriority, (cudaStream_t stream, int *priority), (of_thread(stream), priority))
OF_STREAM(cudaStreamIsCapturing,
          (cudaStream_t stream, enum cudaStreamCaptureStatus *status),
          (of_thread(stream), status))
OF_STREAM(cudaStreamQuery, (cudaStream_t stream), (of_thread(stream)))
OF_STREAM(cudaStreamSetAttribute,
          (cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value),
          (of_thread(stream), attribute, value))
OF_STREAM(cudaStreamSynchronize, (cudaStream_t stream), (of_thread(stream)))
OF_STREAM(cudaStreamUpdateCaptureDependencies,
          (cudaStream_t stream, cudaGraphNode_t *dependencies, size_t count, unsigned int flags),
          (of_thread(stream), dependencies, count, flags))
OF_STREAM(cudaStreamUpdateCaptureDependencies_v2,
          (cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges, size_t count, unsigned
           int flags),
          (of_thread(stream), dependencies, edges, count, flags))
OF_STREAM(cudaStreamWaitEvent,
          (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
          (of_thread(stream), event, flags))
OF_STREAM(abi12_cudaGetDriverEntryPoint,
          (const char *symbol, void **function, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status),
          (symbol, function, kind(flags), status))
OF_STREAM(abi13_cudaMemPrefetchAsync,
          (const void *pointer, size_t size, struct cudaMemLocation location, unsigned int flags, cudaStream_t
           stream),
          (pointer, size, location, flags, of_thread(stream)))
OF_STREAM(abi13_cudaMemcpyBatchAsync,
          (void *const *to, const void *const *from, const size_t *sizes, size_t count, struct cudaMemcpyAttributes
           *attributes, size_t *starts, size_t attribute_count, cudaStream_t stream),
          (to, from, sizes, count, attributes, starts, attribute_count, of_thread(stream)))
OF_STREAM(abi13_cudaMemcpy3DBatchAsync,
          (size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags, cudaStream_t stream),
          (count, list, flags, of_thread(stream)))
OF_STREAM(abi13_cudaStreamGetCaptureInfo,
          (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
           const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges, size_t *count),
          (of_thread(stream), status, id, graph, dependencies, edges, count))
OF_STREAM(abi13_cudaStreamUpdateCaptureDependencies,
          (cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges, size_t count, unsigned
           int flags),
          (of_thread(stream), dependencies, edges, count, flags))

SYNCHRONOUS(cudaMemcpy2DFromArray,
            (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum
             cudaMemcpyKind kind),
            (to, pitch, from, x, y, width, height, kind, cudaStreamPerThread))
SYNCHRONOUS(cudaMemcpy2DToArray,
            (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, enum
             cudaMemcpyKind kind),
            (to, x, y, from, pitch, width, height, kind, cudaStreamPerThread))
SYNCHRONOUS(cudaMemcpy2D,
            (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum
             cudaMemcpyKind kind),
            (to, to_pitch, from, from_pitch, width, height, kind, cudaStreamPerThread))
SYNCHRONOUS(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *parameters), (parameters, cudaStreamPerThread))
SYNCHRONOUS(cudaMemcpy3D, (const struct cudaMemcpy3DParms *parameters), (parameters, cudaStreamPerThread))
SYNCHRONOUS(cudaMemcpyFromArray,
            (void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind),
            (to, from, x, y, size, kind, cudaStreamPerThread))
SYNCHRONOUS(cudaMemcpyFromSymbol,
            (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind),
            (to, symbol, size, offset, kind, cudaStreamPerThread))
SYNCHRONOUS(cudaMemcpyPeer,
            (void *to, int to_device, const void *from, int from_device, size_t size),
            (to, to_device, from, from_device, size, cudaStreamPerThread))
SYNCHRONOUS(cudaMemcpyToArray,
            (cudaArray_t to, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind kind),
            (to, x, y, from, size, kind, cudaStreamPerThread))
SYNCHRONOUS(cudaMemcpyToSymbol,
            (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind),
            (symbol, from, size, offset, kind, cudaStreamPerThread))
SYNCHRONOUS(cudaMemcpy,
            (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
            (to, from, size, kind, cudaStreamPerThread))
SYNCHRONOUS(cudaMemset2D,
            (void *pointer, size_t pitch, int value, size_t width, size_t height),
            (pointer, pitch, value, width, height, cudaStreamPerThread))
SYNCHRONOUS(cudaMemset3D,
            (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent),
            (pointer, value, extent, cudaStreamPerThread))
SYNCHRONOUS(cudaMemset, (void *pointer, int value, size_t size), (pointer, value, size, cudaStreamPerThread))
/* clang-format on */

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *configuration, const void *function, void **arguments);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *configuration, const void *function, void **arguments)
{
	if (!configuration)
		return cudaLaunchKernelExC(configuration, function, arguments);
	cudaLaunchConfig_t own = *configuration;
	own.stream = of_thread(own.stream);
	return cudaLaunchKernelExC(&own, function, arguments);
}

/* What <<<>>> of `sluice cc` calls then, before cudaLaunchKernel(). */
unsigned int __cudaPushCallConfiguration_ptsz(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
unsigned int __cudaPushCallConfiguration_ptsz(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
	return __cudaPushCallConfiguration(grid, block, shared, of_thread(stream));
}
