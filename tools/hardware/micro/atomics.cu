// atomics.cu: atomics on global memory: latency of one warp, throughput of the whole GPU.
//
// All values are zero, so that memory stays zero and results can be added to addresses. Rows:
//   latency  cycles of one operation in a chain of one warp, by lanes and pattern: (96 steps - 32 steps) / 64.
//   rate     lane operations per ns of `sms` SMs, one block of `warps` warps on each, by op and pattern.
//   cycle    the same per cycle of the SM clock.
//   clock    MHz of the SM during the rate.
// Patterns of addresses: one is shared by all lanes of all SMs; sm is one per SM; warp is one per warp. In sector, each
// warp has one 32-byte sector for its lanes. In lane, lanes lie side by side. In line, each lane has a 128-byte line.
// red has no result: its latency is the interval between two. atom's latency includes a 64-bit addition, two
// dependent instructions. ld is a load from L2, to compare with. The compiler can't see that the lanes of a warp share
// an address. So it doesn't add up their values first, as it does where it can.
#include "span.h"

using kit::u64;

// name, letter of the value, bytes, arch, PTX. %0 result, %1 address, %2 zero.
#define OPS(X)                                                                                                         \
	X(ld_relaxed_u32, r, 4, 70, "ld.relaxed.gpu.global.u32 %0, [%1];")                                             \
	X(atom_add_u32_cta, r, 4, 60, "atom.global.cta.add.u32 %0, [%1], %2;")                                         \
	X(atom_add_u32_gpu, r, 4, 60, "atom.global.gpu.add.u32 %0, [%1], %2;")                                         \
	X(atom_add_u32_sys, r, 4, 60, "atom.global.sys.add.u32 %0, [%1], %2;")                                         \
	X(atom_acq_rel_u32_gpu, r, 4, 70, "atom.global.acq_rel.gpu.add.u32 %0, [%1], %2;")                             \
	X(atom_add_u64_gpu, l, 8, 60, "atom.global.gpu.add.u64 %0, [%1], %2;")                                         \
	X(atom_add_f32_gpu, f, 4, 60, "atom.global.gpu.add.f32 %0, [%1], %2;")                                         \
	X(atom_add_f64_gpu, d, 8, 60, "atom.global.gpu.add.f64 %0, [%1], %2;")                                         \
	X(atom_add_f16x2_gpu, r, 4, 70, "atom.global.gpu.add.noftz.f16x2 %0, [%1], %2;")                               \
	X(atom_add_bf16x2_gpu, r, 4, 90, "atom.global.gpu.add.noftz.bf16x2 %0, [%1], %2;")                             \
	X(atom_max_u32_gpu, r, 4, 60, "atom.global.gpu.max.u32 %0, [%1], %2;")                                         \
	X(atom_exch_b32_gpu, r, 4, 60, "atom.global.gpu.exch.b32 %0, [%1], %2;")                                       \
	X(atom_cas_b32_gpu, r, 4, 60, "atom.global.gpu.cas.b32 %0, [%1], %2, %2;")                                     \
	X(atom_cas_b64_gpu, l, 8, 60, "atom.global.gpu.cas.b64 %0, [%1], %2, %2;")                                     \
	X(red_add_u32_cta, r, 4, 60, "red.global.cta.add.u32 [%1], %2;")                                               \
	X(red_add_u32_gpu, r, 4, 60, "red.global.gpu.add.u32 [%1], %2;")                                               \
	X(red_add_u32_sys, r, 4, 60, "red.global.sys.add.u32 [%1], %2;")                                               \
	X(red_add_u64_gpu, l, 8, 60, "red.global.gpu.add.u64 [%1], %2;")                                               \
	X(red_add_f32_gpu, f, 4, 60, "red.global.gpu.add.f32 [%1], %2;")                                               \
	X(red_add_f16x2_gpu, r, 4, 70, "red.global.gpu.add.noftz.f16x2 [%1], %2;")                                     \
	X(red_add_f64_gpu, d, 8, 60, "red.global.gpu.add.f64 [%1], %2;")                                               \
	X(red_max_u32_gpu, r, 4, 60, "red.global.gpu.max.u32 [%1], %2;")

typedef unsigned type_r;
typedef u64 type_l;
typedef float type_f;
typedef double type_d;

#define DEFINE(name_, letter, bytes_, arch_, text)                                                                     \
	struct op_##name_ {                                                                                            \
		typedef type_##letter T;                                                                               \
		static constexpr const char *name = #name_;                                                            \
		static constexpr int bytes = bytes_, arch = arch_;                                                     \
		static __device__ __forceinline__ void step(T &result, u64 address, T zero)                            \
		{                                                                                                      \
			if constexpr (HERE >= arch_)                                                                   \
				asm volatile(text : "+" #letter(result) : "l"(address), #letter(zero) : "memory");     \
		}                                                                                                      \
	};
OPS(DEFINE)

__device__ inline u64 bits(unsigned value)
{
	return value;
}
__device__ inline u64 bits(u64 value)
{
	return value;
}
__device__ inline u64 bits(float value)
{
	return __float_as_uint(value);
}
__device__ inline u64 bits(double value)
{
	return (u64)__double_as_longlong(value);
}

enum Pattern { ONE, SM, WARP, SECTOR, LANE, LINE, PATTERNS };
static const char *const pattern_names[] = {"one", "sm", "warp", "sector", "lane", "line"};

// Byte offset of a lane's address; operations of one lane all go to it.
__device__ inline size_t offset(int pattern, int bytes)
{
	size_t thread = blockIdx.x * blockDim.x + threadIdx.x, warp = thread / 32, lane = thread % 32;
	switch (pattern) {
	case SM:
		return blockIdx.x * 512;
	case WARP:
		return warp * 128;
	case SECTOR:
		return warp * 128 + lane * bytes % 32;
	case LANE:
		return thread * bytes;
	case LINE:
		return thread * 128;
	}
	return 0;
}

template <typename Op, int STEPS>
__device__ __forceinline__ void chain(u64 &address, typename Op::T &result, typename Op::T zero)
{
#pragma unroll
	for (int i = 0; i < STEPS; i++) {
		Op::step(result, address, zero);
		address += bits(result);
	}
}

template <typename Op> __global__ void latency(char *memory, int pattern, unsigned lanes, u64 *times, u64 *sink)
{
	u64 address = (u64)(memory + 4096 + offset(pattern, Op::bytes));
	typename Op::T result = *(typename Op::T *)memory, zero = result;
	if (threadIdx.x < lanes) {
#pragma unroll 1
		for (int pass = 0; pass < 3; pass++) { // the first passes warm the caches
			chain<Op, 8>(address, result, zero);
			u64 t0 = kit::cycles();
			chain<Op, 32>(address, result, zero);
			u64 t1 = kit::cycles();
			chain<Op, 96>(address, result, zero);
			u64 t2 = kit::cycles();
			times[threadIdx.x] = t2 - t1 - (t1 - t0);
		}
	}
	sink[threadIdx.x] = address + bits(result);
}

struct Times {
	u64 cycles, start_ns, end_ns;
};

// 8 operations per round and lane, all to the lane's address, none waits for another.
template <typename Op>
__global__ void __launch_bounds__(1024) rate(char *memory, int pattern, int rounds, Times *times, u64 *sink)
{
	u64 address = (u64)(memory + 4096 + offset(pattern, Op::bytes)), sum = 0;
	typename Op::T zero = *(typename Op::T *)memory, result[8];
	for (int i = 0; i < 8; i++)
		result[i] = zero;
	__syncthreads();
	u64 begin = kit::cycles(), begin_ns = kit::nanoseconds();
#pragma unroll 1
	for (int round = 0; round < rounds; round++) {
#pragma unroll
		for (int i = 0; i < 8; i++)
			Op::step(result[i], address, zero);
#pragma unroll
		for (int i = 0; i < 8; i++)
			sum += bits(result[i]);
	}
	sink[threadIdx.x] = sum;
	__threadfence(); // red has ended only now
	__syncthreads();
	if (threadIdx.x == 0)
		times[blockIdx.x] = {kit::cycles() - begin, begin_ns, kit::nanoseconds()};
}

static bool quick;
static int repeats, sms;
static char *memory;
static u64 *sink, *cycles;
static Times *times;

template <typename Op> void measure_latency(int pattern, unsigned lanes)
{
	std::vector<double> samples;
	for (int i = -1; i < repeats; i++) {
		latency<Op><<<1, 32>>>(memory, pattern, lanes, cycles, sink);
		if (!kit::done(Op::name))
			break;
		if (i >= 0)
			samples.push_back(kit::read(cycles, 1)[0] / 64.0);
	}
	kit::print("atomics", "latency",
	           kit::text("op=%s pattern=%s lanes=%u", Op::name, pattern_names[pattern], lanes), samples, "cycles");
}

// Nanoseconds from the first start to the last end, and cycles of the slowest block; false if it failed.
template <typename Op> bool run(int pattern, int blocks, int warps, int rounds, double &ns, double &sm_cycles)
{
	rate<Op><<<blocks, warps * 32>>>(memory, pattern, rounds, times, sink);
	if (!kit::done(Op::name))
		return false;
	u64 first = ~0ull, last = 0, most = 0;
	for (const Times &block : kit::read(times, blocks)) {
		first = std::min(first, block.start_ns);
		last = std::max(last, block.end_ns);
		most = std::max(most, block.cycles);
	}
	ns = last - first;
	sm_cycles = most;
	return true;
}

template <typename Op> void measure_rate(int pattern, int blocks, int warps)
{
	int low = quick ? 1 : blocks * warps > 1024 ? 8 : 16, high = quick ? 3 : 5 * low;
	double work = 8.0 * (high - low) * blocks * warps * 32;
	std::vector<double> per_ns, per_cycle, clock;
	for (int i = -1; i < repeats; i++) {
		double ns[2], cycle[2];
		if (!run<Op>(pattern, blocks, warps, low, ns[0], cycle[0]) ||
		    !run<Op>(pattern, blocks, warps, high, ns[1], cycle[1]))
			return;
		if (i < 0)
			continue;
		if (ns[1] > ns[0])
			per_ns.push_back(work / (ns[1] - ns[0]));
		if (cycle[1] > cycle[0])
			per_cycle.push_back(work / (cycle[1] - cycle[0]));
		if (ns[1] > 0)
			clock.push_back(cycle[1] / ns[1] * 1000);
	}
	std::string about =
		kit::text("op=%s pattern=%s sms=%d warps=%d", Op::name, pattern_names[pattern], blocks, warps);
	kit::print("atomics", "rate", about, per_ns, "operations/ns");
	kit::print("atomics", "cycle", about, per_cycle, "operations/cycle");
	kit::print("atomics", "clock", about, clock, "MHz");
}

template <typename Op> void measure()
{
	if (kit::arch() < Op::arch) {
		fprintf(stderr, "atomics: %s needs sm_%d\n", Op::name, Op::arch);
		return;
	}
	measure_latency<Op>(ONE, 1);
	if (!quick) {
		measure_latency<Op>(ONE, 32);
		measure_latency<Op>(SECTOR, 32);
		measure_latency<Op>(LANE, 32);
		measure_latency<Op>(LINE, 32);
	}
	for (int pattern = 0; pattern < PATTERNS; pattern++)
		if (!quick || pattern == ONE || pattern == LANE)
			measure_rate<Op>(pattern, quick ? 4 : sms, quick ? 1 : 8);
}

// By SMs and warps, so that a knee shows.
template <typename Op> void sweep()
{
	if (quick)
		return;
	for (int pattern = 0; pattern < PATTERNS; pattern++) {
		for (int blocks : {1, 2, 4, 8, 16, 32, 64, sms})
			if (blocks <= sms)
				measure_rate<Op>(pattern, blocks, 32);
		for (int warps : {1, 2, 4, 16})
			measure_rate<Op>(pattern, sms, warps);
	}
	for (unsigned lanes : {2, 4, 8, 16}) {
		measure_latency<Op>(ONE, lanes);
		measure_latency<Op>(LINE, lanes);
	}
}

int main(int argc, char **argv)
{
	quick = kit::quick(argc, argv);
	repeats = quick ? 1 : 5;
	sms = kit::device().multiProcessorCount;
	memory = kit::allocate<char>(4096 + (size_t)sms * 1024 * 128);
	sink = kit::allocate<u64>(1024);
	cycles = kit::allocate<u64>(32);
	times = kit::allocate<Times>(sms);
#define MEASURE(name, letter, bytes, arch, text) measure<op_##name>();
	OPS(MEASURE)
	sweep<op_ld_relaxed_u32>();
	sweep<op_atom_add_u32_gpu>();
	sweep<op_red_add_u32_gpu>();
	sweep<op_red_add_f32_gpu>();
	sweep<op_atom_cas_b32_gpu>();
	return 0;
}
