// Protects the calls that CUDA 12 and 13 added: kernels of host functions, pools by location, batches of copies and of
// hints on managed memory; and the driver's graph nodes of any type, launches of CUDA 3, and queries of textures,
// contexts and streams.
#include "check.h"

#include <cstdint>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#define FINE(call) CHECK((call) == CUDA_SUCCESS)

enum { N = 256 };

__global__ void raise_by(int *p, int value)
{
	p[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

__global__ void shape(int *p, float weight, int count)
{
	extern __shared__ int area[];
	int t = threadIdx.y * blockDim.x + threadIdx.x, b = blockIdx.y * gridDim.x + blockIdx.x;
	area[t] = t;
	__syncthreads();
	int i = b * blockDim.x * blockDim.y + t;
	if (i < count)
		p[i] = (int)(weight * (float)area[blockDim.x * blockDim.y - 1 - t]) + b;
}

static void fill(int *p, int first)
{
	for (int i = 0; i < N; i++)
		p[i] = first + i;
}

static bool holds(const int *p, int first)
{
	for (int i = 0; i < N; i++)
		if (p[i] != first + i)
			return false;
	return true;
}

static CUfunction function_of(const void *host)
{
	cudaKernel_t kernel = NULL;
	SUCCEEDS(cudaGetKernel(&kernel, host));
	return (CUfunction)kernel;
}

static void test_kernels()
{
	int *p, host[N], value = 3;
	SUCCEEDS(cudaMalloc(&p, sizeof host));
	SUCCEEDS(cudaMemset(p, 0, sizeof host));
	void *arguments[] = {&p, &value};
	FINE(cuLaunchKernel(function_of((const void *)raise_by), 2, 1, 1, N / 2, 1, 1, 0, NULL, arguments, NULL));
	SUCCEEDS(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host[0] == 3 && host[N - 1] == 3);
	cudaKernel_t kernel;
	FAILS(cudaErrorInvalidDeviceFunction, cudaGetKernel(&kernel, (const void *)&value));
	FAILS(cudaErrorInvalidValue, cudaGetKernel(NULL, (const void *)raise_by));
	SUCCEEDS(cudaFree(p));
}

static void test_pools()
{
	cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
	cudaMemLocation other = {cudaMemLocationTypeDevice, 1};
	const cudaMemAllocationType pinned = cudaMemAllocationTypePinned, managed = (cudaMemAllocationType)2;
	cudaMemPool_t pool, standard, own;
	cudaMemPoolProps properties = {};
	properties.allocType = pinned;
	properties.location = here;
	SUCCEEDS(cudaDeviceGetDefaultMemPool(&standard, 0));
	SUCCEEDS(cudaMemGetDefaultMemPool(&pool, &here, pinned));
	CHECK(pool == standard);
	SUCCEEDS(cudaMemPoolCreate(&own, &properties));
	SUCCEEDS(cudaMemSetMemPool(&here, pinned, own));
	SUCCEEDS(cudaMemGetMemPool(&pool, &here, pinned));
	CHECK(pool == own);
	SUCCEEDS(cudaDeviceGetMemPool(&pool, 0));
	CHECK(pool == own);
	CUmemLocation same = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	FINE(cuMemSetMemPool(&same, CU_MEM_ALLOCATION_TYPE_PINNED, standard));
	FINE(cuMemGetMemPool(&pool, &same, CU_MEM_ALLOCATION_TYPE_PINNED));
	CHECK(pool == standard);
	FINE(cuMemGetDefaultMemPool(&pool, &same, CU_MEM_ALLOCATION_TYPE_PINNED));
	CHECK(pool == standard);
	FAILS(cudaErrorNotSupported, cudaMemGetDefaultMemPool(&pool, &host, pinned));
	FAILS(cudaErrorNotSupported, cudaMemGetMemPool(&pool, &here, managed));
	FAILS(cudaErrorNotSupported, cudaMemSetMemPool(&host, pinned, own));
	FAILS(cudaErrorInvalidDevice, cudaMemGetMemPool(&pool, &other, pinned));
	FAILS(cudaErrorInvalidValue, cudaMemGetMemPool(&pool, &here, (cudaMemAllocationType)7));
	FAILS(cudaErrorInvalidValue, cudaMemGetMemPool(NULL, &here, pinned));
	FAILS(cudaErrorInvalidValue, cudaMemGetMemPool(&pool, NULL, pinned));
	FAILS(cudaErrorInvalidValue, cudaMemSetMemPool(&here, pinned, NULL));
	SUCCEEDS(cudaMemPoolDestroy(own));
}

// ---- copies ----

static cudaStream_t stream;
static int *pinned, *device, *spare, *back; // `pinned` and `back` are host memory

static cudaMemcpyAttributes attributes(cudaMemcpySrcAccessOrder order)
{
	cudaMemcpyAttributes result = {};
	result.srcAccessOrder = order;
	return result;
}

static void test_copies()
{
	int pageable[N], local[N];
	fill(pinned, 1000);
	fill(pageable, 2000);
	fill(local, 3000);
	void *to[] = {device, device + N, spare};
	void *from[] = {pinned, pageable, local};
	size_t sizes[] = {N * sizeof(int), N * sizeof(int), N * sizeof(int)}, starts[] = {0, 1, 2}, wrong = 7;
	cudaMemcpyAttributes list[] = {attributes(cudaMemcpySrcAccessOrderStream),
	                               attributes(cudaMemcpySrcAccessOrderAny),
	                               attributes(cudaMemcpySrcAccessOrderDuringApiCall)};
	list[1].flags = cudaMemcpyFlagPreferOverlapWithCompute;
	SUCCEEDS(cudaMemcpyBatchAsync(to, from, sizes, 3, list, starts, 3, &wrong, stream));
	memset(local, 0, sizeof local); // it was read during the call
	raise_by<<<2, N, 0, stream>>>(device, 1);
	const void *results[] = {device, device + N, spare};
	void *places[] = {back, back + N, back + 2 * N};
	// all with the same attributes, in the form of CUDA 13
	SUCCEEDS(cudaMemcpyBatchAsync(places, results, sizes, 3, list[0], stream));
	SUCCEEDS(cudaStreamSynchronize(stream));
	CHECK(holds(back, 1001) && holds(back + N, 2001) && holds(back + 2 * N, 3000));
	// a pinned source that is overwritten after the call
	fill(pinned, 4000);
	int *one_to[] = {device}, *one_from[] = {pinned}, *one_back[] = {back};
	raise_by<<<2, N, 0, stream>>>(device, 1);
	SUCCEEDS(cudaMemcpyBatchAsync(one_to, one_from, sizes, 1, list[2], stream));
	fill(pinned, 0);
	SUCCEEDS(cudaMemcpyBatchAsync(one_back, one_to, sizes, 1, list[0], &wrong, stream));
	SUCCEEDS(cudaStreamSynchronize(stream));
	CHECK(holds(back, 4000));
}

static void test_wrong_copies()
{
	void *to[] = {device, spare}, *from[] = {pinned, pinned};
	size_t sizes[] = {16, 16}, starts[] = {0, 1}, late[] = {1, 0}, twice[] = {0, 0}, beyond[] = {0, 2}, wrong = 7;
	cudaMemcpyAttributes list[] = {attributes(cudaMemcpySrcAccessOrderStream),
	                               attributes(cudaMemcpySrcAccessOrderAny)};
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, list, starts, 2, &wrong, cudaStreamLegacy));
	CHECK(wrong == SIZE_MAX);
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 0, list, starts, 0, stream));
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 1, list, starts, 2, stream));
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, list, late, 2, stream));
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, list, twice, 2, stream));
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, list, beyond, 2, stream));
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync((void **)NULL, from, sizes, 2, list, starts, 2, stream));
	list[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, list, starts, 2, stream));
	list[1] = list[0];
	list[1].flags = 2;
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, list, starts, 2, stream));
	list[1].flags = 0;
	sizes[1] = 1 << 20; // beyond the end of the allocation
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, list, starts, 2, &wrong, stream));
	CHECK(wrong == 1);
	SUCCEEDS(cudaStreamSynchronize(stream));
}

// Stream 0 is the legacy stream or, in programs with per-thread default streams, that of the thread.
static void test_stream_0()
{
	int *to[] = {device}, *from[] = {pinned};
	size_t sizes[] = {N * sizeof(int)};
	cudaMemcpyAttributes how = attributes(cudaMemcpySrcAccessOrderStream);
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
	fill(pinned, 300);
	SUCCEEDS(cudaMemcpyBatchAsync(to, from, sizes, 1, how, (cudaStream_t)0));
	SUCCEEDS(cudaStreamSynchronize(0));
	SUCCEEDS(cudaMemcpy(back, device, sizes[0], cudaMemcpyDeviceToHost));
	CHECK(holds(back, 300));
#else
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 1, how, (cudaStream_t)0));
#endif
}

static void test_captured_copies()
{
	cudaGraph_t graph;
	cudaGraphExec_t executable;
	size_t sizes[] = {N * sizeof(int)};
	int *to[] = {device}, *from[] = {pinned}, *result[] = {back};
	SUCCEEDS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	SUCCEEDS(cudaMemcpyBatchAsync(to, from, sizes, 1, attributes(cudaMemcpySrcAccessOrderStream), stream));
	raise_by<<<1, N, 0, stream>>>(device, 5);
	FAILS(cudaErrorNotSupported,
	      cudaMemcpyBatchAsync(to, from, sizes, 1, attributes(cudaMemcpySrcAccessOrderDuringApiCall), stream));
	SUCCEEDS(cudaMemcpyBatchAsync(result, to, sizes, 1, attributes(cudaMemcpySrcAccessOrderAny), stream));
	SUCCEEDS(cudaStreamEndCapture(stream, &graph));
	SUCCEEDS(cudaGraphInstantiate(&executable, graph, 0));
	fill(pinned, 100);
	SUCCEEDS(cudaGraphLaunch(executable, stream));
	SUCCEEDS(cudaStreamSynchronize(stream));
	CHECK(holds(back, 105));
	SUCCEEDS(cudaGraphExecDestroy(executable));
	SUCCEEDS(cudaGraphDestroy(graph));
}

static cudaMemcpy3DOperand in_memory(void *p, size_t row, size_t rows)
{
	cudaMemcpy3DOperand operand = {};
	operand.type = cudaMemcpyOperandTypePointer;
	operand.op.ptr.ptr = p;
	operand.op.ptr.rowLength = row;
	operand.op.ptr.layerHeight = rows;
	return operand;
}

static cudaMemcpy3DOperand in_array(cudaArray_t array, size_t x, size_t y)
{
	cudaMemcpy3DOperand operand = {};
	operand.type = cudaMemcpyOperandTypeArray;
	operand.op.array.array = array;
	operand.op.array.offset.x = x;
	operand.op.array.offset.y = y;
	return operand;
}

// A box of 6 x 4 integers from rows of 16 to a part of an array, and back; and 2 layers of bytes between pointers.
static void test_boxes()
{
	cudaArray_t array;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
	SUCCEEDS(cudaMallocArray(&array, &format, 12, 8));
	fill(pinned, 0);
	memset(back, 0, 3 * N * sizeof *back);
	cudaMemcpy3DBatchOp list[2] = {};
	list[0].src = in_memory(pinned, 16, 0);
	list[0].dst = in_array(array, 3, 2);
	list[0].extent = make_cudaExtent(6, 4, 1);
	list[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	list[1].src = in_memory(pinned, 8, 4);
	list[1].dst = in_memory(device, 0, 0);
	list[1].extent = make_cudaExtent(8, 3, 2);
	list[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
	SUCCEEDS(cudaMemcpy3DBatchAsync(2, list, 0, stream));
	list[0].src = in_array(array, 4, 3);
	list[0].dst = in_memory(back, 0, 0);
	list[0].extent = make_cudaExtent(5, 3, 1);
	list[1].src = in_memory(device, 0, 0);
	list[1].dst = in_memory(back + N, 0, 0);
	size_t wrong = 7;
	SUCCEEDS(cudaMemcpy3DBatchAsync(2, list, &wrong, 0, stream));
	SUCCEEDS(cudaStreamSynchronize(stream));
	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 5; x++)
			CHECK(back[y * 5 + x] == (y + 1) * 16 + x + 1);
	const char *bytes = (const char *)(back + N), *origin = (const char *)pinned;
	for (int z = 0; z < 2; z++)
		CHECK(!memcmp(bytes + z * 24, origin + z * 32, 24));
	list[1].extent.depth = 0;
	FAILS(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, list, &wrong, 0, stream));
	CHECK(wrong == 1);
	list[1].extent.depth = 1;
	list[1].src = in_memory(device, 7, 0);
	FAILS(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, list, 0, stream));
	list[1].src.type = (cudaMemcpy3DOperandType)9;
	FAILS(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, list, 0, stream));
	FAILS(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(1, list, 1, stream));
	FAILS(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(1, list, 0, cudaStreamLegacy));
	FAILS(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(0, list, 0, stream));
	list[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
	FAILS(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(1, list, 0, stream));
	SUCCEEDS(cudaFreeArray(array));
}

// ---- managed memory ----

static int prefetched(const int *p)
{
	int location = 77;
	SUCCEEDS(cudaMemRangeGetAttribute(&location, sizeof location, cudaMemRangeAttributeLastPrefetchLocation, p, 4));
	return location;
}

static void test_hints()
{
	int *first, *second;
	SUCCEEDS(cudaMallocManaged(&first, 4096));
	SUCCEEDS(cudaMallocManaged(&second, 4096));
	fill(first, 10);
	int *list[] = {first, second}, *unmanaged[] = {first, device};
	size_t sizes[] = {4096, 4096}, starts[] = {0, 1};
	cudaMemLocation where[] = {{cudaMemLocationTypeDevice, 0}, {cudaMemLocationTypeHost, 0}};
	SUCCEEDS(cudaMemPrefetchBatchAsync(list, sizes, 2, where, starts, 2, 0, stream));
	CHECK(prefetched(first) == 0 && prefetched(second) == cudaCpuDeviceId);
	SUCCEEDS(cudaMemPrefetchBatchAsync(list, sizes, 2, where[1], 0, stream));
	CHECK(prefetched(first) == cudaCpuDeviceId && holds(first, 10));
	SUCCEEDS(cudaMemDiscardAndPrefetchBatchAsync(list, sizes, 2, where[0], 0, stream));
	CHECK(prefetched(first) == 0 && prefetched(second) == 0);
	SUCCEEDS(cudaMemDiscardBatchAsync((void **)list, sizes, 2, 0, stream));
	fill(second, 20); // a write ends the discarding
	raise_by<<<1, N, 0, stream>>>(second, 1);
	SUCCEEDS(cudaStreamSynchronize(stream));
	CHECK(holds(second, 21));
	FAILS(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(unmanaged, sizes, 2, where[1], 0, stream));
	CHECK(prefetched(first) == 0); // nothing was done
	FAILS(cudaErrorInvalidValue, cudaMemDiscardBatchAsync((void **)unmanaged, sizes, 2, 0, stream));
	FAILS(cudaErrorInvalidValue, cudaMemDiscardBatchAsync((void **)list, sizes, 2, 1, stream));
	FAILS(cudaErrorInvalidValue, cudaMemDiscardBatchAsync((void **)list, sizes, 0, 0, stream));
	FAILS(cudaErrorInvalidValue, cudaMemDiscardBatchAsync((void **)list, sizes, 2, 0, cudaStreamLegacy));
	FAILS(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(list, sizes, 2, where, starts, 0, 0, stream));
	where[1].type = (cudaMemLocationType)9;
	FAILS(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(list, sizes, 2, where, starts, 2, 0, stream));
	where[1].type = cudaMemLocationTypeDevice;
	where[1].id = 1;
	FAILS(cudaErrorInvalidDevice, cudaMemDiscardAndPrefetchBatchAsync(list, sizes, 2, where, starts, 2, 0, stream));
	SUCCEEDS(cudaFree(first));
	SUCCEEDS(cudaFree(second));
}

// ---- the driver ----

typedef CUresult (*batch_12)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
                             size_t *, CUstream);
typedef CUresult (*batch_13)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
                             CUstream);
typedef cudaError_t (*runtime_13)(void *const *, const void *const *, const size_t *, size_t, cudaMemcpyAttributes *,
                                  size_t *, size_t, cudaStream_t);

// The two forms of a batch by the version that a program asks for.
static void test_versions()
{
	CUdeviceptr to[] = {(CUdeviceptr)device}, from[] = {(CUdeviceptr)pinned}, result[] = {(CUdeviceptr)back};
	size_t sizes[] = {N * sizeof(int)}, start = 0, wrong;
	CUmemcpyAttributes how = {};
	how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
	void *older, *newer;
	fill(pinned, 500);
	FINE(cuGetProcAddress("cuMemcpyBatchAsync", &older, 12080, 0, NULL));
	FINE(cuGetProcAddress("cuMemcpyBatchAsync", &newer, 13000, 0, NULL));
	FINE(((batch_12)older)(to, from, sizes, 1, &how, &start, 1, &wrong, stream));
	FINE(((batch_13)newer)(result, to, sizes, 1, &how, &start, 1, stream));
	FINE(cuStreamSynchronize(stream));
	CHECK(holds(back, 500));
	CHECK(((batch_13)newer)(result, to, sizes, 1, &how, &start, 2, stream) == CUDA_ERROR_INVALID_VALUE);
	void *batch = dlvsym(RTLD_DEFAULT, "cudaMemcpyBatchAsync", "libcudart.so.13");
	CHECK(batch);
	fill(pinned, 600);
	const void *runtime_from[] = {pinned};
	void *runtime_to[] = {device};
	cudaMemcpyAttributes same = attributes(cudaMemcpySrcAccessOrderStream);
	if (batch)
		SUCCEEDS(((runtime_13)batch)(runtime_to, runtime_from, sizes, 1, &same, &start, 1, stream));
	FINE(((batch_13)newer)(result, to, sizes, 1, &how, &start, 1, stream));
	FINE(cuStreamSynchronize(stream));
	CHECK(holds(back, 600));
	// the per-thread default stream takes batches as stream 0
	FINE(cuGetProcAddress("cuMemcpyBatchAsync", &newer, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
	FINE(((batch_13)newer)(result, to, sizes, 1, &how, &start, 1, NULL));
	FINE(cuStreamSynchronize(CU_STREAM_PER_THREAD));
}

static void test_contexts()
{
	CUcontext context, found;
	CUdevice number = 7;
	CUgreenCtx green = (CUgreenCtx)&number;
	FINE(cuCtxGetCurrent(&context));
	FINE(cuCtxGetDevice_v2(&number, context));
	CHECK(number == 0);
	FINE(cuCtxGetDevice_v2(&number, NULL));
	FINE(cuCtxSynchronize_v2(context));
	CHECK(cuCtxSynchronize_v2((CUcontext)&number) == CUDA_ERROR_INVALID_CONTEXT);
	FINE(cuStreamGetCtx_v2(stream, &found, &green));
	CHECK(found == context && !green);
	FINE(cuStreamGetGreenCtx(stream, &green));
	CHECK(!green);
	CHECK(cuStreamGetGreenCtx(stream, NULL) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuGreenCtxGetId(green, NULL) == CUDA_ERROR_INVALID_HANDLE);
	CUtexref reference;
	CHECK(cuTexRefCreate(&reference) == CUDA_ERROR_NOT_SUPPORTED);
	CHECK(cuMemBatchDecompressAsync(NULL, 0, 0, NULL, stream) == CUDA_ERROR_NOT_SUPPORTED);
	FAILS(cudaErrorInvalidValue, cudaGraphExternalSemaphoresWaitNodeGetParams(NULL, NULL));
}

// A fill, a kernel and a copy to the host.
static void test_nodes()
{
	CUgraph graph;
	CUgraphExec executable;
	CUgraphNode filled, raised, copied;
	int value = 2, more = 40, most = 500;
	void *arguments[] = {&device, &value}, *later[] = {&device, &more}, *last[] = {&device, &most};
	CUgraphNodeParams fill_node = {}, kernel = {}, copy = {};
	fill_node.type = CU_GRAPH_NODE_TYPE_MEMSET;
	fill_node.memset.dst = (CUdeviceptr)device;
	fill_node.memset.value = 7;
	fill_node.memset.elementSize = 4;
	fill_node.memset.width = N;
	fill_node.memset.height = 1;
	kernel.type = CU_GRAPH_NODE_TYPE_KERNEL;
	kernel.kernel.func = function_of((const void *)raise_by);
	kernel.kernel.gridDimX = kernel.kernel.gridDimY = kernel.kernel.gridDimZ = 1;
	kernel.kernel.blockDimX = N;
	kernel.kernel.blockDimY = kernel.kernel.blockDimZ = 1;
	kernel.kernel.kernelParams = arguments;
	copy.type = CU_GRAPH_NODE_TYPE_MEMCPY;
	copy.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.memcpy.copyParams.srcDevice = (CUdeviceptr)device;
	copy.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_HOST;
	copy.memcpy.copyParams.dstHost = back;
	copy.memcpy.copyParams.WidthInBytes = N * sizeof(int);
	copy.memcpy.copyParams.Height = copy.memcpy.copyParams.Depth = 1;
	FINE(cuGraphCreate(&graph, 0));
	FINE(cuGraphAddNode_v2(&filled, graph, NULL, NULL, 0, &fill_node));
	FINE(cuGraphAddNode_v2(&raised, graph, &filled, NULL, 1, &kernel));
	FINE(cuGraphAddNode(&copied, graph, &raised, 1, &copy));
	FINE(cuGraphInstantiateWithFlags(&executable, graph, 0));
	FINE(cuGraphLaunch(executable, stream));
	FINE(cuStreamSynchronize(stream));
	CHECK(back[0] == 9 && back[N - 1] == 9);
	kernel.kernel.kernelParams = later;
	FINE(cuGraphExecNodeSetParams(executable, raised, &kernel));
	FINE(cuGraphLaunch(executable, stream));
	FINE(cuStreamSynchronize(stream));
	CHECK(back[0] == 47);
	FINE(cuGraphExecDestroy(executable));
	kernel.kernel.kernelParams = last;
	FINE(cuGraphNodeSetParams(raised, &kernel));
	FINE(cuGraphInstantiateWithFlags(&executable, graph, 0));
	FINE(cuGraphLaunch(executable, stream));
	FINE(cuStreamSynchronize(stream));
	CHECK(back[0] == 507);
	CHECK(cuGraphNodeSetParams(copied, &kernel) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuGraphAddNode_v2(&copied, graph, NULL, NULL, 0, NULL) == CUDA_ERROR_INVALID_VALUE);
	kernel.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
	CHECK(cuGraphAddNode_v2(&copied, graph, NULL, NULL, 0, &kernel) == CUDA_ERROR_NOT_SUPPORTED);
	FINE(cuGraphExecDestroy(executable));
	FINE(cuGraphDestroy(graph));
}

// Memory of a graph: the address comes back in the parameters.
static void test_memory_nodes()
{
	CUgraph graph;
	CUgraphExec executable;
	CUgraphNode made, filled, copied, freed;
	CUgraphNodeParams node = {};
	FINE(cuGraphCreate(&graph, 0));
	node.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
	node.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	node.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	node.alloc.bytesize = N * sizeof(int);
	FINE(cuGraphAddNode_v2(&made, graph, NULL, NULL, 0, &node));
	CUdeviceptr place = node.alloc.dptr;
	CHECK(place);
	CUDA_MEMSET_NODE_PARAMS fill_node = {place, 0, 9, 4, N, 1};
	FINE(cuGraphAddMemsetNode(&filled, graph, &made, 1, &fill_node, NULL));
	CUDA_MEMCPY3D copy = {};
	copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.srcDevice = place;
	copy.dstMemoryType = CU_MEMORYTYPE_HOST;
	copy.dstHost = back;
	copy.WidthInBytes = N * sizeof(int);
	copy.Height = copy.Depth = 1;
	FINE(cuGraphAddMemcpyNode(&copied, graph, &filled, 1, &copy, NULL));
	memset(&node, 0, sizeof node);
	node.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
	node.free.dptr = place;
	FINE(cuGraphAddNode_v2(&freed, graph, &copied, NULL, 1, &node));
	FINE(cuGraphInstantiateWithFlags(&executable, graph, 0));
	back[0] = back[N - 1] = 0;
	FINE(cuGraphLaunch(executable, stream));
	FINE(cuStreamSynchronize(stream));
	CHECK(back[0] == 9 && back[N - 1] == 9);
	FINE(cuGraphExecDestroy(executable));
	FINE(cuGraphDestroy(graph));
}

static void test_older_launches()
{
	CUfunction function = function_of((const void *)shape);
	int count = 60;
	CHECK(cuLaunch(function) == CUDA_ERROR_INVALID_VALUE); // no parameters
	FINE(cuFuncSetBlockShape(function, 4, 3, 1));
	FINE(cuFuncSetSharedSize(function, 12 * sizeof(int)));
	FINE(cuParamSetv(function, 0, &device, sizeof device));
	FINE(cuParamSetf(function, 8, 2.0f));
	FINE(cuParamSeti(function, 12, (unsigned)count));
	FINE(cuParamSetSize(function, 16));
	SUCCEEDS(cudaMemset(device, 0, N * sizeof(int)));
	FINE(cuLaunchGrid(function, 3, 2));
	FINE(cuMemcpyDtoH(back, (CUdeviceptr)device, N * sizeof(int)));
	for (int i = 0; i < 72; i++)
		CHECK(back[i] == (i < count ? 2 * (11 - i % 12) + i / 12 : 0));
	FINE(cuParamSetf(function, 8, 3.0f)); // the rest is kept
	FINE(cuLaunchGridAsync(function, 1, 1, stream));
	FINE(cuStreamSynchronize(stream));
	FINE(cuLaunch(function));
	FINE(cuMemcpyDtoH(back, (CUdeviceptr)device, N * sizeof(int)));
	CHECK(back[0] == 33 && back[11] == 0 && back[12] == 23);
	CHECK(cuLaunchGrid(function, 0, 1) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuFuncSetBlockShape(function, 0, 1, 1) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuParamSeti(function, -4, 1) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuParamSeti(function, 4094, 1) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuParamSetv(function, 0, NULL, 4) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuParamSetSize(function, 5000) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuFuncSetSharedSize((CUfunction)&count, 4) == CUDA_ERROR_INVALID_HANDLE);
	CHECK(cuLaunchGrid((CUfunction)&count, 1, 1) == CUDA_ERROR_INVALID_HANDLE);
	FINE(cuParamSetSize(function, 12));
	CHECK(cuLaunchGrid(function, 1, 1) == CUDA_ERROR_INVALID_VALUE); // too few bytes
}

static void test_textures()
{
	CUarray array;
	CUtexObject object;
	CUDA_ARRAY_DESCRIPTOR size = {8, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1};
	CUDA_RESOURCE_DESC resource = {};
	CUDA_TEXTURE_DESC how = {}, found;
	CUDA_RESOURCE_VIEW_DESC view;
	FINE(cuArrayCreate(&array, &size));
	resource.resType = CU_RESOURCE_TYPE_ARRAY;
	resource.res.array.hArray = array;
	how.addressMode[0] = CU_TR_ADDRESS_MODE_CLAMP;
	how.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
	how.flags = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES;
	how.borderColor[2] = 5;
	how.maxMipmapLevelClamp = 3;
	for (int round = 0; round < 2; round++) {
		FINE(cuTexObjectCreate(&object, &resource, &how, NULL));
		FINE(cuTexObjectGetTextureDesc(&found, object));
		CHECK(!memcmp(&found, &how, sizeof how));
		FINE(cuTexObjectGetResourceViewDesc(&view, object));
		CHECK(!view.width && view.format == CU_RES_VIEW_FORMAT_NONE);
		FINE(cuTexObjectDestroy(object));
		how.flags = 0; // reads fractions, so it may interpolate
		how.filterMode = CU_TR_FILTER_MODE_LINEAR;
	}
	CHECK(cuTexObjectGetTextureDesc(&found, object) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuTexObjectGetTextureDesc(NULL, object) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuTexObjectGetResourceViewDesc(&view, object) == CUDA_ERROR_INVALID_VALUE);
	FINE(cuArrayDestroy(array));
}

int main()
{
	SUCCEEDS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	SUCCEEDS(cudaMallocHost(&pinned, N * sizeof(int)));
	SUCCEEDS(cudaMallocHost(&back, 3 * N * sizeof(int)));
	SUCCEEDS(cudaMalloc(&device, 2 * N * sizeof(int)));
	SUCCEEDS(cudaMalloc(&spare, N * sizeof(int)));
	test_kernels();
	test_pools();
	test_copies();
	test_wrong_copies();
	test_stream_0();
	test_captured_copies();
	test_boxes();
	test_hints();
	test_versions();
	test_contexts();
	test_nodes();
	test_memory_nodes();
	test_older_launches();
	test_textures();
	SUCCEEDS(cudaFree(device));
	SUCCEEDS(cudaFree(spare));
	SUCCEEDS(cudaFreeHost(pinned));
	SUCCEEDS(cudaFreeHost(back));
	SUCCEEDS(cudaStreamDestroy(stream));
	return finish();
}
