// Protects --check race: races on shared memory. Each pair of lines is reported once, and results do not change.
#include "cases.h"

#define SYNC(number, threads) asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory")
#define ARRIVE(number, threads) asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory")

//: no_barrier: check race
//| kernel '_Z10no_barrierPi': race on shared memory: two warps that nothing orders
//| write at device code:
//| races.cu:@nb_write), thread (
//| read at device code:
//| races.cu:@nb_read), thread (
//| block (0,0,0), shared address 0x
//| , 4 bytes, 's' + 
//| times in this launch
__global__ void no_barrier(int *out)
{
	volatile __shared__ int s[64];
	int t = threadIdx.x;
	s[t] = t;			// @nb_write
	out[t] = s[63 - t]; // @nb_read
}

//: plain: check race
//| races.cu:@plain_write)
//| races.cu:@plain_read)
//| 's' + 
__global__ void plain(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = t;			// @plain_write
	out[t] = s[t ^ 32]; // @plain_read
}

// Two warps write different values.
//: two_writes: check race
//| write at device code:
//| races.cu:@ww)
//| shared address 0x0, 4 bytes, 'last' + 0
//| 1 times in this launch
__global__ void two_writes(int *out)
{
	__shared__ int last;
	if (threadIdx.x % 32 == 0)
		last = threadIdx.x; // @ww
	__syncthreads();
	out[threadIdx.x] = last;
}

// The tile is overwritten before all have read it: the loop ends without a barrier.
//: tile: check race
//| races.cu:@tile_write)
//| races.cu:@tile_read)
__global__ void tile(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x, sum = 0;
	for (int i = 0; i < 8; i++) {
		s[t] = i + t; // @tile_write
		__syncthreads();
		sum += s[63 - t]; // @tile_read
	}
	out[t] = sum;
}

// The last 64 values are summed as if 64 threads were one warp.
//: wide_warp: check race
//| races.cu:@wide)
__global__ void wide_warp(int *out)
{
	volatile __shared__ int s[128];
	int t = threadIdx.x;
	s[t] = t;
	__syncthreads();
	if (t < 64) {
		s[t] += s[t + 64];
		s[t] += s[t + 32]; // @wide
	}
	__syncthreads();
	out[t] = s[t];
}

//: count_read: check race
//| atomic at device code:
//| read at device code:
//| races.cu:@count_read)
//| 'count' + 0
__global__ void count_read(int *out)
{
	__shared__ int count;
	if (threadIdx.x == 0)
		count = 0;
	__syncthreads();
	atomicAdd(&count, 1);
	out[threadIdx.x] = count; // @count_read
}

// A counter is cleared while other threads already count.
//: count_clear: check race
//| write at device code:
//| races.cu:@count_clear)
//| atomic at device code:
__global__ void count_clear(int *out)
{
	__shared__ int count;
	if (threadIdx.x == 0)
		count = 0; // @count_clear
	atomicAdd(&count, 1);
	__syncthreads();
	out[threadIdx.x] = count;
}

// Only one warp executes this barrier.
//: warp_barrier: check race
//| races.cu:@wb_write)
//| races.cu:@wb_read)
__global__ void warp_barrier(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = t; // @wb_write
	__syncwarp();
	out[t] = s[t ^ 32]; // @wb_read
}

// A write after the arrival is not visible to waiting threads.
//: late: check race
//| races.cu:@late_write)
//| races.cu:@late_read)
//| thread (64,0,0)
__global__ void late(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	if (t < 64) {
		s[t] = t;
		ARRIVE(1, 96);
		s[t] = t + 1; // @late_write
	} else {
		SYNC(1, 96);
		out[t] = s[t - 64]; // @late_read
	}
}

// The producer refills the buffer without waiting until it is empty.
//: refill: check race
//| races.cu:@refill_write)
//| races.cu:@refill_read)
__global__ void refill(int *out)
{
	__shared__ int s[32];
	int t = threadIdx.x % 32, sum = 0;
	for (int i = 0; i < 4; i++) {
		if (threadIdx.x < 32)
			s[t] = i; // @refill_write
		SYNC(1, 64);
		if (threadIdx.x >= 32)
			sum += s[t ^ 1]; // @refill_read
	}
	out[threadIdx.x] = sum;
}

// Three warps: two use barrier 1 and two use barrier 2, in an order that does not pass on the first warp's write.
//: chain: check race
//| races.cu:@chain_write)
//| races.cu:@chain_read)
//| thread (64,0,0)
__global__ void chain(int *out)
{
	__shared__ int s;
	int warp = threadIdx.x / 32;
	if (threadIdx.x == 0)
		s = 7; // @chain_write
	if (warp > 0)
		SYNC(2, 64);
	if (warp < 2)
		SYNC(1, 64);
	if (threadIdx.x == 64)
		out[0] = s; // @chain_read
}

extern __shared__ float room[];

//: dynamic: check race
//| races.cu:@dynamic)
//| , 'room' + 
__global__ void dynamic(float *out)
{
	int t = threadIdx.x;
	room[t] = t;
	__syncthreads();
	if (t < 63)
		room[t] = room[t + 1] * 2; // @dynamic
	__syncthreads();
	out[t] = room[t];
}

// A flag without a fence: the value may not be visible yet.
//: flag: check race 2
//| races.cu:@flag_write)
//| races.cu:@flag_read)
//| 'value' + 0
//| 'ready' + 0
__global__ void flag(int *out)
{
	volatile __shared__ int ready;
	__shared__ int value;
	if (threadIdx.x == 0)
		ready = 0;
	__syncthreads();
	if (threadIdx.x == 0) {
		value = 5; // @flag_write
		asm volatile("" ::: "memory");
		ready = 1;
	}
	if (threadIdx.x == 32) {
		while (!ready)
			;
		asm volatile("" ::: "memory");
		out[0] = value; // @flag_read
	}
}

// A lock without fences orders nothing.
//: lock: check race 2
//| races.cu:@lock)
//| 'total' + 0
__global__ void lock(int *out)
{
	__shared__ int taken, total;
	if (threadIdx.x == 0)
		taken = total = 0;
	__syncthreads();
	if (threadIdx.x % 32 == 0) {
		while (atomicCAS(&taken, 0, 1))
			;
		total += threadIdx.x + 1; // @lock
		atomicExch(&taken, 0);
	}
	__syncthreads();
	out[threadIdx.x] = total;
}

// A byte of a word that another warp reads as a whole.
//: byte: check race
//| races.cu:@byte_write)
//| races.cu:@byte_read)
//| 's' + 
__global__ void byte(int *out)
{
	__shared__ int s[32];
	int t = threadIdx.x;
	if (t < 32)
		s[t] = t;
	__syncthreads();
	if (t < 32)
		((char *)s)[4 * t + 2] = 1; // @byte_write
	else
		out[t] = s[t - 32]; // @byte_read
}

__device__ __noinline__ void put(int *to, int value)
{
	*to = value; // @put
}
__device__ __noinline__ int get(const int *from)
{
	return *from; // @get
}

//: generic: check race
//| races.cu:@put)
//| races.cu:@get)
//| 's' + 
__global__ void generic(int *out)
{
	__shared__ int s[64];
	put(s + threadIdx.x, threadIdx.x);
	put(out + threadIdx.x, get(s + 63 - threadIdx.x));
}

// Later blocks, also on the same SM; the first block that has the race is reported.
//: some_blocks: check race
//| races.cu:@some_write)
//| block (1,1,0)
//| 160 times in this launch
__global__ void some_blocks(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = t;
	__syncthreads();
	if (blockIdx.y == 1 && blockIdx.x % 2)
		s[t ^ 32] = t; // @some_write
	if (t < 32)
		out[t] = s[t];
}

// Each launch has the race; it is reported once.
//: launches: check race
//| kernel '_Z10two_writesPi'
//| 1 times in this launch

//: both: check race,init 2
//| races.cu:@both_write)
//| races.cu:@both_read)
//| read of device memory that nobody wrote
//| 'both' + 
__global__ void both(int *out, const int *in)
{
	__shared__ int both[64];
	int t = threadIdx.x;
	both[t] = in[t]; // @both_write
	out[t] = both[t ^ 32]; // @both_read
}

static void run_case()
{
	int *out = ints(256, 0), *unwritten;
	cudaMalloc(&unwritten, 256);
	CASE(no_barrier) no_barrier<<<1, 64>>>(out);
	CASE(plain) plain<<<1, 64>>>(out);
	CASE(two_writes) two_writes<<<1, 64>>>(out);
	CASE(tile) tile<<<2, 64>>>(out);
	CASE(wide_warp) wide_warp<<<1, 128>>>(out);
	CASE(count_read) count_read<<<1, 128>>>(out);
	CASE(count_clear) count_clear<<<1, 128>>>(out);
	CASE(warp_barrier) warp_barrier<<<1, 64>>>(out);
	CASE(late) late<<<1, 96>>>(out);
	CASE(refill) refill<<<1, 64>>>(out);
	CASE(chain) chain<<<1, 96>>>(out);
	CASE(dynamic) dynamic<<<1, 64, 256>>>((float *)out);
	CASE(flag) flag<<<1, 64>>>(out);
	CASE(lock) lock<<<1, 96>>>(out);
	CASE(byte) byte<<<1, 64>>>(out);
	CASE(generic) generic<<<1, 64>>>(out);
	CASE(some_blocks) some_blocks<<<dim3(10, 3), 64>>>(out);
	CASE(launches)
	for (int i = 0; i < 3; i++)
		two_writes<<<1, 64>>>(out);
	CASE(both) both<<<1, 64>>>(out, unwritten);
}
