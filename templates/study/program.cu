/* Each warp sums its own rows of 32 floats, which are `stride` rows apart: ./program STRIDE. The program checks its
 * result, as a measured program should: status 0 and PASS, or 1 and FAIL. */
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void walk(const float *in, float *out, int steps, int stride)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x, warp = thread / 32;
	float sum = 0;
	for (int i = 0; i < steps; i++)
		sum += in[((warp * steps + i) * stride) * 32 + thread % 32];
	out[thread] = sum;
}

int main(int argc, char **argv)
{
	const int blocks = 60, threads = 64, steps = 45; // odd: spreads the warps' rows over the sets of L1
	const int stride = argc > 1 ? atoi(argv[1]) : 1;
	if (stride < 1)
		return std::puts("a stride of at least 1 is expected"), 2;
	std::vector<float> ones((size_t)blocks * threads * steps * stride, 1), sums(blocks * threads);
	float *in, *out;
	cudaMalloc(&in, ones.size() * sizeof(float));
	cudaMalloc(&out, sums.size() * sizeof(float));
	cudaMemcpy(in, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice);
	walk<<<blocks, threads>>>(in, out, steps, stride);
	cudaMemcpy(sums.data(), out, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
	for (float sum : sums)
		if (sum != steps)
			return std::puts("FAIL"), 1;
	std::puts("PASS");
	return 0;
}
