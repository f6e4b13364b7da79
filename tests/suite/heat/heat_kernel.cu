#ifndef HEAT_KERNEL_CU
#define HEAT_KERNEL_CU

#include "plate.h"

__constant__ float weights[3];
__device__ float hottest_bits;

/* A tile with its border in shared memory. */
__global__ void step(const float *from, float *to, int rows, int columns)
{
	__shared__ float tile[TILE + 2][TILE + 2];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	int sx = threadIdx.x + 1, sy = threadIdx.y + 1, at = y * columns + x;
	bool inside = x < columns && y < rows;
	if (inside) {
		tile[sy][sx] = from[at];
		if (sx == 1 && x > 0)
			tile[sy][0] = from[at - 1];
		if (sx == TILE && x < columns - 1)
			tile[sy][TILE + 1] = from[at + 1];
		if (sy == 1 && y > 0)
			tile[0][sx] = from[at - columns];
		if (sy == TILE && y < rows - 1)
			tile[TILE + 1][sx] = from[at + columns];
	}
	__syncthreads();
	if (!inside)
		return;
	if (x == 0 || y == 0 || x == columns - 1 || y == rows - 1)
		to[at] = tile[sy][sx];
	else
		to[at] = weights[0] * tile[sy][sx] + weights[1] * (tile[sy][sx - 1] + tile[sy][sx + 1]) +
			 weights[2] * (tile[sy - 1][sx] + tile[sy + 1][sx]);
}

__global__ void find_hottest(const float *plate, int count)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		atomicMax((int *)&hottest_bits, __float_as_int(plate[i]));
}

#endif
