/* exec_surface: suld, sust and sured. They access global memory at the location of their coordinates. x counts
 * bytes, with .p texels. The commit performs stores and atomics. Lanes outside the surface whose access is dropped
 * (.zero) make no access. */
#include "simt/access.h"
#include "simt/image_access.h"

typedef uint32_t __attribute__((may_alias)) mem_u32;
typedef uint64_t __attribute__((may_alias)) mem_u64;

uint32_t image_surface_bytes(const struct simt_inst *inst, const struct texture *surface)
{
	return inst->ptx->formatted && inst->ptx->op == PTX_OP_SUST ? texture_texel_bytes(&surface->image) : inst->size;
}

/* Finds the lane's location in the surface. Returns false when the lane is outside the surface, or on a fault. */
static bool find_place(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, unsigned lane,
                       const struct texture *surface)
{
	const struct texture_image *image = &surface->image;
	const struct texture_level *level = &surface->level[0];
	const struct image_source *source = image_operands(inst)->coordinate;
	enum ptx_geometry geometry = inst->ptx->geometry;
	uint32_t bytes = image_surface_bytes(inst, surface), texel_bytes = texture_texel_bytes(image);
	int64_t most[3] = {(int64_t)level->width * texel_bytes - bytes, level->height - 1, level->depth - 1},
		at[3] = {0};
	unsigned axes = image_axes(geometry);
	if (geometry == PTX_A1D || geometry == PTX_A2D) {
		at[2] = (int32_t)image_value(warp, source++, lane);
		most[2] = image->layers - 1;
	}
	for (unsigned d = 0; d < axes; d++)
		at[d] = (int32_t)image_value(warp, &source[d], lane);
	if (inst->ptx->formatted)
		at[0] *= texel_bytes;
	for (unsigned d = 0; d < 3; d++) {
		if (at[d] >= 0 && at[d] <= most[d])
			continue;
		if (inst->ptx->outside == PTX_OUTSIDE_ZERO || most[d] < 0)
			return false;
		if (inst->ptx->outside == PTX_OUTSIDE_TRAP) {
			fault_set(warp, inst, step, SIMT_FAULT_INSTRUCTION, "surface access outside the surface", lane);
			return false;
		}
		at[d] = at[d] < 0 ? 0 : most[d];
	}
	if (at[0] % bytes && !inst->ptx->formatted) {
		fault_set(warp, inst, step, SIMT_FAULT_INSTRUCTION, "surface access at a misaligned x", lane);
		return false;
	}
	step->address[lane] = texture_address(image, level, (uint64_t)at[0], (uint32_t)at[1], (uint32_t)at[2]);
	return image_can_access(warp, inst, step, step->address[lane], bytes, lane);
}

/* Sets the step's lanes to those inside the surface. Returns false on a fault. */
static bool find_places(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t inside = 0;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		const struct texture *surface = image_of(warp, inst, step, &image_operands(inst)->handle, lane);
		if (surface && find_place(warp, inst, step, lane, surface))
			inside |= lane_bit[lane];
		if (step->fault.what)
			return false;
	}
	step->lanes = inside;
	return true;
}

static uint8_t *place_on_host(const struct simt_warp *warp, const struct simt_step *step, unsigned lane)
{
	return simt_host(warp->block->launch->memory, step->address[lane]);
}

static void write_element(const struct simt_warp *warp, const struct simt_inst *inst, unsigned e, unsigned lane,
                          uint64_t value)
{
	if (inst->dst[e] == SIMT_NO_REGISTER)
		return;
	if (image_operands(inst)->is_wide)
		((lane64 *)destination(warp, inst, e))[lane] = value;
	else
		((lane32 *)destination(warp, inst, e))[lane] = (uint32_t)value;
}

void image_load(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t asked = step->lanes, bytes = ptx_type_bytes(inst->ptx->type);
	if (!find_places(warp, inst, step))
		return;
	for (uint32_t rest = asked; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		for (unsigned e = 0; e < inst->vector; e++) {
			uint64_t value = 0;
			if (step->lanes & lane_bit[lane])
				memcpy(&value, place_on_host(warp, step, lane) + e * bytes, bytes);
			write_element(warp, inst, e, lane, value);
		}
	}
}

void image_store(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	if (find_places(warp, inst, step))
		step->commits = step->lanes != 0;
}

static uint64_t stored_value(const struct simt_warp *warp, const struct simt_inst *inst, unsigned e, unsigned lane)
{
	const struct image_operands *operands = image_operands(inst);
	return operands->is_wide ? image_wide(warp, &operands->value[e], lane)
	                         : image_value(warp, &operands->value[e], lane);
}

/* When several lanes write to one location, the last lane wins. */
void image_store_commit(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t bytes = ptx_type_bytes(inst->ptx->type);
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint8_t *to = place_on_host(warp, step, lane);
		uint64_t value[IMAGE_VALUES] = {0};
		for (unsigned e = 0; e < inst->vector; e++)
			value[e] = stored_value(warp, inst, e, lane);
		if (inst->ptx->formatted) {
			const uint32_t texel[4] = {(uint32_t)value[0], (uint32_t)value[1], (uint32_t)value[2],
			                           (uint32_t)value[3]};
			const struct texture *surface = image_of(warp, inst, step, &image_operands(inst)->handle, lane);
			texture_format(&surface->image, texel, to);
			continue;
		}
		for (unsigned e = 0; e < inst->vector; e++)
			memcpy(to + e * bytes, &value[e], bytes);
	}
}

void image_reduce(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	image_store(warp, inst, step);
}

static uint64_t reduced(const struct simt_inst *inst, bool is_signed, uint64_t old, uint64_t value)
{
	bool less = !is_signed        ? value < old
	            : inst->size == 8 ? (int64_t)value < (int64_t)old
	                              : (int32_t)value < (int32_t)old;
	switch (inst->ptx->atomic) {
	case PTX_ATOM_ADD:
		return old + value;
	case PTX_ATOM_MIN:
		return less ? value : old;
	case PTX_ATOM_MAX:
		return less ? old : value;
	case PTX_ATOM_AND:
		return old & value;
	default:
		return old | value;
	}
}

void image_reduce_commit(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint8_t *at = place_on_host(warp, step, lane);
		uint64_t value = stored_value(warp, inst, 0, lane);
		const struct texture *surface = image_of(warp, inst, step, &image_operands(inst)->handle, lane);
		bool is_signed = inst->ptx->type == PTX_S32 || inst->ptx->type == PTX_S64 ||
		                 (inst->ptx->formatted && surface->image.channel == TEXTURE_SIGNED);
		if (inst->size == 8)
			*(mem_u64 *)at = reduced(inst, is_signed, *(mem_u64 *)at, value);
		else
			*(mem_u32 *)at = (uint32_t)reduced(inst, is_signed, *(mem_u32 *)at, (uint32_t)value);
	}
}
