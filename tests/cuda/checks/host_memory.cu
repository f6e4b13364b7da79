// Protects the messages of faults near mapped host memory, and of a call of a pure virtual function.
#include "cases.h"
#include <cstdlib>

//: beyond: error cudaErrorIllegalAddress
//| kernel '_Z6beyondPi' stopped: global store outside every allocation
//| host_memory.cu:@beyond)
//| thread (25,0,0)
//| 100 bytes of host memory, ends 0 bytes before the address
__global__ void beyond(int *p)
{
	p[threadIdx.x] = 1; // @beyond
}

//: before: error cudaErrorIllegalAddress
//| global load outside every allocation
//| host_memory.cu:@before)
//| 400 bytes of host memory, begins 40 bytes after the address
__global__ void before(int *p)
{
	if (p[-10]) // @before
		*p = 1;
}

//: unregistered: error cudaErrorIllegalAddress
//| global store outside every allocation
__global__ void unregistered(int *p)
{
	*p = 1;
}

//: managed_twice: error cudaErrorIllegalAddress
//| global store outside every allocation
__global__ void managed_twice(int *p)
{
	*p = 1;
}

struct Base {
	__device__ Base() { early(); }
	__device__ void early() { late(); }
	__device__ virtual void late() = 0;
};
struct Derived : Base {
	__device__ void late() override {}
};

// During the base's construction, an object has the base's type.
//: call_pure: error cudaErrorLaunchFailure
//| stopped: trap
__global__ void call_pure()
{
	Derived object;
	object.late();
}

static void run_case()
{
	int *p = NULL;
	CASE(beyond)
	{
		cudaMallocManaged(&p, 100);
		beyond<<<1, 32>>>(p);
	}
	CASE(before)
	{
		p = (int *)malloc(1000);
		cudaHostRegister(p + 50, 400, 0);
		before<<<1, 1>>>(p + 50);
	}
	CASE(unregistered)
	{
		p = (int *)malloc(1000);
		cudaHostRegister(p, 1000, 0);
		cudaHostUnregister(p);
		unregistered<<<1, 1>>>(p);
	}
	CASE(managed_twice)
	{
		cudaMallocManaged(&p, 100);
		managed_twice<<<1, 1>>>(p);
		cudaFree(p);
		managed_twice<<<1, 1>>>(p);
	}
	CASE(call_pure) call_pure<<<1, 1>>>();
}
