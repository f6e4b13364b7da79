// softmax: of each row of a matrix, one block per row. Three passes read the row: its maximum, the sum of
// exponentials, the quotients. The second and third hit in caches. Sums by shuffles and shared memory.
#include "sample.h"
#include "warp.h"

#include <algorithm>

const int THREADS = 256, WARPS = THREADS / 32;

__global__ void softmax(const float *x, float *y, int columns)
{
	__shared__ float scratch[WARPS];
	x += (size_t)blockIdx.x * columns;
	y += (size_t)blockIdx.x * columns;
	float most = -INFINITY, sum = 0;
	for (int i = threadIdx.x; i < columns; i += THREADS)
		most = fmaxf(most, x[i]);
	most = warp::block_max<WARPS>(most, scratch);
	for (int i = threadIdx.x; i < columns; i += THREADS)
		sum += expf(x[i] - most);
	float scale = 1 / warp::block_sum<WARPS>(sum, scratch);
	for (int i = threadIdx.x; i < columns; i += THREADS)
		y[i] = expf(x[i] - most) * scale;
}

static void soften(std::vector<double> &to, const float *x, int columns)
{
	double most = *std::max_element(x, x + columns), sum = 0;
	for (int i = 0; i < columns; i++)
		sum += exp(x[i] - most);
	for (int i = 0; i < columns; i++)
		to.push_back(columns * exp(x[i] - most) / sum);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "softmax");
	int rows = arguments.number("rows", 64, 2048, 32768, "of the matrix");
	int columns = arguments.number("columns", 1024, 2048, 4096, "of the matrix");
	arguments.end();
	arguments.require(rows > 0 && columns > 0, "rows and columns");
	program::Random random(arguments.seed());
	std::vector<float> x = random.floats((size_t)rows * columns, -4, 4);
	program::Array<float> device_x(x), device_y(x.size());
	softmax<<<rows, THREADS>>>(device_x, device_y, columns);
	CHECK(cudaGetLastError());

	std::vector<float> got;
	std::vector<double> want;
	for (size_t row : sample::positions(rows, 256, random)) {
		for (float value : sample::part(device_y, row * columns, columns))
			got.push_back(value * columns);
		soften(want, &x[row * columns], columns);
	}
	program::Verdict verdict("softmax");
	verdict.close("y", got, want, 1e-5);
	return verdict.status();
}
