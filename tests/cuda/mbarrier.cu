// Protects the timing of simt/exec_mbarrier.c: barriers in shared memory (mbarrier). Two warps write tiles and two read
// them, phase after phase, also with the arrivals of asynchronous copies. Nothing stalls, and every value read was
// written.
#include "check.h"

enum { TILE = 64, TILES = 20, BLOCKS = 40 };

static __device__ unsigned shared_address(const void *p)
{
	unsigned address;
	asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(address) : "l"(p));
	return address;
}

static __device__ void init(unsigned long long *bar, unsigned count)
{
	asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}

static __device__ void arrive(unsigned long long *bar)
{
	asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(shared_address(bar)) : "memory");
}

static __device__ void wait(unsigned long long *bar, unsigned parity)
{
	unsigned over;
	do
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
		             : "=r"(over)
		             : "r"(shared_address(bar)), "r"(parity)
		             : "memory");
	while (!over);
}

// Threads 0 to 63 copy tile after tile into two alternating buffers; threads 64 to 127 add them up.
__global__ void hand_on(const int *in, int *out)
{
	__shared__ int tile[2][TILE];
	__shared__ unsigned long long full[2], empty[2];
	if (threadIdx.x < 2) {
		init(&full[threadIdx.x], TILE);
		init(&empty[threadIdx.x], TILE);
	}
	__syncthreads();
	int me = threadIdx.x % TILE, sum = 0;
	const int *own = in + blockIdx.x * TILE * TILES;
	for (int t = 0; t < TILES; t++) {
		int place = t % 2, round = t / 2;
		if (threadIdx.x < TILE) {
			wait(&empty[place], round % 2 ^ 1);
			asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&tile[place][me])),
			             "l"(own + t * TILE + me)
			             : "memory");
			asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&full[place])) : "memory");
		} else {
			wait(&full[place], round % 2);
			sum = sum * 3 + tile[place][(me + t) % TILE];
			arrive(&empty[place]);
		}
	}
	if (threadIdx.x >= TILE)
		out[blockIdx.x * TILE + me] = sum;
}

int main()
{
	static int in[BLOCKS * TILE * TILES], out[BLOCKS * TILE];
	int *on_in, *on_out;
	for (int i = 0; i < BLOCKS * TILE * TILES; i++)
		in[i] = i * 7919 % 1000;
	SUCCEEDS(cudaMalloc(&on_in, sizeof in));
	SUCCEEDS(cudaMalloc(&on_out, sizeof out));
	SUCCEEDS(cudaMemcpy(on_in, in, sizeof in, cudaMemcpyHostToDevice));
	hand_on<<<BLOCKS, 2 * TILE>>>(on_in, on_out);
	SUCCEEDS(cudaMemcpy(out, on_out, sizeof out, cudaMemcpyDeviceToHost));
	for (int b = 0; b < BLOCKS; b++)
		for (int me = 0; me < TILE; me++) {
			unsigned sum = 0;
			for (int t = 0; t < TILES; t++)
				sum = sum * 3 + in[b * TILE * TILES + t * TILE + (me + t) % TILE];
			CHECK((unsigned)out[b * TILE + me] == sum);
		}
	return finish();
}
