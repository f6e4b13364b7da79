/* random/discrete: Poisson numbers, and numbers from a table (curandCreatePoissonDistribution). */
#ifndef SLUICE_RANDOM_DISCRETE_H
#define SLUICE_RANDOM_DISCRETE_H

#include "curand.h"
#include "sobol.h"

/* Lies on the device. Entry i is the probability of numbers up to `first` + i; the last entry is 1. */
struct curandDiscreteDistribution_st {
	unsigned int first, count;
	const double *cumulative;
};

namespace sluice
{
namespace random
{

/* Inversion with one uniform number: returns the first number whose cumulative probability reaches it. Stops where the
 * probabilities become 0. */
template <typename State> SLUICE_RANDOM unsigned small_poisson(State *state, double mean)
{
	unsigned k = 0;
	double u = curand_uniform_double(state), p = exp(-mean), sum = p;
	while (u > sum && p > 0x1p-60) {
		k++;
		p *= mean / k;
		sum += p;
	}
	return k;
}

/* PTRS (Hoermann, The transformed rejection method for generating Poisson random variables, 1993), for means of at
 * least 10. */
template <typename State> SLUICE_RANDOM unsigned large_poisson(State *state, double mean)
{
	double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, limit = 0.9277 - 3.6224 / (b - 2);
	double scale = 1.1239 + 1.1328 / (b - 3.4), log_mean = log(mean);
	for (;;) {
		double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state), side = 0.5 - fabs(u);
		double k = floor((2 * a / side + b) * u + mean + 0.43);
		if (side >= 0.07 && v <= limit)
			return (unsigned)k;
		if (k < 0 || (side < 0.013 && v > side))
			continue;
		if (log(v * scale / (a / (side * side) + b)) <= k * log_mean - mean - lgamma(k + 1))
			return (unsigned)k;
	}
}

} // namespace random
} // namespace sluice

/* For means of at least 10 the count of numbers taken from the generator is random. */
template <typename State> SLUICE_RANDOM unsigned int curand_poisson(State *state, double mean)
{
	return mean < 10 ? sluice::random::small_poisson(state, mean) : sluice::random::large_poisson(state, mean);
}

SLUICE_RANDOM uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double mean)
{
	unsigned x = curand_poisson(state, mean), y = curand_poisson(state, mean), z = curand_poisson(state, mean);
	return make_uint4(x, y, z, curand_poisson(state, mean));
}

template <typename State> static __device__ __forceinline__ unsigned int curand_discrete(State *state, curandDiscreteDistribution_t of)
{
	double u = curand_uniform_double(state);
	unsigned low = 0, high = of->count - 1;
	while (low < high) {
		unsigned middle = (low + high) / 2;
		if (of->cumulative[middle] < u)
			low = middle + 1;
		else
			high = middle;
	}
	return of->first + low;
}

#endif
