/* curand_kernel: random numbers in kernels, by our own generators (docs/reference/cuda-headers.md). Each thread has its
 * own state:
 *
 *     curandState state;
 *     curand_init(seed, thread, 0, &state);
 *     float x = curand_uniform(&state);
 *
 * The types are curandState, curandStateXORWOW_t and curandStatePhilox4_32_10_t; subsequences of one seed do not
 * overlap. A Sobol state (curandStateSobol32_t, curandStateScrambledSobol32_t, and the 64-bit ones) belongs to one
 * dimension, whose direction numbers curand_init() copies. All functions except curand_discrete() also run on the host,
 * with the same integers and uniform numbers.
 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "sluice/macros_off.h"

#include "sluice/random/discrete.h"

#include "sluice/macros_on.h"

#endif
