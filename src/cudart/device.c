/* The device: one, number 0. What it is, is in properties.c. */
#include "cudart/capture.h"

#include <stdio.h>

enum { RUNTIME_VERSION = CUDART_VERSION };

static cudaError_t no_device(const char *call, int device)
{
	return runtime_refuse(call, cudaErrorInvalidDevice, "there is no device %d, only device 0", device);
}

/* Answers of calls that say the same of every machine. */
static cudaError_t answer(const char *call, int *room, int value)
{
	if (!room)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "NULL where the result belongs"));
	*room = value;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
	return answer("cudaGetDeviceCount", count, 1);
}

cudaError_t cudaGetDevice(int *device)
{
	return answer("cudaGetDevice", device, 0);
}

cudaError_t runtime_check_device(const char *call, int device)
{
	struct runtime *runtime = runtime_enter_closed();
	return runtime_leave(runtime, device == 0 ? runtime->error : no_device(call, device));
}

cudaError_t cudaSetDevice(int device)
{
	cudaError_t result = runtime_check_device("cudaSetDevice", device);
	if (result == cudaSuccess)
		runtime_use_context();
	return result;
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
	static const char call[] = "cudaSetValidDevices";
	if (count < 0 || (count && !devices))
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "no list of %d devices", count));
	for (int i = 0; i < count; i++)
		if (devices[i] != 0)
			return runtime_check_device(call, devices[i]);
	return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties)
{
	if (!properties)
		return runtime_result(runtime_refuse("cudaChooseDevice", cudaErrorInvalidValue, "no properties"));
	return answer("cudaChooseDevice", device, 0);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	(void)flags;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
	return answer("cudaGetDeviceFlags", (int *)flags, cudaDeviceScheduleAuto);
}

/* Kernels end before their launch returns: there is nothing to wait for but the error of one that failed. */
cudaError_t cudaDeviceSynchronize(void)
{
	runtime_use_context();
	struct runtime *runtime = runtime_enter();
	return runtime_leave(runtime, capture_check_device(runtime, "cudaDeviceSynchronize"));
}

cudaError_t cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

/* Memory and statistics stay: programs reset the device when they are done. */
cudaError_t cudaDeviceReset(void)
{
	return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
	return cudaDeviceReset();
}

cudaError_t cudaProfilerStart(void)
{
	return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
	return cudaSuccess;
}

/* The sticky error, of calls that have nothing to do. */
static cudaError_t sticky(void)
{
	struct runtime *runtime = runtime_enter_closed();
	return runtime_leave(runtime, runtime->error);
}

/* Preferences: the machine file decides. */
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	struct runtime *runtime = runtime_enter_closed();
	note_cache_preference(runtime, "cudaDeviceSetCacheConfig", config);
	return runtime_leave(runtime, runtime->error);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	return answer("cudaDeviceGetCacheConfig", (int *)config, cudaFuncCachePreferNone);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
	return cudaDeviceSetCacheConfig(config);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
	return cudaDeviceGetCacheConfig(config);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	(void)config;
	return sticky();
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	return answer("cudaDeviceGetSharedMemConfig", (int *)config, cudaSharedMemBankSizeFourByte);
}

/* The greatest has the lowest number. Work runs in the order in which it is given, whatever its priority. */
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	struct sluice_machine_info machine = {SLUICE_SIZED(machine_info)};
	struct runtime *runtime = runtime_enter();
	if (runtime->gpu)
		sluice_machine_info(runtime->gpu, &machine);
	if (least) /* either may be NULL */
		*least = 0;
	if (greatest)
		*greatest = machine.major >= 7 ? -5 : machine.major * 10 + machine.minor >= 35 ? -1 : 0;
	return runtime_leave(runtime, runtime->error);
}

/* Device memory for stacks, printf and malloc is not limited beside the machine's own, and no line of L2 is kept for good: what is set
 * is said again. */
static const size_t first_limit[] = {
	[cudaLimitStackSize] = 1024,
	[cudaLimitPrintfFifoSize] = 1 << 20,
	[cudaLimitMallocHeapSize] = 8 << 20,
	[cudaLimitDevRuntimeSyncDepth] = 2,
	[cudaLimitDevRuntimePendingLaunchCount] = 2048,
	[cudaLimitMaxL2FetchGranularity] = 64,
	[cudaLimitPersistingL2CacheSize] = 0,
};

static cudaError_t check_limit(const struct runtime *runtime, const char *call, enum cudaLimit limit, bool has_room)
{
	cudaError_t result = runtime_check(runtime, call, has_room);
	if (result == cudaSuccess && (size_t)limit >= sizeof first_limit / sizeof *first_limit)
		result = runtime_refuse(call, cudaErrorUnsupportedLimit, "%d is no limit", (int)limit);
	return result;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	struct runtime *runtime = runtime_enter_closed();
	cudaError_t result = check_limit(runtime, "cudaDeviceSetLimit", limit, true);
	if (result == cudaSuccess)
		runtime->limit[limit] = value;
	return runtime_leave(runtime, result);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	struct runtime *runtime = runtime_enter_closed();
	cudaError_t result = check_limit(runtime, "cudaDeviceGetLimit", limit, value);
	if (result == cudaSuccess)
		*value = runtime->limit[limit] ? runtime->limit[limit] : first_limit[limit];
	return runtime_leave(runtime, result);
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
	return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
	return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
	static const char call[] = "cudaDeviceGetPCIBusId";
	if (!id || length <= 0)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "no room for the name"));
	snprintf(id, (size_t)length, "0000:%02x:00.0", DEVICE_PCI_BUS);
	return runtime_check_device(call, device);
}

cudaError_t cudaDriverGetVersion(int *version)
{
	return answer("cudaDriverGetVersion", version, RUNTIME_VERSION);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	return answer("cudaRuntimeGetVersion", version, RUNTIME_VERSION);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* ---- what devices with neighbours have ---- */

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels, const struct cudaChannelFormatDesc *format, int device)
{
	struct cudaDeviceProp properties;
	cudaError_t result = cudaGetDeviceProperties(texels && format ? &properties : NULL, device);
	if (result == cudaSuccess) /* of which each has so many texels, whatever its bytes */
		*texels = (size_t)properties.maxTexture1DLinear;
	return result;
}

/* Of other devices there are none whose writes could be late. */
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                               enum cudaFlushGPUDirectRDMAWritesScope scope)
{
	(void)target, (void)scope;
	return runtime_result(runtime_refuse("cudaDeviceFlushGPUDirectRDMAWrites", cudaErrorNotSupported,
	                                     "no other device writes into the memory"));
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
	cudaError_t result = cudaSetDevice(device);
	return result == cudaSuccess && flags & 1 ? cudaSetDeviceFlags(device_flags) : result;
}
