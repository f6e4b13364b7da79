#include "functions.h"
#include "reference.h"

#include <math.h>
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

float __nv_fast_sinf(float), __nv_fast_cosf(float), __nv_fast_tanf(float);
float __nv_fast_expf(float), __nv_fast_exp10f(float), __nv_fast_powf(float, float);
float __nv_fast_logf(float), __nv_fast_log2f(float), __nv_fast_log10f(float);

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

/* Bessel functions of one order. */
#define ORDER(name, n)                                                                                                 \
	static float name##n##_single(float x)                                                                         \
	{                                                                                                              \
		return __nv_##name##f(n, x);                                                                           \
	}                                                                                                              \
	static double name##n##_dual(double x)                                                                         \
	{                                                                                                              \
		return __nv_##name(n, x);                                                                              \
	}
ORDER(jn, 2)
ORDER(jn, 7)
ORDER(jn, 128)
ORDER(yn, 2)
ORDER(yn, 7)

#define OF(name, true_value)  .single = __nv_##name##f, .dual = __nv_##name, .reference = true_value
#define OF2(name, true_value) .single2 = __nv_##name##f, .dual2 = __nv_##name, .reference2 = true_value
#define OURS(one, two)        .single_bound = one, .dual_bound = two
#define CUDA(one, two)        .cuda_single = one, .cuda_dual = two
#define M(name)               #name, NULL, OF(name, mpfr_##name)
#define M2(name)              #name, NULL, OF2(name, mpfr_##name)
#define OWN(name)             #name, NULL, OF(name, reference_##name)
#define OWN2(name)            #name, NULL, OF2(name, reference_##name)
#define N_TH(name)            .single = name##_single, .dual = name##_dual, .reference = reference_##name
#define FAST(name, part)      "__" #name "f", part, .single = __nv_fast_##name##f, .reference = mpfr_##name
#define IN                    .ranges =

const struct function functions[] = {
	{M(sin), OURS(2, 2), CUDA(2, 1), IN{{-8, 8}, {-1e5, 1e5}, {-3e38, 3e38}, {-1e300, 1e300}}},
	{M(cos), OURS(2, 2), CUDA(2, 1), IN{{-8, 8}, {-1e9, 1e9}, {-1e300, 1e300}}},
	{M(tan), OURS(3, 3), CUDA(4, 2), IN{{-8, 8}, {-1e7, 1e7}, {-1e12, 1e12}}},
	{M(sinpi), OURS(1, 1), CUDA(2, 1), IN{{-2, 2}, {-1e3, 1e3}, {-1e9, 1e9}}},
	{M(cospi), OURS(1, 1), CUDA(2, 1), IN{{-2, 2}, {-1e3, 1e3}, {-1e9, 1e9}}},
	{M(asin), OURS(2.5, 2), CUDA(4, 2), IN{{-1, 1}}},
	{M(acos), OURS(1.5, 1.5), CUDA(3, 1), IN{{-1, 1}}},
	{M(atan), OURS(2, 2), CUDA(2, 2), IN{{-20, 20}}},
	{M2(atan2), OURS(3, 2), CUDA(3, 2), IN{{-4, 4}}, .second = {-4, 4}},
	{M(sinh), OURS(2, 2.5), CUDA(3, 1), IN{{-1, 1}, {-89, 89}, {-710, 710}}},
	{M(cosh), OURS(1.5, 1.5), CUDA(2, 1), IN{{-89, 89}, {-710, 710}}},
	{M(tanh), OURS(2, 2.5), CUDA(2, 1), IN{{-.6, .6}, {-1, 1}, {-20, 20}}},
	{M(asinh), OURS(2, 2), CUDA(3, 2), IN{{-1, 1}, {-50, 50}, {-1e300, 1e300}}},
	{M(acosh), OURS(2, 2), CUDA(4, 2), IN{{1, 1.5}, {1, 100}, {1, 1e300}}},
	{M(atanh), OURS(2, 2), CUDA(3, 2), IN{{-1, 1}}},
	{M(exp), OURS(1, 1), CUDA(2, 1), IN{{-1, 1}, {-104, 89}, {-745, 709}}},
	{M(exp2), OURS(1, 1), CUDA(2, 1), IN{{-1, 1}, {-150, 128}, {-1074, 1024}}},
	{M(exp10), OURS(1, 1.5), CUDA(2, 1), IN{{-1, 1}, {-45, 38.5}, {-320, 308}}},
	{M(expm1), OURS(2, 2), CUDA(1, 1), IN{{-1, 1}, {-17, 89}, {-36, 709}}},
	{M(log), OURS(1, 1), CUDA(1, 1), IN{{0.9, 1.1}, {0, 4}, {0, 1e308}}},
	{M(log2), OURS(1.5, 1), CUDA(1, 1), IN{{0.9, 1.1}, {0, 4}, {0, 1e308}}},
	{M(log10), OURS(1.5, 1), CUDA(2, 1), IN{{0.9, 1.1}, {0, 4}, {0, 1e308}}},
	{M(log1p), OURS(1, 1), CUDA(1, 1), IN{{-1e-3, 1e-3}, {-1, 4}, {-1, 1e30}}},
	{M2(pow), OURS(4.5, 2), CUDA(8, 2), IN{{0, 4}, {0.99, 1.01}, {0, 1e38}}, .second = {-500, 500}},
	{M(cbrt), OURS(0.6, 0.6), CUDA(1, 1), IN{{-1e3, 1e3}, {-1e-38, 1e-38}, {-1e-308, 1e-308}}},
	{OWN(rcbrt), OURS(2, 2), CUDA(1, 1), IN{{-1e3, 1e3}, {-1e-38, 1e-38}, {-1e-308, 1e-308}}},
	{M2(hypot), OURS(2, 2), CUDA(3, 2), IN{{-4, 4}, {-1e308, 1e308}, {-1e-39, 1e-39}}, .second = {-3, 3}},
	{OWN2(rhypot), OURS(2, 2), CUDA(2, 1),
         IN{{-4, 4}, {-1e308, 1e308}, {-1e-39, 1e-39}}, .second = {-3, 3}},
	{"norm3d", "of (x, y, -y)", .single2 = norm3_single, .dual2 = norm3_dual, .reference2 = reference_norm3, OURS(2.5, 2),
         CUDA(3, 2), IN{{-4, 4}}, .second = {-3, 3}},
	{"norm4d", "of (x, y, -y, x)", .single2 = norm4_single, .dual2 = norm4_dual, .reference2 = reference_norm4,
         OURS(2.5, 2.5), CUDA(3, 2), IN{{-4, 4}}, .second = {-3, 3}},
	{"rnorm3d", "of (x, y, -y)", .single2 = norm3_single_reciprocal, .dual2 = norm3_dual_reciprocal,
         .reference2 = reference_rnorm3, OURS(2, 2), CUDA(2, 1), IN{{-4, 4}}, .second = {-3, 3}},
	{"rnorm4d", "of (x, y, -y, x)", .single2 = norm4_single_reciprocal, .dual2 = norm4_dual_reciprocal,
         .reference2 = reference_rnorm4, OURS(2, 2), CUDA(2, 1), IN{{-4, 4}}, .second = {-3, 3}},
	{M(erf), OURS(1.5, 1.5), CUDA(2, 2), IN{{-1, 1}, {-6, 6}}},
	{M(erfc), OURS(6, 6), CUDA(4, 4), IN{{-4, 4}, {4, 10}, {4, 26}}},
	{OWN(erfcx), OURS(1, 6), CUDA(4, 3), IN{{-9, 9}, {-26, 40}, {0, 1e300}}},
	{OWN(erfinv), OURS(3, 4.5), CUDA(2, 5), IN{{-1, 1}, {-.5, .5}, {.99, 1}}},
	{OWN(erfcinv), OURS(4, 5), CUDA(2, 6), IN{{0, 2}, {0, 1e-3}, {0, 1e-30}, {0, 1e-300}}},
	{OWN(normcdf), OURS(1, 6), CUDA(5, 5), IN{{-4, 4}, {-14, 0}, {-38, 0}}},
	{OWN(normcdfinv), OURS(5, 6), CUDA(5, 7), IN{{0, 1}, {0, 1e-3}, {0, 1e-30}, {0, 1e-300}}},
	{"tgamma", NULL, OF(tgamma, mpfr_gamma), OURS(1, 8), CUDA(11, 8), IN{{-8, 8}, {8, 172}, {-185, -8}, {0, 1e-300}}},
	{"lgamma", "outside -11 .. -2.26", OF(lgamma, reference_lgamma), OURS(1, 4), CUDA(6, 4),
         IN{{-2.2637, 3}, {0, 20}, {0, 1e300}, {-1e3, -11.0001}}},
	{"lgamma", "-11 .. -2.26, absolute", OF(lgamma, reference_lgamma), OURS(1e-6, 1e-14), CUDA(NAN, NAN), .absolute = true,
         IN{{-11.0001, -2.2637}}},
	{"j0", "below 8", OF(j0, mpfr_j0), OURS(1, 7), CUDA(9, 7), IN{{-8, 8}, {2.3, 2.5}, {5.4, 5.6}}},
	{"j1", "below 8", OF(j1, mpfr_j1), OURS(1, 4), CUDA(9, 7), IN{{-8, 8}, {3.7, 3.9}, {6.9, 7.1}}},
	{"y0", "below 8", OF(y0, mpfr_y0), OURS(1, 5), CUDA(9, 7), IN{{0, 8}, {0.8, 1}, {3.9, 4}, {7, 7.2}}},
	{"y1", "below 8", OF(y1, mpfr_y1), OURS(1, 5), CUDA(9, 7), IN{{0, 8}, {2.1, 2.3}, {5.3, 5.5}}},
	{"j0", "from 8, absolute", OF(j0, mpfr_j0), OURS(1e-7, 1e-15), CUDA(2.2e-6, 5e-12), .absolute = true,
         IN{{8, 100}, {8, 1e9}}},
	{"j1", "from 8, absolute", OF(j1, mpfr_j1), OURS(1e-7, 1e-15), CUDA(2.2e-6, 5e-12), .absolute = true,
         IN{{8, 100}, {-1e9, -8}}},
	{"y0", "from 8, absolute", OF(y0, mpfr_y0), OURS(1e-7, 1e-15), CUDA(2.2e-6, 5e-12), .absolute = true,
         IN{{8, 100}, {8, 1e9}}},
	{"y1", "from 8, absolute", OF(y1, mpfr_y1), OURS(1e-7, 1e-15), CUDA(2.2e-6, 5e-12), .absolute = true,
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
	{M2(fmod), OURS(0, 0), CUDA(0, 0), IN{{-1e3, 1e3}, {-3e38, 3e38}, {-1e300, 1e300}}, .second = {-4, 4}},
	{M2(remainder), OURS(0, 0), CUDA(0, 0), IN{{-1e3, 1e3}, {-1e30, 1e30}}, .second = {-4, 4}},
	{"fdim", NULL, OF2(fdim, mpfr_dim), OURS(0.5, 0.5), CUDA(0, 0), IN{{-4, 4}}, .second = {-4, 4}},
	{OWN2(copysign), OURS(0, 0), CUDA(0, 0), IN{{-4, 4}}, .second = {-4, 4}},
	{OWN(logb), OURS(0, 0), CUDA(0, 0), IN{{0, 1e-38}, {0, 1e-308}}},
	{"round", NULL, OF(round, mpfr_rint_round), OURS(0, 0), CUDA(0, 0), IN{{-10, 10}}},
	{M(rint), OURS(0, 0), CUDA(0, 0), IN{{-10, 10}}},
	{"trunc", NULL, OF(trunc, mpfr_rint_trunc), OURS(0, 0), CUDA(0, 0), IN{{-10, 10}}},
	/* CUDA documents an absolute error of the sine near 0 and of the logarithms near 1. It documents 2 +
	 * floor(1.173 |x|) and 2 + floor(2.97 |x|) for the exponentials; here, their values at the ends of the
	 * range. */
	{FAST(sin, "-pi .. pi, absolute"), OURS(6e-8, NAN), CUDA(0x1.7fp-22, NAN), .absolute = true, IN{{-3.1415926, 3.1415926}}},
	{FAST(cos, "-pi .. pi, absolute"), OURS(6e-8, NAN), CUDA(0x1.bep-22, NAN), .absolute = true, IN{{-3.1415926, 3.1415926}}},
	{FAST(tan, "-1.5 .. 1.5"), OURS(2, NAN), CUDA(NAN, NAN), IN{{-1.5, 1.5}}},
	{FAST(exp, "-1 .. 1"), OURS(2, NAN), CUDA(3, NAN), IN{{-1, 1}}},
	{FAST(exp, "-87 .. 88"), OURS(90, NAN), CUDA(105, NAN), IN{{-87, 88}}},
	{FAST(exp10, "-1 .. 1"), OURS(3, NAN), CUDA(4, NAN), IN{{-1, 1}}},
	{FAST(exp10, "-37 .. 38"), OURS(90, NAN), CUDA(114, NAN), IN{{-37, 38}}},
	{FAST(log, "0.5 .. 2, absolute"), OURS(1e-7, NAN), CUDA(0x1.81p-22, NAN), .absolute = true, IN{{.5, 2}, {.99, 1.01}}},
	{FAST(log, "elsewhere"), OURS(2, NAN), CUDA(3, NAN), IN{{0, .5}, {2, 100}, {2, 3e38}}},
	{FAST(log2, "0.5 .. 2, absolute"), OURS(1e-7, NAN), CUDA(0x1p-22, NAN), .absolute = true, IN{{.5, 2}, {.99, 1.01}}},
	{FAST(log2, "elsewhere"), OURS(1, NAN), CUDA(2, NAN), IN{{0, .5}, {2, 100}, {2, 3e38}}},
	{FAST(log10, "0.5 .. 2, absolute"), OURS(1e-7, NAN), CUDA(0x1p-24, NAN), .absolute = true, IN{{.5, 2}, {.99, 1.01}}},
	{FAST(log10, "elsewhere"), OURS(2, NAN), CUDA(3, NAN), IN{{0, .5}, {2, 100}, {2, 3e38}}},
	{"__powf", "0.5 .. 4 to the -50 .. 50", .single2 = __nv_fast_powf, .reference2 = mpfr_pow, OURS(100, NAN),
	 CUDA(NAN, NAN), IN{{0.5, 4}}, .second = {-50, 50}},
	{0},
};
