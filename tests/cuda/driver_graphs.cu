// Protects the driver API's graphs, captures and user objects. Also tests launches with attributes, attributes of
// kernel nodes, libraries, function queries, and occupancy.
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <initializer_list>

static const char ptx[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
			  ".visible .global .align 4 .u32 step = 3;\n"
			  ".visible .entry add(.param .u64 p, .param .u32 n)\n"
			  "{\n"
			  "	.reg .u32 %r<4>; .reg .u64 %d<2>;\n"
			  "	ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
			  "	ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, %r1; st.global.u32 [%d1], %r2;\n"
			  "	ret;\n"
			  "}\n"
			  ".visible .entry other() { ret; }\n";

#define FINE(call) CHECK((call) == CUDA_SUCCESS)

static CUfunction add_function;
static CUdeviceptr value;

static unsigned read_value()
{
	unsigned host = ~0u;
	FINE(cuMemcpyDtoH(&host, value, sizeof host));
	return host;
}

static void add_ten(void *user)
{
	*(int *)user += 10;
}

static void test_nodes()
{
	CUgraph graph, clone;
	CUgraphNode fill, kernel, copy, call, found;
	CUgraphExec executable;
	unsigned more = 5, host = 0;
	int calls = 0;
	FINE(cuGraphCreate(&graph, 0));
	const CUDA_MEMSET_NODE_PARAMS seven = {value, 0, 7, 4, 1, 1};
	FINE(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &seven, NULL));
	void *arguments[] = {&value, &more};
	CUDA_KERNEL_NODE_PARAMS launch = {};
	launch.func = add_function;
	launch.gridDimX = launch.gridDimY = launch.gridDimZ = launch.blockDimX = launch.blockDimY = launch.blockDimZ = 1;
	launch.kernelParams = arguments;
	FINE(cuGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
	CUDA_MEMCPY3D box = {};
	box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	box.srcDevice = value;
	box.dstMemoryType = CU_MEMORYTYPE_HOST;
	box.dstHost = &host;
	box.WidthInBytes = 4;
	box.Height = box.Depth = 1;
	FINE(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &box, NULL));
	const CUDA_HOST_NODE_PARAMS function = {add_ten, &calls};
	FINE(cuGraphAddHostNode(&call, graph, &copy, 1, &function));
	FINE(cuGraphInstantiate(&executable, graph, 0));
	FINE(cuGraphLaunch(executable, NULL));
	CHECK(host == 12 && calls == 10);

	more = 100; /* copied when the node was created */
	FINE(cuGraphLaunch(executable, NULL));
	CHECK(host == 12 && calls == 20);
	FINE(cuGraphExecKernelNodeSetParams(executable, kernel, &launch));
	FINE(cuGraphLaunch(executable, NULL));
	CHECK(host == 107);

	CUDA_KERNEL_NODE_PARAMS known;
	CUDA_MEMCPY3D known_box;
	CUDA_MEMSET_NODE_PARAMS known_fill;
	FINE(cuGraphKernelNodeGetParams(kernel, &known));
	CHECK(known.func == add_function && known.blockDimX == 1 && *(unsigned *)known.kernelParams[1] == 5);
	FINE(cuGraphMemcpyNodeGetParams(copy, &known_box));
	CHECK(known_box.srcMemoryType == CU_MEMORYTYPE_DEVICE && known_box.srcDevice == value &&
	      known_box.dstHost == &host && known_box.WidthInBytes == 4);
	FINE(cuGraphMemsetNodeGetParams(fill, &known_fill));
	CHECK(known_fill.dst == value && known_fill.value == 7);
	CHECK(cuGraphMemsetNodeGetParams(kernel, &known_fill) == CUDA_ERROR_INVALID_VALUE);
	CUgraphNodeType type;
	FINE(cuGraphNodeGetType(call, &type));
	CHECK(type == CU_GRAPH_NODE_TYPE_HOST);
	size_t count = 0;
	FINE(cuGraphGetNodes(graph, NULL, &count));
	CHECK(count == 4);

	FINE(cuGraphClone(&clone, graph));
	FINE(cuGraphNodeFindInClone(&found, kernel, clone));
	CUgraphExecUpdateResultInfo info;
	FINE(cuGraphExecUpdate(executable, clone, &info));
	CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
	FINE(cuGraphLaunch(executable, NULL));
	CHECK(host == 12);
	FINE(cuGraphDestroyNode(found));
	CHECK(cuGraphExecUpdate(executable, clone, &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);

	CUlaunchAttributeValue attribute = {};
	attribute.priority = -1;
	FINE(cuGraphKernelNodeSetAttribute(kernel, CU_LAUNCH_ATTRIBUTE_PRIORITY, &attribute));
	attribute.priority = 0;
	FINE(cuGraphKernelNodeGetAttribute(kernel, CU_LAUNCH_ATTRIBUTE_PRIORITY, &attribute));
	CHECK(attribute.priority == -1);
	FINE(cuGraphKernelNodeSetParams(kernel, &launch)); /* this call preserves them */
	FINE(cuGraphKernelNodeGetAttribute(kernel, CU_LAUNCH_ATTRIBUTE_PRIORITY, &attribute));
	CHECK(attribute.priority == -1);
	CHECK(cuGraphKernelNodeGetAttribute(copy, CU_LAUNCH_ATTRIBUTE_PRIORITY, &attribute) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuGraphKernelNodeGetAttribute(kernel, (CUlaunchAttributeID)99, &attribute) == CUDA_ERROR_INVALID_VALUE);
	FINE(cuGraphExecDestroy(executable));
	CHECK(cuGraphExecDestroy(executable) == CUDA_ERROR_INVALID_VALUE);
	FINE(cuGraphDestroy(clone));
	FINE(cuGraphDestroy(graph));
}

static void test_captures()
{
	CUstream stream, second;
	CUevent event;
	CUgraph graph;
	CUgraphExec executable;
	CUstreamCaptureStatus status;
	cuuint64_t id = 0;
	const CUgraphNode *dependencies;
	size_t count;
	unsigned two = 2;
	void *arguments[] = {&value, &two};
	FINE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	FINE(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	FINE(cuEventCreate(&event, 0));
	FINE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	FINE(cuMemsetD32Async(value, 40, 1, stream));
	FINE(cuEventRecord(event, stream));
	FINE(cuStreamWaitEvent(second, event, 0));
	FINE(cuLaunchKernel(add_function, 1, 1, 1, 1, 1, 1, 0, second, arguments, NULL));
	FINE(cuStreamGetCaptureInfo(second, &status, &id, &graph, &dependencies, &count));
	CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id && count == 1);
	FINE(cuStreamGetCaptureInfo_v3(second, &status, NULL, NULL, NULL, NULL, &count));
	CHECK(cuStreamEndCapture(second, &graph) == CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
	CHECK(cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	FINE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	FINE(cuMemsetD32Async(value, 40, 1, stream));
	FINE(cuLaunchKernel(add_function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
	CHECK(cuStreamSynchronize(second) == CUDA_SUCCESS);
	FINE(cuStreamEndCapture(stream, &graph));
	CHECK(cuStreamEndCapture(stream, &graph) == CUDA_ERROR_ILLEGAL_STATE);
	FINE(cuGraphInstantiateWithFlags(&executable, graph, 0));
	FINE(cuGraphLaunch(executable, stream));
	FINE(cuStreamSynchronize(stream)); // the copy that reads the value does not wait for a non-blocking stream
	CHECK(read_value() == 42);
	FINE(cuGraphExecDestroy(executable));
	FINE(cuGraphDestroy(graph));
	FINE(cuEventDestroy(event));
	FINE(cuStreamDestroy(second));
	FINE(cuStreamDestroy(stream));
}

// The destructor runs when the last graph, copy or instance that holds the object is destroyed, and outside any lock.
static void end_object(void *user)
{
	int device;
	SUCCEEDS(cudaGetDevice(&device));
	++*(int *)user;
}

static void test_user_objects()
{
	cudaUserObject_t object, second;
	cudaGraph_t graph, clone;
	cudaGraphExec_t executable;
	int ended = 0;
	SUCCEEDS(cudaUserObjectCreate(&object, &ended, end_object, 2, cudaUserObjectNoDestructorSync));
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	SUCCEEDS(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
	SUCCEEDS(cudaGraphClone(&clone, graph));
	SUCCEEDS(cudaGraphInstantiate(&executable, clone, 0));
	SUCCEEDS(cudaUserObjectRetain(object, 3));
	SUCCEEDS(cudaUserObjectRelease(object, 4));
	CHECK(!ended);
	SUCCEEDS(cudaGraphDestroy(graph));
	SUCCEEDS(cudaGraphReleaseUserObject(clone, object, 1));
	FAILS(cudaErrorInvalidValue, cudaGraphReleaseUserObject(clone, object, 1));
	CHECK(!ended);
	SUCCEEDS(cudaGraphExecDestroy(executable));
	CHECK(ended == 1);
	FAILS(cudaErrorInvalidValue, cudaUserObjectRetain(object, 1));
	SUCCEEDS(cudaGraphDestroy(clone));
	FAILS(cudaErrorInvalidValue, cudaUserObjectCreate(&second, &ended, NULL, 1, cudaUserObjectNoDestructorSync));
	FAILS(cudaErrorInvalidValue, cudaUserObjectCreate(&second, &ended, end_object, 1, 0));
	for (unsigned references : {0u, 1u << 31})
		FAILS(cudaErrorInvalidValue, cudaUserObjectCreate(&second, &ended, end_object, references,
		                                                  cudaUserObjectNoDestructorSync));
	SUCCEEDS(cudaUserObjectCreate(&second, &ended, end_object, 1, cudaUserObjectNoDestructorSync));
	FAILS(cudaErrorInvalidValue, cudaUserObjectRelease(second, 2));
	SUCCEEDS(cudaUserObjectRelease(second, 1));
	CHECK(ended == 2);
}

__global__ void store(unsigned *to, short first, unsigned second)
{
	*to = first + second;
}

static void test_attributes()
{
	unsigned *device = (unsigned *)value;
	cudaLaunchAttribute attributes[3] = {};
	attributes[0].id = cudaLaunchAttributeCooperative;
	attributes[0].val.cooperative = 1;
	attributes[1].id = cudaLaunchAttributePriority;
	attributes[2].id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attributes[2].val.programmaticStreamSerializationAllowed = 1;
	cudaLaunchConfig_t configuration = {};
	configuration.gridDim = configuration.blockDim = dim3(1);
	configuration.attrs = attributes;
	configuration.numAttrs = 3;
	SUCCEEDS(cudaLaunchKernelEx(&configuration, store, device, 3, 40u)); /* an int for a short */
	CHECK(read_value() == 43);
	attributes[1].id = cudaLaunchAttributeClusterDimension;
	attributes[1].val.clusterDim.x = attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
	SUCCEEDS(cudaLaunchKernelEx(&configuration, store, device, 4, 40u));
	CHECK(read_value() == 44);
	attributes[1].val.clusterDim.x = 2;
	FAILS(cudaErrorNotSupported, cudaLaunchKernelEx(&configuration, store, device, 5, 40u));
	attributes[1].id = (cudaLaunchAttributeID)77;
	FAILS(cudaErrorInvalidValue, cudaLaunchKernelEx(&configuration, store, device, 5, 40u));
	FAILS(cudaErrorInvalidValue, cudaLaunchKernelExC(NULL, store, NULL));
	CHECK(read_value() == 44);
	(void)cudaGetLastError();

	cudaEvent_t event;
	SUCCEEDS(cudaEventCreate(&event));
	attributes[0].id = cudaLaunchAttributeLaunchCompletionEvent;
	attributes[0].val.launchCompletionEvent.event = event;
	configuration.numAttrs = 1;
	SUCCEEDS(cudaLaunchKernelEx(&configuration, store, device, 6, 40u));
	float milliseconds = -1;
	SUCCEEDS(cudaEventElapsedTime(&milliseconds, event, event)); /* it was recorded */
	SUCCEEDS(cudaEventDestroy(event));
}

__global__ void shares(int *to)
{
	__shared__ int own[256];
	extern __shared__ int given[];
	own[threadIdx.x % 256] = given[threadIdx.x] = threadIdx.x;
	__syncthreads();
	*to = own[0] + given[1];
}

static void test_functions()
{
	size_t bytes = 0, offset, size;
	int blocks = 0;
	SUCCEEDS(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, shares, 3, 128));
	SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shares, 128, bytes));
	CHECK(blocks >= 3);
	SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shares, 128, bytes + 1));
	CHECK(blocks < 3);
	SUCCEEDS(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, shares, 1000, 128));
	CHECK(bytes == 0);
	FAILS(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, shares, 0, 128));
	cudaLaunchConfig_t configuration = {};
	FAILS(cudaErrorNotSupported, cudaOccupancyMaxActiveClusters(&blocks, shares, &configuration));
	FAILS(cudaErrorNotSupported, cudaOccupancyMaxPotentialClusterSize(&blocks, shares, &configuration));
	FAILS(cudaErrorInvalidValue, cudaFuncSetAttribute(shares, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
	SUCCEEDS(cudaFuncSetAttribute(shares, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutDefault));
	FAILS(cudaErrorNotSupported, cudaFuncSetAttribute(shares, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	FAILS(cudaErrorInvalidValue, cudaFuncSetAttribute(shares, (cudaFuncAttribute)3, 1));

	const char *name = NULL;
	CUlibrary library;
	CUkernel kernels[3] = {};
	CUfunction function;
	CUmodule module, same;
	unsigned count = 0;
	CUdeviceptr address;
	FINE(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	FINE(cuLibraryGetKernelCount(&count, library));
	CHECK(count == 2);
	FINE(cuLibraryEnumerateKernels(kernels, 2, library));
	FINE(cuKernelGetName(&name, kernels[1]));
	CHECK(kernels[0] && kernels[1] && !kernels[2] && strcmp(name, "other") == 0);
	FINE(cuKernelGetParamInfo(kernels[0], 1, &offset, &size));
	CHECK(offset == 8 && size == 4);
	CHECK(cuKernelGetParamInfo(kernels[0], 2, &offset, &size) == CUDA_ERROR_INVALID_VALUE);
	FINE(cuKernelGetFunction(&function, kernels[0]));
	FINE(cuLibraryGetModule(&module, library));
	FINE(cuFuncGetModule(&same, function));
	CHECK(same == module);
	FINE(cuLibraryGetGlobal(&address, &size, library, "step"));
	CHECK(size == 4);
	CHECK(cuLibraryGetKernel(kernels, library, "nothing") == CUDA_ERROR_NOT_FOUND);
	CHECK(cuLibraryGetManaged(&address, &size, library, "step") == CUDA_ERROR_NOT_FOUND);
	FINE(cuMemsetD32(value, 1, 1));
	unsigned more = 6;
	void *arguments[] = {&value, &more};
	FINE(cuLaunchKernel((CUfunction)kernels[0], 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
	CHECK(read_value() == 7);
	FINE(cuLibraryUnload(library));
	cudaLibrary_t again;
	cudaKernel_t kernel;
	SUCCEEDS(cudaLibraryLoadData(&again, ptx, NULL, NULL, 0, NULL, NULL, 0));
	SUCCEEDS(cudaLibraryGetKernel(&kernel, again, "add"));
	SUCCEEDS(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), arguments, 0, NULL));
	CHECK(read_value() == 13);
	FAILS(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, again, "nothing"));

	void *entry = NULL;
	cudaDriverEntryPointQueryResult found;
	SUCCEEDS(cudaGetDriverEntryPoint("cuMemAlloc", &entry, cudaEnableDefault, &found));
	CHECK(entry && found == cudaDriverEntryPointSuccess);
	SUCCEEDS(cudaGetDriverEntryPointByVersion("cuNothing", &entry, 12000, cudaEnableDefault, &found));
	CHECK(!entry && found == cudaDriverEntryPointSymbolNotFound);
}

int main()
{
	CUmodule module;
	FINE(cuInit(0));
	FINE(cuModuleLoadData(&module, ptx));
	FINE(cuModuleGetFunction(&add_function, module, "add"));
	FINE(cuMemAlloc(&value, sizeof(unsigned)));
	test_nodes();
	test_captures();
	test_user_objects();
	test_attributes();
	test_functions();
	FINE(cuMemFree(value));
	return finish();
}
