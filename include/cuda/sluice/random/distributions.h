/* random/distributions: uniform, normal and log-normal numbers from any generator. Numbers in double use two 32-bit
 * numbers each. */
#ifndef SLUICE_RANDOM_DISTRIBUTIONS_H
#define SLUICE_RANDOM_DISTRIBUTIONS_H

#include "philox.h"
#include "xorwow.h"

namespace sluice
{
namespace random
{

/* Above 0, up to 1. */
SLUICE_RANDOM float uniform(unsigned x)
{
	return x * 0x1p-32f + 0x1p-33f;
}
SLUICE_RANDOM double uniform(unsigned high, unsigned low)
{
	unsigned long long x = (unsigned long long)high << 32 | low;
	return ((x >> 11) + 1) * 0x1p-53;
}

/* Returns two independent normal numbers (Box and Muller, A Note on the Generation of Random Normal Deviates, 1958). */
SLUICE_RANDOM float2 normal_pair(float u, float angle)
{
	float radius = sqrtf(-2 * logf(u)), sine, cosine;
	sincospif(2 * angle, &sine, &cosine);
	return make_float2(radius * sine, radius * cosine);
}
SLUICE_RANDOM double2 normal_pair(double u, double angle)
{
	double radius = sqrt(-2 * log(u)), sine, cosine;
	sincospi(2 * angle, &sine, &cosine);
	return make_double2(radius * sine, radius * cosine);
}

} // namespace random
} // namespace sluice

template <typename State> SLUICE_RANDOM float curand_uniform(State *state)
{
	return sluice::random::uniform(curand(state));
}

template <typename State> SLUICE_RANDOM double curand_uniform_double(State *state)
{
	unsigned high = curand(state);
	return sluice::random::uniform(high, curand(state));
}

SLUICE_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
	uint4 x = curand4(state);
	return make_float4(sluice::random::uniform(x.x), sluice::random::uniform(x.y), sluice::random::uniform(x.z),
	                   sluice::random::uniform(x.w));
}

SLUICE_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
	uint4 x = curand4(state);
	return make_double2(sluice::random::uniform(x.x, x.y), sluice::random::uniform(x.z, x.w));
}

template <typename State> SLUICE_RANDOM float2 curand_normal2(State *state)
{
	float u = curand_uniform(state);
	return sluice::random::normal_pair(u, curand_uniform(state));
}

template <typename State> SLUICE_RANDOM double2 curand_normal2_double(State *state)
{
	double u = curand_uniform_double(state);
	return sluice::random::normal_pair(u, curand_uniform_double(state));
}

/* Returns the first number of a pair, and the second at the next call. */
template <typename State> SLUICE_RANDOM float curand_normal(State *state)
{
	state->spare.has_single = !state->spare.has_single;
	if (!state->spare.has_single)
		return state->spare.single;
	float2 pair = curand_normal2(state);
	state->spare.single = pair.y;
	return pair.x;
}

template <typename State> SLUICE_RANDOM double curand_normal_double(State *state)
{
	state->spare.has_wide = !state->spare.has_wide;
	if (!state->spare.has_wide)
		return state->spare.wide;
	double2 pair = curand_normal2_double(state);
	state->spare.wide = pair.y;
	return pair.x;
}

SLUICE_RANDOM float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
	float4 u = curand_uniform4(state);
	float2 a = sluice::random::normal_pair(u.x, u.y), b = sluice::random::normal_pair(u.z, u.w);
	return make_float4(a.x, a.y, b.x, b.y);
}

template <typename State> SLUICE_RANDOM float curand_log_normal(State *state, float mean, float stddev)
{
	return expf(mean + stddev * curand_normal(state));
}

template <typename State> SLUICE_RANDOM double curand_log_normal_double(State *state, double mean, double stddev)
{
	return exp(mean + stddev * curand_normal_double(state));
}

template <typename State> SLUICE_RANDOM float2 curand_log_normal2(State *state, float mean, float stddev)
{
	float2 x = curand_normal2(state);
	return make_float2(expf(mean + stddev * x.x), expf(mean + stddev * x.y));
}

template <typename State> SLUICE_RANDOM double2 curand_log_normal2_double(State *state, double mean, double stddev)
{
	double2 x = curand_normal2_double(state);
	return make_double2(exp(mean + stddev * x.x), exp(mean + stddev * x.y));
}

SLUICE_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev)
{
	float4 x = curand_normal4(state);
	return make_float4(expf(mean + stddev * x.x), expf(mean + stddev * x.y), expf(mean + stddev * x.z),
	                   expf(mean + stddev * x.w));
}

#endif
