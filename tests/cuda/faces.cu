// Protects the faces of CUDA 11, 12 and 13 (sluice cc --cuda-version): each version's structs, and its forms of the
// calls whose parameters changed. The same source is compiled with each.
#include "check.h"

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstring>

#if CUDART_VERSION != CUDA_VERSION
#error "the versions differ"
#endif
#if CUDART_VERSION < 12000
static_assert(CUDART_VERSION == 11050 && sizeof(cudaDeviceProp) == 728, "CUDA 11");
static_assert(sizeof(cudaFuncAttributes) == 56 && sizeof(cudaTextureDesc) == 68, "CUDA 11");
// CUDA 12 brought this function; programs for earlier versions define it.
static __device__ unsigned __hgt2_mask(const half2 a, const half2 b)
{
	return (__low2float(a) > __low2float(b) ? 0xffffu : 0) | (__high2float(a) > __high2float(b) ? 0xffff0000u : 0);
}
#elif CUDART_VERSION < 13000
static_assert(CUDART_VERSION == 12040 && sizeof(cudaDeviceProp) == 1032, "CUDA 12");
static_assert(sizeof(cudaFuncAttributes) == 144 && sizeof(cudaTextureDesc) == 72, "CUDA 12");
#else
static_assert(CUDART_VERSION == 13000 && sizeof(cudaDeviceProp) == 1008, "CUDA 13");
static_assert(sizeof(cudaFuncAttributes) == 144 && sizeof(cudaTextureDesc) == 72, "CUDA 13");
static_assert(sizeof(cudaResourceDesc) == 144 && sizeof(cudaResourceViewDesc) == 112, "CUDA 13");
static_assert(sizeof(cudaPointerAttributes) == 88, "CUDA 13");
#endif

#define WORKS(call) CHECK((call) == CUDA_SUCCESS)

__global__ void store(unsigned *out, unsigned value)
{
	*out = value;
}
__global__ void compare(unsigned *out)
{
	*out = __hgt2_mask(__floats2half2_rn(2, 1), __floats2half2_rn(1, 2));
}

static unsigned *out;

static unsigned result()
{
	unsigned value;
	SUCCEEDS(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
	return value;
}

static void test_device()
{
	cudaDeviceProp properties;
	int runtime, driver, attribute;
	memset(&properties, 0xff, sizeof properties);
	SUCCEEDS(cudaRuntimeGetVersion(&runtime));
	SUCCEEDS(cudaDriverGetVersion(&driver));
	CHECK(runtime == CUDART_VERSION && driver >= runtime);
	SUCCEEDS(cudaGetDeviceProperties(&properties, 0));
	CHECK(!strncmp(properties.name, "Sluice", 6) && properties.warpSize == 32);
#define SAME(field, name)                                                                                              \
	SUCCEEDS(cudaDeviceGetAttribute(&attribute, cudaDevAttr##name, 0));                                            \
	CHECK((int)properties.field == attribute);
	SAME(multiProcessorCount, MultiProcessorCount)
	SAME(maxThreadsDim[2], MaxBlockDimZ)
	SAME(maxTexture2D[1], MaxTexture2DHeight)
	SAME(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers)
	SAME(asyncEngineCount, AsyncEngineCount)
	SAME(memoryBusWidth, GlobalMemoryBusWidth)
	SAME(regsPerMultiprocessor, MaxRegistersPerMultiprocessor)
	SAME(cooperativeLaunch, CooperativeLaunch)
	SAME(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock)
#if CUDART_VERSION < 13000
	SAME(clockRate, ClockRate)
	SAME(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio)
#endif
#if CUDART_VERSION >= 12000
	CHECK(properties.hostRegisterSupported == 1 && properties.clusterLaunch == 0);
	CHECK(!properties.reserved[0]);
#endif
	SUCCEEDS(cudaChooseDevice(&attribute, &properties));
	CHECK(attribute == 0);
}

static void test_kernel()
{
	cudaFuncAttributes attributes;
	memset(&attributes, 0xff, sizeof attributes);
	SUCCEEDS(cudaFuncGetAttributes(&attributes, store));
	CHECK(attributes.numRegs > 0 && attributes.maxThreadsPerBlock >= 512);
#if CUDART_VERSION >= 12000
	CHECK(!attributes.clusterDimMustBeSet && !attributes.requiredClusterWidth);
#endif
	compare<<<1, 1>>>(out);
	CHECK(result() == 0xffff);
}

static void test_memory()
{
	float *managed;
	cudaPointerAttributes attributes;
	memset(&attributes, 0xff, sizeof attributes);
	SUCCEEDS(cudaMallocManaged(&managed, 4096));
	SUCCEEDS(cudaPointerGetAttributes(&attributes, managed));
	CHECK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == managed);
#if CUDART_VERSION < 13000
	CHECK(!attributes.device);
	SUCCEEDS(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, 0));
	SUCCEEDS(cudaMemPrefetchAsync(managed, 4096, 0));
	SUCCEEDS(cudaMemPrefetchAsync(managed, 4096, cudaCpuDeviceId, 0));
	WORKS(cuMemPrefetchAsync((CUdeviceptr)managed, 4096, 0, 0));
#else
	CHECK(!attributes.reserved[0] && !attributes.reserved[7]);
	CUmemLocation place = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	WORKS(cuMemPrefetchAsync((CUdeviceptr)managed, 4096, place, 0, 0));
#endif
	// in C++, earlier versions take this form, too
	cudaMemLocation location = {cudaMemLocationTypeDevice, 0};
	SUCCEEDS(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, location));
	SUCCEEDS(cudaMemPrefetchAsync(managed, 4096, location, 0));
	SUCCEEDS(cudaFree(managed));
}

static void test_textures()
{
	struct {
		cudaTextureDesc texture;
		unsigned after;
	} got = {{}, 0xabcdef};
	cudaResourceDesc resource, linear = {};
	cudaTextureObject_t object;
	linear.resType = cudaResourceTypeLinear;
	linear.res.linear.devPtr = out;
	linear.res.linear.sizeInBytes = sizeof *out;
	linear.res.linear.desc = cudaCreateChannelDesc<unsigned>();
	SUCCEEDS(cudaCreateTextureObject(&object, &linear, &got.texture, NULL));
	memset(&got.texture, 0xff, sizeof got.texture);
	memset(&resource, 0xff, sizeof resource);
	SUCCEEDS(cudaGetTextureObjectTextureDesc(&got.texture, object));
	SUCCEEDS(cudaGetTextureObjectResourceDesc(&resource, object));
	CHECK(got.texture.readMode == cudaReadModeElementType && got.after == 0xabcdef);
	CHECK(resource.res.linear.devPtr == out);
	SUCCEEDS(cudaDestroyTextureObject(object));
#if CUDART_VERSION >= 12000
	CHECK(!got.texture.seamlessCubemap);
	got.texture.seamlessCubemap = 1;
	CHECK(cudaCreateTextureObject(&object, &linear, &got.texture, NULL) == cudaErrorNotSupported);
#endif
#if CUDART_VERSION >= 13000
	CHECK(!resource.flags);
#endif
}

// Two nodes with an edge between them, by the runtime's calls of this version.
static void test_graphs()
{
	cudaGraph_t graph;
	cudaGraphExec_t executable;
	cudaGraphNode_t node[2], from, to;
	cudaKernelNodeParams kernel = {};
	unsigned value = 21;
	void *arguments[] = {&out, &value};
	size_t count = 1;
	kernel.func = (void *)store;
	kernel.gridDim = kernel.blockDim = dim3(1);
	kernel.kernelParams = arguments;
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	for (int i = 0; i < 2; i++)
		SUCCEEDS(cudaGraphAddKernelNode(&node[i], graph, NULL, 0, &kernel));
	SUCCEEDS(cudaGraphInstantiate(&executable, graph, NULL, NULL, 0));
	SUCCEEDS(cudaGraphExecDestroy(executable));
	SUCCEEDS(cudaGraphInstantiate(&executable, graph, 0));
	SUCCEEDS(cudaGraphLaunch(executable, 0));
	CHECK(result() == 21);
	value = 22;
	SUCCEEDS(cudaGraphKernelNodeSetParams(node[1], &kernel));
	SUCCEEDS(cudaGraphKernelNodeSetParams(node[0], &kernel));
	cudaGraphExecUpdateResultInfo info;
	cudaGraphNode_t wrong;
	cudaGraphExecUpdateResult how;
	SUCCEEDS(cudaGraphExecUpdate(executable, graph, &info));
	CHECK(info.result == cudaGraphExecUpdateSuccess);
	SUCCEEDS(cudaGraphExecUpdate(executable, graph, &wrong, &how));
	CHECK(how == cudaGraphExecUpdateSuccess);
	SUCCEEDS(cudaGraphLaunch(executable, 0));
	CHECK(result() == 22);
#if CUDART_VERSION < 13000
	SUCCEEDS(cudaGraphAddDependencies(graph, &node[0], &node[1], 1));
	SUCCEEDS(cudaGraphGetEdges(graph, &from, &to, &count));
#else
	cudaGraphEdgeData data;
	SUCCEEDS(cudaGraphAddDependencies(graph, &node[0], &node[1], NULL, 1));
	SUCCEEDS(cudaGraphGetEdges(graph, &from, &to, &data, &count));
	CHECK(!data.type);
#endif
	CHECK(count == 1 && from == node[0] && to == node[1]);
	SUCCEEDS(cudaGraphExecDestroy(executable));
	SUCCEEDS(cudaGraphDestroy(graph));
}

static void test_captures()
{
	cudaStream_t stream;
	cudaGraph_t graph, found = NULL;
	cudaStreamCaptureStatus status;
	unsigned long long id;
	const cudaGraphNode_t *dependencies;
	cudaGraphNode_t *none = NULL;
	size_t count = 0;
	SUCCEEDS(cudaStreamCreate(&stream));
	SUCCEEDS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	store<<<1, 1, 0, stream>>>(out, 23);
#if CUDART_VERSION < 13000
	SUCCEEDS(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &found, &dependencies, &count));
	SUCCEEDS(cudaStreamGetCaptureInfo(stream, &status, &id));
	SUCCEEDS(cudaStreamUpdateCaptureDependencies(stream, none, 0, cudaStreamSetCaptureDependencies));
#else
	SUCCEEDS(cudaStreamGetCaptureInfo(stream, &status, &id, &found, &dependencies, NULL, &count));
	SUCCEEDS(cudaStreamGetCaptureInfo(stream, &status, &id));
	SUCCEEDS(cudaStreamUpdateCaptureDependencies(stream, none, NULL, 0, cudaStreamSetCaptureDependencies));
#endif
	CHECK(status == cudaStreamCaptureStatusActive && found && count == 1);
	SUCCEEDS(cudaStreamEndCapture(stream, &graph));
	SUCCEEDS(cudaGraphDestroy(graph));
	SUCCEEDS(cudaStreamDestroy(stream));
}

static void test_driver()
{
	CUcontext context;
	CUevent begin, end;
	CUgraph graph;
	CUgraphExec executable;
	void *function = NULL;
	float milliseconds = -1;
#if CUDART_VERSION < 13000
	WORKS(cuCtxCreate(&context, 0, 0));
#else
	WORKS(cuCtxCreate(&context, NULL, 0, 0));
#endif
	WORKS(cuCtxDestroy(context));
#if CUDART_VERSION < 12000
	WORKS(cuGetProcAddress("cuMemAlloc", &function, CUDA_VERSION, 0));
#else
	CUdriverProcAddressQueryResult status;
	WORKS(cuGetProcAddress("cuMemAlloc", &function, CUDA_VERSION, 0, &status));
	CHECK(status == CU_GET_PROC_ADDRESS_SUCCESS);
#endif
	CHECK(function == (void *)cuMemAlloc);
	WORKS(cuEventCreate(&begin, 0));
	WORKS(cuEventCreate(&end, 0));
	WORKS(cuEventRecord(begin, 0));
	WORKS(cuEventRecord(end, 0));
	WORKS(cuEventSynchronize(end));
	WORKS(cuEventElapsedTime(&milliseconds, begin, end));
	CHECK(milliseconds >= 0);
	WORKS(cuGraphCreate(&graph, 0));
	WORKS(cuGraphInstantiate(&executable, graph, 0));
	CUgraphExecUpdateResultInfo info;
	WORKS(cuGraphExecUpdate(executable, graph, &info));
	CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
	WORKS(cuGraphExecDestroy(executable));
	WORKS(cuGraphDestroy(graph));
}

int main()
{
	SUCCEEDS(cudaMalloc(&out, sizeof *out));
	test_device();
	test_kernel();
	test_memory();
	test_textures();
	test_graphs();
	test_captures();
	test_driver();
	SUCCEEDS(cudaFree(out));
	return 0;
}
