// saxpy: y = a x + y. D2MA's running example (SAXPY): streams that are read once, with one multiply-add per element.
// Only memory bandwidth and the instructions that compute addresses matter. In the form `shared` the threads stage
// tiles of both vectors through shared memory, as in the paper's baseline. In `dma` the DMA engine loads them, each
// vector's to its own buffer (section 5.3). The other forms load the next tiles while the current ones are used:
// `async` with the threads' asynchronous copies, `tma` with bulk copies, `cudadma` with two additional warps. The
// blocks of all these forms divide the tiles, so that Figure 12's two blocks on one SM are `--blocks 2` and `-o
// sm.count=1`.
#include "../copies.h"

#include <sluice/dma.h>

const int BLOCK = 256, TILE = 1024, WARP = 32;

__global__ void saxpy(const float *x, float *y, float a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

// Computes y = a x + y for the thread's elements of the buffered tiles.
__device__ void add_tile(const float *tile_x, const float *tile_y, float *y, float a)
{
	const float *own_x = tile_x + threadIdx.x, *own_y = tile_y + threadIdx.x;
	float *to = y + threadIdx.x;
	for (int i = 0; i < TILE; i += BLOCK)
		to[i] = a * own_x[i] + own_y[i];
}

__device__ void copy_tile(float *tile, const float *vector)
{
	float *to = tile + threadIdx.x;
	const float *from = vector + threadIdx.x;
	for (int i = 0; i < TILE; i += BLOCK)
		to[i] = from[i];
}

__global__ void saxpy_shared(const float *x, float *y, float a, int n)
{
	__shared__ float tile_x[TILE], tile_y[TILE];
	for (int start = blockIdx.x * TILE; start < n; start += gridDim.x * TILE) {
		copy_tile(tile_x, x + start);
		copy_tile(tile_y, y + start);
		__syncthreads();
		add_tile(tile_x, tile_y, y + start, a);
		__syncthreads();
	}
}

__global__ void saxpy_dma(const float *x, float *y, float a, int n)
{
	__shared__ float tile_x[TILE], tile_y[TILE];
	int start = blockIdx.x * TILE;
	dma_set_datatype_float();
	dma_configure_flat_unit_stride(tile_x, x + start, TILE, 0);
	dma_configure_flat_unit_stride(tile_y, y + start, TILE, 1);
	for (;;) {
		add_tile(tile_x, tile_y, y + start, a);
		start += gridDim.x * TILE;
		if (start >= n)
			break;
		dma_execute(tile_x, x + start, 0);
		dma_execute(tile_y, y + start, 1);
	}
}

// The tiles that are used, and those that are loaded meanwhile.
struct Tiles {
	float x[2][TILE], y[2][TILE];
};

__device__ void fetch_async(Tiles &tiles, int half, const float *x, const float *y)
{
	copies::copy_async(tiles.x[half], x, TILE, threadIdx.x, BLOCK);
	copies::copy_async(tiles.y[half], y, TILE, threadIdx.x, BLOCK);
}

__global__ void saxpy_async(const float *x, float *y, float a, int n)
{
	__shared__ __align__(16) Tiles tiles;
	int start = blockIdx.x * TILE, step = gridDim.x * TILE;
	fetch_async(tiles, 0, x + start, y + start);
	__pipeline_commit();
	for (int half = 0; start < n; start += step, half ^= 1) {
		if (start + step < n)
			fetch_async(tiles, half ^ 1, x + start + step, y + start + step);
		__pipeline_commit();
		__pipeline_wait_prior(1);
		__syncthreads();
		add_tile(tiles.x[half], tiles.y[half], y + start, a);
		__syncthreads();
	}
}

__device__ void fetch_bulk(Tiles &tiles, int half, const float *x, const float *y, copies::Barrier &full)
{
	full.announce(2 * sizeof tiles.x[half]);
	copies::copy_bulk(tiles.x[half], x, sizeof tiles.x[half], full);
	copies::copy_bulk(tiles.y[half], y, sizeof tiles.y[half], full);
}

__global__ void saxpy_tma(const float *x, float *y, float a, int n)
{
	__shared__ __align__(128) Tiles tiles;
	__shared__ copies::Barrier full[2];
	int start = blockIdx.x * TILE, step = gridDim.x * TILE;
	if (threadIdx.x == 0) {
		full[0].init(), full[1].init();
		fetch_bulk(tiles, 0, x + start, y + start, full[0]);
	}
	__syncthreads();
	for (int tile = 0; start < n; start += step, tile++) {
		int half = tile & 1;
		if (threadIdx.x == 0 && start + step < n)
			fetch_bulk(tiles, half ^ 1, x + start + step, y + start + step, full[half ^ 1]);
		full[half].wait(tile / 2);
		add_tile(tiles.x[half], tiles.y[half], y + start, a);
		__syncthreads();
	}
}

using Halves = copies::Halves<BLOCK + 2 * WARP>;

__global__ void saxpy_cudadma(const float *x, float *y, float a, int n)
{
	__shared__ __align__(16) Tiles tiles;
	int step = gridDim.x * TILE, half = 0;
	bool copies_x = threadIdx.x < BLOCK + WARP;
	if (threadIdx.x >= BLOCK) {
		for (int start = blockIdx.x * TILE; start < n; start += step, half ^= 1) {
			Halves::wait_empty(half);
			copies::copy_by_warp<1, TILE>(copies_x ? tiles.x[half] : tiles.y[half], (copies_x ? x : y) + start, 0);
			Halves::arrive_full(half);
		}
		return;
	}
	Halves::arrive_empty(0);
	if (blockIdx.x * TILE + step < n)
		Halves::arrive_empty(1);
	for (int start = blockIdx.x * TILE; start < n; start += step, half ^= 1) {
		Halves::wait_full(half);
		add_tile(tiles.x[half], tiles.y[half], y + start, a);
		if (start + 2 * step < n)
			Halves::arrive_empty(half);
	}
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "saxpy", {"plain", "shared", "dma", "async", "tma", "cudadma"});
	int n = arguments.number("elements", 1 << 14, 1 << 19, 1 << 22, "length of the vectors, a multiple of 1024");
	int blocks = arguments.number("blocks", 6, 90, 90, "that share out the tiles of 1024 in all forms but plain");
	arguments.end();
	arguments.require(n > 0 && n % TILE == 0 && n <= 1 << 29, "elements that are a multiple of 1024, to 2^29");
	arguments.require(blocks > 0 && blocks <= n / TILE, "a block to each tile at most");

	program::Random random(arguments.seed());
	const float a = 2.5f;
	std::vector<float> x = random.floats(n, -1, 1), y = random.floats(n, -1, 1), expected(n);
	for (int i = 0; i < n; i++)
		expected[i] = a * x[i] + y[i];

	program::Array<float> device_x(x), device_y(y);
	bool is_plain = arguments.is("plain");
	auto kernel = arguments.is("shared")    ? saxpy_shared
	              : arguments.is("dma")     ? saxpy_dma
	              : arguments.is("async")   ? saxpy_async
	              : arguments.is("tma")     ? saxpy_tma
	              : arguments.is("cudadma") ? saxpy_cudadma
	                                        : saxpy;
	int threads = arguments.is("cudadma") ? BLOCK + 2 * WARP : BLOCK;
	kernel<<<is_plain ? program::blocks(n, BLOCK) : blocks, threads>>>(device_x, device_y, a, n);
	CHECK(cudaGetLastError());

	program::Verdict verdict("saxpy");
	verdict.close("y", device_y.read(), expected, 1e-6);
	return verdict.status();
}
