// Products without tensor cores: tiles in shared memory, and R x R results per thread.
#pragma once

#include "finish.h"
#include "launch.h"

namespace products {

enum { SIDE = 16 }; // side of a thread block; also the number of steps of k in a tile

// Loads a tile of SIDE steps of k by COUNT indices, in memory order.
template <typename In, typename T, int COUNT>
__device__ __forceinline__ void load_tile(T (*tile)[COUNT + 1], const In *from, const factor &of, int index0,
                                          int indices, int k0, int k)
{
	for (int i = threadIdx.y * SIDE + threadIdx.x; i < SIDE * COUNT; i += SIDE * SIDE) {
		int index = of.index_is_row ? i % COUNT : i / SIDE, step = of.index_is_row ? i / COUNT : i % SIDE;
		long long row = of.index_is_row ? index0 + index : k0 + step;
		long long column = of.index_is_row ? k0 + step : index0 + index;
		T x = {};
		if (index0 + index < indices && k0 + step < k)
			x = to<T>(from[column * of.ld + row], of.type);
		tile[step][index] = of.conjugate ? conjugated(x) : x;
	}
}

template <typename In, typename T, int R> __global__ void __launch_bounds__(SIDE *SIDE) cublas_gemm(product p)
{
	enum { COUNT = SIDE * R };
	__shared__ T as[SIDE][COUNT + 1], bs[SIDE][COUNT + 1];
	long long number = p.first_matrix + blockIdx.z;
	const In *a = matrix_of<const In>(p.a, number), *b = matrix_of<const In>(p.b, number);
	int row0 = blockIdx.x * COUNT, column0 = blockIdx.y * COUNT, k = without_product(p.alpha) ? 0 : p.k;
	T sums[R][R] = {};
	for (int k0 = 0; k0 < k; k0 += SIDE) {
		load_tile<In, T, COUNT>(as, a, p.a, row0, p.m, k0, k);
		load_tile<In, T, COUNT>(bs, b, p.b, column0, p.n, k0, k);
		__syncthreads();
#pragma unroll
		for (int step = 0; step < SIDE; step++)
#pragma unroll
			for (int i = 0; i < R; i++)
#pragma unroll
				for (int j = 0; j < R; j++)
					sums[i][j] +=
						as[step][threadIdx.x + SIDE * i] * bs[step][threadIdx.y + SIDE * j];
		__syncthreads();
	}
	with_types<In>(
		p, [&](auto by, auto out) __attribute__((always_inline)) {
#pragma unroll
			for (int j = 0; j < R; j++)
#pragma unroll
				for (int i = 0; i < R; i++)
					finish<decltype(out)>(p, by, number, row0 + threadIdx.x + SIDE * i,
				                              column0 + threadIdx.y + SIDE * j, sums[i][j]);
		});
}

template <typename In, typename T> cublasStatus_t simple(const product &p, cudaStream_t stream)
{
	if (p.m >= 64 && p.n >= 64)
		return launch_tiles(cublas_gemm<In, T, 4>, dim3(SIDE, SIDE), 4 * SIDE, p, stream);
	return launch_tiles(cublas_gemm<In, T, 1>, dim3(SIDE, SIDE), SIDE, p, stream);
}

} // namespace products
