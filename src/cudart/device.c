/* The device: there is one, number 0. Its properties are in properties.c. */
#include "cudart/capture.h"

#include <stdio.h>

static cudaError_t no_device(const char *call, int device)
{
	return runtime_refuse(call, cudaErrorInvalidDevice, "there is no device %d, only device 0", device);
}

/* Returns a value that is the same for every machine. */
static cudaError_t answer(const char *call, int *room, int value)
{
	if (!room)
		return runtime_result(
			runtime_refuse(call, cudaErrorInvalidValue, "the pointer for the result is NULL"));
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
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue,
		                                     "the list of %d devices is NULL or "
		                                     "empty",
		                                     count));
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

/* At most one flag may be set of those that choose how a thread waits for the device. */
static cudaError_t check_flags(const char *call, unsigned flags)
{
	enum { KNOWN = cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops };
	unsigned ways = flags & cudaDeviceScheduleMask;
	if (flags & ~(unsigned)KNOWN)
		return runtime_refuse(call, cudaErrorInvalidValue, "0x%x is no flag of a device",
		                      flags & ~(unsigned)KNOWN);
	if (ways & (ways - 1))
		return runtime_refuse(call, cudaErrorInvalidValue, "0x%x sets several ways to wait for the device",
		                      ways);
	return cudaSuccess;
}

/* The flags have no effect except that cudaGetDeviceFlags() returns them. Launches and copies end before their calls
 * return, pinned memory is always mapped, and all threads always have local memory. */
cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	struct runtime *runtime = runtime_enter_closed();
	cudaError_t result = check_flags("cudaSetDeviceFlags", flags);
	if (result == cudaSuccess)
		runtime->device_flags = flags;
	return runtime_leave(runtime, result);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
	struct runtime *runtime = runtime_enter_closed();
	unsigned now = runtime->device_flags;
	runtime_leave(runtime, cudaSuccess);
	return answer("cudaGetDeviceFlags", (int *)flags, (int)now);
}

/* A kernel ends before its launch returns, so there is nothing to wait for. Returns the error of a failed kernel. */
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

/* Programs reset the device at their end, so memory and statistics stay. */
cudaError_t cudaDeviceReset(void)
{
	return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
	return cudaDeviceReset();
}

/* The profiled region is the one that --region simulates. */
static cudaError_t profile(bool starts)
{
	struct runtime *runtime = runtime_enter();
	if (runtime->gpu)
		sluice_region(runtime->gpu, starts);
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaProfilerStart(void)
{
	return profile(true);
}

cudaError_t cudaProfilerStop(void)
{
	return profile(false);
}

/* Returns the sticky error, for calls without an effect. */
static cudaError_t sticky(void)
{
	struct runtime *runtime = runtime_enter_closed();
	return runtime_leave(runtime, runtime->error);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	static const char call[] = "cudaDeviceSetCacheConfig";
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime->error == cudaSuccess ? runtime_check_cache(call, config) : runtime->error;
	if (result == cudaSuccess && can_prefer(runtime, call, config != cudaFuncCachePreferNone))
		runtime->cache = config;
	return runtime_leave(runtime, result);
}

/* Returns cudaFuncCachePreferNone on a machine with fixed sizes, which stores no preference. */
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	struct runtime *runtime = runtime_enter_closed();
	enum cudaFuncCache now = runtime->cache;
	runtime_leave(runtime, cudaSuccess);
	return answer("cudaDeviceGetCacheConfig", (int *)config, (int)now);
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

/* The greatest priority has the lowest number. Priorities have no effect: work runs in the order of the calls. */
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	struct sluice_machine_info machine = {SLUICE_SIZED(machine_info)};
	struct runtime *runtime = runtime_enter_beside();
	if (runtime->gpu)
		sluice_machine_info(runtime->gpu, &machine);
	if (least) /* both may be NULL */
		*least = 0;
	if (greatest)
		*greatest = machine.major >= 7 ? -5 : machine.major * 10 + machine.minor >= 35 ? -1 : 0;
	return runtime_leave(runtime, runtime->error);
}

/* Stacks, printf buffer and device heap are limited only by the machine's memory, and no L2 line is persisting. The
 * program's values are stored and returned. */
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
		result = runtime_refuse(call, cudaErrorUnsupportedLimit, "%d is not a limit", (int)limit);
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
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "no memory was given for the name"));
	snprintf(id, (size_t)length, "0000:%02x:00.0", DEVICE_PCI_BUS);
	return runtime_check_device(call, device);
}

cudaError_t cudaDriverGetVersion(int *version)
{
	return answer("cudaDriverGetVersion", version, DRIVER_VERSION);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	return answer("cudaRuntimeGetVersion", version, CUDART_VERSION);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* ---- queries and calls about other devices ---- */

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels, const struct cudaChannelFormatDesc *format, int device)
{
	struct cudaDeviceProp properties;
	cudaError_t result = cudaGetDeviceProperties(texels && format ? &properties : NULL, device);
	if (result == cudaSuccess) /* the limit counts texels of any size */
		*texels = (size_t)properties.maxTexture1DLinear;
	return result;
}

/* There are no other devices whose writes could be pending. */
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                               enum cudaFlushGPUDirectRDMAWritesScope scope)
{
	(void)target, (void)scope;
	return runtime_result(runtime_refuse("cudaDeviceFlushGPUDirectRDMAWrites", cudaErrorNotSupported,
	                                     "no other device writes into the memory"));
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
	static const char call[] = "cudaInitDevice";
	if (flags & ~(unsigned)cudaInitDeviceFlagsAreValid)
		return runtime_result(
			runtime_refuse(call, cudaErrorInvalidValue, "0x%x is no flag of this call", flags));
	cudaError_t result = cudaSetDevice(device);
	return result == cudaSuccess && flags ? cudaSetDeviceFlags(device_flags) : result;
}
