// shared.cu: shared memory of one SM: latency, bank conflicts, throughput, atomics.
//
// Each word of shared memory holds its own address, so that any lane's load can be a link of a chain. A pattern is a
// table of 32 byte offsets, one per lane, that the kernel reads at run time. Rows:
//   latency   cycles per access, one warp, one chain: (time of 96 - time of 32 accesses) / 64. Stores and red make no
//             chain: theirs is the interval between two.
//   rate      cycles of the SM per warp access, 8 chains per warp (4 of 16 bytes), by warps.
//   bytes     the same in bytes per cycle (32 lanes * width).
// Ops: ld, st, st_ld (a store, then a load of it), atomics. An atomic's chain adds its result, zero, to the address.
// Patterns: stride=N elements of the width; group=N lanes in a row with one address; spread=N lanes of one bank.
#include "span.h"

using kit::u64;

const int WORDS = 11264; // 44 KiB

// name, width in bytes, PTX. %0 is the address and the result, %1 zero.
#define ACCESSES(X)                                                                                                    \
	X(ld, 4, "ld.volatile.shared.u32 %0, [%0];")                                                                   \
	X(ld, 8, "{.reg .u32 t; ld.volatile.shared.v2.u32 {%0, t}, [%0];}")                                            \
	X(ld, 16, "{.reg .u32 t, u, v; ld.volatile.shared.v4.u32 {%0, t, u, v}, [%0];}")                               \
	X(st, 4, "st.volatile.shared.u32 [%0], %0;")                                                                   \
	X(st, 8, "st.volatile.shared.v2.u32 [%0], {%1, %1};")                                                          \
	X(st, 16, "st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};")                                                 \
	X(st_ld, 4, "st.volatile.shared.u32 [%0], %0; ld.volatile.shared.u32 %0, [%0];")                               \
	X(ld_u8, 1, "{.reg .u32 t; ld.volatile.shared.u8 t, [%0]; mad.lo.u32 %0, t, %1, %0;}")

#define ATOMICS(X)                                                                                                     \
	X(atom_add_u32, 4, "{.reg .u32 t; atom.shared.add.u32 t, [%0], %1; add.u32 %0, %0, t;}")                       \
	X(red_add_u32, 4, "red.shared.add.u32 [%0], %1;")                                                              \
	X(atom_max_u32, 4, "{.reg .u32 t; atom.shared.max.u32 t, [%0], %1; add.u32 %0, %0, t;}")                       \
	X(atom_exch_b32, 4, "{.reg .u32 t; atom.shared.exch.b32 t, [%0], %1; add.u32 %0, %0, t;}")                     \
	X(atom_cas_b32, 4, "{.reg .u32 t; atom.shared.cas.b32 t, [%0], %1, %1; add.u32 %0, %0, t;}")                   \
	X(atom_add_u64, 8,                                                                                             \
	  "{.reg .u64 t, z; .reg .u32 a, b; mov.b64 z, {%1, %1}; atom.shared.add.u64 t, [%0], z; "                     \
	  "mov.b64 {a, b}, t; add.u32 %0, %0, a;}")                                                                    \
	X(atom_add_f32, 4,                                                                                             \
	  "{.reg .f32 t, z; .reg .u32 a; mov.b32 z, %1; atom.shared.add.f32 t, [%0], z; mov.b32 a, t; "                \
	  "add.u32 %0, %0, a;}")                                                                                       \
	X(red_add_f32, 4, "{.reg .f32 z; mov.b32 z, %1; red.shared.add.f32 [%0], z;}")

#define DEFINE(name_, width_, fill_, text)                                                                             \
	struct op_##name_##_##width_ {                                                                                 \
		static constexpr const char *name = #name_;                                                            \
		static constexpr int width = width_, fill = fill_;                                                     \
		static __device__ __forceinline__ void step(unsigned &x, unsigned zero)                                \
		{                                                                                                      \
			asm volatile(text : "+r"(x) : "r"(zero) : "memory");                                           \
		}                                                                                                      \
	};
#define DEFINE_ACCESS(n, w, text) DEFINE(n, w, 1, text)
#define DEFINE_ATOMIC(n, w, text) DEFINE(n, w, 0, text)
ACCESSES(DEFINE_ACCESS)
ATOMICS(DEFINE_ATOMIC)

template <bool FILL> __device__ __forceinline__ unsigned prepare(unsigned *words)
{
	unsigned base = kit::shared_address(words);
	for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
		words[i] = FILL ? base + i * 4 : 0;
	__syncthreads();
	return base;
}

template <typename Op, int STEPS> __device__ __forceinline__ void chain(unsigned &x, unsigned zero)
{
#pragma unroll
	for (int i = 0; i < STEPS; i++)
		Op::step(x, zero);
}

template <typename Op>
__global__ void latency(const unsigned *offsets, const unsigned *zeros, unsigned lanes, u64 *times, unsigned *sink)
{
	__shared__ __align__(128) unsigned words[WORDS];
	unsigned x = prepare<Op::fill>(words) + offsets[threadIdx.x], zero = zeros[0];
	if (threadIdx.x < lanes) {
#pragma unroll 1
		for (int pass = 0; pass < 3; pass++) { // the first passes warm the instruction cache
			chain<Op, 8>(x, zero);
			u64 t0 = kit::cycles();
			chain<Op, 32>(x, zero);
			u64 t1 = kit::cycles();
			chain<Op, 96>(x, zero);
			u64 t2 = kit::cycles();
			times[threadIdx.x] = t2 - t1 - (t1 - t0);
		}
	}
	sink[threadIdx.x] = x;
}

template <typename Op>
__global__ void __launch_bounds__(1024)
	rate(const unsigned *offsets, const unsigned *zeros, unsigned lanes, int rounds, u64 *spans, unsigned *sink)
{
	constexpr int K = Op::width == 16 ? 4 : 8, STEPS = 32 / K;
	__shared__ __align__(128) unsigned words[WORDS];
	unsigned x[K], zero = zeros[0], sum = 0;
	unsigned base = prepare<Op::fill>(words) + offsets[threadIdx.x % 32];
	for (int k = 0; k < K; k++)
		x[k] = base + zeros[k];
	__syncthreads();
	u64 begin = kit::cycles();
	if (threadIdx.x % 32 < lanes) {
#pragma unroll 1
		for (int round = 0; round < rounds; round++) {
#pragma unroll
			for (int i = 0; i < STEPS * K; i++)
				Op::step(x[i % K], zero);
		}
	}
	for (int k = 0; k < K; k++)
		sum += x[k] * (k + 1);
	sink[threadIdx.x] = sum;
	kit::note(spans, begin, kit::cycles());
}

static bool quick;
static int repeats;
static unsigned *offsets, *zeros, *sinks;
static u64 *times;

static void use(unsigned (*offset)(unsigned lane, unsigned number), unsigned number, unsigned width)
{
	unsigned host[32];
	for (unsigned lane = 0; lane < 32; lane++)
		host[lane] = offset(lane, number) * width;
	CHECK(cudaMemcpy(offsets, host, sizeof host, cudaMemcpyHostToDevice));
}

template <typename Op> std::string about(const std::string &pattern)
{
	return kit::text("op=%s width=%d ", Op::name, Op::width) + pattern;
}

template <typename Op> void measure_latency(const std::string &pattern, unsigned lanes)
{
	std::vector<double> samples;
	for (int i = -1; i < repeats; i++) {
		latency<Op><<<1, 32>>>(offsets, zeros, lanes, times, sinks);
		if (!kit::done(Op::name))
			break;
		if (i >= 0)
			samples.push_back(kit::read(times, 1)[0] / 64.0);
	}
	kit::print("shared", "latency", about<Op>(pattern), samples, "cycles");
}

template <typename Op> void measure_rate(const std::string &pattern, unsigned lanes, int warps, bool bytes)
{
	std::vector<double> cycles = kit::slope(
		Op::name,
		[&](unsigned rounds) {
			rate<Op><<<1, warps * 32>>>(offsets, zeros, lanes, rounds, kit::spans(), sinks);
		},
		quick ? 1 : 4, quick ? 3 : 20, repeats);
	double accesses = 32.0 * warps;
	std::string parameters = about<Op>(pattern) + kit::text(" warps=%d", warps);
	if (bytes)
		kit::print("shared", "bytes", parameters, kit::rates(cycles, accesses * lanes * Op::width),
		           "bytes/cycle");
	for (double &cycle : cycles)
		cycle /= accesses;
	kit::print("shared", "rate", parameters, cycles, "cycles");
}

// Offsets in elements.
static unsigned strided(unsigned lane, unsigned stride)
{
	return lane * stride;
}
static unsigned grouped(unsigned lane, unsigned lanes)
{
	return lane / lanes;
}
static unsigned spread(unsigned lane, unsigned lanes)
{
	return lane % lanes * 32 + lane / lanes;
}
static unsigned reversed(unsigned lane, unsigned mask)
{
	return lane ^ mask;
}

static const struct {
	const char *name;
	unsigned (*offset)(unsigned lane, unsigned number);
	std::vector<unsigned> numbers, few;
} patterns[] = {
	{"stride",
         strided,
         {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
          17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33},
         {1, 2, 32, 33}},
	{"stride", strided, {64}, {}},
	{"group", grouped, {2, 4, 8, 16}, {4}},
	{"spread", spread, {2, 4, 8, 16}, {8}},
	{"xor", reversed, {1, 31}, {}},
};

template <typename Op> void measure_patterns()
{
	for (auto &pattern : patterns) {
		for (unsigned number : quick ? pattern.few : pattern.numbers) {
			if (pattern.offset == strided && number * Op::width * 31 + 16 > WORDS * 4)
				continue;
			std::string name = kit::text("%s=%u lanes=32", pattern.name, number);
			use(pattern.offset, number, Op::width);
			measure_latency<Op>(name, 32);
			measure_rate<Op>(name, 32, 8, false);
		}
	}
}

// Throughput without conflicts by warps, and with fewer lanes.
template <typename Op> void measure_warps()
{
	use(strided, 1, Op::width);
	for (int warps : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32})
		if (!quick || warps == 1 || warps == 16)
			measure_rate<Op>("stride=1 lanes=32", 32, warps, true);
	for (unsigned lanes : {1, 2, 4, 8, 16, 24}) {
		if (quick && lanes != 8)
			continue;
		measure_latency<Op>(kit::text("stride=1 lanes=%u", lanes), lanes);
		measure_rate<Op>(kit::text("stride=1 lanes=%u", lanes), lanes, 16, true);
	}
}

// Lanes that contend: for one address, for the addresses of one bank, for none.
template <typename Op> void measure_atomic()
{
	for (unsigned stride : {0, 1, 32}) {
		use(strided, stride, Op::width);
		for (unsigned lanes : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
			if (quick && lanes != 1 && lanes != 32)
				continue;
			std::string name = kit::text("stride=%u lanes=%u", stride, lanes);
			measure_latency<Op>(name, lanes);
			for (int warps : {1, 4, 8, 32})
				if (!quick || warps == 4)
					measure_rate<Op>(name, lanes, warps, false);
		}
	}
	for (unsigned group : {2, 4, 8, 16}) {
		if (quick)
			continue;
		use(grouped, group, Op::width);
		measure_latency<Op>(kit::text("group=%u lanes=32", group), 32);
		measure_rate<Op>(kit::text("group=%u lanes=32", group), 32, 8, false);
	}
}

int main(int argc, char **argv)
{
	quick = kit::quick(argc, argv);
	repeats = quick ? 1 : 5;
	offsets = kit::allocate<unsigned>(32);
	zeros = kit::allocate<unsigned>(32);
	sinks = kit::allocate<unsigned>(1024);
	times = kit::allocate<u64>(32);
#define MEASURE_ACCESS(name, width, text)                                                                              \
	measure_patterns<op_##name##_##width>();                                                                       \
	measure_warps<op_##name##_##width>();
	ACCESSES(MEASURE_ACCESS)
#define MEASURE_ATOMIC(name, width, text) measure_atomic<op_##name##_##width>();
	ATOMICS(MEASURE_ATOMIC)
	return 0;
}
