// Protects src/cli/cc/alignment.c: alignas after CUDA's specifiers, also across lines, as nvcc accepts it. Variables
// get that alignment, and line numbers are preserved.
#include "check.h"

enum { THREADS = 16 };

__device__ alignas(64) char in_memory = 1;
static __constant__ alignas(32) char constant = 2;

template <int N> __global__ void aligned(int *out)
{
	__shared__ char odd;
	__shared__ alignas(
		alignof(float4)) char rows[N][24];
	extern __shared__ alignas(16) char dynamic[];
	static __shared__ volatile alignas(float4) char other[3];
	__shared__ alignas(8 * (1 + 1)) char both[2];
	__device__ __shared__ alignas(32) char twice[2];
	odd = in_memory + constant;
	rows[1][threadIdx.x] = dynamic[threadIdx.x] = (char)threadIdx.x;
	other[0] = both[1] = twice[0] = 5;
	__syncthreads();
	out[threadIdx.x] = (int)((size_t)rows % 16 + (size_t)other % 16 + (size_t)dynamic % 16 + (size_t)both % 16 + (size_t)twice % 32 +
	                         (size_t)&in_memory % 64 + (size_t)&constant % 32) + odd + rows[1][THREADS - 1 - threadIdx.x];
}

struct alignas(16) own {
	char first;
	alignas(8) char second;
};

int main()
{
	CHECK(__LINE__ == 34 && sizeof(own) == 16);
	int *device, got[THREADS];
	SUCCEEDS(cudaMalloc(&device, sizeof got));
	aligned<2><<<1, THREADS, THREADS>>>(device);
	SUCCEEDS(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS; i++)
		CHECK(got[i] == 3 + THREADS - 1 - i);
	return finish();
}
