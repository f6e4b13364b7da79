// graph.h: random graphs in compressed sparse rows.
#ifndef SLUICE_HARDWARE_GRAPH_H
#define SLUICE_HARDWARE_GRAPH_H

#include "sample.h"

namespace graph {

// Node u's neighbors are to[first[u]] to to[first[u + 1] - 1].
struct Graph {
	std::vector<int> first, to;

	int nodes() const { return (int)first.size() - 1; }
	int edges() const { return (int)to.size(); }
};

// Rows of 1 to `degree` neighbors; one in 16 rows is 8 times as long. The mean is about 0.72 `degree`. Half of the
// neighbors are any node, half one of the first sixteenth.
inline Graph uneven(int nodes, int degree, program::Random &random)
{
	Graph graph;
	graph.first.push_back(0);
	graph.to.reserve((size_t)nodes * degree);
	for (int u = 0; u < nodes; u++) {
		int length = 1 + (int)random.below(degree);
		if (random.below(16) == 0)
			length *= 8;
		for (int i = 0; i < length; i++)
			graph.to.push_back((int)random.below(i % 2 ? nodes : (nodes + 15) / 16));
		graph.first.push_back((int)graph.to.size());
	}
	return graph;
}

} // namespace graph

#endif
