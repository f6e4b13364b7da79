/* curand_kernel: random numbers in kernels, by generators of ours (docs/reference/cuda-headers.md). Each thread has a state of its own:
 *
 *     curandState state;
 *     curand_init(seed, thread, 0, &state);
 *     float x = curand_uniform(&state);
 *
 * curandState, curandStateXORWOW_t and curandStatePhilox4_32_10_t are there; subsequences of one seed do not overlap. States of Sobol's sequences (curandStateSobol32_t,
 * curandStateScrambledSobol32_t, and those of 64) are one dimension's each, whose direction numbers curand_init() copies. The functions run on the host
 * too, but for curand_discrete(): integers and uniform numbers are the same there.
 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "sluice/macros_off.h"

#include "sluice/random/discrete.h"

#include "sluice/macros_on.h"

#endif
