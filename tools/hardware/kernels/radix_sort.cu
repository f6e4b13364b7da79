// radix_sort: least significant digit first, 8 passes over digits of 4 bits. In each pass, blocks count the digits of
// their tiles of 1024 keys (shared atomics). A two-level scan places the digits. The blocks sort their tiles by four
// one-bit splits in shared memory and scatter them.
#include "sorted.h"
#include "warp.h"

const int THREADS = 256, WARPS = THREADS / 32, EACH = 4, TILE = THREADS * EACH, BITS = 4, DIGITS = 1 << BITS;

// counts[digit * tiles + tile]
__global__ void count_digits(const unsigned *keys, unsigned *counts, int tiles, int shift)
{
	__shared__ unsigned own[DIGITS];
	if (threadIdx.x < DIGITS)
		own[threadIdx.x] = 0;
	__syncthreads();
	for (int i = threadIdx.x; i < TILE; i += THREADS)
		atomicAdd(&own[keys[(size_t)blockIdx.x * TILE + i] >> shift & (DIGITS - 1)], 1);
	__syncthreads();
	if (threadIdx.x < DIGITS)
		counts[threadIdx.x * tiles + blockIdx.x] = own[threadIdx.x];
}

// Scans a tile of `values` in place, exclusively. Returns its total.
__device__ unsigned scan_tile(unsigned *values, int count, unsigned before, unsigned *scratch)
{
	unsigned own[EACH], sum = 0, total;
	int first = threadIdx.x * EACH;
#pragma unroll
	for (int e = 0; e < EACH; e++)
		sum += own[e] = first + e < count ? values[first + e] : 0;
	before += warp::block_scan<WARPS>(sum, total, scratch);
#pragma unroll
	for (int e = 0; e < EACH; e++) {
		if (first + e < count)
			values[first + e] = before;
		before += own[e];
	}
	return total;
}

__global__ void scan_tiles(unsigned *values, int count, unsigned *totals)
{
	__shared__ unsigned scratch[WARPS];
	int first = blockIdx.x * TILE;
	unsigned total = scan_tile(values + first, count - first, 0, scratch);
	if (threadIdx.x == 0)
		totals[blockIdx.x] = total;
}

// One block.
__global__ void scan_totals(unsigned *totals, int count)
{
	__shared__ unsigned scratch[WARPS];
	unsigned before = 0;
	for (int first = 0; first < count; first += TILE)
		before += scan_tile(totals + first, count - first, before, scratch);
}

__global__ void add_totals(unsigned *values, int count, const unsigned *totals)
{
	int first = blockIdx.x * TILE;
	for (int i = first + threadIdx.x; i < count && i < first + TILE; i += THREADS)
		values[i] += totals[blockIdx.x];
}

// Moves the keys with a 0 at `bit` before those with a 1, through shared memory. The order is otherwise kept.
__device__ void split(unsigned (&own)[EACH], unsigned *tile, int bit, unsigned *scratch)
{
	unsigned zeros = 0, all_zeros;
#pragma unroll
	for (int e = 0; e < EACH; e++)
		zeros += ~own[e] >> bit & 1;
	unsigned before = warp::block_scan<WARPS>(zeros, all_zeros, scratch);
#pragma unroll
	for (int e = 0; e < EACH; e++) {
		bool one = own[e] >> bit & 1;
		tile[one ? all_zeros + threadIdx.x * EACH + e - before : before] = own[e];
		before += !one;
	}
	__syncthreads();
#pragma unroll
	for (int e = 0; e < EACH; e++)
		own[e] = tile[threadIdx.x * EACH + e];
	__syncthreads();
}

__global__ void scatter(const unsigned *keys, unsigned *to, const unsigned *places, int tiles, int shift)
{
	__shared__ unsigned tile[TILE], starts[DIGITS], scratch[WARPS];
	uint4 four = ((const uint4 *)keys)[(size_t)blockIdx.x * THREADS + threadIdx.x];
	unsigned own[EACH] = {four.x, four.y, four.z, four.w};
	for (int bit = shift; bit < shift + BITS; bit++)
		split(own, tile, bit, scratch);
	for (int i = threadIdx.x; i < TILE; i += THREADS) {
		unsigned digit = tile[i] >> shift & (DIGITS - 1);
		if (i == 0 || (tile[i - 1] >> shift & (DIGITS - 1)) != digit)
			starts[digit] = i;
	}
	__syncthreads();
	for (int i = threadIdx.x; i < TILE; i += THREADS) {
		unsigned key = tile[i], digit = key >> shift & (DIGITS - 1);
		to[places[digit * tiles + blockIdx.x] + i - starts[digit]] = key;
	}
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "radix_sort");
	int n = arguments.number("keys", 1 << 14, 1 << 19, 1 << 24, "of 32 bits, a multiple of 1024");
	arguments.end();
	arguments.require(n > 0 && n % TILE == 0 && n <= 1 << 28, "keys in multiples of 1024, to 2^28");
	program::Random random(arguments.seed());
	std::vector<unsigned> keys = sorted::keys(n, random);
	int tiles = n / TILE, counters = DIGITS * tiles, parts = program::blocks(counters, TILE);
	program::Array<unsigned> device_keys(keys), other((size_t)n), counts((size_t)counters), totals((size_t)parts);
	unsigned *from = device_keys, *to = other;
	for (int shift = 0; shift < 32; shift += BITS) {
		count_digits<<<tiles, THREADS>>>(from, counts, tiles, shift);
		scan_tiles<<<parts, THREADS>>>(counts, counters, totals);
		scan_totals<<<1, THREADS>>>(totals, parts);
		add_totals<<<parts, THREADS>>>(counts, counters, totals);
		scatter<<<tiles, THREADS>>>(from, to, counts, tiles, shift);
		CHECK(cudaGetLastError());
		std::swap(from, to);
	}

	program::Verdict verdict("radix_sort");
	sorted::check(verdict, device_keys.read(), keys);
	return verdict.status();
}
