// order.cu: who goes first. Warps: each warp of a block notes the clock after every 16 independent FMAs, so that the
// finishing times tell round robin from greedy orders; which pairs of warps slow each other down (one scheduler); in
// which order warps wake when one line answers all. Blocks: which SM gets which block, in the first wave and after
// it, for small and large grids; which SMs share clusters (GPCs), where the device has clusters.
#include "fma8.h"
#include "kit.h"

#include <numeric>

typedef unsigned long long u64;

enum { SEGMENTS = 64, MAX_BLOCKS = 2048 };

struct Note {
	u64 start, end;
	unsigned sm, slot;
};

static bool quick;
static int repeats, sms;
static unsigned *times;
static float *values, *sink;
static Note *notes;

__device__ __forceinline__ unsigned now(void)
{
	unsigned t;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
	return t;
}

__device__ __forceinline__ unsigned slot(void)
{
	unsigned id;
	asm volatile("mov.u32 %0, %%warpid;" : "=r"(id));
	return id;
}

// Only the warps in `mask` run. marks: in shared memory, then times[warp * (SEGMENTS + 1) + segment].
__global__ void segments(const float *values, unsigned mask, int laps, unsigned *times, float *sink)
{
	extern __shared__ unsigned marks[];
	float a[8], x = values[8], y = values[9];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	fill(a, values);
	for (int lap = 0; lap < laps; lap++) {
		__syncthreads();
		if (mask >> warp & 1)
#pragma unroll 1
			for (int s = 0; s <= SEGMENTS; s++) {
				unsigned t = now();
				if (lane == 0)
					marks[warp * (SEGMENTS + 1) + s] = t;
				RUN(FMA8 FMA8);
			}
	}
	__syncthreads();
	for (int i = threadIdx.x; i < blockDim.x / 32 * (SEGMENTS + 1); i += blockDim.x)
		times[i] = marks[i];
	keep(a, sink);
}

// 512 FMAs without notes: for pairs of warps.
__global__ void pair(const float *values, unsigned mask, int laps, unsigned *times, float *sink)
{
	float a[8], x = values[8], y = values[9];
	int warp = threadIdx.x / 32;
	unsigned start = 0, end = 0;
	fill(a, values);
	for (int lap = 0; lap < laps; lap++) {
		__syncthreads();
		start = now();
		if (mask >> warp & 1)
#pragma unroll 1
			for (int i = 0; i < 8; i++)
				RUN(FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8);
		end = now();
	}
	if (threadIdx.x % 32 == 0)
		times[warp] = end - start;
	keep(a, sink);
}

// All warps load the same line, or different lines, in the L2; each notes when it goes on.
__global__ void wake(const char *data, int between, unsigned *times, float *sink)
{
	int warp = threadIdx.x / 32;
	unsigned v, issue, back;
	u64 p = (u64)data + warp * between;
	__shared__ unsigned base;
	for (int lap = 0; lap < 2; lap++) {
		__syncthreads();
		if (threadIdx.x == 0)
			base = now();
		__syncthreads();
		issue = now();
		asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
		asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 1; @q trap; }" ::"r"(v) : "memory");
		back = now();
	}
	if (threadIdx.x % 32 == 0) {
		times[warp] = issue - base;
		times[32 + warp] = back - base;
	}
}

// Each block notes its SM, and stays for `stay` nanoseconds and up to `more` more, by its number.
__global__ void settle(Note *notes, unsigned stay, unsigned more)
{
	if (threadIdx.x || blockIdx.x >= MAX_BLOCKS)
		return;
	u64 start = kit::nanoseconds(), first = kit::cycles();
	unsigned time = stay + (more ? blockIdx.x * 2654435761u % more : 0);
	for (int i = 0; i < 1000000 && kit::nanoseconds() - start < time && kit::cycles() - first < 100000000; i++)
		;
	notes[blockIdx.x] = {start, kit::nanoseconds(), kit::sm(), slot()};
}

static void warps_finish(void)
{
	static const int counts[] = {1, 2, 4, 8, 12, 16, 32};
	for (int n : counts) {
		std::vector<std::vector<double>> finish(n), start(n), marks(n * SEGMENTS);
		for (int r = 0; r < repeats; r++) {
			segments<<<1, n * 32, n *(SEGMENTS + 1) * 4>>>(values, ~0u, 2, times, sink);
			if (!kit::succeeded("segments"))
				return;
			std::vector<unsigned> t = kit::read(times, n * (SEGMENTS + 1));
			unsigned first = t[0];
			for (int w = 1; w < n; w++)
				if ((int)(t[w * (SEGMENTS + 1)] - first) < 0)
					first = t[w * (SEGMENTS + 1)];
			for (int w = 0; w < n; w++) {
				start[w].push_back(t[w * (SEGMENTS + 1)] - first);
				finish[w].push_back(t[w * (SEGMENTS + 1) + SEGMENTS] - first);
				for (int s = 0; s < SEGMENTS; s++)
					marks[w * SEGMENTS + s].push_back(t[w * (SEGMENTS + 1) + s + 1] - first);
			}
		}
		for (int w = 0; w < n; w++) {
			std::string p = kit::text("warps=%d warp=%d", n, w);
			kit::row("order", "warp_start", p, start[w], "cycles");
			kit::row("order", "warp_finish", p, finish[w], "cycles");
			for (int s = 0; n == 12 && w % 4 == 0 && s < SEGMENTS; s++)
				kit::row("order", "warp_mark", p + kit::text(" fmas=%d", (s + 1) * 16),
				         marks[w * SEGMENTS + s], "cycles");
		}
	}
}

static void pairs(void)
{
	for (int other = 0; other < 32; other++) {
		std::vector<double> t;
		for (int r = 0; r < repeats; r++) {
			pair<<<1, 1024>>>(values, 1u | 1u << other, 3, times, sink);
			if (!kit::succeeded("pair"))
				return;
			t.push_back(kit::read(times, 1)[0] / 512.0);
		}
		kit::row("order", "pair", kit::text("warp=0 other=%d", other), t, "cycles/fma");
	}
	for (int n = 1; n <= 16; n++) {
		std::vector<double> t;
		for (int r = 0; r < repeats; r++) {
			pair<<<1, 1024>>>(values, (1u << n) - 1, 3, times, sink);
			if (!kit::succeeded("pair"))
				return;
			t.push_back(kit::read(times, 1)[0] / 512.0);
		}
		kit::row("order", "first_warps", kit::text("warps=%d", n), t, "cycles/fma");
	}
}

static void wakes(void)
{
	static const int between[] = {0, 128, 4096};
	const char *data = kit::allocate<char>(1 << 18);
	for (int b : between)
		for (int n = 4; n <= 32; n *= 2) {
			std::vector<std::vector<double>> issue(n), back(n);
			for (int r = 0; r < repeats; r++) {
				wake<<<1, n * 32>>>(data, b, times, sink);
				if (!kit::succeeded("wake"))
					return;
				std::vector<unsigned> t = kit::read(times, 64);
				for (int w = 0; w < n; w++) {
					issue[w].push_back(t[w]);
					back[w].push_back(t[32 + w]);
				}
			}
			for (int w = 0; w < n; w++) {
				std::string p = kit::text("between_lines=%d warps=%d warp=%d", b, n, w);
				kit::row("order", "load_issued", p, issue[w], "cycles");
				kit::row("order", "load_back", p, back[w], "cycles");
			}
		}
}

struct Grid {
	const char *name;
	int blocks, threads, shared;
	unsigned stay, more;
};

// One row per block: the SM, with the warp's slot and the start; then how often a freed SM got the next block.
static void grid(const Grid &g, int printed)
{
	int n = std::min<int>(g.blocks, MAX_BLOCKS), right = 0, later = 0;
	for (int r = 0; r < 2; r++) {
		settle<<<n, g.threads, g.shared>>>(notes, g.stay, g.more);
		if (!kit::succeeded(g.name))
			return;
	}
	std::vector<Note> all = kit::read(notes, n);
	u64 first = ~0ull;
	std::vector<int> order(n);
	std::iota(order.begin(), order.end(), 0);
	for (const Note &b : all)
		first = std::min(first, b.start);
	for (int i = 0; i < n && i < printed; i++) {
		std::string p =
			kit::text("grid=%s blocks=%d threads=%d block=%d slot=%u start_ns=%llu end_ns=%llu", g.name, n,
		                  g.threads, i, all[i].slot, all[i].start - first, all[i].end - first);
		kit::row("order", "block_sm", p, {(double)all[i].sm}, "sm");
	}
	std::sort(order.begin(), order.end(), [&](int a, int b) { return all[a].start < all[b].start; });
	for (int i = 1; i < n; i++) {
		later++;
		right += order[i] > order[i - 1];
	}
	kit::row("order", "starts_in_order", kit::text("grid=%s blocks=%d", g.name, n),
	         {later ? (double)right / later : 1}, "share");
}

static void grids(void)
{
	int most = std::max(kit::device().sharedMemPerBlock, kit::device().sharedMemPerBlockOptin);
	int one = most / 2 + 1536, two = most / 3 + 1536;
	unsigned stay = quick ? 2000 : 20000;
	cudaFuncSetAttribute(settle, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
	cudaGetLastError();
	const Grid list[] = {
		{"one_block", 1, 32, 0, stay, 0},
		{"small", 8, 32, 0, stay, 0},
		{"half", sms / 2, 32, 0, stay, 0},
		{"one_each", sms, 32, one, stay, 0},
		{"one_each_no_shared", sms, 32, 0, stay, 0},
		{"two_each", 2 * sms, 96, two, stay, 0},
		{"two_of_1024", 2 * sms, 1024, 0, stay, 0},
		{"refill", 3 * sms, 32, one, stay, stay},
		{"many_small", 4 * sms, 32, 0, stay, 0},
		{"three_warps", 3 * sms, 96, 0, stay, 0},
	};
	for (const Grid &g : list)
		if (!quick || g.blocks <= 3 * sms)
			grid(g, quick ? 8 : 3 * sms);
}

#if CUDART_VERSION >= 11080 && !defined(__clang__)
static int root(std::vector<int> &of, int i)
{
	while (of[i] != i)
		i = of[i];
	return i;
}

// SMs that ever hosted one cluster lie in one GPC.
static void clusters(void)
{
	if (kit::device().major < 9)
		return;
	cudaFuncSetAttribute(settle, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
	cudaGetLastError();
	int most = kit::device().sharedMemPerBlockOptin / 2 + 1536;
	std::vector<int> of(sms);
	std::iota(of.begin(), of.end(), 0);
	for (int size = 2; size <= 16; size *= 2) {
		cudaLaunchConfig_t config;
		cudaLaunchAttribute attribute;
		int active = 0;
		memset(&config, 0, sizeof config);
		memset(&attribute, 0, sizeof attribute);
		attribute.id = cudaLaunchAttributeClusterDimension;
		attribute.val.clusterDim.x = size;
		attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
		config.gridDim = dim3(size * 2 * (sms / size));
		config.blockDim = dim3(32);
		config.dynamicSmemBytes = most;
		config.attrs = &attribute;
		config.numAttrs = 1;
		if (cudaOccupancyMaxActiveClusters(&active, settle, &config) == cudaSuccess)
			kit::row("order", "clusters_active", kit::text("size=%d", size), {(double)active}, "clusters");
		else
			kit::succeeded("occupancy of clusters");
		for (int r = 0; r < 20; r++) {
			int n = config.gridDim.x;
			CHECK(cudaMemset(notes, 0xff, MAX_BLOCKS * sizeof *notes));
			if (cudaLaunchKernelEx(&config, settle, notes, 3000u, 3000u) != cudaSuccess) {
				kit::succeeded("cluster launch");
				break;
			}
			if (!kit::succeeded("cluster"))
				return;
			std::vector<Note> all = kit::read(notes, n);
			u64 first = ~0ull;
			for (const Note &b : all)
				first = std::min(first, b.start);
			for (int i = 0; i < n; i++)
				if (all[i].sm < (unsigned)sms && all[i / size * size].sm < (unsigned)sms)
					of[root(of, all[i].sm)] = root(of, all[i / size * size].sm);
			for (int i = 0; r == 1 && i < n / 2; i++)
				kit::row("order", "cluster_sm",
				         kit::text("size=%d block=%d cluster=%d start_ns=%llu", size, i, i / size,
				                   all[i].start - first),
				         {(double)all[i].sm}, "sm");
		}
		std::vector<int> number(sms, -1);
		int groups = 0;
		for (int i = 0; i < sms; i++)
			if (number[root(of, i)] < 0)
				number[root(of, i)] = groups++;
		for (int i = 0; i < sms; i++)
			kit::row("order", "sm_group", kit::text("clusters_up_to=%d sm=%d", size, i),
			         {(double)number[root(of, i)]}, "group");
		kit::row("order", "sm_groups", kit::text("clusters_up_to=%d", size), {(double)groups}, "groups");
	}
}
#else
static void clusters(void)
{
}
#endif

int main(int argc, char **argv)
{
	float host[16] = {1, 2, 3, 4, 5, 6, 7, 8, 0.5f, 0.25f};
	quick = kit::quick(argc, argv);
	repeats = quick ? 1 : 7;
	sms = kit::device().multiProcessorCount;
	times = kit::allocate<unsigned>(32 * (SEGMENTS + 1));
	values = kit::allocate<float>(16);
	sink = kit::allocate<float>(1);
	notes = kit::allocate<Note>(MAX_BLOCKS);
	CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
	warps_finish();
	pairs();
	wakes();
	grids();
	clusters();
	return 0;
}
