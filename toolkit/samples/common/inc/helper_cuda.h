/* helper_cuda.h: checks of CUDA calls and device selection, with the names of CUDA's samples. */
#ifndef COMMON_HELPER_CUDA_H_
#define COMMON_HELPER_CUDA_H_

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime_api.h"
#include "helper_string.h"

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#define DEVICE_RESET cudaDeviceReset();

inline const char *_cudaGetErrorEnum(cudaError_t error)
{
	return cudaGetErrorName(error);
}

/* For statuses of libraries, where 0 is success, the caller's message shows only the number. */
template <class T> inline const char *_cudaGetErrorEnum(T)
{
	return "status of a library";
}

template <class T> void check(T result, char const *const call, const char *const file, int const line)
{
	if (!result)
		return;
	fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, (int)result, _cudaGetErrorEnum(result), call);
	exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

/* Prints the last error. Exits the program if `ends`. */
inline void sluice_sdk_last_error(const char *message, const char *file, int line, bool ends)
{
	cudaError_t error = cudaGetLastError();
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s(%i) : %s : (%d) %s.\n", file, line, message, (int)error, cudaGetErrorString(error));
	if (ends)
		exit(EXIT_FAILURE);
}
#define getLastCudaError(message)   sluice_sdk_last_error(message, __FILE__, __LINE__, true)
#define printLastCudaError(message) sluice_sdk_last_error(message, __FILE__, __LINE__, false)

inline int ftoi(float value)
{
	return value >= 0 ? static_cast<int>(value + 0.5) : static_cast<int>(value - 0.5);
}

/* FP32 lanes per SM, by compute capability. Source: CUDA C++ Programming Guide, Arithmetic Instructions. */
inline int _ConvertSMVer2Cores(int major, int minor)
{
	switch (major) {
	case 0:
	case 1:
		return 8;
	case 2:
		return minor ? 48 : 32;
	case 3:
		return 192;
	case 6:
		return minor ? 128 : 64;
	case 7:
		return 64;
	case 8:
		return minor ? 128 : 64;
	default:
		return 128;
	}
}

inline const char *_ConvertSMVer2ArchName(int major, int minor)
{
	static const char *const names[] = {"Tesla", "Tesla", "Fermi", "Kepler", "Graphics Device", "Maxwell", "Pascal", "Volta", "Ampere", "Hopper"};
	if (major == 7 && minor == 5)
		return "Turing";
	if (major == 8 && minor == 9)
		return "Ada";
	return major < 10 ? names[major] : "Graphics Device";
}

inline int gpuDeviceInit(int device)
{
	int count = 0;
	checkCudaErrors(cudaGetDeviceCount(&count));
	if (count == 0) {
		fprintf(stderr, "gpuDeviceInit() CUDA error: no devices supporting CUDA.\n");
		exit(EXIT_FAILURE);
	}
	device = device < 0 ? 0 : device;
	if (device >= count) {
		fprintf(stderr, "gpuDeviceInit (-device=%d) is not a valid GPU device; there are %d.\n", device, count);
		return -device;
	}
	checkCudaErrors(cudaSetDevice(device));
	return device;
}

inline int gpuGetMaxGflopsDeviceId()
{
	int count = 0, best = 0;
	double most = -1;
	checkCudaErrors(cudaGetDeviceCount(&count));
	for (int device = 0; device < count; device++) {
		cudaDeviceProp about;
		checkCudaErrors(cudaGetDeviceProperties(&about, device));
		double speed = (double)about.multiProcessorCount * _ConvertSMVer2Cores(about.major, about.minor) * about.clockRate;
		if (speed > most) {
			most = speed;
			best = device;
		}
	}
	return best;
}

inline int findCudaDevice(int argc, const char **argv)
{
	int device = checkCmdLineFlag(argc, argv, "device") ? gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device"))
	                                                    : gpuGetMaxGflopsDeviceId();
	if (device < 0) {
		printf("exiting...\n");
		exit(EXIT_FAILURE);
	}
	cudaDeviceProp about;
	checkCudaErrors(cudaSetDevice(device));
	checkCudaErrors(cudaGetDeviceProperties(&about, device));
	printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, about.name, about.major, about.minor);
	return device;
}

inline bool checkCudaCapabilities(int major, int minor)
{
	int device = 0;
	cudaDeviceProp about;
	checkCudaErrors(cudaGetDevice(&device));
	checkCudaErrors(cudaGetDeviceProperties(&about, device));
	bool enough = about.major > major || (about.major == major && about.minor >= minor);
	if (!enough)
		printf("  No GPU device was found that can support CUDA compute capability %d.%d.\n", major, minor);
	return enough;
}

#endif
