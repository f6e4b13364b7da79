// Protects cudaLaunchKernel and related calls: shapes, arguments, dynamic shared memory, errors, and kernel
// attributes.
#include "check.h"

struct argument {
	char letter;
	short numbers[3];
	double weight;
};

__global__ void where(uint3 *out)
{
	unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	unsigned at = block * blockDim.x * blockDim.y * blockDim.z + thread;
	out[at] = make_uint3(block, thread, dim3(blockDim).y);
}

__global__ void take(argument a, const int *b, float c, char d, double *out)
{
	*out = a.letter + a.numbers[2] * a.weight + *b * c + d;
}

template <class T> __global__ void reverse(T *data)
{
	extern __shared__ char raw[];
	T *shared = (T *)raw;
	shared[threadIdx.x] = data[threadIdx.x];
	__syncthreads();
	data[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

__global__ void __launch_bounds__(64) small()
{
	__shared__ volatile int buffer[100];
	buffer[threadIdx.x] = 1;
}

static void test_shapes()
{
	static uint3 got[2 * 3 * 2 * 4 * 5 * 2];
	uint3 *out;
	SUCCEEDS(cudaMalloc(&out, sizeof got));
	where<<<dim3(2, 3, 2), dim3(4, 5, 2)>>>(out);
	SUCCEEDS(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	for (unsigned i = 0; i < sizeof got / sizeof *got; i++)
		CHECK(got[i].x == i / 40 && got[i].y == i % 40 && got[i].z == 5);
	SUCCEEDS(cudaFree(out));
}

static void test_arguments()
{
	argument a = {'A', {1, 2, -3}, 0.25};
	int *b, value = 10;
	double *out, got;
	SUCCEEDS(cudaMalloc(&b, sizeof *b));
	SUCCEEDS(cudaMalloc(&out, sizeof *out));
	SUCCEEDS(cudaMemcpy(b, &value, sizeof value, cudaMemcpyHostToDevice));
	take<<<1, 1>>>(a, b, 1.5f, 2, out);
	SUCCEEDS(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got == 65 - 0.75 + 15 + 2);
	// the same through the API directly
	float c = 2.5f;
	char d = 3;
	void *arguments[] = {&a, &b, &c, &d, &out};
	SUCCEEDS(cudaLaunchKernel((const void *)take, dim3(1), dim3(1), arguments, 0, 0));
	SUCCEEDS(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got == 65 - 0.75 + 25 + 3);
}

template <class T> static void test_reverse()
{
	T host[48], *device;
	for (int i = 0; i < 48; i++)
		host[i] = (T)i;
	SUCCEEDS(cudaMalloc(&device, sizeof host));
	SUCCEEDS(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
	reverse<<<1, 48, sizeof host>>>(device);
	SUCCEEDS(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 48; i++)
		CHECK(host[i] == (T)(47 - i));
}

static void test_errors()
{
	small<<<1, 5000>>>();
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	small<<<0, 32>>>();
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	small<<<1, 32, 1 << 20>>>();
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	small<<<1, 64>>>();
	CHECK(cudaGetLastError() == cudaSuccess);
	FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((const void *)test_errors, dim3(1), dim3(1), NULL, 0, 0));
}

static void test_facts()
{
	cudaFuncAttributes attributes;
	cudaDeviceProp properties;
	int blocks, value, grid, block;
	SUCCEEDS(cudaGetDeviceProperties(&properties, 0));
	CHECK(properties.multiProcessorCount > 0 && properties.warpSize == 32 && strstr(properties.name, "Sluice"));
	FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, 1));
	SUCCEEDS(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
	CHECK(value == properties.maxThreadsPerBlock);
	SUCCEEDS(cudaDeviceGetAttribute(&value, cudaDevAttrTotalConstantMemory, 0));
	CHECK(value == 65536);
	SUCCEEDS(cudaGetDeviceCount(&value));
	CHECK(value == 1);
	FAILS(cudaErrorInvalidDevice, cudaSetDevice(1));
	SUCCEEDS(cudaSetDevice(0));

	SUCCEEDS(cudaFuncGetAttributes(&attributes, small));
	CHECK(attributes.sharedSizeBytes == 400 && attributes.maxThreadsPerBlock == 64 && attributes.numRegs > 0);
	SUCCEEDS(cudaFuncSetCacheConfig(small, cudaFuncCachePreferL1));
	SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 64, 0));
	CHECK(blocks > 1);
	SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 64, properties.sharedMemPerBlock / 2));
	CHECK(blocks == 1);
	SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 65, 0));
	CHECK(blocks == 0); /* more threads than its __launch_bounds__ */
	SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, where, properties.maxThreadsPerBlock + 1, 0));
	CHECK(blocks == 0);
	SUCCEEDS(cudaOccupancyMaxPotentialBlockSize(&grid, &block, where));
	CHECK(block > 0 && block % 32 == 0 && grid >= properties.multiProcessorCount);
	int version;
	SUCCEEDS(cudaRuntimeGetVersion(&version));
	CHECK(version == CUDART_VERSION);
	CHECK(strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
	CHECK(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
}

int main()
{
	test_shapes();
	test_arguments();
	test_reverse<int>();
	test_reverse<double>();
	test_errors();
	test_facts();
	SUCCEEDS(cudaDeviceReset());
	return finish();
}
