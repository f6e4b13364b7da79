// bulk.cu: the bulk copies of compute capability 9.0 (cp.async.bulk) without a tensor map. One thread of each block
// keeps `depth` copies in flight in a ring of slots, each with an mbarrier. One step is one copy: with depth 1 the
// step is the latency from the issue to the seen completion, with more it gives the throughput. Sources: a region that
// stays in the L2 cache, or fresh addresses in DRAM. Also: stores and reductions to global memory, and copies between
// the shared memories of a cluster. A copy that follows after a delay shows the prefetch into the L2 cache.
#include "hopper.h"

using namespace hopper;

static const size_t DRAM_BYTES = 1ull << 30;
static const size_t L2_BYTES_PER_BLOCK = 128 * 1024;
static const size_t FIRST_FRESH = 64 << 20; // below: the region that stays in the L2 cache
static const int DEPTHS[] = {1, 2, 3, 4, 6, 8};
static const uint32_t SIZES[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
static const size_t RING_BYTES = 192 * 1024;

extern __shared__ __align__(1024) unsigned char ring[];

// A block's source or target: its window of `window` bytes from base + block * window, walked by `stride`.
struct Walk {
	unsigned char *base;
	size_t window, stride;
};

__global__ void load(Walk walk, uint32_t bytes, int depth, int steps, Times *times, unsigned *late)
{
	__shared__ __align__(8) u64 barriers[8];
	if (threadIdx.x)
		return;
	for (int i = 0; i < depth; i++)
		barrier_init(shared(&barriers[i]), 1);
	fence_barrier_init();
	fence_async();
	const unsigned char *from = walk.base + blockIdx.x * walk.window;
	size_t at = 0;
	uint32_t slot = 0, phase = 1;
	bool good = true;
	begin(&times[blockIdx.x]);
	for (int i = 0; i < steps + depth && good; i++) {
		uint32_t barrier = shared(&barriers[slot]);
		if (i >= depth)
			good = wait(barrier, phase, late);
		if (i < steps && good) {
			arrive_expect(barrier, bytes);
			bulk_load(shared(ring) + slot * bytes, from + at, bytes, barrier);
			at += walk.stride;
			if (at + walk.stride > walk.window)
				at = 0;
		}
		if (++slot == depth) {
			slot = 0;
			phase ^= 1;
		}
	}
	end(&times[blockIdx.x]);
}

enum Operation { STORE, ADD_U32, ADD_U64, ADD_F32, ADD_F16, MAX_S32, OPERATIONS };
static const char *const OPERATION_NAMES[] = {"store", "add.u32", "add.u64", "add.f32", "add.noftz.f16", "max.s32"};

#define REDUCE(operation)                                                                                              \
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." operation                                   \
	             " [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),                                           \
	             "r"(from), "r"(bytes)                                                                             \
	             : "memory")

template <int OPERATION> __device__ void out(void *to, uint32_t from, uint32_t bytes)
{
	if (OPERATION == ADD_U32)
		REDUCE("add.u32");
	else if (OPERATION == ADD_U64)
		REDUCE("add.u64");
	else if (OPERATION == ADD_F32)
		REDUCE("add.f32");
	else if (OPERATION == ADD_F16)
		REDUCE("add.noftz.f16");
	else if (OPERATION == MAX_S32)
		REDUCE("max.s32");
	else
		bulk_store(to, from, bytes);
}

// READ: a step waits until the source of the copy was read, not until the copy is done.
template <int OPERATION, bool READ>
__global__ void store(Walk walk, uint32_t bytes, int depth, int steps, Times *times, unsigned *)
{
	for (uint32_t i = threadIdx.x; i < RING_BYTES / 4; i += blockDim.x)
		reinterpret_cast<uint32_t *>(ring)[i] = 0;
	fence_async();
	__syncthreads();
	if (threadIdx.x)
		return;
	unsigned char *to = walk.base + blockIdx.x * walk.window;
	size_t at = 0;
	uint32_t slot = 0;
	begin(&times[blockIdx.x]);
	for (int i = 0; i < steps; i++) {
		out<OPERATION>(to + at, shared(ring) + slot * bytes, bytes);
		bulk_commit();
		bulk_wait_depth<READ>(depth);
		at += walk.stride;
		if (at + walk.stride > walk.window)
			at = 0;
		if (++slot == depth)
			slot = 0;
	}
	bulk_wait<0, false>();
	end(&times[blockIdx.x]);
}

// Each block of the cluster sends to the block `distance` ranks on: warp 0 sends, warp 1 receives. A receiver gives a
// slot back by an arrival on the sender's `empty` mbarrier.
template <bool REDUCES>
__global__ void between(uint32_t distance, uint32_t bytes, int depth, int steps, Times *times, unsigned *late)
{
	__shared__ __align__(8) u64 full[8], empty[8];
	uint32_t size = cluster_size(), rank = cluster_rank();
	uint32_t next = (rank + distance) % size, previous = (rank + size - distance) % size;
	for (uint32_t i = threadIdx.x; i < RING_BYTES / 4; i += blockDim.x)
		reinterpret_cast<uint32_t *>(ring)[i] = 0;
	if (threadIdx.x == 0) {
		for (int i = 0; i < depth; i++) {
			barrier_init(shared(&full[i]), 1);
			barrier_init(shared(&empty[i]), 1);
		}
		fence_barrier_init();
	}
	fence_async();
	cluster_sync();
	uint32_t slot = 0, phase = 0;
	bool good = true;
	if (threadIdx.x == 0) {
		uint32_t half = RING_BYTES / 2;
		for (int i = 0; i < steps && good; i++) {
			if (i >= depth)
				good = wait(shared(&empty[slot]), phase ^ 1, late);
			uint32_t from = shared(ring) + slot * bytes;
			uint32_t to = map(from + half, next), barrier = map(shared(&full[slot]), next);
			if (good && REDUCES)
				asm volatile(
					"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
					".add.u32 [%0], [%1], %2, [%3];" ::"r"(to),
					"r"(from), "r"(bytes), "r"(barrier)
					: "memory");
			else if (good)
				asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
				             "[%0], [%1], %2, [%3];" ::"r"(to),
				             "r"(from), "r"(bytes), "r"(barrier)
				             : "memory");
			if (++slot == depth) {
				slot = 0;
				phase ^= 1;
			}
		}
	} else if (threadIdx.x == 32) {
		begin(&times[blockIdx.x]);
		for (int i = 0; i < depth && i < steps; i++)
			arrive_expect(shared(&full[i]), bytes);
		for (int i = 0; i < steps && good; i++) {
			uint32_t barrier = shared(&full[slot]);
			good = wait(barrier, phase, late);
			if (good && i + depth < steps)
				arrive_expect(barrier, bytes);
			if (good)
				arrive_remote(map(shared(&empty[slot]), previous));
			if (++slot == depth) {
				slot = 0;
				phase ^= 1;
			}
		}
		end(&times[blockIdx.x]);
	}
	__syncwarp();
	cluster_sync();
}

// A step: prefetch of fresh addresses into the L2 cache, a delay in cycles, then a load, whose time alone counts.
// Without LOADS: the prefetches alone, one after the other.
template <bool LOADS, bool PREFETCHES>
__global__ void prefetch(Walk walk, uint32_t bytes, u64 delay, int steps, Times *times, unsigned *late)
{
	__shared__ __align__(8) u64 storage;
	if (threadIdx.x)
		return;
	uint32_t barrier = shared(&storage);
	barrier_init(barrier, 1);
	fence_barrier_init();
	fence_async();
	u64 sum = 0;
	bool good = true;
	begin(&times[blockIdx.x]);
	for (int i = 0; i < steps && good; i++) {
		const unsigned char *from = walk.base + blockIdx.x * walk.window + i * walk.stride;
		if (PREFETCHES)
			asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)),
			             "r"(bytes)
			             : "memory");
		if (!LOADS)
			continue;
		u64 start = kit::cycles();
		while (kit::cycles() - start < delay)
			;
		start = kit::cycles();
		arrive_expect(barrier, bytes);
		bulk_load(shared(ring), from, bytes, barrier);
		good = wait(barrier, i & 1, late);
		sum += kit::cycles() - start;
	}
	end(&times[blockIdx.x]);
	if (LOADS)
		times[blockIdx.x].end = times[blockIdx.x].begin + sum;
}

// ---- Host.

static unsigned char *memory()
{
	static unsigned char *data = kit::allocate<unsigned char>(DRAM_BYTES);
	return data;
}

// Fresh addresses for `blocks` windows: successive calls go through the whole buffer.
static Walk fresh(unsigned blocks, size_t window, size_t stride)
{
	static size_t next = FIRST_FRESH;
	if (next + blocks * window > DRAM_BYTES)
		next = FIRST_FRESH;
	Walk walk = {memory() + next, window, stride};
	next += blocks * window;
	return walk;
}

// Steps of a run: enough to be seen by the clock, few enough to stay in the fresh buffer.
static int steps_for(uint32_t bytes, unsigned blocks, bool quick)
{
	size_t steps = (blocks > 1 ? 2 << 20 : 1 << 20) / bytes;
	return static_cast<int>(std::min<size_t>(std::max<size_t>(steps, 24), quick ? 24 : 1024));
}

template <typename Body> static void points(bool quick, Body body)
{
	unsigned sms = static_cast<unsigned>(kit::device().multiProcessorCount);
	for (unsigned blocks : {1u, sms})
		for (int depth : DEPTHS)
			for (uint32_t bytes : SIZES)
				if (depth * size_t(bytes) <= RING_BYTES && !(quick && (blocks > 1 || bytes > 4096)))
					body(blocks, depth, bytes);
}

static void loads(bool quick)
{
	prepare(load, {1, 32, RING_BYTES, 0, false});
	for (bool dram : {false, true})
		points(quick, [&](unsigned blocks, int depth, uint32_t bytes) {
			int many = 8 + steps_for(bytes, blocks, quick);
			std::string parameters = kit::text("source=%s bytes=%u depth=%d sms=%u", dram ? "dram" : "l2",
			                                   bytes, depth, blocks);
			auto one = [&](int steps, Times *times, unsigned *late) {
				size_t stride = std::max<size_t>(bytes, dram ? 512 : 16);
				Walk walk = {memory(), L2_BYTES_PER_BLOCK, stride};
				if (dram)
					walk = fresh(blocks, (steps + 1) * stride, stride);
				launch({blocks, 32, RING_BYTES, 0, false}, load, walk, bytes, depth, steps, times,
				       late);
			};
			Costs cost;
			if (costs("load " + parameters, blocks, 8, many, quick ? 3 : 7, one, &cost))
				copy_rows("bulk", "load", parameters, cost, bytes, blocks);
		});
}

template <int OPERATION, bool READ> static void stores(bool quick, bool one_target)
{
	prepare(store<OPERATION, READ>, {1, 32, RING_BYTES, 0, false});
	points(quick, [&](unsigned blocks, int depth, uint32_t bytes) {
		if ((one_target && blocks == 1) || (OPERATION != STORE && depth != 1 && depth != 4 && depth != 8))
			return;
		int many = 8 + steps_for(bytes, blocks, quick);
		std::string parameters =
			kit::text("operation=%s wait=%s target=%s bytes=%u depth=%d sms=%u", OPERATION_NAMES[OPERATION],
		                  READ ? "read" : "full", one_target ? "one" : "own", bytes, depth, blocks);
		auto one = [&](int steps, Times *times, unsigned *late) {
			Walk walk = {memory(), L2_BYTES_PER_BLOCK, bytes};
			if (one_target)
				walk.window = 0;
			launch({blocks, 32, RING_BYTES, 0, false}, store<OPERATION, READ>, walk, bytes, depth, steps,
			       times, late);
		};
		Costs cost;
		if (costs("store " + parameters, blocks, 8, many, quick ? 3 : 5, one, &cost))
			copy_rows("bulk", "store", parameters, cost, bytes, blocks);
	});
}

static void all_stores(bool quick)
{
	stores<STORE, true>(quick, false);
	stores<STORE, false>(quick, false);
}

static void reductions(bool quick)
{
	stores<ADD_U32, false>(quick, false);
	if (quick)
		return;
	stores<ADD_U32, true>(quick, false);
	stores<ADD_U32, false>(quick, true);
	stores<ADD_F32, false>(quick, false);
	stores<ADD_F16, false>(quick, false);
	stores<ADD_U64, false>(quick, false);
	stores<MAX_S32, false>(quick, false);
}

template <bool REDUCES> static void cluster_copies(bool quick)
{
	static const struct {
		unsigned cluster, distance;
	} SHAPES[] = {{1, 0}, {2, 0}, {2, 1}, {4, 1}, {8, 1}, {8, 4}, {16, 1}};
	for (auto shape : SHAPES) {
		Shape all = {shape.cluster, 64, RING_BYTES, shape.cluster, false};
		unsigned clusters = clusters_at_once(between<REDUCES>, all);
		for (unsigned count : {1u, clusters})
			for (int depth : DEPTHS)
				for (uint32_t bytes : SIZES) {
					if (!clusters || depth * size_t(bytes) * 2 > RING_BYTES || depth == 3 ||
					    depth == 6)
						continue;
					if (quick && (count > 1 || bytes > 1024))
						continue;
					Shape one_shape = all;
					one_shape.grid = count * shape.cluster;
					int many = 8 + steps_for(bytes, one_shape.grid, quick);
					std::string parameters = kit::text(
						"operation=%s cluster=%u distance=%u clusters=%u bytes=%u depth=%d",
						REDUCES ? "add.u32" : "copy", shape.cluster, shape.distance, count,
						bytes, depth);
					auto one = [&](int steps, Times *times, unsigned *late) {
						launch(one_shape, between<REDUCES>, shape.distance, bytes, depth, steps,
						       times, late);
					};
					Costs cost;
					if (costs("between " + parameters, one_shape.grid, 8, many, quick ? 3 : 5, one,
					          &cost))
						copy_rows("bulk", "between", parameters, cost, bytes, one_shape.grid);
				}
	}
}

// LOADS: `many` loads after the delay; `few` is 0 loads, so that a step is one load.
template <bool LOADS, bool PREFETCHES> static void prefetches_of(bool quick, u64 delay)
{
	prepare(prefetch<LOADS, PREFETCHES>, {1, 32, 64 * 1024, 0, false});
	for (uint32_t bytes : {128u, 1024u, 4096u, 16384u, 65536u}) {
		std::string parameters = kit::text("bytes=%u delay=%llu prefetched=%d", bytes, delay, PREFETCHES);
		auto one = [&](int steps, Times *times, unsigned *late) {
			size_t stride = std::max<size_t>(bytes, 4096);
			launch({1, 32, 64 * 1024, 0, false}, prefetch<LOADS, PREFETCHES>,
			       fresh(1, (steps + 1) * stride, stride), bytes, delay, steps, times, late);
		};
		Costs cost;
		if (costs("prefetch " + parameters, 1, 8, quick ? 16 : 64, quick ? 3 : 7, one, &cost))
			row("bulk", LOADS ? "load_after_prefetch" : "prefetch_issue", parameters, cost.cycles,
			    "cycles");
	}
}

static void prefetches(bool quick)
{
	prefetches_of<false, true>(quick, 0);
	prefetches_of<true, false>(quick, 0);
	for (u64 delay : {0, 100, 200, 400, 600, 800, 1000, 1500, 2000, 4000, 10000})
		if (!quick || delay <= 1000)
			prefetches_of<true, true>(quick, delay);
}

// Loads a pattern and stores it elsewhere: 1 if it arrived.
__global__ void copy(const unsigned char *from, unsigned char *to, uint32_t bytes, unsigned *late)
{
	__shared__ __align__(8) u64 storage;
	if (threadIdx.x)
		return;
	barrier_init(shared(&storage), 1);
	fence_barrier_init();
	fence_async();
	arrive_expect(shared(&storage), bytes);
	bulk_load(shared(ring), from, bytes, shared(&storage));
	if (!wait(shared(&storage), 0, late))
		return;
	fence_async();
	bulk_store(to, shared(ring), bytes);
	bulk_commit();
	bulk_wait<0, false>();
}

static void checks(bool)
{
	const uint32_t bytes = 16384;
	std::vector<unsigned char> pattern(bytes);
	for (uint32_t i = 0; i < bytes; i++)
		pattern[i] = static_cast<unsigned char>(i * 7 + i / 256);
	unsigned char *from = kit::allocate<unsigned char>(bytes), *to = kit::allocate<unsigned char>(bytes);
	unsigned *late = kit::allocate<unsigned>(1);
	CHECK(cudaMemcpy(from, pattern.data(), bytes, cudaMemcpyHostToDevice));
	copy<<<1, 32, bytes>>>(from, to, bytes, late);
	if (done("copy"))
		kit::row("bulk", "copy_check", kit::text("bytes=%u", bytes),
		         {kit::read(to, bytes) == pattern ? 1.0 : 0.0}, "bool");
}

int main(int argc, char **argv)
{
	static const Section LIST[] = {
		{"checks", checks},
		{"loads", loads},
		{"stores", all_stores},
		{"reductions", reductions},
		{"prefetches", prefetches},
		{"cluster_copies", cluster_copies<false>},
		{"cluster_reductions", cluster_copies<true>},
	};
	return sections(argc, argv, LIST, sizeof LIST / sizeof *LIST);
}
