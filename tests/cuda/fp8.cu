// Protects cuda_fp8.h: 8-bit floating point. Random halves, floats and doubles, and midpoints between representable
// numbers, against a search through all 128, on the host and on the device.
#include "check.h"
#include <cmath>
#include <cuda_fp8.h>
#include <random>
#include <vector>

enum { COUNT = 1 << 13 };

// By the format's definition.
static double value_of(unsigned bits, bool wide)
{
	int fraction = wide ? 2 : 3, bias = wide ? 15 : 7, exponent = (bits & 0x7f) >> fraction, rest = bits & ((1 << fraction) - 1);
	double size = wide && exponent == 31             ? (rest ? NAN : INFINITY)
	              : !wide && (bits & 0x7f) == 0x7f    ? NAN
	              : exponent                          ? ldexp(rest + (1 << fraction), exponent - bias - fraction)
	                                                  : ldexp(rest, 1 - bias - fraction);
	return bits & 0x80 ? -size : size;
}

// The nearest number, ties to even. Above the largest by half a step or more: saturation or NaN, as requested.
static unsigned nearest(double x, bool wide, bool saturates)
{
	unsigned largest = wide ? 0x7b : 0x7e, best = 0, sign = std::signbit(x) ? 0x80 : 0;
	double size = fabs(x), top = value_of(largest, wide), place = top - value_of(largest - 1, wide);
	if (x != x)
		return 0x7f;
	if (size > top + place / 2 || (size == top + place / 2 && largest & 1))
		return sign | (saturates ? largest : wide ? 0x7c : 0x7f);
	for (unsigned bits = 1; bits <= largest; bits++) {
		double now = fabs(value_of(bits, wide) - size), then = fabs(value_of(best, wide) - size);
		if (now < then || (now == then && !(bits & 1)))
			best = bits;
	}
	return sign | best;
}

struct results {
	unsigned char one[2][2], of_half[2], of_brain[2], of_type[2];
	unsigned short two[2];
	unsigned four[2];
	float back[2][4];
};

template <class ONE, class TWO, class FOUR>
__host__ __device__ static void convert(double x, double y, results *r, __nv_fp8_interpretation_t kind)
{
	ONE one(x);
	TWO two(make_float2((float)x, (float)y));
	FOUR four(make_float4((float)y, (float)x, -(float)x, (float)y));
	r->one[kind][0] = __nv_cvt_double_to_fp8(x, __NV_NOSAT, kind);
	r->one[kind][1] = __nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind);
	r->of_half[kind] = ONE(__float2half((float)x)).__x;
	r->of_brain[kind] = ONE(__float2bfloat16((float)x)).__x;
	r->of_type[kind] = one.__x;
	r->two[kind] = two.__x;
	r->four[kind] = four.__x;
	float4 all = (float4)four;
	float2 pair = (float2)two;
	r->back[kind][0] = (float)one;
	r->back[kind][1] = pair.y;
	r->back[kind][2] = all.x;
	r->back[kind][3] = all.z;
}

__host__ __device__ static void convert_both(double x, double y, results *r)
{
	convert<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(x, y, r, __NV_E4M3);
	convert<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(x, y, r, __NV_E5M2);
}

__global__ void convert_all(const double *x, results *r)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	convert_both(x[i], x[(i + 1) % COUNT], &r[i]);
}

static bool same(float value, double expected)
{
	return value == expected || (value != value && expected != expected);
}

static void check(const results &r, double x, double y)
{
	for (int kind = 0; kind < 2; kind++) {
		unsigned of_y = nearest((float)y, kind, true), of_x = nearest((float)x, kind, true);
		CHECK(r.one[kind][0] == nearest(x, kind, false) && r.one[kind][1] == nearest(x, kind, true));
		CHECK(r.of_type[kind] == nearest(x, kind, true));
		CHECK(r.of_half[kind] == nearest(__half2float(__float2half((float)x)), kind, true));
		CHECK(r.of_brain[kind] == nearest(__bfloat162float(__float2bfloat16((float)x)), kind, true));
		CHECK(r.two[kind] == (of_x | of_y << 8));
		unsigned negative = nearest(-(float)x, kind, true);
		CHECK(r.four[kind] == (of_y | of_x << 8 | negative << 16 | of_y << 24));
		CHECK(same(r.back[kind][0], value_of(r.of_type[kind], kind)) && same(r.back[kind][1], value_of(of_y, kind)));
		CHECK(same(r.back[kind][2], value_of(of_y, kind)) && same(r.back[kind][3], value_of(negative, kind)));
	}
}

int main()
{
	std::mt19937_64 random(8);
	std::vector<double> x(COUNT);
	std::vector<results> on_device(COUNT);
	double *in;
	results *out;
	for (unsigned i = 0; i < COUNT; i++) {
		unsigned bits = random() % 128;
		double middle = (value_of(bits, i & 4) + value_of(bits + 1, i & 4)) / 2;
		x[i] = i % 4 == 0   ? (double)__half2float(__ushort_as_half((unsigned short)random()))
		       : i % 4 == 1 ? ldexp((double)(int64_t)random(), (int)(random() % 40) - 83)
		       : i % 4 == 2 ? middle
		                    : nextafter(middle, random() & 1 ? 1e9 : -1e9);
		x[i] = random() & 1 ? x[i] : -x[i];
	}
	for (int kind = 0; kind < 2; kind++)
		for (unsigned bits = 0; bits < 256; bits++) {
			__half value = __half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)bits, (__nv_fp8_interpretation_t)kind));
			CHECK(same(__half2float(value), value_of(bits, kind)));
			CHECK(std::signbit(__half2float(value)) == (bits >> 7) || value_of(bits, kind) != value_of(bits, kind));
		}
	cudaMalloc(&in, COUNT * sizeof *in);
	cudaMalloc(&out, COUNT * sizeof *out);
	cudaMemcpy(in, x.data(), COUNT * sizeof *in, cudaMemcpyHostToDevice);
	convert_all<<<COUNT / 256, 256>>>(in, out);
	cudaMemcpy(on_device.data(), out, COUNT * sizeof *out, cudaMemcpyDeviceToHost);
	for (unsigned i = 0; i < COUNT; i++) {
		results here;
		convert_both(x[i], x[(i + 1) % COUNT], &here);
		check(here, x[i], x[(i + 1) % COUNT]);
		check(on_device[i], x[i], x[(i + 1) % COUNT]);
	}
	return finish();
}
