// check: macros that CUDA tests share: checks that report and count failures, and the exit status.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int failures;

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                        \
			failures++;                                                                                    \
		}                                                                                                      \
	} while (0)

#define SUCCEEDS(call) FAILS(cudaSuccess, call)
#define FAILS(expected, call)                                                                                          \
	do {                                                                                                           \
		cudaError_t error = (call);                                                                            \
		if (error != (expected)) {                                                                             \
			fprintf(stderr, "%s:%d: %s: %s, expected %s\n", __FILE__, __LINE__, #call,                     \
			        cudaGetErrorName(error), cudaGetErrorName(expected));                                  \
			failures++;                                                                                    \
		}                                                                                                      \
	} while (0)

static inline int finish()
{
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
