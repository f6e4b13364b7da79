// dwt: the Haar wavelet transform of a signal, D2MA's DWT. A block buffers 1024 samples in shared memory and decomposes
// them there, level by level. The means of neighbors (times sqrt 2) are the next level's samples. Differences are
// details and are written to global memory. Each level has half the active threads of the previous one. A barrier on
// each side of a level makes buffering a small part of the time. The remaining mean of each block is a sample of the
// next launch, until one block ends with the signal's mean. In `dma` the DMA engine buffers the samples.
#include "../program.h"

#include <sluice/dma.h>

const int LEVELS = 10, TILE = 1 << LEVELS, BLOCK = TILE / 2;
const float HALF_ROOT = 0.70710678f; // sqrt(1/2)

// Two samples per thread, buffered in the tile. A level's n details are at index n and up in the result.
__device__ void decompose(float *tile, float *result, float *means)
{
	int thread = threadIdx.x;
	int half = gridDim.x * blockDim.x; // number of details of this level, in all blocks
	for (int active = blockDim.x; active > 0; active /= 2, half /= 2) {
		float left = 0, right = 0;
		if (thread < active) {
			left = tile[2 * thread];
			right = tile[2 * thread + 1];
			result[half + blockIdx.x * active + thread] = (left - right) * HALF_ROOT;
		}
		__syncthreads();
		if (thread < active)
			tile[thread] = (left + right) * HALF_ROOT;
		__syncthreads();
	}
	if (thread == 0)
		means[blockIdx.x] = tile[0];
}

__global__ void haar(const float *signal, float *result, float *means)
{
	__shared__ float tile[TILE];
	int thread = threadIdx.x, start = blockIdx.x * 2 * blockDim.x;
	tile[thread] = signal[start + thread];
	tile[thread + blockDim.x] = signal[start + blockDim.x + thread];
	__syncthreads();
	decompose(tile, result, means);
}

__global__ void haar_dma(const float *signal, float *result, float *means)
{
	__shared__ float tile[TILE];
	dma_set_datatype_float();
	dma_configure_flat_unit_stride(tile, signal + blockIdx.x * 2 * blockDim.x, 2 * blockDim.x);
	decompose(tile, result, means);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "dwt", {"plain", "dma"});
	int levels = arguments.number("levels", 14, 19, 18, "the signal has 2^levels samples, 1 to 24");
	arguments.end();
	arguments.require(levels >= 1 && levels <= 24, "1 to 24 levels");

	int length = 1 << levels;
	program::Random random(arguments.seed());
	std::vector<float> signal(length);
	float drift = 0;
	for (float &sample : signal) {
		drift = 0.98f * drift + random.uniform(-1, 1);
		sample = drift + random.uniform(-0.1f, 0.1f);
	}
	std::vector<double> rest(signal.begin(), signal.end()), expected(length);
	for (int half = length / 2; half; half /= 2)
		for (int i = 0; i < half; i++) {
			expected[half + i] = (rest[2 * i] - rest[2 * i + 1]) * std::sqrt(0.5);
			rest[i] = (rest[2 * i] + rest[2 * i + 1]) * std::sqrt(0.5);
		}
	expected[0] = rest[0];

	program::Array<float> source(signal), result(length), even(length / TILE + 1), odd(length / TILE + 1);
	auto kernel = arguments.is("dma") ? haar_dma : haar;
	const float *input = source;
	for (int left = length, pass = 0; left > 1; pass++) {
		int block = left < TILE ? left / 2 : BLOCK, blocks = left / (2 * block);
		// The last mean is coefficient 0 of the result.
		float *means = blocks == 1 ? result : pass % 2 ? odd : even;
		kernel<<<blocks, block>>>(input, result, means);
		input = means;
		left = blocks;
	}
	CHECK(cudaGetLastError());

	program::Verdict verdict("dwt");
	verdict.close("coefficients", result.read(), expected, 1e-5);
	return verdict.status();
}
