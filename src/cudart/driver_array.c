/* The driver API: arrays, texture objects and surface objects, implemented by the runtime's calls. */
#include "cudart/driver.h"

#include <string.h>

/* ---- formats ---- */

static const struct format {
	CUarray_format format;
	enum cudaChannelFormatKind kind;
	int bits;
} formats[] = {
	{CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
	{CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
	{CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
	{CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
	{CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
	{CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
	{CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
	{CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32},
};
enum { FORMATS = sizeof formats / sizeof *formats };

CUresult driver_format(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *description)
{
	size_t i = 0;
	while (i < FORMATS && formats[i].format != format)
		i++;
	if (i == FORMATS || (channels != 1 && channels != 2 && channels != 4))
		return CUDA_ERROR_INVALID_VALUE;
	int bits = formats[i].bits;
	*description = (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
	                                              channels > 3 ? bits : 0, formats[i].kind};
	return CUDA_SUCCESS;
}

static CUarray_format format_of(const struct cudaChannelFormatDesc *description, unsigned *channels)
{
	size_t i = 0;
	while (i + 1 < FORMATS && (formats[i].kind != description->f || formats[i].bits != description->x))
		i++;
	*channels = description->w ? 4 : description->y ? 2 : 1;
	return formats[i].format;
}

/* ---- arrays ---- */

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *given)
{
	struct cudaChannelFormatDesc format;
	CUresult result =
		array && given ? driver_format(given->Format, given->NumChannels, &format) : CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS)
		return result;
	const struct cudaExtent extent = {given->Width, given->Height, given->Depth};
	return driver_result(cudaMalloc3DArray((cudaArray_t *)array, &format, extent, given->Flags));
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *given)
{
	CUDA_ARRAY3D_DESCRIPTOR flat;
	if (!given)
		return CUDA_ERROR_INVALID_VALUE;
	flat = (CUDA_ARRAY3D_DESCRIPTOR){.Width = given->Width,
	                                 .Height = given->Height,
	                                 .Format = given->Format,
	                                 .NumChannels = given->NumChannels};
	return cuArray3DCreate(array, &flat);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *description, CUarray array)
{
	struct cudaChannelFormatDesc format;
	struct cudaExtent extent;
	unsigned flags;
	if (!description)
		return CUDA_ERROR_INVALID_VALUE;
	cudaError_t result = cudaArrayGetInfo(&format, &extent, &flags, (cudaArray_t)array);
	if (result != cudaSuccess)
		return driver_result(result);
	*description = (CUDA_ARRAY3D_DESCRIPTOR){
		.Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
	description->Format = format_of(&format, &description->NumChannels);
	return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *description, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR all;
	CUresult result = cuArray3DGetDescriptor(description ? &all : NULL, array);
	if (result == CUDA_SUCCESS)
		*description = (CUDA_ARRAY_DESCRIPTOR){all.Width, all.Height, all.Format, all.NumChannels};
	return result;
}

CUresult cuArrayDestroy(CUarray array)
{
	return array ? driver_result(cudaFreeArray((cudaArray_t)array)) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *given, unsigned int levels)
{
	struct cudaChannelFormatDesc format;
	CUresult result =
		mipmap && given ? driver_format(given->Format, given->NumChannels, &format) : CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS)
		return result;
	const struct cudaExtent extent = {given->Width, given->Height, given->Depth};
	return driver_result(
		cudaMallocMipmappedArray((cudaMipmappedArray_t *)mipmap, &format, extent, levels, given->Flags));
}

CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmap, unsigned int level)
{
	return driver_result(
		cudaGetMipmappedArrayLevel((cudaArray_t *)array, (cudaMipmappedArray_const_t)mipmap, level));
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap)
{
	return mipmap ? driver_result(cudaFreeMipmappedArray((cudaMipmappedArray_t)mipmap)) : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- contiguous bytes of an array ---- */

CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t size)
{
	return driver_result(cudaMemcpyToArray((cudaArray_t)to, offset, 0, from, size, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t size)
{
	return driver_result(cudaMemcpyFromArray(to, (cudaArray_const_t)from, offset, 0, size, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t size)
{
	return driver_result(
		cudaMemcpyToArray((cudaArray_t)to, offset, 0, driver_pointer(from), size, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t size)
{
	return driver_result(cudaMemcpyFromArray(driver_pointer(to), (cudaArray_const_t)from, offset, 0, size,
	                                         cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t size)
{
	return driver_result(cudaMemcpyArrayToArray((cudaArray_t)to, to_offset, 0, (cudaArray_const_t)from, from_offset,
	                                            0, size, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from, size_t size, CUstream stream)
{
	return driver_result(
		cudaMemcpyToArrayAsync((cudaArray_t)to, offset, 0, from, size, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t size, CUstream stream)
{
	return driver_result(
		cudaMemcpyFromArrayAsync(to, (cudaArray_const_t)from, offset, 0, size, cudaMemcpyDeviceToHost, stream));
}

/* ---- objects ---- */

static CUresult take_resource(const CUDA_RESOURCE_DESC *given, struct cudaResourceDesc *resource)
{
	*resource = (struct cudaResourceDesc){.resType = (enum cudaResourceType)given->resType};
	switch (given->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		resource->res.array.array = (cudaArray_t)given->res.array.hArray;
		return CUDA_SUCCESS;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		resource->res.mipmap.mipmap = (cudaMipmappedArray_t)given->res.mipmap.hMipmappedArray;
		return CUDA_SUCCESS;
	case CU_RESOURCE_TYPE_LINEAR:
		resource->res.linear.devPtr = driver_pointer(given->res.linear.devPtr);
		resource->res.linear.sizeInBytes = given->res.linear.sizeInBytes;
		return driver_format(given->res.linear.format, given->res.linear.numChannels,
		                     &resource->res.linear.desc);
	case CU_RESOURCE_TYPE_PITCH2D:
		resource->res.pitch2D.devPtr = driver_pointer(given->res.pitch2D.devPtr);
		resource->res.pitch2D.width = given->res.pitch2D.width;
		resource->res.pitch2D.height = given->res.pitch2D.height;
		resource->res.pitch2D.pitchInBytes = given->res.pitch2D.pitchInBytes;
		return driver_format(given->res.pitch2D.format, given->res.pitch2D.numChannels,
		                     &resource->res.pitch2D.desc);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static void give_resource(const struct cudaResourceDesc *known, CUDA_RESOURCE_DESC *resource)
{
	memset(resource, 0, sizeof *resource);
	resource->resType = (CUresourcetype)known->resType;
	if (known->resType == cudaResourceTypeArray) {
		resource->res.array.hArray = (CUarray)known->res.array.array;
	} else if (known->resType == cudaResourceTypeMipmappedArray) {
		resource->res.mipmap.hMipmappedArray = (CUmipmappedArray)known->res.mipmap.mipmap;
	} else if (known->resType == cudaResourceTypeLinear) {
		resource->res.linear.devPtr = (uintptr_t)known->res.linear.devPtr;
		resource->res.linear.sizeInBytes = known->res.linear.sizeInBytes;
		resource->res.linear.format = format_of(&known->res.linear.desc, &resource->res.linear.numChannels);
	} else {
		resource->res.pitch2D.devPtr = (uintptr_t)known->res.pitch2D.devPtr;
		resource->res.pitch2D.width = known->res.pitch2D.width;
		resource->res.pitch2D.height = known->res.pitch2D.height;
		resource->res.pitch2D.pitchInBytes = known->res.pitch2D.pitchInBytes;
		resource->res.pitch2D.format = format_of(&known->res.pitch2D.desc, &resource->res.pitch2D.numChannels);
	}
}

/* 8-bit and 16-bit integers are read as fractions unless the flags request integers. */
static bool reads_fractions(const struct cudaResourceDesc *resource, unsigned flags)
{
	struct cudaChannelFormatDesc format = {0};
	cudaArray_t array = resource->res.array.array;
	if (resource->resType == cudaResourceTypeMipmappedArray &&
	    cudaGetMipmappedArrayLevel(&array, resource->res.mipmap.mipmap, 0) != cudaSuccess)
		return false;
	if (resource->resType == cudaResourceTypeLinear)
		format = resource->res.linear.desc;
	else if (resource->resType == cudaResourceTypePitch2D)
		format = resource->res.pitch2D.desc;
	else if (cudaGetChannelDesc(&format, array) != cudaSuccess)
		return false;
	return !(flags & CU_TRSF_READ_AS_INTEGER) && format.f != cudaChannelFormatKindFloat && format.x < 32;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *given, const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
	struct cudaResourceDesc resource;
	struct cudaResourceViewDesc part;
	CUresult result = object && given && texture ? take_resource(given, &resource) : CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS)
		return result;
	struct cudaTextureDesc how = {
		.filterMode = (enum cudaTextureFilterMode)texture->filterMode,
		.sRGB = (texture->flags & CU_TRSF_SRGB) != 0,
		.normalizedCoords = (texture->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
		.maxAnisotropy = texture->maxAnisotropy,
		.mipmapFilterMode = (enum cudaTextureFilterMode)texture->mipmapFilterMode,
		.mipmapLevelBias = texture->mipmapLevelBias,
		.minMipmapLevelClamp = texture->minMipmapLevelClamp,
		.maxMipmapLevelClamp = texture->maxMipmapLevelClamp,
		.readMode = reads_fractions(&resource, texture->flags) ? cudaReadModeNormalizedFloat
	                                                               : cudaReadModeElementType,
	};
	for (unsigned d = 0; d < 3; d++)
		how.addressMode[d] = (enum cudaTextureAddressMode)texture->addressMode[d];
	memcpy(how.borderColor, texture->borderColor, sizeof how.borderColor);
	if (view)
		memcpy(&part, view, sizeof part); /* both structs begin with the same fields */
	return driver_result(cudaCreateTextureObject(object, &resource, &how, view ? &part : NULL));
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
	return driver_result(cudaDestroyTextureObject(object));
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
	struct cudaResourceDesc known;
	cudaError_t result = cudaGetTextureObjectResourceDesc(resource ? &known : NULL, object);
	if (result == cudaSuccess)
		give_resource(&known, resource);
	return driver_result(result);
}

static void give_texture(const struct cudaTextureDesc *known, bool reads_integers, CUDA_TEXTURE_DESC *texture)
{
	*texture = (CUDA_TEXTURE_DESC){
		.filterMode = (CUfilter_mode)known->filterMode,
		.flags = (reads_integers ? CU_TRSF_READ_AS_INTEGER : 0u) |
	                 (known->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
	                 (known->sRGB ? CU_TRSF_SRGB : 0u),
		.maxAnisotropy = known->maxAnisotropy,
		.mipmapFilterMode = (CUfilter_mode)known->mipmapFilterMode,
		.mipmapLevelBias = known->mipmapLevelBias,
		.minMipmapLevelClamp = known->minMipmapLevelClamp,
		.maxMipmapLevelClamp = known->maxMipmapLevelClamp,
	};
	for (unsigned d = 0; d < 3; d++)
		texture->addressMode[d] = (CUaddress_mode)known->addressMode[d];
	memcpy(texture->borderColor, known->borderColor, sizeof texture->borderColor);
}

/* Integers of 32 bits are never read as fractions, so CU_TRSF_READ_AS_INTEGER is not reported for them. */
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object)
{
	struct cudaTextureDesc known;
	struct cudaResourceDesc resource;
	cudaError_t result = cudaGetTextureObjectTextureDesc(texture ? &known : NULL, object);
	if (result == cudaSuccess)
		result = cudaGetTextureObjectResourceDesc(&resource, object);
	if (result == cudaSuccess)
		give_texture(&known, known.readMode == cudaReadModeElementType && reads_fractions(&resource, 0),
		             texture);
	return driver_result(result);
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object)
{
	struct cudaResourceViewDesc known;
	cudaError_t result = cudaGetTextureObjectResourceViewDesc(view ? &known : NULL, object);
	if (result == cudaSuccess) {
		memset(view, 0, sizeof *view);
		memcpy(view, &known, sizeof known); /* both structs begin with the same fields */
	}
	return driver_result(result);
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *given)
{
	struct cudaResourceDesc resource;
	CUresult result = object && given ? take_resource(given, &resource) : CUDA_ERROR_INVALID_VALUE;
	return result == CUDA_SUCCESS ? driver_result(cudaCreateSurfaceObject(object, &resource)) : result;
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
	return driver_result(cudaDestroySurfaceObject(object));
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
	struct cudaResourceDesc known;
	cudaError_t result = cudaGetSurfaceObjectResourceDesc(resource ? &known : NULL, object);
	if (result == cudaSuccess)
		give_resource(&known, resource);
	return driver_result(result);
}
