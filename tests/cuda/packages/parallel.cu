// Protects what Debian's Thrust and CUB need from cuda_runtime.h and the runtime, above all the architecture of a
// kernel's code, which selects a kernel's shape. Sorts, reductions, scans and transforms compile and compute.
#include "../check.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <random>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <vector>

struct square {
	__host__ __device__ int operator()(int x) const
	{
		return x * x % 1009;
	}
};

static void test_thrust(int n, std::mt19937 &random)
{
	thrust::host_vector<int> in(n);
	for (int &x : in)
		x = (int)(random() % 2000) - 1000;
	thrust::device_vector<int> device = in, squares(n);
	std::vector<int> right(in.begin(), in.end());
	CHECK(thrust::reduce(device.begin(), device.end(), 5) == std::accumulate(right.begin(), right.end(), 5));
	CHECK(thrust::reduce(device.begin(), device.end(), -5000, thrust::maximum<int>()) ==
	      *std::max_element(right.begin(), right.end()));
	thrust::transform(device.begin(), device.end(), squares.begin(), square());
	thrust::sort(device.begin(), device.end());
	thrust::inclusive_scan(device.begin(), device.end(), device.begin());
	thrust::host_vector<int> out = device, out_squares = squares;
	for (int i = 0; i < n; i++)
		CHECK(out_squares[i] == square()(right[(size_t)i]));
	std::sort(right.begin(), right.end());
	std::partial_sum(right.begin(), right.end(), right.begin());
	CHECK(std::equal(right.begin(), right.end(), out.begin()));
}

template <int Threads> static __global__ void block_sums(const int *in, int *out)
{
	typedef cub::BlockReduce<int, Threads> reduce;
	__shared__ typename reduce::TempStorage room;
	int sum = reduce(room).Sum(in[blockIdx.x * Threads + threadIdx.x]);
	if (threadIdx.x == 0)
		out[blockIdx.x] = sum;
}

static void test_cub(std::mt19937 &random)
{
	enum { N = 1536, THREADS = 96 };
	std::vector<int> in(N), out(N), right(N);
	for (int &x : in)
		x = (int)(random() % 100);
	int *device_in, *device_out;
	void *room = nullptr;
	size_t bytes = 0;
	SUCCEEDS(cudaMalloc(&device_in, N * sizeof(int)));
	SUCCEEDS(cudaMalloc(&device_out, N * sizeof(int)));
	SUCCEEDS(cudaMemcpy(device_in, in.data(), N * sizeof(int), cudaMemcpyHostToDevice));
	block_sums<THREADS><<<N / THREADS, THREADS>>>(device_in, device_out);
	SUCCEEDS(cudaMemcpy(out.data(), device_out, N / THREADS * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N / THREADS; i++)
		CHECK(out[(size_t)i] ==
		      std::accumulate(&in[(size_t)i * THREADS], &in[(size_t)i * THREADS] + THREADS, 0));
	SUCCEEDS(cub::DeviceScan::ExclusiveSum(room, bytes, device_in, device_out, N));
	SUCCEEDS(cudaMalloc(&room, bytes));
	SUCCEEDS(cub::DeviceScan::ExclusiveSum(room, bytes, device_in, device_out, N));
	SUCCEEDS(cudaMemcpy(out.data(), device_out, N * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0, sum = 0; i < N; sum += in[(size_t)i++])
		CHECK(out[(size_t)i] == sum);
	SUCCEEDS(cudaFree(room));
	SUCCEEDS(cudaFree(device_in));
	SUCCEEDS(cudaFree(device_out));
}

int main()
{
	std::mt19937 random(3);
	test_thrust(1000, random);
	test_cub(random);
	return finish();
}
