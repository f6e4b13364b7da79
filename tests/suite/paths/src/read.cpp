#include "paths.h"

#include <fstream>

std::vector<edge> read_edges(const char *file, int &nodes)
{
	std::ifstream stream(file);
	std::vector<edge> edges;
	edge e;
	stream >> nodes;
	while (stream >> e.from >> e.to >> e.length)
		edges.push_back(e);
	return edges;
}
