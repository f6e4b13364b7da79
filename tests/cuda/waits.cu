// Protects the scheduling of warps and of resident blocks: threads that poll in a loop, without a CUDA barrier. Such a
// program also ends in functional mode, as it does timed.
#include "check.h"
#include <cuda_runtime.h>
#include <vector>

// The first warp waits for the last one.
static __global__ void warps(int *out)
{
	__shared__ volatile int flag;
	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x == blockDim.x - 1)
		flag = 41;
	if (threadIdx.x < 32) {
		while (flag == 0)
			;
		if (threadIdx.x == 0)
			out[blockIdx.x] = flag + 1;
	}
}

// Each block except the last waits for the next one.
static __global__ void backwards(volatile int *flag)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x + 1 < gridDim.x)
		while (flag[blockIdx.x + 1] == 0)
			;
	flag[blockIdx.x] = blockIdx.x + 1 < gridDim.x ? flag[blockIdx.x + 1] + 1 : 1;
}

// Each block except the first waits for the previous one: the grid is larger than the resident blocks.
static __global__ void forwards(volatile int *sum)
{
	if (threadIdx.x)
		return;
	int before = 0;
	if (blockIdx.x)
		while ((before = sum[blockIdx.x - 1]) == 0)
			;
	sum[blockIdx.x] = before + (int)blockIdx.x + 1;
}

// The program's own barrier of all blocks. `early` counts the passes before another block had arrived.
static __global__ void meet(int *come, int *count, int rounds, int *early)
{
	for (int round = 1; round <= rounds; round++) {
		atomicAdd(&count[blockIdx.x], 1);
		__threadfence();
		__syncthreads();
		if (threadIdx.x == 0) {
			atomicAdd(come, 1);
			while (*(volatile int *)come < round * (int)gridDim.x)
				;
		}
		__syncthreads();
		int other = (blockIdx.x + threadIdx.x) % gridDim.x;
		if (((volatile int *)count)[other] < round * (int)blockDim.x)
			atomicAdd(early, 1);
		__syncthreads();
	}
}

// A lock that threads of all blocks take and hold for many instructions.
static __global__ void guarded(int *lock, volatile int *sum)
{
	if (threadIdx.x % 32)
		return;
	for (int i = 0; i < 3; i++) {
		while (atomicCAS(lock, 0, 1))
			;
		__threadfence();
		int old = *sum;
		for (int k = 0; k < 50; k++)
			__threadfence_block();
		*sum = old + 1;
		__threadfence();
		atomicExch(lock, 0);
	}
}

int main()
{
	const int resident = 15 * 4, many = 1000;
	int *at;
	std::vector<int> to(many);
	SUCCEEDS(cudaMalloc(&at, (many + 2) * sizeof *at));
	auto clear = [&] { SUCCEEDS(cudaMemset(at, 0, (many + 2) * sizeof *at)); };
	auto fetch = [&](int n) { SUCCEEDS(cudaMemcpy(to.data(), at, n * sizeof *at, cudaMemcpyDeviceToHost)); };

	warps<<<3, 256>>>(at);
	fetch(3);
	CHECK(to[0] == 42 && to[1] == 42 && to[2] == 42);

	clear();
	backwards<<<resident, 64>>>(at);
	fetch(resident);
	for (int i = 0; i < resident; i++)
		CHECK(to[i] == resident - i);

	clear();
	forwards<<<many, 64>>>(at);
	fetch(many);
	for (int i = 0; i < many; i++)
		CHECK(to[i] == (i + 1) * (i + 2) / 2);

	clear();
	meet<<<resident, 96>>>(at, at + 2, 5, at + 1);
	fetch(resident + 2);
	CHECK(to[0] == 5 * resident && to[1] == 0);
	for (int i = 0; i < resident; i++)
		CHECK(to[2 + i] == 5 * 96);

	clear();
	guarded<<<30, 64>>>(at, at + 1);
	fetch(2);
	CHECK(to[0] == 0 && to[1] == 30 * 2 * 3);
	return finish();
}
