/* A program with all kinds of memory that a journal must restore: its launches change device, managed and mapped host
 * memory, variables, and memory that kernels allocate; they print, read the clock and a texture, and use two streams.
 * Usage: journal_program STEPS [FACTOR [FROM]]: from launch FROM on, the factor of the steps is FACTOR. */
#include <cstdio>
#include <cstdlib>

enum { THREADS = 128, BLOCKS = 24, COUNT = THREADS * BLOCKS };

__device__ unsigned total;
__device__ unsigned *list[COUNT];
__constant__ unsigned offset;

__global__ void step(unsigned *data, unsigned *managed, unsigned *mapped, unsigned factor, cudaTextureObject_t texture)
{
	unsigned i = blockIdx.x * THREADS + threadIdx.x, sum = 0;
	for (unsigned k = 0; k < 40; k++)
		sum += data[(i * 37 + k * 101) % COUNT] * factor + tex1Dfetch<unsigned>(texture, (i + k) % COUNT);
	atomicAdd(&total, sum);
	managed[i] += sum ^ offset;
	mapped[i] = managed[(i + 1) % COUNT] + (unsigned)clock() % 7;
	__syncthreads();
	data[i] = sum + mapped[i];
}

__global__ void grow(unsigned number)
{
	unsigned i = threadIdx.x;
	if (!list[i])
		list[i] = (unsigned *)malloc(32);
	list[i][number % 8] = total + i;
	if (number % 5 == 4) {
		free(list[i]);
		list[i] = 0;
	}
	if (i == 0)
		printf("launch of grow %u: total %u\n", number, total);
}

__global__ void gather(unsigned *data)
{
	unsigned i = threadIdx.x;
	if (list[i])
		data[i] += *list[i];
}

static void check(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	printf("error: %s\n", cudaGetErrorString(error));
	exit(1);
}

int main(int count, char **arguments)
{
	unsigned steps = count > 1 ? atoi(arguments[1]) : 4, changed = count > 2 ? atoi(arguments[2]) : 3;
	unsigned from = count > 3 ? atoi(arguments[3]) : 0;
	unsigned *data, *managed, *mapped, *mapped_here, sum = 0;
	cudaStream_t other;
	check(cudaMalloc(&data, COUNT * sizeof *data));
	check(cudaMallocManaged(&managed, COUNT * sizeof *managed));
	check(cudaHostAlloc(&mapped_here, COUNT * sizeof *mapped_here, cudaHostAllocMapped));
	check(cudaHostGetDevicePointer(&mapped, mapped_here, 0));
	check(cudaMemset(data, 1, COUNT * sizeof *data));
	check(cudaStreamCreate(&other));
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = data;
	resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
	resource.res.linear.sizeInBytes = COUNT * sizeof *data;
	cudaTextureDesc view = {};
	cudaTextureObject_t texture;
	check(cudaCreateTextureObject(&texture, &resource, &view, 0));
	for (unsigned i = 0; i < steps; i++) {
		unsigned factor = i >= from ? changed : 3;
		check(cudaMemcpyToSymbol(offset, &i, sizeof i));
		step<<<BLOCKS, THREADS>>>(data, managed, mapped, factor, texture);
		check(cudaDeviceSynchronize());
		managed[i % COUNT] ^= mapped_here[i];
		grow<<<1, 64>>>(i);
		gather<<<1, 64, 0, other>>>(data);
		check(cudaDeviceSynchronize());
	}
	for (unsigned i = 0; i < COUNT; i++)
		sum = sum * 31 + managed[i] + mapped_here[i];
	printf("sum %u\n", sum);
	return 0;
}
