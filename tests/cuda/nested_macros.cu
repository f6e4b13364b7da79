// Protects launches in functions whose qualifiers are a program's macros: of one word, of several, of other macros,
// across lines.
#include "check.h"

#define KERNEL __global__
#define DEVICE __device__
#define INLINE_DEVICE static inline DEVICE // a macro and words
#define BOTH           \
	__host__       \
	__device__
#define ENTRY KERNEL

KERNEL void add(int *sum, int value)
{
	atomicAdd(sum, value);
}

DEVICE void by_device(int *sum)
{
	add<<<1, 2>>>(sum, 1);
}

INLINE_DEVICE void by_inline(int *sum)
{
	add<<<2, 2>>>(sum, 10);
}

BOTH void by_both(int *sum)
{
	add<<<1, 3>>>(sum, 100);
}

ENTRY void parent(int *sum)
{
	by_device(sum);
	by_inline(sum);
	by_both(sum);
	add<<<1, 1>>>(sum, 1000);
}

int main()
{
	int *sum, host = 0;
	SUCCEEDS(cudaMalloc(&sum, sizeof *sum));
	SUCCEEDS(cudaMemset(sum, 0, sizeof *sum));
	parent<<<1, 1>>>(sum);
	SUCCEEDS(cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host == 1342);
	by_both(sum);
	SUCCEEDS(cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host == 1642);
	return finish();
}
