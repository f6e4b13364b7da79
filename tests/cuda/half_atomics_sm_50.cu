// Flags: -arch=sm_50
// half_atomics.cu where no instruction adds halves.
#define NO_SINGLE
#include "half_atomics.cu"
