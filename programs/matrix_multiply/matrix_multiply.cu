// matrix_multiply: C = A B for rectangular matrices of floats, 16 x 16 tiles of both buffered in shared memory. D2MA
// and CAPS call it MM; CAPS draws its Figure 1 with it (8 warps a block). Rows of a tile lie one matrix width apart,
// so the warps of a block load at one fixed stride and the base jumps from block to block; a loaded element is used 16
// times, so the transfers are a small share of the time. Size `paper` has the shape of the CUDA SDK's sample. In `dma`
// the DMA engine buffers the tiles, each matrix's in a buffer of its own; in `dma_double` two tiles more are on their
// way while these are multiplied.
#include "../program.h"

#include <sluice/dma.h>

const int TILE = 16;

// What the tiles add to the thread's sum.
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
	// Left in its middle: behind an `if` around the commands the compiler would add all products after these, with a
	// register for each factor.
	for (int t = TILE;; t += TILE) {
		sum = add_products(tile_a, tile_b, sum);
		if (t == inner)
			break;
		dma_execute(tile_a, a + t, 0);
		dma_execute(tile_b, b + t * columns, 1);
	}
	c[row * columns + column] = sum;
}

// Two tiles of each matrix by turns: while one is multiplied the other comes.
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
	program::Arguments arguments(argc, argv, "matrix_multiply", {"plain", "dma", "dma_double"});
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
	                                           : matrixMul;
	kernel<<<grid, block>>>(device_a, device_b, device_c, inner, columns);
	CHECK(cudaGetLastError());

	program::Verdict verdict("matrix_multiply");
	verdict.close("c", device_c.read(), multiply(a, b, rows, inner, columns), 1e-5);
	return verdict.status();
}
