/* NVML: the simulated device, as the CUDA runtime describes it. */
#include <nvml.h>

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The only device; its address is the handle. */
static struct nvmlDevice_st {
	int index;
} only;
static int initialized;

static nvmlReturn_t checked(nvmlDevice_t device, bool fine)
{
	if (initialized == 0)
		return NVML_ERROR_UNINITIALIZED;
	return device == &only && fine ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

static nvmlReturn_t status_of(cudaError_t error)
{
	return error == cudaSuccess ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
	(void)flags;
	initialized++;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit_v2(void)
{
	return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlShutdown(void)
{
	if (initialized == 0)
		return NVML_ERROR_UNINITIALIZED;
	initialized--;
	return NVML_SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t status)
{
	switch (status) {
#define TEXT(name, number, text)                                                                                       \
	case name:                                                                                                     \
		return text;
		SLUICE_NVML_STATUSES(TEXT)
#undef TEXT
	}
	return "unknown error";
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	return version ? status_of(cudaDriverGetVersion(version)) : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
	return nvmlSystemGetCudaDriverVersion_v2(version);
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count)
{
	nvmlReturn_t status = checked(&only, count);
	if (status == NVML_SUCCESS)
		*count = 1;
	return status;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
	nvmlReturn_t status = checked(&only, device && index == 0);
	if (status == NVML_SUCCESS)
		*device = &only;
	return status;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device)
{
	int index;
	nvmlReturn_t status = checked(&only, id && device);
	if (status == NVML_SUCCESS && cudaDeviceGetByPCIBusId(&index, id) != cudaSuccess)
		status = NVML_ERROR_NOT_FOUND;
	if (status == NVML_SUCCESS)
		*device = &only;
	return status;
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
	nvmlReturn_t status = checked(device, index);
	if (status == NVML_SUCCESS)
		*index = (unsigned int)device->index;
	return status;
}

/* Copies a text into the caller's buffer. */
static nvmlReturn_t put_text(const char *text, char *to, unsigned int length)
{
	if (strlen(text) >= length)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	memcpy(to, text, strlen(text) + 1);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
	struct cudaDeviceProp properties;
	nvmlReturn_t status = checked(device, name);
	if (status == NVML_SUCCESS)
		status = status_of(cudaGetDeviceProperties(&properties, device->index));
	return status == NVML_SUCCESS ? put_text(properties.name, name, length) : status;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
	struct cudaDeviceProp properties;
	nvmlReturn_t status = checked(device, uuid);
	if (status == NVML_SUCCESS)
		status = status_of(cudaGetDeviceProperties(&properties, device->index));
	if (status != NVML_SUCCESS)
		return status;
	char text[NVML_DEVICE_UUID_BUFFER_SIZE] = "GPU";
	size_t end = strlen(text);
	for (int i = 0; i < 16; i++) {
		bool starts = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
		end += (size_t)snprintf(text + end, sizeof text - end, "%s%02x", starts ? "-" : "",
		                        (unsigned char)properties.uuid.bytes[i]);
	}
	return put_text(text, uuid, length);
}

/* Asks for two attributes of the device. */
static nvmlReturn_t attributes(nvmlDevice_t device, enum cudaDeviceAttr first, int *value, enum cudaDeviceAttr second,
                               int *other)
{
	nvmlReturn_t status = checked(device, value && other);
	if (status == NVML_SUCCESS)
		status = status_of(cudaDeviceGetAttribute(value, first, device->index));
	return status == NVML_SUCCESS ? status_of(cudaDeviceGetAttribute(other, second, device->index)) : status;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *info)
{
	int domain, bus, unit, again;
	nvmlReturn_t status = checked(device, info);
	if (status == NVML_SUCCESS)
		status = attributes(device, cudaDevAttrPciDomainId, &domain, cudaDevAttrPciBusId, &bus);
	if (status == NVML_SUCCESS)
		status = attributes(device, cudaDevAttrPciDeviceId, &unit, cudaDevAttrPciDomainId, &again);
	if (status != NVML_SUCCESS)
		return status;
	*info = (nvmlPciInfo_t){.domain = (unsigned)domain, .bus = (unsigned)bus, .device = (unsigned)unit};
	snprintf(info->busIdLegacy, sizeof info->busIdLegacy, "%04x:%02x:%02x.0", domain & 0xffff, bus & 0xff, unit & 0xff);
	snprintf(info->busId, sizeof info->busId, "%08x:%02x:%02x.0", domain, bus & 0xff, unit & 0xff);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
	return attributes(device, cudaDevAttrComputeCapabilityMajor, major, cudaDevAttrComputeCapabilityMinor, minor);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	size_t unused, total;
	nvmlReturn_t status = checked(device, memory);
	if (status == NVML_SUCCESS)
		status = status_of(cudaMemGetInfo(&unused, &total));
	if (status == NVML_SUCCESS)
		*memory = (nvmlMemory_t){.total = total, .free = unused, .used = total - unused};
	return status;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock)
{
	int core, memory;
	nvmlReturn_t status = checked(device, clock && (unsigned)type <= NVML_CLOCK_VIDEO);
	if (status == NVML_SUCCESS && type == NVML_CLOCK_VIDEO)
		status = NVML_ERROR_NOT_SUPPORTED;
	if (status == NVML_SUCCESS)
		status = attributes(device, cudaDevAttrClockRate, &core, cudaDevAttrMemoryClockRate, &memory);
	if (status == NVML_SUCCESS)
		*clock = (unsigned)(type == NVML_CLOCK_MEM ? memory : core) / 1000;
	return status;
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock)
{
	return nvmlDeviceGetClockInfo(device, type, clock);
}

nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock)
{
	return nvmlDeviceGetClockInfo(device, type, clock);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons)
{
	nvmlReturn_t status = checked(device, reasons);
	if (status == NVML_SUCCESS)
		*reasons = nvmlClocksThrottleReasonNone;
	return status;
}

#define UNSUPPORTED(name, parameters)                                                                                  \
	nvmlReturn_t name parameters                                                                                   \
	{                                                                                                              \
		return initialized ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_UNINITIALIZED;                              \
	}
SLUICE_NVML_UNSUPPORTED(UNSUPPORTED)
