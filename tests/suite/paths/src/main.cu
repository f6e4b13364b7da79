#include "paths.h"

#include <cstdio>

int main(int argc, char **argv)
{
	int nodes = 0;
	std::vector<edge> edges = read_edges(argc > 1 ? argv[1] : "edges.txt", nodes);
	std::vector<int> distances;
	if (edges.empty()) {
		std::printf("no edges\n");
		return 1;
	}
	relax_all(edges, nodes, distances);
	long sum = 0;
	for (int node = 0; node < nodes; node++)
		if (distances[node] < 1 << 30)
			sum += (node + 1L) * distances[node];
	std::printf("%d nodes, %zu edges, the last one %d away, sum %ld\n", nodes, edges.size(), distances[nodes - 1], sum);
}
