// Protects libdevice's rounding.c and the simulated instructions: arithmetic and conversions with explicit rounding, in
// all four directions, against the host. Includes special values and range limits.
#include "check.h"
#include <cfenv>
#include <climits>
#include <cmath>
#include <cstdint>
#include <vector>

// One column per result; host values are volatile, so that no direction is computed at compile time.
union result {
	double d;
	float f;
	long long i;
};

#define ARITHMETIC(X)                                                                                                  \
	X(__fadd, f, x + y, (float)a, (float)b)                                                                        \
	X(__fsub, f, x - y, (float)a, (float)b)                                                                        \
	X(__fmul, f, x *y, (float)a, (float)b)                                                                         \
	X(__fdiv, f, x / y, (float)a, (float)b)                                                                        \
	X(__dadd, d, x + y, a, b)                                                                                      \
	X(__dsub, d, x - y, a, b)                                                                                      \
	X(__dmul, d, x *y, a, b)                                                                                       \
	X(__ddiv, d, x / y, a, b)
#define ONE(X)                                                                                                         \
	X(__fsqrt, f, std::sqrt(x), (float)a)                                                                          \
	X(__frcp, f, 1 / x, (float)a)                                                                                  \
	X(__dsqrt, d, std::sqrt(x), a)                                                                                 \
	X(__drcp, d, 1 / x, a)                                                                                         \
	X(__double2float, f, (float)x, a)                                                                              \
	X(__float2int, i, to_integer(x, INT_MIN, INT_MAX, 0), (float)a)                                                \
	X(__float2uint, i, to_integer(x, 0, UINT_MAX, 0), (float)a)                                                    \
	X(__float2ll, i, to_integer(x, LLONG_MIN, LLONG_MAX, LLONG_MIN), (float)a)                                     \
	X(__double2int, i, to_integer(x, INT_MIN, INT_MAX, INT_MIN), a)                                                \
	X(__double2uint, i, to_integer(x, 0, UINT_MAX, 0x80000000), a)                                                 \
	X(__double2ll, i, to_integer(x, LLONG_MIN, LLONG_MAX, LLONG_MIN), a)                                           \
	X(__int2float, f, (float)x, (int)n)                                                                            \
	X(__uint2float, f, (float)x, (unsigned)n)                                                                      \
	X(__ll2float, f, (float)x, n)                                                                                  \
	X(__ull2float, f, (float)x, (unsigned long long)n)                                                             \
	X(__ll2double, d, (double)x, n)                                                                                \
	X(__ull2double, d, (double)x, (unsigned long long)n)

enum { COLUMNS = (8 + 17 + 2) * 4, ROWS = 192 };

__global__ void compute(const double *left, const double *right, const long long *integers, result *out)
{
	unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
	double a = left[row], b = right[row];
	long long n = integers[row];
	result *at = out + row * COLUMNS;
#define CALL2(name, kind, expression, x, y)                                                                            \
	at++->kind = name##_rn(x, y);                                                                                  \
	at++->kind = name##_rz(x, y);                                                                                  \
	at++->kind = name##_rd(x, y);                                                                                  \
	at++->kind = name##_ru(x, y);
#define CALL1(name, kind, expression, x)                                                                               \
	at++->kind = name##_rn(x);                                                                                     \
	at++->kind = name##_rz(x);                                                                                     \
	at++->kind = name##_rd(x);                                                                                     \
	at++->kind = name##_ru(x);
	ARITHMETIC(CALL2)
	ONE(CALL1)
#define CALL3(name, kind, x, y, z)                                                                                     \
	at++->kind = name##_rn(x, y, z);                                                                               \
	at++->kind = name##_rz(x, y, z);                                                                               \
	at++->kind = name##_rd(x, y, z);                                                                               \
	at++->kind = name##_ru(x, y, z);
	CALL3(__fmaf, f, (float)a, (float)b, (float)n)
	CALL3(__fma, d, a, b, (double)n)
}

template <class T> static long long to_integer(T x, long long least, long long most, long long of_nan)
{
	if (std::isnan(x))
		return of_nan;
	long double r = std::rint((long double)x);
	return r <= (long double)least ? least : r >= (long double)most ? most : (long long)r;
}

static bool same(result got, result want, char kind)
{
	if (kind == 'i')
		return got.i == want.i;
	if (kind == 'f')
		return memcmp(&got.f, &want.f, sizeof got.f) == 0 || (std::isnan(got.f) && std::isnan(want.f));
	return memcmp(&got.d, &want.d, sizeof got.d) == 0 || (std::isnan(got.d) && std::isnan(want.d));
}

static void report(const char *name, int mode, double a, double b, long long n)
{
	fprintf(stderr, "%s, direction %d, of (%a, %a, %lld) is wrong\n", name, mode, a, b, n);
	failures++;
}

__attribute__((noinline)) static void check_row(double a, double b, long long n, const result *at)
{
	static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	const char kind_d = 'd', kind_f = 'f', kind_i = 'i';
	result want;
#define CHECK_MODES(name, kind, expression)                                                                            \
	for (int mode = 0; mode < 4; mode++) {                                                                         \
		fesetround(modes[mode]);                                                                               \
		want.kind = expression;                                                                                \
		fesetround(FE_TONEAREST);                                                                              \
		if (!same(*at++, want, kind_##kind))                                                                   \
			report(#name, mode, a, b, n);                                                                  \
	}
#define CHECK2(name, kind, expression, first, second)                                                                  \
	{                                                                                                              \
		volatile auto x = first;                                                                               \
		volatile auto y = second;                                                                              \
		CHECK_MODES(name, kind, expression)                                                                    \
	}
#define CHECK1(name, kind, expression, first)                                                                          \
	{                                                                                                              \
		volatile auto x_value = first;                                                                         \
		CHECK_MODES(name, kind, ([&] { auto x = x_value; return expression; })())                              \
	}
	ARITHMETIC(CHECK2)
	ONE(CHECK1)
	volatile float fa = (float)a, fb = (float)b, fn = (float)n;
	volatile double da = a, db = b, dn = (double)n;
	CHECK_MODES(__fmaf, f, std::fma((float)fa, (float)fb, (float)fn))
	CHECK_MODES(__fma, d, std::fma((double)da, (double)db, (double)dn))
}

int main()
{
	const double special[] = {0.0,       -0.0, 1,    -1,   0.5,         -2.5,        1e-310,      INFINITY, -INFINITY,
	                          NAN,       3e38, 1e300, 1e-46, 2147483647.5, -2147483648.5, 4294967295.5, 9.3e18,   0.1};
	std::vector<double> a(ROWS), b(ROWS);
	std::vector<long long> n(ROWS);
	std::vector<result> got(ROWS * COLUMNS);
	double *left, *right;
	long long *integers;
	result *out;
	srand(11);
	for (int i = 0; i < ROWS; i++) {
		a[i] = i < 90 ? special[i / 5] : ldexp((double)rand() / rand() - 0.5, rand() % 70 - 35);
		b[i] = i < 90 ? special[i * 7 % 18] : ldexp((double)rand() / rand() - 0.5, rand() % 20 - 10);
		/* not 0, which a host converts to -0 when it rounds down */
		n[i] = (long long)((uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ (uint64_t)rand()) >> rand() % 60 | 1;
	}
	SUCCEEDS(cudaMalloc(&left, ROWS * sizeof *left));
	SUCCEEDS(cudaMalloc(&right, ROWS * sizeof *right));
	SUCCEEDS(cudaMalloc(&integers, ROWS * sizeof *integers));
	SUCCEEDS(cudaMalloc(&out, got.size() * sizeof *out));
	SUCCEEDS(cudaMemset(out, 0, got.size() * sizeof *out));
	SUCCEEDS(cudaMemcpy(left, a.data(), ROWS * sizeof *left, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemcpy(right, b.data(), ROWS * sizeof *right, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemcpy(integers, n.data(), ROWS * sizeof *integers, cudaMemcpyHostToDevice));
	compute<<<ROWS / 64, 64>>>(left, right, integers, out);
	SUCCEEDS(cudaMemcpy(got.data(), out, got.size() * sizeof *out, cudaMemcpyDeviceToHost));
	for (int i = 0; i < ROWS; i++)
		check_row(a[i], b[i], n[i], &got[(size_t)i * COLUMNS]);
	return finish();
}
