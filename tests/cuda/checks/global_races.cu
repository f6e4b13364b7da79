// Protects --check global-race: races on global memory, within and between blocks. Each pair of lines is reported once.
#include "cases.h"

//: neighbors: check global-race
//| kernel '_Z9neighborsPii': race on global memory: two warps that nothing orders
//| read at device code:
//| global_races.cu:@near_read), thread (
//| write at device code:
//| global_races.cu:@near_write), thread (
//| blocks (
//| , 4 bytes
//| times in this launch
__global__ void neighbors(int *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int left = a[(i + n - 1) % n]; // @near_read
	a[i] = left + i;			   // @near_write
}

// Two warps of one block, without the barrier.
//: within: check global-race
//| global_races.cu:@within_write)
//| global_races.cu:@within_read)
//| blocks (1,0,0) and (1,0,0), address 0x
__global__ void within(int *a, int *out)
{
	if (blockIdx.x != 1)
		return;
	a[threadIdx.x] = threadIdx.x;		   // @within_write
	out[threadIdx.x] = a[63 - threadIdx.x]; // @within_read
}

// ... and with it. Adjacent chars; one value by all; atomics; reads by all of data that one thread does not change.
//: fine: right global-race
__global__ void fine(int *a, int *out, char *chars, int *found, int *count, const int *table)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	a[i] = threadIdx.x;
	__syncthreads();
	out[i] = a[blockIdx.x * blockDim.x + 63 - threadIdx.x] + table[threadIdx.x % 8];
	chars[i] = (char)i;
	if (threadIdx.x < 33) // two blocks share these words
		chars[512 + blockIdx.x * 33 + threadIdx.x] = (char)i;
	*found = 1;
	atomicAdd(&count[i % 5], 1);
}

// Words, and single bytes of them.
//: bytes: check global-race
//| write at device code:
//| read at device code:
//| thread (16,0,0)
__global__ void bytes(int *a, char *out)
{
	if (threadIdx.x < 32)
		a[threadIdx.x] = threadIdx.x;
	else if (threadIdx.x == 32)
		out[0] = ((volatile char *)a)[64];
}

// Each pair of lanes counts once, whatever its number of words. The message names blocks by their grid position.
//: wide: check global-race
//| 64 times in this launch
//| blocks (1,2,0) and (1,2,0), address 0x
//| , 8 bytes
__global__ void wide(long long *a, long long *out)
{
	if (blockIdx.x != 1 || blockIdx.y != 2)
		return;
	a[threadIdx.x] = threadIdx.x;
	out[threadIdx.x] = a[63 - threadIdx.x];
}

// A volatile read after a plain read does not hide the plain read from an atomic.
//: plain_read: check global-race
//| global_races.cu:@plain_read)
//| global_races.cu:@atomic)
__global__ void plain_read(int *a, int *out)
{
	if (threadIdx.x == 0) {
		out[0] = *a; // @plain_read
		out[1] = *(volatile int *)a;
	} else if (threadIdx.x == 32) {
		atomicAdd(a, 1); // @atomic
	}
}

__device__ unsigned ticket;
__device__ int partial[64];

// The last block to arrive reads the data of all others.
template <bool FENCED, bool ATOMIC> __device__ void reduce(const int *in, int *out)
{
	__shared__ bool last;
	if (threadIdx.x == 0) {
		partial[blockIdx.x] = in[blockIdx.x]; // @partial
		if (FENCED)
			__threadfence();
		last = (ATOMIC ? atomicInc(&ticket, gridDim.x - 1) : in[blockIdx.x] * 0u + blockIdx.x) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x < gridDim.x)
		out[threadIdx.x] = partial[threadIdx.x]; // @collect
}

//: last: right global-race
__global__ void last(const int *in, int *out) { reduce<true, true>(in, out); }

//: unfenced: check global-race
//| global_races.cu:@partial)
//| global_races.cu:@collect)
__global__ void unfenced(const int *in, int *out) { reduce<false, true>(in, out); }

//: uncounted: check global-race
//| global_races.cu:@partial)
//| global_races.cu:@collect)
__global__ void uncounted(const int *in, int *out) { reduce<true, false>(in, out); }

// All threads write and fence. After the barrier one thread publishes the data of all.
//: of_all: right global-race
__global__ void of_all(int *data, int *out)
{
	__shared__ bool last;
	data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
	__syncthreads();
	if (last)
		for (int b = 0; b < (int)gridDim.x; b++)
			out[threadIdx.x] += data[b * blockDim.x + 63 - threadIdx.x];
}

// One warp does not fence: only its write is reported.
//: all_but_one: check global-race
//| global_races.cu:@but_one)
//| global_races.cu:@but_collect)
//| , thread (63,0,0)
__global__ void all_but_one(int *data, int *out)
{
	__shared__ bool last;
	data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; // @but_one
	if (threadIdx.x < 32)
		__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
	__syncthreads();
	if (last && threadIdx.x == 63)
		for (int b = 0; b < (int)gridDim.x; b++)
			out[b] = data[b * blockDim.x + 63]; // @but_collect
}

// Passed on from block to block by flags: the last block reads the first one's data.
//: chain: right global-race
__global__ void chain(int *data, volatile int *flag, int *out)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x)
		while (!flag[blockIdx.x - 1])
			;
	else
		*data = 7;
	if (blockIdx.x + 1 == gridDim.x)
		*out = *data;
	__threadfence();
	flag[blockIdx.x] = 1;
}

// The second block synchronizes with the first. The third block, which may run in place of the second, does not.
//: hearsay: check global-race
//| global_races.cu:@said)
//| global_races.cu:@unheard)
//| blocks (0,0,0) and (2,0,0)
__global__ void hearsay(int *data, int *count, int *out)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		*data = 7; // @said
		__threadfence();
	}
	if (blockIdx.x < 2)
		atomicAdd(count, 1);
	if (blockIdx.x == 2)
		*out = *data; // @unheard
}

// One warp synchronizes, another reaches the barrier before or after it: then the whole block is ordered.
//: barrier: right global-race
__global__ void barrier(int *data, int *count, int *out)
{
	if (threadIdx.x == 32 && blockIdx.x == 0) {
		*data = 7;
		__threadfence();
	}
	if (threadIdx.x == 32)
		while (atomicAdd(count, blockIdx.x == 0) == 0)
			;
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		out[blockIdx.x * 3 + threadIdx.x / 32] = *data;
}

// Memory freed by one block may be allocated by another.
//: heap: right global-race
__global__ void heap(int *out)
{
	if (threadIdx.x)
		return;
	for (int i = 0; i < 3; i++) {
		int *mine = (int *)malloc(64);
		for (int k = 0; k < 16; k++)
			((volatile int *)mine)[k] = blockIdx.x + k;
		out[blockIdx.x] += ((volatile int *)mine)[i];
		free(mine);
	}
}

static __device__ int load_acquire(const int *p)
{
	int value;
	asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
	return value;
}

static __device__ void store_release(int *p, int value)
{
	asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

static __device__ void store_relaxed(int *p, int value)
{
	asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

// A releasing store needs no fence; a relaxed store does.
template <bool RELEASES> __device__ void hand_on(int *data, int *flag)
{
	if (blockIdx.x)
		while (!load_acquire(&flag[blockIdx.x - 1]))
			;
	data[0] += 1;
	__syncwarp();
	if (threadIdx.x == 0)
		RELEASES ? store_release(&flag[blockIdx.x], 1) : store_relaxed(&flag[blockIdx.x], 1);
}

//: released: right global-race
__global__ void released(int *data, int *flag) { hand_on<true>(data, flag); }

//: relaxed: check global-race 2
__global__ void relaxed(int *data, int *flag) { hand_on<false>(data, flag); }

//: release_too_early: check global-race 1
__global__ void release_too_early(int *data, int *flag)
{
	if (blockIdx.x == 0) {
		store_release(flag, 1);
		*data = 7;
	} else {
		while (!load_acquire(flag))
			;
		data[1 + blockIdx.x] = *data;
	}
}

template <bool MBARRIER> __device__ void wait_for(unsigned mbarrier, int *flag)
{
	unsigned over = 0;
	while (!over)
		if (MBARRIER)
			asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
			             : "=r"(over)
			             : "r"(mbarrier)
			             : "memory");
		else
			over = load_acquire(flag);
}

// One warp synchronizes with another block. It passes this on within its block through shared memory, by an mbarrier or
// by a flag. Another warp's writes are passed back in the same way.
template <bool MBARRIER> __device__ void within_and_between(int *data, int *flag)
{
	__shared__ unsigned long long met[2];
	__shared__ int heard, written;
	unsigned at = (unsigned)__cvta_generic_to_shared(met);
	if (threadIdx.x == 0) {
		heard = written = 0;
		asm volatile("mbarrier.init.shared.b64 [%0], 32; mbarrier.init.shared.b64 [%0+8], 32;" ::"r"(at) : "memory");
	}
	__syncthreads();
	if (threadIdx.x < 32) {
		if (blockIdx.x)
			while (!load_acquire(&flag[blockIdx.x - 1]))
				;
		if (MBARRIER)
			asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
		else if (threadIdx.x == 0)
			store_release(&heard, 1);
		wait_for<MBARRIER>(at + 8, &written);
		if (threadIdx.x == 0)
			store_release(&flag[blockIdx.x], 1);
	} else {
		wait_for<MBARRIER>(at, &heard);
		data[threadIdx.x] += blockIdx.x;
		if (MBARRIER)
			asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0+8]; }" ::"r"(at) : "memory");
		__syncwarp();
		if (!MBARRIER && threadIdx.x == 32)
			store_release(&written, 1);
	}
}

//: by_mbarrier: right race,global-race
__global__ void by_mbarrier(int *data, int *flag) { within_and_between<true>(data, flag); }

//: by_flag: right race,global-race
__global__ void by_flag(int *data, int *flag) { within_and_between<false>(data, flag); }

// Flag and value are in one word: no fence is needed, whether its accesses are volatile or relaxed.
template <bool STRONG> __device__ void pack(unsigned long long *word, int *out)
{
	volatile unsigned long long *at = word;
	unsigned long long before = 0;
	if (threadIdx.x)
		return;
	if (STRONG)
		at[blockIdx.x] = 1ull << 32;
	if (blockIdx.x)
		while ((before = STRONG ? at[blockIdx.x - 1] : word[blockIdx.x - 1]) >> 33 == 0 && STRONG)
			;
	at[blockIdx.x] = 2ull << 32 | (unsigned)((unsigned)before + 1);
	out[blockIdx.x] = (unsigned)before;
}

//: packed: right global-race
__global__ void packed(unsigned long long *word, int *out) { pack<true>(word, out); }

//: packed_plain: check global-race
__global__ void packed_plain(unsigned long long *word, int *out) { pack<false>(word, out); }

// A lock, and a lock that some threads do not take.
template <bool ALL> __device__ void guard(int *lock, int *sum)
{
	if (threadIdx.x)
		return;
	bool locks = ALL || blockIdx.x;
	while (locks && atomicCAS(lock, 0, 1))
		;
	*sum += blockIdx.x + 1; // @guarded
	__threadfence();
	if (locks)
		atomicExch(lock, 0);
}

//: locked: right global-race
__global__ void locked(int *lock, int *sum) { guard<true>(lock, sum); }

// One line takes part in pairs of both kinds: with a read and with a write.
//: half_locked: check global-race 2
//| global_races.cu:@guarded)
__global__ void half_locked(int *lock, int *sum) { guard<false>(lock, sum); }

// Consecutive launches are ordered.
//: launches: right global-race
__global__ void launches(int *a, int from)
{
	a[(from + blockIdx.x * blockDim.x + threadIdx.x) % 512] += 1;
}

// This check does not report races on shared memory.
//: shared_alone: right global-race
__global__ void shared_alone(int *out)
{
	__shared__ int s[64];
	s[threadIdx.x] = threadIdx.x;
	out[threadIdx.x] = s[threadIdx.x ^ 32];
}

static void run_case()
{
	int *a = ints(1024, 0), *b = ints(1024, 0), *c = ints(16, 0), *d = ints(16, 0), *e = ints(16, 0);
	CASE(shared_alone) shared_alone<<<1, 64>>>(a);
	CASE(neighbors) neighbors<<<4, 64>>>(a, 256);
	CASE(within) within<<<2, 64>>>(a, b);
	CASE(fine) fine<<<8, 64>>>(a, b, (char *)ints(1024, 0), c, d, e);
	CASE(bytes) bytes<<<1, 64>>>(a, (char *)b);
	CASE(wide) wide<<<dim3(2, 3), 64>>>((long long *)a, (long long *)b);
	CASE(plain_read) plain_read<<<1, 64>>>(c, d);
	CASE(hearsay) hearsay<<<3, 32>>>(c, d, e);
	CASE(barrier) barrier<<<4, 96>>>(c, d, b);
	CASE(heap) heap<<<8, 32>>>(a);
	CASE(last) last<<<32, 64>>>(a, b);
	CASE(unfenced) unfenced<<<32, 64>>>(a, b);
	CASE(uncounted) uncounted<<<32, 64>>>(a, b);
	CASE(of_all) of_all<<<16, 64>>>(a, b);
	CASE(all_but_one) all_but_one<<<16, 64>>>(a, b);
	CASE(chain) chain<<<8, 32>>>(c, a, b);
	CASE(released) released<<<8, 32>>>(c, d);
	CASE(relaxed) relaxed<<<8, 32>>>(c, d);
	CASE(release_too_early) release_too_early<<<2, 32>>>(c, d);
	CASE(packed) packed<<<8, 64>>>((unsigned long long *)a, d);
	CASE(packed_plain) packed_plain<<<8, 64>>>((unsigned long long *)a, d);
	CASE(by_mbarrier) by_mbarrier<<<8, 64>>>(a, d);
	CASE(by_flag) by_flag<<<8, 64>>>(a, d);
	CASE(locked) locked<<<16, 64>>>(c, d);
	CASE(half_locked) half_locked<<<16, 64>>>(c, d);
	CASE(launches) for (int from = 0; from < 512; from += 100) launches<<<8, 64>>>(a, from);
}
