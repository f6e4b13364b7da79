#include "device.h"
#include "graph.h"

enum { NONE = -1 };

__host__ __device__ inline uint32_t mixed(uint32_t x, uint32_t seed)
{
	x = (x ^ seed) * 0x9e3779b1u;
	x ^= x >> 15;
	x *= 0x85ebca77u;
	return x ^ (x >> 13);
}

// Nodes that are the greatest, or the least, among their uncolored neighbors take this round's two colors.
__global__ void takeColors(const int *rows, const int *columns, const int *colors, int *next, int round, uint32_t seed,
                            int nodes, int *left)
{
	int node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node >= nodes)
		return;
	int own = colors[node];
	if (own == NONE) {
		bool greatest = true, least = true;
		uint32_t key = mixed(node, seed);
		for (int i = rows[node]; i < rows[node + 1]; i++) {
			int other = columns[i];
			if (colors[other] != NONE)
				continue;
			uint32_t theirs = mixed(other, seed);
			bool before = theirs < key || (theirs == key && other < node);
			greatest = greatest && before;
			least = least && !before;
		}
		own = greatest ? 2 * round : least ? 2 * round + 1 : NONE;
		if (own == NONE && __any_sync(__activemask(), true))
			*left = 1;
	}
	next[node] = own;
}

int color(const Graph &graph, uint32_t seed, std::vector<int> &result)
{
	DeviceVector<int> rows(graph.rows), columns(graph.columns), left(1), next(graph.nodes);
	DeviceVector<int> colors(std::vector<int>(graph.nodes, NONE));
	int more = 1, round = 0;
	for (; more && round < graph.nodes; round++) {
		check(cudaMemset(left.get(), 0, sizeof(int)), "cudaMemset");
		takeColors<<<(graph.nodes + 63) / 64, 64>>>(rows.get(), columns.get(), colors.get(), next.get(), round, seed,
		                                           graph.nodes, left.get());
		check(cudaDeviceSynchronize(), "takeColors");
		check(cudaMemcpy(&more, left.get(), sizeof more, cudaMemcpyDeviceToHost), "cudaMemcpy");
		colors.swap(next);
	}
	result = colors.host();
	return round;
}
