// matrix_add: C = A + B for square matrices of floats, one thread per element. TELEPORT and prefetch-CTA call it MMA. A
// thread accesses 12 bytes, each once, so nothing is reused, and the row of a 16 x 16 block is half a line. Only the
// time and order of the line requests matter. The kernel has no bounds check. TELEPORT counts 26 static PTX
// instructions for it and 40 for the form `shared`, written by hand, which passes both tiles through shared memory
// (Tables 4 and 5).
#include "../program.h"

const int TILE = 16;

__global__ void matrix_add(const float *a, const float *b, float *c, int width)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int i = y * width + x;
	c[i] = a[i] + b[i];
}

__global__ void matrix_add_shared(const float *a, const float *b, float *c, int width)
{
	__shared__ float tile_a[TILE][TILE];
	__shared__ float tile_b[TILE][TILE];
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int i = y * width + x;
	tile_a[threadIdx.y][threadIdx.x] = a[i];
	tile_b[threadIdx.y][threadIdx.x] = b[i];
	__syncthreads();
	c[i] = tile_a[threadIdx.y][threadIdx.x] + tile_b[threadIdx.y][threadIdx.x];
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "matrix_add", {"plain", "shared"});
	int width = arguments.number("width", 256, 1024, 2048, "width of the matrices, a multiple of 16");
	arguments.end();
	arguments.require(width > 0 && width % TILE == 0, "a width that is a multiple of 16");
	arguments.require(width <= 32768, "a width of at most 32768");

	program::Random random(arguments.seed());
	size_t count = (size_t)width * width;
	std::vector<float> a = random.floats(count, -1, 1), b = random.floats(count, -1, 1), expected(count);
	for (size_t i = 0; i < count; i++)
		expected[i] = a[i] + b[i];

	program::Array<float> device_a(a), device_b(b), device_c(count);
	dim3 grid(width / TILE, width / TILE), block(TILE, TILE);
	if (arguments.is("shared"))
		matrix_add_shared<<<grid, block>>>(device_a, device_b, device_c, width);
	else
		matrix_add<<<grid, block>>>(device_a, device_b, device_c, width);
	CHECK(cudaGetLastError());

	program::Verdict verdict("matrix_add");
	verdict.close("c", device_c.read(), expected, 0);
	return verdict.status();
}
