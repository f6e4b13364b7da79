// Flags: -arch=sm_86
// Protects half_atomics.cu on a newer architecture.
#include "half_atomics.cu"
