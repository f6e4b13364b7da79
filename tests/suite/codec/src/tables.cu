#include "check_cuda.h"
#include "codec.h"
#include "tables.cuh"

#include <cmath>

__constant__ float cosines[64];
__constant__ short quantizer[64];
__device__ const unsigned char zigzag[64] = {
	0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
	41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
	30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

__device__ int nonZeroClass(int nonZero)
{
	return nonZero ? 32 - __clz(nonZero) : 0;
}

void codec::setQuality(int quality, short *steps)
{
	float table[64];
	for (int u = 0; u < 8; u++)
		for (int x = 0; x < 8; x++)
			table[u * 8 + x] = (u ? 0.5f : 0.35355339f) * cosf((2 * x + 1) * u * 3.14159265f / 16);
	for (int i = 0; i < 64; i++)
		steps[i] = static_cast<short>(1 + (3 + i / 8 + i % 8) * (100 - quality) / 20);
	checkCudaErrors(cudaMemcpyToSymbol(cosines, table, sizeof table));
	checkCudaErrors(cudaMemcpyToSymbol(quantizer, steps, 64 * sizeof *steps));
}
