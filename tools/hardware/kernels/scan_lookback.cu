// scan_lookback: the inclusive scan of integers. In `lookback` one kernel reads the data once: blocks take tiles in
// order, publish their totals, and warps look back over the totals of earlier tiles. In `two_level` three kernels sum
// the tiles, scan the sums, and scan the tiles.
#include "sample.h"
#include "warp.h"

const int THREADS = 256, WARPS = THREADS / 32, EACH = 8, TILE = THREADS * EACH;

using Word = unsigned long long;

// States of a tile's word, in its high half. The low half is the total of the tile, or of all tiles up to it.
const Word TOTAL = 1ull << 32, PREFIX = 2ull << 32;
const int TRIES = 1 << 20;

// A thread's values, in registers.
struct Own {
	unsigned value[EACH];

	// Loads them; returns their sum.
	__device__ unsigned load(const unsigned *from)
	{
		const uint4 *four = (const uint4 *)from + threadIdx.x * (EACH / 4);
		unsigned sum = 0;
#pragma unroll
		for (int i = 0; i < EACH; i += 4) {
			uint4 v = four[i / 4];
			value[i] = v.x, value[i + 1] = v.y, value[i + 2] = v.z, value[i + 3] = v.w;
			sum += v.x + v.y + v.z + v.w;
		}
		return sum;
	}

	// Stores their inclusive scan, which begins after `before`.
	__device__ void store(unsigned *to, unsigned before)
	{
		uint4 *four = (uint4 *)to + threadIdx.x * (EACH / 4);
#pragma unroll
		for (int i = 0; i < EACH; i++)
			before = value[i] += before;
#pragma unroll
		for (int i = 0; i < EACH; i += 4)
			four[i / 4] = make_uint4(value[i], value[i + 1], value[i + 2], value[i + 3]);
	}
};

// Waits until the tile has published. After too many tries `late` is set.
__device__ Word wait(volatile Word *word, unsigned *late)
{
	for (int i = 0; i < TRIES; i++) {
		Word now = *word;
		if (now >= TOTAL)
			return now;
	}
	*late = 1;
	return PREFIX;
}

// The total of all tiles before `tile`. Called by a warp.
__device__ unsigned look_back(volatile Word *words, int tile, unsigned *late)
{
	int lane = threadIdx.x % 32;
	unsigned before = 0;
	for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
		Word word = nearest >= lane ? wait(&words[nearest - lane], late) : PREFIX;
		__syncwarp();
		unsigned complete = __ballot_sync(warp::ALL, word >= PREFIX);
		int last = complete ? __ffs(complete) - 1 : 31;
		before += warp::sum(lane <= last ? (unsigned)word : 0u);
		if (complete)
			break;
	}
	return before;
}

__global__ void scan_lookback(const unsigned *x, unsigned *y, Word *words, unsigned *next, unsigned *late)
{
	__shared__ unsigned scratch[WARPS], tile, before;
	if (threadIdx.x == 0)
		tile = atomicAdd(next, 1);
	__syncthreads();
	Own own;
	unsigned total, start = warp::block_scan<WARPS>(own.load(x + (size_t)tile * TILE), total, scratch);
	volatile Word *published = words;
	if (threadIdx.x < 32) {
		if (threadIdx.x == 0)
			published[tile] = (tile ? TOTAL : PREFIX) + total;
		unsigned sum = look_back(published, tile, late);
		if (threadIdx.x == 0) {
			if (tile)
				published[tile] = PREFIX + (sum + total);
			before = sum;
		}
	}
	__syncthreads();
	own.store(y + (size_t)tile * TILE, before + start);
}

__global__ void sum_tiles(const unsigned *x, unsigned *sums)
{
	__shared__ unsigned scratch[WARPS];
	Own own;
	unsigned total = warp::block_sum<WARPS>(own.load(x + (size_t)blockIdx.x * TILE), scratch);
	if (threadIdx.x == 0)
		sums[blockIdx.x] = total;
}

// One block. Exclusive.
__global__ void scan_sums(unsigned *sums, int count)
{
	__shared__ unsigned scratch[WARPS];
	unsigned before = 0, total;
	for (int first = 0; first < count; first += THREADS, before += total) {
		int i = first + threadIdx.x;
		unsigned at = warp::block_scan<WARPS>(i < count ? sums[i] : 0, total, scratch);
		if (i < count)
			sums[i] = before + at;
	}
}

__global__ void scan_tiles(const unsigned *x, unsigned *y, const unsigned *sums)
{
	__shared__ unsigned scratch[WARPS];
	Own own;
	unsigned total, start = warp::block_scan<WARPS>(own.load(x + (size_t)blockIdx.x * TILE), total, scratch);
	own.store(y + (size_t)blockIdx.x * TILE, sums[blockIdx.x] + start);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "scan_lookback", {"lookback", "two_level"});
	int n = arguments.number("elements", 1 << 18, 1 << 22, 1 << 26, "to scan, a multiple of 2048");
	arguments.end();
	arguments.require(n > 0 && n % TILE == 0 && n <= 1 << 29, "elements in multiples of 2048, to 2^29");
	program::Random random(arguments.seed());
	std::vector<unsigned> x(n), expected(n);
	unsigned sum = 0;
	for (int i = 0; i < n; i++)
		expected[i] = sum += x[i] = (unsigned)(random.next() >> 48);
	int tiles = n / TILE;
	program::Array<unsigned> device_x(x), device_y((size_t)n), sums((size_t)tiles), marks(2); // next tile, late
	program::Array<Word> words((size_t)tiles);
	words.clear();
	marks.clear();
	if (arguments.is("lookback")) {
		scan_lookback<<<tiles, THREADS>>>(device_x, device_y, words, marks, marks + 1);
	} else {
		sum_tiles<<<tiles, THREADS>>>(device_x, sums);
		scan_sums<<<1, THREADS>>>(sums, tiles);
		scan_tiles<<<tiles, THREADS>>>(device_x, device_y, sums);
	}
	CHECK(cudaGetLastError());

	program::Verdict verdict("scan_lookback");
	verdict.require(marks.read()[1] == 0, "no tile waits too long");
	verdict.equal("y", device_y.read(), expected);
	return verdict.status();
}
