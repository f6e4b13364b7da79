// gemm_tile.h: a dense product C = A B of row-major square matrices. A block of 256 threads computes a tile of 64 x 64,
// each thread 4 x 4 elements in registers. Tiles of A (transposed) and B pass through shared memory, 16 deep.
#ifndef SLUICE_HARDWARE_GEMM_TILE_H
#define SLUICE_HARDWARE_GEMM_TILE_H

#include "sample.h"

namespace gemm {

const int TILE = 64, DEPTH = 16, THREADS = 256, EACH = 4, PADDED = TILE + 4;

// 16 bytes of T.
template <typename T> struct Vector;
template <> struct Vector<float> {
	using type = float4;
};
template <> struct Vector<double> {
	using type = double2;
};

template <typename T, int COUNT> __device__ inline void copy(T *to, const T *from)
{
	using Wide = typename Vector<T>::type;
	for (int i = 0; i < COUNT; i += 16 / (int)sizeof(T))
		*(Wide *)(to + i) = *(const Wide *)(from + i);
}

// Copies a tile of A, TILE x DEPTH, so that a column becomes a line.
template <typename T> __device__ inline void fetch_a(T (*tile)[PADDED], const T *a, int n)
{
	int row = threadIdx.x / EACH, column = threadIdx.x % EACH * EACH;
	alignas(16) T own[EACH];
	copy<T, EACH>(own, a + (size_t)row * n + column);
	for (int i = 0; i < EACH; i++)
		tile[column + i][row] = own[i];
}

// Copies a tile of B, DEPTH x TILE.
template <typename T> __device__ inline void fetch_b(T (*tile)[PADDED], const T *b, int n)
{
	int row = threadIdx.x / DEPTH, column = threadIdx.x % DEPTH * EACH;
	copy<T, EACH>(&tile[row][column], b + (size_t)row * n + column);
}

template <typename T>
__device__ inline void multiply(T (&sums)[EACH][EACH], const T (*tile_a)[PADDED], const T (*tile_b)[PADDED])
{
	int row = threadIdx.x / DEPTH * EACH, column = threadIdx.x % DEPTH * EACH;
#pragma unroll
	for (int k = 0; k < DEPTH; k++) {
		alignas(16) T a[EACH], b[EACH];
		copy<T, EACH>(a, &tile_a[k][row]);
		copy<T, EACH>(b, &tile_b[k][column]);
#pragma unroll
		for (int i = 0; i < EACH; i++)
#pragma unroll
			for (int j = 0; j < EACH; j++)
				sums[i][j] += a[i] * b[j];
	}
}

template <typename T> __global__ void __launch_bounds__(THREADS) product(const T *a, const T *b, T *c, int n)
{
	__shared__ __align__(16) T tile_a[DEPTH][PADDED];
	__shared__ __align__(16) T tile_b[DEPTH][PADDED];
	T sums[EACH][EACH] = {};
	a += (size_t)blockIdx.y * TILE * n;
	b += blockIdx.x * TILE;
	for (int k = 0; k < n; k += DEPTH) {
		fetch_a(tile_a, a + k, n);
		fetch_b(tile_b, b + (size_t)k * n, n);
		__syncthreads();
		multiply(sums, tile_a, tile_b);
		__syncthreads();
	}
	int row = threadIdx.x / DEPTH * EACH, column = threadIdx.x % DEPTH * EACH;
	c += ((size_t)blockIdx.y * TILE + row) * n + blockIdx.x * TILE + column;
#pragma unroll
	for (int i = 0; i < EACH; i++)
#pragma unroll
		for (int j = 0; j < EACH; j++)
			c[(size_t)i * n + j] = sums[i][j];
}

// The program: inputs, launch, and a check of 4096 elements of C.
template <typename T> int run(program::Arguments &arguments, const char *name, int n, double tolerance)
{
	arguments.require(n > 0 && n % TILE == 0 && n <= 16384, "a size that is a multiple of 64, to 16384");
	program::Random random(arguments.seed());
	std::vector<float> values = random.floats(2 * (size_t)n * n, -1, 1);
	std::vector<T> a(values.begin(), values.begin() + values.size() / 2);
	std::vector<T> b(values.begin() + values.size() / 2, values.end());
	program::Array<T> device_a(a), device_b(b), device_c((size_t)n * n);
	product<T><<<dim3(n / TILE, n / TILE), THREADS>>>(device_a, device_b, device_c, n);
	CHECK(cudaGetLastError());

	std::vector<T> c = device_c.read(), got;
	std::vector<double> want;
	for (size_t at : sample::positions(c.size(), 4096, random)) {
		double sum = 0;
		for (int k = 0; k < n; k++)
			sum += (double)a[at / n * n + k] * b[(size_t)k * n + at % n];
		got.push_back(c[at]);
		want.push_back(sum);
	}
	program::Verdict verdict(name);
	verdict.close("c", got, want, tolerance);
	return verdict.status();
}

} // namespace gemm

#endif
