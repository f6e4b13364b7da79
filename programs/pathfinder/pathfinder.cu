// pathfinder: the cheapest path through a grid of costs from the first row to the last, straight or diagonally down.
// TELEPORT and prefetch-CTA (PTF), D2MA (PATH). It is a one-dimensional stencil of three points that iterates 36 times,
// once per row. The form `plain` launches once per row. `shared`, TELEPORT's hand-written form, has a block's part of
// the row in shared memory and processes many rows in one launch. Each row needs one more ghost column on each side. In
// the form `dma`, D2MA's PATH, the DMA engine replaces the first lines of `shared`, which buffer the row.
#include "../program.h"

#include <sluice/dma.h>

const int BLOCK = 256;

__global__ void pathfinder(const int *costs, const int *sums, int *result, int columns)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	if (x >= columns)
		return;
	int best = sums[x];
	if (x > 0)
		best = min(best, sums[x - 1]);
	if (x < columns - 1)
		best = min(best, sums[x + 1]);
	result[x] = best + costs[x];
}

__global__ void pathfinder_shared(const int *costs, const int *sums, int *result, int columns, int rows)
{
	__shared__ int now[BLOCK], next[BLOCK];
	int tx = threadIdx.x;
	int x = blockIdx.x * (BLOCK - 2 * rows) - rows + tx;
	bool inside = x >= 0 && x < columns;
	if (inside)
		now[tx] = sums[x];
	bool west = x > 0, east = x < columns - 1, good = inside;
	for (int row = 1; row <= rows; row++) {
		__syncthreads();
		good = inside && tx >= row && tx < BLOCK - row;
		if (good) {
			int best = now[tx];
			if (west)
				best = min(best, now[tx - 1]);
			if (east)
				best = min(best, now[tx + 1]);
			next[tx] = best + costs[(row - 1) * columns + x];
		}
		if (row == rows)
			break;
		__syncthreads();
		if (good)
			now[tx] = next[tx];
	}
	if (good)
		result[x] = next[tx];
}

// The transfer loads those of the block's columns that are in the grid. Barriers order the rows, not the transfer.
__global__ void pathfinder_dma(const int *costs, const int *sums, int *result, int columns, int rows)
{
	__shared__ int now[BLOCK], next[BLOCK];
	int begin = blockIdx.x * (BLOCK - 2 * rows) - rows;
	int first = max(begin, 0), end = min(begin + BLOCK, columns);
	dma_set_datatype_int();
	dma_configure_flat_unit_stride(&now[first - begin], &sums[first], end - first);
	int tx = threadIdx.x, x = begin + tx;
	bool inside = x >= 0 && x < columns;
	bool west = x > 0, east = x < columns - 1, good = inside;
	for (int row = 1; row <= rows; row++) {
		good = inside && tx >= row && tx < BLOCK - row;
		if (good) {
			int best = now[tx];
			if (west)
				best = min(best, now[tx - 1]);
			if (east)
				best = min(best, now[tx + 1]);
			next[tx] = best + costs[(row - 1) * columns + x];
		}
		if (row == rows)
			break;
		__syncthreads();
		if (good)
			now[tx] = next[tx];
		__syncthreads();
	}
	if (good)
		result[x] = next[tx];
}

static std::vector<int> expect(const std::vector<int> &costs, int columns, int rows)
{
	std::vector<int> sums(costs.begin(), costs.begin() + columns), next(columns);
	for (int row = 1; row < rows; row++) {
		for (int x = 0; x < columns; x++) {
			int best = sums[x];
			if (x > 0)
				best = std::min(best, sums[x - 1]);
			if (x < columns - 1)
				best = std::min(best, sums[x + 1]);
			next[x] = best + costs[(size_t)row * columns + x];
		}
		sums.swap(next);
	}
	return sums;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "pathfinder", {"plain", "shared", "dma"});
	int columns = arguments.number("columns", 2000, 60000, 100000, "width of the grid");
	int rows = arguments.number("rows", 37, 37, 37, "of the grid, one more than iterations");
	int pyramid = arguments.number("pyramid", 20, 20, 20, "rows in one launch of shared and dma, 1 to 127");
	arguments.end();
	arguments.require(columns > 0 && rows > 1, "a grid of two rows or more");
	arguments.require(pyramid >= 1 && pyramid < BLOCK / 2, "a pyramid of 1 to 127 rows");

	program::Random random(arguments.seed());
	std::vector<int> costs((size_t)columns * rows);
	for (int &cost : costs)
		cost = random.below(10);

	program::Array<int> device_costs(costs), first(columns), second(columns);
	first.write(std::vector<int>(costs.begin(), costs.begin() + columns));
	int *from = first, *to = second;
	auto by_many_rows = arguments.is("dma") ? pathfinder_dma : pathfinder_shared;
	int pace = arguments.is("plain") ? 1 : pyramid;
	for (int row = 1; row < rows; row += pace) {
		int *these = device_costs + (size_t)row * columns;
		int now = std::min(pace, rows - row), blocks = program::blocks(columns, BLOCK - 2 * now);
		if (arguments.is("plain"))
			pathfinder<<<program::blocks(columns, BLOCK), BLOCK>>>(these, from, to, columns);
		else
			by_many_rows<<<blocks, BLOCK>>>(these, from, to, columns, now);
		CHECK(cudaGetLastError());
		std::swap(from, to);
	}

	program::Verdict verdict("pathfinder");
	verdict.equal("sums", from == first ? first.read() : second.read(), expect(costs, columns, rows));
	return verdict.status();
}
