// Protects what assembler.c of sluice cc mends, -disable-noundef-analysis where lanes exchange values, and the mbarrier
// instructions. Uses Debian's libcu++ for the architecture in TEST_FLAGS: barriers, latches, semaphores and clocks.
// Covers separate arrivals and waits, multiple arrivals, leaving threads, completion functions, and copies.
#include "../check.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/barrier>
#include <cuda/std/chrono>

namespace cg = cooperative_groups;

enum { BLOCKS = 3, THREADS = 96, ROUNDS = 6 };

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// In each round the threads write, synchronize, and read another thread's value.
static __global__ void meet(int *sums)
{
	__shared__ block_barrier bar[2];
	__shared__ int data[THREADS];
	if (threadIdx.x < 2)
		init(&bar[threadIdx.x], threadIdx.x ? 3 * THREADS : THREADS);
	__syncthreads();
	int sum = 0;
	for (int r = 0; r < ROUNDS; r++) {
		data[threadIdx.x] = threadIdx.x * 5 + r;
		bar[0].arrive_and_wait();
		sum = sum * 3 + data[(threadIdx.x + 17 * r) % THREADS];
		block_barrier::arrival_token token = bar[1].arrive(2);
		(void)bar[1].arrive();
		bar[1].wait(cuda::std::move(token));
	}
	sums[blockIdx.x * THREADS + threadIdx.x] = sum;
}

// Thread i takes part in i % ROUNDS + 1 phases. In each phase the remaining threads count the others present.
static __global__ void leave(int *counts)
{
	__shared__ block_barrier bar;
	__shared__ int here[ROUNDS];
	if (threadIdx.x == 0)
		init(&bar, THREADS);
	if (threadIdx.x < ROUNDS)
		here[threadIdx.x] = 0;
	__syncthreads();
	for (int r = 0; r < ROUNDS; r++) {
		atomicAdd(&here[r], 1);
		if (r == threadIdx.x % ROUNDS) {
			bar.arrive_and_drop();
			return;
		}
		bar.arrive_and_wait();
		counts[r * THREADS + threadIdx.x] = here[r];
	}
}

// A copy by all threads and one by each single thread; the barrier's phase completes with them.
static __global__ void copy(const int *in, int *out)
{
	__shared__ block_barrier bar;
	__shared__ __align__(16) int whole[THREADS];
	__shared__ int own[THREADS];
	cg::thread_block block = cg::this_thread_block();
	if (block.thread_rank() == 0)
		init(&bar, block.size());
	block.sync();
	cuda::memcpy_async(block, whole, in, cuda::aligned_size_t<16>(sizeof whole), bar);
	cuda::memcpy_async(&own[threadIdx.x], &in[THREADS + threadIdx.x], sizeof(int), bar);
	bar.arrive_and_wait();
	out[threadIdx.x] = whole[(threadIdx.x + 40) % THREADS] * 2 + own[(threadIdx.x + 41) % THREADS];
}

struct completion {
	int *phases;
	__device__ void operator()() noexcept
	{
		++*phases;
	}
};

struct between_blocks {
	cuda::barrier<cuda::thread_scope_device> bar;
	cuda::std::barrier<> standard;
	cuda::latch<cuda::thread_scope_device> latch;
	cuda::counting_semaphore<cuda::thread_scope_device> tickets;
	cuda::binary_semaphore<cuda::thread_scope_device> lock;
	int inside, most, entries, arrived[BLOCKS], seen[BLOCKS], order[2];
};

static __global__ void prepare(between_blocks *shared)
{
	new (&shared->bar) cuda::barrier<cuda::thread_scope_device>(BLOCKS);
	new (&shared->standard) cuda::std::barrier<>(BLOCKS);
	new (&shared->latch) cuda::latch<cuda::thread_scope_device>(BLOCKS);
	new (&shared->tickets) cuda::counting_semaphore<cuda::thread_scope_device>(2);
	new (&shared->lock) cuda::binary_semaphore<cuda::thread_scope_device>(1);
}

// One thread per block: barriers and a latch between blocks, at most two threads inside at once, one at a time at the
// entries.
static __global__ void blocks(between_blocks *shared)
{
	cuda::std::chrono::system_clock::time_point start = cuda::std::chrono::system_clock::now();
	shared->arrived[blockIdx.x] = blockIdx.x + 1;
	shared->bar.arrive_and_wait();
	for (int b = 0; b < BLOCKS; b++)
		shared->seen[blockIdx.x] += *(volatile int *)&shared->arrived[b];
	shared->standard.arrive_and_wait();
	shared->latch.arrive_and_wait();
	for (int r = 0; r < 4; r++) {
		shared->tickets.acquire();
		atomicMax(&shared->most, atomicAdd(&shared->inside, 1) + 1);
		shared->lock.acquire();
		*(volatile int *)&shared->entries = *(volatile int *)&shared->entries + 1;
		__threadfence();
		shared->lock.release();
		atomicSub(&shared->inside, 1);
		shared->tickets.release();
	}
	shared->bar.arrive_and_wait();
	if (blockIdx.x == 0) {
		shared->order[0] = cuda::std::chrono::system_clock::now() > start;
		shared->order[1] = shared->lock.try_acquire() +
		                   2 * shared->lock.try_acquire_for(cuda::std::chrono::microseconds(1));
	}
}

// A barrier with a completion function, and one with a single thread.
static __global__ void functions(int *out)
{
	__shared__ int phases;
	using counted = cuda::barrier<cuda::thread_scope_block, completion>;
	__shared__ __align__(alignof(counted)) char room[sizeof(counted)];
	counted *bar = reinterpret_cast<counted *>(room);
	if (threadIdx.x == 0) {
		phases = 0;
		new (bar) counted(blockDim.x, completion{&phases});
	}
	__syncthreads();
	bar->arrive_and_wait();
	int first = *(volatile int *)&phases;
	__syncthreads();
	bar->arrive_and_wait();
	cuda::barrier<cuda::thread_scope_thread> own(1);
	own.arrive_and_wait();
	out[threadIdx.x] = first * 10 + *(volatile int *)&phases;
}

// Barriers among the fields of a structure, in a template kernel.
enum { SLOTS = 3 };
struct stages {
	cuda::barrier<cuda::thread_scope_block> ready[SLOTS];
	int data[SLOTS];
};
template <int STEP> static __global__ void in_structures(int *out)
{
	__shared__ stages shared;
	if (threadIdx.x < SLOTS)
		init(&shared.ready[threadIdx.x], THREADS);
	__syncthreads();
	int sum = 0;
	for (int slot = 0; slot < SLOTS; slot++) {
		if (threadIdx.x == THREADS / 2)
			shared.data[slot] = slot * STEP + 5;
		shared.ready[slot].arrive_and_wait();
		sum = sum * 10 + shared.data[slot];
	}
	out[threadIdx.x] = sum;
}

static int *run(void (*kernel)(int *), int grid, int count)
{
	static int got[BLOCKS * THREADS * ROUNDS];
	int *device;
	SUCCEEDS(cudaMalloc(&device, count * sizeof *got));
	SUCCEEDS(cudaMemset(device, 0, count * sizeof *got));
	kernel<<<grid, THREADS>>>(device);
	SUCCEEDS(cudaMemcpy(got, device, count * sizeof *got, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaFree(device));
	return got;
}

static void check_copy()
{
	int in[2 * THREADS], out[THREADS], *on_in, *on_out;
	for (int i = 0; i < 2 * THREADS; i++)
		in[i] = i * 7919 % 1000;
	SUCCEEDS(cudaMalloc(&on_in, sizeof in));
	SUCCEEDS(cudaMalloc(&on_out, sizeof out));
	SUCCEEDS(cudaMemcpy(on_in, in, sizeof in, cudaMemcpyHostToDevice));
	copy<<<1, THREADS>>>(on_in, on_out);
	SUCCEEDS(cudaMemcpy(out, on_out, sizeof out, cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS; i++)
		CHECK(out[i] == in[(i + 40) % THREADS] * 2 + in[THREADS + (i + 41) % THREADS]);
}

static void check_blocks()
{
	between_blocks *device;
	struct {
		int inside, most, entries, arrived[BLOCKS], seen[BLOCKS], order[2];
	} got;
	SUCCEEDS(cudaMalloc(&device, sizeof *device));
	SUCCEEDS(cudaMemset((void *)device, 0, sizeof *device));
	prepare<<<1, 1>>>(device);
	blocks<<<BLOCKS, 1>>>(device);
	SUCCEEDS(cudaMemcpy(&got, &device->inside, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got.inside == 0 && got.most >= 1 && got.most <= 2 && got.entries == 4 * BLOCKS);
	CHECK(got.order[0] == 1 && got.order[1] == 1);
	for (int b = 0; b < BLOCKS; b++)
		CHECK(got.seen[b] == BLOCKS * (BLOCKS + 1) / 2);
}

int main()
{
	int *got = run(meet, BLOCKS, BLOCKS * THREADS);
	for (int i = 0; i < BLOCKS * THREADS; i++) {
		int sum = 0;
		for (int r = 0; r < ROUNDS; r++)
			sum = sum * 3 + (i % THREADS + 17 * r) % THREADS * 5 + r;
		CHECK(got[i] == sum);
	}
	got = run(leave, 1, ROUNDS * THREADS);
	for (int r = 0; r < ROUNDS; r++)
		for (int i = 0; i < THREADS; i++)
			CHECK(got[r * THREADS + i] == (i % ROUNDS > r ? THREADS / ROUNDS * (ROUNDS - r) : 0));
	got = run(functions, 1, THREADS);
	for (int i = 0; i < THREADS; i++)
		CHECK(got[i] == 12);
	got = run(in_structures<1>, 1, THREADS);
	for (int i = 0; i < THREADS; i++)
		CHECK(got[i] == 567);
	check_copy();
	check_blocks();
	return finish();
}
