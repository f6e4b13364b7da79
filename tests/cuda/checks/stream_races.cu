// Protects --check global-race between works of streams: what CUDA orders is silent, what nothing orders is found.
#include <cuda_runtime.h>
#include <initializer_list>
#include "cases.h"

enum { N = 64, BYTES = N * 4 };

static __global__ void put(int *x, int value)
{
	x[threadIdx.x] = value + threadIdx.x; // @put
}
static __global__ void get(const int *x, int *y)
{
	y[threadIdx.x] = x[threadIdx.x]; // @get
}
static __global__ void put_bytes(char *x, int first)
{
	x[2 * threadIdx.x + first] = 1 + first;
}
static __global__ void add(int *x)
{
	atomicAdd(&x[threadIdx.x], 1);
}
static __global__ void nothing()
{
}
static __global__ void produce(int *x, int *flag)
{
	x[threadIdx.x] = 5;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		*(volatile int *)flag = 1;
}
static __global__ void consume(const int *x, int *flag, int *y)
{
	if (threadIdx.x == 0)
		while (*(volatile int *)flag == 0)
			;
	__syncthreads();
	y[threadIdx.x] = x[threadIdx.x];
}

static int *x, *y, *z, *pinned;
static cudaStream_t a, b, c, free_a, free_b; // a, b and c wait for the legacy stream
static cudaEvent_t event, other;

static void put_in(cudaStream_t stream, int value = 1)
{
	put<<<1, N, 0, stream>>>(x, value);
}
static void get_in(cudaStream_t stream, int *to = y)
{
	get<<<1, N, 0, stream>>>(x, to);
}
static void host_function(void *)
{
}
static void callback(cudaStream_t, cudaError_t, void *)
{
}

// A graph of a node that writes, and one that reads.
static cudaGraphExec_t graph_of(bool depends)
{
	cudaGraph_t graph;
	cudaGraphExec_t executable;
	cudaGraphNode_t first, second;
	int value = 3;
	void *to_put[] = {&x, &value}, *to_get[] = {&x, &y};
	cudaKernelNodeParams parameters = {};
	parameters.gridDim = 1;
	parameters.blockDim = N;
	cudaGraphCreate(&graph, 0);
	parameters.func = (void *)put;
	parameters.kernelParams = to_put;
	cudaGraphAddKernelNode(&first, graph, NULL, 0, &parameters);
	parameters.func = (void *)get;
	parameters.kernelParams = to_get;
	cudaGraphAddKernelNode(&second, graph, &first, depends, &parameters);
	cudaGraphInstantiate(&executable, graph, NULL, NULL, 0);
	cudaGraphDestroy(graph);
	return executable;
}

//: two_streams: check global-race
//| stream_races.cu:@put), block (0,0,0), thread (0,0,0) by kernel '_ZL3putPii' in stream 1
//| stream_races.cu:@get)
//| event in stream 1
//| 64 times
//: two_writes: check global-race
//: write_after_read: check global-race
//: atomic_and_read: check global-race
//: same_bytes: check global-race
//: copy_to_device: check global-race
//| (stream_races.cu:@copy), in stream 1
//: copy_to_host: check global-race
//| read by cudaMemcpyAsync at 
//: copy_on_device: check global-race
//: big_copies: check global-race
//: fill_and_free_stream: check global-race
//| write by cudaMemset at 
//| in the legacy stream
//: legacy_and_free_stream: check global-race
//: two_free_streams: check global-race
//: per_thread_stream: check global-race
//: event_too_early: check global-race
//: wait_too_late: check global-race
//: event_recorded_again: check global-race
//: wait_for_another_stream: check global-race
//: branches: check global-race
//: graph_and_stream: check global-race
//: release_that_nobody_reads: check global-race
static void unordered()
{
	CASE(two_streams) put_in(a), get_in(b);
	CASE(two_writes) put_in(a), put_in(b, 2);
	CASE(write_after_read) get_in(a), put_in(b);
	CASE(atomic_and_read) add<<<1, N, 0, a>>>(x), get_in(b);
	CASE(same_bytes) put_bytes<<<1, N, 0, a>>>((char *)x, 0), put_bytes<<<1, N, 0, b>>>((char *)x, 2);
	CASE(copy_to_device) {
		cudaMemcpyAsync(x, pinned, BYTES, cudaMemcpyHostToDevice, a); // @copy
		get_in(b);
	}
	CASE(copy_to_host) put_in(a), cudaMemcpyAsync(pinned, x, BYTES, cudaMemcpyDeviceToHost, b);
	CASE(copy_on_device) put_in(a), cudaMemcpyAsync(y, x, BYTES, cudaMemcpyDeviceToDevice, b);
	CASE(big_copies) {
		int *from, *to;
		cudaMalloc(&from, 100000), cudaMalloc(&to, 100000);
		cudaMemset(from, 0, 100000);
		cudaDeviceSynchronize();
		cudaMemcpyAsync(to, from, 100000, cudaMemcpyDeviceToDevice, a);
		put<<<1, N, 0, b>>>(to + 20001, 1);
	}
	CASE(fill_and_free_stream) cudaMemset(x, 1, BYTES), get_in(free_a);
	CASE(legacy_and_free_stream) put_in(0), get_in(free_a);
	CASE(two_free_streams) put_in(free_a), nothing<<<1, 1>>>(), get_in(free_b);
	CASE(per_thread_stream) put_in(cudaStreamPerThread), get_in(a);
	CASE(event_too_early) cudaEventRecord(event, a), put_in(a), cudaStreamWaitEvent(b, event, 0), get_in(b);
	CASE(wait_too_late) put_in(a), cudaEventRecord(event, a), get_in(b), cudaStreamWaitEvent(b, event, 0);
	CASE(event_recorded_again) {
		put_in(a);
		cudaEventRecord(event, a);
		cudaEventRecord(event, c);
		cudaStreamWaitEvent(b, event, 0);
		get_in(b);
	}
	CASE(wait_for_another_stream) put_in(a), cudaStreamSynchronize(c), get_in(b);
	CASE(branches) cudaGraphLaunch(graph_of(false), a);
	CASE(graph_and_stream) {
		cudaGraphExec_t graph = graph_of(true);
		cudaGraphLaunch(graph, a), get_in(b, z);
	}
	CASE(release_that_nobody_reads) produce<<<1, N, 0, a>>>(x, z), get_in(b);
}

//: one_stream: right global-race
//: by_event: right global-race
//: by_two_events: right global-race
//: by_event_in_legacy: right global-race
//: by_stream_wait: right global-race
//: by_stream_query: right global-race
//: by_event_wait: right global-race
//: by_event_query: right global-race
//: by_time: right global-race
//: by_device_wait: right global-race
//: by_legacy_work: right global-race
//: before_legacy: right global-race
//: after_legacy: right global-race
//: by_legacy_event: right global-race
//: by_copy: right global-race
//: by_pageable_copy: right global-race
//: by_free: right global-race
//: by_host_function: right global-race
//: by_callback: right global-race
//: per_thread_and_legacy: right global-race
//: by_dependency: right global-race
//: by_graph: right global-race
//: launches_of_one_graph: right global-race
//: by_capture: right global-race
//: two_reads: right global-race
//: two_atomics: right global-race
//: other_bytes: right global-race
//: equal_values: right global-race
//: by_flag: right global-race
//: after_flag: right global-race
//: other_owner: right global-race
static void ordered_by_works()
{
	CASE(one_stream) put_in(a), get_in(a), put_in(a, 2);
	CASE(by_event) put_in(a), cudaEventRecord(event, a), cudaStreamWaitEvent(b, event, 0), get_in(b);
	CASE(by_two_events) {
		put_in(free_a);
		cudaEventRecord(event, free_a), cudaStreamWaitEvent(c, event, 0);
		cudaEventRecord(other, c), cudaStreamWaitEvent(free_b, other, 0);
		get_in(free_b);
	}
	CASE(by_event_in_legacy) {
		put_in(free_a);
		cudaEventRecord(event, free_a), cudaStreamWaitEvent(0, event, 0);
		get_in(b);
	}
	CASE(by_legacy_work) put_in(a), nothing<<<1, 1>>>(), get_in(b);
	CASE(before_legacy) put_in(a), get_in(0);
	CASE(after_legacy) put_in(0), get_in(a);
	CASE(by_legacy_event) put_in(a), cudaEventRecord(event, 0), cudaStreamWaitEvent(free_b, event, 0), get_in(free_b);
	CASE(per_thread_and_legacy) put_in(cudaStreamPerThread), get_in(0);
	CASE(two_reads) get_in(a, y), get_in(b, z);
	CASE(two_atomics) add<<<1, N, 0, a>>>(x), add<<<1, N, 0, b>>>(x);
	CASE(other_bytes) put_bytes<<<1, N, 0, a>>>((char *)x, 0), put_bytes<<<1, N, 0, b>>>((char *)x, 1);
	CASE(equal_values) put_in(a), put_in(b);
	CASE(by_flag) produce<<<1, N, 0, a>>>(x, z), consume<<<1, N, 0, b>>>(x, z, y);
	CASE(after_flag) produce<<<1, N, 0, a>>>(x, z), consume<<<1, N, 0, b>>>(x, z, y), put_in(b, 9);
}

static void ordered_by_host()
{
	CASE(by_stream_wait) put_in(a), cudaStreamSynchronize(a), get_in(b);
	CASE(by_stream_query) put_in(a), cudaStreamQuery(a), get_in(b);
	CASE(by_event_wait) put_in(a), cudaEventRecord(event, a), cudaEventSynchronize(event), get_in(b);
	CASE(by_event_query) put_in(a), cudaEventRecord(event, a), cudaEventQuery(event), get_in(b);
	CASE(by_time) {
		float time;
		cudaEventRecord(other, a), put_in(a), cudaEventRecord(event, a);
		cudaEventElapsedTime(&time, other, event);
		get_in(b);
	}
	CASE(by_device_wait) put_in(a), cudaDeviceSynchronize(), get_in(b);
	CASE(by_copy) put_in(a), cudaMemcpy(pinned, x, BYTES, cudaMemcpyDeviceToHost), put_in(free_a, 2);
	CASE(by_pageable_copy) {
		int host[N];
		put_in(a), cudaMemcpyAsync(host, x, BYTES, cudaMemcpyDeviceToHost, a), put_in(b, 2);
	}
	CASE(by_free) put_in(a), cudaFree(z), get_in(b);
	CASE(by_host_function) put_in(a), cudaLaunchHostFunc(a, host_function, NULL), get_in(b);
	CASE(by_callback) put_in(a), cudaStreamAddCallback(a, callback, NULL, 0), get_in(b);
	CASE(other_owner) {
		int *mine, *yours;
		cudaMallocAsync((void **)&mine, BYTES, a);
		put<<<1, N, 0, a>>>(mine, 1);
		cudaFreeAsync(mine, a);
		cudaMallocAsync((void **)&yours, BYTES, b);
		put<<<1, N, 0, b>>>(yours, 2);
	}
}

static void ordered_by_graphs()
{
	CASE(by_dependency) cudaGraphLaunch(graph_of(true), a);
	CASE(by_graph) cudaGraphLaunch(graph_of(true), a), put_in(a, 7);
	CASE(launches_of_one_graph) {
		cudaGraphExec_t graph = graph_of(true);
		cudaGraphLaunch(graph, a), cudaGraphLaunch(graph, b);
	}
	CASE(by_capture) {
		cudaGraph_t graph;
		cudaGraphExec_t executable;
		cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
		put_in(a);
		cudaEventRecord(event, a), cudaStreamWaitEvent(b, event, 0);
		get_in(b, y), get_in(a, z);
		cudaEventRecord(other, b), cudaStreamWaitEvent(a, other, 0);
		put_in(a, 4);
		cudaStreamEndCapture(a, &graph);
		cudaGraphInstantiate(&executable, graph, NULL, NULL, 0);
		cudaGraphLaunch(executable, c), put_in(c, 8);
	}
}

static void run_case()
{
	x = ints(N, 0), y = ints(N, 0), z = ints(N, 0);
	cudaMallocHost(&pinned, BYTES);
	memset(pinned, 0, BYTES);
	for (cudaStream_t *stream : {&a, &b, &c})
		cudaStreamCreate(stream);
	for (cudaStream_t *stream : {&free_a, &free_b})
		cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
	cudaEventCreate(&event), cudaEventCreate(&other);
	unordered();
	ordered_by_works();
	ordered_by_host();
	ordered_by_graphs();
}
