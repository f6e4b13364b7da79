// gather: y[i] = table[index[i]] for random indices. Each lane reads another sector, so that the number of requests and
// of misses limits it. The table fits an L1 cache in `l1`, an L2 cache in `l2`, and neither in `memory`.
#include "sample.h"

const int THREADS = 256;

__global__ void gather(const unsigned *table, const unsigned *index, unsigned *y, int n)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i < n)
		y[i] = table[index[i]];
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "gather", {"memory", "l2", "l1"});
	int n = arguments.number("elements", 1 << 16, 1 << 21, 1 << 25, "of the result");
	int words = arguments.number("table", 1 << 18, 1 << 23, 1 << 26, "words of the table in `memory`");
	int l2 = arguments.number("table-l2", 1 << 16, 1 << 20, 1 << 22, "words of the table in `l2`");
	int l1 = arguments.number("table-l1", 1 << 12, 1 << 12, 1 << 13, "words of the table in `l1`");
	arguments.end();
	words = arguments.is("l1") ? l1 : arguments.is("l2") ? l2 : words;
	arguments.require(n > 0 && words > 0 && n <= 1 << 29 && words <= 1 << 29, "elements and a table");
	program::Random random(arguments.seed());
	std::vector<unsigned> table(words), index(n);
	for (unsigned &word : table)
		word = (unsigned)random.next();
	for (unsigned &one : index)
		one = random.below(words);
	program::Array<unsigned> device_table(table), device_index(index), device_y((size_t)n);
	gather<<<program::blocks(n, THREADS), THREADS>>>(device_table, device_index, device_y, n);
	CHECK(cudaGetLastError());

	std::vector<unsigned> y = device_y.read(), got, want;
	for (size_t at : sample::positions(n, 1 << 20, random)) {
		got.push_back(y[at]);
		want.push_back(table[index[at]]);
	}
	program::Verdict verdict("gather");
	verdict.equal("y", got, want);
	return verdict.status();
}
