// Protects --check warp-race: races between threads of one warp. Each pair of lines is reported once.
#include "cases.h"

// One instruction, two values.
//: last_wins: check warp-race
//| kernel '_Z9last_winsPi': race on shared memory: two threads of a warp that nothing orders
//| write at device code:
//| warp_races.cu:@last), thread (
//| shared address 0x0, 4 bytes, 'last' + 0
__global__ void last_wins(int *out)
{
	__shared__ int last;
	last = threadIdx.x; // @last
	__syncthreads();
	out[threadIdx.x] = last;
}

//: global_wins: check warp-race
//| race on global memory: two threads of a warp that nothing orders
//| block (0,0,0), address 0x
//| allocation: 0x
__global__ void global_wins(int *out)
{
	out[threadIdx.x / 2] = threadIdx.x;
}

//: bytes: check warp-race
//| 1 bytes, 's' +
__global__ void bytes(char *out)
{
	__shared__ char s[32];
	s[threadIdx.x % 31] = threadIdx.x;
	__syncwarp();
	out[threadIdx.x] = s[threadIdx.x];
}

// A reduction from the time when warps ran in lockstep.
//: in_step: check warp-race
//| read at device code:
//| write at device code:
//| warp_races.cu:@in_step)
__global__ void in_step(int *out)
{
	volatile __shared__ int s[64];
	s[threadIdx.x] = s[threadIdx.x + 32] = threadIdx.x;
	__syncthreads();
	s[threadIdx.x] += s[threadIdx.x + 1]; // @in_step
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x];
}

// The mask omits the lanes that wait for the value.
//: half_synced: check warp-race
__global__ void half_synced(int *out)
{
	__shared__ int s[32];
	s[threadIdx.x] = threadIdx.x;
	__syncwarp(threadIdx.x < 16 ? 0xffff : 0xffff0000);
	out[threadIdx.x] = s[threadIdx.x ^ 16];
}

//: mixed: check warp-race
//| atomic at device code:
__global__ void mixed(int *out)
{
	__shared__ int n;
	n = 0;
	__syncwarp();
	if (threadIdx.x < 4)
		atomicAdd(&n, 1);
	if (threadIdx.x == 8)
		out[0] = n;
}

//: synced: right warp-race,race
__global__ void synced(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = t;
	__syncthreads();
	for (int k = 16; k; k /= 2) {
		int other = t % 32 < k ? s[t + k] : 0;
		__syncwarp();
		s[t] += other;
		__syncwarp();
	}
	int sum = __shfl_sync(0xffffffff, s[t], 0);
	out[t] = sum;
}

//: shuffled: right warp-race
__global__ void shuffled(int *out)
{
	__shared__ int s[32];
	s[threadIdx.x] = threadIdx.x;
	__shfl_sync(0xffffffff, threadIdx.x, 0);
	out[threadIdx.x] = s[threadIdx.x ^ 1];
}

//: same_value: right warp-race,global-race
__global__ void same_value(int *out)
{
	__shared__ bool found;
	found = false;
	__syncthreads();
	if (threadIdx.x % 3 == 0)
		found = true;
	__syncthreads();
	out[64] = 7;
	out[threadIdx.x] = found;
}

//: counted: right warp-race
__global__ void counted(int *out)
{
	__shared__ int n[4];
	n[threadIdx.x % 4] = 0;
	__syncthreads();
	atomicAdd(&n[threadIdx.x % 4], 1);
	__syncthreads();
	out[threadIdx.x] = n[threadIdx.x % 4];
}

//: own: right warp-race
__global__ void own(int *out)
{
	__shared__ char s[64];
	for (int i = 0; i < 4; i++) {
		s[threadIdx.x] = s[threadIdx.x] + i;
		out[threadIdx.x] += s[threadIdx.x];
	}
}

//: other_warp: right warp-race
__global__ void other_warp(int *out)
{
	__shared__ int s;
	if (threadIdx.x % 32 == 0)
		s = threadIdx.x;
	out[threadIdx.x] = threadIdx.x;
}

__device__ int lock;

//: locked: right warp-race
__global__ void locked(int *out)
{
	bool done = false;
	while (!done)
		if (atomicCAS(&lock, 0, 1) == 0) {
			__threadfence();
			out[0] += threadIdx.x;
			__threadfence();
			atomicExch(&lock, 0);
			done = true;
		}
}

// Each lane waits for the previous lane.
//: handed_on: right warp-race
__global__ void handed_on(int *out)
{
	__shared__ volatile int flag[32], value[32];
	flag[threadIdx.x] = 0;
	__syncwarp();
	if (threadIdx.x)
		while (!flag[threadIdx.x - 1])
			continue;
	value[threadIdx.x] = threadIdx.x ? value[threadIdx.x - 1] + 1 : 5;
	__threadfence_block();
	flag[threadIdx.x] = 1;
	__syncwarp();
	out[threadIdx.x] = value[threadIdx.x ^ 1];
}

// An mbarrier orders lanes that arrive and wait at it.
//: by_mbarrier: right warp-race
__global__ void by_mbarrier(int *out)
{
	__shared__ unsigned long long bar;
	__shared__ int word;
	unsigned at = (unsigned)__cvta_generic_to_shared(&bar), over;
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
	__syncwarp();
	if (threadIdx.x == 0) {
		word = 5;
		asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
	}
	do
		asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
		             : "=r"(over)
		             : "r"(at)
		             : "memory");
	while (!over);
	out[threadIdx.x] = word;
}

// Half of the lanes read shared memory, the others global memory, by one pointer.
//: by_pointer: check warp-race
//| race on shared memory: two threads of a warp that nothing orders
//| warp_races.cu:@by_pointer_write), thread (
//| warp_races.cu:@by_pointer_read), thread (
//| shared address 0x
__global__ void by_pointer(int *out)
{
	__shared__ int s[32];
	s[threadIdx.x] = threadIdx.x; // @by_pointer_write
	int *place = threadIdx.x < 16 ? &s[threadIdx.x ^ 1] : &out[threadIdx.x + 64];
	asm volatile("" : "+l"(place));
	out[threadIdx.x] = *place; // @by_pointer_read
}

// A plain store between the fence and the flag may become visible after the flag.
//: late_flag: check warp-race
//| warp_races.cu:@late_write), thread (
//| warp_races.cu:@late_read), thread (
__global__ void late_flag(int *out)
{
	__shared__ int value[32];
	__shared__ volatile int flag[32];
	__threadfence_block();
	value[threadIdx.x] = threadIdx.x;
	asm volatile("" ::"l"(value) : "memory"); // keeps the compiler from removing the store
	flag[threadIdx.x] = threadIdx.x; // @late_write
	out[threadIdx.x] = flag[threadIdx.x ^ 1]; // @late_read
}

// Only a volatile store is between the fence and the flag.
//: flag_in_time: right warp-race
__global__ void flag_in_time(int *out)
{
	__shared__ volatile int other[32], flag[32];
	__threadfence_block();
	other[threadIdx.x] = threadIdx.x;
	flag[threadIdx.x] = 1;
	out[threadIdx.x] = flag[threadIdx.x ^ 1];
}

// The message names both lines of a race on global memory.
//: global_pair: check warp-race
//| race on global memory: two threads of a warp that nothing orders
//| write at device code:
//| warp_races.cu:@pair_write), thread (
//| read at device code:
//| warp_races.cu:@pair_read), thread (
__global__ void global_pair(int *out)
{
	out[threadIdx.x] = threadIdx.x; // @pair_write
	int read = out[threadIdx.x ^ 1]; // @pair_read
	out[threadIdx.x + 64] = read;
}

static void run_case()
{
	int *out = ints(128, 0);
	CASE(last_wins) last_wins<<<1, 32>>>(out);
	CASE(global_wins) global_wins<<<1, 32>>>(out);
	CASE(bytes) bytes<<<1, 32>>>((char *)out);
	CASE(in_step) in_step<<<1, 32>>>(out);
	CASE(half_synced) half_synced<<<1, 32>>>(out);
	CASE(mixed) mixed<<<1, 32>>>(out);
	CASE(synced) synced<<<1, 64>>>(out);
	CASE(shuffled) shuffled<<<1, 32>>>(out);
	CASE(same_value) same_value<<<2, 64>>>(out);
	CASE(counted) counted<<<1, 64>>>(out);
	CASE(own) own<<<1, 64>>>(out);
	CASE(locked) locked<<<1, 64>>>(out);
	CASE(handed_on) handed_on<<<1, 32>>>(out);
	CASE(by_mbarrier) by_mbarrier<<<1, 32>>>(out);
	CASE(by_pointer) by_pointer<<<1, 32>>>(out);
	CASE(late_flag) late_flag<<<1, 32>>>(out);
	CASE(flag_in_time) flag_in_time<<<1, 32>>>(out);
	CASE(global_pair) global_pair<<<1, 32>>>(out);
	CASE(other_warp) other_warp<<<1, 64>>>(out);
}
