// cuBLAS: batched factorisations of small matrices.
#include "inner.h"

using namespace cublas;

// One block per matrix, column by column. Pivoting exchanges a row with the first row of the largest element. Where the
// divisor is 0, elements stay unchanged.
template <typename T> __global__ void cublas_getrf(int n, T *const *matrices, int lda, int *pivots, int *info)
{
	__shared__ int chosen, singular;
	T *a = matrices[blockIdx.x];
	if (threadIdx.x == 0)
		singular = 0;
	for (int k = 0; k < n; k++) {
		T *column = a + (long long)k * lda;
		__syncthreads();
		if (threadIdx.x == 0) {
			chosen = k;
			for (int row = k + 1; pivots && row < n; row++)
				if (fabs(column[row]) > fabs(column[chosen]))
					chosen = row;
			if (pivots)
				pivots[blockIdx.x * n + k] = chosen + 1;
			if (column[chosen] == 0 && !singular)
				singular = k + 1;
		}
		__syncthreads();
		for (int c = threadIdx.x; c < n && chosen != k; c += blockDim.x) {
			T *other = a + (long long)c * lda, kept = other[k];
			other[k] = other[chosen];
			other[chosen] = kept;
		}
		__syncthreads();
		T pivot = column[k];
		if (pivot == 0)
			continue;
		for (int row = k + 1 + threadIdx.x; row < n; row += blockDim.x)
			column[row] /= pivot;
		__syncthreads();
		for (int i = threadIdx.x; i < (n - k - 1) * (n - k - 1); i += blockDim.x) {
			int row = k + 1 + i % (n - k - 1), c = k + 1 + i / (n - k - 1);
			a[(long long)c * lda + row] -= column[row] * a[(long long)c * lda + k];
		}
	}
	__syncthreads();
	if (threadIdx.x == 0)
		info[blockIdx.x] = singular;
}

template <typename T>
static cublasStatus_t getrf(cublasHandle_t handle, int n, T *const matrices[], int lda, int *pivots, int *info, int count)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (n < 0 || count < 0 || lda < at_least_one(n) || !info)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!n || !count)
		return CUBLAS_STATUS_SUCCESS;
	cublas_getrf<<<count, n > 8 ? THREADS : 32, 0, handle->stream>>>(n, matrices, lda, pivots, info);
	return launched();
}

#define OF_TYPE(T, t)                                                                                                  \
	extern "C" cublasStatus_t cublas##t##getrfBatched(cublasHandle_t handle, int n, T *const matrices[], int lda,  \
	                                                  int *pivots, int *info, int count)                           \
	{                                                                                                              \
		return getrf<T>(handle, n, matrices, lda, pivots, info, count);                                        \
	}
OF_TYPE(float, S)
OF_TYPE(double, D)
