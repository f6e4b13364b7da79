// conv2d: direct convolution of an image with a filter of 9 x 9 in constant memory. Each thread computes one pixel and
// reads its window from global memory: the L1 cache's hits and the load/store units limit it.
#include "sample.h"

const int SIDE = 9, WIDTH = 32, HEIGHT = 8;

__constant__ float filter[SIDE * SIDE];

// `x` has n + 8 rows and columns.
__global__ void conv2d(const float *x, float *y, int n)
{
	int column = blockIdx.x * WIDTH + threadIdx.x, row = blockIdx.y * HEIGHT + threadIdx.y, pitch = n + SIDE - 1;
	const float *window = x + (size_t)row * pitch + column;
	float sum = 0;
#pragma unroll
	for (int i = 0; i < SIDE; i++)
#pragma unroll
		for (int j = 0; j < SIDE; j++)
			sum += filter[i * SIDE + j] * window[i * pitch + j];
	y[(size_t)row * n + column] = sum;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "conv2d");
	int n = arguments.number("edge", 192, 1024, 8192, "of the image, a multiple of 32");
	arguments.end();
	arguments.require(n > 0 && n % WIDTH == 0 && n <= 16384, "an edge that is a multiple of 32, to 16384");
	program::Random random(arguments.seed());
	size_t pitch = n + SIDE - 1;
	std::vector<float> x = random.floats(pitch * pitch, -1, 1), weights = random.floats(SIDE * SIDE, -1, 1);
	CHECK(cudaMemcpyToSymbol(filter, weights.data(), sizeof filter));
	program::Array<float> device_x(x), device_y((size_t)n * n);
	conv2d<<<dim3(n / WIDTH, n / HEIGHT), dim3(WIDTH, HEIGHT)>>>(device_x, device_y, n);
	CHECK(cudaGetLastError());

	std::vector<float> y = device_y.read(), got;
	std::vector<double> want;
	for (size_t at : sample::positions(y.size(), 1 << 17, random)) {
		double sum = 0;
		for (int i = 0; i < SIDE * SIDE; i++)
			sum += (double)weights[i] * x[(at / n + i / SIDE) * pitch + at % n + i % SIDE];
		got.push_back(y[at]);
		want.push_back(sum);
	}
	program::Verdict verdict("conv2d");
	verdict.close("y", got, want, 1e-4);
	return verdict.status();
}
