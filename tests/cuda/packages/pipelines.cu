// Protects sluice cc's changes to cuda/pipeline, cp.async and mbarrier below it, and the scheduling of lanes that wait
// for lanes of their warp (simt/polling_lanes.c). Uses Debian's libcu++ for the architecture in TEST_FLAGS: pipelines
// of a block and of a thread, with several stages. Roles are in different warps or in one.
#include "../check.h"
#include <cooperative_groups.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

enum { BATCHES = 9, MOST = 128 };

// Every thread copies, and reads the data that its neighbor copied.
template <int stages> __global__ void staged(int *out, const int *in)
{
	extern __shared__ int tile[];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
	cg::thread_block block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	int size = block.size(), sum = 0;
	for (int b = 0, ahead = 0; b < BATCHES; b++) {
		for (; ahead < BATCHES && ahead < b + stages; ahead++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, tile + ahead % stages * size, in + ahead * size,
			                   cuda::aligned_size_t<16>(size * sizeof(int)), pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		sum = sum * 3 + tile[b % stages * size + (threadIdx.x + 1) % size];
		pipe.consumer_release();
	}
	out[threadIdx.x] = sum;
}

// Each thread has its own pipeline with two copies in flight.
__global__ void own(int *out, const int *in)
{
	extern __shared__ int tile[];
	auto pipe = cuda::make_pipeline();
	int size = blockDim.x, sum = 0;
	for (int b = 0, ahead = 0; b < BATCHES; b++) {
		for (; ahead < BATCHES && ahead < b + 2; ahead++) {
			pipe.producer_acquire();
			cuda::memcpy_async(&tile[ahead % 2 * size + threadIdx.x], &in[ahead * size + threadIdx.x], sizeof(int), pipe);
			pipe.producer_commit();
		}
		if (b + 1 < BATCHES)
			cuda::pipeline_consumer_wait_prior<1>(pipe);
		else
			cuda::pipeline_consumer_wait_prior<0>(pipe);
		__syncthreads();
		sum = sum * 3 + tile[b % 2 * size + (threadIdx.x + 1) % size];
		pipe.consumer_release();
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}

// The lower half of the block copies for the upper half; with 32 threads both are in one warp. The state's type does
// not depend on the template's parameter, which is harder for clang.
template <bool by_count> __global__ void roles(int *out, const int *in)
{
	extern __shared__ int tile[];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	cg::thread_block block = cg::this_thread_block();
	int half = block.size() / 2, me = threadIdx.x % half, sum = 0;
	bool produces = threadIdx.x < half;
	auto pipe = by_count ? cuda::make_pipeline(block, &state, half)
	                     : cuda::make_pipeline(block, &state,
	                                           produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
	for (int b = 0; b < BATCHES; b++)
		if (produces) {
			pipe.producer_acquire();
			cuda::memcpy_async(&tile[b % 2 * half + me], &in[b * half + me], sizeof(int), pipe);
			pipe.producer_commit();
		} else {
			pipe.consumer_wait();
			sum = sum * 3 + tile[b % 2 * half + (me + 1) % half];
			pipe.consumer_release();
		}
	if (!produces)
		out[me] = sum;
}

static int in[BATCHES * MOST], *on_in, *on_out;

static void check(int size)
{
	int out[MOST];
	SUCCEEDS(cudaMemcpy(out, on_out, sizeof out, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaMemset(on_out, 0, sizeof out));
	for (int i = 0; i < size; i++) {
		int sum = 0;
		for (int b = 0; b < BATCHES; b++)
			sum = sum * 3 + in[b * size + (i + 1) % size];
		CHECK(out[i] == sum);
	}
}

int main()
{
	for (int i = 0; i < BATCHES * MOST; i++)
		in[i] = i * 7919 % 1000;
	SUCCEEDS(cudaMalloc(&on_in, sizeof in));
	SUCCEEDS(cudaMalloc(&on_out, MOST * sizeof(int)));
	SUCCEEDS(cudaMemcpy(on_in, in, sizeof in, cudaMemcpyHostToDevice));
	for (int size = 32; size <= MOST; size *= 2) {
		size_t bytes = size * sizeof(int);
		staged<1><<<1, size, bytes>>>(on_out, on_in);
		check(size);
		staged<2><<<1, size, 2 * bytes>>>(on_out, on_in);
		check(size);
		staged<4><<<1, size, 4 * bytes>>>(on_out, on_in);
		check(size);
		own<<<1, size, 2 * bytes>>>(on_out, on_in);
		check(size);
	}
	for (int size = 16; size <= 64; size *= 2)
		for (int by_count = 0; by_count < 2; by_count++) {
			(by_count ? roles<true> : roles<false>)<<<1, 2 * size, 2 * size * sizeof(int)>>>(on_out, on_in);
			check(size);
		}
	return finish();
}
