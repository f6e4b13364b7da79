#pragma once

#include <cstdint>
#include <string>
#include <vector>

#ifdef RANKS_DOUBLE
typedef double rank_t;
#else
typedef float rank_t;
#endif

// Edges, grouped by source node.
struct Graph {
	int nodes = 0;
	std::vector<int> rows, columns;
	Graph turned() const;                       // every edge reversed
	static Graph read(const std::string &name); // DIMACS; duplicate edges count once
	static Graph from(int nodes, std::vector<std::pair<int, int>> edges);
};

// Runs on the device. Returns the number of steps.
int pageRank(const Graph &graph, rank_t damping, rank_t tolerance, std::vector<rank_t> &ranks);
int color(const Graph &graph, uint32_t seed, std::vector<int> &colors);
