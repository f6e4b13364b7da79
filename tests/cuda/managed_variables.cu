// Protects __managed__ variables: host and device see one variable. Tests initial values before main() begins, writes
// by either side, static and structured variables, pointers and addresses. Queries report managed memory.
#include "check.h"

struct pair {
	int count;
	double sum;
};
__managed__ int number = 42;
static __managed__ unsigned short table[300] = {7, 8, 9};
__device__ __managed__ pair total = {3, 0.5};
__managed__ int *pointer;
__device__ int apart[4];

__global__ void change(const int *by)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < 300)
		table[i] += (unsigned short)(i + number);
	atomicAdd(&total.count, *by);
	if (i == 0) {
		total.sum *= 3;
		*pointer = 77;
		pointer = &apart[2];
	}
}

__global__ void give_address(int **room)
{
	*room = &number;
}

// As in programs built by nvcc: code and variables register themselves, and host code uses a pointer.
static void test_nvcc()
{
	static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
				  ".visible .global .attribute(.managed) .align 4 .u32 counter = 30;\n"
				  ".visible .entry raise() { .reg .u32 %r<2>; ld.global.u32 %r0, [counter];\n"
				  "add.u32 %r1, %r0, 4; st.global.u32 [counter], %r1; ret; }\n";
	static struct {
		unsigned magic, version;
		const char *data;
		void *unused;
	} wrapper = {0x466243b1, 1, ptx, NULL};
	static char raise;
	static int *counter;
	void **handle = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterManagedVar(handle, (void **)&counter, (char *)"counter", "counter", 0, sizeof(int), 0, 0);
	__cudaRegisterFunction(handle, &raise, (char *)"raise", "raise", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(handle);
	__cudaInitModule(handle);
	CHECK(counter && *counter == 30);
	*counter = 500;
	SUCCEEDS(cudaLaunchKernel((const void *)&raise, dim3(1), dim3(1), NULL, 0, 0));
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(*counter == 504);
}

int main()
{
	int *by, *address, **room;
	size_t size;
	cudaPointerAttributes attributes;
	CHECK(number == 42 && table[0] == 7 && table[299] == 0 && total.count == 3 && total.sum == 0.5 && !pointer);
	SUCCEEDS(cudaMallocManaged(&by, sizeof *by));
	SUCCEEDS(cudaMallocManaged(&room, sizeof *room));
	number = 100;
	*by = 2;
	pointer = by;
	change<<<4, 128>>>(by);
	SUCCEEDS(cudaDeviceSynchronize());
	for (int i = 0; i < 300; i++)
		CHECK(table[i] == i + 100 + (i < 3 ? 7 + i : 0));
	CHECK(total.count == 3 + 2 * 512 && total.sum == 1.5);
	SUCCEEDS(cudaGetSymbolAddress((void **)&address, apart));
	CHECK(pointer == address + 2 && *by == 77);

	give_address<<<1, 1>>>(room);
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(*room == &number);
	SUCCEEDS(cudaGetSymbolAddress((void **)&address, number));
	CHECK(address == &number);
	SUCCEEDS(cudaGetSymbolSize(&size, table));
	CHECK(size == sizeof table);
	SUCCEEDS(cudaPointerGetAttributes(&attributes, &table[5]));
	CHECK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == &table[5]);

	int value = 5;
	SUCCEEDS(cudaMemcpyToSymbol(number, &value, sizeof value));
	CHECK(number == 5);
	number = 6;
	SUCCEEDS(cudaMemcpyFromSymbol(&value, number, sizeof value));
	CHECK(value == 6);
	SUCCEEDS(cudaMemset(&number, 0, sizeof number));
	CHECK(number == 0);
	FAILS(cudaErrorInvalidValue, cudaFree(&number));
	SUCCEEDS(cudaMemPrefetchAsync(&total, sizeof total, 0));
	test_nvcc();
	return finish();
}
