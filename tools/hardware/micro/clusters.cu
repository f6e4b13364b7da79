// clusters.cu: thread block clusters of compute capability 9.0. How many clusters fit at once, by size and shared
// memory; which SMs form a cluster, and from that the GPCs; the cluster barrier; the latency of shared memory of other
// blocks by pairs of ranks (pointer chains, one thread); its bandwidth for reads, writes and atomics, from the
// neighbor (ring) or all from rank 0 (hot spot); ping-pong of two blocks by remote arrivals, st.async and bulk
// copies; and the time of launches with clusters and of plain ones.
#include "hopper.h"

#include <map>
#include <set>

using namespace hopper;

static const unsigned SIZES[] = {1, 2, 4, 8, 16};

extern __shared__ __align__(1024) unsigned char room[];

// ---- Places.

__global__ void where(unsigned *sms, u64 cycles)
{
	if (threadIdx.x == 0)
		sms[blockIdx.x] = kit::sm();
	cluster_sync();
	u64 start = kit::cycles(); // hold the SM until the others have started
	while (kit::cycles() - start < cycles)
		;
	cluster_sync();
}

static void occupancy(bool)
{
	for (unsigned size : SIZES)
		for (size_t shared :
		     {0, 32 * 1024, 64 * 1024, 100 * 1024, 112 * 1024, 160 * 1024, 200 * 1024, 227 * 1024})
			for (unsigned threads : {128u, 1024u}) {
				Shape shape = {size, threads, shared, size, false};
				unsigned clusters = clusters_at_once(where, shape);
				kit::row("clusters", "clusters_at_once",
				         kit::text("cluster=%u shared=%zu threads=%u", size, shared, threads),
				         {static_cast<double>(clusters)}, "clusters");
			}
}

static std::string list(const std::set<unsigned> &sms)
{
	std::string text;
	for (unsigned sm : sms)
		text += (text.empty() ? "" : "/") + std::to_string(sm);
	return text;
}

// SMs that were ever in one cluster are in one GPC.
static void places(bool quick)
{
	std::map<unsigned, unsigned> parent;
	auto root = [&](unsigned sm) {
		if (!parent.count(sm))
			parent[sm] = sm;
		while (parent[sm] != sm)
			sm = parent[sm];
		return sm;
	};
	unsigned *sms = kit::allocate<unsigned>(4096);
	for (unsigned size : {16u, 8u, 4u, 2u, 1u}) {
		Shape shape = {size, 128, 200 * 1024, size, false};
		unsigned clusters = clusters_at_once(where, shape);
		std::set<unsigned> used;
		shape.grid = size * clusters;
		for (int repeat = 0; clusters && repeat < (quick ? 2 : 12); repeat++) {
			launch(shape, where, sms, 200000ull);
			if (!done("where"))
				break;
			std::vector<unsigned> all = kit::read(sms, shape.grid);
			for (unsigned c = 0; c < clusters; c++) {
				std::string order;
				for (unsigned i = 0; i < size; i++) {
					unsigned sm = all[c * size + i];
					order += (i ? "/" : "") + std::to_string(sm);
					used.insert(sm);
					parent[root(sm)] = root(all[c * size]);
				}
				if (repeat == 0)
					kit::row("clusters", "cluster_sms",
					         kit::text("cluster=%u number=%u sms=%s", size, c, order.c_str()),
					         {static_cast<double>(size)}, "SMs");
			}
		}
		kit::row("clusters", "sms_used", kit::text("cluster=%u", size), {static_cast<double>(used.size())},
		         "SMs");
	}
	std::map<unsigned, std::set<unsigned>> gpcs;
	for (auto &entry : parent)
		gpcs[root(entry.first)].insert(entry.first);
	int number = 0;
	for (auto &gpc : gpcs)
		kit::row("clusters", "gpc", kit::text("number=%d sms=%s", number++, list(gpc.second).c_str()),
		         {static_cast<double>(gpc.second.size())}, "SMs");
}

// ---- The cluster barrier.

enum Sync { CLUSTER, CLUSTER_RELAXED, BLOCK };

template <int SYNC> __global__ void __launch_bounds__(1024) barriers(int steps, Times *times, unsigned *)
{
	cluster_sync();
	cluster_sync();
	u64 start_ns = kit::nanoseconds(), start = kit::cycles();
#pragma unroll 1
	for (int i = 0; i < steps; i++) {
		if (SYNC == BLOCK)
			asm volatile("barrier.sync 0;" ::: "memory");
		else if (SYNC == CLUSTER_RELAXED)
			asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" ::
			                     : "memory");
		else
			cluster_sync();
	}
	u64 end = kit::cycles();
	if (threadIdx.x == 0)
		times[blockIdx.x] = {start, end, start_ns, kit::nanoseconds()};
	cluster_sync();
}

template <int SYNC> static void barriers_of(bool quick, const char *name)
{
	for (unsigned size : SIZES)
		for (unsigned threads : {32u, 128u, 256u, 512u, 1024u}) {
			Shape shape = {size, threads, 200 * 1024, size, false};
			unsigned clusters = clusters_at_once(barriers<SYNC>, shape);
			for (unsigned count : {1u, clusters}) {
				if (!clusters || (quick && count > 1))
					continue;
				shape.grid = size * count;
				std::string parameters = kit::text("kind=%s cluster=%u threads=%u clusters=%u", name,
				                                   size, threads, count);
				auto one = [&](int steps, Times *times, unsigned *late) {
					launch(shape, barriers<SYNC>, steps, times, late);
				};
				Costs cost;
				if (costs("barrier " + parameters, shape.grid, 16, quick ? 48 : 272, quick ? 3 : 7, one,
				          &cost))
					row("clusters", "barrier", parameters, cost.cycles, "cycles");
			}
		}
}

static void all_barriers(bool quick)
{
	barriers_of<CLUSTER>(quick, "cluster");
	barriers_of<CLUSTER_RELAXED>(quick, "cluster_relaxed");
	barriers_of<BLOCK>(quick, "block");
}

// ---- Latency: block `reader` follows a chain in the shared memory of block `target`.

enum Access { LOAD, ATOMIC, PLAIN_LOAD };

// The chain holds addresses as the reader sees them; the reader writes it, stride 132 bytes, 64 places.
template <int ACCESS>
__global__ void chase(uint32_t reader, uint32_t target, int steps, Times *times, unsigned *late, unsigned *sms)
{
	uint32_t base = map(shared(room), target);
	bool mine = cluster_rank() == reader && threadIdx.x == 0;
	if (ACCESS == PLAIN_LOAD)
		base = shared(room);
	if (threadIdx.x == 0)
		sms[blockIdx.x] = kit::sm();
	cluster_sync();
	for (uint32_t i = 0; mine && i < 64; i++) {
		uint32_t value = base + (i + 1) % 64 * 132;
		if (ACCESS == ATOMIC)
			value = 0;
		if (ACCESS == PLAIN_LOAD)
			asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + i * 132), "r"(value) : "memory");
		else
			asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(base + i * 132), "r"(value) : "memory");
	}
	cluster_sync();
	if (mine) {
		uint32_t at = base;
		begin(&times[blockIdx.x]);
#pragma unroll 1
		for (int i = 0; i < steps; i += 16) {
#pragma unroll
			for (int k = 0; k < 16; k++) {
				if (ACCESS == LOAD)
					asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(at)::"memory");
				else if (ACCESS == PLAIN_LOAD)
					asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
				else // the old value is 0: the address stays, an addition of the chain's cost
					asm volatile("{ .reg .u32 v; atom.shared::cluster.exch.b32 v, [%0], 0; "
					             "add.u32 %0, %0, v; }"
					             : "+r"(at)::"memory");
			}
		}
		end(&times[blockIdx.x]);
		if (at == 1)
			*late = 2;
	}
	__syncwarp();
	cluster_sync();
}

template <int ACCESS> static void chases_of(bool quick, const char *name)
{
	unsigned *sms = kit::allocate<unsigned>(16);
	for (unsigned size : SIZES) {
		Shape shape = {size, 32, 16 * 1024, size, false};
		if (!clusters_at_once(chase<ACCESS>, shape))
			continue;
		for (unsigned reader = 0; reader < size; reader++)
			for (unsigned target = 0; target < size; target++) {
				if ((quick || ACCESS != LOAD) && reader != 0)
					continue;
				if (ACCESS == PLAIN_LOAD && target != reader)
					continue;
				auto one = [&](int steps, Times *times, unsigned *late) {
					launch(shape, chase<ACCESS>, reader, target, steps, times, late, sms);
				};
				Costs cost;
				std::string what = kit::text("chase cluster=%u %u %u", size, reader, target);
				if (!costs(what, size, 64, 320, quick ? 3 : 5, one, &cost))
					continue;
				std::vector<unsigned> place = kit::read(sms, size);
				row("clusters", "shared_latency",
				    kit::text("access=%s cluster=%u reader=%u target=%u reader_sm=%u target_sm=%u",
				              name, size, reader, target, place[reader], place[target]),
				    cost.cycles, "cycles");
			}
	}
}

static void chases(bool quick)
{
	chases_of<PLAIN_LOAD>(quick, "ld.shared");
	chases_of<LOAD>(quick, "ld.shared::cluster");
	chases_of<ATOMIC>(quick, "atom.exch");
}

// ---- Bandwidth: all blocks access the shared memory of the block `distance` on, or all that of rank 0.

enum Move { LOAD4, LOAD16, STORE4, STORE16, ADD_SPREAD, ADD_SAME, RED_SPREAD };
static const struct {
	const char *name;
	int bytes;
} MOVES[] = {{"load", 4},   {"load", 16}, {"store", 4}, {"store", 16}, {"atom.add", 4}, {"atom.add.one_address", 4},
             {"red.add", 4}};

template <int MOVE> __device__ void move(uint32_t at, uint32_t *sum)
{
	uint32_t a, b, c, d;
	if (MOVE == LOAD4) {
		asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(a) : "r"(at) : "memory");
		*sum += a;
	} else if (MOVE == LOAD16) {
		asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
		             : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
		             : "r"(at)
		             : "memory");
		*sum += a ^ b ^ c ^ d;
	} else if (MOVE == STORE4) {
		asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(*sum) : "memory");
	} else if (MOVE == STORE16) {
		asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(*sum) : "memory");
	} else if (MOVE == RED_SPREAD) {
		asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(at), "r"(1) : "memory");
	} else {
		asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(a) : "r"(at), "r"(1) : "memory");
		*sum += a;
	}
}

// distance: the target's rank is this far on; -1: rank 0 for all. A step: 8 accesses of each thread.
template <int MOVE> __global__ void __launch_bounds__(1024) moves(int distance, int steps, Times *times, unsigned *late)
{
	uint32_t size = cluster_size(), rank = cluster_rank(), sum = threadIdx.x;
	uint32_t target = distance < 0 ? 0 : (rank + static_cast<uint32_t>(distance)) % size;
	uint32_t base = map(shared(room), target);
	uint32_t bytes = MOVE == LOAD16 || MOVE == STORE16 ? 16 : 4;
	uint32_t at = base + (MOVE == ADD_SAME ? 0 : threadIdx.x * bytes);
	for (uint32_t i = threadIdx.x; i < 8192; i += blockDim.x)
		reinterpret_cast<uint32_t *>(room)[i] = i;
	cluster_sync();
	u64 start_ns = kit::nanoseconds(), start = kit::cycles();
#pragma unroll 1
	for (int i = 0; i < steps; i++) {
#pragma unroll
		for (int k = 0; k < 8; k++)
			move<MOVE>(at + (MOVE == ADD_SAME ? 0 : k % 2 * 16384), &sum);
	}
	if (sum == 0x9e3779b9) // never seen; keeps the sum alive
		*late = 2;
	cluster_sync(); // also the stores and reductions are over then
	u64 end = kit::cycles();
	if (threadIdx.x == 0)
		times[blockIdx.x] = {start, end, start_ns, kit::nanoseconds()};
}

template <int MOVE> static void moves_of(bool quick)
{
	for (unsigned size : SIZES)
		for (int distance : {-1, 0, 1, 2, 4, 8})
			for (unsigned threads : {32u, 128u, 256u, 512u, 1024u}) {
				Shape shape = {size, threads, 200 * 1024, size, false};
				if (distance >= static_cast<int>(size) || (quick && threads > 128))
					continue;
				if ((distance > 1 || size == 4) && threads != 1024)
					continue;
				unsigned clusters = clusters_at_once(moves<MOVE>, shape);
				for (unsigned count : {1u, clusters}) {
					if (!clusters || (quick && count > 1))
						continue;
					shape.grid = size * count;
					std::string parameters = kit::text("operation=%s bytes=%d cluster=%u target=%s "
					                                   "distance=%d threads=%u clusters=%u",
					                                   MOVES[MOVE].name, MOVES[MOVE].bytes, size,
					                                   distance < 0 ? "rank0" : "neighbor",
					                                   distance, threads, count);
					auto one = [&](int steps, Times *times, unsigned *late) {
						launch(shape, moves<MOVE>, distance, steps, times, late);
					};
					Costs cost;
					int many = quick ? 12 : MOVE == ADD_SAME ? 20 : 68;
					if (!costs("moves " + parameters, shape.grid, 4, many, quick ? 3 : 5, one,
					           &cost))
						continue;
					row("clusters", "shared_rate", parameters,
					    rates(cost.cycles, 8.0 * threads * MOVES[MOVE].bytes), "B/cycle/SM");
				}
			}
}

static void all_moves(bool quick)
{
	moves_of<LOAD4>(quick);
	moves_of<LOAD16>(quick);
	moves_of<STORE4>(quick);
	moves_of<STORE16>(quick);
	moves_of<ADD_SPREAD>(quick);
	moves_of<ADD_SAME>(quick);
	moves_of<RED_SPREAD>(quick);
}

// ---- Ping-pong of rank 0 and another rank. A step: there and back.

enum Ping { ARRIVE, ST_ASYNC4, ST_ASYNC16, BULK16, BULK1024, FLAG };
static const struct {
	const char *name;
	uint32_t bytes;
} PINGS[] = {{"remote_arrive", 0},     {"st.async.b32", 4},          {"st.async.v4.b32", 16},
             {"cp.async.bulk.16", 16}, {"cp.async.bulk.1024", 1024}, {"store_and_poll", 0}};

template <int PING> __device__ void send(uint32_t other, uint32_t data, uint32_t barrier, uint32_t value)
{
	uint32_t to = map(data, other), signal = map(barrier, other);
	if (PING == ARRIVE)
		arrive_remote(signal);
	else if (PING == ST_ASYNC4)
		asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to),
		             "r"(value), "r"(signal)
		             : "memory");
	else if (PING == ST_ASYNC16)
		asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 "
		             "[%0], {%1, %1, %1, %1}, [%2];" ::"r"(to),
		             "r"(value), "r"(signal)
		             : "memory");
	else if (PING == FLAG)
		asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" ::"r"(to), "r"(value) : "memory");
	else
		asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
		             "[%0], [%1], %2, [%3];" ::"r"(to),
		             "r"(data + 4096), "r"(PING == BULK16 ? 16 : 1024), "r"(signal)
		             : "memory");
}

template <int PING> __device__ void arm(uint32_t barrier)
{
	const uint32_t bytes = PING == ST_ASYNC4 ? 4 : PING == BULK1024 ? 1024 : 16;
	if (PING != ARRIVE && PING != FLAG)
		arrive_expect(barrier, bytes);
}

template <int PING> __device__ bool receive(uint32_t data, uint32_t barrier, uint32_t i, unsigned *late)
{
	if (PING != FLAG)
		return wait(barrier, i & 1, late);
	u64 start = kit::cycles();
	for (;;) {
		uint32_t value;
		asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(data) : "memory");
		if (value == i + 1)
			return true;
		if (kit::cycles() - start > WAIT_CYCLES) {
			*late = 1;
			return false;
		}
	}
}

template <int PING> __global__ void pings(uint32_t other, int steps, Times *times, unsigned *late, unsigned *sms)
{
	__shared__ __align__(8) u64 storage;
	uint32_t barrier = shared(&storage), data = shared(room), rank = cluster_rank();
	for (uint32_t i = threadIdx.x; i < 2048; i += blockDim.x)
		reinterpret_cast<uint32_t *>(room)[i] = 0;
	if (threadIdx.x == 0) {
		sms[blockIdx.x] = kit::sm();
		barrier_init(barrier, 1);
		fence_barrier_init();
	}
	fence_async();
	cluster_sync();
	bool good = true;
	if (threadIdx.x == 0 && rank == 0) {
		begin(&times[blockIdx.x]);
		for (int i = 0; i < steps && good; i++) {
			send<PING>(other, data, barrier, static_cast<uint32_t>(i + 1));
			arm<PING>(barrier);
			good = receive<PING>(data, barrier, static_cast<uint32_t>(i), late);
		}
		end(&times[blockIdx.x]);
	} else if (threadIdx.x == 0 && rank == other) {
		arm<PING>(barrier);
		for (int i = 0; i < steps && good; i++) {
			good = receive<PING>(data, barrier, static_cast<uint32_t>(i), late);
			if (good)
				send<PING>(0, data, barrier, static_cast<uint32_t>(i + 1));
			if (good && i + 1 < steps)
				arm<PING>(barrier);
		}
	}
	__syncwarp();
	cluster_sync();
}

template <int PING> static void pings_of(bool quick)
{
	unsigned *sms = kit::allocate<unsigned>(16);
	for (unsigned size : SIZES)
		for (unsigned other = 1; other < size; other++) {
			Shape shape = {size, 32, 16 * 1024, size, false};
			if (!clusters_at_once(pings<PING>, shape))
				break;
			auto one = [&](int steps, Times *times, unsigned *late) {
				launch(shape, pings<PING>, other, steps, times, late, sms);
			};
			Costs cost;
			std::string what = kit::text("ping kind=%s cluster=%u other=%u", PINGS[PING].name, size, other);
			if (!costs(what, size, 16, quick ? 48 : 144, quick ? 3 : 7, one, &cost))
				continue;
			std::vector<unsigned> place = kit::read(sms, size);
			row("clusters", "one_way",
			    kit::text("kind=%s cluster=%u from=0 to=%u from_sm=%u to_sm=%u", PINGS[PING].name, size,
			              other, place[0], place[other]),
			    scaled(cost.cycles, 0.5), "cycles");
		}
}

static void all_pings(bool quick)
{
	pings_of<ARRIVE>(quick);
	pings_of<FLAG>(quick);
	pings_of<BULK16>(quick);
	pings_of<BULK1024>(quick);
}

static void st_asyncs(bool quick)
{
	pings_of<ST_ASYNC4>(quick);
	pings_of<ST_ASYNC16>(quick);
}

// ---- Launches.

__global__ void nothing()
{
}

static void launches(bool quick)
{
	const int count = quick ? 20 : 500;
	for (unsigned grid : {16u, 112u, 1024u, 16384u})
		for (unsigned size : {0u, 1u, 2u, 4u, 8u, 16u}) {
			Shape shape = {grid, 128, 0, size, false};
			std::vector<double> samples;
			if (size && !clusters_at_once(nothing, shape))
				continue;
			for (int repeat = -1; repeat < (quick ? 3 : 7); repeat++) {
				double time = kit::milliseconds([&] {
					for (int i = 0; i < count; i++)
						launch(shape, nothing);
				});
				if (repeat >= 0)
					samples.push_back(time * 1000 / count);
			}
			if (done("launches"))
				row("clusters", "launch", kit::text("cluster=%u blocks=%u", size, grid), samples, "us");
		}
}

int main(int argc, char **argv)
{
	static const Section LIST[] = {
		{"occupancy", occupancy}, {"places", places},   {"barriers", all_barriers}, {"chases", chases},
		{"moves", all_moves},     {"pings", all_pings}, {"st_asyncs", st_asyncs},   {"launches", launches},
	};
	return sections(argc, argv, LIST, sizeof LIST / sizeof *LIST);
}
