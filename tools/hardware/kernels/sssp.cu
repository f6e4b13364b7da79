// sssp: shortest paths from node 0 by Bellman-Ford with a frontier. In each round a thread takes a node whose distance
// fell in the last round. It lowers its neighbors' distances by atomics. It adds each lowered neighbor once to the
// next frontier. Few threads at first and at the end, uneven loops, scattered atomics.
#include "graph.h"

const int THREADS = 256;
const unsigned FAR = 0xffffffffu;

struct Edges {
	const int *first, *to;
	const unsigned *length;
};

__global__ void relax(Edges edges, const int *frontier, int count, unsigned *distance, int *seen, int round, int *next,
                      int *next_count)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i >= count)
		return;
	int u = frontier[i];
	unsigned own = ((volatile unsigned *)distance)[u];
	for (int e = edges.first[u]; e < edges.first[u + 1]; e++) {
		int v = edges.to[e];
		unsigned through = own + edges.length[e];
		if (atomicMin(&distance[v], through) > through && atomicExch(&seen[v], round) != round)
			next[atomicAdd(next_count, 1)] = v;
	}
}

// True when no edge shortens a path, and each reached node has an edge that explains its distance. With positive
// lengths only the shortest distances are so.
static bool shortest(const graph::Graph &graph, const std::vector<unsigned> &length,
                     const std::vector<unsigned> &distance)
{
	std::vector<char> explained(graph.nodes());
	for (int u = 0; u < graph.nodes(); u++)
		for (int e = graph.first[u]; distance[u] != FAR && e < graph.first[u + 1]; e++) {
			unsigned through = distance[u] + length[e], there = distance[graph.to[e]];
			if (there > through)
				return false;
			explained[graph.to[e]] |= there == through;
		}
	for (int u = 1; u < graph.nodes(); u++)
		if (distance[u] != FAR && !explained[u])
			return false;
	return distance[0] == 0;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "sssp");
	int nodes = arguments.number("nodes", 2048, 1 << 16, 1 << 20, "of the graph");
	int degree = arguments.number("degree", 8, 8, 12, "edges of an ordinary node, at most");
	arguments.end();
	arguments.require(nodes > 0 && nodes <= 1 << 24 && degree > 0 && degree <= 64, "nodes and their degree");
	program::Random random(arguments.seed());
	graph::Graph graph = graph::uneven(nodes, degree, random);
	std::vector<unsigned> length(graph.to.size()), start(nodes, FAR);
	for (unsigned &one : length)
		one = 1 + random.below(100);
	start[0] = 0;
	program::Array<int> first(graph.first), to(graph.to), seen(std::vector<int>(nodes, -1)), next_count(1);
	program::Array<unsigned> device_length(length), distance(start);
	program::Array<int> a(std::vector<int>(nodes, 0)), b((size_t)nodes);
	int *frontier = a, *next = b, count = 1, round = 0;
	for (; count && round < nodes; round++) {
		next_count.clear();
		int blocks = program::blocks(count, THREADS);
		relax<<<blocks, THREADS>>>({first, to, device_length}, frontier, count, distance, seen, round, next,
		                           next_count);
		CHECK(cudaGetLastError());
		count = next_count.read()[0];
		std::swap(frontier, next);
	}

	program::Verdict verdict("sssp");
	verdict.require(count == 0, "an empty frontier at the end");
	verdict.require(shortest(graph, length, distance.read()), "shortest distances");
	return verdict.status();
}
