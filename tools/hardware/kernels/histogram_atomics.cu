// histogram_atomics: counts of the 256 values of bytes. Atomics go to a block's counters in shared memory (`shared`),
// or directly to global memory (`global`). In `skewed`, which uses shared memory too, half of the bytes are equal, so
// that many lanes of a warp add to one counter.
#include "sample.h"

const int THREADS = 256, BINS = 256;

__global__ void count_shared(const unsigned *words, int n, unsigned *bins)
{
	__shared__ unsigned own[BINS];
	own[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
		unsigned word = words[i];
		for (int b = 0; b < 32; b += 8)
			atomicAdd(&own[word >> b & 255], 1);
	}
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void count_global(const unsigned *words, int n, unsigned *bins)
{
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
		unsigned word = words[i];
		for (int b = 0; b < 32; b += 8)
			atomicAdd(&bins[word >> b & 255], 1);
	}
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "histogram_atomics", {"shared", "global", "skewed"});
	int n = arguments.number("words", 1 << 15, 1 << 20, 1 << 25, "of four bytes");
	int blocks = arguments.number("blocks", 40, 320, 1056, "that share the words");
	arguments.end();
	arguments.require(n > 0 && n <= 1 << 29 && blocks > 0 && blocks <= 65535, "words and blocks");
	program::Random random(arguments.seed());
	std::vector<unsigned> words(n), expected(BINS);
	bool skewed = arguments.is("skewed");
	for (unsigned &word : words) {
		uint64_t bits = random.next();
		word = (unsigned)bits;
		if (skewed && bits >> 63)
			word = 0x07070707;
		for (int b = 0; b < 32; b += 8)
			expected[word >> b & 255]++;
	}
	program::Array<unsigned> device_words(words), bins((size_t)BINS);
	bins.clear();
	auto kernel = arguments.is("global") ? count_global : count_shared;
	kernel<<<blocks, THREADS>>>(device_words, n, bins);
	CHECK(cudaGetLastError());

	program::Verdict verdict("histogram_atomics");
	verdict.equal("bins", bins.read(), expected);
	return verdict.status();
}
