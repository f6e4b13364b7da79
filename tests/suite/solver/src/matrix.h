#pragma once

#include <string>
#include <vector>

// Compressed sparse rows.
struct Matrix {
	int rows = 0;
	std::vector<int> starts, columns;
	std::vector<double> values;
	static Matrix read(const std::string &name); // Matrix Market, coordinates, symmetric
	std::vector<double> times(const std::vector<double> &x) const;
};
