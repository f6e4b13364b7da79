// Protects which kernels of streams start first, by hardware queues, priorities and limits of kernels, and which record
// of an event counts.
#include "check.h"

__global__ void work(int *data, int rounds)
{
	int sum = threadIdx.x;
	for (int i = 0; i < rounds; i++)
		sum = sum * 3 + i;
	data[threadIdx.x] = sum;
}

__global__ void launches(int *data, int rounds)
{
	if (threadIdx.x == 0)
		work<<<1, 32>>>(data, rounds);
}

enum { LONG = 3000, SHORT = 10, STREAMS = 4 };
static int *data;
static cudaStream_t streams[STREAMS], urgent;
static cudaEvent_t start, gate, ends[STREAMS];

static bool is_set(const char *name, const char *value)
{
	const char *has = getenv(name);
	return has && strcmp(has, value) == 0;
}

static float time_to(cudaEvent_t end)
{
	float ms = -1;
	SUCCEEDS(cudaEventSynchronize(end));
	SUCCEEDS(cudaEventElapsedTime(&ms, start, end));
	return ms;
}

// A kernel after one that waits has to wait too if both are in one hardware queue.
static void check_hardware_queues()
{
	SUCCEEDS(cudaEventRecord(start, streams[0]));
	work<<<1, 32, 0, streams[2]>>>(data, LONG);
	work<<<1, 32, 0, streams[0]>>>(data, LONG);
	SUCCEEDS(cudaEventRecord(ends[0], streams[0]));
	work<<<1, 32, 0, streams[0]>>>(data, SHORT);
	work<<<1, 32, 0, streams[1]>>>(data, LONG);
	SUCCEEDS(cudaEventRecord(ends[1], streams[1]));
	float first = time_to(ends[0]), second = time_to(ends[1]);
	CHECK(is_set("SLUICE_MACHINE", "qv100") ? second < 1.2 * first : second > 1.8 * first);
}

// After the gate each kernel could start: if only one can run, it is the one with the highest priority, then the first.
static void check_priorities()
{
	SUCCEEDS(cudaEventRecord(start, streams[0]));
	work<<<1, 32, 0, streams[0]>>>(data, LONG);
	SUCCEEDS(cudaEventRecord(gate, streams[0]));
	for (int i = 1; i < 3; i++) {
		SUCCEEDS(cudaStreamWaitEvent(streams[i], gate));
		work<<<1, 32, 0, streams[i]>>>(data, LONG);
		SUCCEEDS(cudaEventRecord(ends[i], streams[i]));
	}
	SUCCEEDS(cudaStreamWaitEvent(urgent, gate));
	launches<<<1, 32, 0, urgent>>>(data, LONG);
	SUCCEEDS(cudaEventRecord(ends[0], urgent));
	float last = time_to(ends[2]), middle = time_to(ends[1]), first = time_to(ends[0]);
	CHECK(first < middle && middle < last);
}

// An event that is recorded again, before the first record's turn has come.
static void check_last_record()
{
	SUCCEEDS(cudaEventRecord(start, streams[0]));
	work<<<1, 32, 0, streams[0]>>>(data, LONG);
	SUCCEEDS(cudaEventRecord(ends[0], streams[0]));
	SUCCEEDS(cudaEventRecord(ends[1], streams[0]));
	SUCCEEDS(cudaEventRecord(ends[1], streams[1]));
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(time_to(ends[1]) < time_to(ends[0]) / 2);
}

int main()
{
	int least, greatest;
	SUCCEEDS(cudaMalloc(&data, 32 * sizeof(int)));
	SUCCEEDS(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	for (cudaStream_t &stream : streams)
		SUCCEEDS(cudaStreamCreate(&stream));
	SUCCEEDS(cudaStreamCreateWithPriority(&urgent, cudaStreamDefault, greatest));
	SUCCEEDS(cudaEventCreate(&start));
	SUCCEEDS(cudaEventCreate(&gate));
	for (cudaEvent_t &end : ends)
		SUCCEEDS(cudaEventCreate(&end));
	if (is_set("SLUICE_OPTIONS", "launch.concurrent=1"))
		check_priorities();
	else
		check_hardware_queues();
	check_last_record();
	return finish();
}
