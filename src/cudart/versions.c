/* Calls of CUDA 12 and 13 with changed structs: the same results in their layout. */
#include "cudart/versions.h"

#include "cudart/runtime.h"

#include <stddef.h>
#include <string.h>

enum { VERSION_12 = 12040 };

/* A simulated machine has values for only some of the new fields. */
static struct properties_12_more more_of(int major)
{
	return (struct properties_12_more){
		.hostRegisterSupported = 1, .memoryPoolsSupported = major >= 6, .unifiedFunctionPointers = 1};
}

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp_12 *properties, int device)
{
	cudaError_t result = cudaGetDeviceProperties(properties ? &properties->first : NULL, device);
	if (result != cudaSuccess)
		return result;
	properties->more = more_of(properties->first.major);
	memset(properties->reserved, 0, sizeof properties->reserved);
	return result;
}

cudaError_t cudaChooseDevice_v2(int *device, const struct cudaDeviceProp_12 *properties)
{
	return cudaChooseDevice(device, properties ? &properties->first : NULL);
}

/* Copies the fields from `first` to `last`, which are contiguous and in the same order in both structs. */
#define COPY(first, last)                                                                                              \
	memcpy(&to->first, &from.first,                                                                                \
	       offsetof(struct cudaDeviceProp, last) + sizeof from.last - offsetof(struct cudaDeviceProp, first))

cudaError_t abi13_cudaGetDeviceProperties(struct cudaDeviceProp_13 *to, int device)
{
	struct cudaDeviceProp from;
	cudaError_t result = cudaGetDeviceProperties(to ? &from : NULL, device);
	if (result != cudaSuccess)
		return result;
	memset(to, 0, sizeof *to);
	COPY(name, luidDeviceNodeMask);
	COPY(totalGlobalMem, maxGridSize);
	COPY(totalConstMem, texturePitchAlignment);
	to->multiProcessorCount = from.multiProcessorCount;
	to->integrated = from.integrated;
	to->canMapHostMemory = from.canMapHostMemory;
	memcpy(to->limits, &from.maxTexture1D, 2 * sizeof(int));
	memcpy(to->limits + 2, from.maxTexture2D, sizeof to->limits - 2 * sizeof(int));
	COPY(surfaceAlignment, unifiedAddressing);
	COPY(memoryBusWidth, localL1CacheSupported);
	to->sharedMemPerMultiprocessor = from.sharedMemPerMultiprocessor;
	COPY(regsPerMultiprocessor, hostNativeAtomicSupported);
	COPY(pageableMemoryAccess, cooperativeLaunch);
	COPY(sharedMemPerBlockOptin, reservedSharedMemPerBlock);
	to->more = more_of(from.major);
	return result;
}

cudaError_t abi13_cudaChooseDevice(int *device, const struct cudaDeviceProp_13 *properties)
{
	struct cudaDeviceProp wanted = {.major = properties ? properties->major : 0};
	return cudaChooseDevice(device, properties ? &wanted : NULL);
}

cudaError_t abi12_cudaFuncGetAttributes(struct cudaFuncAttributes_12 *attributes, const void *function)
{
	cudaError_t result = cudaFuncGetAttributes(attributes ? &attributes->first : NULL, function);
	if (result == cudaSuccess)
		memset((char *)attributes + sizeof attributes->first, 0, sizeof *attributes - sizeof attributes->first);
	return result;
}

cudaError_t abi13_cudaPointerGetAttributes(struct cudaPointerAttributes_13 *attributes, const void *pointer)
{
	cudaError_t result = cudaPointerGetAttributes(attributes ? &attributes->first : NULL, pointer);
	if (result == cudaSuccess)
		memset(attributes->reserved, 0, sizeof attributes->reserved);
	return result;
}

cudaError_t abi13_cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location,
                                       unsigned int flags, cudaStream_t stream)
{
	return cudaMemPrefetchAsync_v2(pointer, size, location, flags, stream);
}

cudaError_t abi13_cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                                struct cudaMemLocation location)
{
	return cudaMemAdvise_v2(pointer, size, advice, location);
}

static cudaError_t give_version(int *version, int value)
{
	cudaError_t result = cudaRuntimeGetVersion(version);
	if (result == cudaSuccess)
		*version = value;
	return result;
}

cudaError_t abi12_cudaRuntimeGetVersion(int *version)
{
	return give_version(version, VERSION_12);
}

cudaError_t abi13_cudaRuntimeGetVersion(int *version)
{
	return give_version(version, DRIVER_VERSION);
}

cudaError_t abi12_cudaCreateTextureObject(cudaTextureObject_t *made, const struct cudaResourceDesc *resource,
                                          const struct cudaTextureDesc_12 *texture,
                                          const struct cudaResourceViewDesc *view)
{
	if (texture && texture->seamlessCubemap)
		return runtime_refuse("cudaCreateTextureObject", cudaErrorNotSupported,
		                      "filters of cubemaps do not cross the edges of a face (seamlessCubemap)");
	return cudaCreateTextureObject(made, resource, texture ? &texture->first : NULL, view);
}

cudaError_t abi12_cudaGetTextureObjectTextureDesc(struct cudaTextureDesc_12 *texture, cudaTextureObject_t object)
{
	cudaError_t result = cudaGetTextureObjectTextureDesc(texture ? &texture->first : NULL, object);
	if (result == cudaSuccess)
		texture->seamlessCubemap = 0;
	return result;
}

cudaError_t abi13_cudaGetTextureObjectResourceDesc(struct cudaResourceDesc_13 *resource, cudaTextureObject_t object)
{
	cudaError_t result = cudaGetTextureObjectResourceDesc(resource ? &resource->first : NULL, object);
	if (result == cudaSuccess)
		resource->flags = 0;
	return result;
}

cudaError_t abi13_cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc_13 *resource, cudaSurfaceObject_t object)
{
	cudaError_t result = cudaGetSurfaceObjectResourceDesc(resource ? &resource->first : NULL, object);
	if (result == cudaSuccess)
		resource->flags = 0;
	return result;
}

cudaError_t abi13_cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc_13 *view, cudaTextureObject_t object)
{
	cudaError_t result = cudaGetTextureObjectResourceViewDesc(view ? &view->first : NULL, object);
	if (result == cudaSuccess)
		memset(view->reserved, 0, sizeof view->reserved);
	return result;
}

cudaError_t abi12_cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                          enum cudaDriverEntryPointQueryResult *status)
{
	return cudaGetDriverEntryPointByVersion(symbol, function, VERSION_12, flags, status);
}
