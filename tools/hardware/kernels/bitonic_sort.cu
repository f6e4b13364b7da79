// bitonic_sort: a sorting network. Blocks sort tiles of 1024 keys in shared memory. Each later phase has steps of
// larger distance through global memory, one kernel each, and ends with the small distances in shared memory.
#include "sorted.h"

const int THREADS = 512, TILE = 2 * THREADS;

// Compares and exchanges the pair `pair` at distance `away`; phases sort runs of `run` keys, alternately up and down.
__device__ void exchange(unsigned *keys, unsigned first, unsigned pair, unsigned away, unsigned run)
{
	unsigned low = (pair & ~(away - 1)) * 2 + (pair & (away - 1)), high = low + away;
	bool up = ((first + low) & run) == 0;
	unsigned a = keys[low], b = keys[high];
	if ((a > b) == up) {
		keys[low] = b;
		keys[high] = a;
	}
}

// Phases `run` to `last_run`, only their distances within a tile.
__global__ void sort_tile(unsigned *keys, unsigned run, unsigned last_run)
{
	__shared__ unsigned tile[TILE];
	unsigned first = blockIdx.x * TILE, t = threadIdx.x;
	tile[t] = keys[first + t];
	tile[t + THREADS] = keys[first + t + THREADS];
	for (; run <= last_run; run *= 2)
		for (unsigned away = run / 2 < THREADS ? run / 2 : THREADS; away; away /= 2) {
			__syncthreads();
			exchange(tile, first, t, away, run);
		}
	__syncthreads();
	keys[first + t] = tile[t];
	keys[first + t + THREADS] = tile[t + THREADS];
}

__global__ void step(unsigned *keys, unsigned away, unsigned run)
{
	exchange(keys, 0, blockIdx.x * THREADS + threadIdx.x, away, run);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "bitonic_sort");
	int n = arguments.number("keys", 1 << 14, 1 << 18, 1 << 22, "of 32 bits, a power of two from 1024");
	arguments.end();
	arguments.require(n >= TILE && n <= 1 << 28 && (n & (n - 1)) == 0, "a power of two, 2^10 to 2^28");
	program::Random random(arguments.seed());
	std::vector<unsigned> keys = sorted::keys(n, random);
	program::Array<unsigned> device_keys(keys);
	sort_tile<<<n / TILE, THREADS>>>(device_keys, 2, TILE);
	for (unsigned run = 2 * TILE; run <= (unsigned)n; run *= 2) {
		for (unsigned away = run / 2; away >= TILE; away /= 2)
			step<<<n / TILE, THREADS>>>(device_keys, away, run);
		sort_tile<<<n / TILE, THREADS>>>(device_keys, run, run);
	}
	CHECK(cudaGetLastError());

	program::Verdict verdict("bitonic_sort");
	sorted::check(verdict, device_keys.read(), keys);
	return verdict.status();
}
