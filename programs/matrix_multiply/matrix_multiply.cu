// matrix_multiply: C = A B for rectangular matrices of floats, 16 x 16 tiles of both buffered in shared memory. D2MA
// and CAPS call it MM; CAPS draws its Figure 1 with it (8 warps per block). Rows of a tile are one matrix width apart.
// Therefore the warps of a block load at one fixed stride, and the base changes from block to block. A loaded element
// is used 16 times, so the transfers are a small part of the time. Size `paper` has the shape of the CUDA SDK's sample.
// In `dma` the DMA engine buffers the tiles, each matrix's in its own buffer. The other forms load the next two tiles
// during a multiplication: `dma_double` with the DMA engine, `async` with the threads' asynchronous copies, `tma` as
// tiles of tensors, and `cudadma` with two additional warps.
#include "../copies.h"

#include <sluice/dma.h>

const int TILE = 16, THREADS = TILE * TILE, WARP = 32;

// Adds the products of the tiles to the thread's sum.
__device__ float add_products(const float (*tile_a)[TILE], const float (*tile_b)[TILE], float sum)
{
#pragma unroll
	for (int k = 0; k < TILE; k++)
		sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
	return sum;
}

__global__ void matrixMul(const float *a, const float *b, float *c, int inner, int columns)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
	float sum = 0;
	for (int t = 0; t < inner; t += TILE) {
		tile_a[y][x] = a[row * inner + t + x];
		tile_b[y][x] = b[(t + y) * columns + column];
		__syncthreads();
		sum = add_products(tile_a, tile_b, sum);
		__syncthreads();
	}
	c[row * columns + column] = sum;
}

__global__ void matrixMul_dma(const float *a, const float *b, float *c, int inner, int columns)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
	a += blockIdx.y * TILE * inner;
	b += blockIdx.x * TILE;
	dma_set_datatype_float();
	dma_configure_matrix(tile_a, a, TILE, TILE, inner, DMA_ROW_MAJOR, 0);
	dma_configure_matrix(tile_b, b, TILE, TILE, columns, DMA_ROW_MAJOR, 1);
	int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;
	// The loop exits in its middle. With an `if` around the commands, the compiler would add all products after
	// them, with a register for each factor.
	for (int t = TILE;; t += TILE) {
		sum = add_products(tile_a, tile_b, sum);
		if (t == inner)
			break;
		dma_execute(tile_a, a + t, 0);
		dma_execute(tile_b, b + t * columns, 1);
	}
	c[row * columns + column] = sum;
}

// Two tiles of each matrix alternate: one is multiplied while the other is loaded.
__global__ void matrixMul_dma_double(const float *a, const float *b, float *c, int inner, int columns)
{
	__shared__ float tile_a[2][TILE][TILE], tile_b[2][TILE][TILE];
	a += blockIdx.y * TILE * inner;
	b += blockIdx.x * TILE;
	dma_set_datatype_float();
	dma_configure_matrix(tile_a[0], a, TILE, TILE, inner, DMA_ROW_MAJOR, 0);
	dma_configure_matrix(tile_b[0], b, TILE, TILE, columns, DMA_ROW_MAJOR, 1);
	if (inner > TILE) {
		dma_configure_matrix(tile_a[1], a + TILE, TILE, TILE, inner, DMA_ROW_MAJOR, 2);
		dma_configure_matrix(tile_b[1], b + TILE * columns, TILE, TILE, columns, DMA_ROW_MAJOR, 3);
	}
	int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;
	for (int t = TILE;;)
#pragma unroll
		for (int half = 0; half < 2; half++, t += TILE) {
			sum = add_products(tile_a[half], tile_b[half], sum);
			if (t == inner) {
				c[row * columns + column] = sum;
				return;
			}
			if (t + TILE < inner) {
				dma_execute(tile_a[half], a + t + TILE, 2 * half);
				dma_execute(tile_b[half], b + (t + TILE) * columns, 2 * half + 1);
			}
		}
}

// The tiles that are multiplied, and those that are loaded meanwhile.
struct Tiles {
	float a[2][TILE][TILE], b[2][TILE][TILE];
};

// 16 bytes per thread: the first threads copy the tile of A, the others that of B.
__device__ void fetch_async(Tiles &tiles, int half, const float *a, const float *b, int inner, int columns)
{
	const int EACH = THREADS / 4;
	int thread = threadIdx.y * TILE + threadIdx.x, row = thread % EACH / 4, column = thread % 4 * 4;
	if (thread < EACH)
		__pipeline_memcpy_async(&tiles.a[half][row][column], a + row * inner + column, 16);
	else if (thread < 2 * EACH)
		__pipeline_memcpy_async(&tiles.b[half][row][column], b + row * columns + column, 16);
}

__global__ void matrixMul_async(const float *a, const float *b, float *c, int inner, int columns)
{
	__shared__ __align__(16) Tiles tiles;
	a += blockIdx.y * TILE * inner;
	b += blockIdx.x * TILE;
	float sum = 0;
	fetch_async(tiles, 0, a, b, inner, columns);
	__pipeline_commit();
	for (int t = 0, half = 0; t < inner; t += TILE, half ^= 1) {
		if (t + TILE < inner)
			fetch_async(tiles, half ^ 1, a + t + TILE, b + (t + TILE) * columns, inner, columns);
		__pipeline_commit();
		__pipeline_wait_prior(1);
		__syncthreads();
		sum = add_products(tiles.a[half], tiles.b[half], sum);
		__syncthreads();
	}
	int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
	c[row * columns + column] = sum;
}

// `maps` holds the maps of A and B.
__device__ void fetch_tiles(Tiles &tiles, int half, const CUtensorMap *maps, int t, copies::Barrier &full)
{
	full.announce(sizeof tiles.a[half] + sizeof tiles.b[half]);
	copies::copy_tile(tiles.a[half], &maps[0], t, blockIdx.y * TILE, full);
	copies::copy_tile(tiles.b[half], &maps[1], blockIdx.x * TILE, t, full);
}

__global__ void matrixMul_tma(const CUtensorMap *maps, float *c, int inner, int columns)
{
	__shared__ __align__(128) Tiles tiles;
	__shared__ copies::Barrier full[2];
	bool is_first = threadIdx.x == 0 && threadIdx.y == 0;
	float sum = 0;
	if (is_first) {
		full[0].init(), full[1].init();
		fetch_tiles(tiles, 0, maps, 0, full[0]);
	}
	__syncthreads();
	for (int tile = 0; tile * TILE < inner; tile++) {
		int half = tile & 1, next = (tile + 1) * TILE;
		if (is_first && next < inner)
			fetch_tiles(tiles, half ^ 1, maps, next, full[half ^ 1]);
		full[half].wait(tile / 2);
		sum = add_products(tiles.a[half], tiles.b[half], sum);
		__syncthreads();
	}
	int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
	c[row * columns + column] = sum;
}

using Halves = copies::Halves<THREADS + 2 * WARP>;

__device__ void copy_tiles(Tiles &tiles, const float *a, const float *b, int inner, int columns)
{
	bool copies_a = threadIdx.x < THREADS + WARP;
	for (int t = 0, half = 0; t < inner; t += TILE, half ^= 1) {
		Halves::wait_empty(half);
		copies::copy_by_warp<TILE, TILE>(copies_a ? *tiles.a[half] : *tiles.b[half],
		                                 copies_a ? a + t : b + t * columns, copies_a ? inner : columns);
		Halves::arrive_full(half);
	}
}

// The block is one-dimensional: first the threads that compute, then two warps that copy.
__global__ void matrixMul_cudadma(const float *a, const float *b, float *c, int inner, int columns)
{
	__shared__ __align__(16) Tiles tiles;
	a += blockIdx.y * TILE * inner;
	b += blockIdx.x * TILE;
	if (threadIdx.x >= THREADS) {
		copy_tiles(tiles, a, b, inner, columns);
		return;
	}
	int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
	float sum = 0;
	Halves::arrive_empty(0);
	if (TILE < inner)
		Halves::arrive_empty(1);
	for (int t = 0, half = 0; t < inner; t += TILE, half ^= 1) {
		Halves::wait_full(half);
#pragma unroll
		for (int k = 0; k < TILE; k++)
			sum += tiles.a[half][y][k] * tiles.b[half][k][x];
		if (t + 2 * TILE < inner)
			Halves::arrive_empty(half);
	}
	c[(blockIdx.y * TILE + y) * columns + blockIdx.x * TILE + x] = sum;
}

static std::vector<float> multiply(const std::vector<float> &a, const std::vector<float> &b, int rows, int inner,
                                   int columns)
{
	std::vector<float> c((size_t)rows * columns, 0.0f);
	for (int row = 0; row < rows; row++)
		for (int k = 0; k < inner; k++)
			for (int column = 0; column < columns; column++)
				c[row * columns + column] += a[row * inner + k] * b[k * columns + column];
	return c;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "matrix_multiply", {"plain", "dma", "dma_double", "async", "tma", "cudadma"});
	int rows = arguments.number("rows", 80, 400, 400, "rows of A, a multiple of 16");
	int inner = arguments.number("inner", 48, 240, 240, "columns of A and rows of B, a multiple of 16");
	int columns = arguments.number("columns", 96, 320, 640, "columns of B, a multiple of 16");
	arguments.end();
	for (int size : {rows, inner, columns})
		arguments.require(size > 0 && size <= 16384 && size % TILE == 0, "sizes that are multiples of 16");

	program::Random random(arguments.seed());
	std::vector<float> a = random.floats((size_t)rows * inner), b = random.floats((size_t)inner * columns);

	program::Array<float> device_a(a), device_b(b), device_c((size_t)rows * columns);
	dim3 grid(columns / TILE, rows / TILE), block(TILE, TILE);
	auto kernel = arguments.is("dma")          ? matrixMul_dma
	              : arguments.is("dma_double") ? matrixMul_dma_double
	              : arguments.is("async")      ? matrixMul_async
	              : arguments.is("cudadma")    ? matrixMul_cudadma
	                                           : matrixMul;
	if (arguments.is("cudadma"))
		block = dim3(THREADS + 2 * WARP);
	program::Array<CUtensorMap> maps({copies::tiles_of(device_a, inner, rows, TILE, TILE),
	                                  copies::tiles_of(device_b, columns, inner, TILE, TILE)});
	if (arguments.is("tma"))
		matrixMul_tma<<<grid, block>>>(maps, device_c, inner, columns);
	else
		kernel<<<grid, block>>>(device_a, device_b, device_c, inner, columns);
	CHECK(cudaGetLastError());

	program::Verdict verdict("matrix_multiply");
	verdict.close("c", device_c.read(), multiply(a, b, rows, inner, columns), 1e-5);
	return verdict.status();
}
