// Tables of tables.cu, for the device code of other files.
#pragma once

extern __constant__ float cosines[64];
extern __constant__ short quantizer[64];
extern __device__ const unsigned char zigzag[64];
__device__ int nonZeroClass(int nonZero);
