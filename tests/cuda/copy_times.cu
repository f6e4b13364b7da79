// Protects the time of copies on machines with a link (link.bandwidth, link.latency): events and clocks show it, also
// without streams; directions overlap with two engines and take turns with one; copies overlap kernels; the data is
// complete at the end; a kernel that waits for a copy of another stream ends. SLUICE_OPTIONS sets 10 GB/s and 5 us.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int failures;

#define MUST(call)                                                                                                     \
	do {                                                                                                           \
		cudaError_t result = (call);                                                                           \
		if (result != cudaSuccess) {                                                                           \
			printf("line %d: %s\n", __LINE__, cudaGetErrorName(result));                                   \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

// Microseconds of the link.
static double copy_us(size_t bytes)
{
	return 5 + bytes / 10000.0;
}

static void near(const char *what, double got, double want, double slack)
{
	if (fabs(got - want) <= slack)
		return;
	printf("%s: %.3f us instead of %.3f\n", what, got, want);
	failures++;
}

__global__ void spin(float *x, int count)
{
	float value = x[threadIdx.x];
	for (int i = 0; i < count; i++)
		value = value * 1.0001f + 1;
	x[threadIdx.x] = value;
}

__global__ void wait_for(volatile int *flag, int *out)
{
	while (!*flag)
		;
	*out = 7;
}

__global__ void read_clock(unsigned long long *time)
{
	unsigned long long now;
	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
	*time = now;
}

static double between(cudaEvent_t begin, cudaEvent_t end)
{
	float ms;
	MUST(cudaEventElapsedTime(&ms, begin, end));
	return ms * 1e3;
}

enum { BYTES = 1 << 18, EVENTS = 8 };

static cudaEvent_t event[EVENTS];
static char *host, *pageable;
static char *device;
static float *work;

// Copies of the legacy stream, one after the other: their times add up, whatever memory the host has.
static void test_in_order()
{
	MUST(cudaEventRecord(event[0]));
	MUST(cudaMemcpy(device, host, BYTES, cudaMemcpyHostToDevice));
	MUST(cudaEventRecord(event[1]));
	MUST(cudaMemcpy(pageable, device, BYTES / 2, cudaMemcpyDeviceToHost));
	MUST(cudaEventRecord(event[2]));
	MUST(cudaMemcpy2D(device, 512, pageable, 256, 128, 64, cudaMemcpyHostToDevice));
	MUST(cudaEventRecord(event[3]));
	MUST(cudaMemcpyAsync(device, host, 100, cudaMemcpyHostToDevice));
	MUST(cudaEventRecord(event[4]));
	MUST(cudaMemcpy(device + BYTES, device, BYTES, cudaMemcpyDeviceToDevice));
	MUST(cudaMemset(device, 0, BYTES));
	MUST(cudaEventRecord(event[5]));
	MUST(cudaDeviceSynchronize());
	near("to the device", between(event[0], event[1]), copy_us(BYTES), 0.1);
	near("to the host", between(event[1], event[2]), copy_us(BYTES / 2), 0.1);
	near("rows", between(event[2], event[3]), copy_us(128 * 64), 0.1);
	near("asynchronous", between(event[3], event[4]), copy_us(100), 0.1);
	near("on the device", between(event[4], event[5]), 0, 0.1);
}

// %globaltimer shows the time of a copy between two kernels, in nanoseconds.
static void test_clock()
{
	unsigned long long *time, read[2];
	MUST(cudaMalloc(&time, sizeof read));
	MUST(cudaMemset(time, 0, sizeof read));
	read_clock<<<1, 1>>>(time);
	MUST(cudaMemcpy(device, host, BYTES, cudaMemcpyHostToDevice));
	read_clock<<<1, 1>>>(time + 1);
	MUST(cudaMemcpy(read, time, sizeof read, cudaMemcpyDeviceToHost));
	near("globaltimer", (read[1] - read[0]) / 1e3, copy_us(BYTES), 3);
	MUST(cudaFree(time));
}

// Both directions, a kernel, and a second copy of the same direction, each in another stream.
static void test_overlap(cudaStream_t *stream, bool two_engines)
{
	double one = copy_us(BYTES), other = copy_us(2 * BYTES);
	MUST(cudaDeviceSynchronize());
	MUST(cudaEventRecord(event[0], stream[0]));
	MUST(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream[0]));
	MUST(cudaEventRecord(event[1], stream[0]));
	MUST(cudaMemcpyAsync(host + 2 * BYTES, device + 2 * BYTES, 2 * BYTES, cudaMemcpyDeviceToHost, stream[1]));
	MUST(cudaEventRecord(event[2], stream[1]));
	MUST(cudaMemcpyAsync(device + BYTES, host + BYTES, BYTES, cudaMemcpyHostToDevice, stream[2]));
	MUST(cudaEventRecord(event[3], stream[2]));
	spin<<<1, 128, 0, stream[3]>>>(work, 1000);
	MUST(cudaEventRecord(event[4], stream[3]));
	spin<<<1, 128, 0, stream[0]>>>(work + 128, 1000);
	MUST(cudaEventRecord(event[5], stream[0]));
	MUST(cudaDeviceSynchronize());
	near("first", between(event[0], event[1]), one, 0.1);
	near("other direction", between(event[0], event[2]), two_engines ? other : one + other, 0.1);
	near("second", between(event[0], event[3]), two_engines ? 2 * one : 2 * one + other, 0.1);
	double kernel = between(event[0], event[4]);
	if (kernel > one)
		printf("the kernel took %.3f us: it is too long for this test\n", kernel), failures++;
	near("kernel after a copy", between(event[1], event[5]), kernel, 1.5);
}

// The host waits for a copy while a kernel of another stream goes on; the copy ends the kernel's wait.
static void test_wait(cudaStream_t *stream)
{
	int *flag = (int *)device, *out = (int *)(device + 4), *value = (int *)host;
	MUST(cudaMemset(device, 0, 8));
	MUST(cudaDeviceSynchronize());
	*value = 1;
	MUST(cudaEventRecord(event[0], stream[0]));
	wait_for<<<1, 1, 0, stream[0]>>>(flag, out);
	MUST(cudaEventRecord(event[1], stream[0]));
	MUST(cudaMemcpyAsync(device + 64, host + 64, BYTES, cudaMemcpyHostToDevice, stream[1]));
	MUST(cudaEventRecord(event[2], stream[1]));
	MUST(cudaEventSynchronize(event[2]));
	near("while a kernel polls", between(event[0], event[2]), copy_us(BYTES), 0.1);
	MUST(cudaMemcpyAsync(flag, value, 4, cudaMemcpyHostToDevice, stream[1]));
	MUST(cudaStreamSynchronize(stream[0]));
	near("the wait", between(event[0], event[1]), copy_us(BYTES) + copy_us(4), 3);
	int got;
	MUST(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
	if (got != 7)
		printf("the kernel stored %d\n", got), failures++;
}

// The data of a copy is complete when it ends.
static void test_data(cudaStream_t *stream)
{
	for (int i = 0; i < 4 * BYTES; i++)
		host[i] = (char)(i * 7 + i / 256);
	MUST(cudaMemcpyAsync(device, host, 2 * BYTES, cudaMemcpyHostToDevice, stream[0]));
	MUST(cudaEventRecord(event[0], stream[0]));
	MUST(cudaStreamWaitEvent(stream[1], event[0], 0));
	MUST(cudaMemcpyAsync(host + 2 * BYTES, device, 2 * BYTES, cudaMemcpyDeviceToHost, stream[1]));
	MUST(cudaStreamSynchronize(stream[1]));
	if (memcmp(host, host + 2 * BYTES, 2 * BYTES) != 0)
		printf("the data differs\n"), failures++;
}

int main()
{
	cudaStream_t stream[4];
	cudaDeviceProp properties;
	MUST(cudaGetDeviceProperties(&properties, 0));
	for (cudaEvent_t &e : event)
		MUST(cudaEventCreate(&e));
	MUST(cudaMallocHost(&host, 4 * BYTES));
	MUST(cudaMalloc(&device, 4 * BYTES));
	MUST(cudaMalloc(&work, 4096));
	MUST(cudaMemset(work, 0, 4096));
	pageable = (char *)calloc(1, 4 * BYTES);
	for (int with_streams = 0; with_streams < 2; with_streams++) {
		test_in_order();
		test_clock();
		for (int i = 0; i < 4 && !with_streams; i++)
			MUST(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
	}
	test_overlap(stream, properties.asyncEngineCount == 2);
	test_wait(stream);
	test_data(stream);
	printf(failures ? "%d failures\n" : "ok\n", failures);
	return failures != 0;
}
