// Protects the sharing of SMs by kernels with shared memory. Four small grids have one block per SM each, in
// different streams. They take about the time of one, also where L1 and shared memory divide one memory.
#include "check.h"

enum { KERNELS = 4, THREADS = 64, BYTES = 8192 };

__global__ void work(float *out, int count)
{
	extern __shared__ float shared[];
	shared[threadIdx.x] = threadIdx.x;
	__syncthreads();
	float x = shared[THREADS - 1 - threadIdx.x];
	for (int i = 0; i < count; i++)
		x = x * 1.0001f + 1;
	if (!blockIdx.x)
		out[threadIdx.x] = x;
}

static float milliseconds(float *out, int kernels, int blocks, cudaStream_t *streams)
{
	cudaEvent_t begin, end;
	float time;
	SUCCEEDS(cudaEventCreate(&begin));
	SUCCEEDS(cudaEventCreate(&end));
	SUCCEEDS(cudaEventRecord(begin));
	for (int i = 0; i < kernels; i++)
		work<<<blocks, THREADS, BYTES, streams[i]>>>(out + i * THREADS, 2000);
	SUCCEEDS(cudaEventRecord(end));
	SUCCEEDS(cudaEventSynchronize(end));
	SUCCEEDS(cudaEventElapsedTime(&time, begin, end));
	return time;
}

int main()
{
	float *out, values[KERNELS * THREADS];
	cudaStream_t streams[KERNELS];
	cudaDeviceProp device;
	SUCCEEDS(cudaMalloc(&out, sizeof values));
	SUCCEEDS(cudaGetDeviceProperties(&device, 0));
	for (cudaStream_t &stream : streams)
		SUCCEEDS(cudaStreamCreate(&stream));
	float one = milliseconds(out, 1, device.multiProcessorCount, streams);
	float all = milliseconds(out, KERNELS, device.multiProcessorCount, streams);
	CHECK(all < 1.5f * one);
	SUCCEEDS(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
	for (int i = THREADS; i < KERNELS * THREADS; i++)
		CHECK(values[i] == values[i % THREADS]);
	return finish();
}
