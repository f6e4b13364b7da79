// pairs: two kernels in two streams, chosen from five with different needs. A variant only chooses two others. An
// example that no paper uses: how do kernels affect each other when they share the machine? All data are whole numbers,
// so results are exact.
//
//   1 compute   arithmetic on registers
//   2 stream    reads two vectors and writes one: DRAM
//   3 table     all blocks read the same table, at a size of 11 KB, row by row: L1
//   4 tiles     transposes tiles in shared memory; three blocks fit on an SM of 48 KB
//   5 chase     follows a chain through 256 KB, a line at a time: latency
#include "../program.h"

const int BLOCK = 256, ROW = 32, TABLE = 8192, SIDE = 64, CHAIN = 2048, LINE = 32, CHASERS = 64;

__host__ __device__ static unsigned step(unsigned value)
{
	return value * 1664525u + 1013904223u;
}

__global__ void compute(const unsigned *in, unsigned *out, int rounds)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	unsigned value = in[i];
	for (int k = 0; k < rounds; k++)
		value = step(value);
	out[i] = value;
}

__global__ void stream(const unsigned *a, const unsigned *b, unsigned *out, int rounds, int n)
{
	for (int k = 0; k < rounds; k++) {
		int i = k * n + blockIdx.x * BLOCK + threadIdx.x;
		out[i] = a[i] + b[i];
	}
}

__global__ void table(const unsigned *values, unsigned *out, int rounds)
{
	unsigned sum = 0;
	for (int k = 0; k < rounds; k++)
		sum += values[threadIdx.x + ROW * k];
	out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

__global__ void tiles(const unsigned *in, unsigned *out, int rounds)
{
	__shared__ unsigned tile[SIDE * SIDE];
	int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
	const unsigned *from = in + blockIdx.x * SIDE * SIDE;
	for (int row = y; row < SIDE; row += BLOCK / SIDE)
		tile[row * SIDE + x] = from[row * SIDE + x];
	unsigned sum = 0;
	for (int k = 0; k < rounds; k++) {
		__syncthreads();
		for (int row = y; row < SIDE; row += BLOCK / SIDE)
			sum += tile[row * SIDE + (x + row + k) % SIDE];
	}
	out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

__global__ void chase(const unsigned *next, unsigned *out, int rounds)
{
	unsigned at = (blockIdx.x * 7 + threadIdx.x / 32) % CHAIN;
	for (int k = 0; k < rounds; k++)
		at = next[at * LINE];
	out[blockIdx.x * CHASERS + threadIdx.x] = at;
}

// The memory of one of the two kernels.
struct Part {
	int kind, blocks, rounds;
	std::vector<unsigned> a, b;
	program::Array<unsigned> device_a, device_b, out;
	cudaStream_t queue;

	static std::vector<unsigned> values(size_t count, program::Random &random)
	{
		std::vector<unsigned> list(count);
		for (unsigned &value : list)
			value = (unsigned)random.below(1 << 30);
		return list;
	}

	static size_t inputs(int kind, int blocks, int rounds)
	{
		return kind == 2   ? (size_t)blocks * BLOCK * rounds
		       : kind == 3 ? TABLE
		       : kind == 4 ? (size_t)blocks * SIDE * SIDE
		       : kind == 5 ? (size_t)CHAIN * LINE
		                   : (size_t)blocks * BLOCK;
	}

	// A chain through all lines: each line's next one is 5 lines further, and 5 and CHAIN have no common divisor.
	static std::vector<unsigned> chain()
	{
		std::vector<unsigned> next((size_t)CHAIN * LINE);
		for (int i = 0; i < CHAIN; i++)
			next[(size_t)i * LINE] = (unsigned)((i + 5) % CHAIN);
		return next;
	}

	Part(int kind, int blocks, int rounds, program::Random &random)
	    : kind(kind), blocks(blocks), rounds(rounds),
	      a(kind == 5 ? chain() : values(inputs(kind, blocks, rounds), random)),
	      b(kind == 2 ? values(a.size(), random) : std::vector<unsigned>(1)), device_a(a), device_b(b),
	      out(kind == 2 ? a.size() : (size_t)blocks * BLOCK)
	{
		CHECK(cudaStreamCreateWithFlags(&queue, cudaStreamNonBlocking));
	}

	void launch()
	{
		if (kind == 1)
			compute<<<blocks, BLOCK, 0, queue>>>(device_a, out, rounds);
		else if (kind == 2)
			stream<<<blocks, BLOCK, 0, queue>>>(device_a, device_b, out, rounds, blocks * BLOCK);
		else if (kind == 3)
			table<<<blocks, BLOCK, 0, queue>>>(device_a, out, rounds);
		else if (kind == 4)
			tiles<<<blocks, BLOCK, 0, queue>>>(device_a, out, rounds);
		else
			chase<<<blocks, CHASERS, 0, queue>>>(device_a, out, rounds);
		CHECK(cudaGetLastError());
	}

	unsigned expected(size_t i) const
	{
		size_t block = i / BLOCK, thread = i % BLOCK;
		unsigned value = kind == 1 ? a[i] : 0;
		if (kind == 2)
			return a[i] + b[i];
		if (kind == 5)
			return (unsigned)(((i / CHASERS) * 7 + i % CHASERS / 32 + (size_t)5 * rounds) % CHAIN);
		for (int k = 0; k < rounds; k++) {
			if (kind == 1)
				value = step(value);
			else if (kind == 3)
				value += a[thread + (size_t)ROW * k];
			else
				for (size_t row = thread / SIDE; row < SIDE; row += BLOCK / SIDE)
					value += a[block * SIDE * SIDE + row * SIDE + (thread % SIDE + row + k) % SIDE];
		}
		return value;
	}

	void check(program::Verdict &verdict, const char *name)
	{
		std::vector<unsigned> got = out.read(), want(kind == 5 ? (size_t)blocks * CHASERS : got.size());
		for (size_t i = 0; i < want.size(); i++)
			want[i] = expected(i);
		got.resize(want.size());
		verdict.equal(name, got, want);
	}
};

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "pairs", {"plain", "table_tiles", "chase_compute"});
	const std::string variant = arguments.variant();
	int usual = variant == "table_tiles"     ? 3
	            : variant == "chase_compute" ? 5
	                                         : 1,
	    other_usual = usual == 5 ? 1 : usual + 1;
	int first = arguments.number("first", usual, usual, usual, "the first kernel, 1 to 5");
	int second =
		arguments.number("second", other_usual, other_usual, other_usual, "the second kernel, 1 to 5; 0: none");
	int reversed = arguments.number("reversed", 0, 0, 0, "1: the second kernel is launched before the first");
	int blocks = arguments.number("blocks", 30, 180, 720, "blocks of each kernel");
	int scale = arguments.number("scale", 1, 4, 8, "rounds of each kernel, times its own number");
	arguments.end();
	arguments.require(first >= 1 && first <= 5, "first");
	arguments.require(second >= 0 && second <= 5, "second");
	arguments.require(reversed <= 1, "reversed");
	arguments.require(blocks > 0 && blocks <= 65536, "blocks");
	arguments.require(scale > 0 && scale <= 1000, "scale");

	arguments.require(((first != 3 && second != 3) || scale * 20 * ROW + BLOCK <= TABLE), "scale");

	const int rounds[] = {0, 200, 2, 20, 1, 20};
	program::Random random(arguments.seed());
	Part one(first, blocks, rounds[first] * scale, random);
	Part other(second ? second : first, blocks, rounds[second ? second : first] * scale, random);
	if (second && reversed)
		other.launch();
	one.launch();
	if (second && !reversed)
		other.launch();
	CHECK(cudaDeviceSynchronize());

	program::Verdict verdict("pairs");
	one.check(verdict, "first");
	if (second)
		other.check(verdict, "second");
	return verdict.status();
}
