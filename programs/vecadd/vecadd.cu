// vecadd: c = a + b, the memory-bound end of the scale. Plain CUDA C++.
//
//   vecadd [ELEMENTS]
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                                    \
	do {                                                                                                           \
		cudaError_t error = (call);                                                                            \
		if (error != cudaSuccess) {                                                                            \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                 \
			exit(EXIT_FAILURE);                                                                            \
		}                                                                                                      \
	} while (0)

__global__ void vecadd(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1 << 19;
	if (n <= 0) {
		fprintf(stderr, "usage: vecadd [ELEMENTS]\n");
		return EXIT_FAILURE;
	}
	size_t bytes = n * sizeof(float);
	std::vector<float> a(n), b(n), c(n);
	for (int i = 0; i < n; i++) {
		a[i] = i * 0.5f;
		b[i] = 1000.0f - i * 0.25f;
	}

	float *device_a, *device_b, *device_c;
	CHECK(cudaMalloc(&device_a, bytes));
	CHECK(cudaMalloc(&device_b, bytes));
	CHECK(cudaMalloc(&device_c, bytes));
	CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));

	const int block = 256;
	vecadd<<<(n + block - 1) / block, block>>>(device_a, device_b, device_c, n);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));

	int wrong = 0;
	for (int i = 0; i < n; i++)
		wrong += c[i] != a[i] + b[i];
	printf("vecadd of %d elements: %s (%d wrong)\n", n, wrong ? "FAIL" : "PASS", wrong);
	CHECK(cudaFree(device_a));
	CHECK(cudaFree(device_b));
	CHECK(cudaFree(device_c));
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
