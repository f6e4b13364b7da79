/* texture: functions shared by texture references, surface references and their objects. */
#ifndef SLUICE_CUDART_TEXTURE_H
#define SLUICE_CUDART_TEXTURE_H

#include "cudart/array.h"

/* Returns the number of bytes from the address to the end of its allocation, at most `size`; 0: not allocated. */
uint64_t texture_bytes_at(struct runtime *runtime, uint64_t address, uint64_t size);
/* Makes a linear image of the memory from the address to its allocation's end, at most `size` bytes. Returns an error
 * after a message. */
cudaError_t texture_linear_image(struct runtime *runtime, const char *call, uint64_t address, uint64_t size,
                                 const struct cudaChannelFormatDesc *format, struct sluice_image *image);
/* Makes an image of rows of texels that are `pitch` bytes apart. */
cudaError_t texture_pitched_image(const char *call, uint64_t address, const struct cudaChannelFormatDesc *format,
                                  size_t width, size_t height, size_t pitch, struct sluice_image *image);
/* Returns the sampler of linear memory: reads outside it give 0, and there is no filtering. */
struct sluice_sampler texture_linear_sampler(bool reads_floats, bool srgb);
/* Returns an error unless the image's format allows such reads. */
cudaError_t texture_check_reads(const char *call, const struct sluice_image *image,
                                const struct sluice_sampler *sampler);
/* Returns an error unless the array can be used as a surface. */
cudaError_t texture_check_surface(struct runtime *runtime, const char *call, cudaArray_const_t array);

/* Called before a launch: rereads the attributes of texture references from their host variables. */
cudaError_t texture_references_refresh(struct runtime *runtime, const char *call);

void texture_references_free(struct runtime *runtime);
void texture_objects_free(struct runtime *runtime);

#endif
