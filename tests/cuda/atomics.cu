// Protects include/cuda/sluice/atomics.h: atomic functions of every type and scope, on global and shared memory.
#include "check.h"

struct results {
	int add, sub, exch, min, max, band, bor, bxor, cas;
	unsigned uadd, inc, dec, umin, umax;
	unsigned long long lladd, llcas, lland, llmax;
	long long sllmin;
	float fadd, fexch;
	double dadd;
	unsigned short cas_short[2]; // both halves of a word: neither changes the other
};

// The forms of each scope, on the same memory: with one block they all have the same effect.
#define APPLY(suffix)                                                                                                  \
	static __device__ void apply##suffix(results *r, int i)                                                        \
	{                                                                                                              \
		atomicAdd##suffix(&r->add, i);                                                                         \
		atomicSub##suffix(&r->sub, 1);                                                                         \
		atomicExch##suffix(&r->exch, 77);                                                                      \
		atomicMin##suffix(&r->min, -i);                                                                        \
		atomicMax##suffix(&r->max, i);                                                                         \
		atomicAnd##suffix(&r->band, ~(1 << (i & 7)));                                                          \
		atomicOr##suffix(&r->bor, 1 << (i & 15));                                                              \
		atomicXor##suffix(&r->bxor, 1 << (i & 31));                                                            \
		atomicCAS##suffix(&r->cas, 5, 6);                                                                      \
		atomicAdd##suffix(&r->uadd, 2u);                                                                       \
		atomicInc##suffix(&r->inc, 9);                                                                         \
		atomicDec##suffix(&r->dec, 9);                                                                         \
		atomicMin##suffix(&r->umin, (unsigned)i + 3);                                                          \
		atomicMax##suffix(&r->umax, 0x80000000u + i);                                                          \
		atomicAdd##suffix(&r->lladd, 1ull << 33);                                                              \
		atomicAnd##suffix(&r->lland, ~(1ull << (i & 63)));                                                     \
		atomicMax##suffix(&r->llmax, (unsigned long long)i << 40);                                             \
		atomicMin##suffix(&r->sllmin, -((long long)i << 40));                                                  \
		atomicAdd##suffix(&r->fadd, 0.5f);                                                                     \
		atomicExch##suffix(&r->fexch, 1.5f);                                                                   \
		atomicAdd##suffix(&r->dadd, 0.25);                                                                     \
		unsigned long long old = r->llcas, seen;                                                               \
		do {                                                                                                   \
			seen = old;                                                                                    \
			old = atomicCAS##suffix(&r->llcas, seen, seen + 3);                                            \
		} while (old != seen);                                                                                 \
		unsigned short *half = &r->cas_short[i & 1], short_old = *half, short_seen;                            \
		do {                                                                                                   \
			short_seen = short_old;                                                                        \
			short_old = atomicCAS##suffix(half, short_seen, (unsigned short)(short_seen + 0x801));         \
		} while (short_old != short_seen);                                                                     \
	}
APPLY()
APPLY(_block)
APPLY(_system)

static __device__ void apply_scope(int scope, results *r, int i)
{
	scope == 0 ? apply(r, i) : scope == 1 ? apply_block(r, i) : apply_system(r, i);
}

__global__ void on_global(int scope, results *r)
{
	apply_scope(scope, r, threadIdx.x);
}

__global__ void on_shared(int scope, results *r)
{
	__shared__ results shared;
	if (threadIdx.x == 0)
		shared = *r;
	__syncthreads();
	apply_scope(scope, &shared, threadIdx.x);
	__syncthreads();
	if (threadIdx.x == 0)
		*r = shared;
}

static void check(const results &r)
{
	CHECK(r.add == 64 * 63 / 2 && r.sub == -64 && r.exch == 77 && r.min == -63 && r.max == 63);
	CHECK(r.band == ~0xff && r.bor == 0xffff && r.bxor == 0 && r.cas == 6);
	CHECK(r.uadd == 128 && r.inc == 64 % 10 && r.dec == 6 && r.umin == 3 && r.umax == 0x8000003f);
	CHECK(r.lladd == 64ull << 33 && r.llcas == 192 && r.lland == 0 && r.llmax == 63ull << 40);
	CHECK(r.sllmin == -(63ll << 40) && r.fadd == 32 && r.fexch == 1.5f && r.dadd == 16);
	CHECK(r.cas_short[0] == (unsigned short)(32 * 0x801) && r.cas_short[1] == (unsigned short)(32 * 0x801));
}

int main()
{
	results start = {}, got, *device;
	start.band = start.lland = -1;
	start.cas = 5;
	start.umin = 1000;
	SUCCEEDS(cudaMalloc(&device, sizeof start));
	for (int k = 0; k < 6; k++) {
		SUCCEEDS(cudaMemcpy(device, &start, sizeof start, cudaMemcpyHostToDevice));
		if (k % 2 == 0)
			on_global<<<1, 64>>>(k / 2, device);
		else
			on_shared<<<1, 64>>>(k / 2, device);
		SUCCEEDS(cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost));
		check(got);
	}
	return finish();
}
