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

// Nodes that are the greatest, or the least, among their uncoloured neighbours take this round's two colours.
__global__ void takeColours(const int *rows, const int *columns, const int *colours, int *next, int round, uint32_t seed,
                            int nodes, int *left)
{
	int node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node >= nodes)
		return;
	int own = colours[node];
	if (own == NONE) {
		bool greatest = true, least = true;
		uint32_t key = mixed(node, seed);
		for (int i = rows[node]; i < rows[node + 1]; i++) {
			int other = columns[i];
			if (colours[other] != NONE)
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

int colour(const Graph &graph, uint32_t seed, std::vector<int> &result)
{
	DeviceVector<int> rows(graph.rows), columns(graph.columns), left(1), next(graph.nodes);
	DeviceVector<int> colours(std::vector<int>(graph.nodes, NONE));
	int more = 1, round = 0;
	for (; more && round < graph.nodes; round++) {
		check(cudaMemset(left.get(), 0, sizeof(int)), "cudaMemset");
		takeColours<<<(graph.nodes + 63) / 64, 64>>>(rows.get(), columns.get(), colours.get(), next.get(), round, seed,
		                                           graph.nodes, left.get());
		check(cudaDeviceSynchronize(), "takeColours");
		check(cudaMemcpy(&more, left.get(), sizeof more, cudaMemcpyDeviceToHost), "cudaMemcpy");
		colours.swap(next);
	}
	result = colours.host();
	return round;
}
