// Page ranks and a coloring of a graph, checked on the host.
#include "graph.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

static double rankError(const Graph &graph, double damping, const std::vector<rank_t> &ranks)
{
	std::vector<double> now(graph.nodes, 1.0 / graph.nodes), next;
	for (int step = 0; step < 200; step++) {
		double lost = 0;
		next.assign(graph.nodes, 0);
		for (int i = 0; i < graph.nodes; i++) {
			int degree = graph.rows[i + 1] - graph.rows[i];
			lost += degree ? 0 : now[i];
			for (int j = graph.rows[i]; j < graph.rows[i + 1]; j++)
				next[graph.columns[j]] += damping * now[i] / degree;
		}
		for (double &rank : next)
			rank += (1 - damping + damping * lost) / graph.nodes;
		now.swap(next);
	}
	double most = 0;
	for (int i = 0; i < graph.nodes; i++)
		most = std::max(most, std::fabs(now[i] - ranks[i]) / now[i]);
	return most;
}

static int conflicts(const Graph &graph, const std::vector<int> &colors)
{
	int count = 0;
	for (int i = 0; i < graph.nodes; i++) {
		count += colors[i] < 0;
		for (int j = graph.rows[i]; j < graph.rows[i + 1]; j++)
			count += colors[i] == colors[graph.columns[j]];
	}
	return count;
}

int main(int argc, char *argv[])
try {
	if (argc != 2) {
		std::fprintf(stderr, "usage: %s GRAPH\n", argv[0]);
		return 2;
	}
	const Graph graph = Graph::read(argv[1]);
	std::vector<rank_t> ranks;
	int steps = pageRank(graph, 0.85, 1e-7, ranks);
	std::vector<std::pair<int, int>> both;
	for (int i = 0; i < graph.nodes; i++)
		for (int j = graph.rows[i]; j < graph.rows[i + 1]; j++) {
			both.emplace_back(i, graph.columns[j]);
			both.emplace_back(graph.columns[j], i);
		}
	const Graph undirected = Graph::from(graph.nodes, both);
	std::vector<int> colors;
	int rounds = color(undirected, 7, colors);
	double error = rankError(graph, 0.85, ranks);
	int wrong = conflicts(undirected, colors);
	std::printf("%d nodes, %zu edges: ranks in %d steps, the first at node %d; colors in %d rounds\n", graph.nodes,
	            graph.columns.size(), steps, int(std::max_element(ranks.begin(), ranks.end()) - ranks.begin()) + 1,
	            rounds);
	std::printf("page rank %s, coloring %s\n", error < 1e-3 ? "PASSED" : "FAILED", wrong == 0 ? "PASSED" : "FAILED");
	return error < 1e-3 && wrong == 0 ? 0 : 1;
} catch (const std::exception &error) {
	std::fprintf(stderr, "%s\n", error.what());
	return 1;
}
