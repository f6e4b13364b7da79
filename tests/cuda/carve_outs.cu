// Preferences of L1 and shared memory. qv100 (by SLUICE_MACHINE) honors them at each launch, because the two divide
// one memory there. gtx480 has fixed sizes and changes nothing. Protects cudaFuncSetCacheConfig,
// cudaDeviceSetCacheConfig, the carve-out of a function and of a launch, and the occupancy calls.
#include "check.h"
#include <initializer_list>

enum { WORDS = 12 << 10 }; // 48 KB, which fit into qv100's L1 unless shared memory takes 96 of 128 KB

static bool divides;

// Measures the time of the second of two walks through the array.
__global__ void walk(const int *array, long long *time, int *sum)
{
	int all = 0;
	long long begin = 0;
	for (int round = 0; round < 2; round++) {
		begin = clock64();
		for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
			all += array[i];
	}
	atomicAdd(sum, all);
	if (threadIdx.x == 0)
		*time = clock64() - begin;
}

__global__ void block_of_16_kb(int *out)
{
	__shared__ int room[4 << 10];
	room[threadIdx.x] = 1;
	__syncthreads();
	out[0] = room[threadIdx.x ^ 1];
}

static long long measure(int carve_out = -2)
{
	static int *array, *sum;
	static long long *time;
	long long result;
	if (!array) {
		SUCCEEDS(cudaMalloc(&array, WORDS * sizeof *array));
		SUCCEEDS(cudaMalloc(&sum, sizeof *sum));
		SUCCEEDS(cudaMalloc(&time, sizeof *time));
	}
	cudaLaunchAttribute attribute = {};
	attribute.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
	attribute.val.sharedMemCarveout = carve_out;
	cudaLaunchConfig_t configuration = {};
	configuration.gridDim = dim3(1);
	configuration.blockDim = dim3(256);
	configuration.attrs = &attribute;
	configuration.numAttrs = carve_out >= -1;
	SUCCEEDS(cudaLaunchKernelEx(&configuration, walk, (const int *)array, time, sum));
	SUCCEEDS(cudaMemcpy(&result, time, sizeof result, cudaMemcpyDeviceToHost));
	return result;
}

// Checks by the time whether the array is in L1 in the second walk.
static void test_time()
{
	long long without = measure();
	SUCCEEDS(cudaFuncSetCacheConfig(walk, cudaFuncCachePreferShared));
	long long shared = measure();
	CHECK(divides ? shared > without * 5 / 4 : shared <= without);
	SUCCEEDS(cudaFuncSetCacheConfig(walk, cudaFuncCachePreferL1));
	CHECK(measure() < shared || !divides);
	SUCCEEDS(cudaFuncSetCacheConfig(walk, cudaFuncCachePreferNone));
	// functions without a preference use the device's
	SUCCEEDS(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
	CHECK(measure() > without * 5 / 4 || !divides);
	SUCCEEDS(cudaFuncSetCacheConfig(walk, cudaFuncCachePreferL1));
	CHECK(measure() < shared || !divides);
	// the function's carve-out has priority over it, the launch's over both
	SUCCEEDS(cudaFuncSetAttribute(walk, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
	CHECK(measure() > without * 5 / 4 || !divides);
	CHECK(measure(cudaSharedmemCarveoutMaxL1) < shared || !divides);
	CHECK(measure(cudaSharedmemCarveoutDefault) > without * 5 / 4 || !divides); // the launch sets none
	SUCCEEDS(cudaFuncSetAttribute(walk, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutDefault));
	SUCCEEDS(cudaFuncSetCacheConfig(walk, cudaFuncCachePreferNone));
	SUCCEEDS(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
	CHECK(measure() < shared || !divides);
}

static int resident()
{
	int blocks = -1;
	SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, block_of_16_kb, 32, 0));
	return blocks;
}

// Blocks that do not fit into the carve-out are not resident. One block always fits.
static void test_occupancy()
{
	const struct {
		int carve_out, blocks;
	} rows[] = {{-1, 6}, {0, 1}, {1, 1}, {17, 2}, {34, 4}, {50, 4}, {66, 4}, {67, 6}, {100, 6}};
	for (auto row : rows) {
		SUCCEEDS(cudaFuncSetAttribute(block_of_16_kb, cudaFuncAttributePreferredSharedMemoryCarveout, row.carve_out));
		cudaFuncAttributes attributes;
		SUCCEEDS(cudaFuncGetAttributes(&attributes, block_of_16_kb));
		CHECK(attributes.preferredShmemCarveout == row.carve_out);
		CHECK(resident() == (divides ? row.blocks : 3));
	}
	SUCCEEDS(cudaFuncSetAttribute(block_of_16_kb, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
	SUCCEEDS(cudaFuncSetCacheConfig(block_of_16_kb, cudaFuncCachePreferL1));
	CHECK(resident() == (divides ? 1 : 3));
	SUCCEEDS(cudaFuncSetCacheConfig(block_of_16_kb, cudaFuncCachePreferEqual));
	CHECK(resident() == (divides ? 4 : 3));
	int *out;
	SUCCEEDS(cudaMalloc(&out, sizeof *out));
	block_of_16_kb<<<300, 32>>>(out);
	SUCCEEDS(cudaDeviceSynchronize());
	// occupancy calls return the number of resident blocks at most
	void *arguments[] = {&out};
	int most = divides ? 80 : 45;
	SUCCEEDS(cudaFuncSetCacheConfig(block_of_16_kb, cudaFuncCachePreferL1));
	SUCCEEDS(cudaLaunchCooperativeKernel((const void *)block_of_16_kb, dim3(most), dim3(32), arguments, 0, 0));
	FAILS(cudaErrorCooperativeLaunchTooLarge,
	      cudaLaunchCooperativeKernel((const void *)block_of_16_kb, dim3(most + 1), dim3(32), arguments, 0, 0));
}

static void test_answers()
{
	cudaFuncCache config;
	for (auto wish : {cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual, cudaFuncCachePreferNone}) {
		SUCCEEDS(cudaDeviceSetCacheConfig(wish));
		SUCCEEDS(cudaDeviceGetCacheConfig(&config));
		CHECK(config == (divides ? wish : cudaFuncCachePreferNone));
	}
	FAILS(cudaErrorInvalidValue, cudaDeviceSetCacheConfig((cudaFuncCache)4));
	FAILS(cudaErrorInvalidValue, cudaFuncSetCacheConfig(walk, (cudaFuncCache)-1));
	FAILS(cudaErrorInvalidValue, cudaFuncSetAttribute(walk, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
}

int main()
{
	cudaDeviceProp properties;
	SUCCEEDS(cudaGetDeviceProperties(&properties, 0));
	divides = properties.major >= 7;
	test_time();
	test_occupancy();
	test_answers();
	return finish();
}
