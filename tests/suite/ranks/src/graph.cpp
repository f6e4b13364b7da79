#include "graph.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

Graph Graph::from(int nodes, std::vector<std::pair<int, int>> edges)
{
	Graph graph;
	std::sort(edges.begin(), edges.end());
	edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
	graph.nodes = nodes;
	graph.rows.assign(nodes + 1, 0);
	for (const auto &edge : edges) {
		graph.rows[edge.first + 1]++;
		graph.columns.push_back(edge.second);
	}
	for (int i = 0; i < nodes; i++)
		graph.rows[i + 1] += graph.rows[i];
	return graph;
}

Graph Graph::turned() const
{
	std::vector<std::pair<int, int>> edges;
	for (int i = 0; i < nodes; i++)
		for (int j = rows[i]; j < rows[i + 1]; j++)
			edges.emplace_back(columns[j], i);
	return from(nodes, std::move(edges));
}

Graph Graph::read(const std::string &name)
{
	std::ifstream file(name);
	std::vector<std::pair<int, int>> edges;
	int nodes = 0, count, from, to;
	for (std::string line; std::getline(file, line);) {
		std::istringstream words(line);
		std::string kind, what;
		words >> kind;
		if (kind == "p")
			words >> what >> nodes >> count;
		else if (kind == "a" && words >> from >> to && from != to)
			edges.emplace_back(from - 1, to - 1);
	}
	if (!nodes)
		throw std::runtime_error(name + ": no graph");
	return Graph::from(nodes, edges);
}
