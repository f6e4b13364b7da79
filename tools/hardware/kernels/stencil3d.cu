// stencil3d: one step of a 7-point stencil on a cube. A block of 32 x 8 threads marches along z: the plane's values are
// in shared memory, those below and above in registers. Each value is read once from global memory, apart from halos.
#include "sample.h"

const int WIDTH = 32, HEIGHT = 8;
const float CENTRE = 0.4f, SIDE = 0.1f;

__global__ void stencil(const float *x, float *y, int n)
{
	__shared__ float plane[HEIGHT + 2][WIDTH + 2];
	int column = blockIdx.x * WIDTH + threadIdx.x, row = blockIdx.y * HEIGHT + threadIdx.y;
	int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
	bool inside = column > 0 && column < n - 1 && row > 0 && row < n - 1;
	size_t step = (size_t)n * n, at = (size_t)row * n + column;
	float below = x[at], here = x[at += step];
	for (int z = 1; z < n - 1; z++, at += step) {
		float above = x[at + step];
		plane[ty][tx] = here;
		if (ty == 1 && row > 0)
			plane[0][tx] = x[at - n];
		if (ty == HEIGHT && row < n - 1)
			plane[HEIGHT + 1][tx] = x[at + n];
		if (tx == 1 && column > 0)
			plane[ty][0] = x[at - 1];
		if (tx == WIDTH && column < n - 1)
			plane[ty][WIDTH + 1] = x[at + 1];
		__syncthreads();
		if (inside)
			y[at] = CENTRE * here + SIDE * (below + above + plane[ty - 1][tx] + plane[ty + 1][tx] +
			                                plane[ty][tx - 1] + plane[ty][tx + 1]);
		__syncthreads();
		below = here;
		here = above;
	}
}

static double expected(const std::vector<float> &x, size_t at, size_t n)
{
	size_t column = at % n, row = at / n % n, z = at / n / n;
	if (column == 0 || column == n - 1 || row == 0 || row == n - 1 || z == 0 || z == n - 1)
		return 0;
	double sides = (double)x[at - 1] + x[at + 1] + x[at - n] + x[at + n] + x[at - n * n] + x[at + n * n];
	return CENTRE * (double)x[at] + SIDE * sides;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "stencil3d");
	int n = arguments.number("edge", 64, 192, 512, "of the cube, a multiple of 32");
	arguments.end();
	arguments.require(n > 0 && n % WIDTH == 0 && n <= 1024, "an edge that is a multiple of 32, to 1024");
	program::Random random(arguments.seed());
	std::vector<float> x = random.floats((size_t)n * n * n, -1, 1);
	program::Array<float> device_x(x), device_y(x.size());
	device_y.clear();
	stencil<<<dim3(n / WIDTH, n / HEIGHT), dim3(WIDTH, HEIGHT)>>>(device_x, device_y, n);
	CHECK(cudaGetLastError());

	std::vector<float> y = device_y.read(), got;
	std::vector<double> want;
	for (size_t at : sample::positions(y.size(), 1 << 18, random)) {
		got.push_back(y[at]);
		want.push_back(expected(x, at, n));
	}
	program::Verdict verdict("stencil3d");
	verdict.close("y", got, want, 1e-5);
	return verdict.status();
}
