/* random/state: common parts of the generators' states. */
#ifndef SLUICE_RANDOM_STATE_H
#define SLUICE_RANDOM_STATE_H

#include "cuda_runtime.h"

#define SLUICE_RANDOM static __host__ __device__ __forceinline__

#if !defined(__CUDA__) || !defined(__clang__) /* for host compilers, which do not include sluice/math.h */
#include <math.h>

extern "C" {
void sluice_random_sincospi(double x, double *sine, double *cosine) __asm__("__nv_sincospi");
void sluice_random_sincospif(float x, float *sine, float *cosine) __asm__("__nv_sincospif");
double sluice_random_normcdfinv(double x) __asm__("__nv_normcdfinv");
}

namespace sluice
{
namespace random
{

static inline void sincospi(double x, double *sine, double *cosine)
{
	sluice_random_sincospi(x, sine, cosine);
}
static inline void sincospif(float x, float *sine, float *cosine)
{
	sluice_random_sincospif(x, sine, cosine);
}
static inline double normcdfinv(double x)
{
	return sluice_random_normcdfinv(x);
}

} // namespace random
} // namespace sluice
#endif

namespace sluice
{
namespace random
{

/* Second numbers of pairs whose first numbers curand_normal() and curand_normal_double() have returned. */
struct spare_normals {
	float single;
	bool has_single, has_wide;
	double wide;
};

} // namespace random
} // namespace sluice

#endif
