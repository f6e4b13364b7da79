/* texture: what texture and surface references and objects have in common. */
#ifndef SLUICE_CUDART_TEXTURE_H
#define SLUICE_CUDART_TEXTURE_H

#include "cudart/array.h"

/* Bytes of an allocation from an address on, at most `size`; 0: there is none. */
uint64_t texture_bytes_at(struct runtime *runtime, uint64_t address, uint64_t size);
/* The image of as much of an allocation as there is from an address on, at most `size` bytes. Refusals are told. */
cudaError_t texture_linear_image(struct runtime *runtime, const char *call, uint64_t address, uint64_t size,
                                 const struct cudaChannelFormatDesc *format, struct sluice_image *image);
/* Rows of texels, `pitch` bytes apart. */
cudaError_t texture_pitched_image(const char *call, uint64_t address, const struct cudaChannelFormatDesc *format,
                                  size_t width, size_t height, size_t pitch, struct sluice_image *image);
/* Reads of linear memory outside of it give 0, and have no filter. */
struct sluice_sampler texture_linear_sampler(bool reads_floats, bool srgb);
/* An error unless the image's format allows such reads. */
cudaError_t texture_check_reads(const char *call, const struct sluice_image *image,
                                const struct sluice_sampler *sampler);
/* An error unless surfaces can be of that array. */
cudaError_t texture_check_surface(struct runtime *runtime, const char *call, cudaArray_const_t array);

/* Before a launch: texture references are read as their variables say by now. */
cudaError_t texture_references_refresh(struct runtime *runtime, const char *call);

void texture_references_free(struct runtime *runtime);
void texture_objects_free(struct runtime *runtime);

#endif
