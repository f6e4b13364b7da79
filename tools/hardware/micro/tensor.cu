// tensor.cu: tiled copies with a tensor map (cp.async.bulk.tensor) of compute capability 9.0. One thread of a block
// keeps `depth` tiles in flight in a ring of slots, each with an mbarrier. One step is one tile: with depth 1 the step
// is the latency, with more it gives the throughput. Sweeps: rank 1 to 5, tile, element, swizzle, source in the L2
// cache or DRAM, tiles out of bounds; stores; and multicast to the blocks of a cluster, and loads of the same tile
// by each block. The checks compare one tile per swizzle with the layout of the PTX ISA.
#include "hopper.h"
#include "tensor_map.h"

using namespace hopper;

static const int DEPTHS[] = {1, 2, 4, 8};
static const size_t MEMORY_BYTES = 1ull << 30;
static const size_t FIRST_FRESH = 64 << 20; // below: the tensors that stay in the L2 cache
static const size_t RING_BYTES = 192 * 1024;
static const size_t RING_SHARED = RING_BYTES + 1024; // with room to align the ring
static const int L2_BYTES_PER_BLOCK = 128 * 1024;

extern __shared__ __align__(1024) unsigned char room[];

// How a block walks the tensor: from `start` + block * `each`, tile by tile along dimension 0, then the last.
struct Walk {
	int box[5], start[5], each[5];
	int tiles0; // tiles along dimension 0 before the next row of tiles
	int wrap;   // rows of tiles before the walk starts again
};

struct Place {
	int at[5];
	int column, row;
};

__device__ void place_start(const Walk &walk, int block, Place *place)
{
	for (int d = 0; d < 5; d++)
		place->at[d] = walk.start[d] + block * walk.each[d];
	place->column = place->row = 0;
}

template <int RANK> __device__ void place_next(const Walk &walk, Place *place)
{
	place->at[0] += walk.box[0];
	if (RANK > 1 && ++place->column < walk.tiles0)
		return;
	if (RANK == 1 && ++place->row == walk.wrap) {
		place->row = 0;
		place->at[0] -= walk.wrap * walk.box[0];
	}
	if (RANK == 1)
		return;
	place->column = 0;
	place->at[0] -= walk.tiles0 * walk.box[0];
	place->at[RANK - 1] += walk.box[RANK - 1];
	if (++place->row < walk.wrap)
		return;
	place->row = 0;
	place->at[RANK - 1] -= walk.wrap * walk.box[RANK - 1];
}

#define LOAD(rank, coordinates)                                                                                        \
	asm volatile("cp.async.bulk.tensor." rank "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "        \
	             "[%0], [%1, {" coordinates "}], [%2];" ::"r"(to),                                                 \
	             "l"(map), "r"(barrier), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])                     \
	             : "memory")

template <int RANK> __device__ void tile_load(uint32_t to, const CUtensorMap *map, const int *c, uint32_t barrier)
{
	if (RANK == 1)
		LOAD("1", "%3");
	else if (RANK == 2)
		LOAD("2", "%3, %4");
	else if (RANK == 3)
		LOAD("3", "%3, %4, %5");
	else if (RANK == 4)
		LOAD("4", "%3, %4, %5, %6");
	else
		LOAD("5", "%3, %4, %5, %6, %7");
}

#define STORE(rank, coordinates)                                                                                       \
	asm volatile("cp.async.bulk.tensor." rank "d.global.shared::cta.tile.bulk_group [%0, {" coordinates            \
	             "}], [%1];" ::"l"(map),                                                                           \
	             "r"(from), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])                                  \
	             : "memory")

template <int RANK> __device__ void tile_store(const CUtensorMap *map, const int *c, uint32_t from)
{
	if (RANK == 1)
		STORE("1", "%2");
	else if (RANK == 2)
		STORE("2", "%2, %3");
	else if (RANK == 3)
		STORE("3", "%2, %3, %4");
	else if (RANK == 4)
		STORE("4", "%2, %3, %4, %5");
	else
		STORE("5", "%2, %3, %4, %5, %6");
}

__device__ void prefetch_map(const CUtensorMap *map)
{
	asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

template <int RANK>
__global__ void load(const __grid_constant__ CUtensorMap map, Walk walk, uint32_t bytes, uint32_t slot_bytes, int depth,
                     int steps, Times *times, unsigned *late)
{
	__shared__ __align__(8) u64 barriers[8];
	uint32_t ring = aligned(room);
	if (threadIdx.x)
		return;
	prefetch_map(&map);
	for (int i = 0; i < depth; i++)
		barrier_init(shared(&barriers[i]), 1);
	fence_barrier_init();
	fence_async();
	Place place;
	place_start(walk, blockIdx.x, &place);
	uint32_t slot = 0, phase = 1;
	bool good = true;
	begin(&times[blockIdx.x]);
	for (int i = 0; i < steps + depth && good; i++) {
		uint32_t barrier = shared(&barriers[slot]);
		if (i >= depth)
			good = wait(barrier, phase, late);
		if (i < steps && good) {
			arrive_expect(barrier, bytes);
			tile_load<RANK>(ring + slot * slot_bytes, &map, place.at, barrier);
			place_next<RANK>(walk, &place);
		}
		if (++slot == depth) {
			slot = 0;
			phase ^= 1;
		}
	}
	end(&times[blockIdx.x]);
}

template <int RANK>
__global__ void store(const __grid_constant__ CUtensorMap map, Walk walk, uint32_t slot_bytes, int depth, int steps,
                      Times *times, unsigned *)
{
	uint32_t ring = aligned(room);
	for (uint32_t i = threadIdx.x; i < RING_SHARED / 4; i += blockDim.x)
		reinterpret_cast<uint32_t *>(room)[i] = 0;
	fence_async();
	__syncthreads();
	if (threadIdx.x)
		return;
	prefetch_map(&map);
	Place place;
	place_start(walk, blockIdx.x, &place);
	uint32_t slot = 0;
	begin(&times[blockIdx.x]);
	for (int i = 0; i < steps; i++) {
		tile_store<RANK>(&map, place.at, ring + slot * slot_bytes);
		bulk_commit();
		bulk_wait_depth<true>(depth);
		place_next<RANK>(walk, &place);
		if (++slot == depth)
			slot = 0;
	}
	bulk_wait<0, false>();
	end(&times[blockIdx.x]);
}

// The blocks of a cluster all want the same tile. EACH: every block loads it itself. FIRST: rank 0 loads it for all.
// SLICES: every block loads one slice of it for all; the map's box is then a slice.
enum Mode { EACH, FIRST, SLICES };

__global__ void multicast(const __grid_constant__ CUtensorMap map, Walk walk, int mode, uint32_t bytes, int depth,
                          int steps, Times *times, unsigned *late)
{
	__shared__ __align__(8) u64 full[8], empty[8];
	uint32_t ring = aligned(room);
	uint32_t size = cluster_size(), rank = cluster_rank();
	uint32_t slice = mode == SLICES ? bytes / size : bytes;
	if (threadIdx.x == 0) {
		prefetch_map(&map);
		for (int i = 0; i < depth; i++) {
			barrier_init(shared(&full[i]), 1);
			barrier_init(shared(&empty[i]), mode == EACH ? 1 : size);
		}
		fence_barrier_init();
		fence_async();
		for (int i = 0; i < depth && i < steps; i++)
			arrive_expect(shared(&full[i]), bytes);
	}
	cluster_sync();
	uint32_t slot = 0, phase = 0;
	bool good = true;
	if (threadIdx.x == 0 && (mode != FIRST || rank == 0)) {
		Place place;
		place_start(walk, blockIdx.x / size, &place);
		uint16_t mask = static_cast<uint16_t>((1u << size) - 1);
		int lead = mode == SLICES ? static_cast<int>(rank) * walk.box[1] / static_cast<int>(size) : 0;
		for (int i = 0; i < steps && good; i++) {
			uint32_t barrier = shared(&full[slot]);
			uint32_t to = ring + slot * bytes + (mode == SLICES ? rank * slice : 0);
			int y = place.at[1] + lead;
			if (i >= depth)
				good = wait(shared(&empty[slot]), phase ^ 1, late);
			if (good && mode == EACH)
				asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
				             ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
				             "l"(&map), "r"(place.at[0]), "r"(y), "r"(barrier)
				             : "memory");
			else if (good)
				asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
				             ".mbarrier::complete_tx::bytes.multicast::cluster "
				             "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
				             "l"(&map), "r"(place.at[0]), "r"(y), "r"(barrier), "h"(mask)
				             : "memory");
			place_next<2>(walk, &place);
			if (++slot == depth) {
				slot = 0;
				phase ^= 1;
			}
		}
	} else if (threadIdx.x == 32) {
		begin(&times[blockIdx.x]);
		for (int i = 0; i < steps && good; i++) {
			uint32_t barrier = shared(&full[slot]);
			good = wait(barrier, phase, late);
			if (good && i + depth < steps)
				arrive_expect(barrier, bytes);
			if (good && mode == EACH)
				arrive(shared(&empty[slot]));
			for (uint32_t to = 0; good && mode != EACH && to < (mode == FIRST ? 1 : size); to++)
				arrive_remote(hopper::map(shared(&empty[slot]), to));
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

// ---- Host.

static unsigned char *memory()
{
	static unsigned char *data = kit::allocate<unsigned char>(MEMORY_BYTES);
	return data;
}

// The walk of a block through its own `rows` rows of tiles.
static Walk walk_of(const Tile &tile, const int *tiles, int rows)
{
	Walk walk = {};
	for (int d = 0; d < tile.rank; d++)
		walk.box[d] = tile.box[d];
	walk.tiles0 = tiles[0];
	walk.wrap = rows;
	walk.each[tile.rank - 1] = rows * tile.box[tile.rank - 1];
	return walk;
}

static size_t fresh = FIRST_FRESH; // the first byte that no launch has read yet

enum Outside { INSIDE, HALF_OUT, ALL_OUT };

template <int RANK>
static void point(const Tile &tile, unsigned blocks, int depth, bool dram, Outside outside, bool stores, bool quick)
{
	uint32_t bytes = tile_bytes(tile), slot = (bytes + 1023) / 1024 * 1024;
	if (static_cast<size_t>(depth) * slot > RING_BYTES)
		return;
	uint32_t wanted = std::max((blocks > 1 ? 2048u : 1024u) * 1024 / bytes, 24u);
	int many = 8 + static_cast<int>(std::min(wanted, quick ? 24u : 512u));
	int tiles[5], most = 4096;
	// In the L2 cache: a block's rows of tiles hold 128 KB. In DRAM: each launch reads rows not read before.
	if (!dram)
		most = std::max(1, L2_BYTES_PER_BLOCK / static_cast<int>(bytes));
	if (outside == HALF_OUT)
		most = 1; // every tile is in column 0
	tile_counts(tile, 1, most, tiles);
	int in_row = RANK == 1 ? 1 : tiles[0];
	uint32_t row_bytes = bytes * static_cast<uint32_t>(in_row);
	int each = std::max(1, dram ? (many + in_row - 1) / in_row : L2_BYTES_PER_BLOCK / static_cast<int>(row_bytes));
	size_t needed = static_cast<size_t>(each) * blocks, limit = MEMORY_BYTES / row_bytes;
	if (needed > limit)
		return;
	int all_rows = static_cast<int>(dram ? limit : needed);
	tile_counts(tile, all_rows, most, tiles);
	CUtensorMap map;
	if (!encode(tile, tiles, memory(), &map))
		return;
	Walk walk = walk_of(tile, tiles, each);
	if (outside == HALF_OUT)
		walk.start[0] = -tile.box[0] / 2;
	if (outside == ALL_OUT)
		walk.start[RANK - 1] = tiles[RANK - 1] * tile.box[RANK - 1];
	Shape shape = {blocks, stores ? 128u : 32u, RING_SHARED, 0, false};
	auto one = [&](int steps, Times *times, unsigned *late) {
		Walk here = walk;
		if (dram) {
			size_t first = (fresh + row_bytes - 1) / row_bytes;
			if (first + needed > limit)
				first = FIRST_FRESH / row_bytes;
			if (first + needed > limit)
				first = 0;
			here.start[RANK - 1] += static_cast<int>(first) * tile.box[RANK - 1];
			fresh = (first + needed) * row_bytes;
		}
		if (stores)
			launch(shape, store<RANK>, map, here, slot, depth, steps, times, late);
		else
			launch(shape, load<RANK>, map, here, bytes, slot, depth, steps, times, late);
	};
	static const char *const OUTSIDE[] = {"none", "half", "all"};
	std::string parameters = kit::text("%s source=%s outside=%s depth=%d sms=%u", box_text(tile).c_str(),
	                                   dram ? "dram" : "l2", OUTSIDE[outside], depth, blocks);
	Costs cost;
	if (stores)
		prepare(store<RANK>, shape);
	else
		prepare(load<RANK>, shape);
	if (costs("tile " + parameters, blocks, 8, many, quick ? 3 : 5, one, &cost))
		copy_rows("tensor", stores ? "tile_store" : "tile_load", parameters, cost, bytes, blocks);
}

static void any_point(const Tile &tile, unsigned blocks, int depth, bool dram, Outside outside, bool stores, bool quick)
{
	switch (tile.rank) {
	case 1:
		point<1>(tile, blocks, depth, dram, outside, stores, quick);
		break;
	case 2:
		point<2>(tile, blocks, depth, dram, outside, stores, quick);
		break;
	case 3:
		point<3>(tile, blocks, depth, dram, outside, stores, quick);
		break;
	case 4:
		point<4>(tile, blocks, depth, dram, outside, stores, quick);
		break;
	default:
		point<5>(tile, blocks, depth, dram, outside, stores, quick);
		break;
	}
}

static const Tile TILES[] = {
	// Rank 1.
	{1, 4, {8}, 0, 0},
	{1, 4, {64}, 0, 0},
	{1, 4, {256}, 0, 0},
	{1, 2, {256}, 0, 0},
	{1, 8, {256}, 0, 0},
	// Rank 2, by tile; 2-byte and 4-byte elements.
	{2, 2, {8, 8}, 0, 0},
	{2, 2, {16, 16}, 0, 0},
	{2, 2, {32, 32}, 0, 0},
	{2, 2, {64, 8}, 0, 0},
	{2, 2, {64, 32}, 0, 0},
	{2, 2, {64, 64}, 0, 0},
	{2, 2, {64, 128}, 0, 0},
	{2, 2, {64, 256}, 0, 0},
	{2, 2, {128, 64}, 0, 0},
	{2, 2, {256, 64}, 0, 0},
	{2, 2, {8, 64}, 0, 0},
	{2, 2, {8, 256}, 0, 0},
	{2, 4, {4, 64}, 0, 0},
	{2, 4, {8, 8}, 0, 0},
	{2, 4, {16, 16}, 0, 0},
	{2, 4, {32, 32}, 0, 0},
	{2, 4, {64, 64}, 0, 0},
	{2, 4, {128, 64}, 0, 0},
	{2, 4, {256, 32}, 0, 0},
	{2, 1, {128, 64}, 0, 0},
	// Swizzles.
	{2, 2, {16, 64}, 32, 0},
	{2, 2, {32, 64}, 64, 0},
	{2, 2, {64, 64}, 128, 0},
	{2, 2, {64, 128}, 128, 0},
	{2, 2, {64, 256}, 128, 0},
	{2, 2, {16, 64}, 0, 0},
	{2, 2, {32, 64}, 0, 0},
	{2, 4, {32, 64}, 128, 0},
	// L2 promotion.
	{2, 2, {64, 64}, 128, 128},
	{2, 2, {64, 64}, 128, 256},
	{2, 2, {16, 64}, 0, 128},
	{2, 2, {16, 64}, 0, 256},
	// Ranks 3 to 5: 8 KB as 64x64 in two dimensions.
	{3, 2, {64, 8, 8}, 0, 0},
	{3, 2, {16, 16, 16}, 0, 0},
	{3, 2, {64, 64, 2}, 0, 0},
	{4, 2, {64, 4, 4, 4}, 0, 0},
	{4, 2, {8, 8, 8, 8}, 0, 0},
	{5, 2, {64, 4, 4, 2, 2}, 0, 0},
	{5, 2, {16, 4, 4, 4, 4}, 0, 0},
};

static void loads(bool quick, bool dram)
{
	unsigned sms = static_cast<unsigned>(kit::device().multiProcessorCount);
	for (const Tile &tile : TILES)
		for (unsigned blocks : {1u, sms})
			for (int depth : DEPTHS)
				any_point(tile, blocks, depth, dram, INSIDE, false, quick);
}

static void loads_l2(bool quick)
{
	loads(quick, false);
}

static void loads_dram(bool quick)
{
	loads(quick, true);
}

static void outsides(bool quick)
{
	static const Tile CHOSEN[] = {{2, 2, {64, 64}, 0, 0}, {2, 2, {64, 64}, 128, 0}, {2, 4, {32, 32}, 0, 0}};
	unsigned sms = static_cast<unsigned>(kit::device().multiProcessorCount);
	for (const Tile &tile : CHOSEN)
		for (Outside outside : {INSIDE, HALF_OUT, ALL_OUT})
			for (unsigned blocks : {1u, sms})
				for (int depth : DEPTHS)
					any_point(tile, blocks, depth, false, outside, false, quick);
}

static void tile_stores(bool quick)
{
	unsigned sms = static_cast<unsigned>(kit::device().multiProcessorCount);
	for (const Tile &tile : TILES)
		for (unsigned blocks : {1u, sms})
			for (int depth : {1, 4})
				any_point(tile, blocks, depth, false, INSIDE, true, quick);
}

static void multicasts(bool quick)
{
	static const char *const MODES[] = {"each", "first", "slices"};
	for (int height : {8, 64, 128, 256})
		for (unsigned size : {1u, 2u, 4u, 8u, 16u})
			for (int mode : {EACH, FIRST, SLICES}) {
				int parts = mode == SLICES ? static_cast<int>(size) : 1;
				if (height / parts < 8 && parts > 1)
					continue; // a slice of 8 rows keeps its address a multiple of 128 bytes
				Tile whole = {2, 2, {64, height}, 0, 0}, slice = {2, 2, {64, height / parts}, 0, 0};
				Shape shape = {size, 64, RING_SHARED, size, false};
				unsigned clusters = clusters_at_once(multicast, shape);
				for (unsigned count : {1u, clusters})
					for (int depth : {1, 2, 4}) {
						uint32_t bytes = tile_bytes(whole);
						if (!clusters || depth * bytes > RING_BYTES)
							continue;
						int many = 8 + (quick ? 16 : 96), tiles[5];
						int most = L2_BYTES_PER_BLOCK / static_cast<int>(bytes);
						tile_counts(whole, static_cast<int>(count), most, tiles);
						Walk walk = walk_of(whole, tiles, 1);
						int slices[5] = {tiles[0], tiles[1] * parts, 1, 1, 1};
						CUtensorMap map;
						if (!encode(slice, slices, memory(), &map))
							continue;
						shape.grid = size * count;
						std::string parameters = kit::text(
							"mode=%s cluster=%u clusters=%u tile_bytes=%u depth=%d",
							MODES[mode], size, count, bytes, depth);
						auto one = [&](int steps, Times *times, unsigned *late) {
							launch(shape, multicast, map, walk, mode, bytes, depth, steps,
							       times, late);
						};
						Costs cost;
						if (costs("multicast " + parameters, shape.grid, 8, many, quick ? 3 : 5,
						          one, &cost))
							copy_rows("tensor", "multicast", parameters, cost, bytes, shape.grid);
					}
			}
}

// One tile to shared memory, and from there byte by byte to `out`.
__global__ void dump(const __grid_constant__ CUtensorMap map, uint32_t bytes, int x, unsigned char *out, unsigned *late)
{
	__shared__ __align__(8) u64 storage;
	uint32_t ring = aligned(room);
	if (threadIdx.x == 0) {
		int c[5] = {x, 0, 0, 0, 0};
		barrier_init(shared(&storage), 1);
		fence_barrier_init();
		fence_async();
		arrive_expect(shared(&storage), bytes);
		tile_load<2>(ring, &map, c, shared(&storage));
	}
	__syncthreads();
	wait(shared(&storage), 0, late);
	for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x)
		out[i] = room[ring - shared(room) + i];
}

// `x`: the tile's first column; negative: the tile begins outside the tensor, where zeros are expected.
static double dump_check(int swizzle, int x)
{
	int width = swizzle ? swizzle / 2 : 64, tiles[5] = {4, 4, 1, 1, 1};
	Tile tile = {2, 2, {width, 64}, swizzle, 0};
	uint32_t bytes = tile_bytes(tile), pitch = static_cast<uint32_t>(width) * 8;
	std::vector<unsigned char> source(1 << 20), expected(bytes);
	for (size_t i = 0; i < source.size(); i++)
		source[i] = static_cast<unsigned char>(1 + (i * 31 + i / 256 * 17) % 251);
	CHECK(cudaMemcpy(memory(), source.data(), source.size(), cudaMemcpyHostToDevice));
	uint32_t chunk_bits = swizzle ? static_cast<uint32_t>(swizzle) / 16 - 1 : 0;
	for (uint32_t i = 0; i < bytes; i++) {
		int row = static_cast<int>(i) / (width * 2), column = x * 2 + static_cast<int>(i) % (width * 2);
		uint32_t to = i ^ (i >> 3 & chunk_bits << 4);
		expected[to] = column < 0 ? 0 : source[static_cast<size_t>(row) * pitch + static_cast<size_t>(column)];
	}
	CUtensorMap map;
	unsigned char *out = kit::allocate<unsigned char>(bytes);
	unsigned *late = kit::allocate<unsigned>(1);
	if (!encode(tile, tiles, memory(), &map))
		return -1;
	dump<<<1, 128, bytes + 1024>>>(map, bytes, x, out, late);
	return done("dump") ? kit::read(out, bytes) == expected : -1;
}

static void checks(bool)
{
	for (int swizzle : {0, 32, 64, 128})
		for (int x : {0, -8}) {
			double good = dump_check(swizzle, x);
			kit::row("tensor", "tile_check", kit::text("swizzle=%d first_column=%d", swizzle, x), {good},
			         "bool");
		}
}

int main(int argc, char **argv)
{
	static const Section LIST[] = {
		{"checks", checks},     {"loads_l2", loads_l2},  {"loads_dram", loads_dram},
		{"outsides", outsides}, {"stores", tile_stores}, {"multicasts", multicasts},
	};
	return sections(argc, argv, LIST, sizeof LIST / sizeof *LIST);
}
