#include <cuda_runtime.h>
#include <cstdio>

#define BINS 26

#define CHECK(call)                                                                                                    \
	do {                                                                                                           \
		cudaError_t error = (call);                                                                            \
		if (error != cudaSuccess) {                                                                            \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                                 \
			return 1;                                                                                      \
		}                                                                                                      \
	} while (0)

static __device__ __forceinline__ int letter(char c)
{
	int index = (c | 32) - 'a';
	return index >= 0 && index < BINS ? index : -1;
}

/* Each block counts in shared memory. */
__global__ void count(const char *text, int length, unsigned *bins)
{
	__shared__ unsigned own[BINS];
	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		own[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x)
		if (letter(text[i]) >= 0)
			atomicAdd(&own[letter(text[i])], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		atomicAdd(&bins[i], own[i]);
}

/* One thread per word, at the word's first letter. */
__global__ void measure(const char *text, int length, unsigned *longest)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, end = i;
	if (i >= length || letter(text[i]) < 0 || (i > 0 && letter(text[i - 1]) >= 0))
		return;
	while (end < length && letter(text[end]) >= 0)
		end++;
	atomicMax(longest, (unsigned)(end - i));
}

extern "C" int count_letters(const char *text, int length, unsigned *bins, unsigned *longest)
{
	char *device_text;
	unsigned *device_bins;
	cudaStream_t stream;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&device_text, length));
	CHECK(cudaMalloc(&device_bins, (BINS + 1) * sizeof(unsigned)));
	CHECK(cudaMemsetAsync(device_bins, 0, (BINS + 1) * sizeof(unsigned), stream));
	CHECK(cudaMemcpyAsync(device_text, text, length, cudaMemcpyHostToDevice, stream));
	count<<<3, 64, 0, stream>>>(device_text, length, device_bins);
	measure<<<(length + 127) / 128, 128, 0, stream>>>(device_text, length, device_bins + BINS);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(bins, device_bins, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(longest, device_bins + BINS, sizeof(unsigned), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(device_text));
	CHECK(cudaFree(device_bins));
	return 0;
}
