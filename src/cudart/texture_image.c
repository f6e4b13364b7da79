/* The images of textures and surfaces: linear or pitched memory, and the reads that they allow. */
#include "cudart/texture.h"

#include "cudart/host_memory.h"

/* Checks that the format allows the reads. */
cudaError_t texture_check_reads(const char *call, const struct sluice_image *image,
                                const struct sluice_sampler *sampler)
{
	bool is_float = image->channel == SLUICE_FLOAT;
	if (sampler->reads_floats && image->channel_bits == 32 && !is_float)
		return runtime_refuse(call, cudaErrorInvalidNormSetting,
		                      "32-bit integers cannot be read as "
		                      "normalized floats");
	if (sampler->linear && !is_float && !sampler->reads_floats)
		return runtime_refuse(call, cudaErrorInvalidFilterSetting,
		                      "integers need normalized-float reads for a linear filter");
	return cudaSuccess;
}

struct sluice_sampler texture_linear_sampler(bool reads_floats, bool srgb)
{
	return (struct sluice_sampler){SLUICE_SIZED(sampler), .outside = {SLUICE_BORDER, SLUICE_BORDER, SLUICE_BORDER},
	                               .reads_floats = reads_floats, .srgb = srgb};
}

uint64_t texture_bytes_at(struct runtime *runtime, uint64_t address, uint64_t size)
{
	uint64_t base, all;
	if (!memory_find(runtime, (const void *)(uintptr_t)address, &base, &all))
		return 0;
	return all - (address - base) < size ? all - (address - base) : size;
}

cudaError_t texture_linear_image(struct runtime *runtime, const char *call, uint64_t address, uint64_t size,
                                 const struct cudaChannelFormatDesc *format, struct sluice_image *image)
{
	*image = (struct sluice_image){SLUICE_SIZED(image), .address = address, .dimensions = 1, .height = 1,
	                               .depth = 1,          .layers = 1,        .levels = 1};
	cudaError_t result = array_format(call, format, image);
	if (result != cudaSuccess)
		return result;
	uint32_t texel = image->channels * image->channel_bits / 8;
	uint64_t texels = texture_bytes_at(runtime, address, size) / texel;
	if (!texels)
		return runtime_refuse(call, cudaErrorInvalidValue, "%p is in no allocation of the device",
		                      (void *)(uintptr_t)address);
	image->width = texels < 1 << 27 ? (uint32_t)texels : 1 << 27; /* cudaDeviceProp.maxTexture1DLinear */
	image->pitch = (uint64_t)image->width * texel;
	return cudaSuccess;
}

cudaError_t texture_pitched_image(const char *call, uint64_t address, const struct cudaChannelFormatDesc *format,
                                  size_t width, size_t height, size_t pitch, struct sluice_image *image)
{
	*image = (struct sluice_image){SLUICE_SIZED(image),
	                               .address = address,
	                               .dimensions = 2,
	                               .width = (uint32_t)width,
	                               .height = (uint32_t)height,
	                               .depth = 1,
	                               .layers = 1,
	                               .levels = 1,
	                               .pitch = pitch};
	if (!width || !height || width > 1 << 27 || height > 1 << 16)
		return runtime_refuse(call, cudaErrorInvalidValue, "an image of %zu x %zu texels", width, height);
	return array_format(call, format, image);
}

cudaError_t texture_check_surface(struct runtime *runtime, const char *call, cudaArray_const_t array)
{
	cudaError_t result = array_check(runtime, call, array);
	/* CUDA does not require it for mip levels, and programs fill levels without it. */
	if (result == cudaSuccess && !array->owner && !(array->flags & cudaArraySurfaceLoadStore))
		result = runtime_refuse(call, cudaErrorInvalidValue,
		                        "the array was made without cudaArraySurfaceLoadStore");
	return result;
}
