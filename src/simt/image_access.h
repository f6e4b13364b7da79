/* image_access: helpers that instructions on textures and on surfaces have in common. */
#ifndef SLUICE_SIMT_IMAGE_ACCESS_H
#define SLUICE_SIMT_IMAGE_ACCESS_H

#include "simt/image.h"

static inline const struct image_operands *image_operands(const struct simt_inst *inst)
{
	return (const struct image_operands *)(uintptr_t)inst->immediate;
}

static inline const uint8_t *image_row(const struct simt_warp *warp, const struct image_source *source)
{
	return (source->is_constant ? warp->constants : warp->registers) + source->offset;
}

static inline uint32_t image_value(const struct simt_warp *warp, const struct image_source *source, unsigned lane)
{
	return ((const lane32 *)image_row(warp, source))[lane];
}

static inline uint64_t image_wide(const struct simt_warp *warp, const struct image_source *source, unsigned lane)
{
	return ((const lane64 *)image_row(warp, source))[lane];
}

/* Returns the number of coordinates without the layer. */
static inline unsigned image_axes(enum ptx_geometry geometry)
{
	return geometry == PTX_1D || geometry == PTX_A1D ? 1 : geometry == PTX_2D || geometry == PTX_A2D ? 2 : 3;
}

/* Returns the texture or surface that a lane names. Returns NULL after a fault: the handle is invalid or unbound. */
struct texture *image_of(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                         const struct image_source *handle, unsigned lane);
/* Finds the texels that a lane reads. `room` is space for a texture combined with another texture's sampler.
 * Returns false after a fault. */
bool image_choose(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, unsigned lane,
                  struct texture *room, struct texture_read *read);
/* Returns the bytes of a lane's access to a surface: the bytes moved, or a texel of the surface's format. */
uint32_t image_surface_bytes(const struct simt_inst *inst, const struct texture *surface);
/* Returns true when the bytes lie in a live allocation, false after a fault. */
bool image_can_access(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, uint64_t address,
                      uint32_t bytes, unsigned lane);

#endif
