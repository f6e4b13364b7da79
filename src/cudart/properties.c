/* The device's properties and attributes. They come from the machine file or, where it has no such value, from GPUs of
 * its compute capability. Every machine reports support for cooperative launches, because they work here. */
#include "cudart/runtime.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PITCH = 0x7fffffff, GRID_LIMIT = 65535, CONSTANT_BYTES = 65536 };

/* Fills in image limits: those before compute capability 3.0, and the changes of 3.0, 5.0 and 6.0. */
static void fill_image_limits(struct cudaDeviceProp *properties, uint32_t major)
{
	bool three = major >= 3, five = major >= 5, six = major >= 6;
	int texture = six ? 131072 : 65536, high = six ? 65536 : 65535, layer = six ? 32768 : 16384;
	int volume = six ? 16384 : three ? 4096 : 2048;
	int line = six ? 32768 : five ? 16384 : 65536, depth = five ? volume : 2048;
	int width = six ? 131072 : 65536, height = five ? 65536 : 32768, surface_layer = six ? 32768 : 16384;
	struct cudaDeviceProp limits = {
		.maxTexture1D = texture,
		.maxTexture1DMipmap = layer,
		.maxTexture1DLinear = 1 << 27,
		.maxTexture2D = {texture, high},
		.maxTexture2DMipmap = {layer, layer},
		.maxTexture2DLinear = {65000, 65000, 1048544},
		.maxTexture2DGather = {layer, layer},
		.maxTexture3D = {volume, volume, volume},
		.maxTexture3DAlt = {three ? volume / 2 : volume, three ? volume / 2 : volume,
	                            three ? 4 * volume : volume},
		.maxTextureCubemap = layer,
		.maxTexture1DLayered = {layer, 2048},
		.maxTexture2DLayered = {layer, layer, 2048},
		.maxTextureCubemapLayered = {layer, 2046},
		.maxSurface1D = line,
		.maxSurface2D = {width, height},
		.maxSurface3D = {five ? volume : 65536, five ? volume : 32768, depth},
		.maxSurface1DLayered = {line, 2048},
		.maxSurface2DLayered = {five ? surface_layer : 65536, five ? surface_layer : 32768, 2048},
		.maxSurfaceCubemap = five ? surface_layer : 32768,
		.maxSurfaceCubemapLayered = {five ? surface_layer : 32768, 2046},
	};
	size_t first = offsetof(struct cudaDeviceProp, maxTexture1D);
	memcpy((char *)properties + first, (char *)&limits + first,
	       offsetof(struct cudaDeviceProp, surfaceAlignment) - first);
}

/* Fills in features of later compute capabilities. */
static void fill_abilities(struct cudaDeviceProp *properties, const struct sluice_machine_info *machine)
{
	uint32_t capability = machine->major * 10 + machine->minor;
	properties->streamPrioritiesSupported = capability >= 35;
	properties->managedMemory = capability >= 30;
	properties->concurrentManagedAccess = capability >= 60;
	properties->computePreemptionSupported = capability >= 60;
	properties->canUseHostPointerForRegisteredMem = capability >= 60;
	properties->hostNativeAtomicSupported = 0;
	properties->persistingL2CacheMaxSize = capability >= 80 ? (int)(machine->l2_bytes / 4 * 3) : 0;
	properties->accessPolicyMaxWindowSize = capability >= 80 ? (1 << 27) - 4096 : 0;
	properties->reservedSharedMemPerBlock = capability >= 80 ? 1024 : 0;
	properties->asyncEngineCount = capability >= 30 ? 2 : 1;
	properties->concurrentKernels = capability >= 20;
}

static int kilohertz(uint32_t megahertz)
{
	return megahertz < INT32_MAX / 1000 ? (int)megahertz * 1000 : INT32_MAX;
}

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
		.clockRate = kilohertz(machine->core_mhz),
		.totalConstMem = CONSTANT_BYTES,
		.major = (int)machine->major,
		.minor = (int)machine->minor,
		.textureAlignment = 512,
		.texturePitchAlignment = 32,
		.deviceOverlap = 1,
		.canMapHostMemory = 1, /* all pinned memory is mapped */
		.multiProcessorCount = (int)machine->sm_count,
		.computeMode = cudaComputeModeDefault,
		.surfaceAlignment = 512,
		.pciBusID = DEVICE_PCI_BUS,
		.unifiedAddressing = 1,
		.memoryClockRate = kilohertz(machine->memory_mhz),
		.memoryBusWidth = (int)machine->memory_bus_bits,
		.l2CacheSize = (int)machine->l2_bytes,
		.maxThreadsPerMultiProcessor = (int)machine->max_threads_per_sm,
		.globalL1CacheSupported = 1,
		.localL1CacheSupported = 1,
		.sharedMemPerMultiprocessor = machine->shared_bytes_per_sm,
		.regsPerMultiprocessor = (int)machine->registers_per_sm,
		.singleToDoublePrecisionPerfRatio = machine->major < 3 ? 8 : 2,
		.sharedMemPerBlockOptin = machine->shared_bytes_per_block,
		.maxBlocksPerMultiProcessor = (int)machine->max_blocks_per_sm,
		.cooperativeLaunch = 1,
		.cooperativeMultiDeviceLaunch = 1,
	};
	fill_image_limits(properties, machine->major);
	fill_abilities(properties, machine);
	snprintf(properties->name, sizeof properties->name, "Sluice %s", machine->name);
	memcpy(properties->uuid.bytes, "sluice-simulated", sizeof properties->uuid.bytes);
}

static cudaError_t get_properties(struct runtime *runtime, const char *call, struct cudaDeviceProp *properties,
                                  int device)
{
	cudaError_t result = runtime_check(runtime, call, properties);
	if (result != cudaSuccess || device != 0)
		return result != cudaSuccess ? result
		                             : runtime_refuse(call, cudaErrorInvalidDevice,
		                                              "there is no device %d, only device 0", device);
	struct sluice_machine_info machine = {SLUICE_SIZED(machine_info)};
	sluice_machine_info(runtime->gpu, &machine);
	fill_properties(properties, &machine);
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
	struct runtime *runtime = runtime_enter_beside();
	return runtime_leave(runtime, get_properties(runtime, "cudaGetDeviceProperties", properties, device));
}

/* The attribute's offset and size in the properties. */
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

/* Attributes that are not in the properties and not 0, with the compute capability that introduced them. */
static const struct more_attribute {
	enum cudaDeviceAttr attribute;
	int capability, value;
} more_attributes[] = {
	{cudaDevAttrCanTex2DGather, 20, 1},
	{cudaDevAttrHostRegisterSupported, 0, 1},
	{cudaDevAttrVirtualMemoryManagementSupported, 0, 1},
	{cudaDevAttrMemoryPoolsSupported, 60, 1},
	{cudaDevAttrMemSyncDomainCount, 0, 1},
	{cudaDevAttrUnifiedFunctionPointers, 0, 1},
	{cudaDevAttrNumaId, 0, -1},
	{cudaDevAttrHostNumaId, 0, -1},
};

static int more_attribute(enum cudaDeviceAttr attribute, int capability)
{
	for (size_t i = 0; i < sizeof more_attributes / sizeof *more_attributes; i++) {
		const struct more_attribute *row = &more_attributes[i];
		if (row->attribute == attribute)
			return capability >= row->capability ? row->value : 0;
	}
	return 0;
}

/* The last attribute number of CUDA 13. */
enum { LAST_ATTRIBUTE = 150 };

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	struct runtime *runtime = runtime_enter_beside();
	struct cudaDeviceProp properties;
	cudaError_t result = runtime_check(runtime, "cudaDeviceGetAttribute", value);
	if (result == cudaSuccess)
		result = get_properties(runtime, "cudaDeviceGetAttribute", &properties, device);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	result = (int)attribute > 0 && (int)attribute <= LAST_ATTRIBUTE ? cudaSuccess : cudaErrorInvalidValue;
	if (result == cudaSuccess)
		*value = more_attribute(attribute, properties.major * 10 + properties.minor);
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
		const struct attribute *row = &attributes[i];
		const char *field = (const char *)&properties + row->offset;
		if (row->attribute != attribute)
			continue;
		*value = row->size == sizeof(size_t) ? (int)*(const size_t *)field : *(const int *)field;
	}
	return runtime_leave(runtime, result);
}
