// cases: code that the programs of this folder share. A case is a kernel with a launch, chosen by name; run.py
// describes the expected results.
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

// The program ends with status 0, whatever CUDA errors occur.
int main(int argc, char **argv)
{
	wanted = argc > 1 ? argv[1] : "";
	run_case();
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
