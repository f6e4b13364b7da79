// Protects the documented errors of calls with invalid arguments. No such error is sticky, and none ends the process.
//
// ASAN_OPTIONS: handle_segv=0:replace_intrin=0:allocator_may_return_null=1
#include "check.h"
#include <climits>
#include <initializer_list>
#include <sys/mman.h>

__device__ int variable[4];
__global__ void take(int *p, int value)
{
	extern __shared__ int room[];
	room[0] = value;
	*p = room[0];
}

static cudaError_t launch_without(void **arguments)
{
	return cudaLaunchKernel((const void *)take, dim3(1), dim3(1), arguments, 4, 0);
}

// Every call with a result pointer, which is NULL here.
static const struct {
	const char *name;
	cudaError_t (*call)();
} nowhere[] = {
#define NOWHERE(call) {#call, [] { return (call); }}
	NOWHERE(cudaMalloc((void **)NULL, 4)),
	NOWHERE(cudaMallocAsync((void **)NULL, 4, 0)),
	NOWHERE(cudaMallocHost((void **)NULL, 4)),
	NOWHERE(cudaHostAlloc((void **)NULL, 4, 0)),
	NOWHERE(cudaMallocPitch((void **)NULL, NULL, 4, 4)),
	NOWHERE(cudaMalloc3D(NULL, make_cudaExtent(4, 4, 4))),
	NOWHERE(cudaMemGetInfo(NULL, NULL)),
	NOWHERE(cudaPointerGetAttributes(NULL, variable)),
	NOWHERE(cudaHostGetFlags(NULL, variable)),
	NOWHERE(cudaGetSymbolAddress((void **)NULL, variable)),
	NOWHERE(cudaGetSymbolSize(NULL, variable)),
	NOWHERE(cudaMemcpy3D(NULL)),
	NOWHERE(cudaGetDeviceCount(NULL)),
	NOWHERE(cudaGetDevice(NULL)),
	NOWHERE(cudaGetDeviceProperties(NULL, 0)),
	NOWHERE(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0)),
	NOWHERE(cudaChooseDevice(NULL, NULL)),
	NOWHERE(cudaSetValidDevices(NULL, 2)),
	NOWHERE(cudaGetDeviceFlags(NULL)),
	NOWHERE(cudaDeviceCanAccessPeer(NULL, 0, 0)),
	NOWHERE(cudaDeviceGetCacheConfig(NULL)),
	NOWHERE(cudaThreadGetCacheConfig(NULL)),
	NOWHERE(cudaDeviceGetSharedMemConfig(NULL)),
	NOWHERE(cudaDeviceGetLimit(NULL, cudaLimitStackSize)),
	NOWHERE(cudaThreadGetLimit(NULL, cudaLimitStackSize)),
	NOWHERE(cudaDeviceGetPCIBusId(NULL, 10, 0)),
	NOWHERE(cudaDriverGetVersion(NULL)),
	NOWHERE(cudaRuntimeGetVersion(NULL)),
	NOWHERE(cudaStreamCreate(NULL)),
	NOWHERE(cudaStreamCreateWithFlags(NULL, 0)),
	NOWHERE(cudaStreamCreateWithPriority(NULL, 0, 0)),
	NOWHERE(cudaStreamGetPriority(0, NULL)),
	NOWHERE(cudaStreamGetFlags(0, NULL)),
	NOWHERE(cudaEventCreate((cudaEvent_t *)NULL)),
	NOWHERE(cudaEventCreateWithFlags(NULL, 0)),
	NOWHERE(cudaEventElapsedTime(NULL, 0, 0)),
	NOWHERE(cudaStreamAddCallback(0, NULL, NULL, 0)),
	NOWHERE(cudaLaunchHostFunc(0, NULL, NULL)),
	NOWHERE(cudaFuncGetAttributes(NULL, (const void *)take)),
	NOWHERE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, (const void *)take, 32, 0)),
	NOWHERE(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(NULL, (const void *)take, 32, 0, 0)),
	NOWHERE(__cudaPopCallConfiguration(NULL, NULL, NULL, NULL)),
	NOWHERE(launch_without(NULL)),
};

static void test_nowhere()
{
	for (const auto &row : nowhere) {
		cudaError_t error = row.call();
		if (error != cudaErrorInvalidValue)
			fprintf(stderr, "%s: %s\n", row.name, cudaGetErrorName(error));
		CHECK(error == cudaErrorInvalidValue);
	}
	int least, *p = NULL, value = 3;
	SUCCEEDS(cudaDeviceGetStreamPriorityRange(NULL, NULL)); // either may be NULL
	SUCCEEDS(cudaDeviceGetStreamPriorityRange(&least, NULL));
	void *arguments[] = {&p, NULL}, *fine[] = {&p, &value};
	SUCCEEDS(cudaMalloc(&p, 4));
	FAILS(cudaErrorInvalidValue, launch_without(arguments));
	SUCCEEDS(launch_without(fine));
	SUCCEEDS(cudaFree(p));
}

static void test_handles()
{
	cudaStream_t stream, bogus = (cudaStream_t)0x1234;
	cudaEvent_t event, plain, mute;
	int *p;
	float ms;
	SUCCEEDS(cudaMalloc(&p, 16));
	SUCCEEDS(cudaStreamCreate(&stream));
	SUCCEEDS(cudaStreamDestroy(stream));
	for (cudaStream_t s : {stream, bogus}) {
		take<<<1, 1, 4, s>>>(p, 1);
		CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
		FAILS(cudaErrorInvalidResourceHandle, cudaMemsetAsync(p, 0, 4, s));
		FAILS(cudaErrorInvalidResourceHandle, cudaMemset2DAsync(p, 4, 0, 4, 1, s));
		FAILS(cudaErrorInvalidResourceHandle, cudaMemcpyAsync(p, &ms, 4, cudaMemcpyHostToDevice, s));
		FAILS(cudaErrorInvalidResourceHandle, cudaMemcpy2DAsync(p, 4, &ms, 4, 4, 1, cudaMemcpyDefault, s));
		FAILS(cudaErrorInvalidResourceHandle, cudaMemcpyPeerAsync(p, 0, p + 1, 0, 4, s));
		FAILS(cudaErrorInvalidResourceHandle,
		      cudaMemcpyToSymbolAsync(variable, &ms, 4, 0, cudaMemcpyHostToDevice, s));
		FAILS(cudaErrorInvalidResourceHandle, cudaMallocAsync((void **)&p, 4, s));
		FAILS(cudaErrorInvalidResourceHandle, cudaFreeAsync(p, s));
		FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(s));
		FAILS(cudaErrorInvalidResourceHandle, cudaStreamQuery(s));
	}
	SUCCEEDS(cudaEventCreate(&event));
	SUCCEEDS(cudaEventCreate(&plain));
	SUCCEEDS(cudaEventCreateWithFlags(&mute, cudaEventDisableTiming));
	SUCCEEDS(cudaEventRecord(event));
	SUCCEEDS(cudaEventRecord(mute));
	FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, plain));
	FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, mute, event));
	FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord((cudaEvent_t)bogus));
	FAILS(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(0, (cudaEvent_t)p, 0));
	SUCCEEDS(cudaFree(p));
}

static void test_launches()
{
	int *p;
	SUCCEEDS(cudaMalloc(&p, 16));
	const dim3 one(1), wrong[] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1u << 31, 1, 1}, {1, 65536, 1}, {1, 1, 65536},
	                              {~0u, ~0u, ~0u}, {1u << 22, 1u << 21, 1u << 21}};
	for (dim3 shape : wrong) {
		take<<<shape, one, 4>>>(p, 1);
		CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
		take<<<one, shape, 4>>>(p, 1);
		CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	}
	for (size_t shared : {(size_t)1 << 40, (size_t)UINT_MAX, (size_t)1 << 20, ~(size_t)0}) {
		take<<<1, 1, shared>>>(p, 1);
		CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	}
	FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(NULL, one, one, NULL, 0, 0));
	SUCCEEDS(cudaDeviceSynchronize());
	SUCCEEDS(cudaFree(p));
}

static void test_memory()
{
	int *p, *q, host[8] = {}, *wild = (int *)0xdead00000000;
	size_t pitch;
	SUCCEEDS(cudaMalloc(&p, 16));
	SUCCEEDS(cudaMalloc(&q, 16));
	FAILS(cudaErrorInvalidValue, cudaFree(p + 1));
	FAILS(cudaErrorInvalidValue, cudaFree(host));
	SUCCEEDS(cudaGetSymbolAddress((void **)&q, variable));
	FAILS(cudaErrorInvalidValue, cudaFree(q));
	for (int *nothing : {(int *)NULL, wild, (int *)8}) {
		FAILS(cudaErrorInvalidValue, cudaMemcpy(p, nothing, 16, cudaMemcpyHostToDevice));
		FAILS(cudaErrorInvalidValue, cudaMemcpy(nothing, p, 16, cudaMemcpyDeviceToHost));
		FAILS(cudaErrorInvalidValue, cudaMemcpy(nothing, host, 16, cudaMemcpyDefault));
		FAILS(cudaErrorInvalidValue, cudaMemcpy(nothing, host, 16, cudaMemcpyHostToDevice));
		FAILS(cudaErrorInvalidValue, cudaMemset(nothing, 0, 16));
		FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol((const void *)nothing, host, 4));
	}
	FAILS(cudaErrorInvalidValue, cudaMemcpy(p, q, 16, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(p, q, 16, cudaMemcpyDeviceToHost));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(p, q, 16, cudaMemcpyHostToHost));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(host, host + 4, 16, cudaMemcpyDeviceToDevice));
	FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(p, host, 4, (cudaMemcpyKind)-1));
	for (size_t size : {(size_t)17, (size_t)-1, (size_t)1 << 63}) {
		FAILS(cudaErrorInvalidValue, cudaMemcpy(p, host, size, cudaMemcpyHostToDevice));
		FAILS(cudaErrorInvalidValue, cudaMemset(p, 0, size));
		FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(variable, host, size));
		FAILS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(host, variable, 4, size));
	}
	FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(p, 4, host, 8, 8, 2, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(p, 8, host, 4, 8, 2, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidValue, cudaMemset2D(p, 0, 0, 4, (size_t)-1));
	FAILS(cudaErrorInvalidValue, cudaMemset2D(p, (size_t)1 << 63, 0, 4, (size_t)1 << 40));
	FAILS(cudaErrorInvalidValue, cudaMemset3D(make_cudaPitchedPtr(p, 4, 4, 0), 0, make_cudaExtent(4, 1, -1)));
	FAILS(cudaErrorInvalidValue, cudaMallocPitch(&q, &pitch, -1, 2));
	FAILS(cudaErrorInvalidValue, cudaMallocPitch(&q, &pitch, 1 << 20, (size_t)1 << 60));
	FAILS(cudaErrorMemoryAllocation, cudaMalloc(&q, (size_t)-1));
	SUCCEEDS(cudaFree(p));
	FAILS(cudaErrorInvalidValue, cudaFree(p));
	FAILS(cudaErrorInvalidValue, cudaMemset(p, 0, 4));
	FAILS(cudaErrorInvalidSymbol, cudaGetSymbolSize(&pitch, "nothing of that name"));
}

static void test_host_memory()
{
	int *pinned, here;
	unsigned flags;
	SUCCEEDS(cudaHostAlloc(&pinned, 16, cudaHostAllocPortable));
	SUCCEEDS(cudaHostGetFlags(&flags, pinned));
	CHECK(flags == cudaHostAllocPortable);
	FAILS(cudaErrorInvalidValue, cudaFreeHost(pinned + 1));
	FAILS(cudaErrorInvalidValue, cudaFree(pinned));
	SUCCEEDS(cudaFreeHost(pinned));
	FAILS(cudaErrorInvalidValue, cudaFreeHost(pinned));
	FAILS(cudaErrorInvalidValue, cudaFreeHost(&here));
	FAILS(cudaErrorInvalidValue, cudaHostGetFlags(&flags, &here));
	FAILS(cudaErrorMemoryAllocation, cudaMallocHost(&pinned, (size_t)1 << 62));
	SUCCEEDS(cudaFreeHost(NULL));
	FAILS(cudaErrorInvalidValue, cudaHostRegister((void *)0xdead00000000, 4096, 0));
	FAILS(cudaErrorInvalidValue, cudaHostRegister(NULL, 4096, 0));
	FAILS(cudaErrorInvalidValue, cudaHostRegister(&here, 0, 0));
	char *pages = (char *)mmap(NULL, 3 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FAILS(cudaErrorInvalidValue, cudaHostRegister(pages, 4096, 0));
	SUCCEEDS(cudaHostRegister(pages, 4096, cudaHostRegisterReadOnly));
	SUCCEEDS(cudaHostUnregister(pages));
	SUCCEEDS(mprotect(pages + 4096, 4096, PROT_NONE) ? cudaErrorUnknown : cudaSuccess);
	FAILS(cudaErrorInvalidValue, cudaHostRegister(pages + 100, 2 * 4096, cudaHostRegisterReadOnly));
	SUCCEEDS(cudaHostRegister(&here, sizeof here, 0));
	FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(&here, sizeof here, 0));
	FAILS(cudaErrorInvalidValue, cudaFreeHost(&here));
	SUCCEEDS(cudaHostUnregister(&here));
	FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(&here));
}

int main()
{
	test_nowhere();
	test_handles();
	test_launches();
	test_memory();
	test_host_memory();
	FAILS(cudaErrorInvalidDevice, cudaSetDevice(7));
	FAILS(cudaErrorInvalidDevice, cudaSetDevice(-1));
	// none of these errors is sticky
	SUCCEEDS(cudaDeviceSynchronize());
	int *p;
	SUCCEEDS(cudaMalloc(&p, 4));
	cudaGetLastError();
	take<<<1, 1, 4>>>(p, 1);
	CHECK(cudaGetLastError() == cudaSuccess);
	return finish();
}
