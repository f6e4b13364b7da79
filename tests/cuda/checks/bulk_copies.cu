// Bulk copies and cp.async under the checks (docs/how-to/checks.md): reads of unwritten memory, and races with stores
// and loads. Each mistake has a corrected program next to it.
#include "cases.h"
// Flags: -arch=sm_90

enum { THREADS = 128, BYTES = THREADS * 4 };

static __device__ unsigned shared_address(const void *p)
{
	unsigned address;
	asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(address) : "l"(p));
	return address;
}

static __device__ void begin(unsigned long long *bar)
{
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(bar)) : "memory");
	__syncthreads();
}

static __device__ void expect(unsigned long long *bar, unsigned bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes) : "memory");
}

static __device__ void wait(unsigned long long *bar, unsigned parity)
{
	unsigned over;
	do
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
		             : "=r"(over)
		             : "r"(shared_address(bar)), "r"(parity)
		             : "memory");
	while (!over);
}

// COPY_IN and the others are macros: a finding then names the line of the case.
#define COPY_IN(to, from, bar) \
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" \
	             ::"r"(shared_address(to)), \
	             "l"(from), "r"(BYTES), "r"(shared_address(bar)) \
	             : "memory")
#define COPY_WITHIN(to, from, bar) \
	asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" \
	             ::"r"(shared_address(to)), \
	             "r"(shared_address(from)), "r"(BYTES), "r"(shared_address(bar)) \
	             : "memory")
#define COPY_OUT(to, from) \
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), \
	             "r"(BYTES) \
	             : "memory")
#define REDUCE_OUT(to, from) \
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to), \
	             "r"(shared_address(from)), "r"(BYTES) \
	             : "memory")
#define GROUP_OVER() asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory")
#define COPY_WORD(to, from) \
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from) : "memory")

// --- reads of unwritten memory ---

//: nothing_there: check init
//| read of device memory that nobody wrote
//| cp.async.bulk at device code:
//| bulk_copies.cu:@nothing_there), thread (0,0,0)
//| , 512 bytes
//| allocation: 0x
__global__ void nothing_there(const int *unwritten, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	__shared__ unsigned long long bar;
	begin(&bar);
	if (threadIdx.x == 0) {
		expect(&bar, BYTES);
		COPY_IN(piece, unwritten, &bar); // @nothing_there
	}
	wait(&bar, 0);
	out[threadIdx.x] = piece[threadIdx.x];
}

// The memory is written in part. The copy passes the unwritten part on, and the use of that part is reported.
//: a_part_there: check init,shared-init
//| read of shared memory that nobody wrote
//| bulk_copies.cu:@a_part_there), thread (
__global__ void a_part_there(int *in, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	__shared__ unsigned long long bar;
	in[threadIdx.x / 2] = 1;
	begin(&bar);
	if (threadIdx.x == 0) {
		expect(&bar, BYTES);
		COPY_IN(piece, in, &bar);
	}
	wait(&bar, 0);
	out[threadIdx.x] = piece[threadIdx.x]; // @a_part_there
}

//: written_part: right init,shared-init,race,global-race
__global__ void written_part(int *in, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	__shared__ unsigned long long bar;
	in[threadIdx.x / 2] = 1;
	begin(&bar);
	if (threadIdx.x == 0) {
		expect(&bar, BYTES);
		COPY_IN(piece, in, &bar);
	}
	wait(&bar, 0);
	out[threadIdx.x] = piece[threadIdx.x / 2];
}

//: empty_tile: check shared-init
//| read of shared memory that nobody wrote
//| cp.async.bulk at device code:
//| bulk_copies.cu:@empty_tile), thread (0,0,0)
//| 'piece'
__global__ void empty_tile(const int *, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	if (threadIdx.x == 0) {
		COPY_OUT(out, piece); // @empty_tile
		GROUP_OVER();
	}
}

// Unwritten shared memory stays unwritten in global memory.
//: half_a_tile: check init,shared-init
//| read of device memory that nobody wrote
//| bulk_copies.cu:@half_a_tile), thread (
__global__ void half_a_tile(int *in, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	piece[threadIdx.x / 2] = 1;
	__syncthreads();
	if (threadIdx.x == 0) {
		COPY_OUT(in, piece);
		GROUP_OVER();
	}
	__syncthreads();
	out[threadIdx.x] = ((volatile int *)in)[threadIdx.x]; // @half_a_tile
}

//: empty_within: check shared-init
//| read of shared memory that nobody wrote
//| bulk_copies.cu:@empty_within), thread (0,0,0)
//| 'from'
__global__ void empty_within(const int *, int *out)
{
	__shared__ alignas(16) int from[THREADS];
	__shared__ alignas(16) int to[THREADS];
	__shared__ unsigned long long bar;
	begin(&bar);
	if (threadIdx.x == 0) {
		expect(&bar, BYTES);
		COPY_WITHIN(to, from, &bar); // @empty_within
	}
	wait(&bar, 0);
	out[0] = 1;
}

// A reduction reads its destination.
//: sum_of_nothing: check init
//| read of device memory that nobody wrote
//| cp.reduce.async.bulk at device code:
//| bulk_copies.cu:@sum_of_nothing), thread (0,0,0)
__global__ void sum_of_nothing(int *unwritten, int *)
{
	__shared__ alignas(16) int piece[THREADS];
	piece[threadIdx.x] = 1;
	__syncthreads();
	if (threadIdx.x == 0) {
		REDUCE_OUT(unwritten, piece); // @sum_of_nothing
		GROUP_OVER();
	}
}

//: word_of_nothing: check init
//| read of device memory that nobody wrote
//| bulk_copies.cu:@word_of_nothing), thread (
__global__ void word_of_nothing(const int *unwritten, int *out)
{
	__shared__ int piece[THREADS];
	COPY_WORD(&piece[threadIdx.x], &unwritten[threadIdx.x]); // @word_of_nothing
	asm volatile("cp.async.wait_all;" ::: "memory");
	__syncthreads();
	out[threadIdx.x] = threadIdx.x;
}

// --- races ---

// The copy may begin before the other warps have stored.
//: too_early: check race
//| race on shared memory: two warps that nothing orders
//| write at device code:
//| bulk_copies.cu:@too_early_store), thread (
//| cp.async.bulk at device code:
//| bulk_copies.cu:@too_early_copy), thread (0,0,0)
//| 'piece'
__global__ void too_early(const int *, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	piece[threadIdx.x] = threadIdx.x; // @too_early_store
	if (threadIdx.x == 0) {
		COPY_OUT(out, piece); // @too_early_copy
		GROUP_OVER();
	}
}

//: in_time: right race,global-race,init,shared-init
__global__ void in_time(const int *, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	piece[threadIdx.x] = threadIdx.x;
	__syncthreads();
	if (threadIdx.x == 0) {
		COPY_OUT(out, piece);
		GROUP_OVER();
	}
}

// Other warps read the copied data without a wait.
//: no_wait: check race
//| race on shared memory: two warps that nothing orders
//| cp.async.bulk at device code:
//| bulk_copies.cu:@no_wait_copy), thread (0,0,0)
//| read at device code:
//| bulk_copies.cu:@no_wait_read), thread (
__global__ void no_wait(const int *in, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	__shared__ unsigned long long bar;
	begin(&bar);
	if (threadIdx.x == 0) {
		expect(&bar, BYTES);
		COPY_IN(piece, in, &bar); // @no_wait_copy
		wait(&bar, 0);
	}
	if (threadIdx.x >= 32)
		out[threadIdx.x] = piece[threadIdx.x]; // @no_wait_read
}

//: waited: right race,global-race,init,shared-init
__global__ void waited(const int *in, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	__shared__ unsigned long long bar;
	begin(&bar);
	if (threadIdx.x == 0) {
		expect(&bar, BYTES);
		COPY_IN(piece, in, &bar);
	}
	wait(&bar, 0);
	out[threadIdx.x] = piece[threadIdx.x];
}

// The copy of the next piece is issued while other warps still read this one.
//: next_piece: check race
//| race on shared memory: two warps that nothing orders
//| bulk_copies.cu:@next_piece_copy), thread (0,0,0)
//| bulk_copies.cu:@next_piece_read), thread (
__global__ void next_piece(const int *in, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	__shared__ unsigned long long bar;
	begin(&bar);
	int sum = 0;
	for (int k = 0; k < 2; k++) {
		if (threadIdx.x == 0) {
			expect(&bar, BYTES);
			COPY_IN(piece, in, &bar); // @next_piece_copy
		}
		wait(&bar, k);
		__syncthreads();
		sum += piece[threadIdx.x]; // @next_piece_read
	}
	out[threadIdx.x] = sum;
}

//: each_in_turn: right race,global-race,init,shared-init
__global__ void each_in_turn(const int *in, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	__shared__ unsigned long long bar;
	begin(&bar);
	int sum = 0;
	for (int k = 0; k < 2; k++) {
		if (threadIdx.x == 0) {
			expect(&bar, BYTES);
			COPY_IN(piece, in, &bar);
		}
		wait(&bar, k);
		sum += piece[threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}

//: within_early: check race
//| race on shared memory: two warps that nothing orders
//| bulk_copies.cu:@within_store), thread (
//| bulk_copies.cu:@within_copy), thread (0,0,0)
//| 'from'
__global__ void within_early(const int *, int *out)
{
	__shared__ alignas(16) int from[THREADS];
	__shared__ alignas(16) int to[THREADS];
	__shared__ unsigned long long bar;
	begin(&bar);
	from[threadIdx.x] = threadIdx.x; // @within_store
	if (threadIdx.x == 0) {
		expect(&bar, BYTES);
		COPY_WITHIN(to, from, &bar); // @within_copy
	}
	wait(&bar, 0);
	out[threadIdx.x] = to[threadIdx.x];
}

//: within: right race,shared-init
__global__ void within(const int *, int *out)
{
	__shared__ alignas(16) int from[THREADS];
	__shared__ alignas(16) int to[THREADS];
	__shared__ unsigned long long bar;
	from[threadIdx.x] = threadIdx.x;
	begin(&bar);
	if (threadIdx.x == 0) {
		expect(&bar, BYTES);
		COPY_WITHIN(to, from, &bar);
	}
	wait(&bar, 0);
	out[threadIdx.x] = to[threadIdx.x];
}

// Another warp stores to the source of the copy, in global memory.
//: source_store: check global-race
//| race on global memory: two warps that nothing orders
//| bulk_copies.cu:@source_copy), thread (0,0,0)
//| bulk_copies.cu:@source_store), thread (
__global__ void source_store(int *in, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	__shared__ unsigned long long bar;
	begin(&bar);
	if (threadIdx.x == 0) {
		expect(&bar, BYTES);
		COPY_IN(piece, in, &bar); // @source_copy
	}
	if (threadIdx.x == 64)
		in[5] = 7; // @source_store
	wait(&bar, 0);
	out[threadIdx.x] = piece[threadIdx.x];
}

//: source_behind: right global-race,race
__global__ void source_behind(int *in, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	__shared__ unsigned long long bar;
	begin(&bar);
	if (threadIdx.x == 0) {
		expect(&bar, BYTES);
		COPY_IN(piece, in, &bar);
	}
	wait(&bar, 0);
	if (threadIdx.x == 64)
		in[5] = 7;
	out[threadIdx.x] = piece[threadIdx.x];
}

// Blocks write to the same address: copies race, reductions do not.
//: both_send: check global-race
//| race on global memory: two warps that nothing orders
//| bulk_copies.cu:@both_send), thread (0,0,0)
__global__ void both_send(const int *, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	piece[threadIdx.x] = threadIdx.x + blockIdx.x;
	__syncthreads();
	if (threadIdx.x == 0) {
		COPY_OUT(out, piece); // @both_send
		GROUP_OVER();
	}
}

//: both_add: right global-race,race,init,shared-init
__global__ void both_add(const int *, int *out)
{
	__shared__ alignas(16) int piece[THREADS];
	piece[threadIdx.x] = threadIdx.x + blockIdx.x;
	__syncthreads();
	if (threadIdx.x == 0) {
		REDUCE_OUT(out, piece);
		GROUP_OVER();
	}
}

//: word_no_wait: check race
//| race on shared memory: two warps that nothing orders
//| bulk_copies.cu:@word_copy), thread (
//| bulk_copies.cu:@word_read), thread (
__global__ void word_no_wait(const int *in, int *out)
{
	__shared__ int piece[THREADS];
	COPY_WORD(&piece[threadIdx.x], &in[threadIdx.x]); // @word_copy
	asm volatile("cp.async.wait_all;" ::: "memory");
	out[threadIdx.x] = piece[threadIdx.x ^ 32]; // @word_read
}

#define IN(name, input, blocks) CASE(name) name<<<blocks, THREADS>>>(input, ints(THREADS, 0))

static int *unwritten()
{
	int *device;
	cudaMalloc(&device, BYTES);
	return device;
}

static void run_case()
{
	IN(nothing_there, unwritten(), 1);
	IN(a_part_there, unwritten(), 1);
	IN(written_part, unwritten(), 1);
	IN(empty_tile, unwritten(), 1);
	IN(half_a_tile, unwritten(), 1);
	IN(empty_within, unwritten(), 1);
	IN(sum_of_nothing, unwritten(), 1);
	IN(word_of_nothing, unwritten(), 1);
	IN(too_early, unwritten(), 1);
	IN(in_time, unwritten(), 1);
	IN(no_wait, ints(THREADS, 3), 1);
	IN(waited, ints(THREADS, 3), 2);
	IN(next_piece, ints(THREADS, 3), 1);
	IN(each_in_turn, ints(THREADS, 3), 2);
	IN(within_early, unwritten(), 1);
	IN(within, unwritten(), 1);
	IN(source_store, ints(THREADS, 3), 1);
	IN(source_behind, ints(THREADS, 3), 1);
	IN(both_send, unwritten(), 2);
	IN(both_add, unwritten(), 2);
	IN(word_no_wait, ints(THREADS, 3), 1);
}
