// Atomic functions of every type, on global and shared memory. Protects include/cuda/sluice/atomics.h.
#include "check.h"

struct results {
	int add, sub, exch, min, max, band, bor, bxor, cas;
	unsigned uadd, inc, dec, umin, umax;
	unsigned long long lladd, llcas, lland, llmax;
	long long sllmin;
	float fadd, fexch;
	double dadd;
};

__device__ void apply(results *r, int i)
{
	atomicAdd(&r->add, i);
	atomicSub(&r->sub, 1);
	atomicExch(&r->exch, 77);
	atomicMin(&r->min, -i);
	atomicMax(&r->max, i);
	atomicAnd(&r->band, ~(1 << (i & 7)));
	atomicOr(&r->bor, 1 << (i & 15));
	atomicXor(&r->bxor, 1 << (i & 31));
	atomicCAS(&r->cas, 5, 6);
	atomicAdd(&r->uadd, 2u);
	atomicInc(&r->inc, 9);
	atomicDec(&r->dec, 9);
	atomicMin(&r->umin, (unsigned)i + 3);
	atomicMax(&r->umax, 0x80000000u + i);
	atomicAdd(&r->lladd, 1ull << 33);
	atomicAnd(&r->lland, ~(1ull << (i & 63)));
	atomicMax(&r->llmax, (unsigned long long)i << 40);
	atomicMin(&r->sllmin, -((long long)i << 40));
	atomicAdd(&r->fadd, 0.5f);
	atomicExch(&r->fexch, 1.5f);
	atomicAdd(&r->dadd, 0.25);
	unsigned long long old = r->llcas, seen;
	do {
		seen = old;
		old = atomicCAS(&r->llcas, seen, seen + 3);
	} while (old != seen);
}

__global__ void on_global(results *r)
{
	apply(r, threadIdx.x);
}

__global__ void on_shared(results *r)
{
	__shared__ results shared;
	if (threadIdx.x == 0)
		shared = *r;
	__syncthreads();
	apply(&shared, threadIdx.x);
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
}

int main()
{
	results start = {}, got, *device;
	start.band = start.lland = -1;
	start.cas = 5;
	start.umin = 1000;
	SUCCEEDS(cudaMalloc(&device, sizeof start));
	for (int k = 0; k < 2; k++) {
		SUCCEEDS(cudaMemcpy(device, &start, sizeof start, cudaMemcpyHostToDevice));
		if (k == 0)
			on_global<<<1, 64>>>(device);
		else
			on_shared<<<1, 64>>>(device);
		SUCCEEDS(cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost));
		check(got);
	}
	return finish();
}
