// saxpy: y = a x + y. D2MA's running example (SAXPY): streams that are read once, with a multiply-add an element, so that
// memory bandwidth and the instructions that compute addresses are all there is. The form `shared` stages tiles of both
// vectors through shared memory by the threads, as the paper's baseline does; in `dma` the DMA engine brings them, each
// vector's to a buffer of its own (section 5.3). The blocks of both share out the tiles, so that Figure 12's two blocks
// on one SM are `--blocks 2` and `-o sm.count=1`.
#include "../program.h"

#include <sluice/dma.h>

const int BLOCK = 256, TILE = 1024;

__global__ void saxpy(const float *x, float *y, float a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

// y = a x + y of the thread's elements of the buffered tiles.
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

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "saxpy", {"plain", "shared", "dma"});
	int n = arguments.number("elements", 1 << 14, 1 << 19, 1 << 22, "length of the vectors, a multiple of 1024");
	int blocks = arguments.number("blocks", 6, 90, 90, "that share out the tiles of 1024 in shared and dma");
	arguments.end();
	arguments.require(n > 0 && n % TILE == 0 && n <= 1 << 29, "elements that are a multiple of 1024, to 2^29");
	arguments.require(blocks > 0 && blocks <= n / TILE, "a block to each tile at most");

	program::Random random(arguments.seed());
	const float a = 2.5f;
	std::vector<float> x = random.floats(n, -1, 1), y = random.floats(n, -1, 1), expected(n);
	for (int i = 0; i < n; i++)
		expected[i] = a * x[i] + y[i];

	program::Array<float> device_x(x), device_y(y);
	if (arguments.is("shared"))
		saxpy_shared<<<blocks, BLOCK>>>(device_x, device_y, a, n);
	else if (arguments.is("dma"))
		saxpy_dma<<<blocks, BLOCK>>>(device_x, device_y, a, n);
	else
		saxpy<<<program::blocks(n, BLOCK), BLOCK>>>(device_x, device_y, a, n);
	CHECK(cudaGetLastError());

	program::Verdict verdict("saxpy");
	verdict.close("y", device_y.read(), expected, 1e-6);
	return verdict.status();
}
