/* driver_per_thread: the functions of programs of the driver API with per-thread default streams. Such a program calls
 * NAME_ptsz or NAME_ptds instead of NAME, as its cuda.h says, and its stream 0 is the default stream of the calling
 * thread. toolkit/versions.awk requires one for each function of that kind. per_thread.c has the runtime API's. */
#include "cudart/driver.h"

static CUstream of_thread(CUstream stream)
{
	return stream ? stream : CU_STREAM_PER_THREAD;
}

/* cuda.h defines some names as those of newer versions, so a name is expanded before the suffix is added. */
#define JOINED(name, suffix)   name##suffix
#define SUFFIXED(name, suffix) JOINED(name, suffix)

#define DEFINE(suffixed, parameters)                                                                                   \
	CUresult suffixed parameters;                                                                                  \
	CUresult suffixed parameters

#define FORWARD(suffixed, parameters, call)                                                                            \
	DEFINE(suffixed, parameters)                                                                                   \
	{                                                                                                              \
		return call;                                                                                           \
	}

/* Asynchronous calls, and calls about a stream. */
#define OF_STREAM(name, parameters, arguments) FORWARD(SUFFIXED(name, _ptsz), parameters, name arguments)

/* Copies and fills that wait for their end, and for that of the stream's earlier work. */
#define SYNCHRONOUS(name, parameters, call)                                                                            \
	DEFINE(SUFFIXED(name, _ptds), parameters)                                                                      \
	{                                                                                                              \
		CUresult result = call;                                                                                \
		return result == CUDA_SUCCESS ? cuStreamSynchronize(CU_STREAM_PER_THREAD) : result;                    \
	}

/* Copies between arrays and device memory have no asynchronous form. They run in the legacy stream. */
#define IN_LEGACY_STREAM(name, parameters, arguments) FORWARD(SUFFIXED(name, _ptds), parameters, name arguments)

/* clang-format off */
OF_STREAM(cuEventRecord, (CUevent event, CUstream stream), (event, of_thread(stream)))
OF_STREAM(cuEventRecordWithFlags,
          (CUevent event, CUstream stream, unsigned int flags),
          (event, of_thread(stream), flags))
OF_STREAM(cuGraphLaunch, (CUgraphExec executable, CUstream stream), (executable, of_thread(stream)))
OF_STREAM(cuGraphUpload, (CUgraphExec executable, CUstream stream), (executable, of_thread(stream)))
OF_STREAM(cuGraphicsMapResources,
          (unsigned int count, CUgraphicsResource *list, CUstream stream),
          (count, list, of_thread(stream)))
OF_STREAM(cuGraphicsUnmapResources,
          (unsigned int count, CUgraphicsResource *list, CUstream stream),
          (count, list, of_thread(stream)))
OF_STREAM(cuLaunchCooperativeKernel,
          (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
           unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream, void **parameters),
          (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, of_thread(stream), parameters))
OF_STREAM(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *user), (of_thread(stream), function, user))
OF_STREAM(cuLaunchKernel,
          (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
           unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream, void **parameters, void
           **extra),
          (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, of_thread(stream), parameters,
           extra))
OF_STREAM(cuMemAllocAsync, (CUdeviceptr *address, size_t size, CUstream stream), (address, size, of_thread(stream)))
OF_STREAM(cuMemAllocFromPoolAsync,
          (CUdeviceptr *address, size_t size, CUmemoryPool pool, CUstream stream),
          (address, size, pool, of_thread(stream)))
OF_STREAM(cuMemFreeAsync, (CUdeviceptr address, CUstream stream), (address, of_thread(stream)))
OF_STREAM(cuMemMapArrayAsync,
          (CUarrayMapInfo *list, unsigned int count, CUstream stream),
          (list, count, of_thread(stream)))
OF_STREAM(cuMemPrefetchAsync,
          (CUdeviceptr address, size_t size, CUdevice device, CUstream stream),
          (address, size, device, of_thread(stream)))
OF_STREAM(cuMemPrefetchAsync_v2,
          (CUdeviceptr address, size_t size, CUmemLocation location, unsigned int flags, CUstream stream),
          (address, size, location, flags, of_thread(stream)))
OF_STREAM(cuMemBatchDecompressAsync,
          (CUmemDecompressParams *list, size_t count, unsigned int flags, size_t *wrong, CUstream stream),
          (list, count, flags, wrong, of_thread(stream)))
OF_STREAM(cuMemPrefetchBatchAsync,
          (CUdeviceptr *pointers, size_t *sizes, size_t count, CUmemLocation *locations, size_t *starts, size_t
           location_count, unsigned long long flags, CUstream stream),
          (pointers, sizes, count, locations, starts, location_count, flags, of_thread(stream)))
OF_STREAM(cuMemDiscardBatchAsync,
          (CUdeviceptr *pointers, size_t *sizes, size_t count, unsigned long long flags, CUstream stream),
          (pointers, sizes, count, flags, of_thread(stream)))
OF_STREAM(cuMemDiscardAndPrefetchBatchAsync,
          (CUdeviceptr *pointers, size_t *sizes, size_t count, CUmemLocation *locations, size_t *starts, size_t
           location_count, unsigned long long flags, CUstream stream),
          (pointers, sizes, count, locations, starts, location_count, flags, of_thread(stream)))
OF_STREAM(cuMemcpyBatchAsync,
          (CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count, CUmemcpyAttributes *attributes, size_t
           *starts, size_t attribute_count, size_t *wrong, CUstream stream),
          (to, from, sizes, count, attributes, starts, attribute_count, wrong, of_thread(stream)))
OF_STREAM(cuMemcpyBatchAsync_v2,
          (CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count, CUmemcpyAttributes *attributes, size_t
           *starts, size_t attribute_count, CUstream stream),
          (to, from, sizes, count, attributes, starts, attribute_count, of_thread(stream)))
OF_STREAM(cuMemcpy3DBatchAsync,
          (size_t count, CUDA_MEMCPY3D_BATCH_OP *list, size_t *wrong, unsigned long long flags, CUstream stream),
          (count, list, wrong, flags, of_thread(stream)))
OF_STREAM(cuMemcpy3DBatchAsync_v2,
          (size_t count, CUDA_MEMCPY3D_BATCH_OP *list, unsigned long long flags, CUstream stream),
          (count, list, flags, of_thread(stream)))
OF_STREAM(cuMemcpy2DAsync, (const CUDA_MEMCPY2D *box, CUstream stream), (box, of_thread(stream)))
OF_STREAM(cuMemcpy3DAsync, (const CUDA_MEMCPY3D *box, CUstream stream), (box, of_thread(stream)))
OF_STREAM(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *box, CUstream stream), (box, of_thread(stream)))
OF_STREAM(cuMemcpyAsync,
          (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
          (to, from, size, of_thread(stream)))
OF_STREAM(cuMemcpyAtoHAsync,
          (void *to, CUarray from, size_t offset, size_t size, CUstream stream),
          (to, from, offset, size, of_thread(stream)))
OF_STREAM(cuMemcpyDtoDAsync,
          (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
          (to, from, size, of_thread(stream)))
OF_STREAM(cuMemcpyDtoHAsync,
          (void *to, CUdeviceptr from, size_t size, CUstream stream),
          (to, from, size, of_thread(stream)))
OF_STREAM(cuMemcpyHtoAAsync,
          (CUarray to, size_t offset, const void *from, size_t size, CUstream stream),
          (to, offset, from, size, of_thread(stream)))
OF_STREAM(cuMemcpyHtoDAsync,
          (CUdeviceptr to, const void *from, size_t size, CUstream stream),
          (to, from, size, of_thread(stream)))
OF_STREAM(cuMemcpyPeerAsync,
          (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size, CUstream
           stream),
          (to, to_context, from, from_context, size, of_thread(stream)))
OF_STREAM(cuMemsetD16Async,
          (CUdeviceptr to, unsigned short value, size_t count, CUstream stream),
          (to, value, count, of_thread(stream)))
OF_STREAM(cuMemsetD2D16Async,
          (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream),
          (to, pitch, value, width, height, of_thread(stream)))
OF_STREAM(cuMemsetD2D32Async,
          (CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream),
          (to, pitch, value, width, height, of_thread(stream)))
OF_STREAM(cuMemsetD2D8Async,
          (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream),
          (to, pitch, value, width, height, of_thread(stream)))
OF_STREAM(cuMemsetD32Async,
          (CUdeviceptr to, unsigned int value, size_t count, CUstream stream),
          (to, value, count, of_thread(stream)))
OF_STREAM(cuMemsetD8Async,
          (CUdeviceptr to, unsigned char value, size_t count, CUstream stream),
          (to, value, count, of_thread(stream)))
OF_STREAM(cuSignalExternalSemaphoresAsync,
          (const CUexternalSemaphore *list, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *how, unsigned int count,
           CUstream stream),
          (list, how, count, of_thread(stream)))
OF_STREAM(cuStreamAddCallback,
          (CUstream stream, CUstreamCallback callback, void *user, unsigned int flags),
          (of_thread(stream), callback, user, flags))
OF_STREAM(cuStreamAttachMemAsync,
          (CUstream stream, CUdeviceptr address, size_t length, unsigned int flags),
          (of_thread(stream), address, length, flags))
OF_STREAM(cuStreamBatchMemOp_v2,
          (CUstream stream, unsigned int count, CUstreamBatchMemOpParams *list, unsigned int flags),
          (of_thread(stream), count, list, flags))
OF_STREAM(cuStreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode), (of_thread(stream), mode))
OF_STREAM(cuStreamBeginCaptureToGraph,
          (CUstream stream, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edges, size_t
           count, CUstreamCaptureMode mode),
          (of_thread(stream), graph, dependencies, edges, count, mode))
OF_STREAM(cuStreamCopyAttributes, (CUstream to, CUstream from), (of_thread(to), of_thread(from)))
OF_STREAM(cuStreamEndCapture, (CUstream stream, CUgraph *graph), (of_thread(stream), graph))
OF_STREAM(cuStreamGetAttribute,
          (CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value),
          (of_thread(stream), attribute, value))
OF_STREAM(cuStreamGetCaptureInfo,
          (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode
           **dependencies, size_t *count),
          (of_thread(stream), status, id, graph, dependencies, count))
OF_STREAM(cuStreamGetCaptureInfo_v3,
          (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode
           **dependencies, const CUgraphEdgeData **edges, size_t *count),
          (of_thread(stream), status, id, graph, dependencies, edges, count))
OF_STREAM(cuStreamGetCtx, (CUstream stream, CUcontext *context), (of_thread(stream), context))
OF_STREAM(cuStreamGetCtx_v2,
          (CUstream stream, CUcontext *context, CUgreenCtx *green),
          (of_thread(stream), context, green))
OF_STREAM(cuStreamGetGreenCtx, (CUstream stream, CUgreenCtx *green), (of_thread(stream), green))
OF_STREAM(cuStreamGetDevice, (CUstream stream, CUdevice *device), (of_thread(stream), device))
OF_STREAM(cuStreamGetFlags, (CUstream stream, unsigned int *flags), (of_thread(stream), flags))
OF_STREAM(cuStreamGetId, (CUstream stream, unsigned long long *id), (of_thread(stream), id))
OF_STREAM(cuStreamGetPriority, (CUstream stream, int *priority), (of_thread(stream), priority))
OF_STREAM(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status), (of_thread(stream), status))
OF_STREAM(cuStreamQuery, (CUstream stream), (of_thread(stream)))
OF_STREAM(cuStreamSetAttribute,
          (CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value),
          (of_thread(stream), attribute, value))
OF_STREAM(cuStreamSynchronize, (CUstream stream), (of_thread(stream)))
OF_STREAM(cuStreamUpdateCaptureDependencies,
          (CUstream stream, CUgraphNode *dependencies, size_t count, unsigned int flags),
          (of_thread(stream), dependencies, count, flags))
OF_STREAM(cuStreamUpdateCaptureDependencies_v2,
          (CUstream stream, CUgraphNode *dependencies, const CUgraphEdgeData *edges, size_t count, unsigned int
           flags),
          (of_thread(stream), dependencies, edges, count, flags))
OF_STREAM(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags), (of_thread(stream), event, flags))
OF_STREAM(cuStreamWaitValue32_v2,
          (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags),
          (of_thread(stream), address, value, flags))
OF_STREAM(cuStreamWaitValue64_v2,
          (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags),
          (of_thread(stream), address, value, flags))
OF_STREAM(cuStreamWriteValue32_v2,
          (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags),
          (of_thread(stream), address, value, flags))
OF_STREAM(cuStreamWriteValue64_v2,
          (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags),
          (of_thread(stream), address, value, flags))
OF_STREAM(cuWaitExternalSemaphoresAsync,
          (const CUexternalSemaphore *list, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *how, unsigned int count,
           CUstream stream),
          (list, how, count, of_thread(stream)))

SYNCHRONOUS(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t size),
            cuMemcpyAsync(to, from, size, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemcpy2D, (const CUDA_MEMCPY2D *box), cuMemcpy2DAsync(box, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemcpy3D, (const CUDA_MEMCPY3D *box), cuMemcpy3DAsync(box, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *box), cuMemcpy3DPeerAsync(box, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemcpyAtoH, (void *to, CUarray from, size_t offset, size_t size),
            cuMemcpyAtoHAsync(to, from, offset, size, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemcpyDtoD, (CUdeviceptr to, CUdeviceptr from, size_t size),
            cuMemcpyDtoDAsync(to, from, size, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemcpyDtoH, (void *to, CUdeviceptr from, size_t size),
            cuMemcpyDtoHAsync(to, from, size, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemcpyHtoA, (CUarray to, size_t offset, const void *from, size_t size),
            cuMemcpyHtoAAsync(to, offset, from, size, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemcpyHtoD, (CUdeviceptr to, const void *from, size_t size),
            cuMemcpyHtoDAsync(to, from, size, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemcpyPeer, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size),
            cuMemcpyPeerAsync(to, to_context, from, from_context, size, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemsetD16, (CUdeviceptr to, unsigned short value, size_t count),
            cuMemsetD16Async(to, value, count, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemsetD2D16, (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height),
            cuMemsetD2D16Async(to, pitch, value, width, height, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemsetD2D32, (CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height),
            cuMemsetD2D32Async(to, pitch, value, width, height, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemsetD2D8, (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height),
            cuMemsetD2D8Async(to, pitch, value, width, height, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemsetD32, (CUdeviceptr to, unsigned int value, size_t count),
            cuMemsetD32Async(to, value, count, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemsetD8, (CUdeviceptr to, unsigned char value, size_t count),
            cuMemsetD8Async(to, value, count, CU_STREAM_PER_THREAD))
SYNCHRONOUS(cuMemcpy2DUnaligned, (const CUDA_MEMCPY2D *box), cuMemcpy2DAsync(box, CU_STREAM_PER_THREAD))

IN_LEGACY_STREAM(cuMemcpyAtoA,
                 (CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t size),
                 (to, to_offset, from, from_offset, size))
IN_LEGACY_STREAM(cuMemcpyAtoD, (CUdeviceptr to, CUarray from, size_t offset, size_t size), (to, from, offset, size))
IN_LEGACY_STREAM(cuMemcpyDtoA, (CUarray to, size_t offset, CUdeviceptr from, size_t size), (to, offset, from, size))
/* clang-format on */

DEFINE(cuLaunchKernelEx_ptsz,
       (const CUlaunchConfig *configuration, CUfunction function, void **parameters, void **extra))
{
	if (!configuration)
		return cuLaunchKernelEx(configuration, function, parameters, extra);
	CUlaunchConfig own = *configuration;
	own.hStream = of_thread(own.hStream);
	return cuLaunchKernelEx(&own, function, parameters, extra);
}

DEFINE(cuGraphInstantiateWithParams_ptsz,
       (CUgraphExec * executable, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *parameters))
{
	if (!parameters)
		return cuGraphInstantiateWithParams(executable, graph, parameters);
	CUstream upload = parameters->hUploadStream;
	parameters->hUploadStream = of_thread(upload);
	CUresult result = cuGraphInstantiateWithParams(executable, graph, parameters);
	parameters->hUploadStream = upload;
	return result;
}

/* Functions by name: those of per-thread default streams, unless the flags name a kind. */
static uint64_t kind(uint64_t flags)
{
	return flags ? flags : CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
}

DEFINE(cuGetProcAddress_ptsz, (const char *symbol, void **function, int version, uint64_t flags))
{
	return cuGetProcAddress(symbol, function, version, kind(flags));
}

DEFINE(cuGetProcAddress_v2_ptsz,
       (const char *symbol, void **function, int version, uint64_t flags, CUdriverProcAddressQueryResult *status))
{
	return cuGetProcAddress_v2(symbol, function, version, kind(flags), status);
}

/* The first version, which CUDA 11.0 to 11.2 select. */
#undef cuStreamGetCaptureInfo
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id);
OF_STREAM(cuStreamGetCaptureInfo, (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id),
          (of_thread(stream), status, id))
