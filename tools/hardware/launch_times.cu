// launch_times: a library for LD_PRELOAD that times each kernel launch of a program by events, without privileges. It
// appends one line per launch to the file that LAUNCHES names:
//
//   number,nanoseconds,grid x,y,z,block x,y,z,shared bytes,kernel
//
// A spinning kernel goes first. The host queues both events and the launch while it spins, so that the time holds no
// delay of the host.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

#include <cuda_runtime.h>

const unsigned long long SPIN_NANOSECONDS = 30000;
const long SPIN_ROUNDS = 100000;

__global__ void spin()
{
	unsigned long long start, now;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	for (long round = 0; round < SPIN_ROUNDS; round++) {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
		if (now - start > SPIN_NANOSECONDS)
			break;
	}
}

template <typename Function> static Function next(const char *name)
{
	return (Function)dlsym(RTLD_NEXT, name);
}

using Launch = cudaError_t (*)(const void *, dim3, dim3, void **, size_t, cudaStream_t);
using LaunchExtended = cudaError_t (*)(const cudaLaunchConfig_t *, const void *, void **);
using Name = cudaError_t (*)(const char **, const void *);

struct Shape {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
};

static void note(const Shape &shape, const void *function, float milliseconds)
{
	static int number;
	static FILE *file = getenv("LAUNCHES") ? fopen(getenv("LAUNCHES"), "a") : nullptr;
	const char *name = "?";
	if (Name name_of = next<Name>("cudaFuncGetName"))
		name_of(&name, function);
	if (!file)
		return;
	fprintf(file, "%d,%.0f,%u,%u,%u,%u,%u,%u,%zu,%s\n", number++, 1e6 * milliseconds, shape.grid.x, shape.grid.y,
	        shape.grid.z, shape.block.x, shape.block.y, shape.block.z, shape.shared, name);
	fflush(file);
}

static bool is_captured(cudaStream_t stream)
{
	cudaStreamCaptureStatus status;
	return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

template <typename Work> static cudaError_t timed(const Shape &shape, const void *function, Work launch)
{
	static bool own; // true while this library launches its own kernel
	if (own || is_captured(shape.stream))
		return launch();
	cudaEvent_t start, end;
	float milliseconds = 0;
	cudaEventCreate(&start);
	cudaEventCreate(&end);
	own = true;
	spin<<<1, 1, 0, shape.stream>>>();
	own = false;
	cudaEventRecord(start, shape.stream);
	cudaError_t error = launch();
	cudaEventRecord(end, shape.stream);
	cudaEventSynchronize(end);
	if (error == cudaSuccess && cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess)
		note(shape, function, milliseconds);
	cudaEventDestroy(start);
	cudaEventDestroy(end);
	return error;
}

extern "C" cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream)
{
	static Launch real = next<Launch>("cudaLaunchKernel");
	return timed({grid, block, shared, stream}, function,
	             [&] { return real(function, grid, block, arguments, shared, stream); });
}

#if CUDART_VERSION >= 13000
// What <<<>>> calls since CUDA 13.
using LaunchHandle = cudaError_t (*)(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);

extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                          cudaStream_t stream)
{
	static LaunchHandle real = next<LaunchHandle>("__cudaLaunchKernel");
	return timed({grid, block, shared, stream}, (const void *)kernel,
	             [&] { return real(kernel, grid, block, arguments, shared, stream); });
}
#endif

extern "C" cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                                   size_t shared, cudaStream_t stream)
{
	static Launch real = next<Launch>("cudaLaunchCooperativeKernel");
	return timed({grid, block, shared, stream}, function,
	             [&] { return real(function, grid, block, arguments, shared, stream); });
}

extern "C" cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
	static LaunchExtended real = next<LaunchExtended>("cudaLaunchKernelExC");
	return timed({config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream}, function,
	             [&] { return real(config, function, arguments); });
}
