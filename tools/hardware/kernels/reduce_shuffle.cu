// reduce_shuffle: the sum of integers. Threads read 16 bytes at a time and add; warps reduce by shuffles. Then each
// block (`block`, through shared memory), warp (`warp`) or thread (`thread`, without shuffles) adds its sum. It uses
// an atomic on one global word.
#include "sample.h"
#include "warp.h"

const int THREADS = 256, WARPS = THREADS / 32;

__device__ unsigned own_sum(const uint4 *x, int fours)
{
	unsigned sum = 0;
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < fours; i += gridDim.x * THREADS) {
		uint4 four = x[i];
		sum += four.x + four.y + four.z + four.w;
	}
	return sum;
}

__global__ void reduce_by_block(const uint4 *x, int fours, unsigned *total)
{
	__shared__ unsigned scratch[WARPS];
	unsigned sum = warp::block_sum<WARPS>(own_sum(x, fours), scratch);
	if (threadIdx.x == 0)
		atomicAdd(total, sum);
}

__global__ void reduce_by_warp(const uint4 *x, int fours, unsigned *total)
{
	unsigned sum = warp::sum(own_sum(x, fours));
	if (threadIdx.x % 32 == 0)
		atomicAdd(total, sum);
}

__global__ void reduce_by_thread(const uint4 *x, int fours, unsigned *total)
{
	atomicAdd(total, own_sum(x, fours));
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "reduce_shuffle", {"block", "warp", "thread"});
	int n = arguments.number("elements", 1 << 18, 1 << 23, 1 << 28, "to add, a multiple of 4");
	int blocks = arguments.number("blocks", 40, 320, 1056, "that share the elements");
	arguments.end();
	arguments.require(n > 0 && n % 4 == 0 && n <= 1 << 29 && blocks > 0 && blocks <= 65535, "elements and blocks");
	program::Random random(arguments.seed());
	std::vector<unsigned> x(n);
	unsigned expected = 0;
	for (unsigned &value : x)
		expected += value = (unsigned)random.next();
	program::Array<unsigned> device_x(x), total(1);
	total.clear();
	auto kernel = arguments.is("warp")     ? reduce_by_warp
	              : arguments.is("thread") ? reduce_by_thread
	                                       : reduce_by_block;
	kernel<<<blocks, THREADS>>>((const uint4 *)(unsigned *)device_x, n / 4, total);
	CHECK(cudaGetLastError());

	program::Verdict verdict("reduce_shuffle");
	verdict.equal("total", total.read(), std::vector<unsigned>{expected});
	return verdict.status();
}
