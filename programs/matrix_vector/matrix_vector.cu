// matrix_vector: y = A x with A stored by rows, one thread per row. Scratchpad sharing uses it in its comparison with
// shared memory multiplexing (MV, Tables 7 to 9). A block of one warp loads a tile of 32 x 32 elements into shared
// memory row by row, so that loads coalesce. It reads the tile back by columns; a 33rd column avoids bank conflicts.
// The matrix is a stream that is read once. The block is small, and its 4224 bytes limit the blocks per SM. The forms
// of Yang et al. join two logical blocks in one block of 64 threads that has one tile. In `vtb` the halves use it in
// turn. In `vtb_pipe` one half loads its next tile into registers while the other one computes.
#include "../program.h"

const int TILE = 32;

__device__ float dot(const float row[TILE], const float *x)
{
	float sum = 0;
	for (int k = 0; k < TILE; k++)
		sum += row[k] * x[k];
	return sum;
}

__global__ void mv_shared(const float *a, const float *x, float *y, int columns)
{
	__shared__ float tile[TILE][TILE + 1];
	int t = threadIdx.x, first = blockIdx.x * TILE;
	float sum = 0;
	for (int start = 0; start < columns; start += TILE) {
		for (int r = 0; r < TILE; r++)
			tile[r][t] = a[(first + r) * columns + start + t];
		__syncthreads();
		sum += dot(tile[t], x + start);
		__syncthreads();
	}
	y[first + t] = sum;
}

__global__ void mv_shared_VTB(const float *a, const float *x, float *y, int columns)
{
	__shared__ float tile[TILE][TILE + 1];
	int t = threadIdx.x % TILE, half = threadIdx.x / TILE;
	int first = (blockIdx.x * 2 + half) * TILE;
	float sum = 0;
	for (int start = 0; start < columns; start += TILE)
		for (int turn = 0; turn < 2; turn++) {
			if (half == turn) {
				for (int r = 0; r < TILE; r++)
					tile[r][t] = a[(first + r) * columns + start + t];
				program::barrier<TILE>(half + 1); // barrier of one logical block
				sum += dot(tile[t], x + start);
			}
			__syncthreads();
		}
	y[first + t] = sum;
}

__global__ void mv_shared_VTB_PIPE(const float *a, const float *x, float *y, int columns)
{
	__shared__ float tile[TILE][TILE + 1];
	int t = threadIdx.x % TILE, half = threadIdx.x / TILE;
	int first = (blockIdx.x * 2 + half) * TILE;
	float sum = 0, next[TILE]; // the next tile, one row per register
	int steps = columns / TILE * 2 + 1;
	for (int step = 0; step < steps; step++) {
		if (step % 2 != half) { // computing
			if (step > 0) {
#pragma unroll
				for (int r = 0; r < TILE; r++)
					tile[r][t] = next[r];
				program::barrier<TILE>(half + 1);
				sum += dot(tile[t], x + (step - 1) / 2 * TILE);
			}
		} else if (step / 2 * TILE < columns) { // loading
#pragma unroll
			for (int r = 0; r < TILE; r++)
				next[r] = a[(first + r) * columns + step / 2 * TILE + t];
		}
		__syncthreads();
	}
	y[first + t] = sum;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "matrix_vector", {"plain", "vtb", "vtb_pipe"});
	int rows = arguments.number("rows", 1024, 8192, 32768, "rows of A, a multiple of 64");
	int columns = arguments.number("columns", 192, 1024, 1024, "columns of A, a multiple of 32");
	arguments.end();
	arguments.require(rows > 0 && rows % (2 * TILE) == 0 && rows <= 32768, "rows that are a multiple of 64");
	arguments.require(columns > 0 && columns % TILE == 0 && columns <= 32768, "columns that are a multiple of 32");

	program::Random random(arguments.seed());
	std::vector<float> a = random.floats((size_t)rows * columns), x = random.floats(columns);
	std::vector<double> expected(rows);
	for (int row = 0; row < rows; row++)
		for (int k = 0; k < columns; k++)
			expected[row] += (double)a[(size_t)row * columns + k] * x[k];

	program::Array<float> device_a(a), device_x(x), device_y(rows);
	if (arguments.is("vtb"))
		mv_shared_VTB<<<rows / TILE / 2, 2 * TILE>>>(device_a, device_x, device_y, columns);
	else if (arguments.is("vtb_pipe"))
		mv_shared_VTB_PIPE<<<rows / TILE / 2, 2 * TILE>>>(device_a, device_x, device_y, columns);
	else
		mv_shared<<<rows / TILE, TILE>>>(device_a, device_x, device_y, columns);
	CHECK(cudaGetLastError());

	program::Verdict verdict("matrix_vector");
	verdict.close("y", device_y.read(), expected, 1e-5);
	return verdict.status();
}
