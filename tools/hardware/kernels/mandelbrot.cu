// mandelbrot: the number of steps after which points of the plane leave a circle. Neighboring lanes need different
// numbers of steps: divergent loops of FP32 arithmetic without memory. No multiply-adds, so that the host has the same
// counts.
#include "sample.h"

const int WIDTH = 32, HEIGHT = 8;
const float LEFT = -2.25f, TOP = -1.5f, EXTENT = 3;

__global__ void mandelbrot(int *steps, int n, int most)
{
	int column = blockIdx.x * WIDTH + threadIdx.x, row = blockIdx.y * HEIGHT + threadIdx.y;
	float scale = EXTENT / n, x = 0, y = 0;
	float cx = __fadd_rn(LEFT, __fmul_rn(scale, column)), cy = __fadd_rn(TOP, __fmul_rn(scale, row));
	int step = 0;
	for (; step < most; step++) {
		float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y), xy = __fmul_rn(x, y);
		if (__fadd_rn(xx, yy) > 4)
			break;
		x = __fadd_rn(__fsub_rn(xx, yy), cx);
		y = __fadd_rn(__fadd_rn(xy, xy), cy);
	}
	steps[(size_t)row * n + column] = step;
}

static int host_steps(int column, int row, int n, int most)
{
	volatile float scale = EXTENT / n, right = scale * column, down = scale * row; // rounded before the addition
	float cx = LEFT + right, cy = TOP + down, x = 0, y = 0;
	int step = 0;
	for (; step < most; step++) {
		volatile float xx = x * x, yy = y * y, xy = x * y;
		if (xx + yy > 4)
			break;
		x = xx - yy + cx;
		y = xy + xy + cy;
	}
	return step;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "mandelbrot");
	int n = arguments.number("edge", 96, 512, 4096, "of the picture, a multiple of 32");
	int most = arguments.number("steps", 256, 256, 1024, "of a point, at most");
	arguments.end();
	arguments.require(n > 0 && n % WIDTH == 0 && n <= 16384 && most > 0, "an edge in multiples of 32");
	program::Random random(arguments.seed());
	program::Array<int> device_steps((size_t)n * n);
	mandelbrot<<<dim3(n / WIDTH, n / HEIGHT), dim3(WIDTH, HEIGHT)>>>(device_steps, n, most);
	CHECK(cudaGetLastError());

	std::vector<int> steps = device_steps.read(), got, want;
	for (size_t at : sample::positions(steps.size(), 1 << 17, random)) {
		got.push_back(steps[at]);
		want.push_back(host_steps((int)(at % n), (int)(at / n), n, most));
	}
	program::Verdict verdict("mandelbrot");
	verdict.equal("steps", got, want);
	return verdict.status();
}
