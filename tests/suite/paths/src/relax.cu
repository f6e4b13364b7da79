#include "paths.h"

#include <cstdio>

extern __device__ int changes;
extern __constant__ int unreachable;
extern __device__ bool shorten(int *distance, int candidate);

static __global__ void start(int *distances, int nodes)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < nodes)
		distances[i] = i ? unreachable : 0;
}

static __global__ void relax(const edge *edges, int count, int *distances)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	edge e = edges[i];
	int so_far = ((volatile int *)distances)[e.from];
	if (so_far != unreachable && shorten(&distances[e.to], so_far + e.length))
		atomicAdd(&changes, 1);
}

// The rounds until nothing changes.
int relax_all(const std::vector<edge> &edges, int nodes, std::vector<int> &distances)
{
	edge *device_edges;
	int *device_distances, far = 1 << 30, changed = 1, rounds = 0;
	cudaMalloc(&device_edges, edges.size() * sizeof(edge));
	cudaMalloc(&device_distances, nodes * sizeof(int));
	cudaMemcpy(device_edges, edges.data(), edges.size() * sizeof(edge), cudaMemcpyHostToDevice);
	cudaMemcpyToSymbol(unreachable, &far, sizeof far);
	start<<<(nodes + 63) / 64, 64>>>(device_distances, nodes);
	for (; changed; rounds++) {
		const int none = 0;
		cudaMemcpyToSymbol(changes, &none, sizeof none);
		relax<<<(edges.size() + 63) / 64, 64>>>(device_edges, edges.size(), device_distances);
		cudaMemcpyFromSymbol(&changed, changes, sizeof changed);
	}
	distances.resize(nodes);
	cudaMemcpy(distances.data(), device_distances, nodes * sizeof(int), cudaMemcpyDeviceToHost);
	return rounds;
}
