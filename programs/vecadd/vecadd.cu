// vecadd: c = a + b, the memory-bound end of the scale. An example that no paper uses.
#include "../program.h"

const int BLOCK = 256;

__global__ void vecadd(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "vecadd");
	int n = arguments.number("elements", 1 << 14, 1 << 19, 1 << 22, "length of the vectors");
	arguments.end();
	arguments.require(n > 0, "elements");

	program::Random random(arguments.seed());
	std::vector<float> a = random.floats(n, -1, 1), b = random.floats(n, -1, 1), expected(n);
	for (int i = 0; i < n; i++)
		expected[i] = a[i] + b[i];

	program::Array<float> device_a(a), device_b(b), device_c(n);
	vecadd<<<program::blocks(n, BLOCK), BLOCK>>>(device_a, device_b, device_c, n);
	CHECK(cudaGetLastError());

	program::Verdict verdict("vecadd");
	verdict.equal("c", device_c.read(), expected);
	return verdict.status();
}
