// cuBLAS: matrix products, with tiles in shared memory and R x R results per thread.
#include "inner.h"

using namespace cublas;

// A batch of matrices, at a constant stride or in a list of pointers. `index` is the index of op(matrix) that C shares.
template <typename T> struct many {
	T *base;
	T *const *list;
	long long stride;
	int ld;
	bool index_is_row; // `index` is the row of the stored matrix: contiguous in memory
	__device__ T *matrix(long long number) const
	{
		return list ? list[number] : base + number * stride;
	}
};

template <typename T> struct product {
	int m, n, k;
	scalar<T> alpha, beta;
	many<const T> a, b;
	many<T> c;
	long long first_matrix;
};

enum { SIDE = 16 }; // side of a thread block; also the number of steps of k in a tile

// Loads a tile of SIDE steps of k by COUNT indices, in memory order.
template <typename T, int COUNT>
__device__ void load_tile(T (*tile)[COUNT + 1], const T *from, const many<const T> &operand, int index0, int indices, int k0, int k)
{
	for (int i = threadIdx.y * SIDE + threadIdx.x; i < SIDE * COUNT; i += SIDE * SIDE) {
		int index = operand.index_is_row ? i % COUNT : i / SIDE, step = operand.index_is_row ? i / COUNT : i % SIDE;
		long long row = operand.index_is_row ? index0 + index : k0 + step;
		long long column = operand.index_is_row ? k0 + step : index0 + index;
		bool inside = index0 + index < indices && k0 + step < k;
		tile[step][index] = inside ? from[column * operand.ld + row] : 0;
	}
}

template <typename T, int R> __global__ void __launch_bounds__(SIDE *SIDE) cublas_gemm(product<T> p)
{
	enum { COUNT = SIDE * R };
	__shared__ T as[SIDE][COUNT + 1], bs[SIDE][COUNT + 1];
	long long number = p.first_matrix + blockIdx.z;
	const T *a = p.a.matrix(number), *b = p.b.matrix(number);
	int row0 = blockIdx.x * COUNT, column0 = blockIdx.y * COUNT;
	T sums[R][R] = {}, alpha = p.alpha.value(), beta = p.beta.value();
	for (int k0 = 0; alpha != 0 && k0 < p.k; k0 += SIDE) {
		load_tile<T, COUNT>(as, a, p.a, row0, p.m, k0, p.k);
		load_tile<T, COUNT>(bs, b, p.b, column0, p.n, k0, p.k);
		__syncthreads();
#pragma unroll
		for (int step = 0; step < SIDE; step++)
#pragma unroll
			for (int i = 0; i < R; i++)
#pragma unroll
				for (int j = 0; j < R; j++)
					sums[i][j] += as[step][threadIdx.x + SIDE * i] * bs[step][threadIdx.y + SIDE * j];
		__syncthreads();
	}
	T *c = p.c.matrix(number);
#pragma unroll
	for (int j = 0; j < R; j++)
#pragma unroll
		for (int i = 0; i < R; i++) {
			int row = row0 + threadIdx.x + SIDE * i, column = column0 + threadIdx.y + SIDE * j;
			T *at = &c[(long long)column * p.c.ld + row];
			if (row < p.m && column < p.n)
				*at = alpha * sums[i][j] + (beta == 0 ? 0 : beta * *at);
		}
}

template <typename T, int R> static void launch(cublasHandle_t handle, product<T> p, long long count)
{
	const unsigned most = 65535;
	for (p.first_matrix = 0; p.first_matrix < count; p.first_matrix += most) {
		dim3 grid((p.m + SIDE * R - 1) / (SIDE * R), (p.n + SIDE * R - 1) / (SIDE * R),
		          blocks_for(count - p.first_matrix, 1, most));
		cublas_gemm<T, R><<<grid, dim3(SIDE, SIDE), 0, handle->stream>>>(p);
	}
}

template <typename T>
static cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                           const T *alpha, many<const T> a, many<const T> b, const T *beta, many<T> c, int count)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	bool turn_a = transa != CUBLAS_OP_N, turn_b = transb != CUBLAS_OP_N;
	if (!is_operation(transa) || !is_operation(transb) || m < 0 || n < 0 || k < 0 || count < 0 || !alpha || !beta ||
	    a.ld < at_least_one(turn_a ? k : m) || b.ld < at_least_one(turn_b ? n : k) || c.ld < at_least_one(m))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!m || !n || !count)
		return CUBLAS_STATUS_SUCCESS;
	a.index_is_row = !turn_a;
	b.index_is_row = turn_b;
	product<T> p = {m, n, k, scalar_of(handle, alpha), scalar_of(handle, beta), a, b, c, 0};
	if (m >= 64 && n >= 64)
		launch<T, 4>(handle, p, count);
	else
		launch<T, 1>(handle, p, count);
	return launched();
}

#define OF_TYPE(T, t)                                                                                                  \
	extern "C" cublasStatus_t cublas##t##gemm_v2(cublasHandle_t handle, cublasOperation_t transa,                  \
	                                             cublasOperation_t transb, int m, int n, int k, const T *alpha,    \
	                                             const T *a, int lda, const T *b, int ldb, const T *beta, T *c,    \
	                                             int ldc)                                                          \
	{                                                                                                              \
		return gemm<T>(handle, transa, transb, m, n, k, alpha, {a, nullptr, 0, lda}, {b, nullptr, 0, ldb},     \
		               beta, {c, nullptr, 0, ldc}, 1);                                                         \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##gemmBatched(                                                              \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,        \
		const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], \
		int ldc, int count)                                                                                    \
	{                                                                                                              \
		return gemm<T>(handle, transa, transb, m, n, k, alpha, {nullptr, a, 0, lda}, {nullptr, b, 0, ldb},     \
		               beta, {nullptr, c, 0, ldc}, count);                                                     \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##gemmStridedBatched(                                                       \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,        \
		const T *alpha, const T *a, int lda, long long int stride_a, const T *b, int ldb,                      \
		long long int stride_b, const T *beta, T *c, int ldc, long long int stride_c, int count)               \
	{                                                                                                              \
		return gemm<T>(handle, transa, transb, m, n, k, alpha, {a, nullptr, stride_a, lda},                    \
		               {b, nullptr, stride_b, ldb}, beta, {c, nullptr, stride_c, ldc}, count);                 \
	}
OF_TYPE(float, S)
OF_TYPE(double, D)
