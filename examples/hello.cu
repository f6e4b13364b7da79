// Adds two vectors on the simulated GPU: `sluice cc hello.cu -o hello && sluice run -- ./hello`.
#include <cstdio>
#include <vector>

__global__ void add(const float *a, const float *b, float *sum, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		sum[i] = a[i] + b[i];
}

int main()
{
	const int count = 1 << 16;
	std::vector<float> a(count), b(count), sum(count);
	for (int i = 0; i < count; i++) {
		a[i] = i;
		b[i] = 2 * i;
	}
	float *device_a, *device_b, *device_sum;
	cudaMalloc(&device_a, count * sizeof(float));
	cudaMalloc(&device_b, count * sizeof(float));
	cudaMalloc(&device_sum, count * sizeof(float));
	cudaMemcpy(device_a, a.data(), count * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemcpy(device_b, b.data(), count * sizeof(float), cudaMemcpyHostToDevice);

	add<<<(count + 255) / 256, 256>>>(device_a, device_b, device_sum, count);
	cudaError_t error = cudaMemcpy(sum.data(), device_sum, count * sizeof(float), cudaMemcpyDeviceToHost);

	int wrong = 0;
	for (int i = 0; i < count; i++)
		wrong += sum[i] != a[i] + b[i];
	printf("%d of %d sums are wrong (%s)\n", wrong, count, cudaGetErrorString(error));
	cudaFree(device_a);
	cudaFree(device_b);
	cudaFree(device_sum);
	return wrong != 0 || error != cudaSuccess;
}
