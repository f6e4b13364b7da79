/* The device: one, number 0, with the properties of the machine file. */
#include "cudart/capture.h"

#include <stdio.h>
#include <string.h>

enum { RUNTIME_VERSION = CUDART_VERSION, MAX_PITCH = 0x7fffffff, GRID_LIMIT = 65535, CONSTANT_BYTES = 65536 };

static void fill_properties(struct cudaDeviceProp *properties, const struct sluice_machine_info *machine)
{
	int threads = (int)machine->max_threads_per_block;
	*properties = (struct cudaDeviceProp){
		.totalGlobalMem = machine->memory_bytes,
		.sharedMemPerBlock = machine->shared_bytes_per_block,
		.regsPerBlock = (int)machine->registers_per_sm,
		.warpSize = (int)machine->warp_size,
		.memPitch = MAX_PITCH,
		.maxThreadsPerBlock = threads,
		.maxThreadsDim = {threads, threads, 64},
		.maxGridSize = {machine->major >= 3 ? INT32_MAX : GRID_LIMIT, GRID_LIMIT, GRID_LIMIT},
		.clockRate = (int)machine->core_mhz * 1000,
		.totalConstMem = CONSTANT_BYTES,
		.major = (int)machine->major,
		.minor = (int)machine->minor,
		.textureAlignment = 512,
		.texturePitchAlignment = 32,
		.deviceOverlap = 1,
		.canMapHostMemory = 1,
		/* of compute capability 2.x; later ones have more */
		.maxTexture1D = 65536,
		.maxTexture1DMipmap = 16384,
		.maxTexture1DLinear = 1 << 27,
		.maxTexture2D = {65536, 65535},
		.maxTexture2DMipmap = {16384, 16384},
		.maxTexture2DLinear = {65000, 65000, 1048544},
		.maxTexture2DGather = {16384, 16384},
		.maxTexture3D = {2048, 2048, 2048},
		.maxTexture3DAlt = {2048, 2048, 2048},
		.maxTextureCubemap = 16384,
		.maxTexture1DLayered = {16384, 2048},
		.maxTexture2DLayered = {16384, 16384, 2048},
		.maxTextureCubemapLayered = {16384, 2046},
		.maxSurface1D = 65536,
		.maxSurface2D = {65536, 32768},
		.maxSurface3D = {65536, 32768, 2048},
		.maxSurface1DLayered = {65536, 2048},
		.maxSurface2DLayered = {65536, 32768, 2048},
		.maxSurfaceCubemap = 32768,
		.maxSurfaceCubemapLayered = {32768, 2046},
		.multiProcessorCount = (int)machine->sm_count,
		.computeMode = cudaComputeModeDefault,
		.surfaceAlignment = 512,
		.concurrentKernels = 1,
		.pciBusID = 1,
		.asyncEngineCount = 1,
		.unifiedAddressing = 1,
		.memoryClockRate = (int)machine->memory_mhz * 1000,
		.memoryBusWidth = (int)machine->memory_bus_bits,
		.l2CacheSize = (int)machine->l2_bytes,
		.maxThreadsPerMultiProcessor = (int)machine->max_threads_per_sm,
		.globalL1CacheSupported = 1,
		.localL1CacheSupported = 1,
		.sharedMemPerMultiprocessor = machine->shared_bytes_per_sm,
		.regsPerMultiprocessor = (int)machine->registers_per_sm,
		.singleToDoublePrecisionPerfRatio = 2,
		.sharedMemPerBlockOptin = machine->shared_bytes_per_block,
		.maxBlocksPerMultiProcessor = (int)machine->max_blocks_per_sm,
		.cooperativeLaunch = 1,
		.cooperativeMultiDeviceLaunch = 1,
	};
	snprintf(properties->name, sizeof properties->name, "Sluice %s", machine->name);
	memcpy(properties->uuid.bytes, "sluice-simulated", sizeof properties->uuid.bytes);
}

static cudaError_t no_device(const char *call, int device)
{
	return runtime_refuse(call, cudaErrorInvalidDevice, "there is no device %d, only device 0", device);
}

static cudaError_t get_properties(struct runtime *runtime, const char *call, struct cudaDeviceProp *properties,
                                  int device)
{
	cudaError_t result = runtime_check(runtime, call, properties);
	if (result != cudaSuccess || device != 0)
		return result != cudaSuccess ? result : no_device(call, device);
	struct sluice_machine_info machine;
	sluice_machine_info(runtime->gpu, &machine);
	fill_properties(properties, &machine);
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
	struct runtime *runtime = runtime_enter();
	return runtime_leave(runtime, get_properties(runtime, "cudaGetDeviceProperties", properties, device));
}

/* Where an attribute lies in the properties, and how wide it is there. */
#define AT(attribute, field)                                                                                           \
	{                                                                                                              \
		cudaDevAttr##attribute, offsetof(struct cudaDeviceProp, field),                                        \
			sizeof((struct cudaDeviceProp *)NULL)->field                                                   \
	}
static const struct attribute {
	enum cudaDeviceAttr attribute;
	size_t offset, size;
} attributes[] = {
	AT(MaxThreadsPerBlock, maxThreadsPerBlock),
	AT(MaxBlockDimX, maxThreadsDim[0]),
	AT(MaxBlockDimY, maxThreadsDim[1]),
	AT(MaxBlockDimZ, maxThreadsDim[2]),
	AT(MaxGridDimX, maxGridSize[0]),
	AT(MaxGridDimY, maxGridSize[1]),
	AT(MaxGridDimZ, maxGridSize[2]),
	AT(MaxSharedMemoryPerBlock, sharedMemPerBlock),
	AT(TotalConstantMemory, totalConstMem),
	AT(WarpSize, warpSize),
	AT(MaxPitch, memPitch),
	AT(MaxRegistersPerBlock, regsPerBlock),
	AT(ClockRate, clockRate),
	AT(TextureAlignment, textureAlignment),
	AT(GpuOverlap, deviceOverlap),
	AT(MultiProcessorCount, multiProcessorCount),
	AT(KernelExecTimeout, kernelExecTimeoutEnabled),
	AT(Integrated, integrated),
	AT(CanMapHostMemory, canMapHostMemory),
	AT(ComputeMode, computeMode),
	AT(ConcurrentKernels, concurrentKernels),
	AT(EccEnabled, ECCEnabled),
	AT(PciBusId, pciBusID),
	AT(PciDeviceId, pciDeviceID),
	AT(PciDomainId, pciDomainID),
	AT(TccDriver, tccDriver),
	AT(MemoryClockRate, memoryClockRate),
	AT(GlobalMemoryBusWidth, memoryBusWidth),
	AT(L2CacheSize, l2CacheSize),
	AT(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
	AT(AsyncEngineCount, asyncEngineCount),
	AT(UnifiedAddressing, unifiedAddressing),
	AT(ComputeCapabilityMajor, major),
	AT(ComputeCapabilityMinor, minor),
	AT(StreamPrioritiesSupported, streamPrioritiesSupported),
	AT(GlobalL1CacheSupported, globalL1CacheSupported),
	AT(LocalL1CacheSupported, localL1CacheSupported),
	AT(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
	AT(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
	AT(ManagedMemory, managedMemory),
	AT(IsMultiGpuBoard, isMultiGpuBoard),
	AT(MultiGpuBoardGroupID, multiGpuBoardGroupID),
	AT(HostNativeAtomicSupported, hostNativeAtomicSupported),
	AT(SingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
	AT(PageableMemoryAccess, pageableMemoryAccess),
	AT(ConcurrentManagedAccess, concurrentManagedAccess),
	AT(ComputePreemptionSupported, computePreemptionSupported),
	AT(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
	AT(CooperativeLaunch, cooperativeLaunch),
	AT(CooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
	AT(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
	AT(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
	AT(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
	AT(MaxTexture1DWidth, maxTexture1D),
	AT(MaxTexture2DWidth, maxTexture2D[0]),
	AT(MaxTexture2DHeight, maxTexture2D[1]),
	AT(MaxTexture3DWidth, maxTexture3D[0]),
	AT(MaxTexture3DHeight, maxTexture3D[1]),
	AT(MaxTexture3DDepth, maxTexture3D[2]),
	AT(MaxTexture2DLayeredWidth, maxTexture2DLayered[0]),
	AT(MaxTexture2DLayeredHeight, maxTexture2DLayered[1]),
	AT(MaxTexture2DLayeredLayers, maxTexture2DLayered[2]),
	AT(SurfaceAlignment, surfaceAlignment),
	AT(MaxTexture1DLayeredWidth, maxTexture1DLayered[0]),
	AT(MaxTexture1DLayeredLayers, maxTexture1DLayered[1]),
	AT(MaxTexture2DGatherWidth, maxTexture2DGather[0]),
	AT(MaxTexture2DGatherHeight, maxTexture2DGather[1]),
	AT(MaxTexture3DWidthAlt, maxTexture3DAlt[0]),
	AT(MaxTexture3DHeightAlt, maxTexture3DAlt[1]),
	AT(MaxTexture3DDepthAlt, maxTexture3DAlt[2]),
	AT(TexturePitchAlignment, texturePitchAlignment),
	AT(MaxTextureCubemapWidth, maxTextureCubemap),
	AT(MaxTextureCubemapLayeredWidth, maxTextureCubemapLayered[0]),
	AT(MaxTextureCubemapLayeredLayers, maxTextureCubemapLayered[1]),
	AT(MaxSurface1DWidth, maxSurface1D),
	AT(MaxSurface2DWidth, maxSurface2D[0]),
	AT(MaxSurface2DHeight, maxSurface2D[1]),
	AT(MaxSurface3DWidth, maxSurface3D[0]),
	AT(MaxSurface3DHeight, maxSurface3D[1]),
	AT(MaxSurface3DDepth, maxSurface3D[2]),
	AT(MaxSurface1DLayeredWidth, maxSurface1DLayered[0]),
	AT(MaxSurface1DLayeredLayers, maxSurface1DLayered[1]),
	AT(MaxSurface2DLayeredWidth, maxSurface2DLayered[0]),
	AT(MaxSurface2DLayeredHeight, maxSurface2DLayered[1]),
	AT(MaxSurface2DLayeredLayers, maxSurface2DLayered[2]),
	AT(MaxSurfaceCubemapWidth, maxSurfaceCubemap),
	AT(MaxSurfaceCubemapLayeredWidth, maxSurfaceCubemapLayered[0]),
	AT(MaxSurfaceCubemapLayeredLayers, maxSurfaceCubemapLayered[1]),
	AT(MaxTexture1DLinearWidth, maxTexture1DLinear),
	AT(MaxTexture2DLinearWidth, maxTexture2DLinear[0]),
	AT(MaxTexture2DLinearHeight, maxTexture2DLinear[1]),
	AT(MaxTexture2DLinearPitch, maxTexture2DLinear[2]),
	AT(MaxTexture2DMipmappedWidth, maxTexture2DMipmap[0]),
	AT(MaxTexture2DMipmappedHeight, maxTexture2DMipmap[1]),
	AT(MaxTexture1DMipmappedWidth, maxTexture1DMipmap),
	AT(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
	AT(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
	AT(MaxPersistingL2CacheSize, persistingL2CacheMaxSize),
	AT(MaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
};

/* The numbers up to CUDA 13's last; what stands in no field of the properties, a simulated machine has not. */
enum { LAST_ATTRIBUTE = 150 };

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	struct runtime *runtime = runtime_enter();
	struct cudaDeviceProp properties;
	cudaError_t result = runtime_check(runtime, "cudaDeviceGetAttribute", value);
	if (result == cudaSuccess)
		result = get_properties(runtime, "cudaDeviceGetAttribute", &properties, device);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	result = (int)attribute > 0 && (int)attribute <= LAST_ATTRIBUTE ? cudaSuccess : cudaErrorInvalidValue;
	if (result == cudaSuccess)
		*value = 0;
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
		const struct attribute *row = &attributes[i];
		const char *field = (const char *)&properties + row->offset;
		if (row->attribute != attribute)
			continue;
		*value = row->size == sizeof(size_t) ? (int)*(const size_t *)field : *(const int *)field;
	}
	return runtime_leave(runtime, result);
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

static cudaError_t check_device(const char *call, int device)
{
	struct runtime *runtime = runtime_enter_closed();
	return runtime_leave(runtime, device == 0 ? runtime->error : no_device(call, device));
}

cudaError_t cudaSetDevice(int device)
{
	return check_device("cudaSetDevice", device);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
	static const char call[] = "cudaSetValidDevices";
	if (count < 0 || (count && !devices))
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "no list of %d devices", count));
	for (int i = 0; i < count; i++)
		if (devices[i] != 0)
			return check_device(call, devices[i]);
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

/* There is no other device. */
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	static const char call[] = "cudaDeviceCanAccessPeer";
	cudaError_t result = answer(call, can, 0);
	if (result == cudaSuccess)
		result = check_device(call, device);
	return result == cudaSuccess ? check_device(call, peer) : result;
}

/* Kernels end before their launch returns: there is nothing to wait for but the error of one that failed. */
cudaError_t cudaDeviceSynchronize(void)
{
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
	(void)config;
	return sticky();
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

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	if (least) /* either may be NULL */
		*least = 0;
	if (greatest)
		*greatest = 0;
	return sticky();
}

/* Device memory for stacks, printf and malloc is not limited beside the machine's own. */
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	(void)limit, (void)value;
	return sticky();
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	static const size_t limits[] = {
		[cudaLimitStackSize] = 1024, [cudaLimitPrintfFifoSize] = 1 << 20, [cudaLimitMallocHeapSize] = 8 << 20};
	struct runtime *runtime = runtime_enter_closed();
	cudaError_t result = runtime_check(runtime, "cudaDeviceGetLimit", value);
	if (result == cudaSuccess && (size_t)limit >= sizeof limits / sizeof *limits)
		result = cudaErrorUnsupportedLimit;
	if (result == cudaSuccess)
		*value = limits[limit];
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
	snprintf(id, (size_t)length, "0000:00:00.0");
	return check_device(call, device);
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
