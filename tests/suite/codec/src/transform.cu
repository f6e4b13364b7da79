#include "check_cuda.h"
#include "codec.h"
#include "tables.cuh"

namespace codec {

typedef float Tile[kBlock][kBlock + 1];

template <bool kTransposed> __device__ __forceinline__ float rowTimes(const Tile &tile, int row, int column)
{
	float sum = 0;
#pragma unroll
	for (int k = 0; k < kBlock; k++)
		sum += (kTransposed ? cosines[k * kBlock + column] : cosines[column * kBlock + k]) * tile[row][k];
	return sum;
}

// Four 8 x 8 sample blocks per thread block; both passes work on rows, with a transposition between them.
template <bool kInverse> __device__ float transform(Tile &tile, float value)
{
	int x = threadIdx.x, y = threadIdx.y;
	tile[y][x] = value;
	__syncthreads();
	float once = rowTimes<kInverse>(tile, y, x);
	__syncthreads();
	tile[x][y] = once;
	__syncthreads();
	float twice = rowTimes<kInverse>(tile, y, x);
	__syncthreads();
	tile[x][y] = twice;
	__syncthreads();
	return tile[y][x];
}

__global__ void __launch_bounds__(256) encodeKernel(DevicePlane plane, short *coefficients, int blocks)
{
	__shared__ Tile tiles[4];
	int number = blockIdx.x * blockDim.z + threadIdx.z, across = plane.width / kBlock;
	bool inside = number < blocks;
	int x = inside ? number % across * kBlock + threadIdx.x : 0, y = inside ? number / across * kBlock + threadIdx.y : 0;
	int at = threadIdx.y * kBlock + threadIdx.x;
	float result = transform<false>(tiles[threadIdx.z], plane.samples[y * plane.pitch + x] - 128.0f);
	if (inside)
		coefficients[number * 64 + at] = static_cast<short>(rintf(result / quantizer[at]));
}

__global__ void __launch_bounds__(256) decodeKernel(const short *__restrict__ coefficients, DevicePlane plane, int blocks)
{
	__shared__ Tile tiles[4];
	int number = blockIdx.x * blockDim.z + threadIdx.z, across = plane.width / kBlock;
	int at = threadIdx.y * kBlock + threadIdx.x;
	bool inside = number < blocks;
	float value = inside ? coefficients[number * 64 + at] * quantizer[at] : 0;
	float sample = transform<true>(tiles[threadIdx.z], value) + 128.0f;
	if (inside) {
		int x = number % across * kBlock + threadIdx.x, y = number / across * kBlock + threadIdx.y;
		plane.samples[y * plane.pitch + x] = static_cast<unsigned char>(fminf(fmaxf(rintf(sample), 0), 255));
	}
}

// One warp per block: counts the blocks by the length of their coefficients in zigzag order, in powers of two.
__global__ void countKernel(const short *coefficients, int blocks, unsigned int *histogram)
{
	__shared__ unsigned int counts[8];
	volatile __shared__ int last[4][32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32, number = blockIdx.x * 4 + warp;
	if (threadIdx.x < 8)
		counts[threadIdx.x] = 0;
	__syncthreads();
	int own = 0;
	for (int i = lane; number < blocks && i < 64; i += 32)
		if (coefficients[number * 64 + zigzag[i]])
			own = i + 1;
	last[warp][lane] = own;
	for (int step = 16; step > 0; step /= 2) {
		if (lane < step)
			last[warp][lane] = max(last[warp][lane], last[warp][lane + step]);
#if CUDART_VERSION >= 9000
		__syncwarp();
#endif
	}
	if (lane == 0 && number < blocks)
		atomicAdd(&counts[nonZeroClass(last[warp][0])], 1);
	__syncthreads();
	if (threadIdx.x < 8 && counts[threadIdx.x])
		atomicAdd(&histogram[threadIdx.x], counts[threadIdx.x]);
}

void encode(DevicePlane plane, short *coefficients, cudaStream_t stream)
{
	int blocks = plane.width * plane.height / 64;
	encodeKernel<<<(blocks + 3) / 4, dim3(kBlock, kBlock, 4), 0, stream>>>(plane, coefficients, blocks);
	getLastCudaError("encode");
}

void decode(const short *coefficients, DevicePlane plane, cudaStream_t stream)
{
	int blocks = plane.width * plane.height / 64;
	decodeKernel<<<(blocks + 3) / 4, dim3(kBlock, kBlock, 4), 0, stream>>>(coefficients, plane, blocks);
	getLastCudaError("decode");
}

void countNonZero(const short *coefficients, int blocks, unsigned int *histogram, cudaStream_t stream)
{
	countKernel<<<(blocks + 3) / 4, 128, 0, stream>>>(coefficients, blocks, histogram);
	getLastCudaError("count");
}

} // namespace codec
