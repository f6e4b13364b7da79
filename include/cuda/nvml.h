/* nvml: what the simulated device is called, its clocks and its memory, by the names of NVIDIA's management library
 * (link -lnvidia-ml). A simulated device has no sensors: calls for temperatures, fans, power and utilization return
 * NVML_ERROR_NOT_SUPPORTED, and so do calls that would set something.
 */
#ifndef __nvml_nvml_h__
#define __nvml_nvml_h__

#include "sluice/macros_off.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVML_API_VERSION     12
#define NVML_API_VERSION_STR "12"

#define NVML_DEVICE_NAME_BUFFER_SIZE        64
#define NVML_DEVICE_NAME_V2_BUFFER_SIZE     96
#define NVML_DEVICE_UUID_BUFFER_SIZE        80
#define NVML_DEVICE_UUID_V2_BUFFER_SIZE     96
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE  32
#define NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE 80
#define NVML_INIT_FLAG_NO_GPUS              1
#define NVML_INIT_FLAG_NO_ATTACH            2

typedef struct nvmlDevice_st *nvmlDevice_t;

/* Each status and its text. */
#define SLUICE_NVML_STATUSES(S)                                                                                        \
	S(NVML_SUCCESS, 0, "no error")                                                                                 \
	S(NVML_ERROR_UNINITIALIZED, 1, "nvmlInit() was not called")                                                    \
	S(NVML_ERROR_INVALID_ARGUMENT, 2, "an argument is not valid")                                                  \
	S(NVML_ERROR_NOT_SUPPORTED, 3, "the simulated device has no such sensor or setting")                           \
	S(NVML_ERROR_NO_PERMISSION, 4, "no permission")                                                                \
	S(NVML_ERROR_ALREADY_INITIALIZED, 5, "already initialized")                                                    \
	S(NVML_ERROR_NOT_FOUND, 6, "not found")                                                                        \
	S(NVML_ERROR_INSUFFICIENT_SIZE, 7, "the buffer is too small")                                                  \
	S(NVML_ERROR_INSUFFICIENT_POWER, 8, "power cables are missing")                                                \
	S(NVML_ERROR_DRIVER_NOT_LOADED, 9, "the driver is not loaded")                                                 \
	S(NVML_ERROR_TIMEOUT, 10, "timeout")                                                                           \
	S(NVML_ERROR_IRQ_ISSUE, 11, "interrupts do not arrive")                                                        \
	S(NVML_ERROR_LIBRARY_NOT_FOUND, 12, "the library is not found")                                                \
	S(NVML_ERROR_FUNCTION_NOT_FOUND, 13, "the function is not found")                                              \
	S(NVML_ERROR_CORRUPTED_INFOROM, 14, "the information memory is corrupted")                                     \
	S(NVML_ERROR_GPU_IS_LOST, 15, "the device is lost")                                                            \
	S(NVML_ERROR_RESET_REQUIRED, 16, "the device needs a reset")                                                   \
	S(NVML_ERROR_OPERATING_SYSTEM, 17, "the operating system refused")                                             \
	S(NVML_ERROR_LIB_RM_VERSION_MISMATCH, 18, "versions of driver and library differ")                             \
	S(NVML_ERROR_IN_USE, 19, "the device is in use")                                                               \
	S(NVML_ERROR_MEMORY, 20, "no memory")                                                                          \
	S(NVML_ERROR_NO_DATA, 21, "no data")                                                                           \
	S(NVML_ERROR_UNKNOWN, 999, "unknown error")

#define SLUICE_NVML_STATUS(name, number, text) name = number,
typedef enum nvmlReturn_enum { SLUICE_NVML_STATUSES(SLUICE_NVML_STATUS) } nvmlReturn_t;
#undef SLUICE_NVML_STATUS

typedef enum nvmlClockType_enum {
	NVML_CLOCK_GRAPHICS = 0,
	NVML_CLOCK_SM = 1,
	NVML_CLOCK_MEM = 2,
	NVML_CLOCK_VIDEO = 3
} nvmlClockType_t;
typedef enum nvmlTemperatureSensors_enum { NVML_TEMPERATURE_GPU = 0 } nvmlTemperatureSensors_t;
typedef enum nvmlTemperatureThresholds_enum {
	NVML_TEMPERATURE_THRESHOLD_SHUTDOWN = 0,
	NVML_TEMPERATURE_THRESHOLD_SLOWDOWN = 1,
	NVML_TEMPERATURE_THRESHOLD_MEM_MAX = 2,
	NVML_TEMPERATURE_THRESHOLD_GPU_MAX = 3
} nvmlTemperatureThresholds_t;
typedef enum nvmlSamplingType_enum {
	NVML_TOTAL_POWER_SAMPLES = 0,
	NVML_GPU_UTILIZATION_SAMPLES = 1,
	NVML_MEMORY_UTILIZATION_SAMPLES = 2,
	NVML_ENC_UTILIZATION_SAMPLES = 3,
	NVML_DEC_UTILIZATION_SAMPLES = 4,
	NVML_PROCESSOR_CLK_SAMPLES = 5,
	NVML_MEMORY_CLK_SAMPLES = 6
} nvmlSamplingType_t;
typedef enum nvmlValueType_enum {
	NVML_VALUE_TYPE_DOUBLE = 0,
	NVML_VALUE_TYPE_UNSIGNED_INT = 1,
	NVML_VALUE_TYPE_UNSIGNED_LONG = 2,
	NVML_VALUE_TYPE_UNSIGNED_LONG_LONG = 3,
	NVML_VALUE_TYPE_SIGNED_LONG_LONG = 4
} nvmlValueType_t;
typedef enum nvmlEnableState_enum { NVML_FEATURE_DISABLED = 0, NVML_FEATURE_ENABLED = 1 } nvmlEnableState_t;

#define nvmlClocksThrottleReasonGpuIdle                   0x1ULL
#define nvmlClocksThrottleReasonApplicationsClocksSetting 0x2ULL
#define nvmlClocksThrottleReasonUserDefinedClocks         nvmlClocksThrottleReasonApplicationsClocksSetting
#define nvmlClocksThrottleReasonSwPowerCap                0x4ULL
#define nvmlClocksThrottleReasonHwSlowdown                0x8ULL
#define nvmlClocksThrottleReasonSyncBoost                 0x10ULL
#define nvmlClocksThrottleReasonSwThermalSlowdown         0x20ULL
#define nvmlClocksThrottleReasonHwThermalSlowdown         0x40ULL
#define nvmlClocksThrottleReasonHwPowerBrakeSlowdown      0x80ULL
#define nvmlClocksThrottleReasonDisplayClockSetting       0x100ULL
#define nvmlClocksThrottleReasonNone                      0x0ULL
#define nvmlClocksThrottleReasonAll                       0x1ffULL

typedef struct nvmlMemory_st {
	unsigned long long total, free, used; /* bytes */
} nvmlMemory_t;
typedef struct nvmlUtilization_st {
	unsigned int gpu, memory;
} nvmlUtilization_t;
typedef struct nvmlPciInfo_st {
	char busIdLegacy[16];
	unsigned int domain, bus, device, pciDeviceId, pciSubSystemId;
	char busId[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
} nvmlPciInfo_t;
typedef union nvmlValue_st {
	double dVal;
	int siVal;
	unsigned int uiVal;
	unsigned long ulVal;
	unsigned long long ullVal;
	signed long long sllVal;
} nvmlValue_t;
typedef struct nvmlSample_st {
	unsigned long long timeStamp;
	nvmlValue_t sampleValue;
} nvmlSample_t;

nvmlReturn_t nvmlInit_v2(void);
nvmlReturn_t nvmlInitWithFlags(unsigned int flags);
nvmlReturn_t nvmlShutdown(void);
const char *nvmlErrorString(nvmlReturn_t status);
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version);
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version);
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count);
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index);
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length);
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length);
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *info);
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor);
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory);
/* In MHz. The machine's clocks never change. */
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock);
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock);
nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock);
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons);

/* NVML_ERROR_NOT_SUPPORTED, each. */
#define SLUICE_NVML_UNSUPPORTED(F)                                                                                     \
	F(nvmlDeviceGetTemperature, (nvmlDevice_t, nvmlTemperatureSensors_t, unsigned int *))                          \
	F(nvmlDeviceGetTemperatureThreshold, (nvmlDevice_t, nvmlTemperatureThresholds_t, unsigned int *))              \
	F(nvmlDeviceGetFanSpeed, (nvmlDevice_t, unsigned int *))                                                       \
	F(nvmlDeviceGetPowerUsage, (nvmlDevice_t, unsigned int *))                                                     \
	F(nvmlDeviceGetPowerManagementMode, (nvmlDevice_t, nvmlEnableState_t *))                                       \
	F(nvmlDeviceGetPowerManagementLimit, (nvmlDevice_t, unsigned int *))                                           \
	F(nvmlDeviceGetPowerManagementDefaultLimit, (nvmlDevice_t, unsigned int *))                                    \
	F(nvmlDeviceGetEnforcedPowerLimit, (nvmlDevice_t, unsigned int *))                                             \
	F(nvmlDeviceGetTotalEnergyConsumption, (nvmlDevice_t, unsigned long long *))                                   \
	F(nvmlDeviceGetUtilizationRates, (nvmlDevice_t, nvmlUtilization_t *))                                          \
	F(nvmlDeviceGetPersistenceMode, (nvmlDevice_t, nvmlEnableState_t *))                                           \
	F(nvmlDeviceSetPersistenceMode, (nvmlDevice_t, nvmlEnableState_t))                                             \
	F(nvmlDeviceSetApplicationsClocks, (nvmlDevice_t, unsigned int, unsigned int))                                 \
	F(nvmlDeviceResetApplicationsClocks, (nvmlDevice_t))                                                           \
	F(nvmlDeviceSetGpuLockedClocks, (nvmlDevice_t, unsigned int, unsigned int))                                    \
	F(nvmlDeviceResetGpuLockedClocks, (nvmlDevice_t))                                                              \
	F(nvmlDeviceSetPowerManagementLimit, (nvmlDevice_t, unsigned int))                                             \
	F(nvmlDeviceGetSamples, (nvmlDevice_t, nvmlSamplingType_t, unsigned long long, nvmlValueType_t *,              \
	                         unsigned int *, nvmlSample_t *))
#define SLUICE_NVML_DECLARED(name, parameters) nvmlReturn_t name parameters;
SLUICE_NVML_UNSUPPORTED(SLUICE_NVML_DECLARED)
#undef SLUICE_NVML_DECLARED

#define nvmlInit                     nvmlInit_v2
#define nvmlDeviceGetCount           nvmlDeviceGetCount_v2
#define nvmlDeviceGetHandleByIndex   nvmlDeviceGetHandleByIndex_v2
#define nvmlDeviceGetHandleByPciBusId nvmlDeviceGetHandleByPciBusId_v2
#define nvmlDeviceGetPciInfo         nvmlDeviceGetPciInfo_v3

#ifdef __cplusplus
}
#endif

#include "sluice/macros_on.h"

#endif
