// Protects the registration of device and constant variables and the symbol calls: access from the host by address and
// by name.
#include "check.h"

__device__ int counter = 7;
__constant__ float table[4] = {1, 2, 3, 4};
static __device__ double hidden[3];
struct pair {
	int a;
	double b;
};
__constant__ pair both = {5, 2.5};

__global__ void use(float *out)
{
	out[threadIdx.x] = table[threadIdx.x] * counter + hidden[1] + both.a * both.b;
	if (threadIdx.x == 0)
		counter++;
}

int main()
{
	float *out, got[4], values[2] = {10, 20};
	double second = 0.5;
	SUCCEEDS(cudaMalloc(&out, sizeof got));
	SUCCEEDS(cudaMemcpyToSymbol(table, values, sizeof values, sizeof(float)));
	SUCCEEDS(cudaMemcpyToSymbol(hidden, &second, sizeof second, sizeof(double)));
	use<<<1, 4>>>(out);
	SUCCEEDS(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got[0] == 7 + 0.5f + 12.5f && got[1] == 83 && got[2] == 153 && got[3] == 41);

	int count;
	SUCCEEDS(cudaMemcpyFromSymbol(&count, counter, sizeof count));
	CHECK(count == 8);
	count = 100;
	SUCCEEDS(cudaMemcpyToSymbol("counter", &count, sizeof count));
	int *address;
	size_t size;
	SUCCEEDS(cudaGetSymbolAddress((void **)&address, counter));
	SUCCEEDS(cudaMemcpy(&count, address, sizeof count, cudaMemcpyDeviceToHost));
	CHECK(count == 100);
	SUCCEEDS(cudaGetSymbolSize(&size, table));
	CHECK(size == sizeof(float[4]));
	SUCCEEDS(cudaMemcpyToSymbolAsync(counter, out, sizeof count, 0, cudaMemcpyDeviceToDevice));

	FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol("no_such_variable", &count, sizeof count));
	FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(counter, got, 8));
	return finish();
}
