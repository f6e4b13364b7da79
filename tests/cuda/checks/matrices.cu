// Protects the checks of ldmatrix and stmatrix: lanes without a row's address may have arbitrary registers.
// Flags: -arch=sm_90
#include "cases.h"

__device__ unsigned address(const void *shared)
{
	return (unsigned)__cvta_generic_to_shared(shared);
}
__device__ unsigned load(unsigned from)
{
	unsigned r;
	asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(from) : "memory"); // @loaded
	return r;
}
__device__ void store(unsigned to, unsigned r)
{
	asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(to), "r"(r) : "memory"); // @stored
}

//: moved: right race,init,shared-init
__global__ void moved(int *out)
{
	__shared__ alignas(16) unsigned s[32], d[32];
	int t = threadIdx.x;
	s[t] = t * 65537 + 1;
	__syncthreads();
	unsigned r = load(t < 8 ? address(&s[4 * t]) : 0x7fffff3u + 5 * t);
	store(t < 8 ? address(&d[4 * t]) : 0x7fffff3u + 5 * t, r);
	__syncthreads();
	if (d[t] != s[t])
		__trap();
	out[t] = d[t];
}

//: raced: check race
//| @stored
//| @read
__global__ void raced(int *out)
{
	__shared__ alignas(16) unsigned d[32];
	int t = threadIdx.x;
	if (t < 32)
		store(address(&d[4 * (t & 7)]), t);
	else
		out[t] = d[t - 32]; // @read
}

//: unwritten: check shared-init
//| @loaded
__global__ void unwritten(int *out)
{
	__shared__ alignas(16) unsigned s[32];
	int t = threadIdx.x;
	if (t > 100)
		s[t & 31] = t;
	out[t] = load(address(&s[4 * (t & 7)]));
}

static void run_case()
{
	int *out = ints(64, 0);
	CASE(moved) moved<<<1, 32>>>(out);
	CASE(raced) raced<<<1, 64>>>(out);
	CASE(unwritten) unwritten<<<1, 32>>>(out);
}
