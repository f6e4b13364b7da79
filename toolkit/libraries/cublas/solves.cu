// cuBLAS: systems of equations with a triangular matrix and many right sides.
#include "inner.h"

using namespace cublas;

// A system T x = b, b a row or column of B. Element (row, column) of T is a[row * down + column * across]. Lines of B
// begin `next` elements apart, and their elements are `along` apart.
struct equations {
	int order, lines;
	long long down, across, next, along;
	bool lower, unit;
};

template <typename T> struct one_matrix {
	const T *a;
	T *b;
	__device__ const T *matrix() const
	{
		return a;
	}
	__device__ T *sides() const
	{
		return b;
	}
};

template <typename T> struct many_matrices {
	const T *const *a;
	T *const *b;
	__device__ const T *matrix() const
	{
		return a[blockIdx.y];
	}
	__device__ T *sides() const
	{
		return b[blockIdx.y];
	}
};

// A warp solves one line. Each step divides by a diagonal element, and the lanes subtract its column from what remains.
template <typename T, typename Where> __global__ void cublas_trsm(equations s, scalar<T> alpha, Where where)
{
	int line = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
	if (line >= s.lines)
		return;
	const T *a = where.matrix();
	T *b = where.sides() + line * s.next, by = alpha.value();
	for (int i = lane; i < s.order; i += warpSize)
		b[i * s.along] = by != 0 ? by * b[i * s.along] : 0;
	for (int step = 0; step < s.order && by != 0; step++) {
		int k = s.lower ? step : s.order - 1 - step;
		__syncwarp();
		T x = b[k * s.along];
		if (!s.unit)
			x /= a[k * (s.down + s.across)];
		__syncwarp();
		if (lane == 0)
			b[k * s.along] = x;
		int from = s.lower ? k + 1 : 0, end = s.lower ? s.order : k;
		for (int i = from + lane; i < end; i += warpSize)
			b[i * s.along] -= a[i * s.down + k * s.across] * x;
	}
}

// X op(A) = B is op(A)^T X^T = B^T: rows of B are then the lines, and A is turned again.
static equations equations_of(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m,
                        int n, int lda, int ldb)
{
	bool left = side == CUBLAS_SIDE_LEFT, turned = (trans != CUBLAS_OP_N) != !left;
	equations s = {};
	s.order = left ? m : n;
	s.lines = left ? n : m;
	s.down = turned ? lda : 1;
	s.across = turned ? 1 : lda;
	s.next = left ? ldb : 1;
	s.along = left ? 1 : ldb;
	s.lower = (uplo == CUBLAS_FILL_MODE_LOWER) != turned;
	s.unit = diag == CUBLAS_DIAG_UNIT;
	return s;
}

template <typename T, typename Where>
static cublasStatus_t trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                           cublasDiagType_t diag, int m, int n, const T *alpha, int lda, int ldb, Where where, int count)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	bool left = side == CUBLAS_SIDE_LEFT;
	if ((!left && side != CUBLAS_SIDE_RIGHT) || (uplo != CUBLAS_FILL_MODE_LOWER && uplo != CUBLAS_FILL_MODE_UPPER) ||
	    (diag != CUBLAS_DIAG_NON_UNIT && diag != CUBLAS_DIAG_UNIT) || !is_operation(trans) || m < 0 || n < 0 || count < 0 ||
	    lda < at_least_one(left ? m : n) || ldb < at_least_one(m) || !alpha)
		return CUBLAS_STATUS_INVALID_VALUE;
	equations s = equations_of(side, uplo, trans, diag, m, n, lda, ldb);
	enum { LINES = THREADS / 32, MOST = 65535 }; // a grid's limit in y
	for (int from = 0; from < count && m && n; from += MOST) {
		int matrices = count - from < MOST ? count - from : MOST;
		dim3 grid((s.lines + LINES - 1) / LINES, matrices), block(32, LINES);
		cublas_trsm<<<grid, block, 0, handle->stream>>>(s, scalar_of(handle, alpha), where);
		where.a += from + matrices < count ? MOST : 0;
		where.b += from + matrices < count ? MOST : 0;
	}
	return launched();
}

#define OF_TYPE(T, t)                                                                                                  \
	extern "C" cublasStatus_t cublas##t##trsm_v2(cublasHandle_t handle, cublasSideMode_t side,                     \
	                                             cublasFillMode_t uplo, cublasOperation_t trans,                   \
	                                             cublasDiagType_t diag, int m, int n, const T *alpha, const T *a,  \
	                                             int lda, T *b, int ldb)                                           \
	{                                                                                                              \
		return trsm(handle, side, uplo, trans, diag, m, n, alpha, lda, ldb, one_matrix<T>{a, b}, 1);           \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##trsmBatched(                                                              \
		cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,          \
		cublasDiagType_t diag, int m, int n, const T *alpha, const T *const a[], int lda, T *const b[],        \
		int ldb, int count)                                                                                    \
	{                                                                                                              \
		return trsm(handle, side, uplo, trans, diag, m, n, alpha, lda, ldb, many_matrices<T>{a, b}, count);    \
	}
OF_TYPE(float, S)
OF_TYPE(double, D)
