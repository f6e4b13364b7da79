#pragma once

#include <cstdint>
#include <string>
#include <vector>

#ifdef RANKS_DOUBLE
typedef double rank_t;
#else
typedef float rank_t;
#endif

// Edges by the node that they leave.
struct Graph {
	int nodes = 0;
	std::vector<int> rows, columns;
	Graph turned() const;                       // every edge the other way
	static Graph read(const std::string &name); // DIMACS; edges count once
	static Graph from(int nodes, std::vector<std::pair<int, int>> edges);
};

// On the device; how many steps it took.
int pageRank(const Graph &graph, rank_t damping, rank_t tolerance, std::vector<rank_t> &ranks);
int colour(const Graph &graph, uint32_t seed, std::vector<int> &colours);
