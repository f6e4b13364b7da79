// Protects the detection of barriers that can never complete: the kernel stops and does not hang.
#include "cases.h"

// Like __syncthreads(), but with the line of its use.
#define SYNC_ALL() asm volatile("bar.sync 0;" ::: "memory")
#define SYNC(number, threads) asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory")
#define ARRIVE(number, threads) asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory")

//: two: error cudaErrorLaunchFailure
//| kernel '_Z3twoPi' stopped: barrier that can never complete
//| barriers.cu:@two1)
//| block (0,0,0), thread (0,0,0)
//| barrier 1 waits for 64 threads, 32 have arrived; no other thread of the block can still arrive
//| thread (32,0,0) waits at barrier 2, at device code:
//| barriers.cu:@two2)
__global__ void two(int *p)
{
	if (threadIdx.x < 32)
		asm volatile("bar.sync 1;" ::: "memory"); // @two1
	else
		asm volatile("bar.sync 2;" ::: "memory"); // @two2
	p[threadIdx.x] = 1;
}

//: count: error cudaErrorLaunchFailure
//| barrier that can never complete
//| barriers.cu:@count)
//| thread (0,0,0)
//| barrier 3 waits for 96 threads, 64 have arrived; no other thread of the block can still arrive
__global__ void count(int *p)
{
	p[threadIdx.x] = 1;
	SYNC(3, 96); // @count
	p[threadIdx.x] = 2;
}

// The other threads end first.
//: ended: error cudaErrorLaunchFailure
//| barrier that can never complete
//| barriers.cu:@ended)
//| thread (64,0,0)
//| barrier 1 waits for 64 threads, 32 have arrived; no other thread of the block can still arrive
__global__ void ended(int *p)
{
	p[threadIdx.x] = 1;
	if (threadIdx.x < 64)
		return;
	SYNC(1, 64); // @ended
	p[threadIdx.x] = 2;
}

// A barrier for all threads waits only for those that have not ended.
//: left: error cudaErrorLaunchFailure
//| barrier that can never complete
//| barriers.cu:@left1)
//| thread (32,0,0)
//| barrier 1 waits for 64 threads, 32 have arrived; no other thread of the block can still arrive
//| thread (64,0,0) waits at barrier 2
//| barriers.cu:@left2)
__global__ void left(int *p)
{
	p[threadIdx.x] = 1;
	if (threadIdx.x < 32)
		return;
	if (threadIdx.x < 64)
		asm volatile("bar.sync 1;" ::: "memory"); // @left1
	else
		asm volatile("bar.sync 2;" ::: "memory"); // @left2
	p[threadIdx.x] = 2;
}

// One warp waits at a barrier for all warps, another for a partner, which waits at the first barrier.
//: partner: error cudaErrorLaunchFailure
//| barrier that can never complete
//| barriers.cu:@partner0)
//| thread (0,0,0)
//| barrier 0 waits for 128 threads, 96 have arrived
//| thread (96,0,0) waits at barrier 5
//| barriers.cu:@partner5)
__global__ void partner(int *p)
{
	if (threadIdx.x >= 96)
		SYNC(5, 64); // @partner5
	p[threadIdx.x] = 1;
	SYNC_ALL(); // @partner0
	p[threadIdx.x] = 2;
}

//: counts: error cudaErrorLaunchFailure
//| barrier for different numbers of threads
//| barrier 1 is for
//| has reached it as one of
//| barriers.cu:@counts64)
//| barriers.cu:@counts128)
__global__ void counts(int *p)
{
	if (threadIdx.x < 32) {
		p[threadIdx.x] = 1;
		SYNC(1, 64); // @counts64
	} else {
		p[threadIdx.x] = 2;
		SYNC(1, 128); // @counts128
	}
	p[threadIdx.x] = 3;
}

//: parted: error cudaErrorLaunchFailure
//| barrier that threads of one warp reach separately
//| of the same warp has passed the barrier at device code:
//| barriers.cu:@parted1)
//| barriers.cu:@parted2)
__global__ void parted(int *p)
{
	if (threadIdx.x % 32 >= 16) {
		p[threadIdx.x] = 1;
		SYNC_ALL(); // @parted1
		p[threadIdx.x] = 2;
	} else {
		p[threadIdx.x] += 3;
		SYNC_ALL(); // @parted2
		p[threadIdx.x] += 4;
	}
}

// Some threads of a warp skip the last iteration, but all reach the barrier after the loop.
//: round: error cudaErrorLaunchFailure
//| barrier that threads of one warp reach separately
//| barriers.cu:@round1)
//| barriers.cu:@round2)
__global__ void round(int *p, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		p[i]++;
		SYNC_ALL(); // @round1
		p[i]++;
	}
	SYNC_ALL(); // @round2
	p[threadIdx.x] = 0;
}

//: number: error cudaErrorIllegalInstruction
//| barrier number beyond 15
//| barriers.cu:@number)
__global__ void number(int *p)
{
	SYNC(p[0], 64); // @number
	p[1] = 1;
}

// Only one of many blocks.
//: one_block: error cudaErrorLaunchFailure
//| barrier that can never complete
//| barriers.cu:@one_block)
//| block (3,1,0), thread (0,0,0)
__global__ void one_block(int *p)
{
	if (blockIdx.x == 3 && blockIdx.y == 1 && threadIdx.x < 32)
		SYNC(7, 64); // @one_block
	p[threadIdx.x] = 1;
}

static void run_case()
{
	CASE(two) two<<<2, 64>>>(ints(64, 0));
	CASE(count) count<<<2, 64>>>(ints(64, 0));
	CASE(ended) ended<<<2, 96>>>(ints(96, 0));
	CASE(left) left<<<2, 96>>>(ints(96, 0));
	CASE(partner) partner<<<2, 128>>>(ints(128, 0));
	CASE(counts) counts<<<2, 64>>>(ints(64, 0));
	CASE(parted) parted<<<2, 64>>>(ints(64, 0));
	CASE(round) round<<<1, 64>>>(ints(80, 0), 80);
	CASE(number) number<<<1, 64>>>(ints(2, 16));
	CASE(one_block) one_block<<<dim3(5, 2), 64>>>(ints(64, 0));
}
