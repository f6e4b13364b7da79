// Protects cuda_runtime.h's macros and the flags of sluice cc that Debian's libcu++ depends on. Tests cuda::atomic of
// each scope on device and host, atomic_ref, limits, and cooperative groups with atomics.
#include "../check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>

namespace cg = cooperative_groups;

enum { BLOCKS = 4, THREADS = 64 };

struct results {
	cuda::atomic<int, cuda::thread_scope_device> count;
	cuda::std::atomic<unsigned> ors;
	unsigned long long mixed;
	int in_block[BLOCKS], exchanged[2], before[THREADS], largest;
};

static __global__ void work(results *r)
{
	__shared__ cuda::atomic<int, cuda::thread_scope_block> sum, place;
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
	unsigned i = block.thread_rank(), all = blockIdx.x * THREADS + i;
	if (i == 0) {
		new (&sum) cuda::atomic<int, cuda::thread_scope_block>(0);
		new (&place) cuda::atomic<int, cuda::thread_scope_block>(100);
	}
	block.sync();
	r->count.fetch_add(2);
	r->ors.fetch_or(all * 3);
	cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(r->mixed).fetch_xor(1ull << all % 61,
	                                                                                    cuda::memory_order_relaxed);
	cg::reduce_update_async(tile, sum, (int)all, cg::plus<int>());
	if (i < 32)
		r->before[i] = cg::exclusive_scan_update(tile, place, (int)i, cg::plus<int>());
	block.sync();
	r->in_block[blockIdx.x] = sum.load();
	if (all == 0) {
		cuda::std::atomic<int> own(7);
		int expected = 7;
		r->exchanged[0] = own.compare_exchange_strong(expected, 8);
		r->exchanged[1] = own.load(cuda::std::memory_order_acquire);
		r->largest = cuda::std::numeric_limits<int>::max();
	}
}

int main()
{
	results *device, *got = (results *)malloc(sizeof *got);
	SUCCEEDS(cudaMalloc(&device, sizeof *device));
	SUCCEEDS(cudaMemset((void *)device, 0, sizeof *device));
	work<<<BLOCKS, THREADS>>>(device);
	SUCCEEDS(cudaMemcpy((void *)got, device, sizeof *got, cudaMemcpyDeviceToHost));
	unsigned long long mixed = 0;
	unsigned ors = 0;
	int sums[BLOCKS] = {};
	for (int all = 0; all < BLOCKS * THREADS; all++) {
		mixed ^= 1ull << all % 61;
		ors |= (unsigned)all * 3;
		sums[all / THREADS] += all;
	}
	CHECK(got->count.load() == 2 * BLOCKS * THREADS && got->ors.load() == ors && got->mixed == mixed);
	CHECK(memcmp(sums, got->in_block, sizeof sums) == 0);
	CHECK(got->exchanged[0] == 1 && got->exchanged[1] == 8 && got->largest == 0x7fffffff);
	for (int i = 0; i < 32; i++)
		CHECK(got->before[i] == 100 + i * (i - 1) / 2);
	cuda::atomic<int> here(3);
	here++;
	CHECK(here.fetch_sub(1) == 4 && here.load() == 3);
	free(got);
	return finish();
}
