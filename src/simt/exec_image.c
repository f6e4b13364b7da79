/* exec_image: tex, tld4, txq and suq, lane by lane. */
#include "simt/access.h"
#include "simt/convert.h"
#include "simt/image.h"
#include "simt/image_access.h"

#include "base/arena.h"

#include <stdlib.h>

void image_block_start(struct simt_block *block)
{
	if (!block->launch->program->has_images)
		return;
	if (!block->images)
		block->images = base_malloc(sizeof *block->images);
	*block->images = (struct image_block){0};
}

void image_block_free(struct simt_block *block)
{
	free(block->images);
}

struct texture *image_of(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                         const struct image_source *handle, unsigned lane)
{
	struct texture *texture = texture_find(warp->block->launch->textures, image_wide(warp, handle, lane));
	if (texture && texture->is_bound)
		return texture;
	fault_set(warp, inst, step, SIMT_FAULT_INSTRUCTION,
	          texture ? "a texture or surface without an image" : "a handle of no texture or surface", lane);
	return NULL;
}

bool image_can_access(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, uint64_t address,
                      uint32_t bytes, unsigned lane)
{
	struct simt_memory *memory = warp->block->launch->memory;
	struct simt_range *range = &warp->block->images->range;
	if (address >= range->low && address < range->high && range->high - address >= bytes)
		return true;
	const struct simt_allocation *allocation = simt_find(memory, address);
	if (allocation && allocation->size - (address - allocation->address) >= bytes) {
		*range = (struct simt_range){
			.low = allocation->address,
			.high = allocation->address + allocation->size,
			.base = (uintptr_t)simt_host(memory, address) - address,
		};
		return true;
	}
	fault_set(warp, inst, step, SIMT_FAULT_ADDRESS,
	          simt_freed(memory, address) ? "image access to freed memory"
	                                      : "image access outside every allocation",
	          lane);
	step->fault.space = PTX_GLOBAL;
	step->fault.address = address;
	step->fault.size = bytes;
	return false;
}

/* Returns the coordinates of a geometry; the layer is the first operand. */
static struct texture_place place_of(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane)
{
	const struct image_operands *operands = image_operands(inst);
	enum ptx_geometry geometry = inst->ptx->geometry;
	const struct image_source *source = operands->coordinate;
	struct texture_place place = {.is_whole = inst->ptx->type2 == PTX_S32, .axes = image_axes(geometry)};
	if (geometry == PTX_A1D || geometry == PTX_A2D || geometry == PTX_ACUBE)
		place.layer = image_value(warp, source++, lane);
	for (unsigned d = 0; d < image_axes(geometry); d++) {
		uint32_t bits = image_value(warp, &source[d], lane);
		place.whole[d] = (int32_t)bits;
		place.at[d] = bits_float(bits);
	}
	return place;
}

static float level_of(const struct simt_warp *warp, const struct simt_inst *inst, const struct texture *texture,
                      unsigned lane)
{
	const struct image_operands *operands = image_operands(inst);
	float x[3] = {0}, y[3] = {0};
	if (inst->ptx->lod == PTX_LOD_LEVEL) {
		uint32_t bits = image_value(warp, &operands->more[0], lane);
		return inst->ptx->type2 == PTX_S32 ? (float)(int32_t)bits : bits_float(bits);
	}
	if (inst->ptx->lod != PTX_LOD_GRAD)
		return 0;
	for (unsigned d = 0; d < 3 && d < operands->derivatives; d++) {
		x[d] = bits_float(image_value(warp, &operands->more[d], lane));
		y[d] = bits_float(image_value(warp, &operands->more[operands->derivatives + d], lane));
	}
	return texture_level_for(texture, x, y, operands->derivatives);
}

/* Combines the texture with another texture's sampler, in PTX's independent mode. An unbound sampler is ignored. */
static const struct texture *with_sampler(const struct simt_warp *warp, const struct simt_inst *inst,
                                          const struct texture *texture, struct texture *room, unsigned lane)
{
	const struct image_operands *operands = image_operands(inst);
	if (!operands->has_sampler)
		return texture;
	uint64_t handle = image_wide(warp, &operands->sampler, lane);
	const struct texture *sampler = texture_find(warp->block->launch->textures, handle);
	if (!sampler || !sampler->is_bound)
		return texture;
	*room = *texture;
	room->sampler = sampler->sampler;
	return room;
}

static void write_value(const struct simt_warp *warp, const struct simt_inst *inst, const uint32_t value[4],
                        unsigned lane)
{
	bool is_half = inst->ptx->type == PTX_F16;
	for (unsigned e = 0; e < inst->vector; e++) {
		if (inst->dst[e] == SIMT_NO_REGISTER)
			continue;
		lane32 *to = destination(warp, inst, e);
		to[lane] = is_half ? small_round(PTX_F16, bits_float(value[e]), PTX_RN) : value[e];
	}
}

/* Checks that the texels lie in one live allocation: that of the image, unless it was freed. Returns false after a
 * fault. */
static bool can_read(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                     const struct texels *texels, unsigned lane)
{
	const struct image_block *images = warp->block->images;
	for (uint32_t i = 0; i < texels->count; i++) {
		uintptr_t before = images->range.base;
		if (!image_can_access(warp, inst, step, texels->address[i], images->texel_bytes, lane))
			return false;
		if (i && images->range.base != before) {
			fault_set(warp, inst, step, SIMT_FAULT_ADDRESS, "image access to freed memory", lane);
			return false;
		}
	}
	return true;
}

bool image_choose(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, unsigned lane,
                  struct texture *room, struct texture_read *read)
{
	const struct texture *texture = image_of(warp, inst, step, &image_operands(inst)->handle, lane);
	if (!texture)
		return false;
	texture = with_sampler(warp, inst, texture, room, lane);
	struct texture_place place = place_of(warp, inst, lane);
	place.level = level_of(warp, inst, texture, lane);
	if (inst->ptx->gather)
		texture_choose_four(texture, &place, read);
	else
		texture_choose(texture, &place, read);
	return true;
}

/* Reads for one lane. Returns false after a fault. */
static bool read_lane(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, unsigned lane,
                      uint32_t value[4])
{
	struct image_block *images = warp->block->images;
	struct texture room;
	struct texture_read read;
	if (!image_choose(warp, inst, step, lane, &room, &read))
		return false;
	images->texel_bytes = texture_texel_bytes(&read.texture->image);
	if (!can_read(warp, inst, step, &read.texels, lane))
		return false;
	images->lane[lane] = read.texels;
	const uint8_t *base = (const uint8_t *)images->range.base; /* an image lies in one allocation */
	if (inst->ptx->gather)
		texture_gather(&read, base, inst->ptx->gather - PTX_GATHER_R, value);
	else
		texture_fetch(&read, base, value);
	return true;
}

void image_read(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t value[WARP_SIZE][4];
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		if (!read_lane(warp, inst, step, lane, value[lane]))
			return;
	}
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		write_value(warp, inst, value[lane], lane);
	}
	uint32_t resident = image_operands(inst)->resident;
	if (resident != SIMT_NO_REGISTER)
		*(lane32 *)(warp->registers + resident) |= step->lanes;
}

void image_gather(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	image_read(warp, inst, step);
}

/* --- queries --- */

/* OpenCL's numbers, which PTX uses: CL_SNORM_INT8 and following, CL_R and following. */
static uint32_t channel_type(const struct texture *texture)
{
	const struct texture_image *image = &texture->image;
	uint32_t width = image->channel_bytes == 4 ? 2 : image->channel_bytes - 1u;
	if (image->channel == TEXTURE_FLOAT)
		return image->channel_bytes == 2 ? 0x10DD : 0x10DE;
	bool is_signed = image->channel == TEXTURE_SIGNED;
	if (texture->sampler.reads_floats)
		return (is_signed ? 0x10D0 : 0x10D2) + width;
	return (is_signed ? 0x10D7 : 0x10DA) + width;
}

static uint32_t answer(const struct texture *texture, enum ptx_query query, const struct texture_level *level)
{
	static const uint32_t order[] = {0, 0x10B0, 0x10B2, 0x10B4, 0x10B5};
	const struct texture_image *image = &texture->image;
	switch (query) {
	case PTX_QUERY_WIDTH:
		return level->width;
	case PTX_QUERY_HEIGHT:
		return image->dimensions > 1 ? level->height : 0;
	case PTX_QUERY_DEPTH:
		return image->dimensions > 2 ? level->depth : 0;
	case PTX_QUERY_CHANNEL_TYPE:
		return channel_type(texture);
	case PTX_QUERY_CHANNEL_ORDER:
		return order[image->channels];
	case PTX_QUERY_NORMALIZED:
		return texture->sampler.is_normalized;
	case PTX_QUERY_UNNORMALIZED:
		return !texture->sampler.is_normalized;
	case PTX_QUERY_LAYERS:
		return image->layers;
	case PTX_QUERY_LEVELS:
		return image->levels;
	case PTX_QUERY_SAMPLES:
		return 1;
	case PTX_QUERY_FILTER:
		return texture->sampler.is_linear;
	case PTX_QUERY_ADDRESS_0:
	case PTX_QUERY_ADDRESS_1:
	case PTX_QUERY_ADDRESS_2:
		return texture->sampler.outside[query - PTX_QUERY_ADDRESS_0];
	default: /* memory_layout */
		return image->is_tiled;
	}
}

void image_query(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct image_operands *operands = image_operands(inst);
	lane32 *to = destination(warp, inst, 0);
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		const struct texture *texture = image_of(warp, inst, step, &operands->handle, lane);
		if (!texture)
			return;
		uint32_t level = inst->ptx->lod == PTX_LOD_LEVEL ? image_value(warp, &operands->more[0], lane) : 0;
		level = level < texture->image.levels ? level : texture->image.levels - 1;
		to[lane] = answer(texture, inst->ptx->query, &texture->level[level]);
	}
}
