/* curand: arrays of random numbers, by a small library by Sluice (docs/reference/cuda-headers.md): XORWOW,
 * Philox4x32-10 and Sobol sequences.
 *
 * A generator has 4,096 sequences (curand_kernel.h): subsequences 0 to 4095 of its seed, which take turns. Element i of
 * a call is the next number of sequence (before + i) % 4096. `before` is the offset plus the elements of earlier calls.
 * Device generators write device memory by kernels in their stream. Host generators write host memory, with the same
 * integers and uniform numbers.
 *
 * Sobol generators return points of `dimensions` coordinates, by default 1: all first coordinates of the next points,
 * then all second ones, and so on. Counts must be multiples of the dimensions (else CURAND_STATUS_LENGTH_NOT_MULTIPLE),
 * offsets count points, and there is no seed.
 *
 * Calls that do not return CURAND_STATUS_SUCCESS have written no number.
 */
#ifndef CURAND_H_
#define CURAND_H_

#include "sluice/macros_off.h"

#include <cuda_runtime.h>

#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 2
#define CURAND_VER_PATCH 6
#define CURAND_VERSION   (CURAND_VER_MAJOR * 1000 + CURAND_VER_MINOR * 100 + CURAND_VER_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum curandStatus {
	CURAND_STATUS_SUCCESS = 0,
	CURAND_STATUS_VERSION_MISMATCH = 100,
	CURAND_STATUS_NOT_INITIALIZED = 101,
	CURAND_STATUS_ALLOCATION_FAILED = 102,
	CURAND_STATUS_TYPE_ERROR = 103,
	CURAND_STATUS_OUT_OF_RANGE = 104,
	CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
	CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
	CURAND_STATUS_LAUNCH_FAILURE = 201,
	CURAND_STATUS_PREEXISTING_FAILURE = 202,
	CURAND_STATUS_INITIALIZATION_FAILED = 203,
	CURAND_STATUS_ARCH_MISMATCH = 204,
	CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;

typedef enum curandRngType {
	CURAND_RNG_TEST = 0,
	CURAND_RNG_PSEUDO_DEFAULT = 100, /* XORWOW */
	CURAND_RNG_PSEUDO_XORWOW = 101,
	CURAND_RNG_PSEUDO_MRG32K3A = 121, /* this, MTGP32 and MT19937 return CURAND_STATUS_TYPE_ERROR */
	CURAND_RNG_PSEUDO_MTGP32 = 141,
	CURAND_RNG_PSEUDO_MT19937 = 142,
	CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
	CURAND_RNG_QUASI_DEFAULT = 200, /* SOBOL32 */
	CURAND_RNG_QUASI_SOBOL32 = 201,
	CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
	CURAND_RNG_QUASI_SOBOL64 = 203,
	CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
} curandRngType_t;

typedef enum curandOrdering {
	CURAND_ORDERING_PSEUDO_BEST = 100,
	CURAND_ORDERING_PSEUDO_DEFAULT = 101,
	CURAND_ORDERING_PSEUDO_SEEDED = 102,
	CURAND_ORDERING_PSEUDO_LEGACY = 103,
	CURAND_ORDERING_QUASI_DEFAULT = 201
} curandOrdering_t;

typedef enum curandDirectionVectorSet {
	CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
	CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
	CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
	CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104
} curandDirectionVectorSet_t;
typedef unsigned int curandDirectionVectors32_t[32]; /* of one dimension */
typedef unsigned long long curandDirectionVectors64_t[64];

typedef struct curandGenerator_st *curandGenerator_t;
typedef struct curandDiscreteDistribution_st *curandDiscreteDistribution_t; /* for curand_discrete() in kernels */

/* Seed and offset start at 0. The calls below return CURAND_STATUS_NOT_INITIALIZED for a NULL generator. */
curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type);
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type);
curandStatus_t curandDestroyGenerator(curandGenerator_t generator);
curandStatus_t curandGetVersion(int *version);

/* Each restarts the generator: the next number is the seed's at the offset, in elements of 32 bits. */
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed);
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset);
/* Every ordering of the generator's kind is accepted and gives the same numbers. */
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order);
/* `count` is 1 to 20,000. */
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int count);
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream);
curandStatus_t curandGenerateSeeds(curandGenerator_t generator); /* performs the setup that the first number would */

/* Not for 64-bit Sobol generators. */
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *to, size_t count);
/* Only for 64-bit Sobol generators. */
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *to, size_t count);
/* The numbers are above 0, up to 1. */
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *to, size_t count);
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *to, size_t count);
/* Pseudo-random generators return CURAND_STATUS_LENGTH_NOT_MULTIPLE for odd counts. */
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *to, size_t count, float mean, float stddev);
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean, double stddev);
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *to, size_t count, float mean, float stddev);
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean, double stddev);
/* Returns CURAND_STATUS_OUT_OF_RANGE unless the mean is above 0 and at most 400,000. Not for Sobol generators;
 * curand_discrete() supports them. */
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *to, size_t count, double mean);

/* Creates a table on the device of the numbers with probabilities above about 1e-20. */
curandStatus_t curandCreatePoissonDistribution(double mean, curandDiscreteDistribution_t *distribution);
curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution);

/* Return the direction numbers of the 20,000 dimensions, and the initial values of scrambled sequences (for
 * curand_init() in kernels). They are constants of the library in host memory. Sets of the other width:
 * CURAND_STATUS_OUT_OF_RANGE. */
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set);
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set);
curandStatus_t curandGetScrambleConstants32(unsigned int **constants);
curandStatus_t curandGetScrambleConstants64(unsigned long long **constants);

#ifdef __cplusplus
}
#endif

#include "sluice/macros_on.h"

#endif
