// bandwidth.cu: bytes per cycle of one SM and GB/s of the GPU, for the L1, the L2, DRAM and the constant cache. One
// harness: a grid that fills the GPU, of which only the blocks on chosen SMs work, after all blocks have started.
// Each block records its cycles and its start and end in nanoseconds. Tables of jobs give access width, loads in
// flight, warps per SM, SMs, footprint and stride. A warp takes U consecutive pieces of 32 accesses, then jumps over
// the others'.
#include "kit.h"

typedef unsigned long long u64;

struct Task {
	char *data;
	u64 footprint; // bytes that a block (own) or the grid walks over
	u64 start;     // where the walk begins
	int own;       // each block has its own footprint
	int iterations;
	int per_sm;     // blocks on each SM; 2 only if all SMs work
	int sms, every; // SMs that work: smid / every < sms, smid % every == 0
	unsigned *arrived;
	struct Record *records;
	u64 *sink;
};

struct Record {
	u64 start, end, cycles;
	unsigned sm, worked;
};

enum Op { READ_CA, READ_CG, WRITE, COPY, GATHER, CONSTANT, CONSTANT_SPREAD };
enum { MAX_BLOCKS = 1024 };

__constant__ unsigned constants[16384];

// All blocks wait for each other, at most 5 million cycles. True for blocks that work.
__device__ __forceinline__ bool begin(const Task &t)
{
	if (threadIdx.x == 0) {
		atomicAdd(t.arrived, 1);
		u64 start = kit::cycles();
		for (int i = 0; i < 100000 && kit::cycles() - start < 5000000; i++)
			if (*(volatile unsigned *)t.arrived >= gridDim.x)
				break;
	}
	__syncthreads();
	unsigned sm = kit::sm();
	return sm % t.every == 0 && sm / t.every < t.sms;
}

template <int Bytes, int Cg> __device__ __forceinline__ unsigned fetch(u64 p)
{
	unsigned a, b, c, d;
	if (Bytes == 4 && Cg) {
		asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(p));
		return a;
	} else if (Bytes == 4) {
		asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(p));
		return a;
	} else if (Bytes == 8 && Cg) {
		asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p));
		return a ^ b;
	} else if (Bytes == 8) {
		asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p));
		return a ^ b;
	} else if (Cg) {
		asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
		             : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
		             : "l"(p));
		return a ^ b ^ c ^ d;
	}
	asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
	return a ^ b ^ c ^ d;
}

template <int Bytes> __device__ __forceinline__ void put(u64 p, unsigned v)
{
	if (Bytes == 4)
		asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
	else if (Bytes == 8)
		asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(p), "r"(v) : "memory");
	else
		asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(v) : "memory");
}

// U accesses of Bytes per thread in flight, at Stride bytes between lanes. Consecutive blocks that work are numbered
// by their SM.
template <int Op, int Bytes, int U, int Stride> __global__ void work(Task t)
{
	bool works = begin(t);
	int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int rank = t.own ? 0 : t.per_sm == 2 ? blockIdx.x : kit::sm() / t.every;
	const u64 chunk = 32ull * Stride * U;
	u64 ranks = t.own ? 1 : t.per_sm == 2 ? gridDim.x : t.sms;
	u64 step = ranks * warps * chunk % t.footprint;
	u64 at = (t.start + ((u64)rank * warps + warp) * chunk) % t.footprint;
	u64 base = (u64)t.data + (t.own ? blockIdx.x * t.footprint : 0) + lane * Stride;
	u64 half = t.footprint; // the copy's target lies after the source
	unsigned sum = 0, random = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + (unsigned)t.start + 12345;
	u64 start = kit::nanoseconds(), cycles = kit::cycles();
	if (works)
		for (int i = 0; i < t.iterations; i++) {
			u64 p = base + at;
			if (Op == READ_CA || Op == READ_CG) {
#pragma unroll
				for (int j = 0; j < U; j++)
					sum ^= fetch<Bytes, Op == READ_CG>(p + j * 32 * Stride);
			} else if (Op == WRITE) {
#pragma unroll
				for (int j = 0; j < U; j++)
					put<Bytes>(p + j * 32 * Stride, i);
			} else if (Op == COPY) {
				unsigned values[U];
#pragma unroll
				for (int j = 0; j < U; j++)
					values[j] = fetch<Bytes, 1>(p + j * 32 * Stride);
#pragma unroll
				for (int j = 0; j < U; j++)
					put<Bytes>(p + half + j * 32 * Stride, values[j]);
			} else if (Op == GATHER) {
#pragma unroll
				for (int j = 0; j < U; j++) {
					random = random * 1664525u + 1013904223u;
					u64 place = ((u64)random * (t.footprint / 32)) >> 32;
					sum ^= fetch<Bytes, 1>((u64)t.data + place * 32);
				}
			} else {
#pragma unroll
				for (int j = 0; j < U; j++)
					sum ^= constants[(t.start + i * 8 + j +
					                  (Op == CONSTANT_SPREAD ? lane * 16 : 0)) &
					                 511];
			}
			at += step;
			if (at >= t.footprint)
				at -= t.footprint;
		}
	if (sum == 0x12345)
		*t.sink = sum;
	if (Op == WRITE || Op == COPY)
		__threadfence();
	__syncthreads();
	if (threadIdx.x == 0 && blockIdx.x < MAX_BLOCKS)
		t.records[blockIdx.x] = {start, kit::nanoseconds(), kit::cycles() - cycles, kit::sm(), works};
}

typedef void (*Work)(Task);

struct Kind {
	const char *name;
	Work kernel;
	int bytes, unroll, stride;
};

static bool quick;
static int sms;
static char *data;
static u64 data_size;
static unsigned *arrived;
static Record *records;
static u64 *sink, walked;

struct Point {
	u64 footprint;
	bool own, cold; // cold: each launch goes on where the last one stopped
	int sms, every, warps;
	double bytes_per_sm; // useful bytes that each SM moves
};

static void measure(const char *measure, const Kind &k, Point p)
{
	int per_sm = p.warps > 32 ? 2 : 1, warps = p.warps / per_sm, grid = sms * per_sm;
	int most = std::max(kit::device().sharedMemPerBlock, kit::device().sharedMemPerBlockOptin);
	int shared = most / (per_sm + 1) + 1536;
	double per_iteration = 32.0 * k.bytes * k.unroll * p.warps;
	Task t;
	cudaFuncSetAttribute((const void *)k.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
	cudaGetLastError();
	p.sms = std::min(p.sms, (sms + p.every - 1) / p.every);
	if (per_sm == 2 && p.sms < sms)
		return;
	t.data = data;
	t.footprint = p.footprint;
	t.own = p.own;
	t.per_sm = per_sm;
	t.sms = p.sms;
	t.every = p.every;
	t.arrived = arrived;
	t.records = records;
	t.sink = sink;
	if (quick)
		p.bytes_per_sm = std::min(p.bytes_per_sm, 16384.0);
	t.iterations = std::max(2.0, std::min(p.bytes_per_sm / per_iteration, 200000.0));
	std::vector<double> rate, cycle_rate, megahertz;
	for (int r = 0; r < (quick ? 2 : 6); r++) {
		CHECK(cudaMemset(arrived, 0, sizeof *arrived));
		t.start = p.cold ? walked % p.footprint / 65536 * 65536 : 0;
		k.kernel<<<grid, warps * 32, shared>>>(t);
		if (!kit::succeeded(measure))
			return;
		walked += (u64)(t.iterations * per_iteration * p.sms * k.stride / k.bytes);
		std::vector<Record> all = kit::read(records, std::min<int>(grid, MAX_BLOCKS));
		u64 start = ~0ull, end = 0;
		double cycles = 0, bytes = 0, clock = 0, blocks = 0;
		for (const Record &b : all)
			if (b.worked) {
				start = std::min(start, b.start);
				end = std::max(end, b.end);
				cycles += b.cycles;
				clock += b.end > b.start ? 1e3 * b.cycles / (b.end - b.start) : 0;
				bytes += t.iterations * per_iteration / per_sm;
				blocks++;
			}
		if (r == 0 || blocks == 0 || end <= start)
			continue;
		rate.push_back(bytes / (end - start));
		cycle_rate.push_back(bytes / cycles * per_sm);
		megahertz.push_back(clock / blocks);
	}
	if (rate.empty()) {
		fprintf(stderr, "bandwidth: %s: no time\n", measure);
		return;
	}
	std::string text = kit::text("op=%s width=%d unroll=%d stride=%d footprint=%llu sms=%d every=%d warps=%d",
	                             k.name, k.bytes, k.unroll, k.stride, p.footprint, p.sms, p.every, p.warps);
	kit::row("bandwidth", measure, text, rate, "GB/s");
	kit::row("bandwidth", std::string(measure) + "_per_sm", text, cycle_rate, "bytes/cycle");
	if (p.sms == sms && p.warps == 32)
		kit::row("bandwidth", std::string(measure) + "_clock", text, megahertz, "MHz");
}

static const Kind l1[] = {
	{"read", work<READ_CA, 4, 8, 4>, 4, 8, 4},     {"read", work<READ_CA, 8, 8, 8>, 8, 8, 8},
	{"read", work<READ_CA, 16, 4, 16>, 16, 4, 16}, {"read", work<READ_CA, 4, 1, 4>, 4, 1, 4},
	{"read", work<READ_CA, 16, 1, 16>, 16, 1, 16}, {"read", work<READ_CA, 4, 4, 32>, 4, 4, 32},
	{"read", work<READ_CA, 4, 2, 64>, 4, 2, 64},   {"read", work<READ_CA, 4, 1, 128>, 4, 1, 128},
};
enum { READ16 = 0, READ4 = 1, WRITE16 = 10, COPY16 = 12, GATHER4 = 14 };
static const Kind l2[] = {
	{"read", work<READ_CG, 16, 4, 16>, 16, 4, 16}, {"read", work<READ_CG, 4, 8, 4>, 4, 8, 4},
	{"read", work<READ_CG, 8, 8, 8>, 8, 8, 8},     {"read", work<READ_CG, 16, 1, 16>, 16, 1, 16},
	{"read", work<READ_CG, 16, 2, 16>, 16, 2, 16}, {"read", work<READ_CG, 16, 8, 16>, 16, 8, 16},
	{"read", work<READ_CG, 4, 4, 32>, 4, 4, 32},   {"read", work<READ_CG, 4, 4, 64>, 4, 4, 64},
	{"read", work<READ_CG, 4, 4, 128>, 4, 4, 128}, {"write", work<WRITE, 4, 8, 4>, 4, 8, 4},
	{"write", work<WRITE, 16, 4, 16>, 16, 4, 16},  {"write", work<WRITE, 4, 4, 32>, 4, 4, 32},
	{"copy", work<COPY, 16, 4, 16>, 16, 4, 16},    {"copy", work<COPY, 4, 8, 4>, 4, 8, 4},
	{"gather", work<GATHER, 4, 4, 32>, 4, 4, 32},  {"gather", work<GATHER, 4, 8, 32>, 4, 8, 32},
};

// By warps on one SM and on all; by SMs.
static void sweeps(const char *name, const Kind &k, u64 footprint, bool own, bool cold, double bytes, bool full)
{
	static const int warps[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
	std::string one = kit::text("%s_one_sm", name);
	// Useful bytes: a strided access moves more than it uses.
	double mine = bytes * k.bytes / k.stride;
	if (quick && !full)
		return;
	for (int w : warps)
		if ((full && (!quick || w == 1 || w == 8)) || w == 8 || w == 32 || w == 64) {
			if (w <= 32)
				measure(one.c_str(), k, {footprint, own, cold, 1, 1, w, mine / (w < 8 ? 4 : 1)});
			measure(name, k, {footprint, own, cold, sms, 1, w, mine / (w < 4 ? 4 : 1)});
			if (quick && w >= 8)
				break;
		}
	for (int n = 2; full && n < sms && !quick; n = n < 16 || n >= 128 ? n * 2 : n + 16) {
		measure(name, k, {footprint, own, cold, n, 1, 32, mine});
		if (n <= sms / 2)
			measure(name, k, {footprint, own, cold, n, 2, 32, mine});
	}
}

static void constant(void)
{
	static const Kind kinds[] = {{"constant", work<CONSTANT, 4, 8, 4>, 4, 8, 4},
	                             {"constant_spread", work<CONSTANT_SPREAD, 4, 8, 4>, 4, 8, 4}};
	static const int warps[] = {1, 2, 4, 8, 16, 32};
	for (const Kind &k : kinds)
		for (int w : warps)
			measure("constant", k, {1 << 20, false, false, 1, 1, w, w * 32.0 * 4 * 8 * 500});
}

static void sets(void)
{
	for (u64 bytes = 1 << 20; bytes <= std::min<u64>(data_size, quick ? 1 << 20 : 1 << 30); bytes *= 2) {
		std::vector<double> rates, copies;
		for (int r = 0; r < 6; r++) {
			double set = kit::milliseconds([&] { cudaMemsetAsync(data, r, bytes); });
			double copy = kit::milliseconds(
				[&] { cudaMemcpyAsync(data + bytes / 2, data, bytes / 2, cudaMemcpyDeviceToDevice); });
			if (r && set > 0 && copy > 0) {
				rates.push_back(bytes / set / 1e6);
				copies.push_back(bytes / 2 / copy / 1e6);
			}
		}
		if (rates.empty())
			continue;
		kit::row("bandwidth", "memset", kit::text("bytes=%llu", bytes), rates, "GB/s");
		kit::row("bandwidth", "memcpy_on_device", kit::text("bytes=%llu", bytes / 2), copies, "GB/s");
	}
	kit::succeeded("memset");
}

int main(int argc, char **argv)
{
	const u64 mib = 1 << 20;
	size_t free_bytes = 0, total = 0;
	quick = kit::quick(argc, argv);
	sms = kit::device().multiProcessorCount;
	cudaMemGetInfo(&free_bytes, &total);
	data_size = quick ? 32 * mib : 4096 * mib;
	while (data_size > free_bytes / 2 && data_size > 32 * mib)
		data_size /= 2;
	data = kit::allocate<char>(data_size + mib);
	arrived = kit::allocate<unsigned>(1);
	records = kit::allocate<Record>(MAX_BLOCKS);
	sink = kit::allocate<u64>(1);

	for (const Kind &k : l1)
		sweeps("l1", k, 16384, true, false, 8 * mib, &k - l1 < 3);
	for (const Kind &k : l2)
		sweeps("l2", k, (quick ? 1 : 8) * mib, false, false, 4 * mib,
		       &k == l2 + READ16 || &k == l2 + READ4 || &k == l2 + WRITE16);
	static const int sizes[] = {1,  2,  4,  6,  8,  12, 16, 20, 22, 24, 26, 28,  30,  32,  36,
	                            40, 44, 46, 48, 50, 52, 56, 60, 64, 72, 80, 100, 128, 192, 256};
	for (int i = 0; i < 30 && !quick; i++) {
		double bytes = std::max(3.0 * sizes[i], 256.0) * mib / sms;
		measure("l2_footprint", l2[READ16], {sizes[i] * mib, false, false, sms, 1, 32, bytes});
		measure("l2_footprint", l2[WRITE16], {sizes[i] * mib, false, false, sms, 1, 32, bytes});
		measure("l2_footprint", l2[GATHER4], {sizes[i] * mib, false, false, sms, 1, 32, bytes / 8});
	}
	for (const Kind &k : l2)
		sweeps("dram", k, data_size / 2, false, true, 8 * mib,
		       &k == l2 + READ16 || &k == l2 + WRITE16 || &k == l2 + COPY16);
	constant();
	sets();
	return 0;
}
