// transpose: the transpose of a matrix, tile by tile through shared memory, so that reads and writes are both of whole
// rows. D2MA's TRANS1 (coalesced: blocks take the tiles row by row) and TRANS2 (diagonal: along diagonals). Both run
// the same code in different orders. In TRANS1, concurrent blocks write one column of tiles. Its rows are a whole
// matrix row apart and map to few L2 sets and memory channels, where they evict each other. A diagonal spreads them.
// Each block processes its tile `repeats` times. Only then can L2 miss 50 % of TRANS1's accesses and 4 % of TRANS2's
// (section 5.2), because the first time already misses every second access. In `coalesced_dma` and `diagonal_dma` the
// DMA engine buffers the tile, and skips the padding bank after each row.
#include "../program.h"

#include <sluice/dma.h>

const int TILE = 16;

__device__ void transpose_tile(float (*tile)[TILE + 1], const float *matrix, float *result, int size, int repeats,
                               int column, int row)
{
	int x = threadIdx.x, y = threadIdx.y;
	for (int i = 0; i < repeats; i++) {
		tile[y][x] = matrix[(row * TILE + y) * size + column * TILE + x];
		__syncthreads();
		result[(column * TILE + y) * size + row * TILE + x] = tile[x][y];
		__syncthreads();
	}
}

__device__ void transpose_tile_dma(float (*tile)[TILE + 1], const float *matrix, float *result, int size, int repeats,
                                   int column, int row)
{
	int x = threadIdx.x, y = threadIdx.y;
	const float *from = matrix + row * TILE * size + column * TILE;
	dma_set_datatype_float();
	dma_set_elements_per_bank(TILE);
	dma_configure_matrix(tile, from, TILE, TILE, size);
	for (int i = 1;; i++) {
		result[(column * TILE + y) * size + row * TILE + x] = tile[x][y];
		if (i == repeats)
			break;
		dma_execute(tile, from, 0);
	}
}

__global__ void transpose_coalesced(const float *matrix, float *result, int size, int repeats)
{
	__shared__ float tile[TILE][TILE + 1]; // the padding column puts a tile's columns in different banks
	transpose_tile(tile, matrix, result, size, repeats, blockIdx.x, blockIdx.y);
}

__global__ void transpose_diagonal(const float *matrix, float *result, int size, int repeats)
{
	__shared__ float tile[TILE][TILE + 1];
	int row = blockIdx.x, column = (blockIdx.x + blockIdx.y) % gridDim.x;
	transpose_tile(tile, matrix, result, size, repeats, column, row);
}

__global__ void transpose_coalesced_dma(const float *matrix, float *result, int size, int repeats)
{
	__shared__ float tile[TILE][TILE + 1];
	transpose_tile_dma(tile, matrix, result, size, repeats, blockIdx.x, blockIdx.y);
}

__global__ void transpose_diagonal_dma(const float *matrix, float *result, int size, int repeats)
{
	__shared__ float tile[TILE][TILE + 1];
	int row = blockIdx.x, column = (blockIdx.x + blockIdx.y) % gridDim.x;
	transpose_tile_dma(tile, matrix, result, size, repeats, column, row);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "transpose",
	                             {"coalesced", "diagonal", "coalesced_dma", "diagonal_dma"});
	int size = arguments.number("rows", 128, 1024, 1024, "rows and columns, a multiple of 16");
	int repeats = arguments.number("repeats", 2, 4, 12, "times that each block does its tile");
	arguments.end();
	arguments.require(size > 0 && size % TILE == 0 && size <= 16384, "rows that are a multiple of 16, to 16384");
	arguments.require(repeats > 0, "repeats of 1 or more");

	program::Random random(arguments.seed());
	std::vector<float> matrix = random.floats((size_t)size * size), expected(matrix.size());
	for (int y = 0; y < size; y++)
		for (int x = 0; x < size; x++)
			expected[(size_t)x * size + y] = matrix[(size_t)y * size + x];

	program::Array<float> source(matrix), result(matrix.size());
	auto kernel = arguments.is("diagonal")        ? transpose_diagonal
	              : arguments.is("coalesced_dma") ? transpose_coalesced_dma
	              : arguments.is("diagonal_dma")  ? transpose_diagonal_dma
	                                              : transpose_coalesced;
	kernel<<<dim3(size / TILE, size / TILE), dim3(TILE, TILE)>>>(source, result, size, repeats);
	CHECK(cudaGetLastError());

	program::Verdict verdict("transpose");
	verdict.equal("result", result.read(), expected);
	return verdict.status();
}
