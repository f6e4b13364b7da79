// Protects --check init: reads of unwritten device memory.
#include "cases.h"

//: plain: check init
//| kernel '_Z5plainPiPKi': read of device memory that nobody wrote
//| read at device code:
//| unwritten.cu:@plain), thread (0,0,0)
//| block (0,0,0), address 0x80000400, 4 bytes
//| allocation: 0x80000400, 1024 bytes, offset 0
//| 64 times in this launch
__global__ void plain(int *out, const int *in)
{
	out[threadIdx.x] = in[threadIdx.x] + 1; // @plain
}

// A copy without any other use also reads.
//: copy: check init
//| unwritten.cu:@copy)
//| 96 times in this launch
__global__ void copy(int *out, const int *in)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = in[i]; // @copy
}

// cudaMemset with a count of elements where bytes are expected.
//: short_fill: check init
//| unwritten.cu:@short_fill)
//| thread (16,0,0)
//| address 0x80000440, 4 bytes
//| offset 64
//| 48 times in this launch
__global__ void short_fill(int *out, const int *in)
{
	out[threadIdx.x] = in[threadIdx.x] * 2; // @short_fill
}

// Ten bytes of an array of words.
//: part: check init
//| unwritten.cu:@part), thread (2,0,0)
//| a part of it was written; used at device code:
//| offset 8
//| 1 times in this launch
__global__ void part(int *out, const int *in)
{
	out[threadIdx.x] = in[threadIdx.x] + 1; // @part
}

//: counter: check init
//| atomic at device code:
//| offset 0
//| 1 times in this launch
__global__ void counter(int *count)
{
	if (threadIdx.x == 0)
		atomicAdd(count, 1);
}

// The halo of a stencil is unwritten.
//: halo: check init
//| unwritten.cu:@halo)
//| thread (0,0,0)
//| offset 0
//| 1 times in this launch
__global__ void fill_inner(float *p, int n)
{
	p[threadIdx.x + 1] = threadIdx.x;
}
__global__ void halo(float *out, const float *p)
{
	int i = threadIdx.x + 1;
	out[threadIdx.x] = p[i - 1] + p[i]; // @halo
}

// A device copy copies the unwritten state.
//: passed_on: check init
//| unwritten.cu:@plain)
//| offset 128
//| 32 times in this launch

// Memory that is freed and allocated again is unwritten, whatever it held.
//: again: check init
//| unwritten.cu:@plain)
//| 64 times in this launch

// Memory allocated by device code is unwritten.
//: heap: check init
//| unwritten.cu:@heap)
//| allocation: 0x
//| , 16 bytes, offset 4
__global__ void heap(int *out)
{
	volatile int *p = (int *)malloc(16);
	p[0] = 1;
	out[0] = p[0] + p[1]; // @heap
}

//: vector: check init
//| read of device memory that nobody wrote
//| unwritten.cu:@vector)
//| address 0x80000410, 16 bytes
//| offset 16
__global__ void vector(float *out, const float4 *in)
{
	float4 v;
	asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" // @vector
	             : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
	             : "l"(in + threadIdx.x + 1));
	out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

// Only the unwritten field is reported, although it passed through registers, a shift and memory.
struct pair {
	int a;
	short b, c;
};
__global__ void fill_fields(pair *p)
{
	p[threadIdx.x].a = threadIdx.x;
	p[threadIdx.x].b = threadIdx.x;
}
__global__ void copy_pairs(pair *to, const pair *from)
{
	to[threadIdx.x] = from[threadIdx.x];
}
//: field: check init
//| kernel '_Z9use_fieldPiPK4pair'
//| a part of it was written; used at
__global__ void use_field(int *out, const pair *p)
{
	unsigned long long both;
	asm volatile("ld.global.u64 %0, [%1];" : "=l"(both) : "l"(p + threadIdx.x)); // @field
	out[threadIdx.x] = (int)both + (int)(both >> 48);
}

//: shared: check shared-init
//| read of shared memory that nobody wrote
//| unwritten.cu:@shared)
//| block (0,0,0), shared address 0x80, 4 bytes, 's' + 128
//| 32 times in this launch
__global__ void shared(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	if (t < 32)
		s[t] = t;
	__syncthreads();
	out[t] = s[t]; // @shared
}

//: shared_counter: check shared-init
//| atomic at device code:
//| 'count' + 0
__global__ void shared_counter(int *out)
{
	__shared__ int count;
	if (threadIdx.x == 0)
		atomicAdd(&count, 1);
	__syncthreads();
	out[threadIdx.x] = count;
}

// One line reads both memories by one pointer, and has a message for each.
//: both_memories: check init,shared-init 2
//| read of device memory that nobody wrote
//| read of shared memory that nobody wrote
//| unwritten.cu:@both_memories), thread (
__global__ void both_memories(int *out, const int *in)
{
	__shared__ int s[64];
	const int *place = threadIdx.x % 2 ? &s[threadIdx.x] : &in[threadIdx.x];
	asm volatile("" : "+l"(place)::"memory");
	out[threadIdx.x] = *place; // @both_memories
}

static void run_case()
{
	int *out = ints(256, 0), *in;
	cudaMalloc(&in, 1024);
	CASE(plain) plain<<<1, 64>>>(out, in);
	CASE(copy) copy<<<3, 32>>>(out, in);
	CASE(short_fill)
	{
		cudaMemset(in, 0, 64);
		short_fill<<<1, 64>>>(out, in);
	}
	CASE(part)
	{
		cudaMemset(in, 0, 10);
		part<<<1, 3>>>(out, in);
	}
	CASE(counter) counter<<<1, 64>>>(in);
	CASE(halo)
	{
		fill_inner<<<1, 64>>>((float *)in, 64);
		halo<<<1, 64>>>((float *)out, (float *)in);
	}
	CASE(passed_on)
	{
		int *half;
		cudaMalloc(&half, 256);
		cudaMemset(half, 1, 128);
		cudaMemcpy(in, half, 256, cudaMemcpyDeviceToDevice);
		plain<<<1, 64>>>(out, in);
	}
	CASE(again)
	{
		cudaFree(out);
		cudaMalloc(&out, 1024);
		plain<<<1, 64>>>(in, out);
	}
	CASE(heap) heap<<<1, 1>>>(out);
	CASE(vector)
	{
		cudaMemset(in, 0, 16);
		vector<<<1, 1>>>((float *)out, (float4 *)in);
	}
	CASE(field)
	{
		pair *p;
		cudaMalloc(&p, 64 * sizeof *p);
		fill_fields<<<1, 64>>>(p);
		copy_pairs<<<1, 64>>>((pair *)in, p);
		use_field<<<1, 64>>>(out, (pair *)in);
	}
	CASE(both_memories) both_memories<<<1, 64>>>(out, in);
	CASE(shared) shared<<<1, 64>>>(out);
	CASE(shared_counter) shared_counter<<<1, 64>>>(out);
}
