// Protects the compiled device math library, through PTX and the simulated units, against the host's library.
// Every function that test_libdevice measures with many values runs here with a few.
#include "check.h"
#include <cmath>
#include <vector>

#define UNARY(X)                                                                                                       \
	X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(exp) X(exp2)  \
	X(expm1) X(log) X(log2) X(log10) X(log1p) X(sqrt) X(cbrt) X(erf) X(erfc) X(floor) X(ceil) X(trunc) X(round)    \
	X(rint) X(fabs) X(logb)
#define BINARY(X) X(pow) X(atan2) X(hypot) X(fmod) X(remainder) X(fmin) X(fmax) X(copysign) X(fdim)

template <class T> struct tolerance;
template <> struct tolerance<float> {
	static double bound()
	{
		return 6 * 0x1p-24;
	}
};
template <> struct tolerance<double> {
	static double bound()
	{
		return 6 * 0x1p-53;
	}
};

template <class T> static void compare(const char *name, T x, T y, T got, T want)
{
	bool same = (std::isnan(got) && std::isnan(want)) || got == want ||
	            std::fabs((double)got - (double)want) <= tolerance<T>::bound() * std::fabs((double)want);
	if (!same) {
		fprintf(stderr, "%s(%.17g, %.17g) of %zu bytes: %.17g, expected %.17g\n", name, (double)x, (double)y,
		        sizeof x, (double)got, (double)want);
		failures++;
	}
}

#define UNARY_TEST(name)                                                                                               \
	template <class T> __global__ void kernel_##name(const T *x, T *out)                                           \
	{                                                                                                              \
		out[threadIdx.x] = std::name(x[threadIdx.x]);                                                          \
	}                                                                                                              \
	template <class T> static void test_##name(const std::vector<T> &x, const T *device, T *out)                   \
	{                                                                                                              \
		std::vector<T> got(x.size());                                                                          \
		kernel_##name<<<1, (unsigned)x.size()>>>(device, out);                                                 \
		SUCCEEDS(cudaMemcpy(got.data(), out, x.size() * sizeof(T), cudaMemcpyDeviceToHost));                   \
		for (size_t i = 0; i < x.size(); i++)                                                                  \
			compare<T>(#name, x[i], 0, got[i], std::name(x[i]));                                           \
	}
UNARY(UNARY_TEST)

#define BINARY_TEST(name)                                                                                              \
	template <class T> __global__ void kernel_##name(const T *x, T *out)                                           \
	{                                                                                                              \
		out[threadIdx.x] = std::name(x[threadIdx.x], x[(threadIdx.x * 7 + 3) % blockDim.x]);                   \
	}                                                                                                              \
	template <class T> static void test_##name(const std::vector<T> &x, const T *device, T *out)                   \
	{                                                                                                              \
		std::vector<T> got(x.size());                                                                          \
		kernel_##name<<<1, (unsigned)x.size()>>>(device, out);                                                 \
		SUCCEEDS(cudaMemcpy(got.data(), out, x.size() * sizeof(T), cudaMemcpyDeviceToHost));                   \
		for (size_t i = 0; i < x.size(); i++) {                                                                \
			T y = x[(i * 7 + 3) % x.size()];                                                               \
			compare<T>(#name, x[i], y, got[i], std::name(x[i], y));                                        \
		}                                                                                                      \
	}
BINARY(BINARY_TEST)

enum { RELATIONS = 27 };

// Functions without a host counterpart: results are checked by identities.
__global__ void others(float *out, float x, double d)
{
	int exponent;
	float whole, s, c;
	double ds, dc;
	out[0] = __sinf(x) - sinf(x);
	out[1] = __expf(x) / expf(x) - 1;
	out[2] = __fdividef(x, 3) - x / 3;
	out[3] = rsqrtf(x) * sqrtf(x) - 1;
	out[4] = frexpf(x, &exponent) * exp2f((float)exponent) - x;
	out[5] = modff(x, &whole) + whole - x;
	sincosf(x, &s, &c);
	out[6] = s * s + c * c - 1;
	sincos(d, &ds, &dc);
	out[7] = (float)(ds / dc - tan(d));
	out[8] = ldexpf(x, 3) - 8 * x + scalbnf(x, -1) - x / 2;
	out[9] = (float)(llround(2.5) - 3 + lrintf(2.5f) - 2 + ilogb(d) - 1);
	out[10] = isnan(x - x) + isinf(x / 0.0f) - 1.0f + isfinite(x) - 1.0f + signbit(-x) - 1.0f;
	out[11] = exp10f(1) - 10 + powf(x, 2) - x * x;
	out[12] = sinpif(0.5f) - 1 + cospif(1) + 1 + normcdff(0) - 0.5f;
	out[13] = (float)(rsqrt(d) * sqrt(d) - 1 + norm3d(1, 2, 2) - 3);
	out[14] = fmaf(x, x, -x * x) + nextafterf(1, 2) - 1 - 0x1p-23f;
	out[15] = tgammaf(5) - 24 + (float)tgamma(-0.5) + 3.5449077f;
	out[16] = lgammaf(10) - 12.8018275f + (float)lgamma(d) - 0.1248717f;
	out[17] = erfinvf(erff(x)) - x + (float)(erfcinv(erfc(d)) - d);
	out[18] = normcdfinvf(normcdff(-x)) + x + (float)(normcdfinv(normcdf(-d)) + d);
	out[19] = j0f(2.4048256f) + (float)j1(3.8317059702075125) + j0f(20) - 0.16702466f;
	out[20] = y0f(x) - 0.4654926f + (float)y1(d) - 0.0271921f;
	out[21] = jnf(3, x) - 0.0918509f + (float)yn(3, d) + 0.9087815f;
	out[22] = cyl_bessel_i0f(x) - 1.9252522f + (float)cyl_bessel_i1(d) - 2.0039675f;
	out[23] = (float)(rhypot(3.0, 4.0) - 0.2 + rnorm3d(1, 2, 2) - 1 / 3.0) + rcbrtf(8) - 0.5f;
	out[24] = pow(x, 20) / powf(x, 20.0f) - 1 + (float)(pow(d, -3) * d * d * d - 1);
	out[25] = __frsqrt_rn(x) * sqrtf(x) - 1 + erfcx(x) - expf(x * x) * erfcf(x);
	/* not infinite: the exponent exceeds an int and the number is zero */
	out[26] = scalbln(0.0f, 1l << 40) + (float)scalbln(-0.0, 1l << 40) + scalblnf(x, -(1l << 40));
}

// CUDA's own functions on both sides: the host's forms are the device code.
#define BOTH_1(X)                                                                                                      \
	X(cospi) X(cyl_bessel_i0) X(cyl_bessel_i1) X(erfcinv) X(erfcx) X(erfinv) X(normcdf) X(normcdfinv) X(rcbrt)     \
	X(rsqrt) X(sinpi)
static __host__ __device__ float norm3d(float x, float y, float z)
{
	return norm3df(x, y, z);
}
static __host__ __device__ float rnorm4d(float x, float y, float z, float w)
{
	return rnorm4df(x, y, z, w);
}
template <class T> __host__ __device__ void own_functions(T *out, T x)
{
	int i = 0;
#define STORE(name) out[i++] = name(x);
	BOTH_1(STORE)
	out[i++] = rhypot(x, x + 1);
	out[i++] = norm3d(x, x + 1, x);
	out[i++] = rnorm4d(x, x, x + 1, x);
}
enum { OWN = 14, OWN_VALUES = 6 };
template <class T> __global__ void own_kernel(T *out)
{
	const T values[] = {(T)0.125, (T)0.3, (T)0.75, (T)0.999, (T)1.5, (T)-0.4};
	own_functions(out + threadIdx.x * OWN, values[threadIdx.x]);
}

template <class T> static void test_own()
{
	const T values[] = {(T)0.125, (T)0.3, (T)0.75, (T)0.999, (T)1.5, (T)-0.4};
	T *device, got[OWN_VALUES * OWN], want[OWN], sine, cosine;
	SUCCEEDS(cudaMalloc(&device, sizeof got));
	own_kernel<<<1, OWN_VALUES>>>(device);
	SUCCEEDS(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < OWN_VALUES; i++) {
		own_functions(want, values[i]);
		for (int k = 0; k < OWN; k++)
			compare<T>("one of CUDA's own", values[i], (T)k, got[i * OWN + k], want[k]);
	}
	sizeof(T) == 4 ? sincospif((float)0.25, (float *)&sine, (float *)&cosine)
		       : sincospi(0.25, (double *)&sine, (double *)&cosine);
	CHECK(std::fabs(sine - (T)0.70710678118654752) < (T)1e-6 && std::fabs(sine - cosine) < (T)1e-6);
	CHECK(std::fabs(erfinv(std::erf((T)0.5)) - (T)0.5) < (T)1e-6 && normcdfinv((T)0.5) == 0);
	CHECK(std::fabs(cyl_bessel_i0((T)1) - (T)1.2660658777520084) < (T)1e-6 && norm3d((T)1, (T)2, (T)2) == 3);
	SUCCEEDS(cudaFree(device));
}

template <class T> static void test_all(const std::vector<T> &x)
{
	T *device, *out;
	SUCCEEDS(cudaMalloc(&device, x.size() * sizeof(T)));
	SUCCEEDS(cudaMalloc(&out, x.size() * sizeof(T)));
	SUCCEEDS(cudaMemcpy(device, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
#define CALL(name) test_##name<T>(x, device, out);
	UNARY(CALL)
	BINARY(CALL)
	SUCCEEDS(cudaFree(device));
	SUCCEEDS(cudaFree(out));
}

int main()
{
	const double values[] = {0,   -0.0, 1,    -1,   0.5,   -0.5,  2,       -2.5, 3.5, 10,       -10,      0.1,  -0.7,
	                         1.5, 20,   100,  -100, 1e5,   -3e6,  1e10,    1e20, 1e-5, 1e-20,    -1e-30,   1.0 / 3,
	                         0.9, -0.9, 1.01, 80,   -80.5, 1e300, INFINITY, -INFINITY, NAN, 4, 7, 0.25, 0.999999};
	std::vector<float> singles(values, values + sizeof values / sizeof *values);
	std::vector<double> doubles(values, values + sizeof values / sizeof *values);
	test_all(singles);
	test_all(doubles);
	test_own<float>();
	test_own<double>();

	float *out, got[RELATIONS];
	SUCCEEDS(cudaMalloc(&out, sizeof got));
	others<<<1, 1>>>(out, 1.75f, 2.25);
	SUCCEEDS(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < RELATIONS; i++)
		if (!(std::fabs(got[i]) <= 1e-5f)) {
			fprintf(stderr, "relation %d is off by %g\n", i, got[i]);
			failures++;
		}
	return finish();
}
