/* The driver API: arrays, texture and surface objects, which are the runtime's under other names. */
#include "cudart/array.h"
#include "cudart/driver.h"

/* The runtime's description of texels; false where the format is none. */
static bool take_format(CUarray_format format, unsigned int channels, struct cudaChannelFormatDesc *desc)
{
	static const struct {
		CUarray_format format;
		int bits;
		enum cudaChannelFormatKind kind;
	} formats[] = {
		{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
		{CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
		{CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
		{CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
		{CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
		{CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
		{CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
		{CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
	};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		int bits = formats[i].bits;
		if (formats[i].format != format)
			continue;
		*desc = (struct cudaChannelFormatDesc){.x = bits,
		                                       .y = channels > 1 ? bits : 0,
		                                       .z = channels > 2 ? bits : 0,
		                                       .w = channels > 2 ? bits : 0,
		                                       .f = formats[i].kind};
		return channels == 1 || channels == 2 || channels == 4;
	}
	return false;
}

static CUarray_format format_of(const struct cudaChannelFormatDesc *desc)
{
	static const CUarray_format formats[][3] = {
		[cudaChannelFormatKindSigned] = {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16,
	                                         CU_AD_FORMAT_SIGNED_INT32},
		[cudaChannelFormatKindUnsigned] = {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
	                                           CU_AD_FORMAT_UNSIGNED_INT32},
		[cudaChannelFormatKindFloat] = {CU_AD_FORMAT_HALF, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT},
	};
	return formats[desc->f][desc->x == 8 ? 0 : desc->x == 16 ? 1 : 2];
}

/* ---- arrays ---- */

static cudaArray_t runtime_array(CUarray array)
{
	return (cudaArray_t)array;
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	struct cudaChannelFormatDesc format;
	if (!array || !descriptor || !take_format(descriptor->Format, descriptor->NumChannels, &format))
		return CUDA_ERROR_INVALID_VALUE;
	const struct cudaExtent extent = {descriptor->Width, descriptor->Height, descriptor->Depth};
	return driver_result(cudaMalloc3DArray((cudaArray_t *)array, &format, extent, descriptor->Flags));
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor)
{
	if (!descriptor)
		return CUDA_ERROR_INVALID_VALUE;
	const CUDA_ARRAY3D_DESCRIPTOR flat = {.Width = descriptor->Width,
	                                      .Height = descriptor->Height,
	                                      .Format = descriptor->Format,
	                                      .NumChannels = descriptor->NumChannels};
	return cuArray3DCreate(array, &flat);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array)
{
	struct cudaChannelFormatDesc format;
	struct cudaExtent extent;
	unsigned int flags;
	cudaError_t result =
		descriptor ? cudaArrayGetInfo(&format, &extent, &flags, runtime_array(array)) : cudaErrorInvalidValue;
	if (result == cudaSuccess)
		*descriptor = (CUDA_ARRAY3D_DESCRIPTOR){.Width = extent.width,
		                                        .Height = extent.height,
		                                        .Depth = extent.depth,
		                                        .Format = format_of(&format),
		                                        .NumChannels = format.z   ? 4
		                                                       : format.y ? 2
		                                                                  : 1,
		                                        .Flags = flags};
	return driver_result(result);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR whole;
	CUresult result = descriptor ? cuArray3DGetDescriptor(&whole, array) : CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*descriptor = (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
	return result;
}

CUresult cuArrayDestroy(CUarray array)
{
	return array ? driver_result(cudaFreeArray(runtime_array(array))) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned int levels)
{
	struct cudaChannelFormatDesc format;
	if (!array || !descriptor || !take_format(descriptor->Format, descriptor->NumChannels, &format))
		return CUDA_ERROR_INVALID_VALUE;
	const struct cudaExtent extent = {descriptor->Width, descriptor->Height, descriptor->Depth};
	return driver_result(
		cudaMallocMipmappedArray((cudaMipmappedArray_t *)array, &format, extent, levels, descriptor->Flags));
}

CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmap, unsigned int level)
{
	return driver_result(
		cudaGetMipmappedArrayLevel((cudaArray_t *)array, (cudaMipmappedArray_const_t)mipmap, level));
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
	return array ? driver_result(cudaFreeMipmappedArray((cudaMipmappedArray_t)array)) : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- copies of a row ---- */

CUresult cuMemcpyHtoA(CUarray to, size_t place, const void *from, size_t size)
{
	const CUDA_MEMCPY2D row = {.srcMemoryType = CU_MEMORYTYPE_HOST,
	                           .srcHost = from,
	                           .dstMemoryType = CU_MEMORYTYPE_ARRAY,
	                           .dstArray = to,
	                           .dstXInBytes = place,
	                           .WidthInBytes = size,
	                           .Height = 1};
	return cuMemcpy2D(&row);
}

CUresult cuMemcpyAtoH(void *to, CUarray from, size_t place, size_t size)
{
	const CUDA_MEMCPY2D row = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
	                           .srcArray = from,
	                           .srcXInBytes = place,
	                           .dstMemoryType = CU_MEMORYTYPE_HOST,
	                           .dstHost = to,
	                           .WidthInBytes = size,
	                           .Height = 1};
	return cuMemcpy2D(&row);
}

CUresult cuMemcpyDtoA(CUarray to, size_t place, CUdeviceptr from, size_t size)
{
	const CUDA_MEMCPY2D row = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
	                           .srcDevice = from,
	                           .dstMemoryType = CU_MEMORYTYPE_ARRAY,
	                           .dstArray = to,
	                           .dstXInBytes = place,
	                           .WidthInBytes = size,
	                           .Height = 1};
	return cuMemcpy2D(&row);
}

CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t place, size_t size)
{
	const CUDA_MEMCPY2D row = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
	                           .srcArray = from,
	                           .srcXInBytes = place,
	                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
	                           .dstDevice = to,
	                           .WidthInBytes = size,
	                           .Height = 1};
	return cuMemcpy2D(&row);
}

/* ---- objects ---- */

static CUresult take_resource(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to)
{
	bool fine = true;
	*to = (struct cudaResourceDesc){.resType = (enum cudaResourceType)from->resType}; /* the same numbers */
	switch (from->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		to->res.array.array = runtime_array(from->res.array.hArray);
		break;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		to->res.mipmap.mipmap = (cudaMipmappedArray_t)from->res.mipmap.hMipmappedArray;
		break;
	case CU_RESOURCE_TYPE_LINEAR:
		to->res.linear.devPtr = driver_pointer(from->res.linear.devPtr);
		to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
		fine = take_format(from->res.linear.format, from->res.linear.numChannels, &to->res.linear.desc);
		break;
	case CU_RESOURCE_TYPE_PITCH2D:
		to->res.pitch2D.devPtr = driver_pointer(from->res.pitch2D.devPtr);
		to->res.pitch2D.width = from->res.pitch2D.width;
		to->res.pitch2D.height = from->res.pitch2D.height;
		to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
		fine = take_format(from->res.pitch2D.format, from->res.pitch2D.numChannels, &to->res.pitch2D.desc);
		break;
	}
	return fine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The format of what is read; the runtime says what is wrong with a resource that is none. */
static CUresult resource_format(const struct cudaResourceDesc *resource, struct cudaChannelFormatDesc *format)
{
	cudaArray_t array = resource->res.array.array;
	cudaError_t result = cudaSuccess;
	*format = (struct cudaChannelFormatDesc){0};
	if (resource->resType == cudaResourceTypeLinear)
		*format = resource->res.linear.desc;
	else if (resource->resType == cudaResourceTypePitch2D)
		*format = resource->res.pitch2D.desc;
	else if (resource->resType == cudaResourceTypeMipmappedArray)
		result = cudaGetMipmappedArrayLevel(&array, resource->res.mipmap.mipmap, 0);
	if (result == cudaSuccess && !format->x)
		result = cudaGetChannelDesc(format, array);
	return driver_result(result);
}

/* Whole numbers of 8 and 16 bits are read as fractions unless a flag says otherwise. */
static struct cudaTextureDesc take_texture(const CUDA_TEXTURE_DESC *from, const struct cudaChannelFormatDesc *format)
{
	bool as_fractions =
		format->f != cudaChannelFormatKindFloat && format->x < 32 && !(from->flags & CU_TRSF_READ_AS_INTEGER);
	struct cudaTextureDesc to = {.filterMode = (enum cudaTextureFilterMode)from->filterMode,
	                             .readMode = as_fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
	                             .sRGB = (from->flags & CU_TRSF_SRGB) != 0,
	                             .normalizedCoords = (from->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
	                             .maxAnisotropy = from->maxAnisotropy,
	                             .mipmapFilterMode = (enum cudaTextureFilterMode)from->mipmapFilterMode,
	                             .mipmapLevelBias = from->mipmapLevelBias,
	                             .minMipmapLevelClamp = from->minMipmapLevelClamp,
	                             .maxMipmapLevelClamp = from->maxMipmapLevelClamp};
	for (int d = 0; d < 3; d++)
		to.addressMode[d] = (enum cudaTextureAddressMode)from->addressMode[d];
	for (int c = 0; c < 4; c++)
		to.borderColor[c] = from->borderColor[c];
	return to;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
	struct cudaResourceDesc from;
	struct cudaChannelFormatDesc format;
	struct cudaResourceViewDesc part = {0};
	if (!object || !resource || !texture)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = take_resource(resource, &from);
	if (result == CUDA_SUCCESS)
		result = resource_format(&from, &format);
	if (result != CUDA_SUCCESS)
		return result;
	if (view)
		part = (struct cudaResourceViewDesc){(enum cudaResourceViewFormat)view->format,
		                                     view->width,
		                                     view->height,
		                                     view->depth,
		                                     view->firstMipmapLevel,
		                                     view->lastMipmapLevel,
		                                     view->firstLayer,
		                                     view->lastLayer};
	const struct cudaTextureDesc how = take_texture(texture, &format);
	return driver_result(cudaCreateTextureObject(object, &from, &how, view ? &part : NULL));
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
	return driver_result(cudaDestroyTextureObject(object));
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
	struct cudaResourceDesc from;
	CUresult result = object && resource ? take_resource(resource, &from) : CUDA_ERROR_INVALID_VALUE;
	return result == CUDA_SUCCESS ? driver_result(cudaCreateSurfaceObject(object, &from)) : result;
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
	return driver_result(cudaDestroySurfaceObject(object));
}
