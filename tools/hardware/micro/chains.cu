// chains.cu: the ordering operations of compute capability 9.0. The gap between two dependent kernels with and without
// programmatic dependent launch (griddepcontrol); the cost of fences, elect.sync and mbarrier operations, each in a
// chain of one thread or warp; how long mbarrier.try_wait suspends a thread by its hint; how long nanosleep sleeps.
#include "hopper.h"

using namespace hopper;

// ---- The cost of one operation: X16 of it in a loop.

enum Operation {
	NOTHING,
	FENCE_ASYNC,
	FENCE_ASYNC_SHARED,
	FENCE_ASYNC_GLOBAL,
	FENCE_ASYNC_AFTER_STORE,
	STORE,
	FENCE_INIT,
	FENCE_CTA,
	FENCE_CLUSTER,
	FENCE_GPU,
	FENCE_SYSTEM,
	FENCE_SC_CTA,
	FENCE_SC_CLUSTER,
	FENCE_SC_GPU,
	ELECT,
	SYNCWARP,
	ARRIVE,
	ARRIVE_EXPECT,
	EXPECT,
	ARRIVE_AND_TRY,
	ARRIVE_AND_TEST,
	TEST_DONE,
	TRY_DONE,
	TEST_PENDING,
	CP_ASYNC_ARRIVE,
	MAPA,
	COMMIT_EMPTY,
	WAIT_EMPTY,
	OPERATIONS
};
static const char *const NAMES[] = {"nothing",
                                    "fence.proxy.async",
                                    "fence.proxy.async.shared::cta",
                                    "fence.proxy.async.global",
                                    "st.shared+fence.proxy.async.shared::cta",
                                    "st.shared",
                                    "fence.mbarrier_init",
                                    "fence.acq_rel.cta",
                                    "fence.acq_rel.cluster",
                                    "fence.acq_rel.gpu",
                                    "fence.acq_rel.sys",
                                    "fence.sc.cta",
                                    "fence.sc.cluster",
                                    "fence.sc.gpu",
                                    "elect.sync",
                                    "bar.warp.sync",
                                    "mbarrier.arrive",
                                    "mbarrier.arrive.expect_tx",
                                    "mbarrier.expect_tx",
                                    "mbarrier.arrive+try_wait",
                                    "mbarrier.arrive+test_wait",
                                    "mbarrier.test_wait.done",
                                    "mbarrier.try_wait.done",
                                    "mbarrier.test_wait.pending",
                                    "cp.async.mbarrier.arrive.noinc",
                                    "mapa",
                                    "cp.async.bulk.commit_group.empty",
                                    "cp.async.bulk.wait_group.empty"};

#define PLAIN(text) asm volatile(text ::: "memory")

// `sum` takes the results, so that each is waited for where it has one.
template <int OPERATION> __device__ __forceinline__ void operate(uint32_t barrier, uint32_t other, uint32_t *sum)
{
	uint32_t result = 0;
	if (OPERATION == FENCE_ASYNC)
		PLAIN("fence.proxy.async;");
	else if (OPERATION == FENCE_ASYNC_SHARED)
		PLAIN("fence.proxy.async.shared::cta;");
	else if (OPERATION == FENCE_ASYNC_GLOBAL)
		PLAIN("fence.proxy.async.global;");
	else if (OPERATION == FENCE_ASYNC_AFTER_STORE)
		asm volatile("st.shared.u32 [%0], %1;\n\tfence.proxy.async.shared::cta;" ::"r"(other), "r"(*sum)
		             : "memory");
	else if (OPERATION == STORE)
		asm volatile("st.shared.u32 [%0], %1;" ::"r"(other), "r"(*sum) : "memory");
	else if (OPERATION == FENCE_INIT)
		PLAIN("fence.mbarrier_init.release.cluster;");
	else if (OPERATION == FENCE_CTA)
		PLAIN("fence.acq_rel.cta;");
	else if (OPERATION == FENCE_CLUSTER)
		PLAIN("fence.acq_rel.cluster;");
	else if (OPERATION == FENCE_GPU)
		PLAIN("fence.acq_rel.gpu;");
	else if (OPERATION == FENCE_SYSTEM)
		PLAIN("fence.acq_rel.sys;");
	else if (OPERATION == FENCE_SC_CTA)
		PLAIN("fence.sc.cta;");
	else if (OPERATION == FENCE_SC_CLUSTER)
		PLAIN("fence.sc.cluster;");
	else if (OPERATION == FENCE_SC_GPU)
		PLAIN("fence.sc.gpu;");
	else if (OPERATION == ELECT)
		asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
		             : "=r"(result)::"memory");
	else if (OPERATION == SYNCWARP)
		PLAIN("bar.warp.sync 0xffffffff;");
	else if (OPERATION == ARRIVE)
		arrive(barrier);
	else if (OPERATION == ARRIVE_EXPECT)
		arrive_expect(barrier, 0);
	else if (OPERATION == EXPECT)
		asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 0;" ::"r"(barrier) : "memory");
	else if (OPERATION == ARRIVE_AND_TRY || OPERATION == ARRIVE_AND_TEST) {
		arrive(barrier); // its phase ends at once
		result = OPERATION == ARRIVE_AND_TRY ? try_wait(barrier, *sum & 1) : test_wait(barrier, *sum & 1);
	} else if (OPERATION == TEST_DONE)
		result = test_wait(barrier, 1);
	else if (OPERATION == TRY_DONE)
		result = try_wait(barrier, 1);
	else if (OPERATION == TEST_PENDING)
		result = test_wait(barrier, 0);
	else if (OPERATION == CP_ASYNC_ARRIVE)
		asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
	else if (OPERATION == MAPA)
		asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(result) : "r"(other + (*sum & 4)));
	else if (OPERATION == COMMIT_EMPTY)
		bulk_commit();
	else if (OPERATION == WAIT_EMPTY)
		bulk_wait<0, false>();
	*sum += result;
}

template <int OPERATION> __global__ void chain(uint32_t first, int steps, Times *times, unsigned *late)
{
	__shared__ __align__(8) u64 storage[32];
	__shared__ uint32_t other[1024];
	uint32_t barrier = shared(&storage[threadIdx.x % 32]), sum = first;
	if (threadIdx.x < 32)
		barrier_init(barrier, 1);
	fence_barrier_init();
	fence_async();
	__syncthreads();
	u64 start_ns = kit::nanoseconds(), start = kit::cycles();
#pragma unroll 1
	for (int i = 0; i < steps; i++) {
#pragma unroll
		for (int k = 0; k < 16; k++)
			operate<OPERATION>(barrier, shared(&other[threadIdx.x]), &sum);
	}
	u64 end = kit::cycles();
	if (sum == 0x9e3779b9) // never seen; keeps the results alive
		*late = 2;
	if (threadIdx.x == 0)
		times[blockIdx.x] = {start, end, start_ns, kit::nanoseconds()};
}

template <int OPERATION> static void chain_of(bool quick)
{
	for (unsigned threads : {1u, 32u, 128u, 1024u}) {
		bool each_own = OPERATION >= ARRIVE && OPERATION <= CP_ASYNC_ARRIVE; // an mbarrier for each thread
		if (each_own && threads > 32)
			continue;
		if ((OPERATION == ELECT || OPERATION == SYNCWARP) && threads == 1)
			continue;
		auto one = [&](int steps, Times *times, unsigned *late) {
			launch({1, threads, 0, 0, false}, chain<OPERATION>, 0u, steps, times, late);
		};
		Costs cost;
		if (costs(NAMES[OPERATION], 1, 2, quick ? 6 : 34, quick ? 3 : 7, one, &cost))
			row("chains", "cost", kit::text("operation=%s threads=%u", NAMES[OPERATION], threads),
			    scaled(cost.cycles, 1.0 / 16), "cycles");
	}
}

template <int OPERATION> struct Chains {
	static void run(bool quick)
	{
		Chains<OPERATION - 1>::run(quick);
		chain_of<OPERATION>(quick);
	}
};
template <> struct Chains<-1> {
	static void run(bool)
	{
	}
};

static void operations(bool quick)
{
	Chains<OPERATIONS - 1>::run(quick);
}

// ---- Suspension: one try_wait on a phase that does not end; one nanosleep.

enum Sleep { TRY_WAIT, TRY_WAIT_HINT, NANOSLEEP, CLOCK };
static const char *const SLEEPS[] = {"try_wait", "try_wait_hint", "nanosleep", "nothing"};

template <int SLEEP> __global__ void sleeps(uint32_t argument, int steps, Times *times, unsigned *)
{
	__shared__ __align__(8) u64 storage;
	uint32_t barrier = shared(&storage), result = 0;
	if (threadIdx.x == 0)
		barrier_init(barrier, 1024);
	__syncthreads();
	u64 start_ns = kit::nanoseconds(), start = kit::cycles();
#pragma unroll 1
	for (int i = 0; i < steps; i++) {
		if (SLEEP == TRY_WAIT)
			result += try_wait(barrier, 0);
		else if (SLEEP == TRY_WAIT_HINT)
			asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, %2; "
			             "selp.u32 %0, 1, 0, p; }"
			             : "=r"(result)
			             : "r"(barrier), "r"(argument)
			             : "memory");
		else if (SLEEP == NANOSLEEP)
			asm volatile("nanosleep.u32 %0;" ::"r"(argument) : "memory");
	}
	u64 end = kit::cycles();
	if (threadIdx.x == 0)
		times[blockIdx.x] = {start, end, start_ns, kit::nanoseconds() + (result & 0)};
}

template <int SLEEP> static void sleeps_of(bool quick, const std::vector<uint32_t> &arguments)
{
	for (uint32_t argument : arguments)
		for (unsigned threads : {1u, 32u, 128u, 1024u}) {
			std::vector<double> cycles, ns, first;
			int steps = argument >= 100000 || SLEEP == TRY_WAIT ? 2 : 10;
			for (int repeat = -1; repeat < (quick ? 3 : 9); repeat++) {
				double c, n, mhz;
				auto one = [&](Times *times, unsigned *late) {
					launch({1, threads, 0, 0, false}, sleeps<SLEEP>, argument, steps, times, late);
				};
				if (!measure(SLEEPS[SLEEP], 1, one, &c, &n, &mhz))
					return;
				if (repeat >= 0) {
					cycles.push_back(c / steps);
					ns.push_back(n / steps);
				}
			}
			std::string parameters = kit::text("kind=%s argument=%u threads=%u steps=%d", SLEEPS[SLEEP],
			                                   argument, threads, steps);
			row("chains", "sleep", parameters, cycles, "cycles");
			row("chains", "sleep_time", parameters, ns, "ns");
		}
}

static void suspensions(bool quick)
{
	std::vector<uint32_t> times = {0,    1,    16,   32,   64,    100,   200,   300,    500,    700,    1000,
	                               1500, 2000, 3000, 5000, 10000, 20000, 50000, 100000, 300000, 1000000};
	if (quick)
		times.resize(12);
	sleeps_of<CLOCK>(quick, {0});
	sleeps_of<NANOSLEEP>(quick, times);
}

static void try_waits(bool quick)
{
	sleeps_of<TRY_WAIT>(quick, {0});
	sleeps_of<TRY_WAIT_HINT>(quick,
	                         {0, 1, 32, 100, 300, 1000, 3000, 10000, 30000, 100000, 300000, 1000000, 10000000});
}

// How long after an arrival a waiter of another warp goes on: a suspended one and one that spins on test_wait.
template <bool SPIN> __global__ void wakes(u64 delay, int steps, Times *times, unsigned *late)
{
	__shared__ __align__(8) u64 storage, answer;
	__shared__ volatile u64 arrived;
	uint32_t barrier = shared(&storage), back = shared(&answer);
	if (threadIdx.x == 0) {
		barrier_init(barrier, 1);
		barrier_init(back, 1);
	}
	__syncthreads();
	u64 sum = 0;
	bool good = true;
	if (threadIdx.x == 0) {
		for (int i = 0; i < steps && good; i++) {
			u64 start = kit::cycles();
			while (kit::cycles() - start < delay)
				;
			arrived = kit::cycles();
			arrive(barrier);
			good = wait(back, i & 1, late);
		}
	} else if (threadIdx.x == 32) {
		begin(&times[0]);
		for (int i = 0; i < steps && good; i++) {
			if (SPIN) {
				u64 start = kit::cycles();
				while (!test_wait(barrier, i & 1) && kit::cycles() - start < WAIT_CYCLES)
					;
			} else {
				good = wait(barrier, i & 1, late);
			}
			sum += kit::cycles() - arrived;
			arrive(back);
		}
		end(&times[0]);
		times[0].end = times[0].begin + sum;
	}
}

template <bool SPIN> static void wakes_of(bool quick)
{
	for (u64 delay : {0, 100, 500, 1000, 2000, 5000, 10000, 100000}) {
		if (quick && delay > 2000)
			continue;
		auto one = [&](int steps, Times *times, unsigned *late) {
			launch({1, 64, 0, 0, false}, wakes<SPIN>, delay, steps, times, late);
		};
		Costs cost;
		if (costs("wake", 1, 4, 20, quick ? 3 : 7, one, &cost))
			row("chains", "wake_after_arrive",
			    kit::text("wait=%s delay=%llu", SPIN ? "test_wait" : "try_wait", delay), cost.cycles,
			    "cycles");
	}
}

static void all_wakes(bool quick)
{
	wakes_of<false>(quick);
	wakes_of<true>(quick);
}

// ---- Programmatic dependent launch.

// Times that the kernels of a row report, in globaltimer nanoseconds: first entry, first return of the wait, last end.
struct Moments {
	u64 entry, go, end;
};

// WAITS: waits for the kernel before it. TRIGGERS: lets the next start at once. Works for `cycles` after the wait.
template <bool WAITS, bool TRIGGERS> __global__ void link(Moments *moments, u64 cycles)
{
	u64 entry = kit::nanoseconds();
	if (TRIGGERS)
		asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
	if (WAITS)
		asm volatile("griddepcontrol.wait;" ::: "memory");
	u64 go = kit::nanoseconds(), start = kit::cycles();
	while (kit::cycles() - start < cycles)
		;
	if (threadIdx.x == 0) {
		atomicMin(&moments->entry, entry);
		atomicMin(&moments->go, go);
		atomicMax(&moments->end, kit::nanoseconds());
	}
}

template <bool WAITS, bool TRIGGERS> static void links_of(bool quick, bool attribute)
{
	const int COUNT = quick ? 8 : 64;
	Moments *moments = kit::allocate<Moments>(static_cast<size_t>(COUNT));
	unsigned sms = static_cast<unsigned>(kit::device().multiProcessorCount);
	for (unsigned blocks : {1u, sms, 4 * sms})
		for (unsigned threads : {32u, 256u})
			for (u64 cycles : {1000ull, 5000ull, 20000ull}) {
				std::vector<double> launches, entries, goes;
				for (int repeat = -1; repeat < (quick ? 3 : 7); repeat++) {
					std::vector<Moments> all(static_cast<size_t>(COUNT), Moments{~0ull, ~0ull, 0});
					CHECK(cudaMemcpy(moments, all.data(), all.size() * sizeof(Moments),
					                 cudaMemcpyHostToDevice));
					Shape shape = {blocks, threads, 0, 0, attribute};
					double time = kit::milliseconds([&] {
						for (int i = 0; i < COUNT; i++)
							launch(shape, link<WAITS, TRIGGERS>, moments + i, cycles);
					});
					if (!done("link"))
						return;
					if (repeat < 0)
						continue;
					all = kit::read(moments, all.size());
					launches.push_back(time * 1e6 / COUNT);
					double entry = 0, go = 0;
					int last = COUNT / 2; // the second half: the queue is full by then
					for (int i = last; i < COUNT; i++) {
						entry += static_cast<double>(all[i].entry) -
						         static_cast<double>(all[i - 1].end);
						go += static_cast<double>(all[i].go) -
						      static_cast<double>(all[i - 1].end);
					}
					entries.push_back(entry / (COUNT - last));
					goes.push_back(go / (COUNT - last));
				}
				std::string parameters = kit::text(
					"attribute=%d trigger=%d wait=%d blocks=%u threads=%u work_cycles=%llu",
					attribute, TRIGGERS, WAITS, blocks, threads, cycles);
				row("chains", "kernel_period", parameters, launches, "ns");
				row("chains", "end_to_entry", parameters, entries, "ns");
				row("chains", "end_to_go", parameters, goes, "ns");
			}
}

static void links(bool quick)
{
	links_of<false, false>(quick, false);
	links_of<true, false>(quick, false);
	links_of<true, false>(quick, true);
	links_of<true, true>(quick, true);
	links_of<true, true>(quick, false);
}

int main(int argc, char **argv)
{
	static const Section LIST[] = {
		{"links", links},     {"operations", operations}, {"suspensions", suspensions},
		{"wakes", all_wakes}, {"try_waits", try_waits},
	};
	return sections(argc, argv, LIST, sizeof LIST / sizeof *LIST);
}
