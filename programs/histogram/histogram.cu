// histogram: counts how often each value occurs. Kernels count in shared memory and write one histogram per block, and
// another kernel adds these up.
//   histogram256  Scratchpad sharing's histogram (Tables 1 to 5) and CAPS's HST: 6 warps, each with 384 one-word
//                 counters that it updates with atomics. Words of four values are read across the whole grid.
//   histogram64   CAPS's HST with 64 bins: a byte counter for each thread and bin, so that no atomics are needed.
//   multiplexing  HG of the comparison with shared memory multiplexing (Tables 7 to 9): one warp, a byte counter for
//                 each thread and each of 224 bins.
//   vtb, vtb_pipe, co_vtb: two blocks of HG in one of two warps (Yang et al., PACT 2012). vtb: they use one array of
//     counters in turn. vtb_pipe: the next one in turn already loads its first values. co_vtb: each has its own
//     counters for the lower bins. Both use those of the upper bins in turn, for which the second rereads its values.
//     32 lower bins make 8192 bytes, so that two blocks fit in 16 KB, as for the other forms. Loops over values are
//     unrolled by 8, HG's as the compiler chooses. The forms of the paper execute half of HG's instructions.
//   tags          histogram256 with tagged counters, as in CUDA's sample, instead of atomics.
// Counters are in use from the first to the last instruction, so sharing them leaves little to overlap.
#include "../program.h"

const int BINS256 = 384, WARPS256 = 6, THREADS256 = 32 * WARPS256;  // 384 instead of 256, as in Table 3.
const int BINS64 = 64, THREADS64 = 64, VECTORS64 = 15;              // uint4 per thread: 240 byte values.
const int BINS = 224, LANES = 32, LOWER = 32, UPPER = BINS - LOWER; // HG's; a thread reads BINS values.
const unsigned TURNS = 2;                                           // HG blocks per block of its VTB forms.
const int AHEAD = 8;                                                // vtb_pipe's preloaded values; unroll factor.
const unsigned MERGE_THREADS = 64;

// Compares and swaps until no other lane interferes. Shared memory without atomics needs tagged writes instead, as
// Table 4's 13 instructions per byte suggest. This loop has about the same number of steps, but no races.
__device__ void add_one(unsigned *counter)
{
	unsigned seen = atomicOr(counter, 0), before;
	do {
		before = seen;
		seen = atomicCAS(counter, before, before + 1);
	} while (seen != before);
}

__global__ void histogram256Kernel(const unsigned *data, unsigned *partial, int words)
{
	__shared__ unsigned counters[WARPS256 * BINS256];
	for (int i = threadIdx.x; i < WARPS256 * BINS256; i += THREADS256)
		counters[i] = 0;
	__syncthreads();

	unsigned *ours = &counters[threadIdx.x / 32 * BINS256];
	for (int i = blockIdx.x * THREADS256 + threadIdx.x; i < words; i += gridDim.x * THREADS256)
		for (unsigned word = data[i], byte = 0; byte < 4; byte++, word >>= 8)
			add_one(&ours[word & 255]);
	__syncthreads();

	for (int bin = threadIdx.x; bin < BINS256; bin += THREADS256) {
		unsigned sum = 0;
		for (int warp = 0; warp < WARPS256; warp++)
			sum += counters[warp * BINS256 + bin];
		partial[blockIdx.x * BINS256 + bin] = sum;
	}
}

// Counts the upper six bits of each byte.
__device__ void count64(unsigned char *counters, unsigned word)
{
	counters[(word >> 2 & 63) * THREADS64]++;
	counters[(word >> 10 & 63) * THREADS64]++;
	counters[(word >> 18 & 63) * THREADS64]++;
	counters[(word >> 26 & 63) * THREADS64]++;
}

__global__ void histogram64(const uint4 *data, unsigned *partial)
{
	__shared__ unsigned words[BINS64 * THREADS64 / 4];
	unsigned char *counters = (unsigned char *)words; // for each bin, one row with a counter per thread
	for (int i = threadIdx.x; i < BINS64 * THREADS64 / 4; i += THREADS64)
		words[i] = 0;
	__syncthreads();

	// Adjacent threads count in adjacent words, each in its own bank.
	unsigned char *ours = &counters[threadIdx.x % 16 * 4 + threadIdx.x / 16];
	data += blockIdx.x * THREADS64 * VECTORS64 + threadIdx.x;
	for (int i = 0; i < VECTORS64; i++) {
		uint4 vector = data[i * THREADS64];
		count64(ours, vector.x);
		count64(ours, vector.y);
		count64(ours, vector.z);
		count64(ours, vector.w);
	}
	__syncthreads();

	// Each thread adds up one bin and begins in a different bank.
	unsigned sum = 0;
	for (int i = 0; i < THREADS64 / 4; i++) {
		unsigned four = words[threadIdx.x * (THREADS64 / 4) + (threadIdx.x + i) % (THREADS64 / 4)];
		sum += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255) + (four >> 24);
	}
	partial[blockIdx.x * BINS64 + threadIdx.x] = sum;
}

__global__ void merge(const unsigned *partial, unsigned *result, int count, int bins)
{
	__shared__ unsigned sums[MERGE_THREADS];
	unsigned sum = 0;
	for (int i = threadIdx.x; i < count; i += MERGE_THREADS)
		sum += partial[i * bins + blockIdx.x];
	sums[threadIdx.x] = sum;
	for (unsigned half = MERGE_THREADS / 2; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		result[blockIdx.x] = sums[0];
}

// HG's steps for the 32 threads of one plain block. Each thread has a row of counters.
__device__ void clear(unsigned char *row, int bins)
{
	for (int i = 0; i < bins; i++)
		row[i] = 0;
}

__device__ void add_rows(unsigned *partial, const unsigned char *counters, int bins)
{
	for (int bin = threadIdx.x; bin < bins; bin += LANES) {
		unsigned sum = 0;
		for (int lane = 0; lane < LANES; lane++)
			sum += counters[lane * bins + bin];
		partial[bin] = sum;
	}
}

__global__ void histogram256(const unsigned *data, unsigned *partial)
{
	__shared__ unsigned char counters[LANES * BINS];
	unsigned char *row = &counters[threadIdx.x * BINS];
	data += blockIdx.x * LANES * BINS + threadIdx.x;

	clear(row, BINS);
	for (int i = 0; i < BINS; i++)
		row[data[i * LANES]]++;
	__syncthreads();
	add_rows(&partial[blockIdx.x * BINS], counters, BINS);
}

// threadIdx.y selects one of the two blocks of the plain form.
__global__ void histogram256_vtb(const unsigned *data, unsigned *partial)
{
	__shared__ unsigned char counters[LANES * BINS];
	unsigned char *row = &counters[threadIdx.x * BINS];
	int block = blockIdx.x * TURNS + threadIdx.y;
	data += block * LANES * BINS + threadIdx.x;

	for (unsigned turn = 0; turn < TURNS; turn++) {
		if (threadIdx.y == turn) {
			clear(row, BINS);
#pragma unroll AHEAD
			for (int i = 0; i < BINS; i++)
				row[data[i * LANES]]++;
			program::barrier<LANES>(turn + 1);
			add_rows(&partial[block * BINS], counters, BINS);
		}
		__syncthreads();
	}
}

__global__ void histogram256_vtb_pipe(const unsigned *data, unsigned *partial)
{
	__shared__ unsigned char counters[LANES * BINS];
	unsigned char *row = &counters[threadIdx.x * BINS];
	int block = blockIdx.x * TURNS + threadIdx.y;
	data += block * LANES * BINS + threadIdx.x;

	unsigned next[AHEAD];
	for (int i = 0; i < AHEAD; i++)
		next[i] = data[i * LANES];
	for (unsigned turn = 0; turn < TURNS; turn++) {
		if (threadIdx.y == turn) {
			clear(row, BINS);
			for (int start = AHEAD; start < BINS; start += AHEAD)
				for (int i = 0; i < AHEAD; i++) {
					unsigned value = next[i];
					next[i] = data[(start + i) * LANES];
					row[value]++;
				}
			for (int i = 0; i < AHEAD; i++)
				row[next[i]]++;
			program::barrier<LANES>(turn + 1);
			add_rows(&partial[block * BINS], counters, BINS);
		}
		__syncthreads();
	}
}

// Counts those of the thread's values that are in `bins` bins from `first` on.
__device__ void count_some(const unsigned *data, unsigned char *row, unsigned first, unsigned bins)
{
#pragma unroll AHEAD
	for (int i = 0; i < BINS; i++) {
		unsigned bin = data[i * LANES] - first;
		if (bin < bins)
			row[bin]++;
	}
}

__global__ void histogram256_co_vtb(const unsigned *data, unsigned *partial)
{
	__shared__ unsigned char own[TURNS][LANES * LOWER], common[LANES * UPPER];
	unsigned char *lower = &own[threadIdx.y][threadIdx.x * LOWER], *upper = &common[threadIdx.x * UPPER];
	int block = blockIdx.x * TURNS + threadIdx.y;
	data += block * LANES * BINS + threadIdx.x;
	partial += block * BINS;
	bool first = threadIdx.y == 0;

	clear(lower, LOWER);
	if (first) {
		clear(upper, UPPER);
#pragma unroll AHEAD
		for (int i = 0; i < BINS; i++) {
			unsigned value = data[i * LANES];
			(value < LOWER ? lower : upper - LOWER)[value]++;
		}
	} else {
		count_some(data, lower, 0, LOWER);
	}
	program::barrier<LANES>(threadIdx.y + 1);
	add_rows(partial, own[threadIdx.y], LOWER);
	if (first)
		add_rows(&partial[LOWER], common, UPPER);
	__syncthreads();
	if (!first) {
		clear(upper, UPPER);
		count_some(data, upper, LOWER, UPPER);
		program::barrier<LANES>(threadIdx.y + 1);
		add_rows(&partial[LOWER], common, UPPER);
	}
}

// Values below `bins`, distributed as in an image: most are near two levels.
static unsigned make_value(program::Random &random, unsigned bins)
{
	unsigned level = random.below(3) ? bins / 4 : bins * 3 / 4;
	unsigned spread = random.below(bins / 4) + random.below(bins / 4);
	return level - bins / 4 + spread;
}

// As histogram256Kernel, with the way of CUDA's sample to count without atomics: each lane writes its counter with its
// own tag, until it reads this tag again. A counter's upper bits are the last lane's tag. The lanes' race is intended.
// The kernel is after all others, so that those keep their addresses.
const unsigned TAG_SHIFT = 27, COUNT_MASK = (1u << TAG_SHIFT) - 1;

__device__ void add_tagged(volatile unsigned *counter, unsigned tag)
{
	unsigned count;
	do {
		count = tag | ((*counter & COUNT_MASK) + 1);
		*counter = count;
	} while (*counter != count);
}

__global__ void histogram256Kernel_tags(const unsigned *data, unsigned *partial, int words)
{
	__shared__ unsigned counters[WARPS256 * BINS256];
	for (int i = threadIdx.x; i < WARPS256 * BINS256; i += THREADS256)
		counters[i] = 0;
	__syncthreads();

	unsigned *ours = &counters[threadIdx.x / 32 * BINS256], tag = threadIdx.x << TAG_SHIFT;
	for (int i = blockIdx.x * THREADS256 + threadIdx.x; i < words; i += gridDim.x * THREADS256)
		for (unsigned word = data[i], byte = 0; byte < 4; byte++, word >>= 8)
			add_tagged(&ours[word & 255], tag);
	__syncthreads();

	for (int bin = threadIdx.x; bin < BINS256; bin += THREADS256) {
		unsigned sum = 0;
		for (int warp = 0; warp < WARPS256; warp++)
			sum += counters[warp * BINS256 + bin] & COUNT_MASK;
		partial[blockIdx.x * BINS256 + bin] = sum;
	}
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "histogram",
	                             {"histogram256", "histogram64", "multiplexing", "vtb", "vtb_pipe", "co_vtb", "tags"});
	int blocks = arguments.number("blocks", 15, 120, 240, "blocks of histogram256Kernel");
	int kilobytes = arguments.number("kilobytes", 64, 4096, 65536, "data of histogram256 and histogram64");
	int groups =
		arguments.number("groups", 16, 512, 128, "histograms of 7168 values in HG's forms, an even number");
	arguments.end();
	arguments.require(blocks > 0 && blocks <= 4096, "1 to 4096 blocks");
	arguments.require(kilobytes > 0 && kilobytes <= 1 << 20, "1 to 1048576 kilobytes");
	arguments.require(groups > 0 && groups % TURNS == 0 && groups <= 1 << 16, "an even number of groups, to 65536");

	bool tags = arguments.is("tags"), is256 = tags || arguments.is("histogram256"), is64 = arguments.is("histogram64");
	int bins = is256 ? BINS256 : is64 ? BINS64 : BINS;
	size_t words = (size_t)kilobytes * 256;
	if (is64) {
		const int BLOCK_WORDS = THREADS64 * VECTORS64 * 4;
		blocks = program::blocks(words, BLOCK_WORDS);
		words = (size_t)blocks * BLOCK_WORDS;
	} else if (!is256) {
		blocks = groups;
		words = (size_t)groups * LANES * BINS;
	}

	program::Random random(arguments.seed());
	std::vector<unsigned> values(words), expected(bins);
	for (unsigned &word : values)
		if (is256 || is64)
			for (int i = 0; i < 4; i++) {
				unsigned byte = make_value(random, 256);
				word = word << 8 | byte;
				expected[is64 ? byte >> 2 : byte]++;
			}
		else
			expected[word = make_value(random, BINS)]++;

	program::Array<unsigned> data(values), partial((size_t)blocks * bins), result(bins);
	dim3 pair(LANES, TURNS);
	if (tags)
		histogram256Kernel_tags<<<blocks, THREADS256>>>(data, partial, (int)words);
	else if (is256)
		histogram256Kernel<<<blocks, THREADS256>>>(data, partial, (int)words);
	else if (is64)
		histogram64<<<blocks, THREADS64>>>((uint4 *)(unsigned *)data, partial);
	else if (arguments.is("multiplexing"))
		histogram256<<<groups, LANES>>>(data, partial);
	else if (arguments.is("vtb"))
		histogram256_vtb<<<groups / TURNS, pair>>>(data, partial);
	else if (arguments.is("vtb_pipe"))
		histogram256_vtb_pipe<<<groups / TURNS, pair>>>(data, partial);
	else
		histogram256_co_vtb<<<groups / TURNS, pair>>>(data, partial);
	merge<<<bins, MERGE_THREADS>>>(partial, result, blocks, bins);
	CHECK(cudaGetLastError());

	program::Verdict verdict("histogram");
	verdict.equal("counts", result.read(), expected);
	return verdict.status();
}
