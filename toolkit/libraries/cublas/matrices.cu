// cuBLAS: matrix-vector operations and sums of matrices.
#include "inner.h"

using namespace cublas;

// y = beta y + alpha sum. If beta is 0, y is not read.
template <typename T> __device__ void add_to(T &y, T alpha, T sum, T beta)
{
	y = alpha * sum + (beta == 0 ? 0 : beta * y);
}

// One thread per row: adjacent threads read adjacent words of each column.
template <typename T>
__global__ void cublas_gemv(int m, int n, scalar<T> alpha, const T *a, int lda, const T *x, int incx, scalar<T> beta, T *y, int incy)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= m)
		return;
	T sum = 0, factor = alpha.value();
	x = first(x, n, incx);
	for (int column = 0; factor != 0 && column < n; column++)
		sum += a[(long long)column * lda + row] * x[(long long)column * incx];
	add_to(first(y, m, incy)[(long long)row * incy], factor, sum, beta.value());
}

// One block per column of the stored matrix.
template <typename T>
__global__ void cublas_gemv_transposed(int m, int n, scalar<T> alpha, const T *a, int lda, const T *x, int incx, scalar<T> beta,
                                       T *y, int incy)
{
	__shared__ T sums[THREADS];
	int column = blockIdx.x;
	T sum = 0, factor = alpha.value();
	x = first(x, m, incx);
	for (int row = threadIdx.x; factor != 0 && row < m; row += THREADS)
		sum += a[(long long)column * lda + row] * x[(long long)row * incx];
	sums[threadIdx.x] = sum;
	__syncthreads();
	for (int half = THREADS / 2; half; half /= 2) {
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		add_to(first(y, n, incy)[(long long)column * incy], factor, sums[0], beta.value());
}

template <typename T>
static cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T *alpha, const T *a, int lda,
                           const T *x, int incx, const T *beta, T *y, int incy)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!is_operation(trans) || m < 0 || n < 0 || lda < at_least_one(m) || !incx || !incy || !alpha || !beta)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!m || !n)
		return CUBLAS_STATUS_SUCCESS;
	scalar<T> by = scalar_of(handle, alpha), keep = scalar_of(handle, beta);
	if (trans == CUBLAS_OP_N)
		cublas_gemv<<<(m + THREADS - 1) / THREADS, THREADS, 0, handle->stream>>>(m, n, by, a, lda, x, incx, keep, y, incy);
	else
		cublas_gemv_transposed<<<n, THREADS, 0, handle->stream>>>(m, n, by, a, lda, x, incx, keep, y, incy);
	return launched();
}

template <typename T>
__global__ void cublas_ger(int m, int n, scalar<T> alpha, const T *x, int incx, const T *y, int incy, T *a, int lda)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= m)
		return;
	T own = alpha.value() * first(x, m, incx)[(long long)row * incx];
	y = first(y, n, incy);
	for (int column = blockIdx.y; column < n; column += gridDim.y)
		a[(long long)column * lda + row] += own * y[(long long)column * incy];
}

template <typename T>
static cublasStatus_t ger(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (m < 0 || n < 0 || !incx || !incy || lda < at_least_one(m) || !alpha)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!m || !n)
		return CUBLAS_STATUS_SUCCESS;
	dim3 grid((m + THREADS - 1) / THREADS, blocks_for(n, 8, 65535));
	cublas_ger<<<grid, THREADS, 0, handle->stream>>>(m, n, scalar_of(handle, alpha), x, incx, y, incy, a, lda);
	return launched();
}

enum { TILE = 16 };

// Returns op(A)[row, column] for the thread's position. A transposed tile passes through shared memory, so that global
// reads are contiguous.
template <typename T> __device__ T tile_element(const T *a, int lda, bool transposed, int m, int n, int row0, int column0)
{
	__shared__ T tile[TILE][TILE + 1];
	int row = row0 + threadIdx.x, column = column0 + threadIdx.y;
	if (!transposed)
		return row < m && column < n ? a[(long long)column * lda + row] : 0;
	int from_row = row0 + threadIdx.y, from_column = column0 + threadIdx.x;
	__syncthreads();
	if (from_row < m && from_column < n)
		tile[threadIdx.y][threadIdx.x] = a[(long long)from_row * lda + from_column];
	__syncthreads();
	return tile[threadIdx.x][threadIdx.y];
}

template <typename T>
__global__ void cublas_geam(int m, int n, scalar<T> alpha, const T *a, int lda, bool turn_a, scalar<T> beta, const T *b, int ldb,
                            bool turn_b, T *c, int ldc)
{
	int row0 = blockIdx.x * TILE, column0 = blockIdx.y * TILE, row = row0 + threadIdx.x, column = column0 + threadIdx.y;
	T by_a = alpha.value(), by_b = beta.value();
	T sum = by_a != 0 ? by_a * tile_element(a, lda, turn_a, m, n, row0, column0) : 0;
	sum += by_b != 0 ? by_b * tile_element(b, ldb, turn_b, m, n, row0, column0) : 0;
	if (row < m && column < n)
		c[(long long)column * ldc + row] = sum;
}

template <typename T>
static cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, const T *alpha,
                           const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	bool turn_a = transa != CUBLAS_OP_N, turn_b = transb != CUBLAS_OP_N;
	if (!is_operation(transa) || !is_operation(transb) || m < 0 || n < 0 || lda < at_least_one(turn_a ? n : m) ||
	    ldb < at_least_one(turn_b ? n : m) || ldc < at_least_one(m) || !alpha || !beta)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!m || !n)
		return CUBLAS_STATUS_SUCCESS;
	dim3 block(TILE, TILE), grid((m + TILE - 1) / TILE, (n + TILE - 1) / TILE);
	cublas_geam<<<grid, block, 0, handle->stream>>>(m, n, scalar_of(handle, alpha), a, lda, turn_a, scalar_of(handle, beta), b,
	                                                ldb, turn_b, c, ldc);
	return launched();
}

#define OF_TYPE(T, t)                                                                                                  \
	extern "C" cublasStatus_t cublas##t##gemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n,     \
	                                             const T *alpha, const T *a, int lda, const T *x, int incx,        \
	                                             const T *beta, T *y, int incy)                                    \
	{                                                                                                              \
		return gemv(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);                               \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##ger_v2(cublasHandle_t handle, int m, int n, const T *alpha, const T *x,   \
	                                            int incx, const T *y, int incy, T *a, int lda)                     \
	{                                                                                                              \
		return ger(handle, m, n, alpha, x, incx, y, incy, a, lda);                                             \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##geam(cublasHandle_t handle, cublasOperation_t transa,                     \
	                                          cublasOperation_t transb, int m, int n, const T *alpha, const T *a,  \
	                                          int lda, const T *beta, const T *b, int ldb, T *c, int ldc)          \
	{                                                                                                              \
		return geam(handle, transa, transb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                        \
	}
OF_TYPE(float, S)
OF_TYPE(double, D)
