// Flags: -arch=sm_60
// half_atomics.cu where atomicAdd takes pairs alone.
#define NO_SINGLE
#include "half_atomics.cu"
