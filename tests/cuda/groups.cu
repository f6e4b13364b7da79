// Protects cooperative_groups.h, its includes, and the member masks of shuffles, votes and matches. Groups of random
// shapes against a plain model: members, ranks, shuffles, votes, matches, reductions, scans and copies.
#define _CG_ABI_EXPERIMENTAL // CUDA 11's names for wide tiles
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <random>
#include <vector>

namespace cg = cooperative_groups;

enum { THREADS = 512 };

// A thread's view of its group. The group's threads supply 3 * i + 1 and in[i]; i is the thread's number in the block.
struct seen {
	unsigned size, rank, meta_rank, meta_size;
	unsigned from, up, down; // shuffled: thread numbers
	unsigned any, all, ballot, match_any, match_all, agree;
	unsigned sum, least, most, ands, ors, xors, mixed, inclusive, exclusive, running;
};

// A user's operator: associative and commutative, without a neutral element.
struct saturating {
	__host__ __device__ unsigned operator()(unsigned a, unsigned b) const
	{
		return a + b < 1000 ? a + b : 1000;
	}
};

// 20 bytes that differ for each thread.
struct packet {
	unsigned short number;
	char text[17];
};

static __host__ __device__ packet packet_of(unsigned thread)
{
	packet made;
	made.number = (unsigned short)thread;
	for (unsigned i = 0; i < sizeof made.text; i++)
		made.text[i] = (char)(thread * 7 + i);
	return made;
}
static __host__ __device__ unsigned thread_of(const packet &from)
{
	packet right = packet_of(from.number);
	bool same = true;
	for (unsigned i = 0; i < sizeof right.text; i++)
		same = same && right.text[i] == from.text[i];
	return same ? from.number : ~0u;
}

template <class Group> static __device__ seen look_wide(const Group &group, unsigned in, unsigned thread)
{
	seen s = {};
	s.size = group.size();
	s.rank = group.thread_rank();
	s.meta_rank = group.meta_group_rank();
	s.meta_size = group.meta_group_size();
	s.from = thread_of(
		group.shfl(packet_of(thread), (int)(s.size + s.size / 3))); // ranks wrap around
	s.any = group.any(in % 8 == 3);
	s.all = group.all(in % 8 != 3);
	s.sum = cg::reduce(group, in, cg::plus<unsigned>());
	s.least = cg::reduce(group, in, cg::less<unsigned>());
	s.most = cg::reduce(group, in, cg::greater<unsigned>());
	s.ands = cg::reduce(group, in | 1, cg::bit_and<unsigned>());
	s.ors = cg::reduce(group, in & 0x55, cg::bit_or<unsigned>());
	s.xors = cg::reduce(group, in, cg::bit_xor<unsigned>());
	s.mixed = cg::reduce(group, in % 100, saturating());
	s.inclusive = cg::inclusive_scan(group, in);
	s.exclusive = cg::exclusive_scan(group, in);
	s.running = cg::inclusive_scan(group, in, cg::greater<unsigned>());
	return s;
}
template <class Group> static __device__ seen look(const Group &group, unsigned in, unsigned thread)
{
	seen s = look_wide(group, in, thread);
	int agree;
	s.up = thread_of(group.shfl_up(packet_of(thread), 3));
	s.down = (unsigned)group.shfl_down((double)thread, 2);
	s.ballot = group.ballot(in & 1);
	s.match_any = group.match_any(in % 4);
	s.match_all = group.match_all((unsigned long long)(in / 1000), agree);
	s.agree = agree != 0;
	return s;
}

// The kind of group: a tile of a block, a tile of a tile, the lanes in a branch, partitions by label and by predicate.
enum kind { TILE, TILE_OF_TILE, BRANCH, LABEL, LABEL_OF_TILE, PREDICATE, CHUNK, KINDS };

template <unsigned Size> static __global__ void look_at(seen *out, const unsigned *in, const unsigned *label, int kind)
{
	cg::thread_block block = cg::this_thread_block();
	unsigned i = block.thread_rank();
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
	cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(warp);
	if (kind == TILE)
		out[i] = look(cg::tiled_partition<Size>(block), in[i], i);
	else if (kind == TILE_OF_TILE)
		out[i] = look(tile, in[i], i);
	else if (kind == BRANCH) {
		if (label[i] & 1)
			out[i] = look(cg::coalesced_threads(), in[i], i);
	} else if (kind == LABEL) {
		out[i] = look(cg::labeled_partition(cg::coalesced_threads(), label[i]), in[i], i);
	} else if (kind == LABEL_OF_TILE)
		out[i] = look(cg::labeled_partition(tile, label[i]), in[i], i);
	else if (kind == PREDICATE)
		out[i] = look(cg::binary_partition(tile, label[i] & 1), in[i], i);
	else
		out[i] = look(cg::tiled_partition(cg::coalesced_threads(), Size), in[i], i);
}

template <unsigned Size> static __global__ void look_at_wide(seen *out, const unsigned *in)
{
	unsigned i = cg::this_thread_block().thread_rank();
	out[i] = look_wide(cg::tiled_partition<Size>(cg::this_thread_block()), in[i], i);
}

// --- the model ---

struct group {
	std::vector<unsigned> threads;
	unsigned meta_rank, meta_size;
};

static std::vector<group> groups_of(kind kind, unsigned size, const unsigned *label)
{
	std::vector<group> groups;
	unsigned whole = kind == TILE || kind == TILE_OF_TILE || kind == LABEL_OF_TILE || kind == PREDICATE ? size : 32;
	for (unsigned first = 0; first < THREADS; first += whole) {
		size_t begin = groups.size();
		std::vector<unsigned> keys;
		for (unsigned i = first, count = 0; i < first + whole; i++) {
			unsigned key = 0;
			if (kind == LABEL || kind == LABEL_OF_TILE)
				key = label[i];
			else if (kind == PREDICATE || kind == BRANCH)
				key = label[i] & 1;
			else if (kind == CHUNK)
				key = count++ / size;
			size_t at = 0;
			while (at < keys.size() && keys[at] != key)
				at++;
			if (at == keys.size()) {
				keys.push_back(key);
				groups.push_back({{}, kind == PREDICATE ? key : (unsigned)at, 0});
			}
			groups[begin + at].threads.push_back(i);
		}
		for (size_t g = begin; g < groups.size(); g++) {
			groups[g].meta_size = (unsigned)keys.size();
			if (kind == PREDICATE)
				groups[g].meta_size = 2;
			if (kind == BRANCH)
				groups[g].meta_rank = 0, groups[g].meta_size = 1;
			if (kind == TILE)
				groups[g].meta_rank = first / size, groups[g].meta_size = THREADS / size;
			if (kind == TILE_OF_TILE)
				groups[g].meta_rank = first / size % (32 / size), groups[g].meta_size = 32 / size;
		}
	}
	return groups;
}

static seen expected(const group &g, unsigned rank, const unsigned *in)
{
	seen s = {};
	unsigned n = (unsigned)g.threads.size();
	s.size = n;
	s.rank = rank;
	s.meta_rank = g.meta_rank;
	s.meta_size = g.meta_size;
	s.from = g.threads[n / 3 % n];
	s.up = g.threads[rank < 3 ? rank : rank - 3];
	s.down = g.threads[rank + 2 < n ? rank + 2 : rank];
	s.all = s.agree = 1;
	s.least = s.ands = ~0u;
	for (unsigned k = 0; k < n; k++) {
		unsigned v = in[g.threads[k]], own = in[g.threads[rank]];
		s.any |= v % 8 == 3;
		s.all &= v % 8 != 3;
		s.ballot |= (v & 1) << (k % 32);
		s.match_any |= (v % 4 == own % 4 ? 1u : 0u) << (k % 32);
		s.match_all |= 1u << (k % 32);
		s.agree &= v / 1000 == own / 1000;
		s.exclusive = k == rank ? s.sum : s.exclusive;
		s.sum += v;
		s.inclusive = k == rank ? s.sum : s.inclusive;
		s.least = v < s.least ? v : s.least;
		s.most = v > s.most ? v : s.most;
		s.running = k == rank ? s.most : s.running;
		s.ands &= v | 1;
		s.ors |= v & 0x55;
		s.xors ^= v;
		s.mixed = k ? saturating()(s.mixed, v % 100) : v % 100;
	}
	if (!s.agree)
		s.match_all = 0;
	return s;
}

static void compare(const char *what, unsigned size, const group &g, const seen *got, const unsigned *in, bool wide)
{
	for (unsigned rank = 0; rank < g.threads.size(); rank++) {
		seen right = expected(g, rank, in);
		if (wide)
			right.up = right.down = right.ballot = right.match_any = right.match_all = right.agree = 0;
		const unsigned *a = (const unsigned *)&got[g.threads[rank]], *b = (const unsigned *)&right;
		for (unsigned k = 0; k < sizeof right / sizeof *a; k++)
			if (a[k] != b[k]) {
				fprintf(stderr, "%s %u: thread %u, field %u: %#x, not %#x\n", what, size,
				        g.threads[rank], k, a[k], b[k]);
				failures++;
				return;
			}
	}
}

static unsigned in[THREADS], label[THREADS], *device_in, *device_label;
static seen *device_out, out[THREADS];

static void fetch()
{
	SUCCEEDS(cudaDeviceSynchronize());
	SUCCEEDS(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
}

template <unsigned Size> static void test_tiles()
{
	static const char *const names[] = {"tile",          "tile of tile", "branch", "label",
	                                    "label of tile", "predicate",    "chunk"};
	for (int kind = 0; kind < KINDS; kind++) {
		look_at<Size><<<1, THREADS>>>(device_out, device_in, device_label, kind);
		fetch();
		for (const group &g : groups_of((enum kind)kind, Size, label))
			if (kind != BRANCH || (label[g.threads[0]] & 1))
				compare(names[kind], Size, g, out, in, false);
	}
}

template <unsigned Size> static void test_wide()
{
	look_at_wide<Size><<<1, THREADS>>>(device_out, device_in);
	fetch();
	for (const group &g : groups_of(TILE, Size, label))
		compare("wide tile", Size, g, out, in, true);
}

// Groups of any kind through one type: a sum in shared memory, as in the guide to the first version.
static __device__ unsigned sum_in_memory(cg::thread_group group, unsigned *room, unsigned value)
{
	unsigned rank = (unsigned)group.thread_rank();
	for (unsigned i = (unsigned)group.size() / 2; i > 0; i /= 2) {
		room[rank] = value;
		group.sync();
		if (rank < i)
			value += room[rank + i];
		group.sync();
	}
	return value;
}

static __global__ void generic(unsigned *out, const unsigned *in, unsigned size)
{
	__shared__ unsigned room[THREADS];
	cg::thread_block block = cg::this_thread_block();
	unsigned i = block.thread_rank();
	unsigned whole = sum_in_memory(block, room, in[i]);
	block.sync();
	unsigned wide = sum_in_memory(cg::tiled_partition<128>(block), room + i / 128 * 128, in[i]);
	block.sync();
	unsigned part = sum_in_memory(cg::tiled_partition(block, size), room + i / size * size, in[i]);
	out[i] = i == 0 ? whole : i % 128 == 0 ? wide : i % size == 0 ? part : 0;
}

static void test_generic()
{
	unsigned *sums = (unsigned *)device_out, got[THREADS];
	for (unsigned size = 1; size <= 32; size *= 2) {
		generic<<<1, dim3(16, 8, THREADS / 128)>>>(sums, device_in, size);
		SUCCEEDS(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
		for (unsigned i = 0; i < THREADS; i += size) {
			unsigned count = i == 0 ? THREADS : i % 128 == 0 ? 128 : size, sum = 0;
			for (unsigned k = 0; k < count; k++)
				sum += in[i + k];
			CHECK(got[i] == sum);
		}
	}
}

// Tiles of several warps, of different sizes, each with its own barrier.
static __global__ void nested(unsigned *out, const unsigned *in)
{
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<256> large = cg::tiled_partition<256>(block);
	cg::thread_block_tile<64> small = cg::tiled_partition<64>(large);
	unsigned i = block.thread_rank(), sum = 0;
	if (small.meta_group_rank() == 1)
		sum = cg::reduce(small, in[i], cg::plus<unsigned>());
	out[i] = cg::reduce(large, sum, cg::greater<unsigned>());
}

static void test_nested()
{
	unsigned *sums = (unsigned *)device_out, got[THREADS];
	nested<<<1, THREADS>>>(sums, device_in);
	SUCCEEDS(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
	for (unsigned i = 0; i < THREADS; i++) {
		unsigned sum = 0;
		for (unsigned k = 64; k < 128; k++)
			sum += in[i / 256 * 256 + k];
		CHECK(got[i] == sum);
	}
}

// A block of 1,024 threads with tiles of all sizes at once, including the sixteenth tile of 64. A tile created twice;
// votes and shuffles.
static __global__ void crowded(unsigned *out, const unsigned *in)
{
	cg::thread_block block = cg::this_thread_block();
	auto huge = cg::tiled_partition<512>(block);
	auto middle = cg::tiled_partition<128>(block);
	unsigned i = block.thread_rank(), sum = 0;
	for (int round = 0; round < 3; round++) {
		auto small = cg::tiled_partition<64>(block);
		for (unsigned k = 0; k < i / 64 % 4; k++) /* a different number of times for each tile */
			small.sync();
		sum += cg::reduce(small, in[i] + round, cg::plus<unsigned>()) + small.any(in[i] % 64 == 0) * 7;
		sum += small.shfl(in[i], 40) + small.all(in[i] != 5);
		auto again = cg::tiled_partition<64>(cg::tiled_partition<256>(block));
		cg::thread_group group = again;
		group.sync();
		sum += cg::reduce(middle, in[i], cg::greater<unsigned>());
	}
	out[i] = sum + cg::reduce(huge, in[i], cg::less<unsigned>());
}

static void test_crowded()
{
	enum { ALL = 1024 };
	unsigned *to, *from, host[ALL], got[ALL];
	for (unsigned i = 0; i < ALL; i++)
		host[i] = i * 2654435761u >> 20;
	SUCCEEDS(cudaMalloc(&to, sizeof host));
	SUCCEEDS(cudaMalloc(&from, sizeof host));
	SUCCEEDS(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
	crowded<<<2, ALL>>>(to, from);
	SUCCEEDS(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
	for (unsigned i = 0; i < ALL; i++) {
		unsigned first = i / 64 * 64, sum = 0, any = 0, all = 1, most = 0, least = ~0u;
		for (unsigned k = first; k < first + 64; k++) {
			sum += host[k];
			any |= host[k] % 64 == 0;
			all &= host[k] != 5;
		}
		for (unsigned k = i / 128 * 128; k < i / 128 * 128 + 128; k++)
			most = host[k] > most ? host[k] : most;
		for (unsigned k = i / 512 * 512; k < i / 512 * 512 + 512; k++)
			least = host[k] < least ? host[k] : least;
		CHECK(got[i] == 3 * (sum + any * 7 + host[first + 40] + all + most) + 64 * 3 + least);
	}
	SUCCEEDS(cudaFree(to));
	SUCCEEDS(cudaFree(from));
}

// Copies of all alignments, and work that one thread does for all.
static __global__ void copy(char *to, const char *from, unsigned offset, unsigned bytes, unsigned *sums)
{
	__shared__ __align__(16) char room[1024];
	__shared__ int called;
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
	block.sync();
	cg::memcpy_async(block, room + offset, from + offset, bytes);
	cg::wait(block);
	cg::memcpy_async(block, to, 5000, (const char *)(room + offset), bytes);
	cg::wait_prior<0>(block);
	if (block.thread_rank() == 0)
		called = 0;
	cg::sync(block);
	cg::invoke_one(block, [&] { called++; });
	cg::sync(block);
	int value = cg::invoke_one_broadcast(
		warp, [](int x) { return x * 2; }, (int)block.thread_rank() + called);
	sums[block.thread_rank()] = (unsigned)value;
}

static void test_copies()
{
	std::vector<char> from(1024), to(1024);
	char *device_from, *device_to;
	unsigned *sums = (unsigned *)device_out, got[96];
	for (size_t i = 0; i < from.size(); i++)
		from[i] = (char)(i * 31 + i / 256);
	SUCCEEDS(cudaMalloc(&device_from, 1024));
	SUCCEEDS(cudaMalloc(&device_to, 1024));
	SUCCEEDS(cudaMemcpy(device_from, from.data(), 1024, cudaMemcpyHostToDevice));
	for (unsigned offset : {0u, 1u, 4u, 16u})
		for (unsigned bytes : {0u, 1u, 64u, 257u, 800u}) {
			SUCCEEDS(cudaMemset(device_to, 0x77, 1024));
			copy<<<1, 96>>>(device_to, device_from, offset, bytes, sums);
			SUCCEEDS(cudaMemcpy(to.data(), device_to, 1024, cudaMemcpyDeviceToHost));
			SUCCEEDS(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
			CHECK(memcmp(to.data(), from.data() + offset, bytes) == 0 && to[bytes] == 0x77);
			for (unsigned i = 0; i < 96; i++)
				CHECK(got[i] == (i / 32 * 32 + 1) * 2);
		}
	SUCCEEDS(cudaFree(device_from));
	SUCCEEDS(cudaFree(device_to));
}

__global__ void older_names(int *sums)
{
	__shared__ cg::experimental::block_tile_memory<sizeof(int), 256> memory;
	auto block = cg::experimental::this_thread_block(memory);
	auto tile = cg::experimental::tiled_partition<64>(block);
	int sum = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
	if (tile.thread_rank() == 0)
		sums[tile.meta_group_rank()] = sum;
}

static void test_older_names()
{
	int *sums;
	SUCCEEDS(cudaMallocManaged(&sums, 4 * sizeof *sums));
	older_names<<<1, 256>>>(sums);
	SUCCEEDS(cudaDeviceSynchronize());
	for (int tile = 0; tile < 4; tile++)
		CHECK(sums[tile] == 64 * 63 / 2 + 64 * 64 * tile);
	SUCCEEDS(cudaFree(sums));
}

int main()
{
	std::mt19937 random(16);
	SUCCEEDS(cudaMalloc(&device_in, sizeof in));
	SUCCEEDS(cudaMalloc(&device_label, sizeof label));
	SUCCEEDS(cudaMalloc(&device_out, sizeof out));
	for (int round = 0; round < 3; round++) {
		unsigned labels = 1u << random() % 6;
		for (int i = 0; i < THREADS; i++) {
			in[i] = random() % (round ? 5000 : 900);
			label[i] = random() % labels;
		}
		SUCCEEDS(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
		SUCCEEDS(cudaMemcpy(device_label, label, sizeof label, cudaMemcpyHostToDevice));
		test_tiles<1>();
		test_tiles<2>();
		test_tiles<4>();
		test_tiles<8>();
		test_tiles<16>();
		test_tiles<32>();
		test_wide<64>();
		test_wide<128>();
		test_wide<256>();
		test_wide<512>();
	}
	test_older_names();
	test_generic();
	test_nested();
	test_crowded();
	test_copies();
	return finish();
}
