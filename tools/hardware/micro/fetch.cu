// fetch.cu: what instructions cost before they issue. Straight-line code of 64 to 32768 independent FMAs in a loop
// gives cycles per instruction by code size: the steps are the sizes of the instruction caches. It runs with one
// warp, with a warp per scheduler, with 16, and on all SMs. Then: branches taken and not taken, divergent branches,
// and calls.
#include "fma8.h"
#include "kit.h"

typedef unsigned long long u64;

static bool quick;
static int repeats, sms;
static unsigned *times;
static float *values, *sink;

// Two laps warm; each of the others runs Blocks * 64 FMAs.
template <int Blocks> __global__ void straight(const float *values, int laps, int unused, unsigned *times, float *sink)
{
	float a[8], x = values[8], y = values[9];
	u64 start = 0;
	fill(a, values);
	__syncthreads();
#pragma unroll 1
	for (int i = 0; i < laps + 2; i++) {
		if (i == 2)
			start = kit::cycles();
#pragma unroll
		for (int j = 0; j < Blocks; j++)
			RUN(X4(FMA8 FMA8));
	}
	u64 end = kit::cycles();
	if (threadIdx.x % 32 == 0)
		times[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - start;
	keep(a, sink);
}

// Six branches on predicates, each over 24 FMAs. Kind 0: the branches; 1: no branches, FMAs stay; 2: no FMAs either.
#define SET                                                                                                            \
	"{ .reg .pred p<6>; .reg .u32 m<6>; "                                                                          \
	"and.b32 m0, %10, 1; and.b32 m1, %10, 2; and.b32 m2, %10, 4; and.b32 m3, %10, 8; and.b32 m4, %10, 16; "        \
	"and.b32 m5, %10, 32; setp.ne.u32 p0, m0, 0; setp.ne.u32 p1, m1, 0; setp.ne.u32 p2, m2, 0; "                   \
	"setp.ne.u32 p3, m3, 0; setp.ne.u32 p4, m4, 0; setp.ne.u32 p5, m5, 0; "
#define OVER(n) "@p" #n " bra L" #n "; " FMA8 FMA8 FMA8 "L" #n ": "
template <int Kind> __global__ void branches(const float *values, int laps, int mask, unsigned *times, float *sink)
{
	float a[8], x = values[8], y = values[9];
	u64 start = 0;
	fill(a, values);
#pragma unroll 1
	for (int i = 0; i < laps + 2; i++) {
		if (i == 2)
			start = kit::cycles();
		if (Kind == 0)
			asm volatile(SET OVER(0) OVER(1) OVER(2) OVER(3) OVER(4) OVER(5) "}"
			             : OPERANDS, "r"(mask)
			             : "memory");
		if (Kind == 1)
			asm volatile(SET FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8
			                     FMA8 FMA8 "}"
			             : OPERANDS, "r"(mask)
			             : "memory");
		if (Kind == 2)
			asm volatile(SET "@p0 fma.rn.f32 %0, %0, %8, %9; @p1 fma.rn.f32 %1, %1, %8, %9; "
			                 "@p2 fma.rn.f32 %2, %2, %8, %9; @p3 fma.rn.f32 %3, %3, %8, %9; "
			                 "@p4 fma.rn.f32 %4, %4, %8, %9; @p5 fma.rn.f32 %5, %5, %8, %9; }"
			             : OPERANDS, "r"(mask)
			             : "memory");
	}
	u64 end = kit::cycles();
	if (threadIdx.x % 32 == 0)
		times[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - start;
	keep(a, sink);
}

// Lanes below `lanes` run 32 FMAs, the others 32 different ones.
__global__ void sides(const float *values, int laps, int lanes, unsigned *times, float *sink)
{
	float a[8], x = values[8], y = values[9];
	u64 start = 0;
	int lane = threadIdx.x % 32;
	fill(a, values);
#pragma unroll 1
	for (int i = 0; i < laps + 2; i++) {
		if (i == 2)
			start = kit::cycles();
		if (lane < lanes) {
			RUN(X4(FMA8));
		} else {
			float t = x;
			x = y;
			y = t;
			RUN(X4(FMA8));
			y = x;
			x = t;
		}
		__syncwarp();
	}
	u64 end = kit::cycles();
	if (lane == 0)
		times[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - start;
	keep(a, sink);
}

// A tree of branches: the warp splits in 2, 4, 8, ... parts, with 16 FMAs on each path and level.
template <int Depth> struct Tree {
	static __device__ __forceinline__ void split(float *a, float x, float y, int lane)
	{
		if (lane & 1) {
			RUN(FMA8 FMA8);
			Tree<Depth - 1>::split(a, x, y, lane >> 1);
		} else {
			float x2 = y, y2 = x;
			asm volatile(FMA8 FMA8
			             : "+f"(a[1]), "+f"(a[0]), "+f"(a[2]), "+f"(a[3]), "+f"(a[4]), "+f"(a[5]),
			               "+f"(a[6]), "+f"(a[7])
			             : "f"(x2), "f"(y2)
			             : "memory");
			Tree<Depth - 1>::split(a, x2, y2, lane >> 1);
		}
	}
};
template <> struct Tree<0> {
	static __device__ __forceinline__ void split(float *, float, float, int)
	{
	}
};

template <int Depth> __global__ void tree(const float *values, int laps, int mask, unsigned *times, float *sink)
{
	float a[8], x = values[8], y = values[9];
	u64 start = 0;
	int lane = threadIdx.x % 32 & mask;
	fill(a, values);
#pragma unroll 1
	for (int i = 0; i < laps + 2; i++) {
		if (i == 2)
			start = kit::cycles();
		Tree<Depth>::split(a, x, y, lane);
		__syncwarp();
	}
	u64 end = kit::cycles();
	if (threadIdx.x % 32 == 0)
		times[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - start;
	keep(a, sink);
}

__device__ __noinline__ float callee(float a, float x, float y)
{
	asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(x), "f"(y) : "memory");
	return a;
}

// 16 calls, or 16 times the function's only FMA.
template <bool Calls> __global__ void calls(const float *values, int laps, int mask, unsigned *times, float *sink)
{
	float a[8], x = values[8], y = values[9];
	u64 start = 0;
	fill(a, values);
#pragma unroll 1
	for (int i = 0; i < laps + 2; i++) {
		if (i == 2)
			start = kit::cycles();
		if (Calls) {
			X16(a[0] = callee(a[0], x, y);)
		} else {
			X16(asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a[0]) : "f"(x), "f"(y) : "memory");)
		}
	}
	u64 end = kit::cycles();
	if (threadIdx.x % 32 == 0)
		times[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - start;
	keep(a, sink);
}

// A loop with one FMA.
__global__ void loop(const float *values, int laps, int mask, unsigned *times, float *sink)
{
	float a[8], x = values[8], y = values[9];
	fill(a, values);
	u64 start = kit::cycles();
#pragma unroll 1
	for (int i = 0; i < laps; i++)
		asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a[i & 0]) : "f"(x), "f"(y) : "memory");
	u64 end = kit::cycles();
	if (threadIdx.x % 32 == 0)
		times[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - start;
	keep(a, sink);
}

typedef void (*Kernel)(const float *, int, int, unsigned *, float *);

// Cycles per lap and per `steps`: the mean of the warps.
static void measure(const char *name, const std::string &parameters, Kernel kernel, int blocks, int warps, int laps,
                    int argument, double steps)
{
	std::vector<double> all;
	for (int r = 0; r <= repeats; r++) {
		double sum = 0;
		kernel<<<blocks, warps * 32>>>(values, laps, argument, times, sink);
		if (!kit::succeeded(name))
			return;
		for (unsigned t : kit::read(times, blocks * warps))
			sum += t;
		if (r)
			all.push_back(sum / (blocks * warps) / laps / steps);
	}
	kit::row("fetch", name, parameters + kit::text(" blocks=%d warps=%d", blocks, warps), all, "cycles");
}

#define S(n)                                                                                                           \
	{                                                                                                              \
		n * 64, straight<n>                                                                                    \
	}
static const struct {
	int instructions;
	Kernel kernel;
} codes[] = {S(1),   S(2),   S(3),   S(4),   S(5),   S(6),   S(8),   S(10),  S(12), S(16), S(20),
             S(24),  S(28),  S(32),  S(36),  S(40),  S(48),  S(56),  S(64),  S(80), S(96), S(112),
             S(120), S(128), S(136), S(144), S(160), S(192), S(256), S(384), S(512)};
static const Kernel trees[] = {tree<1>, tree<2>, tree<3>, tree<4>, tree<5>};

int main(int argc, char **argv)
{
	static const int warps[] = {1, 4, 8, 16}, lanes[] = {0, 1, 4, 8, 16, 24, 31, 32}, masks[] = {0, 1, 7, 63};
	float host[16] = {1, 2, 3, 4, 5, 6, 7, 8, 0.5f, 0.25f};
	quick = kit::quick(argc, argv);
	repeats = quick ? 1 : 5;
	sms = kit::device().multiProcessorCount;
	values = kit::allocate<float>(16);
	sink = kit::allocate<float>(1);
	times = kit::allocate<unsigned>(sms * 32);
	CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
	for (auto &c : codes) {
		if (quick && c.instructions > 4096)
			break;
		int laps = quick ? 2 : std::max(4, 65536 / c.instructions);
		std::string p = kit::text("instructions=%d", c.instructions);
		for (int w : warps)
			measure("code_size", p, c.kernel, 1, w, laps, 0, c.instructions);
		if (quick)
			continue;
		measure("code_size", p, c.kernel, 2, 1, laps, 0, c.instructions);
		measure("code_size", p, c.kernel, sms, 1, laps, 0, c.instructions);
		measure("code_size", p, c.kernel, sms, 4, laps, 0, c.instructions);
	}
	int laps = quick ? 20 : 1000;
	for (int w : warps) {
		if (quick && w > 4)
			break;
		for (int mask : masks)
			measure("six_branches", kit::text("kind=over_24 taken_mask=%d", mask), branches<0>, 1, w, laps,
			        mask, 1);
		measure("six_branches", "kind=no_branch_144", branches<1>, 1, w, laps, 0, 1);
		measure("six_branches", "kind=predicated_6", branches<2>, 1, w, laps, 0, 1);
		for (int n : lanes)
			measure("two_sides_of_32", kit::text("lanes=%d", n), sides, 1, w, laps, n, 1);
		for (int d = 1; d <= 5; d++)
			for (int mask = 0; mask < (quick ? 2 : 32); mask = mask * 2 + 1)
				measure("tree_of_16", kit::text("depth=%d lane_mask=%d", d, mask), trees[d - 1], 1, w,
				        laps, mask, 1);
		measure("calls", "kind=call", calls<true>, 1, w, laps, 0, 16);
		measure("calls", "kind=inline", calls<false>, 1, w, laps, 0, 16);
		measure("loop", "body=1", loop, 1, w, laps, 0, 1);
	}
	return 0;
}
