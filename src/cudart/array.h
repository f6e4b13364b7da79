/* array: CUDA arrays: images in device memory with our own layout (sluice.h, struct sluice_image). */
#ifndef SLUICE_CUDART_ARRAY_H
#define SLUICE_CUDART_ARRAY_H

#include "cudart/runtime.h"

/* An array, or one mip level. A level lies in its owner's memory. */
struct cudaArray {
	struct cudaChannelFormatDesc format;
	/* as given: 0 for missing dimensions; the depth of a layered array is its number of layers */
	struct cudaExtent extent;
	unsigned flags;
	struct sluice_image image;
	uint32_t level; /* of the image */
	struct cudaMipmappedArray *owner; /* of a mip level, else NULL */
	struct cudaArray *next;
};

struct cudaMipmappedArray {
	struct cudaArray whole; /* with all levels */
	struct cudaArray *level[16];
	struct cudaMipmappedArray *next;
};

/* Returns an error unless the pointer is a live array. mipmapped_check() does so for a mipmapped array. */
cudaError_t array_check(const struct runtime *runtime, const char *call, cudaArray_const_t array);
cudaError_t mipmapped_check(const struct runtime *runtime, const char *call, cudaMipmappedArray_const_t mipmap);
/* Writes the format of the texels to `image`. Returns an error for an unsupported format. */
cudaError_t array_format(const char *call, const struct cudaChannelFormatDesc *format, struct sluice_image *image);
static inline uint32_t array_texel_bytes(const struct cudaArray *array)
{
	return array->image.channels * array->image.channel_bits / 8;
}

/* Implements cudaMemcpy3D() when at least one side is an array. */
cudaError_t array_copy_box(struct runtime *runtime, const char *call, cudaStream_t stream,
                           const struct cudaMemcpy3DParms *parameters);

void arrays_free(struct runtime *runtime);

#endif
