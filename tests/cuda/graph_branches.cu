// Protects branches of graphs: they run at the same time, each node after those that it depends on. Earlier work of the
// stream ends before the graph, and later work waits for all branches. Two launches of a graph follow each other.
#include "check.h"

enum { BRANCHES = 8, WORDS = 1024, ROUNDS = 3 };

__global__ void begin(int *o)
{
	for (int i = 0; i < BRANCHES; i++)
		o[i * WORDS] = o[BRANCHES * WORDS] + i;
}

__global__ void work(int *o, int count)
{
	int x = o[0];
	for (int i = 0; i < count; i++)
		x = x * 3 + 1;
	o[0] = x;
}

__global__ void end(int *o)
{
	int sum = 0;
	for (int i = 0; i < BRANCHES; i++)
		sum += o[i * WORDS];
	o[BRANCHES * WORDS] = sum;
}

static unsigned expected(unsigned from, int count)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < BRANCHES; i++) {
		unsigned x = from + i;
		for (int n = 0; n < count; n++)
			x = x * 3 + 1;
		sum += x;
	}
	return sum;
}

// Captures the graph in these streams, the branches in all of them.
static cudaGraphExec_t capture(cudaStream_t *streams, int *data, int count)
{
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t executable;
	SUCCEEDS(cudaEventCreate(&fork));
	SUCCEEDS(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
	begin<<<1, 1, 0, streams[0]>>>(data);
	SUCCEEDS(cudaEventRecord(fork, streams[0]));
	for (int i = 0; i < BRANCHES; i++) {
		if (i)
			SUCCEEDS(cudaStreamWaitEvent(streams[i], fork, 0));
		work<<<1, 1, 0, streams[i]>>>(data + i * WORDS, count);
	}
	for (int i = 1; i < BRANCHES; i++) {
		SUCCEEDS(cudaEventCreate(&join));
		SUCCEEDS(cudaEventRecord(join, streams[i]));
		SUCCEEDS(cudaStreamWaitEvent(streams[0], join, 0));
	}
	end<<<1, 1, 0, streams[0]>>>(data);
	SUCCEEDS(cudaStreamEndCapture(streams[0], &graph));
	SUCCEEDS(cudaGraphInstantiate(&executable, graph, 0));
	SUCCEEDS(cudaGraphDestroy(graph));
	return executable;
}

// The time of the work between two events.
static float time_of(void (*run)(void *), void *user, cudaStream_t stream)
{
	cudaEvent_t first, last;
	float milliseconds;
	SUCCEEDS(cudaEventCreate(&first));
	SUCCEEDS(cudaEventCreate(&last));
	SUCCEEDS(cudaEventRecord(first, stream));
	run(user);
	SUCCEEDS(cudaEventRecord(last, stream));
	SUCCEEDS(cudaEventSynchronize(last));
	SUCCEEDS(cudaEventElapsedTime(&milliseconds, first, last));
	SUCCEEDS(cudaEventDestroy(first));
	SUCCEEDS(cudaEventDestroy(last));
	return milliseconds;
}

static cudaStream_t streams[BRANCHES];
static int *data;

static void launch(void *user)
{
	SUCCEEDS(cudaGraphLaunch((cudaGraphExec_t)user, streams[0]));
}

static void run_one(void *user)
{
	work<<<1, 1, 0, streams[0]>>>(data, *(int *)user);
}

int main()
{
	int count = 3000, sum = 0;
	SUCCEEDS(cudaMalloc(&data, (BRANCHES + 1) * WORDS * sizeof *data));
	SUCCEEDS(cudaMemset(data, 0, (BRANCHES + 1) * WORDS * sizeof *data));
	for (cudaStream_t &stream : streams)
		SUCCEEDS(cudaStreamCreate(&stream));
	cudaGraphExec_t graph = capture(streams, data, count);
	float one = time_of(run_one, &count, streams[0]);
	SUCCEEDS(cudaMemset(data, 0, (BRANCHES + 1) * WORDS * sizeof *data));
	float all = time_of(launch, graph, streams[0]);
	const char *functional = getenv("SLUICE_FUNCTIONAL");
	if (!functional || *functional == '0') // functional runs estimate the time of each kernel
		CHECK(all > one && all < 1.5f * one);
	unsigned value = expected(0, count);
	SUCCEEDS(cudaMemcpy(&sum, data + BRANCHES * WORDS, sizeof sum, cudaMemcpyDeviceToHost));
	CHECK((unsigned)sum == value);
	// several launches in a row, without waiting; each follows the one before, although in another stream
	for (int i = 0; i < ROUNDS; i++) {
		SUCCEEDS(cudaGraphLaunch(graph, streams[i]));
		value = expected(value, count);
	}
	SUCCEEDS(cudaGraphExecDestroy(graph));
	SUCCEEDS(cudaMemcpyAsync(&sum, data + BRANCHES * WORDS, sizeof sum, cudaMemcpyDeviceToHost,
	                         streams[ROUNDS - 1]));
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK((unsigned)sum == value);
	return finish();
}
