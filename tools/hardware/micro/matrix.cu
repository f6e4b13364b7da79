// matrix.cu: latency and throughput of mma.sync, mma.sp, ldmatrix and stmatrix on one SM.
//
// Each line of SHAPES is an mma with its operands' registers. Rows:
//   latency    one warp, a chain through the accumulator: (time of 48 steps - time of 16 steps) / 32. ldmatrix's chain
//              goes through its address and includes an addition; stmatrix has none: the interval between two.
//   rate       matrix instructions per cycle of the SM, by accumulators per warp and number of warps.
//   macs       the same in multiply-adds per cycle.
//   move_rate  ldmatrix and stmatrix, bytes per cycle; conflicts=N: N rows of each matrix lie in the same banks.
// A and B are zero, or 1 in f16 (data=ones). ptxas turns e4m3 on sm_90 into conversions, two f16 mma and additions. Its
// chain goes also through A, or the products would leave the loop. u4 is a call of a subroutine there.
#include "span.h"

using kit::u64;

#define C_4   "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
#define C_2   "+r"(c[0]), "+r"(c[1])
#define C_D2  "+d"(c[0]), "+d"(c[1])
#define A_4_2 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
#define A_4_4 A_4_2, "r"(b[2]), "r"(b[3])
#define A_2_1 "r"(a[0]), "r"(a[1]), "r"(b[0])
#define A_1_1 "r"(a[0]), "r"(b[0])
#define A_D   "d"(a[0]), "d"(b[0])

#define D4   "{%0,%1,%2,%3}, "
#define D2   "{%0,%1}, "
#define S44  D4 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
#define SA44 D4 "{%0,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
#define S42  D2 "{%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
#define S24  D4 "{%4,%5}, {%6}, {%0,%1,%2,%3};"
#define S22  D2 "{%2,%3}, {%4}, {%0,%1};"
#define S12  D2 "{%2}, {%3}, {%0,%1};"
#define SP44 D4 "{%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
#define SP24 D4 "{%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, 0x0;"

// name, arch, multiply-adds per warp, element, accumulators, operands, PTX
#define SHAPES(X)                                                                                                      \
	X(m16n8k8_f16_f32, 75, 16 * 8 * 8, unsigned, (C_4), (A_2_1),                                                   \
	  "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " S24)                                                     \
	X(m16n8k8_f16_f16, 75, 16 * 8 * 8, unsigned, (C_2), (A_2_1),                                                   \
	  "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 " S22)                                                     \
	X(m16n8k16_f16_f32, 80, 16 * 8 * 16, unsigned, (C_4), (A_4_2),                                                 \
	  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " S44)                                                    \
	X(m16n8k16_f16_f16, 80, 16 * 8 * 16, unsigned, (C_2), (A_4_2),                                                 \
	  "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 " S42)                                                    \
	X(m16n8k8_bf16_f32, 80, 16 * 8 * 8, unsigned, (C_4), (A_2_1),                                                  \
	  "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 " S24)                                                   \
	X(m16n8k16_bf16_f32, 80, 16 * 8 * 16, unsigned, (C_4), (A_4_2),                                                \
	  "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " S44)                                                  \
	X(m16n8k4_tf32_f32, 80, 16 * 8 * 4, unsigned, (C_4), (A_2_1),                                                  \
	  "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " S24)                                                   \
	X(m16n8k8_tf32_f32, 80, 16 * 8 * 8, unsigned, (C_4), (A_4_2),                                                  \
	  "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " S44)                                                   \
	X(m8n8k16_s8_s32, 75, 8 * 8 * 16, unsigned, (C_2), (A_1_1),                                                    \
	  "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 " S12)                                                       \
	X(m16n8k16_s8_s32, 80, 16 * 8 * 16, unsigned, (C_4), (A_2_1),                                                  \
	  "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 " S24)                                                      \
	X(m16n8k32_s8_s32, 80, 16 * 8 * 32, unsigned, (C_4), (A_4_2),                                                  \
	  "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " S44)                                                      \
	X(m16n8k64_u4_s32, 80, 16 * 8 * 64, unsigned, (C_4), (A_4_2),                                                  \
	  "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32 " S44)                                                      \
	X(m16n8k32_e4m3_f32, 89, 16 * 8 * 32, unsigned, (C_4), (A_4_2),                                                \
	  "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 " SA44)                                                 \
	X(m8n8k4_f64, 80, 8 * 8 * 4, double, (C_D2), (A_D), "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 " S12)

// Sparse ones, measured last: a simulator may not have them.
#define SPARSE(X)                                                                                                      \
	X(sp_m16n8k16_f16_f32, 80, 16 * 8 * 16, unsigned, (C_4), ("r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(e)), \
	  "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " SP24)                              \
	X(sp_m16n8k32_f16_f32, 80, 16 * 8 * 32, unsigned, (C_4), (A_4_4, "r"(e)),                                      \
	  "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 " SP44)                              \
	X(sp_m16n8k64_s8_s32, 80, 16 * 8 * 64, unsigned, (C_4), (A_4_4, "r"(e)),                                       \
	  "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 " SP44)

#define OPEN(...) __VA_ARGS__
#define DEFINE(name_, arch_, work_, element, accumulators, operands, text)                                             \
	struct mma_##name_ {                                                                                           \
		typedef element T;                                                                                     \
		static constexpr const char *name = #name_;                                                            \
		static constexpr int arch = arch_, work = work_;                                                       \
		static __device__ __forceinline__ void step(T *c, const T *a, const T *b, unsigned e)                  \
		{                                                                                                      \
			if constexpr (HERE >= arch_)                                                                   \
				asm volatile(text : OPEN accumulators : OPEN operands);                                \
		}                                                                                                      \
	};
SHAPES(DEFINE)
SPARSE(DEFINE)

// Operands from memory: 8 values, then 4 per accumulator.
template <typename Op, int K>
__device__ __forceinline__ void load(const typename Op::T *in, typename Op::T *a, typename Op::T *b,
                                     typename Op::T (*c)[4])
{
	for (int i = 0; i < 4; i++) {
		a[i] = in[i];
		b[i] = in[4 + i];
		for (int k = 0; k < K; k++)
			c[k][i] = in[8 + 4 * k + i];
	}
}

template <typename Op, int K> __device__ __forceinline__ void keep(typename Op::T *sink, typename Op::T (*c)[4])
{
	typename Op::T sum = 0;
	for (int k = 0; k < K; k++)
		sum += c[k][0] + 3 * c[k][1] + 5 * c[k][2] + 7 * c[k][3];
	sink[threadIdx.x] = sum;
}

template <typename Op, int STEPS>
__device__ __forceinline__ void chain(typename Op::T *c, const typename Op::T *a, const typename Op::T *b, unsigned e)
{
#pragma unroll
	for (int i = 0; i < STEPS; i++)
		Op::step(c, a, b, e);
}

template <typename Op>
__global__ void latency(const typename Op::T *in, unsigned metadata, u64 *times, typename Op::T *sink)
{
	typename Op::T a[4], b[4], c[1][4];
	load<Op, 1>(in, a, b, c);
	__syncthreads();
#pragma unroll 1
	for (int pass = 0; pass < 3; pass++) { // the first passes warm the instruction cache
		chain<Op, 4>(c[0], a, b, metadata);
		u64 t0 = kit::cycles();
		chain<Op, 16>(c[0], a, b, metadata);
		u64 t1 = kit::cycles();
		chain<Op, 48>(c[0], a, b, metadata);
		u64 t2 = kit::cycles();
		times[threadIdx.x] = t2 - t1 - (t1 - t0);
	}
	keep<Op, 1>(sink, c);
}

template <typename Op, int K>
__global__ void __launch_bounds__(1024)
	rate(const typename Op::T *in, unsigned metadata, int rounds, u64 *spans, typename Op::T *sink)
{
	typename Op::T a[4], b[4], c[K][4];
	load<Op, K>(in, a, b, c);
	__syncthreads();
	u64 begin = kit::cycles();
#pragma unroll 1
	for (int round = 0; round < rounds; round++) {
#pragma unroll
		for (int i = 0; i < 16; i += K) {
#pragma unroll
			for (int k = 0; k < K; k++)
				Op::step(c[k], a, b, metadata);
		}
	}
	keep<Op, K>(sink, c); // waits for the results
	kit::note(spans, begin, kit::cycles());
}

// ldmatrix and stmatrix: name, arch, matrices, load (1) or store (0), PTX. %0 to %3 the data, %4 the address.
#define MOVES(X)                                                                                                       \
	X(ldmatrix_x1, 75, 1, 1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%4];")                               \
	X(ldmatrix_x2, 75, 2, 1, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%4];")                            \
	X(ldmatrix_x4, 75, 4, 1, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];")                      \
	X(ldmatrix_x1_trans, 75, 1, 1, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%4];")                   \
	X(ldmatrix_x2_trans, 75, 2, 1, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%4];")                \
	X(ldmatrix_x4_trans, 75, 4, 1, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];")          \
	X(stmatrix_x1, 90, 1, 0, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%4], {%0};")                               \
	X(stmatrix_x2, 90, 2, 0, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%4], {%0,%1};")                            \
	X(stmatrix_x4, 90, 4, 0, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0,%1,%2,%3};")                      \
	X(stmatrix_x4_trans, 90, 4, 0, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0,%1,%2,%3};")

#define DEFINE_MOVE(name_, arch_, matrices_, load_, text)                                                              \
	struct move_##name_ {                                                                                          \
		static constexpr const char *name = #name_;                                                            \
		static constexpr int arch = arch_, matrices = matrices_, is_load = load_;                              \
		static __device__ __forceinline__ void step(unsigned *x, unsigned address)                             \
		{                                                                                                      \
			if constexpr (HERE >= arch_)                                                                   \
				asm volatile(text                                                                      \
				             : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])                          \
				             : "r"(address)                                                            \
				             : "memory");                                                              \
		}                                                                                                      \
	};
MOVES(DEFINE_MOVE)

// The 32 rows of a warp lie side by side, or `conflicts` rows of each matrix in the same banks.
__device__ inline unsigned row_address(unsigned rows, int conflicts)
{
	unsigned lane = threadIdx.x % 32;
	unsigned row = conflicts == 1 ? lane * 16 : lane % conflicts * 128 + lane / conflicts * 16 % 128;
	return rows + row;
}

// One warp. Loads make a chain: they read zeros, which are added to the address.
template <typename Op> __global__ void move_latency(const unsigned *in, int conflicts, u64 *times, unsigned *sink)
{
	__shared__ __align__(128) unsigned rows[4096 / 4];
	unsigned x[4] = {in[0], in[1], in[2], in[3]};
	for (int i = threadIdx.x; i < 4096 / 4; i += blockDim.x)
		rows[i] = 0;
	__syncthreads();
	unsigned address = row_address(kit::shared_address(rows), conflicts);
#pragma unroll 1
	for (int pass = 0; pass < 3; pass++) {
		u64 t[3];
#pragma unroll
		for (int part = 0; part < 3; part++) {
#pragma unroll
			for (int i = 0; i < (part == 0 ? 4 : part == 1 ? 16 : 48); i++) {
				Op::step(x, address);
				if (Op::is_load)
					address += x[Op::matrices - 1];
			}
			t[part] = kit::cycles();
		}
		times[threadIdx.x] = t[2] - t[1] - (t[1] - t[0]);
	}
	sink[threadIdx.x] = address + x[0] + x[1] + x[2] + x[3];
}

template <typename Op>
__global__ void __launch_bounds__(1024)
	move_rate(const unsigned *in, int conflicts, int rounds, u64 *spans, unsigned *sink)
{
	__shared__ __align__(128) unsigned rows[4096 / 4];
	unsigned x[4][4];
	for (int k = 0; k < 16; k++)
		x[k / 4][k % 4] = in[k];
	for (int i = threadIdx.x; i < 4096 / 4; i += blockDim.x)
		rows[i] = 0;
	__syncthreads();
	unsigned address = row_address(kit::shared_address(rows), conflicts);
	u64 begin = kit::cycles();
#pragma unroll 1
	for (int round = 0; round < rounds; round++) {
#pragma unroll
		for (int i = 0; i < 16; i++)
			Op::step(x[i % 4], address ^ (i * 128)); // another row each time, in the same banks
	}
	unsigned sum = 0;
	for (int k = 0; k < 16; k++)
		sum += x[k / 4][k % 4] * (k + 1);
	sink[threadIdx.x] = sum; // waits for the loads
	kit::note(spans, begin, kit::cycles());
}

const unsigned METADATA = 0x44444444; // of sparse A: the first two of each four elements

static bool quick;
static int repeats;
static void *data[2], *sinks;

static bool wanted(const char *name, int arch)
{
	if (kit::arch() >= arch)
		return true;
	fprintf(stderr, "matrix: %s needs sm_%d\n", name, arch);
	return false;
}

// False if there are no samples.
static bool print_times(const char *name, const std::string &parameters, double steps, std::vector<double> samples)
{
	for (double &sample : samples)
		sample /= steps;
	kit::print("matrix", "latency", kit::text("op=%s", name) + parameters, samples, "cycles");
	return !samples.empty();
}

template <typename Launch> std::vector<double> times_of(const char *name, Launch launch)
{
	static u64 *times = kit::allocate<u64>(32);
	std::vector<double> samples;
	for (int i = -1; i < repeats; i++) {
		launch(times);
		if (!kit::done(name))
			break;
		if (i >= 0)
			samples.push_back(kit::read(times, 1)[0]);
	}
	return samples;
}

// Samples of the cycles that one round adds, for each number of warps: report(warps, cycles).
template <typename Launch, typename Report> void over_warps(const char *name, Launch launch, Report report)
{
	for (int warps : {1, 2, 4, 8, 16, 32}) {
		if (quick && warps != 1 && warps != 8)
			continue;
		auto rounds = [&](unsigned count) { launch(warps, count); };
		report(warps, kit::slope(name, rounds, quick ? 1 : 8, quick ? 3 : 32, repeats));
	}
}

template <typename Op, int K> void measure_rate(int ones)
{
	typedef typename Op::T T;
	auto launch = [&](int warps, unsigned rounds) {
		rate<Op, K><<<1, warps * 32>>>((const T *)data[ones], METADATA, rounds, kit::spans(), (T *)sinks);
	};
	over_warps(Op::name, launch, [&](int warps, const std::vector<double> &cycles) {
		std::string about = kit::text("op=%s accumulators=%d warps=%d data=%s", Op::name, K, warps,
		                              ones ? "ones" : "zeros");
		kit::print("matrix", "rate", about, kit::rates(cycles, 16.0 * warps), "warp_instructions/cycle");
		kit::print("matrix", "macs", about, kit::rates(cycles, 16.0 * warps * Op::work), "multiply_adds/cycle");
	});
}

template <typename Op> void measure()
{
	typedef typename Op::T T;
	if (!wanted(Op::name, Op::arch))
		return;
	auto launch = [&](u64 *times) { latency<Op><<<1, 32>>>((const T *)data[0], METADATA, times, (T *)sinks); };
	if (!print_times(Op::name, "", 32, times_of(Op::name, launch)))
		return;
	measure_rate<Op, 1>(0);
	if (!quick)
		measure_rate<Op, 2>(0);
	measure_rate<Op, 4>(0);
	if (!quick)
		measure_rate<Op, 4>(1);
}

template <typename Op> void measure_move()
{
	if (!wanted(Op::name, Op::arch))
		return;
	for (int conflicts : {1, 2, 4, 8}) {
		if (quick && conflicts != 1 && conflicts != 8)
			continue;
		std::string more = kit::text(" conflicts=%d", conflicts);
		auto launch = [&](u64 *times) {
			move_latency<Op><<<1, 32>>>((const unsigned *)data[0], conflicts, times, (unsigned *)sinks);
		};
		if (!print_times(Op::name, more, 32, times_of(Op::name, launch)))
			return;
		auto rate = [&](int warps, unsigned rounds) {
			move_rate<Op><<<1, warps * 32>>>((const unsigned *)data[0], conflicts, rounds, kit::spans(),
			                                 (unsigned *)sinks);
		};
		over_warps(Op::name, rate, [&](int warps, const std::vector<double> &cycles) {
			kit::print("matrix", "move_rate", kit::text("op=%s warps=%d", Op::name, warps) + more,
			           kit::rates(cycles, 16.0 * warps * Op::matrices * 128), "bytes/cycle");
		});
	}
}

int main(int argc, char **argv)
{
	quick = kit::quick(argc, argv);
	repeats = quick ? 1 : 7;
	// Ones: 0x3c003c00 is 1 in f16x2, small in the other types; as f64 a small number.
	std::vector<unsigned> ones(256, 0x3c003c00);
	for (void *&set : data)
		set = kit::allocate<unsigned>(256);
	CHECK(cudaMemcpy(data[1], ones.data(), 1024, cudaMemcpyHostToDevice));
	sinks = kit::allocate<u64>(1024);
#define MEASURE(name, arch, work, element, accumulators, operands, text) measure<mma_##name>();
	SHAPES(MEASURE)
#define MEASURE_MOVE(name, arch, matrices, load, text) measure_move<move_##name>();
	MOVES(MEASURE_MOVE)
	SPARSE(MEASURE)
	return 0;
}
