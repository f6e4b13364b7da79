#pragma once

#include <vector>

struct Peak {
	int bin;
	float power;
};

// Power of the middle bins of windows of `window` samples, each `hop` after the last; and its greatest bin.
std::vector<Peak> peaks(const std::vector<float> &samples, int window, int hop);
