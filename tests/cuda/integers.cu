// Protects libdevice's integer.c and rounding.c: integer intrinsics and conversions with explicit rounding, on the
// device against values computed on the host.
#include "check.h"
#include <climits>
#include <cmath>
#include <cstdint>

struct results {
	int popc, clz, clzll, ffs, ffsll, mulhi, mul24, hadd, rhadd, abs, min;
	unsigned brev, umulhi, perm, sad, umul24;
	unsigned long long brevll, umul64hi, funnel;
	long long mul64hi;
	int down, up, nearest, zero, saturated, nan;
	unsigned below;
	long long wide;
	int dots[4];
	unsigned udots[4];
	float add_up, add_down, divide_zero, from_int_up, saturate, halves;
	double root_up, fma_down;
};

__global__ void compute(results *r, int a, int b, unsigned u, unsigned long long l, float f, double d)
{
	r->popc = __popc(u);
	r->clz = __clz(a) + __clz(0);
	r->clzll = __clzll(l >> 20);
	r->ffs = __ffs(a << 4) * 100 + __ffs(0);
	r->ffsll = __ffsll(l << 40);
	r->mulhi = __mulhi(a * 1000, b * 100000);
	r->mul24 = __mul24(a, b);
	r->umul24 = __umul24(u, u);
	r->hadd = __hadd(a, b);
	r->rhadd = __rhadd(a, b);
	r->abs = abs(b) + max(a, b);
	r->min = min(a, b) + (int)min(u, 3u);
	r->brev = __brev(u);
	r->umulhi = __umulhi(u, u);
	r->perm = __byte_perm(u, a, 0x7531);
	r->sad = __sad(a, b, u);
	r->brevll = __brevll(l);
	r->umul64hi = __umul64hi(l, l);
	r->mul64hi = __mul64hi(-(long long)(l >> 1), (long long)(l >> 1));
	r->funnel = __funnelshift_l(u, a, 7);
	r->down = __float2int_rd(f);
	r->up = __float2int_ru(f);
	r->nearest = __float2int_rn(f);
	r->zero = __float2int_rz(f);
	r->saturated = __float2int_rz(f * 1e20f);
	r->nan = __double2int_rn(d - d + nan(""));
	r->below = __float2uint_rz(f);
	r->wide = __double2ll_rd(d * 1e10);
	r->add_up = __fadd_ru(f, 1e-9f);
	r->add_down = __fadd_rd(f, 1e-9f);
	r->divide_zero = __fdiv_rz(1, 3);
	r->from_int_up = __int2float_ru(16777217);
	r->saturate = __saturatef(f) + __saturatef(-2 * f);
	r->halves = __int_as_float(__float_as_int(f) ^ 0x80000000);
	r->root_up = __dsqrt_ru(2);
	r->dots[0] = __dp4a(a * 77777, b, a);
	r->dots[1] = __dp4a(make_char4(1, -2, 127, -128), make_char4(-1, 5, -128, -128), b);
	r->dots[2] = __dp2a_lo(make_short2(-30000, 7), make_char4(100, -3, 1, 1), a);
	r->dots[3] = __dp2a_hi(make_short2(-30000, 7), make_char4(1, 1, 100, -3), a);
	r->udots[0] = __dp4a(u, u, u);
	r->udots[1] = __dp4a(make_uchar4(255, 1, 2, 3), make_uchar4(255, 10, 20, 30), 5u);
	r->udots[2] = __dp2a_lo(make_ushort2(60000, 7), make_uchar4(200, 3, 1, 1), 9u);
	r->udots[3] = __dp2a_hi(u, 0x0a140000u, 1u);
	r->fma_down = __fma_rd(0.1, 0.1, -0.01);
}

int main()
{
	const int a = 12345, b = -678;
	const unsigned u = 0xdeadbeef;
	const unsigned long long l = 0x123456789abcdef0;
	const float f = -2.5f;
	const double d = 1.23456789;
	results r, *device;
	SUCCEEDS(cudaMalloc(&device, sizeof r));
	compute<<<1, 1>>>(device, a, b, u, l, f, d);
	SUCCEEDS(cudaMemcpy(&r, device, sizeof r, cudaMemcpyDeviceToHost));
	CHECK(r.popc == __builtin_popcount(u) && r.clz == __builtin_clz(a) + 32 && r.clzll == __builtin_clzll(l >> 20));
	CHECK(r.ffs == 500 && r.ffsll == __builtin_ffsll(l << 40));
	CHECK(r.mulhi == (int)((long long)(a * 1000) * (b * 100000) >> 32) && r.mul24 == a * b);
	CHECK(r.umul24 == (u & 0xffffff) * (u & 0xffffff) && r.hadd == (a + b) >> 1 && r.rhadd == (a + b + 1) >> 1);
	CHECK(r.abs == 678 + a && r.min == b + 3);
	int dot = a;
	unsigned udot = u;
	for (int k = 0; k < 32; k += 8) {
		dot += (int8_t)((unsigned)(a * 77777) >> k) * (int8_t)((unsigned)b >> k);
		udot += (uint8_t)(u >> k) * (uint8_t)(u >> k);
	}
	CHECK(r.dots[0] == dot && r.dots[1] == b - 1 - 10 - 127 * 128 + 128 * 128);
	CHECK(r.dots[2] == a - 3000000 - 21 && r.dots[3] == r.dots[2]);
	CHECK(r.udots[0] == udot && r.udots[1] == 5 + 255 * 255 + 10 + 40 + 90);
	CHECK(r.udots[2] == 9 + 60000 * 200 + 21 && r.udots[3] == 1 + 0xbeef * 20 + 0xdead * 10);
	unsigned reversed = 0;
	for (int i = 0; i < 32; i++)
		reversed |= (u >> i & 1) << (31 - i);
	CHECK(r.brev == reversed && r.umulhi == (unsigned)((unsigned long long)u * u >> 32));
	CHECK(r.perm == 0x0030debe && r.sad == (unsigned)(a - b) + u);
	CHECK((r.brevll & 0xffffffff) == 0x1e6a2c48 && r.umul64hi == (unsigned long long)((unsigned __int128)l * l >> 64));
	long long h = (long long)(l >> 1);
	CHECK(r.mul64hi == (long long)(-(__int128)h * h >> 64));
	CHECK(r.funnel == ((unsigned)a << 7 | u >> 25));
	CHECK(r.down == -3 && r.up == -2 && r.nearest == -2 && r.zero == -2 && r.saturated == INT_MIN && r.nan == INT_MIN);
	CHECK(r.below == 0 && r.wide == (long long)floor(d * 1e10));
	CHECK(r.add_up == nextafterf(f, 0) && r.add_down == f && r.divide_zero == nextafterf(1.0f / 3, 0));
	CHECK(r.from_int_up == 16777218 && r.saturate == 1 && r.halves == 2.5f);
	CHECK(r.root_up >= sqrtl(2) && nextafter(r.root_up, 0) < sqrtl(2));
	double product = fma(0.1, 0.1, -0.01);
	CHECK(r.fma_down == product || r.fma_down == nextafter(product, -1));
	return finish();
}
