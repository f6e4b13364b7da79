// Protects simt/polling_lanes.c: lanes that wait for other lanes of their warp, as Volta and later allow. Per-lane
// locks, chains of flags, producers and consumers, in functions and between block barriers, with shuffles afterwards.
// Every run ends, and every value read was written.
#include "check.h"

enum { ROUNDS = 3, MOST = 96 };

__device__ int lock, count;

__global__ void contend()
{
	for (int r = 0; r < ROUNDS; r++) {
		while (atomicCAS(&lock, 0, 1) != 0)
			continue;
		__threadfence();
		*(volatile int *)&count = *(volatile int *)&count + 1;
		__threadfence();
		atomicExch(&lock, 0);
	}
}

static __noinline__ __device__ void take(int *lock)
{
	while (atomicCAS(lock, 0, 1) != 0)
		__nanosleep(20);
}

static __noinline__ __device__ bool try_take(int *lock)
{
	return atomicCAS(lock, 0, 1) == 0;
}

static __noinline__ __device__ void give(int *lock)
{
	__threadfence();
	atomicExch(lock, 0);
}

// The lock inside functions, with communication between lanes in between.
__global__ void in_functions(int *out)
{
	int sum = 0;
	for (int r = 0; r < ROUNDS; r++) {
		if (r % 2)
			take(&lock);
		else
			while (!try_take(&lock))
				continue;
		*(volatile int *)&count = *(volatile int *)&count + 1;
		give(&lock);
		sum += __shfl_sync(~0u, (int)threadIdx.x, (threadIdx.x + r) % 32);
	}
	__syncthreads();
	out[threadIdx.x] = sum;
}

// A recursive function holds a lock in each of its calls.
static __noinline__ __device__ int nested(int *locks, int depth, int value)
{
	if (depth == 0)
		return value;
	take(&locks[depth]);
	int below = nested(locks, depth - 1, value * 3 + depth);
	give(&locks[depth]);
	return below + value % 5;
}

__global__ void in_recursion(int *out, int *locks)
{
	out[threadIdx.x] = nested(locks, 1 + threadIdx.x % 3, threadIdx.x);
}

// Each lane waits for the previous lane.
__global__ void chain(int *out)
{
	__shared__ volatile int flag[32], value[32];
	flag[threadIdx.x] = 0;
	__syncwarp();
	if (threadIdx.x)
		while (!flag[threadIdx.x - 1])
			continue;
	value[threadIdx.x] = threadIdx.x ? value[threadIdx.x - 1] * 2 + 1 : 5;
	__threadfence_block();
	flag[threadIdx.x] = 1;
	__syncwarp();
	out[threadIdx.x] = value[threadIdx.x] ^ value[31];
}

// Lane 3 of the first warp signals all other lanes and waits for their replies, between barriers of the block.
__global__ void hand_on(int *out)
{
	__shared__ int full, slot, taken;
	for (int k = 1; k <= 4; k++) {
		if (threadIdx.x == 0)
			full = taken = 0;
		__syncthreads();
		if (threadIdx.x == 3) {
			*(volatile int *)&slot = k * 11;
			__threadfence_block();
			atomicExch(&full, 1);
			while (*(volatile int *)&taken < (int)blockDim.x - 1)
				continue;
		} else {
			while (!*(volatile int *)&full)
				continue;
			out[threadIdx.x] += *(volatile int *)&slot;
			atomicAdd(&taken, 1);
		}
		__syncthreads();
	}
}

static int *out, got[MOST];

static void fetch()
{
	SUCCEEDS(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaMemset(out, 0, sizeof got));
}

static int counted()
{
	int value, zero = 0;
	SUCCEEDS(cudaMemcpyFromSymbol(&value, count, sizeof value));
	SUCCEEDS(cudaMemcpyToSymbol(count, &zero, sizeof zero));
	return value;
}

static int model(int depth, int value)
{
	return depth ? model(depth - 1, value * 3 + depth) + value % 5 : value;
}

int main()
{
	int *locks;
	SUCCEEDS(cudaMalloc(&out, sizeof got));
	SUCCEEDS(cudaMemset(out, 0, sizeof got));
	SUCCEEDS(cudaMalloc(&locks, 64));
	SUCCEEDS(cudaMemset(locks, 0, 64));
	for (int threads = 20; threads <= 64; threads += 22) {
		contend<<<2, threads>>>();
		CHECK(counted() == 2 * threads * ROUNDS);
	}
	in_functions<<<1, 64>>>(out);
	CHECK(counted() == 64 * ROUNDS);
	fetch();
	for (int i = 0; i < 64; i++) {
		int sum = 0;
		for (int r = 0; r < ROUNDS; r++)
			sum += i / 32 * 32 + (i + r) % 32;
		CHECK(got[i] == sum);
	}
	in_recursion<<<1, 40>>>(out, locks);
	fetch();
	for (int i = 0; i < 40; i++)
		CHECK(got[i] == model(1 + i % 3, i));
	chain<<<1, 32>>>(out);
	fetch();
	for (int i = 0; i < 32; i++)
		CHECK(got[i] == (int)(((6u << i) - 1) ^ ((6u << 31) - 1)));
	hand_on<<<1, MOST>>>(out);
	fetch();
	for (int i = 0; i < MOST; i++)
		CHECK(got[i] == (i == 3 ? 0 : 110));
	return finish();
}
