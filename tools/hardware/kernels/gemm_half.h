// gemm_half.h: what gemm_mma and gemm_async share: a product of row-major FP16 matrices with FP32 sums. A block of 8
// warps computes a tile of 128 x 128, each warp 64 x 32, in steps of 32 along k. Padding of shared rows by 16 bytes
// makes ldmatrix free of bank conflicts.
#ifndef SLUICE_HARDWARE_GEMM_HALF_H
#define SLUICE_HARDWARE_GEMM_HALF_H

#include "mma.h"
#include "sample.h"

namespace gemm {

const int TILE = 128, DEPTH = 32, THREADS = 256;
const int WARP_ROWS = 64, WARP_COLUMNS = 32, PADDING = 8; // halves
const int PIECES = TILE * DEPTH / 8 / THREADS;            // of 16 bytes, per thread and tile

struct Stage {
	__half a[TILE][DEPTH + PADDING], b[DEPTH][TILE + PADDING];
};

// Row and column of a thread's piece of A's tile, and of B's.
struct Place {
	int row, column;
};

__device__ inline Place place_a(int piece)
{
	int i = piece * THREADS + threadIdx.x;
	return {i / (DEPTH / 8), i % (DEPTH / 8) * 8};
}

__device__ inline Place place_b(int piece)
{
	int i = piece * THREADS + threadIdx.x;
	return {i / (TILE / 8), i % (TILE / 8) * 8};
}

// The sums of a warp: fragments of 16 x 8.
struct Sums {
	float part[WARP_ROWS / 16][WARP_COLUMNS / 8][4];

	__device__ void clear()
	{
#pragma unroll
		for (int i = 0; i < WARP_ROWS / 16; i++)
#pragma unroll
			for (int j = 0; j < WARP_COLUMNS / 8; j++)
				part[i][j][0] = part[i][j][1] = part[i][j][2] = part[i][j][3] = 0;
	}

	__device__ static int first_row() { return threadIdx.x / 32 / 4 * WARP_ROWS; }
	__device__ static int first_column() { return threadIdx.x / 32 % 4 * WARP_COLUMNS; }

	// Adds the product of the stage's tiles.
	__device__ void add(const Stage &stage)
	{
		int lane = threadIdx.x % 32, column = first_column() + lane / 16 * 8;
#pragma unroll
		for (int k = 0; k < DEPTH; k += 16) {
			unsigned a[WARP_ROWS / 16][4], b[WARP_COLUMNS / 16][4];
#pragma unroll
			for (int i = 0; i < WARP_ROWS / 16; i++)
				mma::load(a[i], &stage.a[first_row() + 16 * i + lane % 16][k + lane / 16 * 8]);
#pragma unroll
			for (int j = 0; j < WARP_COLUMNS / 16; j++)
				mma::load_transposed(b[j], &stage.b[k + lane % 16][column + 16 * j]);
#pragma unroll
			for (int i = 0; i < WARP_ROWS / 16; i++)
#pragma unroll
				for (int j = 0; j < WARP_COLUMNS / 8; j++)
					mma::multiply(part[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
		}
	}

	// Stores the sums to the block's tile of C.
	__device__ void store(float *c, int n) const
	{
		int lane = threadIdx.x % 32;
		c += (size_t)(first_row() + lane / 4) * n + first_column() + lane % 4 * 2;
#pragma unroll
		for (int i = 0; i < WARP_ROWS / 16; i++)
#pragma unroll
			for (int j = 0; j < WARP_COLUMNS / 8; j++) {
				float *to = c + (size_t)16 * i * n + 8 * j;
				*(float2 *)to = make_float2(part[i][j][0], part[i][j][1]);
				*(float2 *)(to + (size_t)8 * n) = make_float2(part[i][j][2], part[i][j][3]);
			}
	}
};

using Kernel = void (*)(const __half *a, const __half *b, float *c, int n);

// Multiples of 1/8 from -1 to 1: all sums are exact.
inline std::vector<__half> halves(size_t count, program::Random &random)
{
	__half eighths[17];
	for (int i = 0; i < 17; i++)
		eighths[i] = __float2half((float)(i - 8) / 8);
	std::vector<__half> values(count);
	for (__half &value : values)
		value = eighths[random.below(17)];
	return values;
}

// The program: inputs, launch, and a check of 1024 elements of C.
inline int run(program::Arguments &arguments, const char *name, Kernel kernel, int n, size_t shared)
{
	arguments.require(n > 0 && n % TILE == 0 && n <= 16384, "a size that is a multiple of 128, to 16384");
	program::Random random(arguments.seed());
	std::vector<__half> a = halves((size_t)n * n, random), b = halves((size_t)n * n, random);
	program::Array<__half> device_a(a), device_b(b);
	program::Array<float> device_c((size_t)n * n);
	CHECK(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
	kernel<<<dim3(n / TILE, n / TILE), THREADS, shared>>>(device_a, device_b, device_c, n);
	CHECK(cudaGetLastError());

	std::vector<float> c = device_c.read(), got;
	std::vector<double> want;
	for (size_t at : sample::positions(c.size(), 1024, random)) {
		double sum = 0;
		for (int k = 0; k < n; k++)
			sum += __half2float(a[at / n * n + k]) * __half2float(b[(size_t)k * n + at % n]);
		got.push_back(c[at]);
		want.push_back(sum);
	}
	program::Verdict verdict(name);
	verdict.close("c", got, want, 1e-4);
	return verdict.status();
}

} // namespace gemm

#endif
