// Protects programs of the driver API compiled with --default-stream per-thread: stream 0 is the default stream of the
// calling thread in launches, copies, fills and captures, and in functions that are found by name. In the legacy
// stream, no call below would start before the kernel that waits for it has ended.
// Flags: --default-stream per-thread
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>

static const char ptx[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
			  ".visible .entry wait_for(.param .u64 flag, .param .u64 seen)\n"
			  "{\n"
			  "	.reg .pred %q; .reg .u32 %r<2>; .reg .u64 %d<2>;\n"
			  "	ld.param.u64 %d0, [flag]; ld.param.u64 %d1, [seen];\n"
			  "again:	ld.volatile.global.u32 %r0, [%d0];\n"
			  "	setp.eq.u32 %q, %r0, 0;\n"
			  "	@%q bra again;\n"
			  "	st.global.u32 [%d1], %r0;\n"
			  "	ret;\n"
			  "}\n"
			  ".visible .entry set(.param .u64 flag, .param .u32 value)\n"
			  "{\n"
			  "	.reg .u32 %r0; .reg .u64 %d0;\n"
			  "	ld.param.u64 %d0, [flag]; ld.param.u32 %r0, [value];\n"
			  "	st.volatile.global.u32 [%d0], %r0;\n"
			  "	ret;\n"
			  "}\n";

#define WORKS(call) CHECK((call) == CUDA_SUCCESS)

static CUfunction waiter, setter;
static CUdeviceptr flag, seen;
static CUstream blocking; // its kernels and those of the legacy stream follow each other

// Starts a kernel that ends when the flag is no longer 0, lets `set` store a value, and checks that the kernel saw it.
template <typename SET> static void check_overlap(unsigned value, SET set)
{
	unsigned result = 0;
	void *arguments[] = {&flag, &seen};
	WORKS(cuMemsetD32(flag, 0, 1));
	WORKS(cuMemsetD32(seen, 0, 1));
	WORKS(cuLaunchKernel(waiter, 1, 1, 1, 1, 1, 1, 0, blocking, arguments, NULL));
	set();
	WORKS(cuStreamSynchronize(0));
	WORKS(cuStreamSynchronize(blocking));
	WORKS(cuMemcpyDtoH(&result, seen, sizeof result));
	CHECK(result == value);
}

static void test_launches()
{
	unsigned value = 5;
	void *arguments[] = {&flag, &value};
	check_overlap(5, [&] { WORKS(cuLaunchKernel(setter, 1, 1, 1, 1, 1, 1, 0, 0, arguments, NULL)); });
	value = 6;
	CUlaunchConfig configuration = {};
	configuration.gridDimX = configuration.gridDimY = configuration.gridDimZ = 1;
	configuration.blockDimX = configuration.blockDimY = configuration.blockDimZ = 1;
	check_overlap(6, [&] { WORKS(cuLaunchKernelEx(&configuration, setter, arguments, NULL)); });
	CHECK(!configuration.hStream);
}

static void test_memory()
{
	static const unsigned value = 7;
	unsigned *pinned;
	WORKS(cuMemAllocHost((void **)&pinned, sizeof *pinned));
	*pinned = 8;
	check_overlap(7, [&] { WORKS(cuMemcpyHtoD(flag, &value, sizeof value)); });
	check_overlap(8, [&] { WORKS(cuMemcpyHtoDAsync(flag, pinned, sizeof *pinned, 0)); });
	check_overlap(9, [&] { WORKS(cuMemsetD32(flag, 9, 1)); });
	check_overlap(10, [&] { WORKS(cuMemsetD32Async(flag, 10, 1, 0)); });
	WORKS(cuMemFreeHost(pinned));
}

// The legacy stream cannot be captured.
static void test_graph()
{
	CUgraph graph;
	CUgraphExec executable;
	CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {};
	WORKS(cuStreamBeginCapture(0, CU_STREAM_CAPTURE_MODE_RELAXED));
	WORKS(cuMemsetD32Async(flag, 11, 1, 0));
	WORKS(cuStreamEndCapture(0, &graph));
	WORKS(cuGraphInstantiateWithParams(&executable, graph, &parameters));
	CHECK(!parameters.hUploadStream);
	check_overlap(11, [&] { WORKS(cuGraphLaunch(executable, 0)); });
	WORKS(cuGraphExecDestroy(executable));
	WORKS(cuGraphDestroy(graph));
	CHECK(cuStreamBeginCapture(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_RELAXED) != CUDA_SUCCESS);
}

// A function found by name is the form for per-thread default streams, unless the flags ask for the other.
static void test_names()
{
	void *own = NULL, *legacy = NULL, *by_runtime = NULL;
	WORKS(cuGetProcAddress("cuMemsetD32Async", &own, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
	CHECK(own == (void *)cuMemsetD32Async);
	WORKS(cuGetProcAddress("cuMemsetD32Async", &legacy, CUDA_VERSION, CU_GET_PROC_ADDRESS_LEGACY_STREAM, NULL));
	CHECK(legacy && legacy != own);
	WORKS(cuGetProcAddress("cuMemcpyHtoD", &own, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
	CHECK(own == (void *)cuMemcpyHtoD);
	SUCCEEDS(cudaGetDriverEntryPoint("cuMemcpyHtoD", &by_runtime, cudaEnableDefault, NULL));
	CHECK(by_runtime == own);
	SUCCEEDS(cudaGetDriverEntryPoint("cuMemcpyHtoD", &legacy, cudaEnableLegacyStream, NULL));
	CHECK(legacy && legacy != own);
	// functions without a stream have one form
	WORKS(cuGetProcAddress("cuMemAlloc", &own, CUDA_VERSION, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
	CHECK(own == (void *)cuMemAlloc);
}

int main()
{
	CUmodule module;
	SUCCEEDS(cudaFree(0));
	WORKS(cuModuleLoadData(&module, ptx));
	WORKS(cuModuleGetFunction(&waiter, module, "wait_for"));
	WORKS(cuModuleGetFunction(&setter, module, "set"));
	WORKS(cuMemAlloc(&flag, sizeof(unsigned)));
	WORKS(cuMemAlloc(&seen, sizeof(unsigned)));
	WORKS(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
	test_launches();
	test_memory();
	test_graph();
	test_names();
	return 0;
}
