// levels.cu: the latency of each level of the memory hierarchy, by one thread that follows pointers. A chain's nodes
// are listed on the host; one kernel links them. The first lap warms; then `repeats` timed stretches give the
// samples. Sweeps: footprint around the L1 and the L2, pages for the TLBs, lines at one stride for the ways of a
// set. Also constant, texture, local and shared memory, what one miss brings along (sectors, promotion), and what a
// store leaves.
#include "kit.h"

#include <cmath>

typedef unsigned long long u64;

enum Kind { CA, CG, NC, VOLATILE, CA4, CA16, L64, L128, L256 };
static const char *kind_names[] = {"ca", "cg", "nc", "volatile", "ca4", "ca16", "l2_64", "l2_128", "l2_256"};
enum { MAX_REPEATS = 11, SAMPLED = 2048, SPOTS = 64, SPOT = 8192 };

static bool quick;
static int repeats = 7;
static unsigned *times;
static u64 *sink;

// Waits for a value.
__device__ __forceinline__ void await(u64 value)
{
	asm volatile("{ .reg .pred q; setp.eq.u64 q, %0, 1; @q trap; }" ::"l"(value) : "memory");
}

#define LOAD(text) asm volatile(text : "=l"(value) : "l"(p) : "memory")
template <int K> __device__ __forceinline__ u64 load(u64 p)
{
	u64 value = 0;
	if (K == CA)
		LOAD("ld.global.ca.u64 %0, [%1];");
	if (K == CG)
		LOAD("ld.global.cg.u64 %0, [%1];");
	if (K == NC)
		LOAD("ld.global.nc.u64 %0, [%1];");
	if (K == VOLATILE)
		LOAD("ld.volatile.global.u64 %0, [%1];");
	if (K == CA4)
		LOAD("{ .reg .u32 a, b, c; mov.b64 {a, b}, %1; ld.global.ca.u32 c, [%1]; mov.b64 %0, {c, b}; }");
	if (K == CA16)
		LOAD("{ .reg .u64 a; ld.global.ca.v2.u64 {%0, a}, [%1]; }");
#if __CUDA_ARCH__ >= 800
	if (K == L64)
		LOAD("ld.global.L2::64B.u64 %0, [%1];");
	if (K == L128)
		LOAD("ld.global.L2::128B.u64 %0, [%1];");
	if (K == L256)
		LOAD("ld.global.L2::256B.u64 %0, [%1];");
#endif
	return value;
}

__global__ void link_nodes(u64 base, const u64 *offsets, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	u64 *node = (u64 *)(base + offsets[i]);
	node[0] = base + offsets[i + 1 < count ? i + 1 : 0];
}

template <int K> __global__ void walk(u64 p, int warm, int steps, int repeats, unsigned *times, u64 *sink)
{
	for (int i = 0; i < warm; i++)
		p = load<K>(p);
	await(p);
	for (int r = 0; r < repeats; r++) {
		u64 start = kit::cycles();
		for (int i = 0; i < steps; i += 16) {
			X16(p = load<K>(p);)
		}
		await(p);
		times[r] = kit::cycles() - start;
	}
	*sink = p;
}

typedef void (*Walk)(u64, int, int, int, unsigned *, u64 *);
static Walk walks[] = {walk<CA>, walk<CG>, walk<NC>, walk<VOLATILE>, walk<CA4>, walk<CA16>};

__global__ void touch(const char *data, u64 bytes, u64 *sink)
{
	u64 sum = 0;
	for (u64 i = (blockIdx.x * (u64)blockDim.x + threadIdx.x) * 32; i < bytes;
	     i += gridDim.x * (u64)blockDim.x * 32)
		sum += load<CG>((u64)(data + i));
	if (sum == 1)
		*sink = sum;
}

// Nodes at `stride` over the footprint, at most `limit` of them (then one in each of `limit` equal parts).
static std::vector<u64> nodes(u64 footprint, u64 stride, bool random, u64 limit, u64 skew)
{
	u64 all = std::max<u64>(footprint / stride, 1), count = std::min(all, limit);
	std::vector<u64> offsets(count);
	for (u64 i = 0; i < count; i++) {
		u64 first = i * all / count, next = (i + 1) * all / count;
		u64 node = count < all ? first + (u64)rand() % (next - first) : i;
		offsets[i] = node * stride + (skew ? i * skew % stride : 0);
	}
	for (u64 i = count - 1; random && i > 0; i--)
		std::swap(offsets[i], offsets[(u64)rand() % (i + 1)]);
	return offsets;
}

static u64 chain(char *data, const std::vector<u64> &offsets)
{
	static u64 *list = kit::allocate<u64>(1 << 16);
	int count = std::min<size_t>(offsets.size(), 1 << 16);
	CHECK(cudaMemcpy(list, offsets.data(), count * sizeof(u64), cudaMemcpyHostToDevice));
	link_nodes<<<(count + 255) / 256, 256>>>((u64)data, list, count);
	return kit::succeeded("link") ? (u64)data + offsets[0] : 0;
}

static std::vector<double> samples(int steps, int count)
{
	std::vector<unsigned> raw = kit::read(times, count);
	std::vector<double> result;
	for (unsigned t : raw)
		result.push_back((double)t / steps);
	return result;
}

static int round16(u64 steps, int limit)
{
	return std::min<u64>((steps + 15) / 16 * 16, limit);
}

// One row for a chain all of whose nodes are visited.
static void measure(const char *name, const std::string &parameters, Kind kind, char *data,
                    const std::vector<u64> &offsets)
{
	u64 p = chain(data, offsets);
	int count = offsets.size(), steps = round16(std::max(count, 256), quick ? 1024 : 4096);
	if (!p)
		return;
	walks[kind]<<<1, 1>>>(p, count + 16, steps, repeats, times, sink);
	if (kit::succeeded(name))
		kit::row("levels", name, parameters, samples(steps, repeats), "cycles");
}

static std::vector<u64> footprints(double low, double high, int per_octave, u64 unit)
{
	std::vector<u64> list;
	for (int i = 0;; i++) {
		double bytes = low * exp2((double)i / per_octave);
		u64 rounded = (u64)(bytes / unit + 0.5) * unit;
		if (bytes > high * 1.001)
			return list;
		if (rounded && (list.empty() || rounded != list.back()))
			list.push_back(rounded);
	}
}

struct Sweep {
	Kind kind;
	int stride;
	bool random;
	int carve; // % of shared memory
	double low, high;
	int per_octave;
};

static void l1_sweeps(char *data)
{
	static const Sweep sweeps[] = {
		{CA, 128, true, 0, 1, 16, 2},    {CA, 128, true, 0, 16, 320, 8},  {CA, 128, true, 50, 16, 320, 8},
		{CA, 128, true, 100, 8, 320, 8}, {CA, 32, true, 0, 16, 320, 8},   {CA, 64, true, 0, 16, 320, 4},
		{CA, 256, true, 0, 16, 512, 8},  {CA, 128, false, 0, 16, 320, 8}, {CA, 32, false, 0, 16, 320, 4},
		{CG, 128, true, 0, 1, 512, 1},   {NC, 128, true, 0, 1, 320, 4},   {VOLATILE, 128, true, 0, 1, 512, 1},
		{CA4, 128, true, 0, 1, 16, 1},   {CA16, 128, true, 0, 1, 16, 1},
	};
	for (const Sweep &s : sweeps) {
		cudaFuncSetAttribute((const void *)walks[s.kind], cudaFuncAttributePreferredSharedMemoryCarveout,
		                     s.carve);
		cudaGetLastError();
		for (u64 bytes : footprints(s.low * 1024, s.high * 1024, quick ? 1 : s.per_octave, 256))
			measure("l1_footprint",
			        kit::text("kind=%s stride=%d order=%s carve=%d bytes=%llu", kind_names[s.kind],
			                  s.stride, s.random ? "random" : "stride", s.carve, bytes),
			        s.kind, data, nodes(bytes, s.stride, s.random, 1 << 16, 0));
		cudaFuncSetAttribute((const void *)walks[s.kind], cudaFuncAttributePreferredSharedMemoryCarveout, -1);
		cudaGetLastError();
	}
}

// Chains of n lines at one stride: more than the ways of a set miss.
static void ways(char *data, u64 size)
{
	cudaFuncSetAttribute((const void *)walks[CA], cudaFuncAttributePreferredSharedMemoryCarveout, 0);
	cudaGetLastError();
	for (u64 stride = 1024; stride <= 256 << 10; stride *= quick ? 4 : 2)
		for (int n = 1; n <= (quick ? 16 : 288); n += n < 16 ? 1 : n < 32 ? 4 : n < 128 ? 16 : 32)
			if (n * stride <= size)
				measure("l1_ways", kit::text("stride=%llu lines=%d", stride, n), CA, data,
				        nodes(n * stride, stride, true, 1 << 16, 0));
	cudaFuncSetAttribute((const void *)walks[CA], cudaFuncAttributePreferredSharedMemoryCarveout, -1);
	cudaGetLastError();
}

// The whole footprint is touched, by all SMs or by one; then a chain samples it.
static void l2_sweep(char *data, u64 size, int stride, int per_octave, bool by_one, double low, double high)
{
	const double mib = 1 << 20;
	for (u64 bytes : footprints(low * mib, std::min(high * mib, (double)size), per_octave, 4096)) {
		std::vector<double> all;
		std::vector<u64> offsets = nodes(bytes, stride, true, quick ? 512 : SAMPLED, 0);
		int steps = round16(offsets.size(), SAMPLED) - 16;
		u64 p = chain(data, offsets);
		for (int r = 0; p && r < std::min(repeats, 5) + 1; r++) {
			if (by_one)
				touch<<<1, 1024>>>(data, bytes, sink);
			else
				touch<<<kit::device().multiProcessorCount * 2, 512>>>(data, bytes, sink);
			walk<CG><<<1, 1>>>(p, 1, steps, 1, times, sink);
			if (!kit::succeeded("l2_footprint"))
				return;
			if (r)
				all.push_back(samples(steps, 1)[0]);
		}
		if (!all.empty())
			kit::row("levels", "l2_footprint",
			         kit::text("stride=%d touched_by=%s bytes=%llu", stride, by_one ? "one" : "all", bytes),
			         all, "cycles");
	}
}

static void l2_sweeps(char *data, u64 size)
{
	if (quick)
		return l2_sweep(data, size, 128, 1, false, 0.5, 8);
	l2_sweep(data, size, 128, 2, false, 0.5, 16);
	l2_sweep(data, size, 128, 8, false, 18, 72);
	l2_sweep(data, size, 128, 2, false, 80, 512);
	l2_sweep(data, size, 32, 2, false, 1, 256);
	l2_sweep(data, size, 128, 2, true, 0.5, 16);
	l2_sweep(data, size, 128, 8, true, 18, 72);
}

// Nodes on different pages; all lines stay in the L2. The skew spreads them over its sets.
static void tlb(void)
{
	size_t free_bytes = 0, total = 0;
	char *data = NULL;
	u64 size = quick ? 64ull << 20 : 16ull << 30;
	cudaMemGetInfo(&free_bytes, &total);
	while (size > free_bytes * 3 / 4 && size > 64 << 20)
		size /= 2;
	while (cudaMalloc(&data, size) != cudaSuccess && size > 16 << 20) {
		cudaGetLastError();
		size /= 2;
		data = NULL;
	}
	if (!data)
		return;
	for (u64 stride = 4096; stride <= 32 << 20; stride *= stride < 1 << 20 ? 4 : 2)
		for (u64 bytes : footprints(std::max<double>(stride * 4, 1 << 20), size, quick ? 1 : 4, stride)) {
			if (bytes / stride > (quick ? 256 : 8192))
				break;
			measure("tlb", kit::text("stride=%llu pages=%llu bytes=%llu", stride, bytes / stride, bytes),
			        CG, data, nodes(bytes, stride, true, 1 << 16, 128 * 37));
		}
	cudaFree(data);
	cudaGetLastError();
}

// Constant memory: offsets in bytes.
__constant__ unsigned table[16384];

__global__ void walk_constant(unsigned p, int warm, int steps, int repeats, unsigned *times, u64 *sink)
{
	const char *bytes = (const char *)table;
	for (int i = 0; i < warm; i++)
		p = *(const unsigned *)(bytes + p);
	await(p);
	for (int r = 0; r < repeats; r++) {
		u64 start = kit::cycles();
		for (int i = 0; i < steps; i += 16) {
			X16(p = *(const unsigned *)(bytes + p);)
		}
		await(p + 2);
		times[r] = kit::cycles() - start;
	}
	*sink = p;
}

static void constants(void)
{
	static unsigned host[16384];
	static const int strides[] = {16, 64, 256};
	for (int stride : strides)
		for (u64 bytes : footprints(512, 65536, quick ? 1 : 4, stride)) {
			std::vector<u64> list = nodes(bytes, stride, true, 1 << 16, 0);
			int count = list.size(), steps = round16(std::max(count, 256), 4096);
			for (int i = 0; i < count; i++)
				host[list[i] / 4] = list[(i + 1) % count];
			CHECK(cudaMemcpyToSymbol(table, host, sizeof host));
			walk_constant<<<1, 1>>>(list[0], count + 16, steps, repeats, times, sink);
			if (kit::succeeded("constant"))
				kit::row("levels", "constant_footprint",
				         kit::text("stride=%d bytes=%llu", stride, bytes), samples(steps, repeats),
				         "cycles");
		}
}

// Texture memory: the elements are indices.
__global__ void walk_texture(cudaTextureObject_t texture, int p, int warm, int steps, int repeats, unsigned *times,
                             u64 *sink)
{
	for (int i = 0; i < warm; i++)
		p = tex1Dfetch<int>(texture, p);
	await((unsigned)p + 2);
	for (int r = 0; r < repeats; r++) {
		u64 start = kit::cycles();
		for (int i = 0; i < steps; i += 16) {
			X16(p = tex1Dfetch<int>(texture, p);)
		}
		await((unsigned)p + 2);
		times[r] = kit::cycles() - start;
	}
	*sink = p;
}

static void textures(void)
{
	const size_t size = 1 << 20;
	int *data = kit::allocate<int>(size / 4);
	cudaResourceDesc resource;
	cudaTextureDesc description;
	cudaTextureObject_t texture;
	memset(&resource, 0, sizeof resource);
	memset(&description, 0, sizeof description);
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = data;
	resource.res.linear.desc = cudaCreateChannelDesc<int>();
	resource.res.linear.sizeInBytes = size;
	description.readMode = cudaReadModeElementType;
	if (cudaCreateTextureObject(&texture, &resource, &description, NULL) != cudaSuccess) {
		kit::succeeded("texture");
		return;
	}
	for (u64 bytes : footprints(1024, size, quick ? 1 : 2, 128)) {
		std::vector<u64> list = nodes(bytes, 128, true, 1 << 16, 0);
		std::vector<int> host(size / 4);
		int count = list.size(), steps = round16(std::max(count, 256), quick ? 1024 : 4096);
		for (int i = 0; i < count; i++)
			host[list[i] / 4] = list[(i + 1) % count] / 4;
		CHECK(cudaMemcpy(data, host.data(), size, cudaMemcpyHostToDevice));
		walk_texture<<<1, 1>>>(texture, list[0] / 4, count + 16, steps, repeats, times, sink);
		if (kit::succeeded("texture"))
			kit::row("levels", "texture_footprint", kit::text("stride=128 bytes=%llu", bytes),
			         samples(steps, repeats), "cycles");
	}
}

// Shared (width 4, 8, 16) and local memory.
template <int Bytes> __global__ void walk_shared(int nodes, int steps, int repeats, unsigned *times, u64 *sink)
{
	__shared__ __align__(16) unsigned data[1024];
	unsigned base = __cvta_generic_to_shared(data), p = base;
	for (int i = 0; i < 1024; i++)
		data[i] = base + (i + 4 * 13) % 1024 / 4 * 16;
	__syncthreads();
	for (int r = 0; r < repeats; r++) {
		u64 start = kit::cycles();
		for (int i = 0; i < steps; i += 16) {
			if (Bytes == 4) {
				X16(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");)
			} else if (Bytes == 8) {
				X16(asm volatile("{ .reg .u32 a; ld.shared.v2.u32 {%0, a}, [%0]; }"
				                 : "+r"(p)::"memory");)
			} else {
				X16(asm volatile("{ .reg .u32 a, b, c; ld.shared.v4.u32 {%0, a, b, c}, [%0]; }"
				                 : "+r"(p)::"memory");)
			}
		}
		await(p + 2);
		times[r] = kit::cycles() - start;
	}
	*sink = p;
}

__global__ void walk_local(int nodes, int steps, int repeats, unsigned *times, u64 *sink)
{
	u64 data[64], p;
	asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(p) : "l"((u64)data));
	for (int i = 0; i < nodes; i++)
		asm volatile("st.local.u64 [%0], %1;" ::"l"(p + i * 8), "l"(p + (i + 13) % nodes * 8) : "memory");
	for (int r = 0; r < repeats; r++) {
		u64 start = kit::cycles();
		for (int i = 0; i < steps; i += 16) {
			X16(asm volatile("ld.local.u64 %0, [%0];" : "+l"(p)::"memory");)
		}
		await(p + 2);
		times[r] = kit::cycles() - start;
	}
	*sink = p + data[nodes - 1];
}

typedef void (*Plain)(int, int, int, unsigned *, u64 *);

static void on_chip(void)
{
	static const struct {
		const char *name;
		Plain kernel;
	} list[] = {{"space=shared width=4", walk_shared<4>},
	            {"space=shared width=8", walk_shared<8>},
	            {"space=shared width=16", walk_shared<16>},
	            {"space=local width=8", walk_local}};
	for (auto &l : list)
		for (int r = 0; r < 2; r++) {
			l.kernel<<<1, 1>>>(64, 1024, repeats, times, sink);
			if (kit::succeeded(l.name) && r)
				kit::row("levels", "on_chip", l.name, samples(1024, repeats), "cycles");
		}
}

__device__ __forceinline__ void pause_for(int cycles)
{
	u64 start = kit::cycles();
	for (int i = 0; i < 10000 && kit::cycles() - start < (u64)cycles; i++)
		;
}

template <int K> __device__ __forceinline__ unsigned timed(u64 p)
{
	u64 start = kit::cycles();
	await(load<K>(p));
	return kit::cycles() - start;
}

// At each of SPOTS places: one load, a pause, a second load at a distance. times[spot], times[SPOTS + spot]
template <int K, int Second> __global__ void pairs(u64 data, int from, int to, unsigned *times)
{
	timed<K>(data + SPOTS * SPOT);
	timed<Second>(data + SPOTS * SPOT);
	for (int i = 0; i < SPOTS; i++) {
		u64 spot = data + i * SPOT + i % 16 * 512;
		times[i] = timed<K>(spot + from);
		pause_for(2000);
		times[SPOTS + i] = timed<Second>(spot + to);
	}
}

// A store of `width` bytes at a place that was read before or not; after a pause, a load.
template <int K> __global__ void after_store(u64 data, bool before, int width, int to, unsigned *times)
{
	timed<K>(data + SPOTS * SPOT);
	for (int i = 0; i < SPOTS; i++) {
		u64 spot = data + i * SPOT + i % 16 * 512;
		if (before)
			timed<K>(spot);
		pause_for(2000);
		if (width == 4)
			asm volatile("st.global.u32 [%0], %1;" ::"l"(spot), "r"(0) : "memory");
		for (int j = 0; width >= 16 && j < width; j += 16)
			asm volatile("st.global.v2.u64 [%0], {%1, %1};" ::"l"(spot + j), "l"(0ull) : "memory");
		pause_for(3000);
		times[i] = timed<K>(spot + to);
	}
}

static char *spots, *flusher;
static u64 flusher_size;

// Leaves the spots in the L2, or only in DRAM.
static void prepare(bool in_l2)
{
	int sms = kit::device().multiProcessorCount;
	if (!quick || !in_l2)
		touch<<<sms * 2, 512>>>(flusher, flusher_size, sink);
	if (in_l2)
		touch<<<sms * 2, 512>>>(spots, (SPOTS + 1) * SPOT, sink);
}

static void print_spots(const char *name, const std::string &parameters, int which)
{
	std::vector<unsigned> raw = kit::read(times + which * SPOTS, SPOTS);
	kit::row("levels", name, parameters, std::vector<double>(raw.begin(), raw.end()), "cycles");
}

typedef void (*Pair)(u64, int, int, unsigned *);

static void neighbors(bool in_l2, Pair kernel, const char *kinds, int granularity, bool all_from)
{
	static const int to[] = {0, 32, 64, 96, 128, 160, 192, 224, 256, 384, 512, 1024, 2048, 4096};
	for (int from = 0; from < (all_from ? 128 : 1); from += 32)
		for (int t : to) {
			if ((from && t > 256) || (quick && t > 32))
				continue;
			prepare(in_l2);
			kernel<<<1, 1>>>((u64)spots, from, t, times);
			if (!kit::succeeded("neighbors"))
				return;
			std::string p = kit::text("data_in=%s kinds=%s granularity=%d first=%d second=%d",
			                          in_l2 ? "l2" : "dram", kinds, granularity, from, t);
			if (t == 0)
				print_spots("first_load", p, 0);
			print_spots("second_load", p, 1);
		}
}

static void sectors(void)
{
	bool hints = kit::device().major >= 8;
	int l2 = kit::device().l2CacheSize;
	flusher_size = quick ? 8 << 20 : std::max<u64>(2ull * l2, 16 << 20);
	spots = kit::allocate<char>((SPOTS + 1) * SPOT + 8192);
	flusher = kit::allocate<char>(flusher_size);
	neighbors(true, pairs<CA, CA>, "ca+ca", 0, !quick);
	neighbors(false, pairs<CG, CG>, "cg+cg", 0, !quick);
	if (quick)
		return;
	neighbors(false, pairs<CA, CA>, "ca+ca", 0, false);
	if (hints) {
		neighbors(false, pairs<L64, CG>, "l2_64+cg", 0, true);
		neighbors(false, pairs<L128, CG>, "l2_128+cg", 0, true);
		neighbors(false, pairs<L256, CG>, "l2_256+cg", 0, true);
	}
	for (int granularity = 32; granularity <= 128; granularity *= 2) {
		if (cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, granularity) == cudaSuccess)
			neighbors(false, pairs<CG, CG>, "cg+cg", granularity, granularity == 128);
		cudaGetLastError();
	}
}

static void stores(void)
{
	static const int widths[] = {4, 16, 32, 128}, to[] = {0, 8, 32, 64};
	for (int level = 1; level <= 3; level++)
		for (int before = 0; before <= (level < 3); before++)
			for (int width : widths)
				for (int t : to) {
					prepare(level < 3);
					if (level == 1)
						after_store<CA><<<1, 1>>>((u64)spots, before, width, t, times);
					else
						after_store<CG><<<1, 1>>>((u64)spots, before, width, t, times);
					if (!kit::succeeded("after_store"))
						return;
					print_spots(
						"load_after_store",
						kit::text("data_in=%s kind=%s read_before=%d stored=%d loaded_at=%d",
					                  level < 3 ? "l2" : "dram", level == 1 ? "ca" : "cg", before,
					                  width, t),
						0);
					if (quick)
						break;
				}
}

__global__ void clock_cost(unsigned *times)
{
	for (int i = 0; i < SPOTS; i++) {
		u64 start = kit::cycles();
		await(start | 2);
		times[i] = kit::cycles() - start;
	}
}

int main(int argc, char **argv)
{
	quick = kit::quick(argc, argv);
	repeats = quick ? 3 : 7;
	times = kit::allocate<unsigned>(2 * SPOTS);
	sink = kit::allocate<u64>(1);
	u64 size = quick ? 16 << 20 : 512 << 20;
	char *data = kit::allocate<char>(size);
	clock_cost<<<1, 1>>>(times);
	if (kit::succeeded("clock_cost"))
		print_spots("clock_cost", "", 0);
	on_chip();
	l1_sweeps(data);
	ways(data, size);
	constants();
	textures();
	l2_sweeps(data, size);
	sectors();
	stores();
	tlb();
	return 0;
}
