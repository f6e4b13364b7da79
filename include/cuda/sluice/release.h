/* release: the CUDA version whose face these headers have, and the two types of cuda.h that clang's own headers use.
 * `sluice cc --cuda-version` and the folders of `sluice toolkit --cuda` define __SLUICE_CUDA__. Functions of another
 * version that contradict nothing are declared, too. */
#ifndef SLUICE_RELEASE_H
#define SLUICE_RELEASE_H

#include <stdint.h>

#ifndef __SLUICE_CUDA__
#define __SLUICE_CUDA__ 12
#endif

#if __SLUICE_CUDA__ == 11
#define __SLUICE_RELEASE__ 11050
#define __SLUICE_MINOR__   5
#elif __SLUICE_CUDA__ == 12
#define __SLUICE_RELEASE__ 12040
#define __SLUICE_MINOR__   4
#elif __SLUICE_CUDA__ == 13
#define __SLUICE_RELEASE__ 13000
#define __SLUICE_MINOR__   0
#else
#error "sluice: __SLUICE_CUDA__ is 11, 12 or 13"
#endif

#define CUDA_VERSION __SLUICE_RELEASE__

/* The runtime exports a function whose parameters changed in CUDA 12 or 13 under a name for each form. */
#define __SLUICE_TEXT2(name)  #name
#define __SLUICE_TEXT(name)   __SLUICE_TEXT2(name)
#define __SLUICE_FORM12(name) __asm__("abi12_" __SLUICE_TEXT(name))
#define __SLUICE_FORM13(name) __asm__("abi13_" __SLUICE_TEXT(name))

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

#endif
