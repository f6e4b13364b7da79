/* Accuracy of the device's mathematics, compiled for the host, against the C library in twice the precision: the bounds
 * are CUDA's documented ones or better. Protects every polynomial, reduction and special case. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 20000 };

#define FLOAT1(X)                                                                                                      \
	X(sin, -8, 8, 2)                                                                                               \
	X(sin, -1e5, 1e5, 2) X(sin, -3e38, 3e38, 2) X(cos, -8, 8, 2) X(cos, -1e9, 1e9, 2) X(tan, -8, 8, 3) X(          \
		tan, -1e7, 1e7, 3) X(asin, -1, 1, 2) X(acos, -1, 1, 2) X(atan, -20, 20, 2) X(sinh, -89, 89, 3)         \
		X(sinh, -1, 1, 2) X(cosh, -89, 89, 3) X(tanh, -10, 10, 2) X(tanh, -.6, .6, 2) X(asinh, -50, 50, 3)     \
			X(asinh, -1, 1, 3) X(acosh, 1, 100, 3) X(acosh, 1, 1.5, 4) X(atanh, -1, 1, 3)                  \
				X(exp, -104, 89, 2) X(exp, -1, 1, 2) X(exp2, -150, 128, 1) X(exp10, -45, 38.5, 2)      \
					X(expm1, -17, 89, 2) X(expm1, -1, 1, 2) X(log, 0, 4, 2) X(log, 0, 3e38, 2) X(  \
						log2, 0, 4, 2) X(log2, 0.9, 1.1, 2) X(log10, 0, 4, 3)                  \
						X(log10, 0.9, 1.1, 3) X(log1p, -1, 4, 2) X(log1p, -1e-3, 1e-3, 2)      \
							X(cbrt, -1e3, 1e3, 1) X(cbrt, -1e-38, 1e-38, 1)                \
								X(erf, -4.5, 4.5, 2) X(erfc, -4, 4, 5)                 \
									X(erfc, 4, 9, 6) X(round, -10, 10, 0.5)        \
										X(rint, -10, 10, 0.5)                  \
											X(trunc, -10, 10, 0.5)         \
												X(logb, 0, 1e-38, 0.5)
#define DOUBLE1(X)                                                                                                     \
	X(sin, -8, 8, 2)                                                                                               \
	X(sin, -1e9, 1e9, 2) X(sin, -1e300, 1e300, 2) X(cos, -8, 8, 2) X(cos, -1e12, 1e12, 2) X(tan, -8, 8, 2.5) X(    \
		tan, -1e12, 1e12, 3) X(asin, -1, 1, 2) X(acos, -1, 1, 2) X(atan, -20, 20, 2) X(sinh, -710, 710, 2.5)   \
		X(sinh, -1, 1, 2.5) X(cosh, -710, 710, 2) X(tanh, -20, 20, 2) X(tanh, -1, 1, 2.5) X(asinh, -50, 50, 3) \
			X(asinh, -1, 1, 3) X(acosh, 1, 100, 3) X(acosh, 1, 1.5, 3) X(atanh, -1, 1, 3)                  \
				X(exp, -745, 709, 1) X(exp, -1, 1, 1) X(exp2, -1074, 1024, 1) X(exp10, -320, 308, 2)   \
					X(expm1, -36, 709, 2) X(expm1, -1, 1, 2) X(log, 0, 4, 1) X(log, 0.9, 1.1, 1)   \
						X(log, 0, 1e308, 1) X(log2, 0, 4, 1) X(log2, 0.9, 1.1, 1) X(           \
							log10, 0, 4, 1) X(log10, 0.9, 1.1, 1) X(log1p, -1, 4, 2)       \
							X(log1p, -1e-3, 1e-3, 2) X(cbrt, -1e3, 1e3,                    \
	                                                                           1) X(cbrt, -1e-308, 1e-308, 1)      \
								X(erf, -6, 6, 2) X(erfc, -4, 4, 6) X(erfc, 4, 26, 6)   \
									X(round, -10, 10, 0.5) X(rint, -10, 10, 0.5)   \
										X(trunc, -10, 10, 0.5)                 \
											X(logb, 0, 1e-308, 0.5)

#define FLOAT2(X)                                                                                                      \
	X(pow, 0, 4, -50, 50, 2)                                                                                       \
	X(pow, 0, 1e38, -3, 3, 2) X(pow, 0.99, 1.01, -9000, 9000, 2) X(atan2, -4, 4, -4, 4, 3)                         \
		X(hypot, -4, 4, -4, 4, 2) X(hypot, -3e38, 3e38, -1e38, 1e38, 2)                                        \
			X(hypot, -1e-39, 1e-39, -1e-39, 1e-39, 1) X(fmod, -1e3, 1e3, -4, 4, 0)                         \
				X(fmod, -3e38, 3e38, -1e-40, 1e-40, 0) X(fmod, -1e30, 1e30, -1, 1, 0)                  \
					X(remainder, -1e3, 1e3, -4, 4, 0) X(remainder, -1e30, 1e30, -1, 1, 0)          \
						X(fdim, -4, 4, -4, 4, 0.5) X(copysign, -4, 4, -4, 4, 0)
#define DOUBLE2(X)                                                                                                     \
	X(pow, 0, 4, -500, 500, 2)                                                                                     \
	X(pow, 0, 1e38, -8, 8, 2) X(pow, 0.999, 1.001, -5e5, 5e5, 2) X(atan2, -4, 4, -4, 4, 2)                         \
		X(hypot, -4, 4, -4, 4, 2) X(hypot, -1e308, 1e308, -1e308, 1e308, 2)                                    \
			X(hypot, -1e-310, 1e-310, -1e-310, 1e-310, 1) X(fmod, -1e3, 1e3, -4, 4, 0)                     \
				X(fmod, -1e300, 1e300, -1e-310, 1e-310, 0) X(fmod, -1e30, 1e30, -1, 1, 0)              \
					X(remainder, -1e3, 1e3, -4, 4, 0) X(remainder, -1e30, 1e30, -1, 1, 0)          \
						X(fdim, -4, 4, -4, 4, 0.5) X(copysign, -4, 4, -4, 4, 0)

/* The library's functions, and glibc's in the wider type. */
#define F1_DECLARE(name, ...) float __nv_##name##f(float);
#define D1_DECLARE(name, ...) double __nv_##name(double);
#define F2_DECLARE(name, ...) float __nv_##name##f(float, float);
#define D2_DECLARE(name, ...) double __nv_##name(double, double);
FLOAT1(F1_DECLARE)
DOUBLE1(D1_DECLARE)
FLOAT2(F2_DECLARE)
DOUBLE2(D2_DECLARE)

static uint64_t random_bits(void)
{
	static uint64_t state = 88172645463325252u;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Half of the values lie evenly in the range; the others' exponents do. */
static double sample(double low, double high)
{
	double u = (double)(random_bits() >> 11) * 0x1p-53;
	double x = low + (high - low) * u;
	if (random_bits() & 1) {
		double y = (random_bits() & 1 ? low : high) * exp2(-40 * u);
		if (y >= low && y <= high)
			x = y;
	}
	return x;
}

/* Distance of a result from the true value, in units of its last place; a special value must be met exactly. */
static double ulps(long double got, long double want, int digits, int least)
{
	long double largest = ldexpl(2 - ldexpl(1, 1 - digits), least == -149 ? 127 : 1023);
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0 : INFINITY;
	if (isinf(got) || isinf(want))
		return got == want || (isinf(got) && fabsl(want) > largest && signbit(got) == signbit(want)) ? 0
		                                                                                             : INFINITY;
	if (got == want)
		return signbit(got) == signbit(want) || want != 0 ? 0 : INFINITY;
	int e = want == 0 ? least : ilogbl(want) - digits + 1;
	return (double)(fabsl(got - want) / ldexpl(1, e < least ? least : e));
}

static void judge(const char *name, double worst, double bound, double x, double y)
{
	if (!(worst <= bound))
		fail_msg("%s: %g ulp (bound %g) at (%a, %a)", name, worst, bound, x, y);
}

static const double special[] = {0.0,   -0.0,   1,     -1,     0.5,    -0.5,     2,         -2,   3,
                                 -3,    1e-300, 1e-45, -1e-45, 4e-320, 100,      -100,      1e10, -1e10,
                                 1e300, 3e38,   -3e38, 2.5,    -2.5,   INFINITY, -INFINITY, NAN};
enum { SPECIALS = sizeof special / sizeof special[0] };

#define TEST1(type, name, function, reference, low, high, bound, digits, least)                                        \
	do {                                                                                                           \
		double worst = -1, at = 0;                                                                             \
		for (int i = 0; i < SAMPLES + SPECIALS; i++) {                                                         \
			type x = (type)(i < SAMPLES ? sample(low, high) : special[i - SAMPLES]);                       \
			double error = ulps(function(x), reference(x), digits, least);                                 \
			if (error > worst) {                                                                           \
				worst = error;                                                                         \
				at = (double)x;                                                                        \
			}                                                                                              \
		}                                                                                                      \
		judge(#function, worst, bound, at, 0);                                                                 \
	} while (0);

#define TEST2(type, name, function, reference, low, high, low2, high2, bound, digits, least)                           \
	do {                                                                                                           \
		double worst = -1, at = 0, at2 = 0;                                                                    \
		for (int i = 0; i < SAMPLES + SPECIALS * SPECIALS; i++) {                                              \
			int k = i - SAMPLES;                                                                           \
			type x = (type)(k < 0 ? sample(low, high) : special[k / SPECIALS]);                            \
			type y = (type)(k < 0 ? sample(low2, high2) : special[k % SPECIALS]);                          \
			double error = ulps(function(x, y), reference(x, y), digits, least);                           \
			if (error > worst) {                                                                           \
				worst = error;                                                                         \
				at = (double)x;                                                                        \
				at2 = (double)y;                                                                       \
			}                                                                                              \
		}                                                                                                      \
		judge(#function, worst, bound, at, at2);                                                               \
	} while (0);

#define F1_TEST(name, low, high, bound)  TEST1(float, name, __nv_##name##f, name, low, high, bound, 24, -149)
#define D1_TEST(name, low, high, bound)  TEST1(double, name, __nv_##name, name##l, low, high, bound, 53, -1074)
#define F2_TEST(name, a, b, c, d, bound) TEST2(float, name, __nv_##name##f, name, a, b, c, d, bound, 24, -149)
#define D2_TEST(name, a, b, c, d, bound) TEST2(double, name, __nv_##name, name##l, a, b, c, d, bound, 53, -1074)

static void test_float(void **state)
{
	(void)state;
	FLOAT1(F1_TEST)
	FLOAT2(F2_TEST)
}

static void test_double(void **state)
{
	(void)state;
	DOUBLE1(D1_TEST)
	DOUBLE2(D2_TEST)
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_float),
		cmocka_unit_test(test_double),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
