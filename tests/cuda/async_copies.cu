// Flags: -arch=sm_70
// Protects cuda_pipeline.h, cuda_awbarrier.h and simt/polling_lanes.c below them. Copies of 4, 8 and 16 bytes with zero
// fill, groups of copies, and barriers with arrivals of threads and copies, which threads may leave. Tests the classes
// of both headers, and lanes of a warp with different roles.
#include "check.h"
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

enum { THREADS = 64, STAGES = 3, BATCHES = 10 };

using nvcuda::experimental::awbarrier;

// Two copies are in flight; the last `zeros` bytes of each word are zero.
template <class Word> __global__ void staged(Word *out, const Word *in, size_t zeros)
{
	__shared__ Word tile[STAGES][THREADS];
	for (int b = 0; b < STAGES - 1; b++) {
		__pipeline_memcpy_async(&tile[b][threadIdx.x], &in[b * THREADS + threadIdx.x], sizeof(Word), zeros);
		__pipeline_commit();
	}
	for (int b = 0; b < BATCHES; b++) {
		int ahead = b + STAGES - 1;
		if (ahead < BATCHES)
			__pipeline_memcpy_async(&tile[ahead % STAGES][threadIdx.x], &in[ahead * THREADS + threadIdx.x], sizeof(Word), zeros);
		__pipeline_commit();
		__pipeline_wait_prior(STAGES - 1);
		__syncthreads();
		out[b * THREADS + threadIdx.x] = tile[b % STAGES][(threadIdx.x + b) % THREADS];
		__syncthreads();
	}
}

// In every group of eight lanes, three copy and five read.
__global__ void roles(int *out, const int *in)
{
	enum { WRITERS = THREADS / 8 * 3 };
	__shared__ __mbarrier_t full[2], empty[2];
	__shared__ int tile[2][WRITERS];
	bool writes = threadIdx.x % 8 < 3;
	int me = threadIdx.x / 8 * 3 + threadIdx.x % 8, sum = 0;
	if (threadIdx.x < 2) {
		__mbarrier_init(&full[threadIdx.x], WRITERS);
		__mbarrier_init(&empty[threadIdx.x], THREADS);
	}
	__syncthreads();
	if (!writes)
		for (int k = 0; k < 2; k++)
			(void)__mbarrier_arrive(&empty[k]);
	for (int b = 0; b < BATCHES; b++)
		if (writes) {
			__mbarrier_token_t token = __mbarrier_arrive(&empty[b % 2]);
			while (!__mbarrier_try_wait(&empty[b % 2], token, 100))
				continue;
			__pipeline_memcpy_async(&tile[b % 2][me], &in[b * WRITERS + me], sizeof(int));
			__pipeline_arrive_on(&full[b % 2]);
			(void)__mbarrier_arrive(&full[b % 2]);
		} else {
			while (!__mbarrier_test_wait_parity(&full[b % 2], b / 2 % 2))
				continue;
			sum = sum * 3 + tile[b % 2][(threadIdx.x + b) % WRITERS];
			(void)__mbarrier_arrive(&empty[b % 2]);
		}
	out[threadIdx.x] = sum;
}

// Thread i leaves after i % BATCHES phases. A token states the arrivals that its phase still waited for. Exactly one
// token per phase states 1.
__global__ void leave(int *out)
{
	__shared__ __mbarrier_t bar;
	if (threadIdx.x == 0)
		__mbarrier_init(&bar, blockDim.x);
	__syncthreads();
	int lasts = 0;
	for (int b = 0; b < (int)threadIdx.x % BATCHES; b++) {
		__mbarrier_token_t token = __mbarrier_arrive(&bar);
		lasts += __mbarrier_token_pending_count(token) == 1;
		while (!__mbarrier_test_wait(&bar, token))
			continue;
	}
	lasts += __mbarrier_token_pending_count(__mbarrier_arrive_and_drop(&bar)) == 1;
	out[threadIdx.x] = lasts;
}

struct record {
	double number;
	int words[4];
};

__global__ void classes(record *out, const record *in)
{
	__shared__ awbarrier bar;
	__shared__ record all[THREADS];
	if (threadIdx.x == 0)
		init(&bar, THREADS);
	__syncthreads();
	nvcuda::experimental::pipeline pipe;
	memcpy_async(all[threadIdx.x], in[threadIdx.x], pipe);
	pipe.arrive_on(bar);
	bar.arrive_and_wait();
	record other = all[(threadIdx.x + 33) % THREADS];
	awbarrier::arrival_token token = bar.arrive();
	bar.wait(token);
	memcpy_async(all[threadIdx.x], in[THREADS - 1 - threadIdx.x], pipe);
	pipe.commit();
	pipe.wait_prior<0>();
	other.number += all[threadIdx.x].number;
	out[threadIdx.x] = other;
}

template <class T> static T *to_device(const T *from, size_t count)
{
	T *device;
	SUCCEEDS(cudaMalloc(&device, count * sizeof(T)));
	SUCCEEDS(cudaMemcpy(device, from, count * sizeof(T), cudaMemcpyHostToDevice));
	return device;
}

template <class Word> static void check_staged(size_t zeros)
{
	static unsigned char in[BATCHES * THREADS * sizeof(Word)], got[sizeof in];
	for (size_t i = 0; i < sizeof in; i++)
		in[i] = (unsigned char)(i * 37 + i / 250 + 1);
	Word *on_in = (Word *)to_device(in, sizeof in), *on_out = (Word *)to_device(got, sizeof got);
	staged<<<1, THREADS>>>(on_out, on_in, zeros);
	SUCCEEDS(cudaMemcpy(got, on_out, sizeof got, cudaMemcpyDeviceToHost));
	for (size_t b = 0; b < BATCHES; b++)
		for (size_t i = 0; i < THREADS * sizeof(Word); i++) {
			size_t at = i % sizeof(Word), lane = (i / sizeof(Word) + b) % THREADS;
			unsigned char expected = in[(b * THREADS + lane) * sizeof(Word) + at];
			CHECK(got[b * THREADS * sizeof(Word) + i] == (at < sizeof(Word) - zeros ? expected : 0));
		}
}

static void check_roles()
{
	enum { WRITERS = THREADS / 8 * 3 };
	int in[BATCHES * WRITERS], got[THREADS] = {};
	for (int i = 0; i < BATCHES * WRITERS; i++)
		in[i] = i * 7919 % 1000;
	int *on_out = to_device(got, THREADS);
	roles<<<1, THREADS>>>(on_out, to_device(in, BATCHES * WRITERS));
	SUCCEEDS(cudaMemcpy(got, on_out, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS; i++) {
		int sum = 0;
		for (int b = 0; b < BATCHES && i % 8 >= 3; b++)
			sum = sum * 3 + in[b * WRITERS + (i + b) % WRITERS];
		CHECK(got[i] == sum);
	}
}

static void check_leave()
{
	int got[50] = {}, *on_out = to_device(got, 50), lasts = 0;
	leave<<<1, 50>>>(on_out);
	SUCCEEDS(cudaMemcpy(got, on_out, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 50; i++)
		lasts += got[i];
	CHECK(lasts == BATCHES);
}

static void check_classes()
{
	record in[THREADS], got[THREADS];
	for (int i = 0; i < THREADS; i++)
		in[i] = {i * 1.5, {i, i * 2, i * 3, i * 5}};
	record *on_out = to_device(in, THREADS);
	classes<<<1, THREADS>>>(on_out, to_device(in, THREADS));
	SUCCEEDS(cudaMemcpy(got, on_out, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS; i++) {
		const record &other = in[(i + 33) % THREADS];
		CHECK(memcmp(got[i].words, other.words, sizeof other.words) == 0);
		CHECK(got[i].number == other.number + in[THREADS - 1 - i].number);
	}
}

int main()
{
	check_staged<int>(0);
	check_staged<int>(3);
	check_staged<double>(5);
	check_staged<int4>(0);
	check_staged<int4>(16);
	check_roles();
	check_leave();
	check_classes();
	return finish();
}
