// Protects the messages of accesses that stop a kernel: each states the access, the position, and nearby allocations.
#include "cases.h"

//: outside: error cudaErrorIllegalAddress
//| kernel '_Z7outsidePi' stopped: global store outside every allocation
//| faults.cu:@outside)
//| block (0,0,0), thread (0,0,0), address 0x80001000, 4 bytes
//| nearest allocation: 0x80000000, 1024 bytes, ends 3072 bytes before the address
__global__ void outside(int *p)
{
	p[1024 + threadIdx.x] = 1; // @outside
}

//: behind: error cudaErrorIllegalAddress
//| kernel '_Z6behindPii' stopped: global load outside every allocation
//| faults.cu:@behind)
//| block (1,0,0), thread (22,0,0), address 0x800003e8, 4 bytes
//| nearest allocation: 0x80000000, 1000 bytes, ends 0 bytes before the address
__global__ void behind(int *p, int n)
{
	int i = blockIdx.x * n + threadIdx.x;
	if (threadIdx.x >= 22 || blockIdx.x == 0)
		p[0] = p[i]; // @behind
}

//: null: error cudaErrorIllegalAddress
//| global store outside every allocation
//| faults.cu:@null)
//| thread (3,0,0), address 0x0, 4 bytes
//| nearest allocation: 0x10000000, 16 bytes, begins 268435456 bytes after the address
__global__ void null(int *p)
{
	if (threadIdx.x == 3)
		*p = 1; // @null
}

//: freed: error cudaErrorIllegalAddress
//| kernel '_Z5freedPi' stopped: global load to freed memory
//| faults.cu:@freed)
//| thread (0,2,0), address 0x80000140, 4 bytes
//| freed allocation: 0x80000100, 512 bytes, offset 64
//| nearest allocation: 0x80000000, 256 bytes, ends 64 bytes before the address
__global__ void freed(int *p)
{
	int i = threadIdx.y * 8 + threadIdx.x;
	if (i >= 16)
		p[64 + i] = p[i]; // @freed
}

//: misaligned: error cudaErrorMisalignedAddress
//| global load at a misaligned address
//| faults.cu:@misaligned)
//| block (0,0,0), thread (1,0,0), address 0x80000002, 4 bytes
//| nearest allocation: 0x80000000, 256 bytes, which holds the address
__global__ void misaligned(char *p, int *out)
{
	out[threadIdx.x] = *(int *)(p + 2 * threadIdx.x); // @misaligned
}

//: misaligned_vector: error cudaErrorMisalignedAddress
//| global store at a misaligned address
//| faults.cu:@vector)
//| thread (0,0,0), address 0x80000008, 16 bytes
__global__ void misaligned_vector(float *p)
{
	asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(p + 2), "f"(p[0])); // @vector
}

//: misaligned_shared: error cudaErrorMisalignedAddress
//| shared store at a misaligned address
//| faults.cu:@odd)
//| thread (1,0,0), address 0x1, 4 bytes
//| the block has 64 bytes; nearest variable: 'odd', 0x0, 64 bytes, which holds the address
__global__ void misaligned_shared(int *out, int step)
{
	__shared__ char odd[64];
	*(volatile int *)(odd + threadIdx.x * step) = 1; // @odd
	out[0] = odd[0];
}

//: shared: error cudaErrorLaunchFailure
//| kernel '_Z6sharedPii' stopped: shared store beyond the block's shared memory
//| faults.cu:@shared)
//| block (0,0,0), thread (16,0,0), address 0x80, 4 bytes
//| the block has 128 bytes; nearest variable: 'tile', 0x0, 128 bytes, ends 0 bytes before the address
__global__ void shared(int *out, int step)
{
	__shared__ int tile[32];
	tile[threadIdx.x * step] = 1; // @shared
	__syncthreads();
	out[0] = tile[0];
}

extern __shared__ int room[];

//: dynamic: error cudaErrorLaunchFailure
//| shared load beyond the block's shared memory
//| faults.cu:@dynamic)
//| thread (25,0,0), address 0x64, 4 bytes
//| the block has 100 bytes; nearest variable: 'room', 0x0, 100 bytes, ends 0 bytes before the address
__global__ void dynamic(int *out)
{
	if (threadIdx.x < 25)
		room[threadIdx.x] = 1;
	__syncthreads();
	out[threadIdx.x] = room[threadIdx.x]; // @dynamic
}

__device__ __noinline__ void store(int *to, int value)
{
	*to = value; // @generic
}

//: generic: error cudaErrorLaunchFailure
//| shared store beyond the block's shared memory
//| faults.cu:@generic)
//| thread (4,0,0), address 0x10, 4 bytes
//| nearest variable: 'few', 0x0, 16 bytes, ends 0 bytes before the address
__global__ void generic(int *out)
{
	__shared__ int few[4];
	store(few + threadIdx.x, 1);
	__syncthreads();
	store(out, few[0]);
}

//: mixed: error cudaErrorIllegalAddress
//| global store outside every allocation
//| faults.cu:@generic)
//| thread (7,0,0), address 0x90000000, 4 bytes
__global__ void mixed(int *out)
{
	__shared__ int few[32];
	store(threadIdx.x % 2 ? out + (threadIdx.x == 7 ? 1 << 26 : 0) : few + threadIdx.x, 1);
	__syncthreads();
	out[threadIdx.x] = few[threadIdx.x];
}

//: local: error cudaErrorLaunchFailure
//| local store beyond the thread's local memory
//| faults.cu:@local)
//| thread (0,0,0), address 0x54, 4 bytes
//| the thread has 64 bytes; nearest variable: '__local_depot
//| ends 20 bytes before the address
__global__ void local(int *out, int more)
{
	int a[16];
	for (int i = 0; i < 16 + more; i++)
		a[i * 7 % (16 + more)] = i; // @local
	out[0] = a[out[1] & 15];
}

//: atomic: error cudaErrorIllegalAddress
//| global atomic outside every allocation
//| thread (0,0,0), address 0x80000fa0, 4 bytes
__global__ void atomic(int *p)
{
	atomicAdd(p + 1000, 1);
}

//: constant: error cudaErrorIllegalAddress
//| constant load outside every allocation
//| faults.cu:@constant)
//| thread (0,0,0)
__constant__ int table[4] = {1, 2, 3, 4};
__global__ void constant(int *out, int far)
{
	out[threadIdx.x] = table[threadIdx.x * far + far]; // @constant
}

//: twice: error cudaErrorIllegalAddress
//| kernel '_Z5twicePi' stopped: global store outside every allocation
//| block (2,0,0), thread (0,0,0)
__global__ void twice(int *p)
{
	if (blockIdx.x == 2)
		p[1 << 20] = 1;
}

//: trap: error cudaErrorLaunchFailure
//| kernel '_Z4trapPi' stopped: trap
//| faults.cu:@trap)
//| thread (5,0,0)
__global__ void trap(int *p)
{
	if (threadIdx.x == 5 && p[5] == 7)
		asm volatile("trap;"); // @trap
}

//: assertion: error cudaErrorAssert
//| kernel '_Z9assertionPi' stopped: device assertion failed
//| block (0,0,0), thread (2,0,0)
__global__ void assertion(int *p)
{
	assert(threadIdx.x != 2 || p[0] != 7);
}

//: deep: error cudaErrorHardwareStackError
//| stack overflow of a recursive function
//| faults.cu:@deep)
__device__ __noinline__ int descend(int *p, int n)
{
	int own[8];
	for (int i = 0; i < 8; i++)
		own[i] = p[i] + n;
	return n ? descend(own, n - 1) + own[n & 7] : 0; // @deep
}
__global__ void deep(int *p)
{
	p[0] = descend(p, 1 << 20);
}

// The compiler expands these into loops, which have no lines.
//: copied: error cudaErrorIllegalAddress
//| kernel '_Z6copiedPiS_m' stopped: global load outside every allocation
//| faults.cu:@copied)
//| block (0,0,0), thread (0,0,0), address 0x80001100, 1 bytes
//| nearest allocation: 0x80001000, 256 bytes, ends 0 bytes before the address
__global__ void copied(int *to, int *from, size_t bytes)
{
	to[0] = 1;
	memcpy(to, from, bytes); // @copied
}

//: filled: error cudaErrorIllegalAddress
//| global store outside every allocation
//| faults.cu:@filled)
//| thread (0,0,0), address 0x80000100, 1 bytes
__global__ void filled(int *to, size_t bytes, int value)
{
	if (value)
		memset(to, value, bytes); // @filled
}

//: assigned: error cudaErrorIllegalAddress
//| global load outside every allocation
//| faults.cu:@assigned)
//| thread (31,0,0), address 0x80001400, 1 bytes
struct record {
	int fields[40];
};
__global__ void assigned(record *to, record *from)
{
	to[threadIdx.x] = from[threadIdx.x + 1]; // @assigned
}

static void run_case()
{
	int *p = NULL;
	CASE(outside) outside<<<1, 1>>>(ints(256, 0));
	CASE(behind) behind<<<2, 23>>>(ints(250, 0), 228);
	CASE(null)
	{
		p = ints(64, 0);
		null<<<1, 32>>>(NULL);
	}
	CASE(freed)
	{
		ints(64, 0);
		cudaMalloc(&p, 512);
		cudaFree(p);
		freed<<<1, dim3(8, 4)>>>(p);
	}
	CASE(misaligned) misaligned<<<1, 16>>>((char *)ints(64, 0), ints(64, 0));
	CASE(misaligned_vector) misaligned_vector<<<1, 1>>>((float *)ints(64, 0));
	CASE(misaligned_shared) misaligned_shared<<<1, 2>>>(ints(1, 0), 1);
	CASE(shared) shared<<<1, 32>>>(ints(1, 0), 2);
	CASE(dynamic) dynamic<<<1, 32, 100>>>(ints(32, 0));
	CASE(generic) generic<<<1, 32>>>(ints(1, 0));
	CASE(mixed) mixed<<<1, 32>>>(ints(32, 0));
	CASE(local) local<<<1, 32>>>(ints(2, 0), 10);
	CASE(atomic) atomic<<<1, 32>>>(ints(64, 0));
	CASE(constant) constant<<<1, 4>>>(ints(4, 0), 1 << 20);
	CASE(twice)
	{
		p = ints(64, 0);
		twice<<<8, 32>>>(p);
		twice<<<8, 32>>>(p);
		cudaFree(p);
	}
	CASE(trap) trap<<<1, 32>>>(ints(32, 7));
	CASE(assertion) assertion<<<1, 32>>>(ints(32, 7));
	CASE(copied)
	{
		p = ints(1024, 0);
		copied<<<1, 1>>>(p, ints(64, 0), 4096);
	}
	CASE(filled) filled<<<1, 1>>>(ints(64, 0), 4096, 7);
	CASE(assigned)
	{
		p = ints(32 * 40, 0);
		assigned<<<1, 32>>>((record *)p, (record *)p);
	}
	CASE(deep) deep<<<1, 1>>>(ints(32, 7));
}
