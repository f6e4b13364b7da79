#include "device.h"
#include "graph.h"

// One warp per node, which collects the ranks of the nodes that point to it.
__global__ void pull(const int *__restrict__ rows, const int *__restrict__ columns, const rank_t *__restrict__ shares,
                     rank_t *ranks, rank_t base, rank_t damping, int nodes)
{
	int node = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x & (warpSize - 1);
	rank_t sum = 0;
	if (node < nodes)
		for (int i = rows[node] + lane; i < rows[node + 1]; i += warpSize)
			sum += shares[__ldg(&columns[i])];
	for (int mask = warpSize / 2; mask; mask >>= 1)
#if __CUDA_ARCH__ >= 300 && CUDART_VERSION >= 9000
		sum += __shfl_xor_sync(0xffffffff, sum, mask);
#else
		sum += __shfl_xor(sum, mask);
#endif
	if (node < nodes && lane == 0)
		ranks[node] = base + damping * sum;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#define addTo atomicAdd
#else
__device__ double addTo(double *address, double value)
{
	unsigned long long *word = (unsigned long long *)address, old = *word, assumed;
	do {
		assumed = old;
		old = atomicCAS(word, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
	} while (assumed != old);
	return __longlong_as_double(old);
}
__device__ float addTo(float *address, float value)
{
	return atomicAdd(address, value);
}
#endif

__global__ void difference(const rank_t *a, const rank_t *b, rank_t *total, int count)
{
	__shared__ rank_t sums[128];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	sums[threadIdx.x] = i < count ? fabs(a[i] - b[i]) : 0;
	__syncthreads();
	for (int half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		addTo(total, sums[0]);
}

int pageRank(const Graph &graph, rank_t damping, rank_t tolerance, std::vector<rank_t> &result)
{
	const int n = graph.nodes;
	const Graph incoming = graph.turned();
	DeviceVector<int> rows(incoming.rows), columns(incoming.columns), outgoing(graph.rows);
	DeviceVector<rank_t> ranks(std::vector<rank_t>(n, rank_t(1) / n)), next(n), shares(n), totals(2);
	int steps = 0;
	rank_t apart[2] = {1, 0};
	while (apart[0] > tolerance && steps++ < 100) {
		const rank_t *from = ranks.get();
		const int *degrees = outgoing.get();
		rank_t *to = shares.get(), *lost = totals.get() + 1;
		check(cudaMemset(totals.get(), 0, 2 * sizeof(rank_t)), "cudaMemset");
		forEach(n, [=] __device__(int i) {
			int degree = degrees[i + 1] - degrees[i];
			to[i] = degree ? from[i] / degree : 0;
			if (!degree)
				addTo(lost, from[i]);
		});
		check(cudaMemcpy(apart, totals.get(), sizeof apart, cudaMemcpyDeviceToHost), "cudaMemcpy");
		pull<<<(n + 3) / 4, 128>>>(rows.get(), columns.get(), shares.get(), next.get(),
		                          (1 - damping + damping * apart[1]) / n, damping, n);
		difference<<<(n + 127) / 128, 128>>>(ranks.get(), next.get(), totals.get(), n);
		check(cudaMemcpy(apart, totals.get(), sizeof apart[0], cudaMemcpyDeviceToHost), "cudaMemcpy");
		ranks.swap(next);
	}
	result = ranks.host();
	return steps;
}
