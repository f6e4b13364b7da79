// Protects --check bounds: accesses just outside an allocation (the check leaves gaps) or an array (by its symbol).
#include "cases.h"

#include <cuda.h>

__global__ void put(int *p, int index)
{
	p[index] = 7; // @put
}

//: past_end: stops cudaErrorIllegalAddress bounds
//| kernel '_Z3putPii' stopped: global store outside every allocation
//| bounds.cu:@put)
//| block (0,0,0), thread (0,0,0), address 0x80000400, 4 bytes
//| nearest allocation: 0x80000000, 1024 bytes, ends 0 bytes before the address

//: far_past_end: stops cudaErrorIllegalAddress bounds
//| ends 252 bytes before the address

//: before_begin: stops cudaErrorIllegalAddress bounds
//| begins 4 bytes after the address

//: pooled: stops cudaErrorIllegalAddress bounds
//| ends 0 bytes before the address

//: pitched: stops cudaErrorIllegalAddress bounds
//| ends 0 bytes before the address

//: managed: stops cudaErrorIllegalAddress bounds
//| bytes of host memory, ends 0 bytes before the address

//: pinned: stops cudaErrorIllegalAddress bounds
//| bytes of host memory, ends 0 bytes before the address

//: driver: stops cudaErrorIllegalAddress bounds
//| ends 0 bytes before the address

//: reused: stops cudaErrorIllegalAddress bounds
//| ends 0 bytes before the address

//: heap: stops cudaErrorIllegalAddress bounds
//| ends 0 bytes before the address
__global__ void heap(int *out)
{
	int *volatile a = (int *)malloc(256), *volatile b = (int *)malloc(256);
	out[0] = b != 0;
	a[64] = 1;
}

__device__ int first[64], second[64]; // the compiler chooses their order

//: variable: stops cudaErrorIllegalAddress bounds
//| ends 0 bytes before the address
__global__ void variable(int *out, int index)
{
	int *low = first, *high = second;
	asm volatile("" : "+l"(low), "+l"(high));
	(low < high ? low : high)[index] = 1;
	out[0] = second[0] + first[0];
}

//: beyond_array: check bounds
//| kernel '_Z12beyond_arrayPii': access through an array of shared memory that lands outside it
//| write at device code:
//| bounds.cu:@beyond), thread (0,0,0)
//| 4 bytes, 'b' + 0
//| through 'a', 0x0, 256 bytes, which ends 0 bytes before the address
//| 1 times in this launch
__global__ void beyond_array(int *out, int n)
{
	__shared__ int a[64], b[64];
	b[threadIdx.x] = 1;
	__syncthreads();
	if (threadIdx.x == 0)
		for (int i = 0; i <= n; i++)
			a[i] = i; // @beyond
	__syncthreads();
	out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

//: beyond_race: check race
//| through 'a', 0x0, 256 bytes, which ends 0 bytes before the address
//: below_array: check bounds
//| read at device code:
//| 'a' + 252
//| through 'b', 0x100, 256 bytes, which begins 4 bytes after the address
__global__ void below_array(int *out, int index)
{
	__shared__ int a[64], b[64];
	a[threadIdx.x] = b[threadIdx.x] = 1;
	__syncthreads();
	out[threadIdx.x] = a[threadIdx.x] + b[index + (int)threadIdx.x];
}

//: atomic_array: check bounds
//| atomic at device code:
//| through 'a'
__global__ void atomic_array(int *out, int index)
{
	__shared__ int a[32], b[32];
	a[threadIdx.x] = b[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&a[index], 1);
	__syncthreads();
	out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

//: into_dynamic: check bounds
//| through 'a'
__global__ void into_dynamic(int *out, int index)
{
	extern __shared__ int tail[];
	__shared__ int a[32];
	a[threadIdx.x] = tail[threadIdx.x] = 0;
	__syncthreads();
	out[threadIdx.x] = a[index + threadIdx.x] + tail[threadIdx.x];
}

//: chosen: right bounds,race
__global__ void chosen(int *out, int which)
{
	__shared__ int a[64], b[64];
	int *from = which ? a : b, *p = a;
	a[threadIdx.x] = b[63 - threadIdx.x] = threadIdx.x;
	__syncthreads();
	for (int i = 0; i < 63; i++)
		p += 1;
	out[threadIdx.x] = from[threadIdx.x] + *p + (&b[threadIdx.x])[0] + (b + 64)[-1 - (int)threadIdx.x];
}

//: parts: right bounds,race
__global__ void parts(int *out)
{
	extern __shared__ char bytes[];
	int *a = (int *)bytes;
	float *b = (float *)(bytes + 64 * sizeof *a);
	a[threadIdx.x] = threadIdx.x;
	b[threadIdx.x] = 2;
	__syncthreads();
	out[threadIdx.x] = a[63 - threadIdx.x] + (int)b[63 - threadIdx.x];
}

__device__ __noinline__ int sum_of(const int *values, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

//: passed_on: right bounds,race
__global__ void passed_on(int *out)
{
	__shared__ int a[64], b[64];
	a[threadIdx.x] = b[threadIdx.x] = 1;
	__syncthreads();
	out[threadIdx.x] = sum_of(a, 64) + sum_of(b, 64);
}

//: full: right bounds
// A program that needs all of the memory gets it, without gaps.
static void fill_memory()
{
	size_t available, total, size = 64 << 20;
	void *p;
	cudaMemGetInfo(&available, &total);
	for (size_t k = 0; k < available / size; k++)
		if (cudaMalloc(&p, size) != cudaSuccess)
			printf("no memory\n");
	put<<<1, 1>>>((int *)p, 0);
}

static void run_case()
{
	int *p, *q, *out = NULL;
	cudaStream_t stream = 0;
	size_t pitch;
	CASE(past_end) cudaMalloc(&p, 1024), cudaMalloc(&q, 1024), put<<<1, 1>>>(p, 256);
	CASE(far_past_end) cudaMalloc(&p, 1024), cudaMalloc(&q, 1024), put<<<1, 1>>>(p, 319);
	CASE(before_begin) cudaMalloc(&p, 1024), cudaMalloc(&q, 1024), put<<<1, 1>>>(q, -1);
	CASE(pooled)
	{
		cudaMallocAsync(&p, 1024, stream);
		cudaMallocAsync(&q, 1024, stream);
		put<<<1, 1>>>(p, 256);
	}
	CASE(pitched)
	{
		cudaMallocPitch(&p, &pitch, 64, 4);
		cudaMallocPitch(&q, &pitch, 64, 4);
		put<<<1, 1>>>(p, (int)pitch);
	}
	CASE(managed) cudaMallocManaged(&p, 4096), cudaMallocManaged(&q, 4096), put<<<1, 1>>>(p < q ? p : q, 1024);
	CASE(pinned) cudaMallocHost(&p, 4096), cudaMallocHost(&q, 4096), put<<<1, 1>>>(p < q ? p : q, 1024);
	CASE(driver)
	{
		CUdeviceptr a, b;
		cuMemAlloc(&a, 256);
		cuMemAlloc(&b, 256);
		put<<<1, 1>>>((int *)a, 64);
	}
	CASE(reused)
	{
		cudaMalloc(&p, 4096);
		cudaFree(p);
		cudaMalloc(&p, 256);
		cudaMalloc(&q, 256);
		put<<<1, 1>>>(p, 64);
	}
	CASE(full) fill_memory();
	else cudaMalloc(&out, 4096);
	CASE(heap) heap<<<1, 1>>>(out);
	CASE(variable) variable<<<1, 1>>>(out, 64);
	CASE(beyond_array) beyond_array<<<1, 64>>>(out, 64);
	CASE(beyond_race) beyond_array<<<1, 64>>>(out, 64);
	CASE(below_array) below_array<<<1, 64>>>(out, -1);
	CASE(atomic_array) atomic_array<<<1, 32>>>(out, 32);
	CASE(into_dynamic) into_dynamic<<<1, 32, 128>>>(out, 1);
	CASE(chosen) chosen<<<1, 64>>>(out, 1);
	CASE(parts) parts<<<1, 64, 512>>>(out);
	CASE(passed_on) passed_on<<<1, 64>>>(out);
}
