// Flags: -arch=sm_50
// Protects half_atomics.cu on architectures without instructions that add halves.
#define NO_SINGLE
#include "half_atomics.cu"
