// A product of half matrices with cuBLAS: half_gemm [N]. C = A B, all N x N by columns, sums in float.
#include <cublas_v2.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 512;
	size_t bytes = sizeof(__half) * n * n;
	std::vector<__half> ones((size_t)n * n, __float2half(1)), result(ones.size());
	__half *a, *b, *c;
	float one = 1, zero = 0;
	cublasHandle_t handle;
	cudaMalloc(&a, bytes);
	cudaMalloc(&b, bytes);
	cudaMalloc(&c, bytes);
	cudaMemcpy(a, ones.data(), bytes, cudaMemcpyHostToDevice);
	cudaMemcpy(b, ones.data(), bytes, cudaMemcpyHostToDevice);
	cublasCreate(&handle);
	cublasStatus_t status = cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, CUDA_R_16F, n, b, CUDA_R_16F,
	                                     n, &zero, c, CUDA_R_16F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
	cudaMemcpy(result.data(), c, bytes, cudaMemcpyDeviceToHost);
	int wrong = 0;
	for (__half x : result)
		wrong += __half2float(x) != n;
	printf("%s, %d of %d are wrong\n", cublasGetStatusName(status), wrong, n * n);
	cublasDestroy(handle);
	return wrong != 0;
}
