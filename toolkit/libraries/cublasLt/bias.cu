// cuBLASLt: sums of a matrix's rows or columns, the gradients of a bias.
#include "bias.h"

#include "numbers.h"

using namespace products;

enum { BIAS_THREADS = 128 };

// One block per sum and matrix.
__global__ void cublas_sums(sums s)
{
	__shared__ float parts[BIAS_THREADS];
	long long first = blockIdx.y * s.of.stride + blockIdx.x * s.step;
	float sum = 0;
	for (int i = threadIdx.x; i < s.terms; i += BIAS_THREADS)
		sum += number_at<float>(s.of.base, s.of.type, first + i * s.term_step);
	parts[threadIdx.x] = sum;
	__syncthreads();
	for (int half = BIAS_THREADS / 2; half; half /= 2) {
		if (threadIdx.x < half)
			parts[threadIdx.x] += parts[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		put_number(s.into, s.type, blockIdx.y * s.into_stride + blockIdx.x, parts[0]);
}

cublasStatus_t products::run_sums(const sums &s, int matrices, cudaStream_t stream)
{
	cublas_sums<<<dim3(s.count, matrices), BIAS_THREADS, 0, stream>>>(s);
	return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
