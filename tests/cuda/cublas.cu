// Protects cuBLAS against plain loops on the host: random sizes, increments, leading dimensions, transpositions and
// scalars. Memory between and beyond the elements stays unchanged; elements that must not be read are NaN.
// Flags: -lcublas
#include "check.h"
#include <algorithm>
#include <cmath>
#include <cublas_v2.h>
#include <limits>
#include <vector>

// Error helpers of programs test this macro before they use the statuses.
#ifndef CUBLAS_API_H_
#error "cublas_v2.h does not say that its statuses are declared"
#endif

static unsigned long long state = 88172645463325252ull;

static unsigned below(unsigned limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 33) % limit);
}

#define WORKS(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

static cublasHandle_t handle;

static cublasStatus_t getrf(int n, float *const *a, int lda, int *pivots, int *info, int count)
{
	return cublasSgetrfBatched(handle, n, a, lda, pivots, info, count);
}
static cublasStatus_t getrf(int n, double *const *a, int lda, int *pivots, int *info, int count)
{
	return cublasDgetrfBatched(handle, n, a, lda, pivots, info, count);
}

static cublasStatus_t gemm(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const float *alpha, const float *a, int lda,
                           const float *b, int ldb, const float *beta, float *c, int ldc)
{
	return cublasSgemm(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
static cublasStatus_t gemm(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const double *alpha, const double *a,
                           int lda, const double *b, int ldb, const double *beta, double *c, int ldc)
{
	return cublasDgemm(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

#define BOTH(name, parameters, arguments)                                                                              \
	static cublasStatus_t name parameters(float)                                                                   \
	{                                                                                                              \
		return cublasS##name arguments;                                                                        \
	}                                                                                                              \
	static cublasStatus_t name parameters(double)                                                                  \
	{                                                                                                              \
		return cublasD##name arguments;                                                                        \
	}
#define AXPY(T) (int n, const T *alpha, const T *x, int incx, T *y, int incy)
BOTH(axpy, AXPY, (handle, n, alpha, x, incx, y, incy))
#define SCAL(T) (int n, const T *alpha, T *x, int incx)
BOTH(scal, SCAL, (handle, n, alpha, x, incx))
#define COPY(T) (int n, const T *x, int incx, T *y, int incy)
BOTH(copy, COPY, (handle, n, x, incx, y, incy))
#define SWAP(T) (int n, T *x, int incx, T *y, int incy)
BOTH(swap, SWAP, (handle, n, x, incx, y, incy))
#define ROT(T) (int n, T *x, int incx, T *y, int incy, const T *c, const T *s)
BOTH(rot, ROT, (handle, n, x, incx, y, incy, c, s))
#define DOT(T) (int n, const T *x, int incx, const T *y, int incy, T *result)
BOTH(dot, DOT, (handle, n, x, incx, y, incy, result))
#define ONE(T) (int n, const T *x, int incx, T *result)
BOTH(asum, ONE, (handle, n, x, incx, result))
BOTH(nrm2, ONE, (handle, n, x, incx, result))
#define GEMV(T)                                                                                                        \
	(cublasOperation_t t, int m, int n, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta,  \
	 T *y, int incy)
BOTH(gemv, GEMV, (handle, t, m, n, alpha, a, lda, x, incx, beta, y, incy))
#define GER(T) (int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda)
BOTH(ger, GER, (handle, m, n, alpha, x, incx, y, incy, a, lda))
#define GEAM(T)                                                                                                        \
	(cublasOperation_t ta, cublasOperation_t tb, int m, int n, const T *alpha, const T *a, int lda, const T *beta, \
	 const T *b, int ldb, T *c, int ldc)
BOTH(geam, GEAM, (handle, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc))
#define STRIDED(T)                                                                                                     \
	(int m, int n, int k, const T *alpha, const T *a, int lda, long long sa, const T *b, int ldb, long long sb,    \
	 const T *beta, T *c, int ldc, long long sc, int count)
BOTH(gemmStridedBatched, STRIDED,
     (handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, count))
#define BATCHED(T)                                                                                                     \
	(int m, int n, int k, const T *alpha, const T *const *a, int lda, const T *const *b, int ldb, const T *beta,   \
	 T *const *c, int ldc, int count)
BOTH(gemmBatched, BATCHED, (handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count))
static cublasStatus_t amax(int n, const float *x, int incx, int *i)
{
	return cublasIsamax(handle, n, x, incx, i);
}
static cublasStatus_t amax(int n, const double *x, int incx, int *i)
{
	return cublasIdamax(handle, n, x, incx, i);
}
static cublasStatus_t amin(int n, const float *x, int incx, int *i)
{
	return cublasIsamin(handle, n, x, incx, i);
}
static cublasStatus_t amin(int n, const double *x, int incx, int *i)
{
	return cublasIdamin(handle, n, x, incx, i);
}

// Small integers and halves, so that sums are exact in any order.
template <typename T> static T any()
{
	return (T)((int)below(17) - 8) / 2;
}

// The same data on the host and on the device.
template <typename T> struct both {
	std::vector<T> host;
	T *device;
	explicit both(size_t n, bool is_nan = false) : host(n + 1), device()
	{
		for (T &x : host)
			x = is_nan ? std::numeric_limits<T>::quiet_NaN() : any<T>();
		SUCCEEDS(cudaMalloc(&device, host.size() * sizeof(T)));
		SUCCEEDS(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
	}
	~both()
	{
		cudaFree(device);
	}
	void compare(const char *what) const
	{
		std::vector<T> got(host.size());
		SUCCEEDS(cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
		for (size_t i = 0; i < got.size(); i++) {
			if (got[i] != host[i] && !(got[i] != got[i] && host[i] != host[i])) {
				fprintf(stderr, "%s: element %zu is %g, expected %g\n", what, i, (double)got[i], (double)host[i]);
				failures++;
				return;
			}
		}
	}
};

static size_t at(int i, int n, int inc)
{
	return inc < 0 ? (size_t)(i - n + 1) * inc : (size_t)i * inc;
}

static int any_increment()
{
	static const int increments[] = {1, 1, 2, 3, -1, -2};
	return increments[below(6)];
}

template <typename T> static T any_scalar()
{
	static const int scalars[] = {0, 1, -1, 2, 3};
	return scalars[below(5)];
}

static cublasOperation_t any_operation()
{
	return (cublasOperation_t)below(3);
}

template <typename T> static T element(const std::vector<T> &a, int ld, cublasOperation_t op, int row, int column)
{
	return op == CUBLAS_OP_N ? a[(size_t)column * ld + row] : a[(size_t)row * ld + column];
}

template <typename T> static void try_vectors()
{
	int n = (int)below(700), incx = any_increment(), incy = any_increment();
	both<T> x(3 * n), y(3 * n);
	T alpha = any_scalar<T>(), s = any_scalar<T>();
	WORKS(axpy(n, &alpha, x.device, incx, y.device, incy));
	for (int i = 0; i < n; i++)
		y.host[at(i, n, incy)] += alpha * x.host[at(i, n, incx)];
	y.compare("axpy");
	WORKS(scal(n, &s, y.device, abs(incy)));
	for (int i = 0; i < n; i++)
		y.host[at(i, n, abs(incy))] *= s;
	y.compare("scal");
	WORKS(swap(n, x.device, incx, y.device, incy));
	for (int i = 0; i < n; i++)
		std::swap(x.host[at(i, n, incx)], y.host[at(i, n, incy)]);
	WORKS(rot(n, x.device, incx, y.device, incy, &alpha, &s));
	for (int i = 0; i < n; i++) {
		T &a = x.host[at(i, n, incx)], &b = y.host[at(i, n, incy)], old = a;
		a = alpha * old + s * b;
		b = alpha * b - s * old;
	}
	x.compare("swap, rot: x");
	y.compare("swap, rot: y");
	WORKS(copy(n, x.device, incx, y.device, incy));
	for (int i = 0; i < n; i++)
		y.host[at(i, n, incy)] = x.host[at(i, n, incx)];
	y.compare("copy");
}

template <typename T> static void try_sums()
{
	int n = (int)below(20000), incx = any_increment(), incy = any_increment(), large = 0, small = 0, index = -1;
	both<T> x(3 * n), y(3 * n);
	double sum = 0, magnitudes = 0, squares = 0;
	T result = -1;
	for (int i = 0; i < n; i++) {
		T a = x.host[at(i, n, abs(incx))];
		sum += x.host[at(i, n, incx)] * y.host[at(i, n, incy)];
		magnitudes += fabs(a);
		squares += a * a;
		large = !large || fabs(a) > fabs(x.host[at(large - 1, n, abs(incx))]) ? i + 1 : large;
		small = !small || fabs(a) < fabs(x.host[at(small - 1, n, abs(incx))]) ? i + 1 : small;
	}
	WORKS(dot(n, x.device, incx, y.device, incy, &result));
	CHECK(result == (T)sum);
	WORKS(asum(n, x.device, abs(incx), &result));
	CHECK(result == (T)magnitudes);
	WORKS(nrm2(n, x.device, abs(incx), &result));
	CHECK(fabs(result - sqrt(squares)) <= 1e-5 * sqrt(squares));
	WORKS(amax(n, x.device, abs(incx), &index));
	CHECK(index == large);
	WORKS(amin(n, x.device, abs(incx), &index));
	CHECK(index == small);
	WORKS(asum(n, x.device, -1, &result));
	CHECK(result == 0);
}

template <typename T> static void try_gemv()
{
	int m = 1 + (int)below(200), n = 1 + (int)below(200), lda = m + (int)below(5), incx = any_increment(), incy = any_increment();
	cublasOperation_t t = any_operation();
	T alpha = any_scalar<T>(), beta = any_scalar<T>();
	int rows = t == CUBLAS_OP_N ? m : n, columns = t == CUBLAS_OP_N ? n : m;
	both<T> a((size_t)lda * n, alpha == 0), x(3 * columns), y(3 * rows);
	if (beta == 0)
		for (int i = 0; i < rows; i++)
			y.host[at(i, rows, incy)] = NAN;
	SUCCEEDS(cudaMemcpy(y.device, y.host.data(), y.host.size() * sizeof(T), cudaMemcpyHostToDevice));
	WORKS(gemv(t, m, n, &alpha, a.device, lda, x.device, incx, &beta, y.device, incy));
	for (int i = 0; i < rows; i++) {
		T sum = 0, &to = y.host[at(i, rows, incy)];
		for (int j = 0; alpha != 0 && j < columns; j++)
			sum += element(a.host, lda, t, i, j) * x.host[at(j, columns, incx)];
		to = alpha * sum + (beta == 0 ? 0 : beta * to);
	}
	y.compare("gemv");
	both<T> u(3 * m), v(3 * n), c((size_t)lda * n);
	WORKS(ger(m, n, &alpha, u.device, incx, v.device, incy, c.device, lda));
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++)
			c.host[(size_t)j * lda + i] += alpha * u.host[at(i, m, incx)] * v.host[at(j, n, incy)];
	c.compare("ger");
}

template <typename T>
static void host_gemm(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, T alpha, const std::vector<T> &a, int lda,
                      const std::vector<T> &b, int ldb, T beta, std::vector<T> &c, int ldc)
{
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++) {
			T sum = 0, &to = c[(size_t)j * ldc + i];
			for (int l = 0; alpha != 0 && l < k; l++)
				sum += element(a, lda, ta, i, l) * element(b, ldb, tb, l, j);
			to = alpha * sum + (beta == 0 ? 0 : beta * to);
		}
}

template <typename T> static void try_gemm(int most)
{
	int m = 1 + (int)below(most), n = 1 + (int)below(most), k = (int)below(most);
	cublasOperation_t ta = any_operation(), tb = any_operation();
	T alpha = any_scalar<T>(), beta = any_scalar<T>();
	int lda = 1 + (ta == CUBLAS_OP_N ? m : k) + (int)below(4), ldb = 1 + (tb == CUBLAS_OP_N ? k : n) + (int)below(4);
	int ldc = m + (int)below(4);
	both<T> a((size_t)lda * (ta == CUBLAS_OP_N ? k : m), alpha == 0), b((size_t)ldb * (tb == CUBLAS_OP_N ? n : k), alpha == 0);
	both<T> c((size_t)ldc * n, beta == 0);
	WORKS(gemm(ta, tb, m, n, k, &alpha, a.device, lda, b.device, ldb, &beta, c.device, ldc));
	host_gemm(ta, tb, m, n, k, alpha, a.host, lda, b.host, ldb, beta, c.host, ldc);
	c.compare("gemm");
	both<T> d((size_t)lda * m + (size_t)lda * n), e((size_t)ldb * m + (size_t)ldb * n), f((size_t)ldc * n);
	lda = (ta == CUBLAS_OP_N ? m : n), ldb = (tb == CUBLAS_OP_N ? m : n);
	both<T> g((size_t)m * n), h((size_t)m * n);
	WORKS(geam(ta, tb, m, n, &alpha, g.device, lda, &beta, h.device, ldb, f.device, ldc));
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++)
			f.host[(size_t)j * ldc + i] = alpha * element(g.host, lda, ta, i, j) + beta * element(h.host, ldb, tb, i, j);
	f.compare("geam");
}

template <typename T> static void try_batches()
{
	enum { COUNT = 3 };
	int m = 20, n = 13, k = 17, strides[3] = {m * k + 5, n * k, m * n + 2};
	T alpha = 2, beta = -1;
	both<T> a(COUNT * strides[0]), b(COUNT * strides[1]), c(COUNT * strides[2]), d(COUNT * strides[2]);
	WORKS(gemmStridedBatched(m, n, k, &alpha, a.device, m, strides[0], b.device, n, strides[1], &beta, c.device, m, strides[2], COUNT));
	T *lists[3][COUNT], **device_lists;
	SUCCEEDS(cudaMalloc(&device_lists, sizeof lists));
	for (int i = 0; i < COUNT; i++) {
		lists[0][i] = a.device + i * strides[0];
		lists[1][i] = b.device + i * strides[1];
		lists[2][i] = d.device + i * strides[2];
	}
	SUCCEEDS(cudaMemcpy(device_lists, lists, sizeof lists, cudaMemcpyHostToDevice));
	WORKS(gemmBatched(m, n, k, &alpha, device_lists, k, device_lists + COUNT, k, &beta, device_lists + 2 * COUNT, m, COUNT));
	for (int i = 0; i < COUNT; i++) {
		std::vector<T> own_a(a.host.begin() + i * strides[0], a.host.end()), own_b(b.host.begin() + i * strides[1], b.host.end());
		std::vector<T> own_c(c.host.begin() + i * strides[2], c.host.end()), own_d(d.host.begin() + i * strides[2], d.host.end());
		host_gemm(CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, alpha, own_a, m, own_b, n, beta, own_c, m);
		host_gemm(CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, alpha, own_a, k, own_b, k, beta, own_d, m);
		std::copy(own_c.begin(), own_c.end(), c.host.begin() + i * strides[2]);
		std::copy(own_d.begin(), own_d.end(), d.host.begin() + i * strides[2]);
	}
	c.compare("gemmStridedBatched");
	d.compare("gemmBatched");
	SUCCEEDS(cudaFree(device_lists));
}

// Scalars and results in device memory; values whose squares overflow float; statuses.
static void try_rest()
{
	both<float> x(100), scalars(3);
	float norm = 0, alpha = 1, *none = nullptr;
	int version = 0, index = 0;
	cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
	x.host[3] = 3e30f;
	x.host[4] = 4e30f;
	SUCCEEDS(cudaMemcpy(x.device, x.host.data(), 100 * sizeof(float), cudaMemcpyHostToDevice));
	WORKS(cublasSnrm2(handle, 100, x.device, 1, &norm));
	CHECK(fabsf(norm / 5e30f - 1) < 1e-6f);
	WORKS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
	WORKS(cublasGetPointerMode(handle, &mode));
	CHECK(mode == CUBLAS_POINTER_MODE_DEVICE);
	WORKS(cublasSdot(handle, 3, x.device, 1, x.device, 0, scalars.device));
	WORKS(cublasSscal(handle, 3, scalars.device, x.device, 1));
	scalars.host[0] = (x.host[0] + x.host[1] + x.host[2]) * x.host[0];
	for (int i = 0; i < 3; i++)
		x.host[i] *= scalars.host[0];
	scalars.compare("dot into device memory");
	x.compare("scal by device memory");
	WORKS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
	CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &alpha, x.device, 3, x.device, 4, &alpha, x.device, 4) ==
	      CUBLAS_STATUS_INVALID_VALUE);
	CHECK(cublasSgemm(handle, (cublasOperation_t)7, CUBLAS_OP_N, 4, 4, 4, &alpha, x.device, 4, x.device, 4, &alpha, x.device,
	                  4) == CUBLAS_STATUS_INVALID_VALUE);
	CHECK(cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &alpha, x.device, 4, x.device, 0, &alpha, x.device, 1) == CUBLAS_STATUS_INVALID_VALUE);
	CHECK(cublasSaxpy(handle, 4, none, x.device, 1, x.device, 1) == CUBLAS_STATUS_INVALID_VALUE);
	CHECK(cublasSaxpy(nullptr, 4, &alpha, x.device, 1, x.device, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
	CHECK(cublasIsamax(handle, 0, x.device, 1, &index) == CUBLAS_STATUS_SUCCESS && index == 0);
	WORKS(cublasGetVersion(handle, &version));
	CHECK(version == CUBLAS_VERSION);
	CHECK(strcmp(cublasGetStatusName(CUBLAS_STATUS_MAPPING_ERROR), "CUBLAS_STATUS_MAPPING_ERROR") == 0);
	x.compare("what failing calls leave");
}

static void try_copies()
{
	double host[7 * 5], back[9 * 5], *device;
	for (int i = 0; i < 35; i++)
		host[i] = i;
	memset(back, 0, sizeof back);
	SUCCEEDS(cudaMalloc(&device, 6 * 5 * sizeof(double)));
	WORKS(cublasSetMatrix(6, 5, sizeof(double), host, 7, device, 6));
	WORKS(cublasGetMatrix(6, 5, sizeof(double), device, 6, back, 9));
	for (int i = 0; i < 45; i++)
		CHECK(back[i] == (i % 9 < 6 ? i / 9 * 7 + i % 9 : 0));
	WORKS(cublasSetVector(10, sizeof(double), host, 3, device, 2));
	WORKS(cublasGetVector(10, sizeof(double), device, 2, back, 1));
	for (int i = 0; i < 10; i++)
		CHECK(back[i] == 3 * i);
	CHECK(cublasSetMatrix(6, 5, sizeof(double), host, 5, device, 6) == CUBLAS_STATUS_INVALID_VALUE);
	CHECK(cublasSetVector(6, 0, host, 1, device, 1) == CUBLAS_STATUS_INVALID_VALUE);
	SUCCEEDS(cudaFree(device));
}

// Matrix factorisation: the product of the factors is the matrix with its rows exchanged, and pivots are the largest
// elements. Memory next to the matrix stays unchanged; the second matrix is singular.
template <typename T> static void try_factors(int n, bool with_pivots)
{
	const int count = 3, lda = n + 2, size = lda * n;
	T *numbers, **matrices;
	int *pivots, *info;
	SUCCEEDS(cudaMallocManaged(&numbers, count * size * sizeof(T)));
	SUCCEEDS(cudaMallocManaged(&matrices, count * sizeof(T *)));
	SUCCEEDS(cudaMallocManaged(&pivots, count * n * sizeof(int)));
	SUCCEEDS(cudaMallocManaged(&info, count * sizeof(int)));
	for (int i = 0; i < count * size; i++)
		numbers[i] = (T)below(2001) / 1000 - 1 + (!with_pivots && i % size % (lda + 1) == 0 ? (T)n : 0);
	for (int i = 0; i < count; i++)
		matrices[i] = numbers + i * size;
	for (int row = 0; row < n; row++)
		matrices[1][(n - 1) * lda + row] = 0;
	std::vector<T> before(numbers, numbers + count * size);
	WORKS(getrf(n, matrices, lda, with_pivots ? pivots : nullptr, info, count));
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(info[0] == 0 && info[1] == n && info[2] == 0);
	for (int m = 0; m < count; m++) {
		std::vector<int> order(n);
		for (int i = 0; i < n; i++)
			order[i] = i;
		for (int k = 0; with_pivots && k < n; k++) {
			int other = pivots[m * n + k] - 1;
			CHECK(other >= k && other < n);
			std::swap(order[k], order[other]);
		}
		const T *a = matrices[m], *was = before.data() + m * size;
		for (int c = 0; c < n; c++)
			for (int row = 0; row < lda; row++) {
				double sum = 0, largest = with_pivots ? 1 + 1e-6 : n;
				for (int k = 0; row < n && k <= std::min(row, c); k++)
					sum += (k < row ? (double)a[k * lda + row] : 1) * a[c * lda + k];
				if (row < n)
					CHECK(std::fabs(sum - was[c * lda + order[row]]) < 100 * n * std::numeric_limits<T>::epsilon());
				else
					CHECK(a[c * lda + row] == was[c * lda + row]);
				CHECK(row <= c || row >= n || std::fabs(a[c * lda + row]) <= largest);
			}
	}
	SUCCEEDS(cudaFree(numbers));
	SUCCEEDS(cudaFree(matrices));
	SUCCEEDS(cudaFree(pivots));
	SUCCEEDS(cudaFree(info));
}

template <typename T> static void try_all(int times)
{
	for (int i = 0; i < times; i++) {
		try_vectors<T>();
		try_sums<T>();
		try_gemv<T>();
		try_gemm<T>(i % 2 ? 40 : 150);
	}
	try_batches<T>();
	for (int n : {1, 2, 4, 7, 8, 9, 33})
		for (bool with_pivots : {false, true})
			try_factors<T>(n, with_pivots);
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 6;
	state += argc > 2 ? 2 * strtoull(argv[2], nullptr, 10) : 0;
	WORKS(cublasCreate(&handle));
	try_all<float>(times);
	try_all<double>(times);
	try_rest();
	try_copies();
	WORKS(cublasDestroy(handle));
	return finish();
}
