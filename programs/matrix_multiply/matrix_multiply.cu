// matrix_multiply: C = A B for rectangular matrices of floats, 16 x 16 tiles of both buffered in shared memory. D2MA
// and CAPS call it MM; CAPS draws its Figure 1 with it (8 warps a block). Rows of a tile lie one matrix width apart,
// so the warps of a block load at one fixed stride and the base jumps from block to block; a loaded element is used 16
// times, so the transfers are a small share of the time. Size `paper` has the shape of the CUDA SDK's sample. D2MA's
// own form waits for its intrinsics.
#include "../program.h"

const int TILE = 16;

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
		for (int k = 0; k < TILE; k++)
			sum += tile_a[y][k] * tile_b[k][x];
		__syncthreads();
	}
	c[row * columns + column] = sum;
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
	program::Arguments arguments(argc, argv, "matrix_multiply");
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
	matrixMul<<<grid, block>>>(device_a, device_b, device_c, inner, columns);
	CHECK(cudaGetLastError());

	program::Verdict verdict("matrix_multiply");
	verdict.close("c", device_c.read(), multiply(a, b, rows, inner, columns), 1e-5);
	return verdict.status();
}
