#include "matrix.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

Matrix Matrix::read(const std::string &name)
{
	std::ifstream file(name);
	std::string line;
	if (!std::getline(file, line) || line.find("symmetric") == std::string::npos)
		throw std::runtime_error(name + ": expected a symmetric matrix");
	while (std::getline(file, line) && line[0] == '%')
		;
	int rows, columns, count, i, j;
	double value;
	std::istringstream(line) >> rows >> columns >> count;
	std::map<std::pair<int, int>, double> entries;
	while (count-- > 0 && file >> i >> j >> value)
		entries[{i - 1, j - 1}] = entries[{j - 1, i - 1}] = value;
	Matrix matrix;
	matrix.rows = rows;
	matrix.starts.assign(rows + 1, 0);
	for (const auto &entry : entries) {
		matrix.starts[entry.first.first + 1]++;
		matrix.columns.push_back(entry.first.second);
		matrix.values.push_back(entry.second);
	}
	for (int row = 0; row < rows; row++)
		matrix.starts[row + 1] += matrix.starts[row];
	return matrix;
}

std::vector<double> Matrix::times(const std::vector<double> &x) const
{
	std::vector<double> y(rows);
	for (int row = 0; row < rows; row++)
		for (int i = starts[row]; i < starts[row + 1]; i++)
			y[row] += values[i] * x[columns[i]];
	return y;
}
