// Protects --check init on local memory: unwritten values are reported at their use. Also invalid device frees.
#include "cases.h"

//: never: check init
//| kernel '_Z5neverPii': use of local memory that nobody wrote
//| read at device code:
//| used at device code:
//| local address 0x
__global__ void never(int *out, int index)
{
	volatile int table[16];
	table[0] = index;
	out[threadIdx.x] = table[index] + 1;
}

//: some: check init
//| 31 times in this launch
__global__ void some(int *out)
{
	int table[32];
	volatile int *p = table;
	p[threadIdx.x] = 1;
	out[threadIdx.x] = p[0] + 1;
}

__device__ __noinline__ int look_up(int index, bool fill)
{
	volatile int table[8];
	for (int i = 0; fill && i < 8; i++)
		table[i] = i;
	return table[index] + 1;
}

// The first call leaves values at the location of the second call's array.
//: again: check init
__global__ void again(int *out, int index)
{
	out[0] = look_up(index, true);
	out[1] = look_up(index, false);
}

//: filled: right init
__global__ void filled(int *out, int index)
{
	int table[16], copy[16];
	for (int i = 0; i < 16; i++)
		table[i] = i * i;
	volatile int *p = table;
	for (int i = 0; i < 16; i++)
		copy[15 - i] = p[i];
	volatile int *q = copy;
	out[threadIdx.x] = q[index] + look_up(index, true);
}

struct padded {
	char tag;
	double value;
};

// The padding is copied but never used.
//: padding: right init
__global__ void padding(double *out, int index)
{
	padded list[4];
	for (int i = 0; i < 4; i++) {
		list[i].tag = 1;
		list[i].value = i;
	}
	volatile int at = index;
	padded one = list[at];
	list[at ^ 1] = one;
	out[threadIdx.x] = list[at ^ 1].value + list[at ^ 1].tag;
}

__device__ __noinline__ int depth(int n)
{
	volatile int here[4];
	here[n & 3] = n;
	return n ? depth(n - 1) + here[n & 3] : 0;
}

//: recursive: right init
__global__ void recursive(int *out)
{
	out[threadIdx.x] = depth(5);
}

//: free_twice: error cudaErrorLaunchFailure
//| stopped: free of an address that cannot be freed
//| local_memory.cu:@twice)
//| block (0,0,0), thread (0,0,0)
//| , which has been freed already
//| freed allocation: 0x
__global__ void free_twice(int *out)
{
	void *volatile p = malloc(64);
	out[0] = p != 0;
	free(p);
	free(p); // @twice
}

//: free_inside: error cudaErrorLaunchFailure
//| , which lies inside an allocation
__global__ void free_inside(int *out)
{
	char *volatile p = (char *)malloc(64);
	free(p + 16);
	out[0] = 1;
}

//: free_foreign: error cudaErrorLaunchFailure
//| , which the host has allocated and must free
__global__ void free_foreign(int *out)
{
	free(out);
}

//: free_nothing: error cudaErrorLaunchFailure
//| , where no allocation begins
__global__ void free_nothing(int *out)
{
	free((void *)(0x12345600l + out[0]));
}

//: free_null: right
__global__ void free_null(int *out)
{
	free((void *)(long)out[0]);
	free(malloc(16));
}

static void run_case()
{
	int *out = ints(64, 0);
	CASE(never) never<<<1, 32>>>(out, 3);
	CASE(some) some<<<1, 32>>>(out);
	CASE(again) again<<<1, 1>>>(out, 3);
	CASE(filled) filled<<<1, 32>>>(out, 3);
	CASE(padding) padding<<<1, 32>>>((double *)out, 2);
	CASE(recursive) recursive<<<1, 32>>>(out);
	CASE(free_twice) free_twice<<<1, 1>>>(out);
	CASE(free_inside) free_inside<<<1, 1>>>(out);
	CASE(free_foreign) free_foreign<<<1, 1>>>(out);
	CASE(free_nothing) free_nothing<<<1, 1>>>(out);
	CASE(free_null) free_null<<<1, 1>>>(out);
}
