#include "functions.h"

#include <stddef.h>

#define DECLARE1(name)                                                                                                 \
	float __nv_##name##f(float);                                                                                   \
	double __nv_##name(double);
#define DECLARE2(name)                                                                                                 \
	float __nv_##name##f(float, float);                                                                            \
	double __nv_##name(double, double);
#define FUNCTIONS1(X)                                                                                                  \
	X(sin) X(cos) X(tan) X(sinpi) X(cospi) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh)       \
	X(atanh) X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(logb) X(cbrt) X(rcbrt)    \
	X(erf) X(erfc) X(erfcx) X(erfinv) X(erfcinv) X(normcdf) X(normcdfinv) X(tgamma) X(lgamma) X(j0) X(j1) X(y0)    \
	X(y1) X(cyl_bessel_i0) X(cyl_bessel_i1) X(round) X(rint) X(trunc)
#define FUNCTIONS2(X)                                                                                                  \
	X(pow) X(atan2) X(hypot) X(rhypot) X(fmod) X(remainder) X(fdim) X(copysign)
FUNCTIONS1(DECLARE1)
FUNCTIONS2(DECLARE2)
float __nv_norm3df(float, float, float), __nv_norm4df(float, float, float, float);
float __nv_rnorm3df(float, float, float), __nv_rnorm4df(float, float, float, float);
double __nv_norm3d(double, double, double), __nv_norm4d(double, double, double, double);
double __nv_rnorm3d(double, double, double), __nv_rnorm4d(double, double, double, double);
float __nv_jnf(int, float), __nv_ynf(int, float);
double __nv_jn(int, double), __nv_yn(int, double);

/* References that the C library lacks. */
static const wide pi = (wide)0x1.921fb54442d18p+1 + 0x1.1a62633145c07p-53;
static const wide two_over_root_pi = (wide)0x1.20dd750429b6dp+0 + 0x1.1ae3a914fed80p-56;
static const wide root_two = (wide)0x1.6a09e667f3bcdp+0 - 0x1.bdd3413b26456p-54;

static wide sinpi_wide(wide x)
{
	wide r = remainderf128(x, 2);
	return r == 0 || fabsf128(r) == 1 ? copysignf128(0, x) : sinf128(pi * r);
}

static wide cospi_wide(wide x)
{
	wide r = fabsf128(remainderf128(x, 2));
	return r == 0.5 ? 0 : cosf128(pi * r);
}

static wide rcbrt_wide(wide x)
{
	return 1 / cbrtf128(x);
}

static wide erfcx_wide(wide x)
{
	if (x > 100) /* the asymptotic series */
		return two_over_root_pi / 2 / x * (1 - 0.5 / (x * x) + 0.75 / (x * x) / (x * x));
	return expf128(x * x) * erfcf128(x);
}

/* Newton's method on log erfc, started by the function itself. */
static wide erfcinv_wide(wide q)
{
	if (q == 0 || q == 2)
		return q == 0 ? INFINITY : -INFINITY;
	if (!(q > 0 && q < 2))
		return NAN;
	if (q > 1)
		return -erfcinv_wide(2 - q);
	wide x = __nv_erfcinv((double)q);
	for (int i = 0; i < 3; i++) {
		wide e = erfcf128(x);
		x += logf128(e / q) * e / (two_over_root_pi * expf128(-x * x));
	}
	return x;
}

static wide erfinv_wide(wide y)
{
	if (fabsf128(y) > 0.5)
		return y > 0 ? erfcinv_wide(1 - y) : -erfcinv_wide(1 + y);
	if (y == 0)
		return y;
	wide x = __nv_erfinv((double)y);
	for (int i = 0; i < 3; i++)
		x += (y - erff128(x)) / (two_over_root_pi * expf128(-x * x));
	return x;
}

static wide normcdf_wide(wide x)
{
	return erfcf128(-x / root_two) / 2;
}

static wide normcdfinv_wide(wide p)
{
	return -root_two * erfcinv_wide(2 * p);
}

/* The power series of a modified Bessel function of order n. */
static wide bessel_i(int n, wide x)
{
	if (fabsf128(x) > 2000)
		return n ? copysignf128(INFINITY, x) : INFINITY;
	wide term = n ? x / 2 : 1, sum = term;
	for (int k = 1; fabsf128(term) > fabsf128(sum) * 0x1p-120; k++) {
		term *= x * x / 4 / k / (k + n);
		sum += term;
	}
	return sum;
}

static wide cyl_bessel_i0_wide(wide x)
{
	return x != x ? x : bessel_i(0, x);
}

static wide cyl_bessel_i1_wide(wide x)
{
	return x != x || x == 0 ? x : bessel_i(1, x);
}

static wide rhypot_wide(wide x, wide y)
{
	return 1 / hypotf128(x, y);
}

/* Norms of (x, y, -y) and (x, y, -y, x). */
#define NORM(type, suffix, name3, name4)                                                                               \
	static type norm3_##suffix(type x, type y)                                                                     \
	{                                                                                                              \
		return name3(x, y, -y);                                                                                \
	}                                                                                                              \
	static type norm4_##suffix(type x, type y)                                                                     \
	{                                                                                                              \
		return name4(x, y, -y, x);                                                                             \
	}
NORM(float, single, __nv_norm3df, __nv_norm4df)
NORM(double, dual, __nv_norm3d, __nv_norm4d)
NORM(float, single_reciprocal, __nv_rnorm3df, __nv_rnorm4df)
NORM(double, dual_reciprocal, __nv_rnorm3d, __nv_rnorm4d)

static wide norm3_wide(wide x, wide y)
{
	return hypotf128(x, root_two * y);
}

static wide norm4_wide(wide x, wide y)
{
	return root_two * hypotf128(x, y);
}

static wide norm3_reciprocal_wide(wide x, wide y)
{
	return 1 / norm3_wide(x, y);
}

static wide norm4_reciprocal_wide(wide x, wide y)
{
	return 1 / norm4_wide(x, y);
}

/* Bessel functions of one order. */
#define ORDER(name, n)                                                                                                 \
	static float name##n##_single(float x)                                                                         \
	{                                                                                                              \
		return __nv_##name##f(n, x);                                                                           \
	}                                                                                                              \
	static double name##n##_dual(double x)                                                                         \
	{                                                                                                              \
		return __nv_##name(n, x);                                                                              \
	}                                                                                                              \
	static wide name##n##_wide(wide x)                                                                             \
	{                                                                                                              \
		return name##f128(n, x);                                                                               \
	}
ORDER(jn, 2)
ORDER(jn, 7)
ORDER(jn, 128)
ORDER(yn, 2)
ORDER(yn, 7)

#define OF(name, wide_name)  .single = __nv_##name##f, .dual = __nv_##name, .reference = wide_name
#define OF2(name, wide_name) .single2 = __nv_##name##f, .dual2 = __nv_##name, .reference2 = wide_name
#define OURS(one, two)       .single_bound = one, .dual_bound = two
#define CUDA(one, two)       .cuda_single = one, .cuda_dual = two
#define C(name)              #name, NULL, OF(name, name##f128)
#define OWN(name)            #name, NULL, OF(name, name##_wide)
#define C2(name)             #name, NULL, OF2(name, name##f128)
#define N_TH(name)           .single = name##_single, .dual = name##_dual, .reference = name##_wide
#define IN                   .ranges =

const struct function functions[] = {
	{C(sin), OURS(2, 2), CUDA(2, 1), IN{{-8, 8}, {-1e5, 1e5}, {-3e38, 3e38}, {-1e300, 1e300}}},
	{C(cos), OURS(2, 2), CUDA(2, 1), IN{{-8, 8}, {-1e9, 1e9}, {-1e300, 1e300}}},
	{C(tan), OURS(3, 3), CUDA(4, 2), IN{{-8, 8}, {-1e7, 1e7}, {-1e12, 1e12}}},
	{OWN(sinpi), OURS(1, 1), CUDA(2, 1), IN{{-2, 2}, {-1e3, 1e3}, {-1e9, 1e9}}},
	{OWN(cospi), OURS(1, 1), CUDA(2, 1), IN{{-2, 2}, {-1e3, 1e3}, {-1e9, 1e9}}},
	{C(asin), OURS(2.5, 2), CUDA(4, 2), IN{{-1, 1}}},
	{C(acos), OURS(1.5, 1.5), CUDA(3, 1), IN{{-1, 1}}},
	{C(atan), OURS(2, 2), CUDA(2, 2), IN{{-20, 20}}},
	{C2(atan2), OURS(3, 2), CUDA(3, 2), IN{{-4, 4}}, .second = {-4, 4}},
	{C(sinh), OURS(2, 2.5), CUDA(3, 1), IN{{-1, 1}, {-89, 89}, {-710, 710}}},
	{C(cosh), OURS(1.5, 1.5), CUDA(2, 1), IN{{-89, 89}, {-710, 710}}},
	{C(tanh), OURS(2, 2.5), CUDA(2, 1), IN{{-.6, .6}, {-1, 1}, {-20, 20}}},
	{C(asinh), OURS(2, 2), CUDA(3, 2), IN{{-1, 1}, {-50, 50}, {-1e300, 1e300}}},
	{C(acosh), OURS(2, 2), CUDA(4, 2), IN{{1, 1.5}, {1, 100}, {1, 1e300}}},
	{C(atanh), OURS(2, 2), CUDA(3, 2), IN{{-1, 1}}},
	{C(exp), OURS(1, 1), CUDA(2, 1), IN{{-1, 1}, {-104, 89}, {-745, 709}}},
	{C(exp2), OURS(1, 1), CUDA(2, 1), IN{{-1, 1}, {-150, 128}, {-1074, 1024}}},
	{C(exp10), OURS(1, 1.5), CUDA(2, 1), IN{{-1, 1}, {-45, 38.5}, {-320, 308}}},
	{C(expm1), OURS(2, 2), CUDA(1, 1), IN{{-1, 1}, {-17, 89}, {-36, 709}}},
	{C(log), OURS(1, 1), CUDA(1, 1), IN{{0.9, 1.1}, {0, 4}, {0, 1e308}}},
	{C(log2), OURS(1.5, 1), CUDA(1, 1), IN{{0.9, 1.1}, {0, 4}, {0, 1e308}}},
	{C(log10), OURS(1.5, 1), CUDA(2, 1), IN{{0.9, 1.1}, {0, 4}, {0, 1e308}}},
	{C(log1p), OURS(1, 1), CUDA(1, 1), IN{{-1e-3, 1e-3}, {-1, 4}, {-1, 1e30}}},
	{C2(pow), OURS(4.5, 2), CUDA(8, 2), IN{{0, 4}, {0.99, 1.01}, {0, 1e38}}, .second = {-500, 500}},
	{C(cbrt), OURS(0.6, 0.6), CUDA(1, 1), IN{{-1e3, 1e3}, {-1e-38, 1e-38}, {-1e-308, 1e-308}}},
	{OWN(rcbrt), OURS(2, 2), CUDA(1, 1), IN{{-1e3, 1e3}, {-1e-38, 1e-38}, {-1e-308, 1e-308}}},
	{C2(hypot), OURS(2, 2), CUDA(3, 2), IN{{-4, 4}, {-1e308, 1e308}, {-1e-39, 1e-39}}, .second = {-3, 3}},
	{"rhypot", NULL, OF2(rhypot, rhypot_wide), OURS(2, 2), CUDA(2, 1),
         IN{{-4, 4}, {-1e308, 1e308}, {-1e-39, 1e-39}}, .second = {-3, 3}},
	{"norm3d", "of (x, y, -y)", .single2 = norm3_single, .dual2 = norm3_dual, .reference2 = norm3_wide, OURS(2.5, 2),
         CUDA(3, 2), IN{{-4, 4}}, .second = {-3, 3}},
	{"norm4d", "of (x, y, -y, x)", .single2 = norm4_single, .dual2 = norm4_dual, .reference2 = norm4_wide,
         OURS(2.5, 2.5), CUDA(3, 2), IN{{-4, 4}}, .second = {-3, 3}},
	{"rnorm3d", "of (x, y, -y)", .single2 = norm3_single_reciprocal, .dual2 = norm3_dual_reciprocal,
         .reference2 = norm3_reciprocal_wide, OURS(2, 2), CUDA(2, 1), IN{{-4, 4}}, .second = {-3, 3}},
	{"rnorm4d", "of (x, y, -y, x)", .single2 = norm4_single_reciprocal, .dual2 = norm4_dual_reciprocal,
         .reference2 = norm4_reciprocal_wide, OURS(2, 2), CUDA(2, 1), IN{{-4, 4}}, .second = {-3, 3}},
	{C(erf), OURS(1.5, 1.5), CUDA(2, 2), IN{{-1, 1}, {-6, 6}}},
	{C(erfc), OURS(6, 6), CUDA(4, 4), IN{{-4, 4}, {4, 10}, {4, 26}}},
	{OWN(erfcx), OURS(1, 6), CUDA(4, 3), IN{{-9, 9}, {-26, 40}, {0, 1e300}}},
	{OWN(erfinv), OURS(3, 4.5), CUDA(2, 5), IN{{-1, 1}, {-.5, .5}, {.99, 1}}},
	{OWN(erfcinv), OURS(4, 5), CUDA(2, 6), IN{{0, 2}, {0, 1e-3}, {0, 1e-30}, {0, 1e-300}}},
	{OWN(normcdf), OURS(1, 6), CUDA(5, 5), IN{{-4, 4}, {-14, 0}, {-38, 0}}},
	{OWN(normcdfinv), OURS(5, 6), CUDA(5, 7), IN{{0, 1}, {0, 1e-3}, {0, 1e-30}, {0, 1e-300}}},
	{C(tgamma), OURS(1, 8), CUDA(11, 8), IN{{-8, 8}, {8, 172}, {-185, -8}, {0, 1e-300}}},
	{"lgamma", "outside -11 .. -2.26", OF(lgamma, lgammaf128), OURS(1, 4), CUDA(6, 4),
         IN{{-2.2637, 3}, {0, 20}, {0, 1e300}, {-1e3, -11.0001}}},
	{"lgamma", "-11 .. -2.26, absolute", OF(lgamma, lgammaf128), OURS(1e-6, 1e-14), CUDA(NAN, NAN), .absolute = true,
         IN{{-11.0001, -2.2637}}},
	{"j0", "below 8", OF(j0, j0f128), OURS(1, 7), CUDA(9, 7), IN{{-8, 8}, {2.3, 2.5}, {5.4, 5.6}}},
	{"j1", "below 8", OF(j1, j1f128), OURS(1, 4), CUDA(9, 7), IN{{-8, 8}, {3.7, 3.9}, {6.9, 7.1}}},
	{"y0", "below 8", OF(y0, y0f128), OURS(1, 5), CUDA(9, 7), IN{{0, 8}, {0.8, 1}, {3.9, 4}, {7, 7.2}}},
	{"y1", "below 8", OF(y1, y1f128), OURS(1, 5), CUDA(9, 7), IN{{0, 8}, {2.1, 2.3}, {5.3, 5.5}}},
	{"j0", "from 8, absolute", OF(j0, j0f128), OURS(1e-7, 1e-15), CUDA(2.2e-6, 5e-12), .absolute = true,
         IN{{8, 100}, {8, 1e9}}},
	{"j1", "from 8, absolute", OF(j1, j1f128), OURS(1e-7, 1e-15), CUDA(2.2e-6, 5e-12), .absolute = true,
         IN{{8, 100}, {-1e9, -8}}},
	{"y0", "from 8, absolute", OF(y0, y0f128), OURS(1e-7, 1e-15), CUDA(2.2e-6, 5e-12), .absolute = true,
         IN{{8, 100}, {8, 1e9}}},
	{"y1", "from 8, absolute", OF(y1, y1f128), OURS(1e-7, 1e-15), CUDA(2.2e-6, 5e-12), .absolute = true,
         IN{{8, 100}, {8, 1e9}}},
	{"jn", "n = 2, absolute", N_TH(jn2), OURS(1e-7, 1e-15), CUDA(NAN, NAN), .absolute = true, IN{{-4, 4}, {4, 50}}},
	{"jn", "n = 7, absolute", N_TH(jn7), OURS(1e-7, 1e-15), CUDA(NAN, NAN), .absolute = true, IN{{-9, 9}, {5, 50}}},
	{"jn", "n = 128, absolute", N_TH(jn128), OURS(2.2e-6, 5e-12), CUDA(2.2e-6, 5e-12), .absolute = true,
         IN{{0, 128}, {128, 500}}},
	{"yn", "n = 2, from 4, absolute", N_TH(yn2), OURS(2.2e-6, 5e-12), CUDA(2.2e-6, 5e-12), .absolute = true,
         IN{{4, 50}}},
	{"yn", "n = 7, from 11, absolute", N_TH(yn7), OURS(2.2e-6, 5e-12), CUDA(2.2e-6, 5e-12), .absolute = true,
         IN{{11, 50}}},
	{OWN(cyl_bessel_i0), OURS(1, 4), CUDA(6, 6), IN{{-9, 9}, {-92, 92}, {-714, 714}}},
	{OWN(cyl_bessel_i1), OURS(1, 4), CUDA(6, 6), IN{{-9, 9}, {-92, 92}, {-714, 714}}},
	{C2(fmod), OURS(0, 0), CUDA(0, 0), IN{{-1e3, 1e3}, {-3e38, 3e38}, {-1e300, 1e300}}, .second = {-4, 4}},
	{C2(remainder), OURS(0, 0), CUDA(0, 0), IN{{-1e3, 1e3}, {-1e30, 1e30}}, .second = {-4, 4}},
	{C2(fdim), OURS(0.5, 0.5), CUDA(0, 0), IN{{-4, 4}}, .second = {-4, 4}},
	{C2(copysign), OURS(0, 0), CUDA(0, 0), IN{{-4, 4}}, .second = {-4, 4}},
	{C(logb), OURS(0, 0), CUDA(0, 0), IN{{0, 1e-38}, {0, 1e-308}}},
	{C(round), OURS(0, 0), CUDA(0, 0), IN{{-10, 10}}},
	{C(rint), OURS(0, 0), CUDA(0, 0), IN{{-10, 10}}},
	{C(trunc), OURS(0, 0), CUDA(0, 0), IN{{-10, 10}}},
	{0},
};
