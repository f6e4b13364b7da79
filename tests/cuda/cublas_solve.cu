// Protects cuBLAS's triangular systems: of every side, triangle, transposition and diagonal, the product of the matrix
// and the solution is the right side. Small integers, so that every step is exact. Unread numbers are NaN.
// Flags: -lcublas
#include "check.h"
#include <cmath>
#include <cublas_v2.h>
#include <vector>

static unsigned state = 12345;

static unsigned below(unsigned limit)
{
	state = state * 1664525 + 1013904223;
	return (state >> 16) % limit;
}

#define WORKS(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

static cublasHandle_t handle;

#define SOLVE(T)                                                                                                       \
	(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int m, int n,      \
	 const T *alpha, const T *a, int lda, T *b, int ldb)
#define SOLVE_ALL(T)                                                                                                   \
	(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int m, int n,      \
	 const T *alpha, const T *const *a, int lda, T *const *b, int ldb, int count)
#define OF_TYPE(T, t)                                                                                                  \
	static cublasStatus_t solve SOLVE(T)                                                                           \
	{                                                                                                              \
		return cublas##t##trsm(handle, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb);                     \
	}                                                                                                              \
	static cublasStatus_t solve_all SOLVE_ALL(T)                                                                   \
	{                                                                                                              \
		return cublas##t##trsmBatched(handle, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, count);       \
	}
OF_TYPE(float, S)
OF_TYPE(double, D)

// A triangle, the solution X and the right side that belongs to it.
template <typename T> struct problem {
	int m, n, lda, ldb;
	std::vector<T> a, x, b;
	T operation_at(int row, int column, cublasFillMode_t uplo, cublasOperation_t op, bool unit) const
	{
		int from = op == CUBLAS_OP_N ? row : column, at = op == CUBLAS_OP_N ? column : row;
		if (from == at && unit)
			return 1;
		bool inside = uplo == CUBLAS_FILL_MODE_LOWER ? at <= from : at >= from;
		return inside ? a[(size_t)at * lda + from] : 0;
	}
	problem(int m, int n, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, bool unit, T alpha)
	    : m(m), n(n), ldb(m + 3)
	{
		int order = side == CUBLAS_SIDE_LEFT ? m : n;
		lda = order + 2;
		a.assign((size_t)lda * order, NAN);
		for (int column = 0; column < order; column++)
			for (int row = 0; row < order; row++)
				if (row == column ? !unit : (uplo == CUBLAS_FILL_MODE_LOWER) == (row > column))
					a[(size_t)column * lda + row] = row == column ? (T)(below(2) ? 2 : -1) : (T)below(5) - 2;
		x.assign((size_t)ldb * n, 7);
		for (int column = 0; column < n; column++)
			for (int row = 0; row < m; row++)
				x[(size_t)column * ldb + row] = (T)below(9) - 4;
		b = x;
		for (int column = 0; column < n; column++)
			for (int row = 0; row < m; row++) {
				T sum = 0;
				for (int k = 0; k < order; k++)
					sum += side == CUBLAS_SIDE_LEFT
						       ? operation_at(row, k, uplo, op, unit) * x[(size_t)column * ldb + k]
						       : x[(size_t)k * ldb + row] * operation_at(k, column, uplo, op, unit);
				b[(size_t)column * ldb + row] = sum / alpha;
			}
	}
};

template <typename T> static T *on_device(const std::vector<T> &host)
{
	T *device;
	SUCCEEDS(cudaMalloc(&device, host.size() * sizeof(T)));
	SUCCEEDS(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
	return device;
}

template <typename T> static void holds(const T *device, const std::vector<T> &expected)
{
	std::vector<T> got(expected.size());
	SUCCEEDS(cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
	CHECK(got == expected);
}

template <typename T> static void try_form(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag)
{
	enum { COUNT = 3 };
	int m = 1 + (int)below(40), n = 1 + (int)below(40);
	T alpha = below(2) ? 2 : -1, *a[COUNT], *b[COUNT];
	std::vector<problem<T>> problems;
	for (int i = 0; i < COUNT; i++) {
		problems.emplace_back(m, n, side, uplo, op, diag == CUBLAS_DIAG_UNIT, alpha);
		a[i] = on_device(problems[i].a);
		b[i] = on_device(problems[i].b);
	}
	int lda = problems[0].lda, ldb = problems[0].ldb;
	T **lists = on_device(std::vector<T *>({a[1], a[2], b[1], b[2]}));
	WORKS(solve(side, uplo, op, diag, m, n, &alpha, a[0], lda, b[0], ldb));
	WORKS(solve_all(side, uplo, op, diag, m, n, &alpha, lists, lda, lists + 2, ldb, 2));
	for (int i = 0; i < COUNT; i++) {
		holds(b[i], problems[i].x);
		SUCCEEDS(cudaFree(a[i]));
		SUCCEEDS(cudaFree(b[i]));
	}
	SUCCEEDS(cudaFree(lists));
}

template <typename T> static void try_all()
{
	for (int form = 0; form < 24; form++)
		try_form<T>((cublasSideMode_t)(form & 1), (cublasFillMode_t)(form >> 1 & 1), (cublasOperation_t)(form / 8),
		            (cublasDiagType_t)(form >> 2 & 1));
}

// A factor of 0 reads neither matrix. More systems than a grid has rows. Wrong arguments change nothing.
static void try_rest()
{
	enum { MANY = 65537 };
	float zero = 0, one = 1, *a = on_device(std::vector<float>(4, NAN)), *b = on_device(std::vector<float>(4, NAN));
	WORKS(solve(CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 2, 2, &zero, a, 2, b, 2));
	holds(b, std::vector<float>(4, 0));
	CHECK(solve(CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 3, 1, &one, a, 2, b, 3) ==
	      CUBLAS_STATUS_INVALID_VALUE);
	CHECK(solve(CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_FULL, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 2, 2, &one, a, 2, b, 2) ==
	      CUBLAS_STATUS_INVALID_VALUE);
	holds(b, std::vector<float>(4, 0));
	double two = 1, *half = on_device(std::vector<double>(1, 0.5)), *sides = on_device(std::vector<double>(MANY, 3));
	std::vector<double *> matrices(MANY, half), lines(MANY);
	for (int i = 0; i < MANY; i++)
		lines[i] = sides + i;
	double **from = on_device(matrices), **to = on_device(lines);
	WORKS(solve_all(CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, 1, 1, &two, from, 1, to, 1, MANY));
	holds(sides, std::vector<double>(MANY, 6));
}

int main()
{
	WORKS(cublasCreate(&handle));
	try_all<float>();
	try_all<double>();
	try_rest();
	WORKS(cublasDestroy(handle));
	return finish();
}
