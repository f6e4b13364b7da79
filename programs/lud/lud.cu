// lud: LU decomposition in place without pivoting, in tiles. For each diagonal tile, one block decomposes it. Then a
// row of blocks solves the strips to the right and below, and a square of blocks subtracts their products from the
// rest. D2MA calls the last step LUD1 (internal) and the first LUD2 (diagonal), with tiles of 16. Scratchpad sharing
// runs lud_internal with tiles of 22 (`block22`: 3872 bytes, 484 threads). Tiles are buffered once per launch, with
// rows a matrix width apart, and the parallelism shrinks from step to step. The diagonal step is one block of one warp.
// In `dma` the DMA engine buffers the tiles of LUD1 and LUD2. The strips, which D2MA does not measure, are solved as in
// `plain`.
#include "../program.h"

#include <sluice/dma.h>

template <int TILE, bool BY_DMA = false> __device__ void decompose_diagonal(float *a, int n, int start)
{
	__shared__ float tile[TILE][TILE];
	int t = threadIdx.x;
	if (BY_DMA) {
		dma_set_datatype_float();
		dma_configure_matrix(tile, a + start * n + start, TILE, TILE, n);
	} else {
		for (int r = 0; r < TILE; r++)
			tile[r][t] = a[(start + r) * n + start + t];
		__syncthreads();
	}
	for (int i = 0; i < TILE - 1; i++) {
		if (t > i) { // column i of L
			for (int j = 0; j < i; j++)
				tile[t][i] -= tile[t][j] * tile[j][i];
			tile[t][i] /= tile[i][i];
		}
		__syncthreads();
		if (t > i) // row i + 1 of U
			for (int j = 0; j <= i; j++)
				tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
		__syncthreads();
	}
	for (int r = 0; r < TILE; r++)
		a[(start + r) * n + start + t] = tile[r][t];
}

template <int TILE> __device__ void solve_perimeter(float *a, int n, int start)
{
	__shared__ float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE];
	int t = threadIdx.x % TILE, half = threadIdx.x / TILE;
	int other = start + (blockIdx.x + 1) * TILE;
	for (int r = half; r < TILE; r += 2) {
		diagonal[r][t] = a[(start + r) * n + start + t];
		right[r][t] = a[(start + r) * n + other + t];
		below[r][t] = a[(other + r) * n + start + t];
	}
	__syncthreads();
	if (half == 0) { // a column of U
		for (int i = 1; i < TILE; i++)
			for (int j = 0; j < i; j++)
				right[i][t] -= diagonal[i][j] * right[j][t];
	} else { // a row of L
		for (int i = 0; i < TILE; i++) {
			for (int j = 0; j < i; j++)
				below[t][i] -= below[t][j] * diagonal[j][i];
			below[t][i] /= diagonal[i][i];
		}
	}
	__syncthreads();
	for (int r = half; r < TILE; r += 2) {
		a[(start + r) * n + other + t] = right[r][t];
		a[(other + r) * n + start + t] = below[r][t];
	}
}

template <int TILE, bool BY_DMA = false> __device__ void subtract_product(float *a, int n, int start)
{
	__shared__ float right[TILE][TILE], below[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int row = start + (blockIdx.y + 1) * TILE + y, column = start + (blockIdx.x + 1) * TILE + x;
	if (BY_DMA) {
		dma_set_datatype_float();
		dma_configure_matrix(right, a + start * n + column - x, TILE, TILE, n, DMA_ROW_MAJOR, 0);
		dma_configure_matrix(below, a + (row - y) * n + start, TILE, TILE, n, DMA_ROW_MAJOR, 1);
	} else {
		right[y][x] = a[(start + y) * n + column];
		below[y][x] = a[row * n + start + x];
		__syncthreads();
	}
	float sum = 0;
	for (int i = 0; i < TILE; i++)
		sum += below[y][i] * right[i][x];
	a[row * n + column] -= sum;
}

template <bool BY_DMA> __global__ void lud_diagonal(float *a, int n, int start)
{
	decompose_diagonal<16, BY_DMA>(a, n, start);
}
__global__ void lud_perimeter(float *a, int n, int start)
{
	solve_perimeter<16>(a, n, start);
}
template <bool BY_DMA> __global__ void lud_internal(float *a, int n, int start)
{
	subtract_product<16, BY_DMA>(a, n, start);
}
__global__ void lud_diagonal_22(float *a, int n, int start)
{
	decompose_diagonal<22>(a, n, start);
}
__global__ void lud_perimeter_22(float *a, int n, int start)
{
	solve_perimeter<22>(a, n, start);
}
__global__ void lud_internal_22(float *a, int n, int start)
{
	subtract_product<22>(a, n, start);
}

static void decompose_host(std::vector<double> &a, int n)
{
	for (int k = 0; k < n; k++)
		for (int row = k + 1; row < n; row++) {
			double factor = a[(size_t)row * n + k] /= a[(size_t)k * n + k];
			for (int column = k + 1; column < n; column++)
				a[(size_t)row * n + column] -= factor * a[(size_t)k * n + column];
		}
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "lud", {"plain", "block22", "dma"});
	int tiles = arguments.number("tiles", 4, 20, 32, "tiles a side, of 16 x 16 or 22 x 22 elements");
	arguments.end();
	arguments.require(tiles > 0 && tiles <= 256, "1 to 256 tiles");

	bool wide = arguments.is("block22"), by_dma = arguments.is("dma");
	int tile = wide ? 22 : 16, n = tiles * tile;
	program::Random random(arguments.seed());
	std::vector<float> a = random.floats((size_t)n * n);
	for (int i = 0; i < n; i++)
		a[(size_t)i * n + i] += (float)n; // a dominant diagonal needs no pivoting

	program::Array<float> device(a);
	auto diagonal = wide ? lud_diagonal_22 : by_dma ? lud_diagonal<true> : lud_diagonal<false>;
	auto perimeter = wide ? lud_perimeter_22 : lud_perimeter;
	auto internal = wide ? lud_internal_22 : by_dma ? lud_internal<true> : lud_internal<false>;
	for (int start = 0; start < n; start += tile) {
		int rest = (n - start) / tile - 1;
		diagonal<<<1, tile>>>(device, n, start);
		if (rest > 0) {
			perimeter<<<rest, 2 * tile>>>(device, n, start);
			internal<<<dim3(rest, rest), dim3(tile, tile)>>>(device, n, start);
		}
	}
	CHECK(cudaGetLastError());

	std::vector<double> expected(a.begin(), a.end());
	decompose_host(expected, n);
	program::Verdict verdict("lud");
	verdict.close("LU", device.read(), expected, 1e-5);
	return verdict.status();
}
