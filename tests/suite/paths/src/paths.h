#pragma once
#include <vector>

struct edge {
	int from, to, length;
};

std::vector<edge> read_edges(const char *file, int &nodes);
int relax_all(const std::vector<edge> &edges, int nodes, std::vector<int> &distances);
