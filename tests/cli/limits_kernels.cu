// Kernels with a known use of one unit (test_limits.sh).
#include <cstdio>

// Eight independent chains of multiply-adds; a warp instruction is 64 operations.
__global__ void multiply_add(float *out, int rounds)
{
	float a[8];
	for (int k = 0; k < 8; k++)
		a[k] = threadIdx.x + k;
	for (int i = 0; i < rounds; i++)
#pragma unroll
		for (int j = 0; j < 32; j++)
#pragma unroll
			for (int k = 0; k < 8; k++)
				a[k] = fmaf(a[k], a[k], 1.0f);
	float sum = 0;
	for (int k = 0; k < 8; k++)
		sum += a[k];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void copy(float *out, const float *in)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
}

// Lane i reads word i * stride, without initializing it: `rounds` accesses of 1 or 32 cycles by each warp.
__global__ void stride(int *out, int stride, int rounds)
{
	__shared__ volatile int tile[32 * 32];
	int sum = 0, at = threadIdx.x % 32 * stride;
	for (int i = 0; i < rounds; i++)
		sum += tile[at];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A lane has 8 words in shared memory: 32 of them need two cycles without any conflict.
__global__ void wide(double *out, int rounds)
{
	__shared__ volatile double tile[32];
	double sum = 0;
	for (int i = 0; i < rounds; i++)
		sum += tile[threadIdx.x % 32];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// 32 lines for each load of a warp, where one would do.
__global__ void columns(float *out, const float *in)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = in[(blockIdx.x * blockDim.x + threadIdx.x) * 32];
}

// Half of the lanes work.
__global__ void halves(float *out, int rounds)
{
	float a = threadIdx.x;
	if (threadIdx.x & 1)
		for (int i = 0; i < rounds; i++)
			a = fmaf(a, a, 1.0f);
	out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

int main()
{
	float *in, *out;
	cudaMalloc(&in, 8 << 20), cudaMalloc(&out, 4 << 20);
	cudaMemset(in, 0, 8 << 20);
	multiply_add<<<15 * 6, 256>>>(out, 16);
	copy<<<(1 << 20) / 256, 256>>>(out, in);
	stride<<<15 * 6, 256>>>((int *)out, 32, 100);
	stride<<<15 * 6, 256>>>((int *)out, 1, 100);
	wide<<<15 * 6, 256>>>((double *)out, 100);
	columns<<<15 * 6, 256>>>(out, in);
	halves<<<15 * 6, 256>>>(out, 300);
	multiply_add<<<3, 256>>>(out, 4);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
