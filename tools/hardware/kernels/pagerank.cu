// pagerank: ranks of a graph's nodes by pulling. In each step one kernel divides each rank by the node's out-degree.
// Another adds for each node the shares of the nodes that point to it: gathered reads in loops of uneven length.
#include "graph.h"

const int THREADS = 256;
const float DAMPING = 0.85f;

__global__ void divide(const float *rank, const int *out_degree, float *share, int nodes)
{
	int u = blockIdx.x * THREADS + threadIdx.x;
	if (u < nodes)
		share[u] = out_degree[u] ? rank[u] / out_degree[u] : 0;
}

__global__ void pull(const int *first, const int *from, const float *share, float *rank, int nodes)
{
	int u = blockIdx.x * THREADS + threadIdx.x;
	if (u >= nodes)
		return;
	float sum = 0;
	for (int i = first[u]; i < first[u + 1]; i++)
		sum += share[from[i]];
	rank[u] = 1 - DAMPING + DAMPING * sum;
}

static std::vector<double> host_ranks(const graph::Graph &graph, const std::vector<int> &out_degree, int steps)
{
	int nodes = graph.nodes();
	std::vector<double> rank(nodes, 1), share(nodes);
	for (int step = 0; step < steps; step++) {
		for (int u = 0; u < nodes; u++)
			share[u] = out_degree[u] ? rank[u] / out_degree[u] : 0;
		for (int u = 0; u < nodes; u++) {
			double sum = 0;
			for (int i = graph.first[u]; i < graph.first[u + 1]; i++)
				sum += share[graph.to[i]];
			rank[u] = 1 - DAMPING + DAMPING * sum;
		}
	}
	return rank;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "pagerank");
	int nodes = arguments.number("nodes", 2048, 1 << 15, 1 << 20, "of the graph");
	int degree = arguments.number("degree", 16, 16, 16, "nodes that point to an ordinary one, at most");
	int steps = arguments.number("steps", 3, 4, 5, "of the iteration");
	arguments.end();
	arguments.require(nodes > 0 && nodes <= 1 << 25 && degree > 0 && degree <= 64, "nodes and their degree");
	program::Random random(arguments.seed());
	graph::Graph graph = graph::uneven(nodes, degree, random);
	std::vector<int> out_degree(nodes);
	for (int u : graph.to)
		out_degree[u]++;
	program::Array<int> first(graph.first), from(graph.to), device_degree(out_degree);
	program::Array<float> rank(std::vector<float>(nodes, 1)), share((size_t)nodes);
	int blocks = program::blocks(nodes, THREADS);
	for (int step = 0; step < steps; step++) {
		divide<<<blocks, THREADS>>>(rank, device_degree, share, nodes);
		pull<<<blocks, THREADS>>>(first, from, share, rank, nodes);
	}
	CHECK(cudaGetLastError());

	program::Verdict verdict("pagerank");
	verdict.close("ranks", rank.read(), host_ranks(graph, out_degree, steps), 1e-3);
	return verdict.status();
}
