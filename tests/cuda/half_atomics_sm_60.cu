// Flags: -arch=sm_60
// Protects half_atomics.cu on architectures whose atomicAdd accepts only pairs.
#define NO_SINGLE
#include "half_atomics.cu"
