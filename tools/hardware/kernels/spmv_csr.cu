// spmv_csr: y = A x for a sparse matrix in compressed rows of uneven length. In `scalar` a thread computes a row: lanes
// read scattered elements, and rows of different length diverge. In `vector` a warp computes a row: lanes read
// neighboring elements and add by shuffles. Elements of x are gathered.
#include "graph.h"
#include "warp.h"

const int THREADS = 256;

__global__ void spmv_scalar(const int *first, const int *column, const float *a, const float *x, float *y, int rows)
{
	int row = blockIdx.x * THREADS + threadIdx.x;
	if (row >= rows)
		return;
	float sum = 0;
	for (int i = first[row]; i < first[row + 1]; i++)
		sum += a[i] * x[column[i]];
	y[row] = sum;
}

__global__ void spmv_vector(const int *first, const int *column, const float *a, const float *x, float *y, int rows)
{
	int row = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
	if (row >= rows)
		return;
	float sum = 0;
	for (int i = first[row] + lane; i < first[row + 1]; i += 32)
		sum += a[i] * x[column[i]];
	sum = warp::sum(sum);
	if (lane == 0)
		y[row] = sum;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "spmv_csr", {"scalar", "vector"});
	int rows = arguments.number("rows", 4096, 1 << 16, 1 << 21, "and columns of the matrix");
	int degree = arguments.number("longest", 24, 24, 24, "elements of an ordinary row");
	arguments.end();
	arguments.require(rows > 0 && rows <= 1 << 25 && degree > 0 && degree <= 64, "rows and their length");
	program::Random random(arguments.seed());
	graph::Graph matrix = graph::uneven(rows, degree, random);
	std::vector<float> a = random.floats(matrix.to.size(), -1, 1), x = random.floats(rows, -1, 1);
	program::Array<int> first(matrix.first), column(matrix.to);
	program::Array<float> device_a(a), device_x(x), device_y((size_t)rows);
	auto kernel = arguments.is("scalar") ? spmv_scalar : spmv_vector;
	int blocks = program::blocks((arguments.is("scalar") ? 1ll : 32ll) * rows, THREADS);
	kernel<<<blocks, THREADS>>>(first, column, device_a, device_x, device_y, rows);
	CHECK(cudaGetLastError());

	std::vector<float> y = device_y.read(), got;
	std::vector<double> want;
	for (size_t row : sample::positions(rows, 1 << 16, random)) {
		double sum = 0;
		for (int i = matrix.first[row]; i < matrix.first[row + 1]; i++)
			sum += (double)a[i] * x[matrix.to[i]];
		got.push_back(y[row]);
		want.push_back(sum);
	}
	program::Verdict verdict("spmv_csr");
	verdict.close("y", got, want, 1e-4);
	return verdict.status();
}
