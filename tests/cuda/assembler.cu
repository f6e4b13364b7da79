// Protects the text that sluice cc passes to clang: inline assembler may name special registers with one percent sign,
// as in nvcc, or with two.
#include "check.h"

__global__ void ask(unsigned *out)
{
	unsigned lane, thread;
	asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));
	asm("{ .reg .u32 x; mov.u32 x, %%tid.x; "
	    "add.u32 %0, x, %1; }"
	    : "=r"(thread)
	    : "r"(lane * 1000));
	out[threadIdx.x] = thread;
}

int main()
{
	unsigned *on_device, out[64];
	SUCCEEDS(cudaMalloc(&on_device, sizeof out));
	ask<<<1, 64>>>(on_device);
	SUCCEEDS(cudaMemcpy(out, on_device, sizeof out, cudaMemcpyDeviceToHost));
	for (unsigned i = 0; i < 64; i++)
		CHECK(out[i] == i + i % 32 * 1000);
	return finish();
}
