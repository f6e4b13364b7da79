// Protects programs that wait for queued work without a call that waits: for a host function, by queries of another
// stream, or by looking at memory. The work runs, and the program ends.
#include "check.h"
#include <unistd.h>

__global__ void store(volatile int *word, int value)
{
	*word = value;
}

static void note(void *user)
{
	*(volatile int *)user = 1;
}

int main()
{
	volatile int *word;
	int *data, called = 0;
	cudaStream_t first, second;
	SUCCEEDS(cudaStreamCreate(&first));
	SUCCEEDS(cudaStreamCreate(&second));
	SUCCEEDS(cudaMalloc(&data, sizeof *data));
	SUCCEEDS(cudaHostAlloc((void **)&word, sizeof *word, cudaHostAllocMapped));
	*word = 0;
	store<<<1, 1, 0, first>>>(data, 3);
	SUCCEEDS(cudaLaunchHostFunc(first, note, &called));
	while (!*(volatile int *)&called)
		usleep(1000);
	store<<<1, 1, 0, first>>>((int *)word, 5);
	while (!*word)
		SUCCEEDS(cudaStreamQuery(second));
	CHECK(*word == 5);
	store<<<1, 1, 0, first>>>((int *)word, 7);
	while (*word == 5)
		usleep(1000);
	CHECK(*word == 7);
	SUCCEEDS(cudaDeviceSynchronize());
	return finish();
}
