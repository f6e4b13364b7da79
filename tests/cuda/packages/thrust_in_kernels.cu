// Protects our thrust/system/cuda/config.h: one thread of a kernel calls Thrust's algorithms with thrust::device,
// checked against the standard library. Without the header clang refuses these calls.
#include "../check.h"
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
#include <vector>

enum { COUNT = 60 };

struct results {
	int negated[COUNT], sorted[COUNT], inclusive[COUNT], exclusive[COUNT], odd[COUNT], keys[COUNT], order[COUNT], different[COUNT];
	int sum, least, most, threes, product, odds, kinds;
};

struct is_odd {
	__host__ __device__ bool operator()(int x) const
	{
		return x & 1;
	}
};

__global__ void all(const int *in, results *out)
{
	const int *end = in + COUNT;
	thrust::transform(thrust::device, in, end, out->negated, thrust::negate<int>());
	thrust::copy(thrust::device, in, end, out->sorted);
	thrust::sort(thrust::device, out->sorted, out->sorted + COUNT);
	out->sum = thrust::reduce(thrust::device, in, end);
	out->least = (int)(thrust::min_element(thrust::device, in, end) - in);
	out->most = (int)(thrust::max_element(thrust::device, in, end) - in);
	thrust::inclusive_scan(thrust::device, in, end, out->inclusive);
	thrust::exclusive_scan(thrust::device, in, end, out->exclusive, 5);
	out->odds = (int)(thrust::copy_if(thrust::device, in, end, out->odd, is_odd()) - out->odd);
	thrust::copy(thrust::device, in, end, out->keys);
	thrust::sequence(thrust::device, out->order, out->order + COUNT);
	thrust::stable_sort_by_key(thrust::device, out->keys, out->keys + COUNT, out->order);
	thrust::copy(thrust::device, out->sorted, out->sorted + COUNT, out->different);
	out->kinds = (int)(thrust::unique(thrust::device, out->different, out->different + COUNT) - out->different);
	out->threes = (int)thrust::count(thrust::device, in, end, 3);
	out->product = thrust::inner_product(thrust::device, in, end, in, 1);
}

static void test(std::mt19937 &random)
{
	int *in;
	results *out;
	SUCCEEDS(cudaMallocManaged(&in, COUNT * sizeof *in));
	SUCCEEDS(cudaMallocManaged(&out, sizeof *out));
	for (int i = 0; i < COUNT; i++)
		in[i] = (int)(random() % 20) - 6;
	all<<<1, 1>>>(in, out);
	SUCCEEDS(cudaDeviceSynchronize());
	std::vector<int> values(in, in + COUNT), sorted = values, scan(COUNT), odd, order(COUNT);
	std::sort(sorted.begin(), sorted.end());
	CHECK(std::equal(sorted.begin(), sorted.end(), out->sorted));
	std::partial_sum(values.begin(), values.end(), scan.begin());
	CHECK(std::equal(scan.begin(), scan.end(), out->inclusive));
	for (int i = 0; i < COUNT; i++)
		CHECK(out->negated[i] == -values[i] && out->exclusive[i] == scan[i] - values[i] + 5);
	CHECK(out->sum == scan.back());
	CHECK(out->least == std::min_element(values.begin(), values.end()) - values.begin());
	CHECK(out->most == std::max_element(values.begin(), values.end()) - values.begin());
	std::copy_if(values.begin(), values.end(), std::back_inserter(odd), is_odd());
	CHECK(out->odds == (int)odd.size() && std::equal(odd.begin(), odd.end(), out->odd));
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return values[a] < values[b]; });
	CHECK(std::equal(order.begin(), order.end(), out->order));
	CHECK(out->threes == std::count(values.begin(), values.end(), 3));
	CHECK(out->product == std::inner_product(values.begin(), values.end(), values.begin(), 1));
	auto last = std::unique(sorted.begin(), sorted.end());
	CHECK(out->kinds == last - sorted.begin() && std::equal(sorted.begin(), last, out->different));
	SUCCEEDS(cudaFree(in));
	SUCCEEDS(cudaFree(out));
}

int main()
{
	std::mt19937 random(11);
	for (int i = 0; i < 5; i++)
		test(random);
	return finish();
}
