// matmul: C = A B for square matrices, tile by tile through shared memory. An example that no paper uses.
#include "../program.h"

const int TILE = 16;

__global__ void matmul(const float *a, const float *b, float *c, int width)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;
	for (int t = 0; t < width; t += TILE) {
		tile_a[y][x] = a[row * width + t + x];
		tile_b[y][x] = b[(t + y) * width + column];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += tile_a[y][k] * tile_b[k][x];
		__syncthreads();
	}
	c[row * width + column] = sum;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "matmul");
	int width = arguments.number("width", 64, 192, 512, "rows and columns, a multiple of 16");
	arguments.end();
	arguments.require(width > 0 && width % TILE == 0, "a width that is a multiple of 16");

	program::Random random(arguments.seed());
	size_t count = (size_t)width * width;
	std::vector<float> a = random.floats(count, -1, 1), b = random.floats(count, -1, 1);
	std::vector<double> expected(count);
	for (int i = 0; i < width; i++)
		for (int k = 0; k < width; k++)
			for (int j = 0; j < width; j++)
				expected[(size_t)i * width + j] += (double)a[(size_t)i * width + k] * b[(size_t)k * width + j];

	program::Array<float> device_a(a), device_b(b), device_c(count);
	dim3 grid(width / TILE, width / TILE), block(TILE, TILE);
	matmul<<<grid, block>>>(device_a, device_b, device_c, width);
	CHECK(cudaGetLastError());

	program::Verdict verdict("matmul");
	verdict.close("c", device_c.read(), expected, 1e-4);
	return verdict.status();
}
