// Protects simt/polling_lanes.c: random protocols between the threads of a block, against a sequential model. Each
// thread sets events that others wait for, takes a value by a shuffle of its whole warp, waits at barriers, and takes
// locks. A thread waits only for steps that do not depend on it, so every order of threads ends, and with the same
// values.
#include "check.h"
#include <random>
#include <vector>

enum { THREADS = 64, STEPS = 300, EVENTS = STEPS, MOST = 400, PROTOCOLS = 30 };
enum kind { WAIT, SET, TAKE, MEET, ADD, NOTHING };

struct step {
	int kind, what; // an event, a lane, a lock
	unsigned mask;
};

// One thread's steps, and the locks' counters.
struct plan {
	step steps[THREADS][MOST];
};

static __noinline__ __device__ unsigned wait_for(volatile unsigned *ready, volatile unsigned *value)
{
	while (!*ready)
		continue;
	__threadfence_block();
	return *value;
}

__global__ void act(const plan *plans, unsigned *sums, unsigned *counters, int count, bool calls)
{
	__shared__ unsigned ready[EVENTS], values[EVENTS], locks[4];
	const step *at = plans->steps[threadIdx.x];
	volatile unsigned *flags = ready, *carried = values, *counted = counters;
	unsigned sum = threadIdx.x;
	for (int i = threadIdx.x; i < EVENTS; i += THREADS)
		ready[i] = 0;
	if (threadIdx.x < 4)
		locks[threadIdx.x] = 0;
	__syncthreads();
	for (int i = 0; i < count; i++, at++)
		switch (at->kind) {
		case WAIT:
			if (calls) {
				sum = sum * 31 + wait_for(&flags[at->what], &carried[at->what]);
				break;
			}
			while (!flags[at->what])
				continue;
			__threadfence_block();
			sum = sum * 31 + carried[at->what];
			break;
		case SET:
			carried[at->what] = sum;
			__threadfence_block();
			flags[at->what] = 1;
			break;
		case TAKE:
			sum = sum * 7 + __shfl_sync(at->mask, sum, at->what);
			break;
		case MEET:
			__syncthreads();
			sum++;
			break;
		case ADD:
			while (atomicCAS(&locks[at->what], 0, 1))
				continue;
			__threadfence();
			counted[at->what] = counted[at->what] + threadIdx.x;
			__threadfence();
			atomicExch(&locks[at->what], 0);
			break;
		}
	sums[threadIdx.x] = sum;
}

struct model {
	plan all;
	int lengths[THREADS];
	unsigned sums[THREADS], counters[4];
};

static void append(model *m, int thread, step next)
{
	m->all.steps[thread][m->lengths[thread]++] = next;
}

// A warp-wide step has the same position in its lanes' step lists, so that lanes without a wait reach it together.
static void align(model *m, int warp, unsigned mask)
{
	int most = 0;
	for (int lane = 0; lane < 32; lane++)
		if (mask >> lane & 1 && m->lengths[warp + lane] > most)
			most = m->lengths[warp + lane];
	for (int lane = 0; lane < 32; lane++)
		while (mask >> lane & 1 && m->lengths[warp + lane] < most)
			append(m, warp + lane, {NOTHING, 0, 0});
}

// The lanes of a warp take the sum of one of them.
static void append_take(model *m, std::mt19937 &random)
{
	int warp = random() % (THREADS / 32) * 32, from = random() % 32;
	unsigned mask = ~0u, taken = m->sums[warp + from];
	align(m, warp, mask);
	for (int lane = 0; lane < 32; lane++)
		if (mask >> lane & 1) {
			append(m, warp + lane, {TAKE, from, mask});
			m->sums[warp + lane] = m->sums[warp + lane] * 7 + taken;
		}
}

// Returns the number of steps per thread.
static int make(model *m, std::mt19937 &random)
{
	std::vector<unsigned> values;
	*m = {};
	for (int i = 0; i < THREADS; i++)
		m->sums[i] = i;
	bool meets = random() % 2, takes = random() % 2;
	int neighbors = random() % 2 ? THREADS : 8; // with few threads, more of them wait for each other
	for (int s = 0; s < STEPS; s++) {
		int thread = random() % neighbors, choice = random() % 40;
		if (choice < 15) {
			append(m, thread, {SET, (int)values.size(), 0});
			values.push_back(m->sums[thread]);
		} else if (choice < 32 && !values.empty()) {
			size_t near = values.size() < 4 ? values.size() : 4;
			int event = (int)(values.size() - 1 - random() % near);
			append(m, thread, {WAIT, event, 0});
			m->sums[thread] = m->sums[thread] * 31 + values[event];
		} else if (choice < 35 && takes) {
			append_take(m, random);
		} else if (choice < 36 && meets) {
			align(m, 0, ~0u), align(m, 32, ~0u);
			for (int i = 0; i < THREADS; i++)
				append(m, i, {MEET, 0, 0}), m->sums[i]++;
		} else {
			int lock = random() % 4;
			append(m, thread, {ADD, lock, 0});
			m->counters[lock] += thread;
		}
	}
	int most = 0;
	for (int i = 0; i < THREADS; i++)
		most = m->lengths[i] > most ? m->lengths[i] : most;
	for (int i = 0; i < THREADS; i++)
		while (m->lengths[i] < most)
			append(m, i, {NOTHING, 0, 0});
	return most;
}

int main()
{
	static model m;
	std::mt19937 random(1);
	plan *on_plan;
	unsigned *on_sums, sums[THREADS + 4];
	SUCCEEDS(cudaMalloc(&on_plan, sizeof(plan)));
	SUCCEEDS(cudaMalloc(&on_sums, sizeof sums));
	for (int p = 0; p < PROTOCOLS && !failures; p++) {
		int steps = make(&m, random);
		SUCCEEDS(cudaMemcpy(on_plan, &m.all, sizeof(plan), cudaMemcpyHostToDevice));
		SUCCEEDS(cudaMemset(on_sums, 0, sizeof sums));
		act<<<1, THREADS>>>(on_plan, on_sums, on_sums + THREADS, steps, p % 3 == 2);
		SUCCEEDS(cudaMemcpy(sums, on_sums, sizeof sums, cudaMemcpyDeviceToHost));
		CHECK(memcmp(sums, m.sums, sizeof m.sums) == 0);
		CHECK(memcmp(sums + THREADS, m.counters, sizeof m.counters) == 0);
		if (failures)
			fprintf(stderr, "protocol %d\n", p);
	}
	return finish();
}
