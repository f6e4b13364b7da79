// Protects the order of grids that kernels launch: random trees of grids from a fixed seed (or that of the command
// line). Each grid does a list of actions: it launches grids in streams of all kinds, records events, and lets streams
// wait for them. A model knows which grids CUDA orders. Each grid enters a common clock when it begins and when its
// last thread ends. No grid may begin before those that it follows, with all their own grids, have ended.
//
// random_device_streams [SEED [PROGRAMS]]
#include "check.h"
#include <functional>
#include <vector>

static unsigned long long state;
static unsigned draw(unsigned limit)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % limit;
}

enum { MOST_GRIDS = 120, MOST_ACTIONS = 10, STREAMS = 3, EVENTS = 3 };
enum kind { LAUNCH, RECORD, WAIT };
enum { DEFAULT = STREAMS, OWN, TAIL, FORGET, KINDS_OF_STREAM }; // after the streams that the thread creates

struct action {
	int kind, stream, event, grid, blocks, threads;
};

// The actions of thread 0 of a block.
struct part {
	int grid, block, actions;
	action action[MOST_ACTIONS];
};

__device__ int begun[MOST_GRIDS], ended[MOST_GRIDS], left[MOST_GRIDS], now;

// The streams belong to the block. Thread 0 creates and uses them.
__global__ void run(const part *parts, int part_count, int grid, int delay)
{
	__shared__ cudaStream_t stream[KINDS_OF_STREAM];
	if (threadIdx.x == 0) {
		int time = 1 + atomicAdd(&now, 1);
		atomicCAS(&begun[grid], 0, time);
	}
	__syncthreads();
	unsigned value = delay;
	for (int i = 0; i < delay * 20; i++)
		value = value * 1664525 + 1013904223;
	if (threadIdx.x == 0) {
		cudaEvent_t event[EVENTS];
		for (int i = 0; i < STREAMS; i++)
			cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
		for (int i = 0; i < EVENTS; i++)
			cudaEventCreateWithFlags(&event[i], cudaEventDisableTiming);
		stream[DEFAULT] = 0;
		stream[OWN] = cudaStreamPerThread;
		stream[TAIL] = cudaStreamTailLaunch;
		stream[FORGET] = cudaStreamFireAndForget;
		for (int p = 0; p < part_count; p++) {
			if (parts[p].grid != grid || parts[p].block != blockIdx.x)
				continue;
			for (int i = 0; i < parts[p].actions; i++) {
				const action &a = parts[p].action[i];
				if (a.kind == LAUNCH)
					run<<<a.blocks, a.threads, 0, stream[a.stream]>>>(parts, part_count, a.grid, (a.grid * 7 + delay) % 13);
				else if (a.kind == RECORD)
					cudaEventRecord(event[a.event], stream[a.stream]);
				else
					cudaStreamWaitEvent(stream[a.stream], event[a.event], 0);
			}
		}
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		int time = 1 + atomicAdd(&now, 1) + (value == 42); // so that the delay is computed
		atomicMax(&ended[grid], time);
		atomicSub(&left[grid], 1);
	}
}

// ---- the model ----

struct program {
	std::vector<part> parts;
	int grids = 1, blocks[MOST_GRIDS], parent[MOST_GRIDS];
	std::vector<int> after[MOST_GRIDS]; // grids that must have ended, with all their own, before it begins
	std::vector<int> tail[MOST_GRIDS];  // the grid's tail launches
};

static bool is_forked(int stream)
{
	return stream != TAIL && stream != FORGET;
}

// Draws what a block of a grid does. Its streams and events know the grids that their next work follows.
static void draw_part(program &p, int grid, int block, int depth)
{
	part own = {grid, block, 0, {}};
	std::vector<int> stream[KINDS_OF_STREAM], event[EVENTS];
	int count = 1 + draw(MOST_ACTIONS);
	for (int i = 0; i < count; i++) {
		action a = {(int)draw(5) < 3 ? LAUNCH : 1 + (int)draw(2), (int)draw(KINDS_OF_STREAM), (int)draw(EVENTS), 0, 1, 32};
		if (a.kind != LAUNCH && !is_forked(a.stream))
			a.stream = DEFAULT;
		if (a.kind == RECORD)
			event[a.event] = stream[a.stream];
		if (a.kind == WAIT)
			stream[a.stream].insert(stream[a.stream].end(), event[a.event].begin(), event[a.event].end());
		if (a.kind == LAUNCH) {
			if (p.grids == MOST_GRIDS)
				continue;
			a.grid = p.grids++;
			a.blocks = 1 + draw(3);
			a.threads = 1 + draw(70);
			p.blocks[a.grid] = a.blocks;
			p.parent[a.grid] = grid;
			if (is_forked(a.stream)) {
				p.after[a.grid] = stream[a.stream];
				stream[a.stream].push_back(a.grid);
			}
			if (a.stream == TAIL)
				p.tail[grid].push_back(a.grid);
			for (int b = 0; depth < 3 && b < a.blocks; b++)
				if (draw(3) == 0)
					draw_part(p, a.grid, b, depth + 1);
		}
		own.action[own.actions++] = a;
	}
	p.parts.push_back(own);
}

static bool is_within(const program &p, int grid, int ancestor)
{
	while (grid != ancestor && grid)
		grid = p.parent[grid];
	return grid == ancestor;
}

struct times {
	int begun[MOST_GRIDS], ended[MOST_GRIDS], left[MOST_GRIDS];
};

// True when all of the first grid's family has ended before the second one begins.
static bool comes_before(const program &p, const times &all, int first, int second)
{
	for (int grid = 0; grid < p.grids; grid++)
		if (is_within(p, grid, first) && all.ended[grid] >= all.begun[second])
			return false;
	return true;
}

// A grid's tail launches follow its own blocks, its other grids, and one another. Blocks may enter them in any order.
static void check_tails(const program &p, const times &all, int parent)
{
	const std::vector<int> &tail = p.tail[parent];
	for (int one : tail) {
		CHECK(all.ended[parent] < all.begun[one]);
		for (int other = 1; other < p.grids; other++) {
			bool is_tail = false;
			for (int also : tail)
				is_tail |= also == other;
			if (p.parent[other] == parent && !is_tail)
				CHECK(comes_before(p, all, other, one));
		}
		for (int other : tail)
			CHECK(other == one || comes_before(p, all, one, other) || comes_before(p, all, other, one));
	}
}

static void check_times(const program &p, const times &all)
{
	for (int grid = 0; grid < p.grids; grid++) {
		CHECK(all.left[grid] == -p.blocks[grid]);
		CHECK(!grid || all.begun[p.parent[grid]] < all.begun[grid]);
		for (int before : p.after[grid])
			CHECK(comes_before(p, all, before, grid));
		check_tails(p, all, grid);
	}
}

static int overlaps(const program &p, const times &all)
{
	int count = 0;
	for (int a = 1; a < p.grids; a++)
		for (int b = a + 1; b < p.grids; b++)
			count += all.begun[a] < all.ended[b] && all.begun[b] < all.ended[a];
	return count;
}

static int check_program()
{
	program p;
	times all;
	const times zero = {};
	int none = 0;
	part *parts;
	p.blocks[0] = 1 + draw(3);
	p.parent[0] = 0;
	for (int b = 0; b < p.blocks[0]; b++)
		draw_part(p, 0, b, 0);
	SUCCEEDS(cudaMalloc(&parts, p.parts.size() * sizeof(part)));
	SUCCEEDS(cudaMemcpy(parts, p.parts.data(), p.parts.size() * sizeof(part), cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemcpyToSymbol(begun, zero.begun, sizeof zero.begun));
	SUCCEEDS(cudaMemcpyToSymbol(ended, zero.ended, sizeof zero.ended));
	SUCCEEDS(cudaMemcpyToSymbol(left, zero.left, sizeof zero.left));
	SUCCEEDS(cudaMemcpyToSymbol(now, &none, sizeof none));
	run<<<p.blocks[0], 64>>>(parts, (int)p.parts.size(), 0, draw(13));
	SUCCEEDS(cudaMemcpyFromSymbol(all.begun, begun, sizeof all.begun));
	SUCCEEDS(cudaMemcpyFromSymbol(all.ended, ended, sizeof all.ended));
	SUCCEEDS(cudaMemcpyFromSymbol(all.left, left, sizeof all.left));
	SUCCEEDS(cudaFree(parts));
	check_times(p, all);
	return overlaps(p, all);
}

// Not where kernels run one at a time, nor in a functional run, where a grid's turn is longer than the grid.
static bool expects_overlap()
{
	return !getenv("SLUICE_OPTIONS") && !getenv("SLUICE_CHECK") && !getenv("SLUICE_FUNCTIONAL");
}

int main(int argc, char **argv)
{
	unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	int programs = argc > 2 ? atoi(argv[2]) : 12, overlapping = 0;
	for (int i = 0; i < programs && !failures; i++) {
		state = seed * 1000003 + i;
		overlapping += check_program();
		if (failures)
			fprintf(stderr, "program %d of seed %llu\n", i, seed);
	}
	CHECK(overlapping > 0 || !expects_overlap());
	return finish();
}
