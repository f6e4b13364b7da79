// saxpy: y = a x + y. D2MA's running example (SAXPY): streams that are read once, with a multiply-add an element, so that
// memory bandwidth and the instructions that compute addresses are all there is. The form `shared` stages tiles of both
// vectors through shared memory by the threads, as the paper's baseline does; `dma` is what the DMA engine's intrinsics
// will do instead of that loop.
#include "../program.h"

const int BLOCK = 256, TILE = 1024;

__global__ void saxpy(const float *x, float *y, float a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

__global__ void saxpy_shared(const float *x, float *y, float a)
{
	__shared__ float tile_x[TILE], tile_y[TILE];
	int start = blockIdx.x * TILE;
	for (int i = threadIdx.x; i < TILE; i += BLOCK) {
		tile_x[i] = x[start + i];
		tile_y[i] = y[start + i];
	}
	__syncthreads();
	for (int i = threadIdx.x; i < TILE; i += BLOCK)
		y[start + i] = a * tile_x[i] + tile_y[i];
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "saxpy", {"plain", "shared"});
	int n = arguments.number("elements", 1 << 14, 1 << 19, 1 << 22, "length of the vectors, a multiple of 1024");
	arguments.end();
	arguments.require(n > 0 && n % TILE == 0, "elements that are a multiple of 1024");

	program::Random random(arguments.seed());
	const float a = 2.5f;
	std::vector<float> x = random.floats(n, -1, 1), y = random.floats(n, -1, 1), expected(n);
	for (int i = 0; i < n; i++)
		expected[i] = a * x[i] + y[i];

	program::Array<float> device_x(x), device_y(y);
	if (arguments.is("shared"))
		saxpy_shared<<<n / TILE, BLOCK>>>(device_x, device_y, a);
	else
		saxpy<<<program::blocks(n, BLOCK), BLOCK>>>(device_x, device_y, a, n);
	CHECK(cudaGetLastError());

	program::Verdict verdict("saxpy");
	verdict.close("y", device_y.read(), expected, 1e-6);
	return verdict.status();
}
