// scan: the exclusive prefix sums of an array of integers, CAPS's SCN. Each block scans a tile of 1024 in shared memory
// and writes its sum. The sums are scanned in the same way, as often as needed. Then each block adds the preceding sum
// to its tile. A thread loads four values at once, without a loop over global memory. A warp's load is four lines, at a
// fixed stride from the next warp's. A prefetcher within warps cannot use this stride, but one across the warps of a
// block can.
#include "../program.h"

const int BLOCK = 256, TILE = 4 * BLOCK;

__global__ void scan_tiles(const uint4 *values, uint4 *result, unsigned *sums)
{
	__shared__ unsigned partial[2 * BLOCK]; // zeros, followed by the threads' sums
	int place = BLOCK + threadIdx.x, at = blockIdx.x * BLOCK + threadIdx.x;

	uint4 four = values[at];
	unsigned total = four.x + four.y + four.z + four.w, sum = total;
	partial[threadIdx.x] = 0;
	partial[place] = total;
	__syncthreads();
	for (int distance = 1; distance < BLOCK; distance *= 2) {
		sum += partial[place - distance];
		__syncthreads();
		partial[place] = sum;
		__syncthreads();
	}

	unsigned before = sum - total;
	result[at] = make_uint4(before, before + four.x, before + four.x + four.y, before + four.x + four.y + four.z);
	if (threadIdx.x == BLOCK - 1)
		sums[blockIdx.x] = sum;
}

__global__ void add_sums(uint4 *result, const unsigned *sums)
{
	__shared__ unsigned before;
	if (threadIdx.x == 0)
		before = sums[blockIdx.x];
	__syncthreads();
	int at = blockIdx.x * BLOCK + threadIdx.x;
	uint4 four = result[at];
	result[at] = make_uint4(four.x + before, four.y + before, four.z + before, four.w + before);
}

// Scans whole tiles in place.
static void scan(unsigned *values, int tiles)
{
	// The sums also fill whole tiles, with zeros at the end.
	program::Array<unsigned> sums((size_t)program::blocks(tiles, TILE) * TILE);
	sums.clear();
	scan_tiles<<<tiles, BLOCK>>>((uint4 *)values, (uint4 *)values, sums);
	if (tiles == 1)
		return;
	scan(sums, program::blocks(tiles, TILE));
	add_sums<<<tiles, BLOCK>>>((uint4 *)values, sums);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "scan");
	int tiles = arguments.number("tiles", 64, 2048, 4096, "tiles of 1024 values");
	arguments.end();
	arguments.require(tiles > 0 && tiles <= 1 << 16, "1 to 65536 tiles");

	program::Random random(arguments.seed());
	std::vector<unsigned> values((size_t)tiles * TILE), expected(values.size());
	unsigned sum = 0;
	for (size_t i = 0; i < values.size(); i++) {
		values[i] = random.below(1000);
		expected[i] = sum;
		sum += values[i];
	}

	program::Array<unsigned> device_values(values);
	scan(device_values, tiles);
	CHECK(cudaGetLastError());

	program::Verdict verdict("scan");
	verdict.equal("sums", device_values.read(), expected);
	return verdict.status();
}
