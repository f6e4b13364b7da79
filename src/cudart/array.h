/* array: CUDA's arrays: images in device memory whose layout is ours (sluice.h, struct sluice_image). */
#ifndef SLUICE_CUDART_ARRAY_H
#define SLUICE_CUDART_ARRAY_H

#include "cudart/runtime.h"

/* An array, or a mip level of one, which lies in its owner's memory. */
struct cudaArray {
	struct cudaChannelFormatDesc format;
	struct cudaExtent extent; /* as given: 0 in what it has not; the depth of a layered one is its layers */
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

/* An error unless it is a live array. */
cudaError_t array_check(const struct runtime *runtime, const char *call, cudaArray_const_t array);
cudaError_t mipmapped_check(const struct runtime *runtime, const char *call, cudaMipmappedArray_const_t mipmap);
/* The texels' format in the image; an error where it is none. */
cudaError_t array_format(const char *call, const struct cudaChannelFormatDesc *format, struct sluice_image *image);
static inline uint32_t array_texel_bytes(const struct cudaArray *array)
{
	return array->image.channels * array->image.channel_bits / 8;
}

/* cudaMemcpy3D() where an array takes part. */
cudaError_t array_copy_box(struct runtime *runtime, const char *call, const struct cudaMemcpy3DParms *parameters);

void arrays_free(struct runtime *runtime);

#endif
