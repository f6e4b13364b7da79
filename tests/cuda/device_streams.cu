// Protects the order of grids that kernels launch: what CUDA lets overlap does, and what it orders is ordered. Each
// grid enters a common clock when it begins and when it ends. Grids that poll for each other end only if they overlap.
#include "check.h"

enum { MOST = 64 };
__device__ volatile int begun[MOST], ended[MOST]; // times by grid; 0: not yet
__device__ int now;

static __device__ void work(int grid)
{
	begun[grid] = 1 + atomicAdd(&now, 1);
	for (int i = 0; i < 200; i++)
		__threadfence();
	ended[grid] = 1 + atomicAdd(&now, 1);
}

__global__ void plain(int grid)
{
	work(grid);
}

// Waits until the other grid has begun.
__global__ void meets(int grid, int other)
{
	begun[grid] = 1 + atomicAdd(&now, 1);
	while (!begun[other])
		;
	ended[grid] = 1 + atomicAdd(&now, 1);
}

__global__ void starts(int grid, int child)
{
	plain<<<1, 1>>>(child);
	work(grid);
}

struct times {
	int begun[MOST], ended[MOST];
	bool before(int first, int second) const
	{
		return ended[first] && begun[second] && ended[first] < begun[second];
	}
};

static times taken()
{
	times all;
	int none = 0;
	const times zero = {};
	SUCCEEDS(cudaDeviceSynchronize());
	SUCCEEDS(cudaMemcpyFromSymbol(all.begun, begun, sizeof all.begun));
	SUCCEEDS(cudaMemcpyFromSymbol(all.ended, ended, sizeof all.ended));
	SUCCEEDS(cudaMemcpyToSymbol(begun, zero.begun, sizeof zero.begun));
	SUCCEEDS(cudaMemcpyToSymbol(ended, zero.ended, sizeof zero.ended));
	SUCCEEDS(cudaMemcpyToSymbol(now, &none, sizeof none));
	return all;
}

// ---- what overlaps ----

// A grid and the one that launched it.
__global__ void meets_child()
{
	meets<<<1, 1>>>(1, 0);
	begun[0] = 1;
	while (!begun[1])
		;
}

// Grids of two blocks, each in the default stream of its block.
__global__ void of_blocks()
{
	meets<<<1, 1>>>(blockIdx.x, 1 - blockIdx.x);
}

__global__ void of_streams()
{
	for (int i = 0; i < 2; i++) {
		cudaStream_t stream;
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
		meets<<<1, 1, 0, stream>>>(i, 1 - i);
		cudaStreamDestroy(stream);
	}
}

__global__ void of_threads()
{
	meets<<<1, 1, 0, cudaStreamPerThread>>>(threadIdx.x, 1 - threadIdx.x);
}

__global__ void forgotten()
{
	for (int i = 0; i < 2; i++)
		meets<<<1, 1, 0, cudaStreamFireAndForget>>>(i, 1 - i);
}

// A grid of the default stream does not wait for those of other streams.
__global__ void of_default()
{
	cudaStream_t stream;
	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	meets<<<1, 1, 0, stream>>>(0, 1);
	meets<<<1, 1>>>(1, 0);
}

static void check_overlap()
{
	meets_child<<<1, 1>>>();
	CHECK(taken().ended[1]);
	void (*const kernels[])() = {of_streams, forgotten, of_default};
	for (auto kernel : kernels) {
		kernel<<<1, 1>>>();
		times all = taken();
		CHECK(all.ended[0] && all.ended[1]);
	}
	of_blocks<<<2, 1>>>();
	CHECK(taken().ended[1]);
	of_threads<<<1, 2>>>();
	CHECK(taken().ended[1]);
}

// ---- what is ordered ----

// The threads of a block share its default stream. A grid ends after those that it has launched.
__global__ void in_turn()
{
	starts<<<1, 1>>>(threadIdx.x, 8 + threadIdx.x);
}

__global__ void by_event()
{
	cudaStream_t first, second;
	cudaEvent_t event;
	cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
	cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
	plain<<<1, 1, 0, second>>>(0);
	starts<<<1, 1, 0, first>>>(1, 2);
	cudaEventRecord(event, first);
	meets<<<1, 1, 0, first>>>(3, 4); // not in the event
	cudaStreamWaitEvent(second, event, 0);
	meets<<<1, 1, 0, second>>>(4, 3);
	cudaEventDestroy(event);
}

__global__ void with_tail()
{
	plain<<<1, 1, 0, cudaStreamTailLaunch>>>(blockIdx.x);
	starts<<<1, 1>>>(8 + blockIdx.x, 16 + blockIdx.x);
	plain<<<1, 1, 0, cudaStreamFireAndForget>>>(24 + blockIdx.x);
	work(32 + blockIdx.x);
}

__global__ void holds_tail()
{
	with_tail<<<2, 1>>>();
	plain<<<1, 1>>>(63);
}

static void check_order()
{
	in_turn<<<1, 4>>>();
	times all = taken();
	for (int i = 0; i < 3; i++)
		CHECK(all.before(i, i + 1) && all.before(8 + i, i + 1));
	by_event<<<1, 1>>>();
	all = taken();
	CHECK(all.before(0, 4) && all.before(1, 4) && all.before(2, 4) && all.before(2, 3) && all.ended[4]);
	holds_tail<<<1, 1>>>();
	all = taken();
	for (int i = 0; i < 4; i++)
		for (int others = 8; others <= 32; others += 8)
			CHECK(all.before(others + i % 2, i / 2));
	CHECK(all.before(0, 1) != all.before(1, 0));
	CHECK(all.before(0, 63) && all.before(1, 63));
	// the next kernel of the host's stream follows all of it
	holds_tail<<<1, 1>>>();
	plain<<<1, 1>>>(50);
	all = taken();
	CHECK(all.before(63, 50));
}

// ---- many ----

__device__ int sum;
__global__ void add(int value)
{
	atomicAdd(&sum, value);
}
__global__ void launch_many()
{
	add<<<1, 1>>>(threadIdx.x);
	add<<<1, 1>>>(1000);
}

static void check_many()
{
	int total = 0, zero = 0;
	SUCCEEDS(cudaMemcpyToSymbol(sum, &zero, sizeof zero));
	launch_many<<<40, 32>>>();
	SUCCEEDS(cudaMemcpyFromSymbol(&total, sum, sizeof total));
	CHECK(total == 40 * (31 * 32 / 2 + 32 * 1000));
}

int main()
{
	check_overlap();
	check_order();
	check_many();
	return finish();
}
