// misses.cu: how many misses an SM and a warp keep in flight. Each warp issues k independent accesses, with all
// lanes in different lines, in one line, or with few lanes; the time until all have come back is taken for k = 1
// to 128 and for 1 to 32 warps. A knee shows a limit of the L1's table of misses or of a queue. Other kernels record
// when each access issued (back-pressure) and when each came back. Data lie in the L2, or only in DRAM; the L1 is
// cold.
#include "kit.h"

typedef unsigned long long u64;

enum Op { CA, CG, STORE, ASYNC, ATOMIC };
static const char *op_names[] = {"ca", "cg", "store", "cp.async", "red"};
enum { MAX_WARPS = 32, TRACED = 48 };

static bool quick;
static int repeats;
static char *data, *flusher;
static u64 size, flusher_size;
static unsigned *times;

__device__ __forceinline__ unsigned now(void)
{
	unsigned t;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
	return t;
}

__device__ __forceinline__ void await(unsigned value)
{
	asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0x7fffffff; @q trap; }" ::"r"(value) : "memory");
}

template <int Op> __device__ __forceinline__ void access(unsigned *value, u64 p, unsigned shared)
{
	if (Op == CA)
		asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(*value) : "l"(p) : "memory");
	if (Op == CG)
		asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(*value) : "l"(p) : "memory");
	if (Op == STORE)
		asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(0) : "memory");
	if (Op == ATOMIC)
		asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(0) : "memory");
#if __CUDA_ARCH__ >= 800
	if (Op == ASYNC)
		asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(p) : "memory");
#endif
}

template <int Op> __device__ __forceinline__ void drain(void)
{
	if (Op == STORE || Op == ATOMIC)
		__threadfence();
#if __CUDA_ARCH__ >= 800
	if (Op == ASYNC)
		asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// One load at `spare` wakes the TLB.
// Access j of lane l of warp w: base + w * between_warps + j * Step + l * between_lanes.
template <int Op, int K, int Step>
__global__ void burst(u64 base, u64 between_warps, int lanes, int between_lanes, u64 spare, unsigned *times)
{
	__shared__ unsigned buffer[1024];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	u64 p = base + warp * between_warps + lane * between_lanes;
	unsigned shared = __cvta_generic_to_shared(buffer + threadIdx.x), v[K], all = 0;
	buffer[threadIdx.x] = 0;
	access<CG>(&all, base + spare, 0);
	await(all);
	all = 0;
	__syncthreads();
	unsigned start = now();
	if (lane < lanes) {
#pragma unroll
		for (int j = 0; j < K; j++) {
			v[j] = 0;
			access<Op>(&v[j], p + j * Step, shared);
		}
		unsigned issued = now();
#pragma unroll
		for (int j = 0; j < K; j++)
			all |= v[j];
		await(all);
		drain<Op>();
		if (lane == 0)
			times[MAX_WARPS + warp] = issued - start;
	}
	__syncwarp();
	if (lane == 0)
		times[warp] = now() - start;
}

// When each access issued and came back, in warp 0.
template <int Op, int Step>
__global__ void trace(u64 base, u64 between_warps, int lanes, int between_lanes, u64 spare, unsigned *times)
{
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	u64 p = base + warp * between_warps + lane * between_lanes;
	unsigned v[TRACED], issue[TRACED];
	access<CG>(v, base + spare, 0);
	await(v[0]);
	__syncthreads();
	unsigned start = now();
	if (lane < lanes) {
#pragma unroll
		for (int j = 0; j < TRACED; j++) {
			v[j] = 0;
			access<Op>(&v[j], p + j * Step, 0);
			issue[j] = now();
		}
#pragma unroll
		for (int j = 0; j < TRACED; j++) {
			await(v[j]);
			v[j] = now();
		}
		if (threadIdx.x == 0)
#pragma unroll
			for (int j = 0; j < TRACED; j++) {
				times[j] = issue[j] - start;
				times[TRACED + j] = v[j] - start;
			}
	}
}

__global__ void touch(const char *data, u64 bytes, unsigned *sink)
{
	unsigned sum = 0, v;
	for (u64 i = (blockIdx.x * (u64)blockDim.x + threadIdx.x) * 32; i < bytes;
	     i += gridDim.x * (u64)blockDim.x * 32) {
		access<CG>(&v, (u64)(data + i), 0);
		sum += v;
	}
	if (sum == 0x7fffffff)
		*sink = sum;
}

typedef void (*Burst)(u64, u64, int, int, u64, unsigned *);

#define KERNELS(op, step)                                                                                              \
	{1, burst<op, 1, step>}, {2, burst<op, 2, step>}, {3, burst<op, 3, step>}, {4, burst<op, 4, step>},            \
		{6, burst<op, 6, step>}, {8, burst<op, 8, step>}, {10, burst<op, 10, step>},                           \
		{12, burst<op, 12, step>}, {16, burst<op, 16, step>}, {20, burst<op, 20, step>},                       \
		{24, burst<op, 24, step>}, {28, burst<op, 28, step>}, {32, burst<op, 32, step>},                       \
		{40, burst<op, 40, step>}, {48, burst<op, 48, step>}, {64, burst<op, 64, step>},                       \
	{                                                                                                              \
		96, burst<op, 96, step>                                                                                \
	}

enum { COUNTS = 17 };
static const struct Group {
	Op op;
	int step;
	struct {
		int k;
		Burst kernel;
	} list[COUNTS];
	Burst trace;
} groups[] = {
	{CA, 128, {KERNELS(CA, 128)}, trace<CA, 128>},
	{CA, 4096, {KERNELS(CA, 4096)}, trace<CA, 4096>},
	{CG, 128, {KERNELS(CG, 128)}, trace<CG, 128>},
	{CG, 4096, {KERNELS(CG, 4096)}, trace<CG, 4096>},
	{STORE, 128, {KERNELS(STORE, 128)}, trace<STORE, 128>},
	{STORE, 4096, {KERNELS(STORE, 4096)}, trace<STORE, 4096>},
	{ASYNC, 128, {KERNELS(ASYNC, 128)}, NULL},
	{ASYNC, 4096, {KERNELS(ASYNC, 4096)}, NULL},
	{ATOMIC, 128, {KERNELS(ATOMIC, 128)}, trace<ATOMIC, 128>},
	{ATOMIC, 4096, {KERNELS(ATOMIC, 4096)}, NULL},
};

// Brings the next `bytes` into the L2 if asked. DRAM: a place that no kernel has read lately.
static u64 place(bool in_l2, u64 bytes)
{
	static u64 next = ~0ull;
	if (in_l2) {
		touch<<<kit::device().multiProcessorCount, 256>>>(data, bytes, times);
		return (u64)data;
	}
	bytes = (bytes + 4095) / 4096 * 4096;
	if (next > size || next + bytes > size) {
		touch<<<kit::device().multiProcessorCount * 2, 512>>>(flusher, flusher_size, times);
		next = 0;
	}
	next += bytes;
	return (u64)data + next - bytes;
}

struct Shape {
	int lanes, between_lanes, step;
	bool same; // all warps in the same lines
};

// Several addresses per line: the lanes of a warp in one line (step 128), or each in its own (step 4096).
static const Shape shapes[] = {
	{1, 4, 128, false},    {32, 4, 128, false},    {1, 4, 128, true},
	{32, 4, 128, true},    {32, 128, 4096, false}, {8, 128, 4096, false},
	{32, 32, 4096, false}, {32, 128, 4096, true},  {2, 128, 4096, false},
};

static void one(const Group &g, int index, const Shape &s, int warps, bool in_l2)
{
	int k = g.list[index].k;
	u64 between = s.same ? 0 : (u64)k * g.step, bytes = (s.same ? 1 : warps) * (u64)k * g.step + 8192;
	std::vector<double> last, issued;
	cudaFuncAttributes attributes;
	if (cudaFuncGetAttributes(&attributes, (const void *)g.list[index].kernel) == cudaSuccess &&
	    attributes.maxThreadsPerBlock < warps * 32)
		return; // registers
	cudaGetLastError();
	for (int r = 0; r <= repeats; r++) {
		u64 base = place(in_l2, bytes);
		g.list[index].kernel<<<1, warps * 32>>>(base, between, s.lanes, s.between_lanes, bytes - 128, times);
		if (!kit::succeeded(op_names[g.op]))
			return;
		std::vector<unsigned> t = kit::read(times, 2 * MAX_WARPS);
		if (r == 0)
			continue;
		double most = 0, issue = 0;
		for (int w = 0; w < warps; w++) {
			most = std::max<double>(most, t[w]);
			issue = std::max<double>(issue, t[MAX_WARPS + w]);
		}
		last.push_back(most);
		issued.push_back(issue);
	}
	std::string p = kit::text("op=%s data_in=%s lanes=%d between_lanes=%d same_lines=%d warps=%d each=%d",
	                          op_names[g.op], in_l2 ? "l2" : "dram", s.lanes, s.between_lanes, s.same, warps, k);
	kit::row("misses", "all_back", p, last, "cycles");
	kit::row("misses", "issued", p, issued, "cycles");
}

static void traces(const Group &g, const Shape &s, int warps)
{
	std::vector<std::vector<double>> values(2 * TRACED);
	u64 between = (u64)TRACED * g.step, bytes = warps * between + 8192;
	for (int r = 0; r <= repeats; r++) {
		u64 base = place(true, bytes);
		g.trace<<<1, warps * 32>>>(base, between, s.lanes, s.between_lanes, bytes - 128, times);
		if (!kit::succeeded("trace"))
			return;
		std::vector<unsigned> t = kit::read(times, 2 * TRACED);
		for (int i = 0; r && i < 2 * TRACED; i++)
			values[i].push_back(t[i]);
	}
	for (int i = 0; i < 2 * TRACED; i++)
		if (i < TRACED || g.op < STORE)
			kit::row("misses", i < TRACED ? "issue_time" : "back_time",
			         kit::text("op=%s data_in=l2 lanes=%d between_lanes=%d warps=%d access=%d",
			                   op_names[g.op], s.lanes, s.between_lanes, warps, i % TRACED),
			         values[i], "cycles");
}

int main(int argc, char **argv)
{
	static const int warps[] = {1, 2, 4, 8, 16, 32};
	quick = kit::quick(argc, argv);
	repeats = quick ? 1 : 5;
	size = quick ? 32 << 20 : 1 << 30;
	data = kit::allocate<char>(size + (1 << 20));
	flusher_size = quick ? 1 << 20 : 192 << 20;
	flusher = kit::allocate<char>(flusher_size);
	times = kit::allocate<unsigned>(4 * TRACED);
	for (const Group &g : groups) {
		if (g.op == ASYNC && kit::device().major < 8)
			continue;
		for (const Shape &s : shapes)
			for (int w : warps)
				for (int i = 0; s.step == g.step && i < COUNTS; i++) {
					int k = g.list[i].k;
					bool main_shape = &s == shapes || s.between_lanes == 128;
					if ((quick && (w == 2 || w == 4 || w > 8 || i % 8 || s.lanes == 8 || s.same)) ||
					    w * k * s.lanes > 16384)
						continue;
					one(g, i, s, w, true);
					if (!quick && main_shape && !s.same && g.op != ATOMIC)
						one(g, i, s, w, false);
				}
		for (const Shape &s : shapes)
			if (g.trace && !s.same && s.step == g.step && (!quick || &s == shapes))
				for (int w = 1; w <= 16; w *= 4)
					traces(g, s, w);
	}
	return 0;
}
