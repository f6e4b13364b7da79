// Protects NVML: it describes the same device as the runtime; calls for sensors that a simulated device lacks, calls
// before nvmlInit and wrong arguments return the statuses that NVML documents.
// Flags: -lnvidia-ml
#include "check.h"
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <nvml.h>

static void check_device(nvmlDevice_t device, const cudaDeviceProp &expected)
{
	char text[NVML_DEVICE_NAME_V2_BUFFER_SIZE], id[32];
	unsigned index = 7, clock = 0;
	int major = 0, minor = 0, rate = 0;
	CHECK(nvmlDeviceGetName(device, text, sizeof text) == NVML_SUCCESS && !strcmp(text, expected.name));
	CHECK(nvmlDeviceGetName(device, text, 1) == NVML_ERROR_INSUFFICIENT_SIZE);
	CHECK(nvmlDeviceGetUUID(device, text, sizeof text) == NVML_SUCCESS && strlen(text) == 40 && !strncmp(text, "GPU-", 4));
	CHECK(nvmlDeviceGetIndex(device, &index) == NVML_SUCCESS && index == 0);
	CHECK(nvmlDeviceGetCudaComputeCapability(device, &major, &minor) == NVML_SUCCESS);
	CHECK(major == expected.major && minor == expected.minor);
	SUCCEEDS(cudaDeviceGetAttribute(&rate, cudaDevAttrClockRate, 0));
	CHECK(nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &clock) == NVML_SUCCESS && (int)clock == rate / 1000);
	SUCCEEDS(cudaDeviceGetAttribute(&rate, cudaDevAttrMemoryClockRate, 0));
	CHECK(nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_MEM, &clock) == NVML_SUCCESS && (int)clock == rate / 1000);
	CHECK(nvmlDeviceGetClockInfo(device, NVML_CLOCK_VIDEO, &clock) == NVML_ERROR_NOT_SUPPORTED);
	nvmlPciInfo_t pci;
	nvmlDevice_t same = nullptr;
	CHECK(nvmlDeviceGetPciInfo(device, &pci) == NVML_SUCCESS && (int)pci.bus == expected.pciBusID);
	SUCCEEDS(cudaDeviceGetPCIBusId(id, sizeof id, 0));
	CHECK(!strcmp(id, pci.busIdLegacy));
	CHECK(nvmlDeviceGetHandleByPciBusId(pci.busId, &same) == NVML_SUCCESS && same == device);
}

static void check_memory(nvmlDevice_t device, size_t total)
{
	nvmlMemory_t before, after;
	void *block;
	CHECK(nvmlDeviceGetMemoryInfo(device, &before) == NVML_SUCCESS);
	CHECK(before.total == total && before.free + before.used == total);
	SUCCEEDS(cudaMalloc(&block, 8 << 20));
	CHECK(nvmlDeviceGetMemoryInfo(device, &after) == NVML_SUCCESS);
	CHECK(after.used >= before.used + (8 << 20));
	SUCCEEDS(cudaFree(block));
}

int main()
{
	cudaDeviceProp expected;
	nvmlDevice_t device = nullptr;
	unsigned count = 0, value = 0;
	unsigned long long reasons = 1;
	CHECK(nvmlDeviceGetCount(&count) == NVML_ERROR_UNINITIALIZED && nvmlShutdown() == NVML_ERROR_UNINITIALIZED);
	SUCCEEDS(cudaGetDeviceProperties(&expected, 0));
	CHECK(nvmlInit() == NVML_SUCCESS);
	CHECK(nvmlDeviceGetCount(&count) == NVML_SUCCESS && count == 1);
	CHECK(nvmlDeviceGetHandleByIndex(1, &device) == NVML_ERROR_INVALID_ARGUMENT);
	CHECK(nvmlDeviceGetHandleByIndex(0, &device) == NVML_SUCCESS);
	check_device(device, expected);
	check_memory(device, expected.totalGlobalMem);
	CHECK(nvmlDeviceGetCurrentClocksThrottleReasons(device, &reasons) == NVML_SUCCESS && reasons == 0);
	CHECK(nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &value) == NVML_ERROR_NOT_SUPPORTED);
	CHECK(nvmlDeviceGetPowerUsage(device, &value) == NVML_ERROR_NOT_SUPPORTED);
	CHECK(!strcmp(nvmlErrorString(NVML_ERROR_NO_DATA), "no data"));
	CHECK(nvmlDeviceGetName(nullptr, nullptr, 0) == NVML_ERROR_INVALID_ARGUMENT);
	CHECK(nvmlShutdown() == NVML_SUCCESS);
	return finish();
}
