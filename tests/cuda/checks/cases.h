// What the programs of this folder share: cases chosen by name. A case is a kernel with a launch; see run.py for what is
// expected of it.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char *wanted;

#define CASE(name) if (strcmp(wanted, #name) == 0)

static void run_case();

static int *ints(int count, int value)
{
	int *device, *host = (int *)malloc(count * sizeof *host);
	for (int i = 0; i < count; i++)
		host[i] = value;
	cudaMalloc(&device, count * sizeof *device);
	cudaMemcpy(device, host, count * sizeof *device, cudaMemcpyHostToDevice);
	free(host);
	return device;
}

// Whatever the device says, the program ends with 0.
int main(int argc, char **argv)
{
	wanted = argc > 1 ? argv[1] : "";
	run_case();
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
