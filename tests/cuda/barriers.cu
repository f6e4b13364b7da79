// Protects compiler ordering: barriers and fences order shared memory although no thread takes a variable's address.
// A thread reads after a barrier what another wrote before it.
#include "check.h"

__global__ void turns(const int *in, int *out)
{
	__shared__ int slot;
	int t = threadIdx.x;
	if (t == 0)
		slot = in[0];
	__syncthreads();
	int first = slot;
	__syncthreads();
	if (t == 1)
		slot = in[1];
	__syncthreads();
	out[t] = first * 100 + slot;
}

__global__ void votes(const int *in, int *out)
{
	__shared__ int slot, other;
	int t = threadIdx.x;
	if (t == 0)
		slot = in[0];
	int all = __syncthreads_and(in[0] == 3);
	int first = slot, any = __syncthreads_or(t == 5);
	if (t == 1)
		slot = in[1];
	int count = __syncthreads_count(t < 7);
	int second = slot;
	if (t == 2)
		other = second;
	__syncthreads();
	out[t] = first * 100 + other + 1000 * (all && any) + 10000 * count;
}

__global__ void within_warp(const int *in, int *out)
{
	__shared__ int slot;
	int t = threadIdx.x;
	if (t == 0)
		slot = in[0];
	__syncwarp();
	int first = slot;
	__syncwarp(0xffffffff);
	if (t == 1)
		slot = in[1];
	__threadfence_block();
	__syncwarp();
	out[t] = first * 100 + slot;
}

static void expect(const char *what, const int *device, int threads, int value)
{
	int out[64];
	SUCCEEDS(cudaDeviceSynchronize());
	SUCCEEDS(cudaMemcpy(out, device, threads * sizeof(int), cudaMemcpyDeviceToHost));
	for (int t = 0; t < threads; t++)
		if (out[t] != value) {
			fprintf(stderr, "%s: thread %d has %d, not %d\n", what, t, out[t], value);
			failures++;
			return;
		}
}

int main()
{
	int in[2] = {3, 7}, *device_in, *device_out;
	SUCCEEDS(cudaMalloc(&device_in, sizeof in));
	SUCCEEDS(cudaMalloc(&device_out, 64 * sizeof(int)));
	SUCCEEDS(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
	turns<<<1, 64>>>(device_in, device_out);
	expect("__syncthreads", device_out, 64, 307);
	votes<<<1, 64>>>(device_in, device_out);
	expect("__syncthreads_and, _or, _count", device_out, 64, 71307);
	within_warp<<<1, 32>>>(device_in, device_out);
	expect("__syncwarp", device_out, 32, 307);
	return finish();
}
