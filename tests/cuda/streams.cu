// Protects streams and events: their lifetime, their order, and that events measure simulated time.
#include "check.h"

__global__ void work(int *data, int rounds)
{
	int sum = threadIdx.x;
	for (int i = 0; i < rounds; i++)
		sum = sum * 3 + data[i % 32];
	data[threadIdx.x] = sum;
}

static void count(cudaStream_t, cudaError_t error, void *user)
{
	*(int *)user += error == cudaSuccess ? 1 : 100;
}

// An event that was never recorded is complete, also before there is any work.
static void wait_for_no_work()
{
	cudaStream_t stream;
	cudaEvent_t never;
	SUCCEEDS(cudaStreamCreate(&stream));
	SUCCEEDS(cudaEventCreate(&never));
	SUCCEEDS(cudaStreamWaitEvent(stream, never, 0));
	SUCCEEDS(cudaStreamSynchronize(stream));
	SUCCEEDS(cudaEventDestroy(never));
	SUCCEEDS(cudaStreamDestroy(stream));
}

// A wait in the legacy stream comes after the work of one blocking stream and before that of another.
static void wait_in_legacy_stream()
{
	int *data, *pinned;
	cudaStream_t first, second;
	cudaEvent_t never;
	SUCCEEDS(cudaMalloc(&data, 32 * sizeof(int)));
	SUCCEEDS(cudaMemset(data, 0, 32 * sizeof(int)));
	SUCCEEDS(cudaMallocHost(&pinned, sizeof *pinned));
	SUCCEEDS(cudaStreamCreate(&first));
	SUCCEEDS(cudaStreamCreate(&second));
	SUCCEEDS(cudaEventCreate(&never));
	*pinned = 0;
	work<<<1, 32, 0, first>>>(data, 3);
	SUCCEEDS(cudaStreamWaitEvent(NULL, never, 0));
	SUCCEEDS(cudaMemcpyAsync(pinned, &data[1], sizeof *pinned, cudaMemcpyDeviceToHost, second));
	SUCCEEDS(cudaStreamSynchronize(second));
	CHECK(*pinned == 27);
	SUCCEEDS(cudaStreamDestroy(first));
	SUCCEEDS(cudaStreamDestroy(second));
	SUCCEEDS(cudaEventDestroy(never));
	SUCCEEDS(cudaFreeHost(pinned));
	SUCCEEDS(cudaFree(data));
}

// More records than the runtime queues: some run while the last one is added.
static void many_records()
{
	float ms;
	cudaStream_t stream;
	cudaEvent_t first, last;
	SUCCEEDS(cudaStreamCreate(&stream));
	SUCCEEDS(cudaEventCreate(&first));
	SUCCEEDS(cudaEventCreate(&last));
	SUCCEEDS(cudaEventRecord(first, stream));
	for (int i = 0; i < 3000; i++)
		SUCCEEDS(cudaEventRecord(last, stream));
	SUCCEEDS(cudaEventSynchronize(last));
	SUCCEEDS(cudaEventElapsedTime(&ms, first, last));
	CHECK(ms >= 0);
	SUCCEEDS(cudaEventDestroy(first));
	SUCCEEDS(cudaEventDestroy(last));
	SUCCEEDS(cudaStreamDestroy(stream));
}

// A call waits only for its own stream's work: the kernel of another one waits for a later launch.
__global__ void wait_for(const volatile int *flag)
{
	while (!*flag)
		;
}
__global__ void set(int *flag)
{
	*flag = 1;
}
static void wait_beside_waiting_kernel()
{
	int *flag, *room;
	cudaStream_t first, second;
	const char *functional = getenv("SLUICE_FUNCTIONAL");
	if (functional && strcmp(functional, "1") == 0)
		return; // a functional run goes on until all kernels have ended
	SUCCEEDS(cudaMalloc(&flag, sizeof *flag));
	SUCCEEDS(cudaMemset(flag, 0, sizeof *flag));
	SUCCEEDS(cudaMallocAsync((void **)&room, 4, NULL));
	SUCCEEDS(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	SUCCEEDS(cudaStreamCreate(&second));
	wait_for<<<1, 1, 0, first>>>(flag);
	SUCCEEDS(cudaMemsetAsync(flag, 0, sizeof *flag, second));
	SUCCEEDS(cudaStreamSynchronize(second));
	SUCCEEDS(cudaFreeAsync(room, NULL));
	set<<<1, 1, 0, second>>>(flag);
	SUCCEEDS(cudaStreamSynchronize(first));
	SUCCEEDS(cudaStreamDestroy(first));
	SUCCEEDS(cudaStreamDestroy(second));
	SUCCEEDS(cudaFree(flag));
}

int main()
{
	wait_for_no_work();
	wait_in_legacy_stream();
	many_records();
	wait_beside_waiting_kernel();
	int *data, called = 0;
	cudaStream_t stream, other;
	cudaEvent_t start, middle, end;
	SUCCEEDS(cudaMalloc(&data, 32 * sizeof(int)));
	SUCCEEDS(cudaStreamCreate(&stream));
	SUCCEEDS(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	SUCCEEDS(cudaEventCreate(&start));
	SUCCEEDS(cudaEventCreateWithFlags(&middle, cudaEventBlockingSync));
	SUCCEEDS(cudaEventCreate(&end));

	SUCCEEDS(cudaMemsetAsync(data, 0, 32 * sizeof(int), stream));
	SUCCEEDS(cudaEventRecord(start, stream));
	work<<<1, 32, 0, stream>>>(data, 20);
	SUCCEEDS(cudaEventRecord(middle, stream));
	work<<<1, 32, 0, other>>>(data, 2000);
	SUCCEEDS(cudaEventRecord(end, other));
	SUCCEEDS(cudaStreamWaitEvent(stream, end, 0));
	SUCCEEDS(cudaStreamAddCallback(stream, count, &called, 0));
	SUCCEEDS(cudaStreamSynchronize(stream));
	SUCCEEDS(cudaEventSynchronize(end));
	CHECK(cudaStreamQuery(other) == cudaSuccess && cudaEventQuery(end) == cudaSuccess && called == 1);
	float small, large, all;
	SUCCEEDS(cudaEventElapsedTime(&small, start, middle));
	SUCCEEDS(cudaEventElapsedTime(&large, middle, end));
	SUCCEEDS(cudaEventElapsedTime(&all, start, end));
	CHECK(small > 0 && large > 10 * small && all > large && all < 1000);

	cudaEvent_t never;
	SUCCEEDS(cudaEventCreate(&never));
	FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&small, start, never));
	SUCCEEDS(cudaEventDestroy(start));
	FAILS(cudaErrorInvalidResourceHandle, cudaEventDestroy(start));
	FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(start));
	SUCCEEDS(cudaStreamDestroy(stream));
	FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
	FAILS(cudaErrorInvalidResourceHandle, cudaStreamAddCallback(stream, count, &called, 0));
	CHECK(called == 1);
	// a stream is not an event
	FAILS(cudaErrorInvalidResourceHandle, cudaEventSynchronize((cudaEvent_t)other));
	return finish();
}
