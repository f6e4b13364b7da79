// opcodes.cu: latency and throughput of each class of opcode on one SM.
//
// Each line of OPCODES is one step: PTX that computes %0 from %1, the result of the step before, from %0, the result of
// two steps before, and from %2, which is loaded at run time. Two registers take turns, so that ptxas can't merge two
// steps into one three-input instruction. Rows:
//   latency      one warp, one chain: (time of 96 steps - time of 32 steps) / 64, instruction cache warm.
//   rate         warp instructions per cycle of the SM, 8 chains per warp, by number of warps.
//   rate_chains  the same for one warp by number of chains.
//   rate_placed  the same by sub-core: warp w runs on sub-core w % 4.
//   mix          two opcodes in turn, 4 chains each: their sum per cycle.
//   banks        fma with two (b == c) or three different registers; see the kernel.
// `instructions` counts PTX instructions in a step; values are per step, rates per instruction.
#include "span.h"

using kit::u64;

// name, register, seed, arch, instructions, long (1: fewer steps), PTX. Seeds: v values, the same in
// all lanes; n values that differ between lanes; p values, %2 in constant memory;
// s address in shared memory; c address in constant memory; u the same, known to be the same in all lanes. Two steps in
// a row must not fold into one: hence the additions, and divisors that change. The steps of INDEPENDENT are no chain:
// its latency is the interval between two of them.
#define OPCODES(X)                                                                                                     \
	X(add_u32, r, v, 0, 1, 0, "add.u32 %0, %1, %0;")                                                               \
	X(sub_u32, r, v, 0, 1, 0, "sub.u32 %0, %0, %1;")                                                               \
	X(iadd3, r, v, 0, 2, 0, "{.reg .u32 t; add.u32 t, %1, %0; add.u32 %0, t, %2;}")                                \
	X(mul_lo_u32, r, v, 0, 1, 0, "mul.lo.u32 %0, %1, %0;")                                                         \
	X(mad_lo_u32, r, v, 0, 1, 0, "mad.lo.u32 %0, %1, %2, %0;")                                                     \
	X(mul_hi_u32, r, v, 0, 1, 0, "mul.hi.u32 %0, %1, %0;")                                                         \
	X(mul_wide_u32, l, v, 0, 1, 0, "{.reg .b32 t, u; mov.b64 {t, u}, %1; mul.wide.u32 %0, t, u;}")                 \
	X(mad_wide_u32, l, v, 0, 1, 0, "{.reg .b32 t, u; mov.b64 {t, u}, %1; mad.wide.u32 %0, t, u, %0;}")             \
	X(shl_b32, r, v, 0, 1, 0, "shl.b32 %0, %1, %2;")                                                               \
	X(shr_u32, r, v, 0, 1, 0, "shr.u32 %0, %1, %2;")                                                               \
	X(shf_l, r, v, 0, 1, 0, "shf.l.wrap.b32 %0, %1, %0, %2;")                                                      \
	X(xor_add, r, v, 0, 2, 0, "{.reg .b32 t; xor.b32 t, %1, %2; add.u32 %0, t, %0;}")                              \
	X(and_add, r, v, 0, 2, 0, "{.reg .b32 t; and.b32 t, %1, %2; add.u32 %0, t, %0;}")                              \
	X(not_add, r, v, 0, 2, 0, "{.reg .b32 t; not.b32 t, %1; add.u32 %0, t, %0;}")                                  \
	X(lop3, r, v, 0, 1, 0, "lop3.b32 %0, %1, %0, %2, 0x96;")                                                       \
	X(min_s32, r, v, 0, 1, 0, "min.s32 %0, %1, %0;")                                                               \
	X(max_u32, r, v, 0, 1, 0, "max.u32 %0, %1, %0;")                                                               \
	X(abs_add, r, v, 0, 2, 0, "{.reg .s32 t; abs.s32 t, %1; sub.s32 %0, %0, t;}")                                  \
	X(popc, r, v, 0, 1, 0, "popc.b32 %0, %1;")                                                                     \
	X(clz, r, v, 0, 1, 0, "clz.b32 %0, %1;")                                                                       \
	X(bfind, r, v, 0, 1, 0, "bfind.u32 %0, %1;")                                                                   \
	X(bfe_u32, r, v, 0, 1, 0, "bfe.u32 %0, %1, %2, %0;")                                                           \
	X(bfe_fixed_add, r, v, 0, 2, 0, "{.reg .u32 t; bfe.u32 t, %1, 3, 8; add.u32 %0, t, %0;}")                      \
	X(bfi_b32, r, v, 0, 1, 0, "bfi.b32 %0, %1, %0, %2, 8;")                                                        \
	X(bfi_fixed, r, v, 0, 1, 0, "bfi.b32 %0, %1, %0, 3, 8;")                                                       \
	X(brev, r, v, 0, 1, 0, "brev.b32 %0, %1;")                                                                     \
	X(prmt, r, v, 0, 1, 0, "prmt.b32 %0, %1, %0, %2;")                                                             \
	X(sad_u32, r, v, 0, 1, 0, "sad.u32 %0, %1, %2, %0;")                                                           \
	X(setp_selp, r, v, 0, 2, 0, "{.reg .pred p; setp.lt.u32 p, %1, %2; selp.b32 %0, %0, %2, p;}")                  \
	X(slct, r, v, 0, 1, 0, "slct.u32.s32 %0, %0, %2, %1;")                                                         \
	X(dp4a, r, v, 61, 1, 0, "dp4a.u32.u32 %0, %1, %2, %0;")                                                        \
	X(vadd, r, v, 0, 1, 0, "vadd.s32.s32.s32 %0, %1, %0;")                                                         \
	X(add_u64, l, v, 0, 1, 0, "add.u64 %0, %1, %0;")                                                               \
	X(mul_lo_u64, l, v, 0, 1, 0, "mul.lo.u64 %0, %1, %0;")                                                         \
	X(mul_hi_u64, l, v, 0, 1, 1, "mul.hi.u64 %0, %1, %0;")                                                         \
	X(shl_b64, l, v, 0, 2, 0, "{.reg .u32 t; cvt.u32.u64 t, %2; shl.b64 %0, %1, t;}")                              \
	X(min_u64, l, v, 0, 1, 0, "min.u64 %0, %1, %0;")                                                               \
	X(div_u32, r, v, 0, 2, 1, "{.reg .u32 t; or.b32 t, %0, 1; div.u32 %0, %1, t;}")                                \
	X(div_s32, r, v, 0, 2, 1, "{.reg .s32 t; or.b32 t, %0, 1; div.s32 %0, %1, t;}")                                \
	X(rem_u32, r, v, 0, 2, 1, "{.reg .u32 t; or.b32 t, %0, 1; rem.u32 %0, %1, t;}")                                \
	X(div_u64, l, v, 0, 1, 1, "div.u64 %0, %1, %2;")                                                               \
	X(add_f32, f, v, 0, 1, 0, "add.rn.f32 %0, %1, %0;")                                                            \
	X(mul_f32, f, v, 0, 1, 0, "mul.rn.f32 %0, %1, %0;")                                                            \
	X(fma_f32, f, v, 0, 1, 0, "fma.rn.f32 %0, %1, %2, %0;")                                                        \
	X(fma_f32_constant, f, p, 0, 1, 0, "fma.rn.f32 %0, %1, %2, %0;")                                               \
	X(fma_f32_square, f, v, 0, 1, 0, "fma.rn.f32 %0, %1, %1, %1;")                                                 \
	X(fma_f32_immediate, f, v, 0, 1, 0, "fma.rn.f32 %0, %1, 0f3F000000, %0;")                                      \
	X(min_f32, f, v, 0, 1, 0, "min.f32 %0, %1, %0;")                                                               \
	X(max_f32, f, v, 0, 1, 0, "max.f32 %0, %1, %0;")                                                               \
	X(setp_selp_f32, f, v, 0, 2, 0, "{.reg .pred p; setp.lt.f32 p, %1, %2; selp.f32 %0, %0, %2, p;}")              \
	X(rcp_approx_add, f, v, 0, 2, 0, "{.reg .f32 t; rcp.approx.ftz.f32 t, %1; add.f32 %0, t, %0;}")                \
	X(rcp_rn, f, v, 0, 1, 1, "rcp.rn.f32 %0, %1;")                                                                 \
	X(sqrt_approx, f, v, 0, 1, 0, "sqrt.approx.ftz.f32 %0, %1;")                                                   \
	X(sqrt_rn, f, v, 0, 1, 1, "sqrt.rn.f32 %0, %1;")                                                               \
	X(rsqrt, f, v, 0, 1, 0, "rsqrt.approx.ftz.f32 %0, %1;")                                                        \
	X(sin, f, v, 0, 1, 0, "sin.approx.ftz.f32 %0, %1;")                                                            \
	X(cos, f, v, 0, 1, 0, "cos.approx.ftz.f32 %0, %1;")                                                            \
	X(ex2, f, v, 0, 1, 0, "ex2.approx.ftz.f32 %0, %1;")                                                            \
	X(lg2, f, v, 0, 1, 0, "lg2.approx.ftz.f32 %0, %1;")                                                            \
	X(tanh, f, v, 75, 1, 0, "tanh.approx.f32 %0, %1;")                                                             \
	X(div_approx, f, v, 0, 2, 1, "{.reg .f32 t; fma.rn.f32 t, %0, 0f00000000, %2; div.approx.f32 %0, %1, t;}")     \
	X(div_full, f, v, 0, 2, 1, "{.reg .f32 t; fma.rn.f32 t, %0, 0f00000000, %2; div.full.f32 %0, %1, t;}")         \
	X(div_rn, f, v, 0, 1, 1, "div.rn.f32 %0, %1, %2;")                                                             \
	X(add_f16x2, r, v, 53, 1, 0, "add.rn.f16x2 %0, %1, %0;")                                                       \
	X(mul_f16x2, r, v, 53, 1, 0, "mul.rn.f16x2 %0, %1, %0;")                                                       \
	X(fma_f16x2, r, v, 53, 1, 0, "fma.rn.f16x2 %0, %1, %2, %0;")                                                   \
	X(fma_bf16x2, r, v, 80, 1, 0, "fma.rn.bf16x2 %0, %1, %2, %0;")                                                 \
	X(max_f16x2, r, v, 80, 1, 0, "max.f16x2 %0, %1, %0;")                                                          \
	X(ex2_f16x2, r, v, 75, 1, 0, "ex2.approx.f16x2 %0, %1;")                                                       \
	X(tanh_f16x2, r, v, 75, 1, 0, "tanh.approx.f16x2 %0, %1;")                                                     \
	X(add_f64, d, v, 0, 1, 0, "add.rn.f64 %0, %1, %0;")                                                            \
	X(mul_f64, d, v, 0, 1, 0, "mul.rn.f64 %0, %1, %0;")                                                            \
	X(fma_f64, d, v, 0, 1, 0, "fma.rn.f64 %0, %1, %2, %0;")                                                        \
	X(min_f64, d, v, 0, 1, 0, "min.f64 %0, %1, %0;")                                                               \
	X(setp_selp_f64, d, v, 0, 2, 0, "{.reg .pred p; setp.lt.f64 p, %1, %2; selp.f64 %0, %0, %2, p;}")              \
	X(rcp_approx_f64, d, v, 0, 1, 0, "rcp.approx.ftz.f64 %0, %1;")                                                 \
	X(div_f64, d, v, 0, 1, 1, "div.rn.f64 %0, %1, %2;")                                                            \
	X(sqrt_f64, d, v, 0, 1, 1, "sqrt.rn.f64 %0, %1;")                                                              \
	X(cvt_f32_s32, f, v, 0, 2, 0, "{.reg .s32 t; cvt.rzi.s32.f32 t, %1; cvt.rn.f32.s32 %0, t;}")                   \
	X(cvt_s32_f32, r, v, 0, 1, 0, "{.reg .f32 t; cvt.rn.f32.s32 t, %1; mov.b32 %0, t;}")                           \
	X(cvt_f32_f16, f, v, 0, 2, 0, "{.reg .f16 t; cvt.rn.f16.f32 t, %1; cvt.f32.f16 %0, t;}")                       \
	X(cvt_f64_f32, d, v, 0, 2, 0, "{.reg .f32 t; cvt.rn.f32.f64 t, %1; cvt.f64.f32 %0, t;}")                       \
	X(cvt_f64_s32, d, v, 0, 2, 0, "{.reg .s32 t; cvt.rzi.s32.f64 t, %1; cvt.rn.f64.s32 %0, t;}")                   \
	X(cvt_f32_s64, f, v, 0, 2, 0, "{.reg .s64 t; cvt.rzi.s64.f32 t, %1; cvt.rn.f32.s64 %0, t;}")                   \
	X(cvt_s8_s32, r, v, 0, 2, 0, "{.reg .s32 t; cvt.s32.s8 t, %1; add.s32 %0, t, %0;}")                            \
	X(cvt_rni_f32, f, v, 0, 1, 0, "cvt.rni.f32.f32 %0, %1;")                                                       \
	X(cvt_bf16x2_f32, f, v, 80, 1, 0, "{.reg .b32 t; cvt.rn.bf16x2.f32 t, %1, %2; mov.b32 %0, t;}")                \
	X(cvt_f16x2_f32, f, v, 80, 1, 0, "{.reg .b32 t; cvt.rn.f16x2.f32 t, %1, %2; mov.b32 %0, t;}")                  \
	X(cvt_tf32_f32, f, v, 80, 1, 0, "{.reg .b32 t; cvt.rna.tf32.f32 t, %1; mov.b32 %0, t;}")                       \
	X(cvt_e4m3x2_f16x2, r, v, 89, 2, 0,                                                                            \
	  "{.reg .b16 t; cvt.rn.satfinite.e4m3x2.f16x2 t, %1; cvt.rn.f16x2.e4m3x2 %0, t;}")                            \
	X(shfl_idx, r, n, 70, 1, 0, "shfl.sync.idx.b32 %0, %1, %1, 31, 0xffffffff;")                                   \
	X(shfl_bfly, r, n, 70, 1, 0, "shfl.sync.bfly.b32 %0, %1, %1, 31, 0xffffffff;")                                 \
	X(shfl_up, r, n, 70, 1, 0, "shfl.sync.up.b32 %0, %1, 1, 0, 0xffffffff;")                                       \
	X(vote_ballot, r, v, 70, 2, 0,                                                                                 \
	  "{.reg .pred p; setp.ne.u32 p, %1, %2; vote.sync.ballot.b32 %0, p, 0xffffffff;}")                            \
	X(match_any, r, v, 70, 1, 1, "match.any.sync.b32 %0, %1, 0xffffffff;")                                         \
	X(match_any_distinct, r, n, 70, 1, 1, "match.any.sync.b32 %0, %1, 0xffffffff;")                                \
	X(redux_add, r, n, 80, 1, 0, "redux.sync.add.u32 %0, %1, 0xffffffff;")                                         \
	X(redux_or, r, n, 80, 1, 0, "redux.sync.or.b32 %0, %1, 0xffffffff;")                                           \
	X(ld_shared, r, s, 0, 1, 0, "ld.shared.u32 %0, [%1];")                                                         \
	X(ld_const, l, c, 0, 1, 0, "ld.const.u64 %0, [%1];")                                                           \
	X(ld_const_uniform, l, u, 0, 1, 0, "ld.const.u64 %0, [%1];")

#define INDEPENDENT(X)                                                                                                 \
	X(bar_warp_sync, r, v, 70, 1, 0, "bar.warp.sync 0xffffffff;")                                                  \
	X(mov_smid, r, v, 0, 2, 0, "{.reg .u32 t; mov.u32 t, %%smid; add.u32 %0, %0, t;}")                             \
	X(mov_warpid, r, v, 0, 2, 0, "{.reg .u32 t; mov.u32 t, %%warpid; add.u32 %0, %0, t;}")                         \
	X(mov_clock, r, v, 0, 1, 0, "mov.u32 %0, %%clock;")                                                            \
	X(mov_clock64, l, v, 0, 1, 0, "mov.u64 %0, %%clock64;")                                                        \
	X(mov_globaltimer, l, v, 0, 1, 1, "mov.u64 %0, %%globaltimer;")                                                \
	X(nanosleep_0, r, v, 70, 1, 1, "nanosleep.u32 0;")

typedef unsigned type_r;
typedef u64 type_l;
typedef float type_f;
typedef double type_d;

#define DEFINE(name_, letter, seed_, arch_, instructions_, long_, dependent_, text)                                    \
	struct op_##name_ {                                                                                            \
		typedef type_##letter T;                                                                               \
		static constexpr const char *name = #name_;                                                            \
		static constexpr char seed = #seed_[0];                                                                \
		static constexpr int arch = arch_, instructions = instructions_, few = long_, dependent = dependent_;  \
		static __device__ __forceinline__ void step(T &x, T y, T a)                                            \
		{                                                                                                      \
			if constexpr (HERE >= arch_)                                                                   \
				asm volatile(text : "+" #letter(x) : #letter(y), #letter(a) : "memory");               \
		}                                                                                                      \
	};
#define DEPENDENT_OP(n, l, s, a, i, g, text)   DEFINE(n, l, s, a, i, g, 1, text)
#define INDEPENDENT_OP(n, l, s, a, i, g, text) DEFINE(n, l, s, a, i, g, 0, text)
OPCODES(DEPENDENT_OP)
INDEPENDENT(INDEPENDENT_OP)

const int CHAINS = 8;

// Values that only the run knows: those of chain k are x[k] and y[k], different for each.
struct Inputs {
	unsigned r[2 * CHAINS + 1];
	u64 l[2 * CHAINS + 1];
	float f[2 * CHAINS + 1];
	double d[2 * CHAINS + 1];
};

__device__ inline const unsigned *values(const Inputs *in, unsigned)
{
	return in->r;
}
__device__ inline const u64 *values(const Inputs *in, u64)
{
	return in->l;
}
__device__ inline const float *values(const Inputs *in, float)
{
	return in->f;
}
__device__ inline const double *values(const Inputs *in, double)
{
	return in->d;
}

// Each entry holds its own address in constant memory.
__constant__ u64 self[2 * CHAINS];
__constant__ float factor;

__device__ inline u64 constant_address(int i)
{
	u64 address;
	asm("cvta.to.const.u64 %0, %1;" : "=l"(address) : "l"(self + i));
	return address;
}

__global__ void constant_addresses(u64 *out)
{
	out[threadIdx.x] = constant_address(threadIdx.x);
}

// Start values of K chains.
template <typename Op, int K>
__device__ __forceinline__ void start(const Inputs *in, typename Op::T *x, typename Op::T *y, typename Op::T &a)
{
	typedef typename Op::T T;
	const T *from = values(in, T());
	a = from[2 * CHAINS];
	for (int k = 0; k < K; k++) {
		x[k] = from[k];
		y[k] = from[CHAINS + k];
	}
	if constexpr (Op::seed == 'n') {
		for (int k = 0; k < K; k++) {
			x[k] += threadIdx.x;
			y[k] += threadIdx.x;
		}
	}
	if constexpr (Op::seed == 's') {
		__shared__ unsigned cells[CHAINS][1024];
		for (int k = 0; k < K; k++) {
			unsigned *cell = &cells[k][threadIdx.x];
			*(volatile unsigned *)cell = kit::shared_address(cell);
			x[k] = y[k] = kit::shared_address(cell);
		}
	}
	if constexpr (Op::seed == 'c' || Op::seed == 'u') {
		// zero, but the compiler can't know that the address is the same in all lanes
		int lane = Op::seed == 'c' ? threadIdx.x & (in->r[2 * CHAINS] - 1) : 0;
		for (int k = 0; k < K; k++)
			x[k] = y[k] = constant_address(k + lane);
	}
	if constexpr (Op::seed == 'p')
		a = factor;
}

template <typename T, int K> __device__ __forceinline__ void keep(T *sink, const T *x, const T *y)
{
	T sum = 0;
	for (int k = 0; k < K; k++)
		sum += x[k] + 3 * y[k];
	sink[threadIdx.x] = sum;
}

template <typename Op, int STEPS>
__device__ __forceinline__ void chain(typename Op::T &x, typename Op::T &y, typename Op::T a)
{
#pragma unroll
	for (int i = 0; i < STEPS; i += 2) {
		Op::step(x, y, a);
		Op::step(y, x, a);
	}
}

template <typename Op> __global__ void latency(const Inputs *in, u64 *times, typename Op::T *sink)
{
	constexpr int N = Op::few ? 4 : 32;
	typename Op::T x, y, a;
	u64 t0, t1, t2;

	start<Op, 1>(in, &x, &y, a);
	__syncthreads();
#pragma unroll 1
	for (int pass = 0; pass < 3; pass++) { // the first passes warm the instruction cache
		chain<Op, N / 4>(x, y, a);
		t0 = kit::cycles();
		chain<Op, N>(x, y, a);
		t1 = kit::cycles();
		chain<Op, 3 * N>(x, y, a);
		t2 = kit::cycles();
		times[threadIdx.x] = t2 - t1 - (t1 - t0);
	}
	keep<typename Op::T, 1>(sink, &x, &y);
}

template <typename Op, int K>
__global__ void __launch_bounds__(1024)
	rate(const Inputs *in, unsigned active, int rounds, u64 *spans, typename Op::T *sink)
{
	constexpr int STEPS = Op::few ? 2 : 16;
	typename Op::T x[K], y[K], a;

	start<Op, K>(in, x, y, a);
	__syncthreads();
	if (!(active >> threadIdx.x / 32 & 1))
		return;
	u64 begin = kit::cycles();
#pragma unroll 1
	for (int round = 0; round < rounds; round++) {
#pragma unroll
		for (int i = 0; i < STEPS; i += 2) {
#pragma unroll
			for (int k = 0; k < K; k++)
				Op::step(x[k], y[k], a);
#pragma unroll
			for (int k = 0; k < K; k++)
				Op::step(y[k], x[k], a);
		}
	}
	kit::note(spans, begin, kit::cycles());
	keep<typename Op::T, K>(sink, x, y);
}

template <typename A, typename B>
__global__ void __launch_bounds__(1024)
	mixed(const Inputs *in, int rounds, u64 *spans, typename A::T *sink_a, typename B::T *sink_b)
{
	constexpr int K = 4, STEPS = 8;
	typename A::T xa[K], ya[K], a;
	typename B::T xb[K], yb[K], b;

	start<A, K>(in, xa, ya, a);
	start<B, K>(in, xb, yb, b);
	__syncthreads();
	u64 begin = kit::cycles();
#pragma unroll 1
	for (int round = 0; round < rounds; round++) {
#pragma unroll
		for (int i = 0; i < STEPS; i++) {
#pragma unroll
			for (int k = 0; k < K; k++) {
				if (i % 2) {
					A::step(ya[k], xa[k], a);
					B::step(yb[k], xb[k], b);
				} else {
					A::step(xa[k], ya[k], a);
					B::step(xb[k], yb[k], b);
				}
			}
		}
	}
	kit::note(spans, begin, kit::cycles());
	keep<typename A::T, K>(sink_a, xa, ya);
	keep<typename B::T, K>(sink_b, xb, yb);
}

// x[k] = x[k] * a[I] + a[J]. Vector loads put x[0..3] and a[0..3] in four registers from a multiple of four, but ptxas
// moves them away from conflicts. What CUDA 13.0 makes for sm_90, if a bank is the register number % 2: where I == J,
// each fma reads one register from each bank. Else at least 80% read two from one bank, and none reads three.
template <int I, int J>
__global__ void __launch_bounds__(1024) banks(const float4 *in, int rounds, u64 *spans, float4 *sink)
{
	float4 x[4], a[2] = {in[8], in[9]};
	for (int k = 0; k < 4; k++)
		x[k] = in[k];
	const float i0[4] = {a[0].x, a[0].y, a[0].z, a[0].w}, i1[4] = {a[1].x, a[1].y, a[1].z, a[1].w};
	__syncthreads();
	u64 begin = kit::cycles();
#pragma unroll 1
	for (int round = 0; round < rounds; round++) {
#pragma unroll
		for (int i = 0; i < 16; i++) {
#define FMA(d, a, b) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(d) : "f"(a), "f"(b))
			FMA(x[0].x, i0[I], i0[J]);
			FMA(x[1].x, i1[I], i1[J]);
			FMA(x[2].x, i0[I], i0[J]);
			FMA(x[3].x, i1[I], i1[J]);
			FMA(x[0].z, i0[I], i0[J]);
			FMA(x[1].z, i1[I], i1[J]);
			FMA(x[2].z, i0[I], i0[J]);
			FMA(x[3].z, i1[I], i1[J]);
		}
	}
	kit::note(spans, begin, kit::cycles());
	for (int k = 0; k < 4; k++)
		sink[threadIdx.x * 4 + k] = x[k];
}

static bool quick;
static int repeats;
static const char *only;
static const Inputs *inputs;
static void *sinks;

static std::string about(const char *name, int instructions)
{
	return kit::text("op=%s instructions=%d", name, instructions);
}

template <typename Op> bool wanted()
{
	if (only && !strstr(Op::name, only))
		return false;
	if (kit::arch() >= Op::arch)
		return true;
	fprintf(stderr, "opcodes: %s needs sm_%d\n", Op::name, Op::arch);
	return false;
}

template <typename Op> void measure_latency()
{
	u64 *times = kit::allocate<u64>(32);
	std::vector<double> samples;
	for (int i = -1; i < repeats; i++) {
		latency<Op><<<1, 32>>>(inputs, times, (typename Op::T *)sinks);
		if (!kit::done(Op::name))
			break;
		if (i >= 0)
			samples.push_back(kit::read(times, 1)[0] / (Op::few ? 8.0 : 64.0));
	}
	kit::print("opcodes", Op::dependent ? "latency" : "interval", about(Op::name, Op::instructions), samples,
	           "cycles");
}

template <typename Op, int K> void measure_rate(const char *measure, unsigned active, const std::string &more)
{
	unsigned steps = (Op::few ? 2 : 16) * K, warps = __builtin_popcount(active);
	int threads = (32 - __builtin_clz(active)) * 32;
	std::vector<double> cycles = kit::slope(
		Op::name,
		[&](unsigned rounds) {
			rate<Op, K><<<1, threads>>>(inputs, active, rounds, kit::spans(), (typename Op::T *)sinks);
		},
		quick ? 1 : 4, quick ? 3 : 16, repeats);
	kit::print("opcodes", measure,
	           about(Op::name, Op::instructions) + kit::text(" chains=%d warps=%u", K, warps) + more,
	           kit::rates(cycles, (double)steps * warps * Op::instructions), "warp_instructions/cycle");
}

template <typename Op> void measure()
{
	if (!wanted<Op>())
		return;
	measure_latency<Op>();
	for (int warps = 1; warps <= 32; warps *= 2)
		if (!quick || warps == 1 || warps == 8)
			measure_rate<Op, CHAINS>("rate", warps == 32 ? ~0u : (1u << warps) - 1, "");
}

template <typename Op> void measure_placed()
{
	static const struct {
		unsigned active;
		int sub_cores;
	} places[] = {{0x1, 1},  {0x11, 1}, {0x3, 2},        {0x111, 1},  {0x1111, 1},
	              {0x33, 2}, {0xf, 4},  {0x11111111, 1}, {0x3333, 2}, {0xff, 4}};
	if (!wanted<Op>())
		return;
	for (auto &place : places)
		if (!quick || place.sub_cores == 4)
			measure_rate<Op, CHAINS>("rate_placed", place.active,
			                         kit::text(" sub_cores=%d", place.sub_cores));
	if (quick)
		return;
	measure_rate<Op, 1>("rate_chains", 1, "");
	measure_rate<Op, 2>("rate_chains", 1, "");
	measure_rate<Op, 3>("rate_chains", 1, "");
	measure_rate<Op, 4>("rate_chains", 1, "");
	measure_rate<Op, 6>("rate_chains", 1, "");
	measure_rate<Op, 8>("rate_chains", 1, "");
}

template <typename A, typename B> void measure_mix()
{
	if (!wanted<A>() || !wanted<B>())
		return;
	for (int warps : {1, 4, 16, 32}) {
		if (quick && warps != 4)
			continue;
		std::vector<double> cycles = kit::slope(
			"mix",
			[&](unsigned rounds) {
				mixed<A, B><<<1, warps * 32>>>(inputs, rounds, kit::spans(), (typename A::T *)sinks,
			                                       (typename B::T *)sinks);
			},
			quick ? 1 : 4, quick ? 3 : 16, repeats);
		kit::print("opcodes", "mix",
		           kit::text("a=%s b=%s instructions=%d warps=%d", A::name, B::name,
		                     A::instructions + B::instructions, warps),
		           kit::rates(cycles, 32.0 * warps * (A::instructions + B::instructions)),
		           "warp_instructions/cycle");
	}
}

template <int I, int J> void measure_banks()
{
	if (only && !strstr("banks", only))
		return;
	float4 *in = kit::allocate<float4>(16), *sink = kit::allocate<float4>(4096);
	for (int warps : {1, 4, 16}) {
		if (quick && warps != 4)
			continue;
		std::vector<double> cycles = kit::slope(
			"banks", [&](unsigned n) { banks<I, J><<<1, warps * 32>>>(in, n, kit::spans(), sink); },
			quick ? 1 : 4, quick ? 3 : 16, repeats);
		kit::print("opcodes", "banks", kit::text("op=fma_f32 b=%d c=%d warps=%d", I, J, warps),
		           kit::rates(cycles, 128.0 * warps), "warp_instructions/cycle");
	}
}

static void prepare()
{
	static Inputs host;
	Inputs *device = kit::allocate<Inputs>(1);
	for (int i = 0; i <= 2 * CHAINS; i++) {
		host.r[i] = 7 + i;
		host.l[i] = 7 + i;
		host.f[i] = host.d[i] = 1 + i / 64.0;
	}
	host.r[2 * CHAINS] = host.l[2 * CHAINS] = 1;
	host.f[2 * CHAINS] = host.d[2 * CHAINS] = 1;
	CHECK(cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice));
	inputs = device;
	sinks = kit::allocate<u64>(1024);

	u64 *addresses = kit::allocate<u64>(2 * CHAINS);
	constant_addresses<<<1, 2 * CHAINS>>>(addresses);
	kit::finish();
	CHECK(cudaMemcpyToSymbol(self, kit::read(addresses, 2 * CHAINS).data(), sizeof self));
}

int main(int argc, char **argv)
{
	quick = kit::quick(argc, argv);
	repeats = quick ? 1 : 7;
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "--only=", 7))
			only = argv[i] + 7;
	prepare();
#define MEASURE(n, l, s, a, i, g, text) measure<op_##n>();
	OPCODES(MEASURE)
	INDEPENDENT(MEASURE)

	measure_placed<op_add_u32>();
	measure_placed<op_lop3>();
	measure_placed<op_mad_lo_u32>();
	measure_placed<op_fma_f32>();
	measure_placed<op_add_f32>();
	measure_placed<op_fma_f16x2>();
	measure_placed<op_fma_f64>();
	measure_placed<op_rsqrt>();
	measure_placed<op_ld_shared>();

	measure_mix<op_fma_f32, op_add_u32>();
	measure_mix<op_fma_f32, op_lop3>();
	measure_mix<op_fma_f32, op_mad_lo_u32>();
	measure_mix<op_fma_f32, op_add_f32>();
	measure_mix<op_fma_f32, op_min_f32>();
	measure_mix<op_fma_f32, op_ex2>();
	measure_mix<op_fma_f32, op_ld_shared>();
	measure_mix<op_fma_f32, op_fma_f64>();
	measure_mix<op_fma_f32, op_fma_f16x2>();
	measure_mix<op_fma_f32, op_cvt_s32_f32>();
	measure_mix<op_fma_f32, op_shfl_bfly>();
	measure_mix<op_add_u32, op_mad_lo_u32>();
	measure_mix<op_add_u32, op_lop3>();
	measure_mix<op_add_u32, op_popc>();
	measure_mix<op_add_u32, op_fma_f64>();
	measure_mix<op_ex2, op_popc>();
	measure_mix<op_ex2, op_cvt_s32_f32>();
	measure_mix<op_ex2, op_ld_shared>();
	measure_mix<op_fma_f64, op_ld_shared>();
	measure_mix<op_shfl_bfly, op_ld_shared>();

	measure_banks<1, 3>();
	measure_banks<0, 1>();
	measure_banks<1, 0>();
	measure_banks<0, 2>();
	measure_banks<0, 0>();
	measure_banks<1, 1>();
	return 0;
}
