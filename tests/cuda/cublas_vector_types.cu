// Protects cuBLAS's vector functions with types as arguments against plain loops on the host: increments of both signs,
// scalars on host and device, and refused combinations. Numbers are small integers, which every type holds exactly.
// Flags: -lcublas
#include "check.h"
#include <cmath>
#include <cublas_v2.h>
#include <vector>

#define WORKS(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

static cublasHandle_t handle;
static unsigned state = 1;

static int below(int limit)
{
	state = state * 1664525 + 1013904223;
	return (int)(state >> 16) % limit;
}

// A vector of n elements `increment` apart, and their values in order.
template <typename T> struct vector {
	int increment;
	std::vector<double> values;
	std::vector<T> host;
	T *device;

	vector(int n, int increment) : increment(increment), values(n), host(n * abs(increment) + 1), device()
	{
		for (T &x : host)
			x = (T)(float)(below(5) - 2);
		for (int i = 0; i < n; i++)
			values[i] = (double)(float)host[place(i)];
		SUCCEEDS(cudaMalloc(&device, host.size() * sizeof(T)));
		SUCCEEDS(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
	}
	size_t place(int i) const
	{
		int last = (int)values.size() - 1;
		return (size_t)(increment < 0 ? (last - i) * -increment : i * increment);
	}
	// The device has `values`, and unchanged elements between them.
	bool holds()
	{
		for (size_t i = 0; i < values.size(); i++)
			host[place((int)i)] = (T)(float)values[i];
		std::vector<T> got(host.size());
		SUCCEEDS(cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
		bool same = true;
		for (size_t i = 0; i < got.size(); i++)
			same = same && (float)got[i] == (float)host[i];
		return same;
	}
	~vector()
	{
		cudaFree(device);
	}
};

template <typename T, typename A> static void try_vectors(cudaDataType type, cudaDataType executed, int n, int incx, int incy)
{
	vector<T> x(n, incx), y(n, incy);
	double sum = 0, squares = 0;
	for (int i = 0; i < n; i++) {
		sum += x.values[i] * y.values[i];
		squares += x.values[i] * x.values[i];
	}
	T *result, got, on_host;
	A *scalar, alpha = (A)(below(5) - 2);
	SUCCEEDS(cudaMalloc(&result, sizeof(T)));
	SUCCEEDS(cudaMalloc(&scalar, sizeof(A)));
	SUCCEEDS(cudaMemcpy(scalar, &alpha, sizeof(A), cudaMemcpyHostToDevice));
	WORKS(cublasDotEx(handle, n, x.device, type, incx, y.device, type, incy, &on_host, type, executed));
	CHECK((float)on_host == (float)sum);
	WORKS(cublasNrm2Ex(handle, n, x.device, type, abs(incx), &on_host, type, executed));
	CHECK(fabs((float)on_host - sqrt(squares)) <= sqrt(squares) / (sizeof(T) == 2 ? 128 : 1e5));
	WORKS(cublasScalEx(handle, n, &alpha, executed, x.device, type, abs(incx), executed));
	WORKS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
	for (int i = 0; i < n; i++) {
		x.values[i] *= alpha;
		y.values[i] += alpha * x.values[i];
	}
	WORKS(cublasAxpyEx(handle, n, scalar, executed, x.device, type, incx, y.device, type, incy, executed));
	WORKS(cublasDotcEx(handle, n, x.device, type, incx, x.device, type, incx, result, type, executed));
	WORKS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
	SUCCEEDS(cudaMemcpy(&got, result, sizeof(T), cudaMemcpyDeviceToHost));
	CHECK((float)got == (float)(T)(float)(squares * alpha * alpha));
	CHECK(x.holds() && y.holds());
	SUCCEEDS(cudaFree(result));
	SUCCEEDS(cudaFree(scalar));
}

static void try_refusals()
{
	float one = 1, *x;
	SUCCEEDS(cudaMalloc(&x, sizeof *x));
	CHECK(cublasDotEx(handle, 1, x, CUDA_R_16F, 1, x, CUDA_R_32F, 1, &one, CUDA_R_32F, CUDA_R_32F) ==
	      CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(cublasNrm2Ex(handle, 1, x, CUDA_R_16F, 1, &one, CUDA_R_16F, CUDA_R_16F) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(cublasScalEx(handle, 1, &one, CUDA_R_32F, x, CUDA_C_32F, 1, CUDA_R_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(cublasScalEx(handle, 1, nullptr, CUDA_R_32F, x, CUDA_R_32F, 1, CUDA_R_32F) ==
	      CUBLAS_STATUS_INVALID_VALUE);
	CHECK(cublasAxpyEx(handle, 1, &one, CUDA_R_16F, x, CUDA_R_16F, 1, x, CUDA_R_16F, 1, CUDA_R_32F) ==
	      CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(cublasDotEx(nullptr, 1, x, CUDA_R_32F, 1, x, CUDA_R_32F, 1, &one, CUDA_R_32F, CUDA_R_32F) ==
	      CUBLAS_STATUS_NOT_INITIALIZED);
	SUCCEEDS(cudaFree(x));
}

int main()
{
	const int lengths[] = {1, 37, 60};
	WORKS(cublasCreate(&handle));
	for (int n : lengths) {
		int incx = (below(2) ? 1 : -1) * (1 + below(3)), incy = (below(2) ? 1 : -1) * (1 + below(3));
		try_vectors<__half, float>(CUDA_R_16F, CUDA_R_32F, n, incx, incy);
		try_vectors<__nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_32F, n, incx, incy);
		try_vectors<float, float>(CUDA_R_32F, CUDA_R_32F, n, incy, incx);
		try_vectors<double, double>(CUDA_R_64F, CUDA_R_64F, n, incx, incy);
	}
	try_refusals();
	WORKS(cublasDestroy(handle));
	return finish();
}
