/* textures: texture references and texture objects in device code.
 *
 * A texture reference is a variable of a type that clang knows. On the device it is a handle; registration in the
 * runtime gives it its name. clang's __clang_cuda_texture_intrinsics.h translates the operations below to PTX. This
 * file maps CUDA's names to these operations.
 */
#ifndef SLUICE_CUDA_TEXTURES_H
#define SLUICE_CUDA_TEXTURES_H

#include "../channel_descriptor.h"
#include "../cuda_runtime_api.h"

template <class T, int dimensions = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __device_builtin_texture_type__ texture : public textureReference {
#if !defined(__CUDA_ARCH__)
	__host__ texture(int is_normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
	                 cudaTextureAddressMode address = cudaAddressModeClamp)
		: texture(is_normalized, filter, address, cudaCreateChannelDesc<T>())
	{
	}
	__host__ texture(int is_normalized, cudaTextureFilterMode filter, cudaTextureAddressMode address,
	                 cudaChannelFormatDesc format)
		: textureReference()
	{
		normalized = is_normalized;
		filterMode = filter;
		addressMode[0] = addressMode[1] = addressMode[2] = address;
		channelDesc = format;
	}
#endif
};

/* Binding by the reference itself. */
template <class T, int dimensions, cudaTextureReadMode mode>
static inline __host__ cudaError_t cudaBindTexture(size_t *offset, const texture<T, dimensions, mode> &reference,
                                                   const void *pointer, const cudaChannelFormatDesc &format,
                                                   size_t size = UINT_MAX)
{
	return ::cudaBindTexture(offset, (const textureReference *)&reference, pointer, &format, size);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline __host__ cudaError_t cudaBindTexture(size_t *offset, const texture<T, dimensions, mode> &reference,
                                                   const void *pointer, size_t size = UINT_MAX)
{
	return cudaBindTexture(offset, reference, pointer, reference.channelDesc, size);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline __host__ cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dimensions, mode> &reference,
                                                     const void *pointer, const cudaChannelFormatDesc &format,
                                                     size_t width, size_t height, size_t pitch)
{
	return ::cudaBindTexture2D(offset, (const textureReference *)&reference, pointer, &format, width, height, pitch);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline __host__ cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dimensions, mode> &reference,
                                                     const void *pointer, size_t width, size_t height, size_t pitch)
{
	return cudaBindTexture2D(offset, reference, pointer, reference.channelDesc, width, height, pitch);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline __host__ cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode> &reference,
                                                          cudaArray_const_t array, const cudaChannelFormatDesc &format)
{
	return ::cudaBindTextureToArray((const textureReference *)&reference, array, &format);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline __host__ cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode> &reference,
                                                          cudaArray_const_t array)
{
	return cudaBindTextureToArray(reference, array, reference.channelDesc);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline __host__ cudaError_t cudaBindTextureToMipmappedArray(const texture<T, dimensions, mode> &reference,
                                                                   cudaMipmappedArray_const_t array,
                                                                   const cudaChannelFormatDesc &format)
{
	return ::cudaBindTextureToMipmappedArray((const textureReference *)&reference, array, &format);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline __host__ cudaError_t cudaBindTextureToMipmappedArray(const texture<T, dimensions, mode> &reference,
                                                                   cudaMipmappedArray_const_t array)
{
	return cudaBindTextureToMipmappedArray(reference, array, reference.channelDesc);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline __host__ cudaError_t cudaUnbindTexture(const texture<T, dimensions, mode> &reference)
{
	return ::cudaUnbindTexture((const textureReference *)&reference);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline __host__ cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                                 const texture<T, dimensions, mode> &reference)
{
	return ::cudaGetTextureAlignmentOffset(offset, (const textureReference *)&reference);
}

#if defined(__CUDA__) && defined(__clang__)

#include <__clang_cuda_texture_intrinsics.h>

namespace sluice
{
/* The result type of reads as normalized floats, with the texel's number of channels. */
template <unsigned channels> struct floats;
template <> struct floats<1> {
	typedef float type;
};
template <> struct floats<2> {
	typedef float2 type;
};
template <> struct floats<4> {
	typedef float4 type;
};
template <class T>
struct normalized : floats<sizeof(T) / sizeof(typename ::__cuda_tex::__TypeInfoT<T>::__base_t)> {
};
} // namespace sluice

#define SLUICE_ARGUMENTS(...) __VA_ARGS__
/* Reads by a texture reference, as elements and as normalized floats. */
#define SLUICE_REFERENCE(name, dimensions, operation, parameters, arguments)                                           \
	template <class T>                                                                                             \
	static __device__ __forceinline__ T name(texture<T, dimensions, cudaReadModeElementType> reference,            \
	                                         SLUICE_ARGUMENTS parameters)                                          \
	{                                                                                                              \
		T value;                                                                                               \
		__nv_tex_surf_handler("__" operation "_v2", &value, reference, SLUICE_ARGUMENTS arguments);            \
		return value;                                                                                          \
	}                                                                                                              \
	template <class T>                                                                                             \
	static __device__ __forceinline__ typename sluice::normalized<T>::type name(                                   \
		texture<T, dimensions, cudaReadModeNormalizedFloat> reference, SLUICE_ARGUMENTS parameters)            \
	{                                                                                                              \
		T element;                                                                                             \
		typename sluice::normalized<T>::type value;                                                            \
		__nv_tex_surf_handler("__" operation "_rmnf_v2", &element, &value, reference,                          \
		                      SLUICE_ARGUMENTS arguments);                                                     \
		return value;                                                                                          \
	}
/* Reads by a texture object, which itself determines the result type. */
#define SLUICE_OBJECT(name, operation, parameters, arguments)                                                          \
	template <class T>                                                                                             \
	static __device__ __forceinline__ void name(T *value, cudaTextureObject_t object, SLUICE_ARGUMENTS parameters) \
	{                                                                                                              \
		__nv_tex_surf_handler("__" operation "_v2", value, object, SLUICE_ARGUMENTS arguments);                \
	}                                                                                                              \
	template <class T>                                                                                             \
	static __device__ __forceinline__ T name(cudaTextureObject_t object, SLUICE_ARGUMENTS parameters)              \
	{                                                                                                              \
		T value;                                                                                               \
		__nv_tex_surf_handler("__" operation "_v2", &value, object, SLUICE_ARGUMENTS arguments);               \
		return value;                                                                                          \
	}
#define SLUICE_TEXTURE(name, dimensions, parameters, arguments)                                                        \
	SLUICE_REFERENCE(name, dimensions, #name, parameters, arguments)                                               \
	SLUICE_OBJECT(name, #name, parameters, arguments)

SLUICE_TEXTURE(tex1Dfetch, cudaTextureType1D, (int x), (x))
SLUICE_TEXTURE(tex1D, cudaTextureType1D, (float x), (x))
SLUICE_TEXTURE(tex1DLod, cudaTextureType1D, (float x, float level), (x, level))
SLUICE_TEXTURE(tex1DGrad, cudaTextureType1D, (float x, float dx, float dy), (x, dx, dy))
SLUICE_TEXTURE(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
SLUICE_TEXTURE(tex1DLayeredLod, cudaTextureType1DLayered, (float x, int layer, float level), (x, layer, level))
SLUICE_TEXTURE(tex1DLayeredGrad, cudaTextureType1DLayered, (float x, int layer, float dx, float dy), (x, layer, dx, dy))
SLUICE_TEXTURE(tex2D, cudaTextureType2D, (float x, float y), (x, y))
SLUICE_TEXTURE(tex2DLod, cudaTextureType2D, (float x, float y, float level), (x, y, level))
SLUICE_TEXTURE(tex2DGrad, cudaTextureType2D, (float x, float y, float2 dx, float2 dy), (x, y, &dx, &dy))
SLUICE_TEXTURE(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer))
SLUICE_TEXTURE(tex2DLayeredLod, cudaTextureType2DLayered, (float x, float y, int layer, float level),
               (x, y, layer, level))
SLUICE_TEXTURE(tex2DLayeredGrad, cudaTextureType2DLayered, (float x, float y, int layer, float2 dx, float2 dy),
               (x, y, layer, &dx, &dy))
SLUICE_TEXTURE(tex2Dgather, cudaTextureType2D, (float x, float y, int channel = 0), (x, y, channel))
SLUICE_TEXTURE(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z))
SLUICE_TEXTURE(tex3DLod, cudaTextureType3D, (float x, float y, float z, float level), (x, y, z, level))
SLUICE_TEXTURE(tex3DGrad, cudaTextureType3D, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, &dx, &dy))
SLUICE_TEXTURE(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z))
SLUICE_TEXTURE(texCubemapLod, cudaTextureTypeCubemap, (float x, float y, float z, float level), (x, y, z, level))
SLUICE_TEXTURE(texCubemapGrad, cudaTextureTypeCubemap, (float x, float y, float z, float4 dx, float4 dy),
               (x, y, z, &dx, &dy))
SLUICE_TEXTURE(texCubemapLayered, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer),
               (x, y, z, layer))
SLUICE_TEXTURE(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer, float level),
               (x, y, z, layer, level))
SLUICE_TEXTURE(texCubemapLayeredGrad, cudaTextureTypeCubemapLayered,
               (float x, float y, float z, int layer, float4 dx, float4 dy), (x, y, z, layer, &dx, &dy))

#undef SLUICE_TEXTURE
#undef SLUICE_OBJECT
#undef SLUICE_REFERENCE
#undef SLUICE_ARGUMENTS

#endif

#endif
