// gaussian: solves a system of linear equations by Gaussian elimination; the host substitutes back. Scratchpad sharing
// uses FAN1 (set 3: its blocks of 512 threads reach the thread limit, and it uses no shared memory). For each column
// FAN1 computes the multipliers. Its loads go down a column with the stride of a row. FAN2 subtracts, in blocks of 4 x
// 4 threads that fill half a warp and access 16 bytes in each of four rows. All launches have the size of the whole
// matrix, so that the number of idle threads grows.
#include "../program.h"

const int BLOCK = 512, SIDE = 4;

__global__ void FAN1(float *multipliers, const float *a, int n, int t)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x + t + 1;
	if (row >= n)
		return;
	multipliers[n * row + t] = a[n * row + t] / a[n * t + t];
}

__global__ void FAN2(const float *multipliers, float *a, float *b, int n, int t)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
	int row = i + t + 1, column = j + t;
	if (row >= n || column >= n)
		return;
	a[n * row + column] -= multipliers[n * row + t] * a[n * t + column];
	if (j == 0)
		b[row] -= multipliers[n * row + t] * b[t];
}

// Solves the upper triangle that remains after elimination.
template <typename T> static std::vector<T> substitute_back(const std::vector<T> &a, const std::vector<T> &b)
{
	int n = (int)b.size();
	std::vector<T> x(b);
	for (int row = n - 1; row >= 0; row--) {
		for (int column = row + 1; column < n; column++)
			x[row] -= a[(size_t)row * n + column] * x[column];
		x[row] /= a[(size_t)row * n + row];
	}
	return x;
}

static std::vector<double> solve(std::vector<double> a, std::vector<double> b)
{
	int n = (int)b.size();
	for (int t = 0; t < n; t++)
		for (int row = t + 1; row < n; row++) {
			double multiplier = a[(size_t)row * n + t] / a[(size_t)t * n + t];
			for (int column = t; column < n; column++)
				a[(size_t)row * n + column] -= multiplier * a[(size_t)t * n + column];
			b[row] -= multiplier * b[t];
		}
	return substitute_back(a, b);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "gaussian");
	int n = arguments.number("unknowns", 32, 128, 208, "unknowns and equations");
	arguments.end();
	arguments.require(n > 0 && n <= 4096, "1 to 4096 unknowns");

	program::Random random(arguments.seed());
	std::vector<float> a = random.floats((size_t)n * n, -1, 1), b = random.floats(n, -1, 1);
	for (int i = 0; i < n; i++)
		a[(size_t)i * n + i] += (float)n; // a dominant diagonal needs no pivoting

	program::Array<float> device_a(a), device_b(b), multipliers(a.size());
	for (int t = 0; t < n - 1; t++) {
		FAN1<<<program::blocks(n, BLOCK), BLOCK>>>(multipliers, device_a, n, t);
		dim3 grid(program::blocks(n, SIDE), program::blocks(n, SIDE));
		FAN2<<<grid, dim3(SIDE, SIDE)>>>(multipliers, device_a, device_b, n, t);
	}
	CHECK(cudaGetLastError());

	std::vector<double> exact_a(a.begin(), a.end()), exact_b(b.begin(), b.end());
	program::Verdict verdict("gaussian");
	verdict.close("x", substitute_back(device_a.read(), device_b.read()), solve(exact_a, exact_b), 1e-5);
	return verdict.status();
}
