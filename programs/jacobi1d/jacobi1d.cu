// jacobi1d: relaxation of a vector by three points, then a copy back: two kernels per step. CAPS (JC1), after
// PolyBench/GPU. Short kernels follow each other on a vector that fits in L2. Every load runs once per thread, so a
// prefetcher can learn only from strides between warps, and has few warps for that.
#include "../program.h"

const int BLOCK = 256;

__global__ void jacobi1d_relax(const float *a, float *b, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i > 0 && i < n - 1)
		b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
}

__global__ void jacobi1d_copy(float *a, const float *b, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i > 0 && i < n - 1)
		a[i] = b[i];
}

static std::vector<float> expect(std::vector<float> a, int steps)
{
	std::vector<float> b(a);
	for (int step = 0; step < steps; step++) {
		for (size_t i = 1; i + 1 < a.size(); i++)
			b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
		a = b;
	}
	return a;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "jacobi1d");
	int n = arguments.number("elements", 4096, 4096, 4096, "length of the vector");
	int steps = arguments.number("steps", 10, 400, 10000, "relaxations"); // PolyBench's standard set
	arguments.end();
	arguments.require(n > 0, "at least one element");

	program::Random random(arguments.seed());
	std::vector<float> a = random.floats(n, 0, 10), expected = expect(a, steps);

	program::Array<float> device_a(a), device_b(n);
	for (int step = 0; step < steps; step++) {
		jacobi1d_relax<<<program::blocks(n, BLOCK), BLOCK>>>(device_a, device_b, n);
		jacobi1d_copy<<<program::blocks(n, BLOCK), BLOCK>>>(device_a, device_b, n);
	}
	CHECK(cudaGetLastError());

	program::Verdict verdict("jacobi1d");
	verdict.close("a", device_a.read(), expected, 1e-5);
	return verdict.status();
}
