// barriers.cu: barriers and fences: of a warp, of a block, of the grid, and between two SMs.
//
// Rows in cycles of the SM, each the slope between two numbers of rounds:
//   block      one barrier of a block (op) by number of warps; named=N: N barriers that share the warps out evenly.
//   warp       bar.warp.sync with a mask from memory, by number of warps.
//   fence      one fence (op) after `stores` stores per lane to separate lines, by warps; op=none: only the stores.
//   mbarrier   a round of arrive and wait by all threads of a block.
//   grid       one barrier of the grid by blocks and threads: own (atomics) or cooperative groups; also in ns.
//   ping_pong  a word that goes to another SM and back through the L2 cache; also in ns.
//   clock      MHz of the SM during the rows in ns.
// Every wait is bounded: after TIMEOUT cycles a thread goes on, and the program notes it and skips the row.
#include "span.h"

#if defined(__has_include)
#if __has_include(<cooperative_groups.h>)
#include <cooperative_groups.h>
#define GROUPS 1
#endif
#endif

using kit::u64;

const u64 TIMEOUT = 500u * 1000 * 1000;

// name, arch, PTX of one barrier. %0 number of threads, %1 a full mask, %2 the number of a barrier.
#define BLOCK_BARRIERS(X)                                                                                              \
	X(bar_sync, 0, "bar.sync 0;")                                                                                  \
	X(bar_sync_count, 0, "bar.sync 1, %0;")                                                                        \
	X(bar_red_popc, 0, "{.reg .pred p; .reg .u32 t; setp.ne.u32 p, %1, 0; bar.red.popc.u32 t, 0, p;}")             \
	X(bar_red_or, 0, "{.reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.or.pred q, 0, p;}")                          \
	X(bar_named, 0, "bar.sync %2, %0;")                                                                            \
	X(barrier_cluster, 90, "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;")

#define WARP_BARRIERS(X)                                                                                               \
	X(bar_warp_sync, 70, "bar.warp.sync %1;")                                                                      \
	X(bar_warp_sync_full, 70, "bar.warp.sync 0xffffffff;")

#define FENCES(X)                                                                                                      \
	X(none, 0, "")                                                                                                 \
	X(membar_cta, 0, "membar.cta;")                                                                                \
	X(membar_gl, 0, "membar.gl;")                                                                                  \
	X(membar_sys, 0, "membar.sys;")                                                                                \
	X(fence_acq_rel_cta, 70, "fence.acq_rel.cta;")                                                                 \
	X(fence_acq_rel_gpu, 70, "fence.acq_rel.gpu;")                                                                 \
	X(fence_acq_rel_sys, 70, "fence.acq_rel.sys;")                                                                 \
	X(fence_sc_cta, 70, "fence.sc.cta;")                                                                           \
	X(fence_sc_gpu, 70, "fence.sc.gpu;")                                                                           \
	X(fence_sc_sys, 70, "fence.sc.sys;")                                                                           \
	X(fence_proxy_async, 90, "fence.proxy.async;")

#define DEFINE(name_, arch_, text)                                                                                     \
	struct op_##name_ {                                                                                            \
		static constexpr const char *name = #name_;                                                            \
		static constexpr int arch = arch_;                                                                     \
		static __device__ __forceinline__ void step(unsigned threads, unsigned mask, unsigned id)              \
		{                                                                                                      \
			if constexpr (HERE >= arch_)                                                                   \
				asm volatile(text : : "r"(threads), "r"(mask), "r"(id) : "memory");                    \
		}                                                                                                      \
	};
BLOCK_BARRIERS(DEFINE)
WARP_BARRIERS(DEFINE)
FENCES(DEFINE)

// 16 barriers per round. `named` groups of warps have a barrier each.
template <typename Op>
__global__ void __launch_bounds__(1024) barrier(const unsigned *mask, int named, int rounds, u64 *spans)
{
	unsigned full = *mask, threads = blockDim.x / named, id = 1 + threadIdx.x / threads;
	__syncthreads();
	u64 begin = kit::cycles();
#pragma unroll 1
	for (int round = 0; round < rounds; round++) {
#pragma unroll
		for (int i = 0; i < 16; i++)
			Op::step(threads, full, id);
	}
	kit::note(spans, begin, kit::cycles());
}

// 4 fences per round, each after STORES stores. A lane writes its own 128-byte lines.
template <typename Op, int STORES>
__global__ void __launch_bounds__(1024) fence(unsigned *lines, const unsigned *mask, int rounds, u64 *spans)
{
	unsigned full = *mask;
	volatile unsigned *line = lines + threadIdx.x * 32;
	__syncthreads();
	u64 begin = kit::cycles();
#pragma unroll 1
	for (int round = 0; round < rounds; round++) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
#pragma unroll
			for (int k = 0; k < STORES; k++)
				line[k * 32 * 1024] = round;
			Op::step(0, full, 0);
		}
	}
	kit::note(spans, begin, kit::cycles());
}

template <int TRY> __device__ __forceinline__ bool phase_over(unsigned barrier, unsigned parity)
{
	unsigned over = 1;
#if HERE >= 90
	if (TRY)
		asm volatile(
			"{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
			: "=r"(over)
			: "r"(barrier), "r"(parity)
			: "memory");
	else
#endif
#if HERE >= 80
		asm volatile("{.reg .pred p; .reg .b64 s; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
		             "selp.u32 %0, 1, 0, p;}"
		             : "=r"(over)
		             : "r"(barrier), "r"(parity)
		             : "memory");
#endif
	return over;
}

// A round: all threads arrive and wait for the phase.
template <int TRY> __global__ void __launch_bounds__(1024) mbarrier(int rounds, u64 *spans, int *late)
{
	__shared__ u64 object;
	unsigned address = kit::shared_address(&object);
#if HERE >= 80
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(address), "r"(blockDim.x) : "memory");
#endif
	__syncthreads();
	bool lost = false;
	u64 begin = kit::cycles();
#pragma unroll 1
	for (int round = 0; round < rounds && !lost; round++) {
#if HERE >= 80
		asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" : : "r"(address) : "memory");
#endif
		while (!phase_over<TRY>(address, round & 1)) {
			lost = kit::cycles() - begin > TIMEOUT;
			if (lost) {
				*late = 1;
				break;
			}
		}
	}
	kit::note(spans, begin, kit::cycles());
}

// Notes of one block.
struct Times {
	u64 cycles, start_ns, end_ns;
};

// A barrier of the grid: the last block to arrive opens the next round. Counts go up only: no reset between launches.
__global__ void grid_own(unsigned *arrived, int rounds, Times *times, int *late)
{
	u64 begin = kit::cycles(), begin_ns = kit::nanoseconds();
	for (int round = 0; round < rounds; round++) {
		__syncthreads();
		if (threadIdx.x == 0) {
			unsigned all = (round + 1) * gridDim.x;
			__threadfence();
			atomicAdd(arrived, 1);
			while (*(volatile unsigned *)arrived < all) {
				if (kit::cycles() - begin > TIMEOUT) {
					*late = 1; // the next rounds don't wait either
					break;
				}
			}
			__threadfence();
		}
		__syncthreads();
	}
	if (threadIdx.x == 0)
		times[blockIdx.x] = {kit::cycles() - begin, begin_ns, kit::nanoseconds()};
}

#ifdef GROUPS
__global__ void grid_groups(unsigned *, int rounds, Times *times, int *)
{
	u64 begin = kit::cycles(), begin_ns = kit::nanoseconds();
	for (int round = 0; round < rounds; round++)
		cooperative_groups::this_grid().sync();
	if (threadIdx.x == 0)
		times[blockIdx.x] = {kit::cycles() - begin, begin_ns, kit::nanoseconds()};
}
#endif

// Blocks 0 and `partner` take turns to count a word up.
__global__ void ping_pong(unsigned *word, int partner, int rounds, Times *times, int *late)
{
	bool first = blockIdx.x == 0;
	if (threadIdx.x || (!first && (int)blockIdx.x != partner))
		return;
	bool lost = false;
	u64 begin = kit::cycles(), begin_ns = kit::nanoseconds();
	for (int round = 0; round < rounds && !lost; round++) {
		unsigned mine = 2 * round + !first;
		while (*(volatile unsigned *)word != mine) {
			lost = kit::cycles() - begin > TIMEOUT;
			if (lost) {
				*late = 1;
				break;
			}
		}
		*(volatile unsigned *)word = mine + 1;
	}
	times[first ? 0 : 1] = {kit::cycles() - begin, begin_ns, kit::nanoseconds()};
}

static bool quick;
static int repeats;
static unsigned *mask, *lines, *word;
static int *late;
static Times *times;

static bool wanted(const char *name, int arch)
{
	if (kit::arch() >= arch)
		return true;
	fprintf(stderr, "barriers: %s needs sm_%d\n", name, arch);
	return false;
}

// True if a wait of the last launches ended by its bound; forgets it.
static bool was_late(const char *what)
{
	bool it_was = kit::read(late, 1)[0];
	CHECK(cudaMemset(late, 0, sizeof *late));
	if (it_was)
		fprintf(stderr, "barriers: %s: a wait took too long\n", what);
	return it_was;
}

static void print(const char *measure, const std::string &parameters, std::vector<double> cycles, double steps)
{
	for (double &cycle : cycles)
		cycle /= steps;
	kit::print("barriers", measure, parameters, cycles, "cycles");
}

template <typename Op> void measure_barrier(const char *measure, int named)
{
	if (!wanted(Op::name, Op::arch))
		return;
	for (int warps : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32}) {
		if (warps % named || (quick && warps != 1 && warps != 8 && warps != 32))
			continue;
		std::vector<double> cycles = kit::slope(
			Op::name,
			[&](unsigned rounds) { barrier<Op><<<1, warps * 32>>>(mask, named, rounds, kit::spans()); },
			quick ? 1 : 4, quick ? 3 : 20, repeats);
		print(measure, kit::text("op=%s named=%d warps=%d", Op::name, named, warps), cycles, 16);
	}
}

template <typename Op, int STORES> void measure_stores()
{
	for (int warps : {1, 4, 8, 16}) {
		if (quick && warps != 1)
			continue;
		std::vector<double> cycles = kit::slope(
			Op::name,
			[&](unsigned rounds) {
				fence<Op, STORES><<<1, warps * 32>>>(lines, mask, rounds, kit::spans());
			},
			quick ? 1 : 4, quick ? 3 : 20, repeats);
		print("fence", kit::text("op=%s stores=%d warps=%d", Op::name, STORES, warps), cycles, 4);
	}
}

template <typename Op> void measure_fence()
{
	if (!wanted(Op::name, Op::arch))
		return;
	measure_stores<Op, 0>();
	measure_stores<Op, 1>();
	measure_stores<Op, 4>();
}

template <int TRY> void measure_mbarrier(const char *name, int arch)
{
	if (!wanted(name, arch))
		return;
	for (int warps : {1, 2, 4, 8, 16, 32}) {
		if (quick && warps != 1 && warps != 8)
			continue;
		std::vector<double> cycles = kit::slope(
			name, [&](unsigned rounds) { mbarrier<TRY><<<1, warps * 32>>>(rounds, kit::spans(), late); },
			quick ? 8 : 32, quick ? 24 : 160, repeats);
		if (!was_late(name))
			print("mbarrier", kit::text("op=%s warps=%d", name, warps), cycles, 1);
	}
}

typedef void (*GridKernel)(unsigned *, int, Times *, int *);

// Cycles of block 0 and nanoseconds from the first start to the last end; false if it failed.
static bool run_grid(const char *name, GridKernel kernel, int blocks, int threads, int rounds, double &cycles,
                     double &ns)
{
	void *arguments[] = {&word, &rounds, &times, &late};
	CHECK(cudaMemset(word, 0, sizeof *word));
	cudaError_t error = cudaLaunchCooperativeKernel((void *)kernel, dim3(blocks), dim3(threads), arguments, 0, 0);
	if (error != cudaSuccess) {
		fprintf(stderr, "barriers: %s with %d blocks: %s\n", name, blocks, cudaGetErrorString(error));
		cudaGetLastError();
		return false;
	}
	if (!kit::done(name) || was_late(name))
		return false;
	std::vector<Times> noted = kit::read(times, blocks);
	u64 first = noted[0].start_ns, last = noted[0].end_ns;
	for (const Times &block : noted) {
		first = std::min(first, block.start_ns);
		last = std::max(last, block.end_ns);
	}
	cycles = noted[0].cycles;
	ns = last - first;
	return true;
}

// The slopes between `low` and `high` rounds, in cycles and in ns, and the clock.
template <typename Run>
void print_slopes(const char *measure, const std::string &parameters, int low, int high, Run run)
{
	std::vector<double> by_cycles, by_ns, clock;
	for (int i = -1; i < repeats; i++) {
		double cycles[2], ns[2];
		if (!run(low, cycles[0], ns[0]) || !run(high, cycles[1], ns[1]))
			return;
		if (i < 0)
			continue;
		by_cycles.push_back((cycles[1] - cycles[0]) / (high - low));
		by_ns.push_back((ns[1] - ns[0]) / (high - low));
		if (ns[1] > 0)
			clock.push_back(cycles[1] / ns[1] * 1000);
	}
	kit::print("barriers", measure, parameters, by_cycles, "cycles");
	kit::print("barriers", measure, parameters, by_ns, "ns");
	kit::print("barriers", "clock", std::string("during=") + measure + " " + parameters, clock, "MHz");
}

static void measure_grid(const char *name, GridKernel kernel)
{
	int sms = kit::device().multiProcessorCount;
	for (int threads : {32, 256, 1024}) {
		if (quick && threads != 32)
			continue;
		for (int blocks : {1, 2, 4, 8, 16, 32, 64, sms, 2 * sms}) {
			if ((quick && blocks != 2 && blocks != sms) || (blocks > sms && threads > 256))
				continue;
			print_slopes("grid", kit::text("op=%s blocks=%d threads=%d", name, blocks, threads),
			             quick ? 1 : 50, quick ? 3 : 350, [&](int rounds, double &cycles, double &ns) {
					     return run_grid(name, kernel, blocks, threads, rounds, cycles, ns);
				     });
		}
	}
}

static void measure_ping_pong()
{
	int sms = kit::device().multiProcessorCount;
	for (int partner = 1; partner < sms; partner = partner < 16 ? partner + 1 : partner + 13) {
		if (quick && partner > 2)
			break;
		auto run = [&](int rounds, double &cycles, double &ns) {
			CHECK(cudaMemset(word, 0, sizeof *word));
			ping_pong<<<sms, 32>>>(word, partner, rounds, times, late);
			if (!kit::done("ping_pong") || was_late("ping_pong"))
				return false;
			Times first = kit::read(times, 1)[0];
			cycles = first.cycles;
			ns = first.end_ns - first.start_ns;
			return true;
		};
		print_slopes("ping_pong", kit::text("partner=%d", partner), quick ? 2 : 50, quick ? 6 : 350, run);
	}
}

int main(int argc, char **argv)
{
	quick = kit::quick(argc, argv);
	repeats = quick ? 1 : 7;
	mask = kit::allocate<unsigned>(1);
	CHECK(cudaMemset(mask, 0xff, sizeof *mask));
	lines = kit::allocate<unsigned>(4 * 32 * 1024);
	word = kit::allocate<unsigned>(1);
	late = kit::allocate<int>(1);
	times = kit::allocate<Times>(1024);

	for (int named : {1, 2, 4, 8})
		measure_barrier<op_bar_named>("block", named);
	measure_barrier<op_bar_sync>("block", 1);
	measure_barrier<op_bar_sync_count>("block", 1);
	measure_barrier<op_bar_red_popc>("block", 1);
	measure_barrier<op_bar_red_or>("block", 1);
	measure_barrier<op_barrier_cluster>("block", 1);
	measure_barrier<op_bar_warp_sync>("warp", 1);
	measure_barrier<op_bar_warp_sync_full>("warp", 1);
#define MEASURE_FENCE(name, arch, text) measure_fence<op_##name>();
	FENCES(MEASURE_FENCE)
	measure_mbarrier<0>("test_wait", 80);
	measure_mbarrier<1>("try_wait", 90);
	measure_ping_pong();
	measure_grid("own", grid_own);
#ifdef GROUPS
	measure_grid("cooperative_groups", grid_groups);
#endif
	return 0;
}
