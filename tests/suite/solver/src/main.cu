// Conjugate gradients in float and double: the matrix by rows, the vectors by cuBLAS.
#include "matrix.h"

#include <cublas_v2.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#define CHECK(call)                                                                                                    \
	do {                                                                                                           \
		if ((call) != 0)                                                                                       \
			throw std::runtime_error(std::string(#call) + " does not work");                               \
	} while (0)

// The cuBLAS calls for a type.
template <typename T> struct Blas;
template <> struct Blas<float> {
	static constexpr auto dot = cublasSdot;
	static constexpr auto axpy = cublasSaxpy;
	static constexpr auto scal = cublasSscal;
	static constexpr auto copy = cublasScopy;
};
template <> struct Blas<double> {
	static constexpr auto dot = cublasDdot;
	static constexpr auto axpy = cublasDaxpy;
	static constexpr auto scal = cublasDscal;
	static constexpr auto copy = cublasDcopy;
};

// LANES threads per row.
template <typename T, int LANES>
__global__ void multiply(int rows, const int *__restrict__ starts, const int *__restrict__ columns, const T *__restrict__ values,
                         const T *__restrict__ x, T *y)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
	T sum = 0;
	if (row < rows)
		for (int i = starts[row] + lane; i < starts[row + 1]; i += LANES)
			sum += values[i] * x[columns[i]];
#pragma unroll
	for (int offset = LANES / 2; offset > 0; offset /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, offset, LANES);
	if (row < rows && lane == 0)
		y[row] = sum;
}

template <typename T> T *onDevice(const std::vector<T> &from)
{
	T *device;
	CHECK(cudaMalloc(&device, from.size() * sizeof(T)));
	CHECK(cudaMemcpy(device, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
	return device;
}

template <typename T> int solve(const Matrix &matrix, const std::vector<T> &b, T tolerance, std::vector<T> &x)
{
	const int n = matrix.rows, threads = 128;
	const std::vector<T> zeros(n);
	T *values = onDevice(std::vector<T>(matrix.values.begin(), matrix.values.end()));
	int *starts = onDevice(matrix.starts), *columns = onDevice(matrix.columns), steps = 0;
	T *dx = onDevice(zeros), *r = onDevice(b), *p = onDevice(b), *q = onDevice(zeros), rr, wanted, pq;
	cublasHandle_t handle;
	CHECK(cublasCreate(&handle));
	CHECK(Blas<T>::dot(handle, n, r, 1, r, 1, &rr));
	for (wanted = rr * tolerance * tolerance; rr > wanted && steps < 4 * n; steps++) {
		multiply<T, 4><<<(4 * n + threads - 1) / threads, threads>>>(n, starts, columns, values, p, q);
		CHECK(Blas<T>::dot(handle, n, p, 1, q, 1, &pq));
		T alpha = rr / pq, minus = -alpha, one = 1, old = rr;
		CHECK(Blas<T>::axpy(handle, n, &alpha, p, 1, dx, 1));
		CHECK(Blas<T>::axpy(handle, n, &minus, q, 1, r, 1));
		CHECK(Blas<T>::dot(handle, n, r, 1, r, 1, &rr));
		T beta = rr / old;
		CHECK(Blas<T>::scal(handle, n, &beta, p, 1));
		CHECK(Blas<T>::axpy(handle, n, &one, r, 1, p, 1));
	}
	CHECK(Blas<T>::copy(handle, n, dx, 1, q, 1));
	CHECK(cublasGetVector(n, sizeof(T), q, 1, x.data(), 1));
	CHECK(cublasDestroy(handle));
	for (void *memory : {(void *)values, (void *)starts, (void *)columns, (void *)dx, (void *)r, (void *)p, (void *)q})
		CHECK(cudaFree(memory));
	return steps;
}

template <typename T> bool check(const Matrix &matrix, double tolerance, const char *name)
{
	std::vector<T> b(matrix.rows), x(matrix.rows);
	double off = 0, size = 0;
	for (int i = 0; i < matrix.rows; i++)
		b[i] = T(1 + i % 7);
	int steps = solve<T>(matrix, b, T(tolerance), x);
	std::vector<double> back = matrix.times(std::vector<double>(x.begin(), x.end()));
	for (int i = 0; i < matrix.rows; i++) {
		off += std::pow(back[i] - b[i], 2);
		size += double(b[i]) * b[i];
	}
	bool fine = std::sqrt(off / size) <= 10 * tolerance;
	std::printf("%s: %d rows, %d steps, %s\n", name, matrix.rows, steps, fine ? "PASSED" : "FAILED");
	return fine;
}

int main(int argc, char **argv)
try {
	double tolerance = argc > 2 ? std::atof(argv[2]) : 1e-5;
	const Matrix matrix = Matrix::read(argc > 1 ? argv[1] : "spring.mtx");
	bool fine = check<float>(matrix, tolerance, "float");
	return check<double>(matrix, tolerance, "double") && fine ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception &error) {
	std::fprintf(stderr, "%s\n", error.what());
	return EXIT_FAILURE;
}
