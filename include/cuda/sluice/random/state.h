/* random/state: what the generators' states have in common. */
#ifndef SLUICE_RANDOM_STATE_H
#define SLUICE_RANDOM_STATE_H

#include "cuda_runtime.h"

#define SLUICE_RANDOM static __host__ __device__ __forceinline__

namespace sluice
{
namespace random
{

/* The second numbers of pairs of which curand_normal() and curand_normal_double() have given the first. */
struct spare_normals {
	float single;
	bool has_single, has_wide;
	double wide;
};

} // namespace random
} // namespace sluice

#endif
