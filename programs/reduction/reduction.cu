// reduction: the sum of an array of integers in two kernels. TELEPORT and prefetch-CTA call it RDC. Nearly all accesses
// are those of reduce_grid, whose threads walk through the array with the stride of the whole grid. Its two load
// indexes are an induction variable and depend on control, so an analyzer of one block's range cannot handle them. The
// two of reduce_partials are precalculable, but it adds only one number per block of the first kernel. Half of the
// indexes are precalculable and the coverage is about zero.
#include "../program.h"

const int BLOCK = 256, BLOCKS = 64;
const int LAST = BLOCKS / 2; // threads that add the blocks' sums, two per thread

// Adds up the values of the block's threads. The sum is in sums[0] for thread 0.
__device__ void add_up(int *sums, int mine)
{
	int t = threadIdx.x;
	sums[t] = mine;
	__syncthreads();
	for (int distance = blockDim.x / 2; distance > 0; distance /= 2) {
		if (t < distance)
			sums[t] += sums[t + distance];
		__syncthreads();
	}
}

__global__ void reduce_grid(const int *in, int *partial, int n)
{
	__shared__ int sums[BLOCK];
	int mine = 0;
	for (int i = blockIdx.x * (2 * BLOCK) + threadIdx.x; i < n; i += gridDim.x * (2 * BLOCK)) {
		mine += in[i];
		if (i + BLOCK < n)
			mine += in[i + BLOCK];
	}
	add_up(sums, mine);
	if (threadIdx.x == 0)
		partial[blockIdx.x] = sums[0];
}

__global__ void reduce_partials(const int *partial, int *sum)
{
	__shared__ int sums[LAST];
	int i = blockIdx.x * (2 * LAST) + threadIdx.x;
	add_up(sums, partial[i] + partial[i + LAST]);
	if (threadIdx.x == 0)
		sum[blockIdx.x] = sums[0];
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "reduction");
	int n = arguments.number("elements", 100000, 1 << 23, 1 << 24, "integers to add");
	arguments.end();
	arguments.require(n > 0 && n <= 1 << 28, "1 to 2^28 elements");

	program::Random random(arguments.seed());
	std::vector<int> in(n);
	std::vector<int> expected(1, 0);
	for (int &value : in) {
		value = (int)random.below(8);
		expected[0] += value;
	}

	program::Array<int> device_in(in), partial(BLOCKS), sum(1);
	reduce_grid<<<BLOCKS, BLOCK>>>(device_in, partial, n);
	reduce_partials<<<1, LAST>>>(partial, sum);
	CHECK(cudaGetLastError());

	program::Verdict verdict("reduction");
	verdict.equal("sum", sum.read(), expected);
	return verdict.status();
}
