/* Macros around CUDA calls, in the style of old programs. */
#ifndef SAFE_CALL_H
#define SAFE_CALL_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA_SAFE_CALL_NO_SYNC(call)                                                                                   \
	{                                                                                                              \
		cudaError err = call;                                                                                  \
		if (cudaSuccess != err) {                                                                              \
			fprintf(stderr, "Cuda error in file '%s' in line %i : %s.\n", __FILE__, __LINE__,              \
			        cudaGetErrorString(err));                                                              \
			exit(EXIT_FAILURE);                                                                            \
		}                                                                                                      \
	}
#define CUDA_SAFE_CALL(call) CUDA_SAFE_CALL_NO_SYNC(call)

#define CUT_CHECK_ERROR(message)                                                                                       \
	{                                                                                                              \
		cudaError_t err = cudaGetLastError();                                                                  \
		if (cudaSuccess != err) {                                                                              \
			fprintf(stderr, "Cuda error: %s in file '%s' in line %i : %s.\n", message, __FILE__,           \
			        __LINE__, cudaGetErrorString(err));                                                    \
			exit(EXIT_FAILURE);                                                                            \
		}                                                                                                      \
		err = cudaThreadSynchronize();                                                                         \
		if (cudaSuccess != err) {                                                                              \
			fprintf(stderr, "Cuda error: %s in file '%s' in line %i : %s.\n", message, __FILE__,           \
			        __LINE__, cudaGetErrorString(err));                                                    \
			exit(EXIT_FAILURE);                                                                            \
		}                                                                                                      \
	}

#endif
