// Protects programs compiled with --default-stream per-thread: stream 0 is the default stream of the calling thread in
// launches, copies, fills, events, captures and host functions. Without the option the first capture is refused, and
// the kernels of two threads never end.
// Flags: --default-stream per-thread
#include "check.h"
#include <atomic>
#include <thread>

__global__ void wait_for(volatile unsigned *flag, unsigned *seen)
{
	while (!*flag)
		;
	*seen = *flag;
}
__global__ void set(unsigned *flag, unsigned value)
{
	*flag = value;
}
__global__ void add(unsigned *value, unsigned more)
{
	*value += more;
}

static unsigned *word(unsigned value)
{
	unsigned *pointer;
	SUCCEEDS(cudaMalloc(&pointer, sizeof *pointer));
	SUCCEEDS(cudaMemcpy(pointer, &value, sizeof value, cudaMemcpyHostToDevice));
	return pointer;
}

static unsigned value_of(const unsigned *pointer)
{
	unsigned value;
	SUCCEEDS(cudaMemcpy(&value, pointer, sizeof value, cudaMemcpyDeviceToHost));
	return value;
}

// A kernel of one thread's stream waits for that of another thread.
static void test_threads()
{
	unsigned *flag = word(0), *seen = word(0);
	std::atomic<int> launched{0};
	auto run = [&](bool waits) {
		if (waits)
			wait_for<<<1, 1>>>(flag, seen);
		else
			set<<<1, 1>>>(flag, 7);
		launched++;
		while (launched < 2)
			;
		SUCCEEDS(cudaStreamSynchronize(0));
	};
	std::thread first(run, true), second(run, false);
	first.join();
	second.join();
	CHECK(value_of(seen) == 7);
}

// The stream can be captured, as the legacy stream cannot, under both of its names.
static void test_capture()
{
	unsigned *value = word(1);
	cudaStreamCaptureStatus status;
	cudaGraph_t graph;
	cudaGraphExec_t executable;
	SUCCEEDS(cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal));
	SUCCEEDS(cudaStreamIsCapturing(cudaStreamPerThread, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	add<<<1, 1>>>(value, 10);
	SUCCEEDS(cudaMemsetAsync(value, 0, 0));
	SUCCEEDS(cudaLaunchHostFunc(0, [](void *calls) { ++*(int *)calls; }, new int(0)));
	SUCCEEDS(cudaStreamEndCapture(0, &graph));
	size_t nodes = 0;
	SUCCEEDS(cudaGraphGetNodes(graph, nullptr, &nodes));
	CHECK(nodes >= 2 && value_of(value) == 1);
	SUCCEEDS(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
	for (int i = 0; i < 3; i++)
		SUCCEEDS(cudaGraphLaunch(executable, 0));
	CHECK(value_of(value) == 31);
	SUCCEEDS(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal));
	CHECK(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeThreadLocal) != cudaSuccess);
	SUCCEEDS(cudaStreamEndCapture(0, &graph));
}

// Work of the stream is in order, whichever call makes it; other streams follow it by events.
static void test_order()
{
	unsigned *value = word(0), bytes = 0x01010101, more = 5;
	cudaEvent_t event;
	cudaStream_t other;
	SUCCEEDS(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	SUCCEEDS(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	SUCCEEDS(cudaMemsetAsync(value, 1, sizeof *value));
	add<<<1, 1>>>(value, 2);
	void *arguments[] = {&value, &more};
	SUCCEEDS(cudaLaunchKernel((const void *)add, dim3(1), dim3(1), arguments, 0, 0));
	cudaLaunchConfig_t configuration = {};
	configuration.gridDim = configuration.blockDim = dim3(1);
	SUCCEEDS(cudaLaunchKernelExC(&configuration, (const void *)add, arguments));
	SUCCEEDS(cudaEventRecord(event));
	SUCCEEDS(cudaStreamWaitEvent(other, event));
	add<<<1, 1, 0, other>>>(value, 100);
	SUCCEEDS(cudaEventRecord(event, other));
	SUCCEEDS(cudaStreamWaitEvent(0, event));
	add<<<1, 1>>>(value, 1000);
	CHECK(value_of(value) == bytes + 2 + 5 + 5 + 100 + 1000);
	SUCCEEDS(cudaMemset(value, 0, sizeof *value));
	add<<<1, 1, 0, cudaStreamLegacy>>>(value, 3); // follows the threads' streams
	add<<<1, 1>>>(value, 4);                      // follows the legacy stream
	CHECK(value_of(value) == 7);
	CHECK(cudaStreamQuery(0) == cudaSuccess);
	SUCCEEDS(cudaStreamDestroy(other));
	SUCCEEDS(cudaEventDestroy(event));
}

int main()
{
	test_capture();
	test_order();
	test_threads();
	return finish();
}
