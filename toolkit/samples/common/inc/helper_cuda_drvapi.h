/* helper_cuda_drvapi.h: checks of driver API calls and device selection, with the names of CUDA's samples. */
#ifndef COMMON_HELPER_CUDA_DRVAPI_H_
#define COMMON_HELPER_CUDA_DRVAPI_H_

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "cuda.h"
#include "helper_cuda.h"

/* For checkCudaErrors(). */
inline const char *_cudaGetErrorEnum(CUresult error)
{
	const char *name = NULL;
	return cuGetErrorName(error, &name) == CUDA_SUCCESS ? name : "unknown";
}

template <class T> inline void getCudaAttribute(T *attribute, CUdevice_attribute which, int device)
{
	int value = 0;
	checkCudaErrors(cuDeviceGetAttribute(&value, which, device));
	*attribute = (T)value;
}

inline int _ConvertSMVer2CoresDRV(int major, int minor)
{
	return _ConvertSMVer2Cores(major, minor);
}

/* Returns the number of devices. Exits the program if there is none. */
inline int sluice_sdk_count_devices()
{
	int count = 0;
	checkCudaErrors(cuInit(0));
	checkCudaErrors(cuDeviceGetCount(&count));
	if (count > 0)
		return count;
	fprintf(stderr, "CUDA error: no devices supporting CUDA.\n");
	exit(EXIT_FAILURE);
}

inline void sluice_sdk_capability(CUdevice device, int *major, int *minor)
{
	getCudaAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
	getCudaAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

/* Returns the device of "-device=N", or a negative number if it does not exist. */
inline int gpuDeviceInitDRV(int argc, const char **argv)
{
	int count = sluice_sdk_count_devices(), device = getCmdLineArgumentInt(argc, argv, "device");
	if (device < count)
		return device < 0 ? 0 : device;
	fprintf(stderr, "gpuDeviceInitDRV (-device=%d) is not a valid GPU device; there are %d.\n", device, count);
	return -device;
}

inline int gpuGetMaxGflopsDeviceIdDRV()
{
	int count = sluice_sdk_count_devices(), best = 0;
	double most = -1;
	for (int device = 0; device < count; device++) {
		int major, minor, sms, clock;
		sluice_sdk_capability(device, &major, &minor);
		getCudaAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
		getCudaAttribute(&clock, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device);
		double speed = (double)sms * _ConvertSMVer2CoresDRV(major, minor) * clock;
		if (speed > most) {
			most = speed;
			best = device;
		}
	}
	return best;
}

inline CUdevice findCudaDeviceDRV(int argc, const char **argv)
{
	int number = checkCmdLineFlag(argc, argv, "device") ? gpuDeviceInitDRV(argc, argv) : gpuGetMaxGflopsDeviceIdDRV();
	if (number < 0) {
		printf("exiting...\n");
		exit(EXIT_SUCCESS);
	}
	CUdevice device;
	char name[100];
	checkCudaErrors(cuDeviceGet(&device, number));
	checkCudaErrors(cuDeviceGetName(name, sizeof name, device));
	printf("> Using CUDA Device [%d]: %s\n", number, name);
	return device;
}

/* Returns the first integrated device, which uses the host's memory. Exits the program if there is none. */
inline CUdevice findIntegratedGPUDrv()
{
	int count = sluice_sdk_count_devices();
	for (int number = 0; number < count; number++) {
		CUdevice device;
		int integrated = 0;
		checkCudaErrors(cuDeviceGet(&device, number));
		getCudaAttribute(&integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, device);
		if (integrated)
			return device;
	}
	fprintf(stderr, "CUDA error: No Integrated CUDA capable GPU found.\n");
	exit(EXIT_FAILURE);
}

inline bool checkCudaCapabilitiesDRV(int major, int minor, int number)
{
	CUdevice device;
	int has_major, has_minor;
	checkCudaErrors(cuDeviceGet(&device, number));
	sluice_sdk_capability(device, &has_major, &has_minor);
	bool enough = has_major > major || (has_major == major && has_minor >= minor);
	if (enough)
		printf("> Device %d: Compute SM %d.%d detected\n", number, has_major, has_minor);
	else
		printf("No GPU device was found that can support CUDA compute capability %d.%d.\n", major, minor);
	return enough;
}

/* Finds a module's file. Sets `path` and appends the file's contents to `bytes`. */
inline bool findFatbinPath(const char *name, std::string &path, char **argv, std::ostringstream &bytes)
{
	char *found = sdkFindFilePath(name, argv[0]);
	if (!found) {
		printf("> findFatbinPath could not find <%s>\n", name);
		return false;
	}
	path = found;
	free(found);
	bytes << std::ifstream(path.c_str(), std::ios::binary).rdbuf();
	return true;
}

#endif
