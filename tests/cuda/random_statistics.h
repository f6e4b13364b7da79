// random_statistics: checks of a distribution by mean, variance and chi-square, each within five standard deviations.
#pragma once
#include "check.h"
#include <cmath>
#include <vector>

static inline void near(const char *what, const char *figure, double got, double wanted, double deviation)
{
	if (std::fabs(got - wanted) <= 5 * deviation)
		return;
	fprintf(stderr, "%s: %s is %g, expected %g +- %g\n", what, figure, got, wanted, deviation);
	failures++;
}

// `kurtosis` of the distribution: 3 for normal numbers.
template <typename T>
static void check_moments(const char *what, const std::vector<T> &x, double mean, double variance, double kurtosis)
{
	double sum = 0, squares = 0, n = (double)x.size();
	for (T value : x)
		sum += value;
	for (T value : x)
		squares += (value - mean) * (value - mean);
	near(what, "mean", sum / n, mean, std::sqrt(variance / n));
	near(what, "variance", squares / n, variance, variance * std::sqrt((kurtosis - 1) / n));
}

// share(value): the cumulative distribution function, from 0 to 1. For continuous distributions.
template <typename T, typename F> static void check_shares(const char *what, const std::vector<T> &x, F share)
{
	enum { BINS = 256 };
	double counts[BINS] = {}, expected = (double)x.size() / BINS, sum = 0;
	for (T value : x) {
		int bin = (int)(share(value) * BINS);
		counts[bin < BINS ? bin : BINS - 1]++;
	}
	for (double count : counts)
		sum += (count - expected) * (count - expected) / expected;
	near(what, "chi-square", sum, BINS - 1, std::sqrt(2.0 * (BINS - 1)));
}

static inline double share_of_normal(double x)
{
	return std::erfc(-x / std::sqrt(2.0)) / 2;
}

// Checks Poisson numbers; values expected less than ten times share one bin.
static inline void check_poisson(const char *what, const std::vector<unsigned> &x, double mean)
{
	check_moments(what, x, mean, mean, 3 + 1 / mean);
	std::vector<double> counts((size_t)(mean + 20 * std::sqrt(mean) + 20));
	for (unsigned value : x)
		counts[std::min((size_t)value, counts.size() - 1)]++;
	double sum = 0, rest = (double)x.size(), rest_expected = rest;
	int bins = 0;
	for (size_t k = 0; k < counts.size(); k++) {
		double expected = (double)x.size() * std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
		if (expected < 10)
			continue;
		sum += (counts[k] - expected) * (counts[k] - expected) / expected;
		rest -= counts[k];
		rest_expected -= expected;
		bins++;
	}
	near(what, "chi-square", sum, bins, std::sqrt(2.0 * bins));
	near(what, "count of rare numbers", rest, rest_expected, std::sqrt(rest_expected) + 1);
}
