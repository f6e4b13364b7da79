/* curand: arrays of random numbers, by a small library of ours (docs/reference/cuda-headers.md): XORWOW, Philox4x32-10 and Sobol's sequences.
 *
 * A generator has 4,096 sequences (curand_kernel.h), subsequences 0 to 4095 of its seed, and numbers that it gives take turns: element i of a call
 * is the next number of sequence (before + i) % 4096, `before` the offset and the elements of earlier calls. Device generators write to
 * memory of the device by kernels in their stream, host generators to memory of the host, the same integers and uniform numbers.
 *
 * Those of Sobol's give a point in as many dimensions as they are told, 1 at first: all first coordinates, then all second ones, ..., of the next
 * points. Counts are multiples of the dimensions (else CURAND_STATUS_LENGTH_NOT_MULTIPLE), offsets are points; they have no seed.
 *
 * Calls that return another status than CURAND_STATUS_SUCCESS have given no number.
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
	CURAND_RNG_PSEUDO_MRG32K3A = 121, /* this, MTGP32 and MT19937: CURAND_STATUS_TYPE_ERROR */
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
typedef unsigned int curandDirectionVectors32_t[32]; /* of a dimension */
typedef unsigned long long curandDirectionVectors64_t[64];

typedef struct curandGenerator_st *curandGenerator_t;
typedef struct curandDiscreteDistribution_st *curandDiscreteDistribution_t; /* for curand_discrete() of kernels */

/* With seed 0 and offset 0. Null generators of the calls below: CURAND_STATUS_NOT_INITIALIZED. */
curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type);
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type);
curandStatus_t curandDestroyGenerator(curandGenerator_t generator);
curandStatus_t curandGetVersion(int *version);

/* Each begins again: the next number is that of the seed at the offset, in elements of 32 bits. */
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed);
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset);
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order); /* of its kind: all are the same */
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int count); /* 1 to 20,000 */
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream);
curandStatus_t curandGenerateSeeds(curandGenerator_t generator); /* what the first number would do else */

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *to, size_t count); /* not Sobol's of 64 bits */
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *to, size_t count); /* Sobol's of 64 bits alone */
/* Above 0, up to 1. */
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *to, size_t count);
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *to, size_t count);
/* Odd counts of pseudo-random ones: CURAND_STATUS_LENGTH_NOT_MULTIPLE. */
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *to, size_t count, float mean, float stddev);
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean, double stddev);
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *to, size_t count, float mean, float stddev);
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean, double stddev);
/* A mean that is not above 0, or above 400,000: CURAND_STATUS_OUT_OF_RANGE. Not Sobol's (curand_discrete() is). */
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *to, size_t count, double mean);

/* A table on the device, of the numbers that have probabilities above 1e-20 or so. */
curandStatus_t curandCreatePoissonDistribution(double mean, curandDiscreteDistribution_t *distribution);
curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution);

/* The 20,000 dimensions' rows, and what scrambled ones begin with (curand_init of kernels): of the library, in the host's memory. They may be copied, not
 * changed. Sets of the other width: CURAND_STATUS_OUT_OF_RANGE. */
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set);
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set);
curandStatus_t curandGetScrambleConstants32(unsigned int **constants);
curandStatus_t curandGetScrambleConstants64(unsigned long long **constants);

#ifdef __cplusplus
}
#endif

#include "sluice/macros_on.h"

#endif
