// Flags of the device and of calls: known flags are stored and returned, unknown flags are errors that change nothing.
// Protects cudaSetDeviceFlags, cudaInitDevice, the driver's calls with these flags, and the flags of occupancy and of
// cooperative launches.
#include "check.h"
#include <initializer_list>
#include <cuda.h>

__global__ void nothing()
{
}

static unsigned flags_now()
{
	unsigned runtime = 77, context = 78, primary = 79;
	int active;
	SUCCEEDS(cudaGetDeviceFlags(&runtime));
	CHECK(cuCtxGetFlags(&context) == CUDA_SUCCESS && context == runtime);
	CHECK(cuDevicePrimaryCtxGetState(0, &primary, &active) == CUDA_SUCCESS && primary == runtime);
	return runtime;
}

// Tries each single bit and all pairs of schedule flags.
static void test_runtime()
{
	const unsigned known[] = {cudaDeviceScheduleAuto, cudaDeviceScheduleSpin, cudaDeviceScheduleYield, cudaDeviceScheduleBlockingSync,
	                          cudaDeviceMapHost, cudaDeviceLmemResizeToMax, cudaDeviceSyncMemops,
	                          cudaDeviceScheduleYield | cudaDeviceMapHost | cudaDeviceLmemResizeToMax};
	CHECK(flags_now() == cudaDeviceScheduleAuto);
	for (unsigned flags : known) {
		SUCCEEDS(cudaSetDeviceFlags(flags));
		CHECK(flags_now() == flags);
	}
	for (unsigned bit = 0; bit < 32; bit++) {
		unsigned flags = 1u << bit, before = flags_now();
		bool is_known = false;
		for (unsigned one : known)
			is_known |= one == flags;
		cudaError_t error = cudaSetDeviceFlags(flags);
		CHECK(error == (is_known ? cudaSuccess : cudaErrorInvalidValue));
		CHECK(cudaGetLastError() == error);
		CHECK(flags_now() == (is_known ? flags : before));
	}
	SUCCEEDS(cudaSetDeviceFlags(cudaDeviceMapHost));
	for (unsigned several : {3u, 5u, 6u, 7u})
		FAILS(cudaErrorInvalidValue, cudaSetDeviceFlags(several));
	CHECK(flags_now() == cudaDeviceMapHost);
}

static void test_init()
{
	SUCCEEDS(cudaInitDevice(0, cudaDeviceScheduleSpin, 0)); // ignores the flags
	CHECK(flags_now() == cudaDeviceMapHost);
	SUCCEEDS(cudaInitDevice(0, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid));
	CHECK(flags_now() == cudaDeviceScheduleSpin);
	FAILS(cudaErrorInvalidValue, cudaInitDevice(0, 0x100, cudaInitDeviceFlagsAreValid));
	FAILS(cudaErrorInvalidValue, cudaInitDevice(0, 0, 2));
	FAILS(cudaErrorInvalidDevice, cudaInitDevice(1, 0, cudaInitDeviceFlagsAreValid));
	CHECK(flags_now() == cudaDeviceScheduleSpin);
}

static void test_driver()
{
	CUcontext context;
	CHECK(cuCtxSetFlags(CU_CTX_SCHED_YIELD | CU_CTX_MAP_HOST) == CUDA_SUCCESS);
	CHECK(flags_now() == (CU_CTX_SCHED_YIELD | CU_CTX_MAP_HOST));
	CHECK(cuCtxSetFlags(0x400) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuDevicePrimaryCtxSetFlags(0, 0x8000) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuDevicePrimaryCtxSetFlags(1, 0) == CUDA_ERROR_INVALID_DEVICE);
	CHECK(flags_now() == (CU_CTX_SCHED_YIELD | CU_CTX_MAP_HOST));
	CHECK(cuCtxCreate(&context, 0x400, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuCtxCreate(&context, CU_CTX_SCHED_BLOCKING_SYNC, 0) == CUDA_SUCCESS);
	CHECK(flags_now() == CU_CTX_SCHED_BLOCKING_SYNC);
}

static void test_others()
{
	int blocks = 0;
	SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)nothing, 32, 0,
	                                                                cudaOccupancyDisableCachingOverride));
	FAILS(cudaErrorInvalidValue,
	      cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)nothing, 32, 0, 2));
	cudaLaunchParams list = {};
	list.func = (void *)nothing;
	list.gridDim = list.blockDim = dim3(1);
	SUCCEEDS(cudaLaunchCooperativeKernelMultiDevice(&list, 1, 3));
	FAILS(cudaErrorInvalidValue, cudaLaunchCooperativeKernelMultiDevice(&list, 1, 4));
}

int main()
{
	SUCCEEDS(cudaFree(0)); // creates the context
	test_runtime();
	test_init();
	test_driver();
	test_others();
	return finish();
}
