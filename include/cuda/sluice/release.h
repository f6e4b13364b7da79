/* release: the CUDA version that these headers implement, and the two types of cuda.h that clang's own headers use. */
#ifndef SLUICE_RELEASE_H
#define SLUICE_RELEASE_H

#include <stdint.h>

#define CUDA_VERSION 11050

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

#endif
