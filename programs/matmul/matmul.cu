// matmul: C = A B for square matrices, tile by tile through shared memory. Plain CUDA C++.
//
//   matmul [WIDTH], a multiple of 16
#include <cmath>
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

const int TILE = 16;

__global__ void matmul(const float *a, const float *b, float *c, int width)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;
	for (int t = 0; t < width; t += TILE) {
		tile_a[y][x] = a[row * width + t + x];
		tile_b[y][x] = b[(t + y) * width + column];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += tile_a[y][k] * tile_b[k][x];
		__syncthreads();
	}
	c[row * width + column] = sum;
}

int main(int argc, char **argv)
{
	int width = argc > 1 ? atoi(argv[1]) : 192;
	if (width <= 0 || width % TILE) {
		fprintf(stderr, "usage: matmul [WIDTH], a multiple of %d\n", TILE);
		return EXIT_FAILURE;
	}
	size_t count = (size_t)width * width, bytes = count * sizeof(float);
	std::vector<float> a(count), b(count), c(count);
	for (size_t i = 0; i < count; i++) {
		a[i] = (i * 7 % 31 - 15.0f) / 16;
		b[i] = (i * 11 % 29 - 14.0f) / 16;
	}

	float *device_a, *device_b, *device_c;
	CHECK(cudaMalloc(&device_a, bytes));
	CHECK(cudaMalloc(&device_b, bytes));
	CHECK(cudaMalloc(&device_c, bytes));
	CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));

	dim3 grid(width / TILE, width / TILE), block(TILE, TILE);
	matmul<<<grid, block>>>(device_a, device_b, device_c, width);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));

	int wrong = 0;
	for (int i = 0; i < width; i++) {
		for (int j = 0; j < width; j++) {
			double sum = 0;
			for (int k = 0; k < width; k++)
				sum += (double)a[i * width + k] * b[k * width + j];
			wrong += !(std::fabs(c[i * width + j] - sum) <= 1e-4 * (1 + std::fabs(sum)));
		}
	}
	printf("matmul of %d x %d: %s (%d wrong)\n", width, width, wrong ? "FAIL" : "PASS", wrong);
	CHECK(cudaFree(device_a));
	CHECK(cudaFree(device_b));
	CHECK(cudaFree(device_c));
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
