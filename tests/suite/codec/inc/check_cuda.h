// checkCudaErrors, StopWatch and flags in the style of the samples' helpers.
#ifndef CHECK_CUDA_H
#define CHECK_CUDA_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

template <typename T>
void check(T result, char const *const function, const char *const file, int const line)
{
	if (result) {
		fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, static_cast<unsigned int>(result),
		        cudaGetErrorName(result), function);
		cudaDeviceReset();
		exit(EXIT_FAILURE);
	}
}
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)

inline void __lastError(const char *message, const char *file, const int line)
{
	cudaError_t error = cudaGetLastError();
	if (cudaSuccess != error) {
		fprintf(stderr, "%s(%i): %s: (%d) %s.\n", file, line, message, (int)error, cudaGetErrorString(error));
		exit(EXIT_FAILURE);
	}
}
#define getLastCudaError(message) __lastError(message, __FILE__, __LINE__)

inline int findBestDevice()
{
	int count = 0, best = 0, most = -1;
	checkCudaErrors(cudaGetDeviceCount(&count));
	for (int i = 0; i < count; i++) {
		cudaDeviceProp properties;
		checkCudaErrors(cudaGetDeviceProperties(&properties, i));
		int performance = properties.multiProcessorCount * (properties.clockRate / 1000);
		if (properties.computeMode != cudaComputeModeProhibited && performance > most) {
			most = performance;
			best = i;
		}
	}
	checkCudaErrors(cudaSetDevice(best));
	return best;
}

// --name=value
inline const char *flagValue(int argc, char **argv, const char *name)
{
	size_t length = strlen(name);
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i] + strspn(argv[i], "-");
		if (strncmp(word, name, length) == 0 && word[length] == '=')
			return word + length + 1;
	}
	return NULL;
}

#endif
