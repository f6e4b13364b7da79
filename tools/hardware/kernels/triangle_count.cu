// triangle_count: triangles of a graph with ordered neighbor lists, each counted once. A thread takes an edge u < v
// and merges the lists of u and v: data-dependent branches and scattered reads. A block adds its count by one atomic.
#include "graph.h"
#include "warp.h"

#include <algorithm>

const int THREADS = 256, WARPS = THREADS / 32;

using Count = unsigned long long;

// The number of common elements of two ascending lists.
__host__ __device__ inline Count common(const int *a, const int *end_a, const int *b, const int *end_b)
{
	Count count = 0;
	while (a < end_a && b < end_b) {
		int x = *a, y = *b;
		count += x == y;
		a += x <= y;
		b += y <= x;
	}
	return count;
}

__global__ void triangles(const int *first, const int *from, const int *to, int edges, Count *total)
{
	__shared__ Count scratch[WARPS];
	int e = blockIdx.x * THREADS + threadIdx.x;
	Count own = 0;
	if (e < edges) {
		int u = from[e], v = to[e];
		own = common(to + first[u], to + first[u + 1], to + first[v], to + first[v + 1]);
	}
	Count sum = warp::block_sum<WARPS>(own, scratch);
	if (threadIdx.x == 0)
		atomicAdd(total, sum);
}

// Edges from each node to larger ones, most of them near, so that there are triangles.
static graph::Graph make(int nodes, int degree, program::Random &random)
{
	graph::Graph graph;
	graph.first.push_back(0);
	for (int u = 0; u < nodes; u++) {
		std::vector<int> list;
		int length = (int)random.below(2 * degree) * (random.below(32) ? 1 : 4);
		for (int i = 0; i < length && u + 1 < nodes; i++)
			list.push_back(u + 1 + (int)random.below(std::min(nodes - u - 1, i % 4 ? 8 * degree : nodes)));
		std::sort(list.begin(), list.end());
		list.erase(std::unique(list.begin(), list.end()), list.end());
		graph.to.insert(graph.to.end(), list.begin(), list.end());
		graph.first.push_back((int)graph.to.size());
	}
	return graph;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "triangle_count");
	int nodes = arguments.number("nodes", 512, 8192, 1 << 18, "of the graph");
	int degree = arguments.number("degree", 8, 12, 16, "mean number of neighbors");
	arguments.end();
	arguments.require(nodes > 0 && nodes <= 1 << 22 && degree > 0 && degree <= 64, "nodes and their degree");
	program::Random random(arguments.seed());
	graph::Graph graph = make(nodes, degree, random);
	std::vector<int> from;
	Count expected = 0;
	const int *to = graph.to.data();
	for (int u = 0; u < nodes; u++)
		for (int e = graph.first[u]; e < graph.first[u + 1]; e++) {
			from.push_back(u);
			expected += common(to + graph.first[u], to + graph.first[u + 1], to + graph.first[to[e]],
			                   to + graph.first[to[e] + 1]);
		}
	program::Array<int> device_first(graph.first), device_from(from), device_to(graph.to);
	program::Array<Count> total(1);
	total.clear();
	int blocks = program::blocks(graph.edges(), THREADS);
	triangles<<<blocks, THREADS>>>(device_first, device_from, device_to, graph.edges(), total);
	CHECK(cudaGetLastError());

	program::Verdict verdict("triangle_count");
	verdict.require(expected > 0, "a graph with triangles");
	verdict.equal("triangles", total.read(), std::vector<Count>{expected});
	return verdict.status();
}
