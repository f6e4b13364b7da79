/* check_image: checks accesses to textures and surfaces, after address computation and before memory changes. It
 * finds reads of unwritten texels and races on global memory. */
#include "simt/checks.h"
#include "simt/image_access.h"

static void look(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t address, uint32_t size,
                 bool same)
{
	const struct block_checks *checks = warp->block->checks;
	if (checks->unwritten && inst->kind != SIMT_STORE)
		unwritten_image(warp, inst, lane, address, size);
	if (checks->race)
		race_image(warp, inst, lane, address, size, same);
}

/* The texels that a lane reads through a texture. */
struct lane_texels {
	struct texels texels;
	uint32_t bytes; /* per texel */
};

/* Finds the lane's texels, without those to which the filter gives no weight. */
static void choose_texels(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, unsigned lane,
                          struct lane_texels *to)
{
	struct texture room;
	struct texture_read read;
	to->texels.count = 0;
	if (!image_choose(warp, inst, step, lane, &room, &read))
		return;
	to->bytes = texture_texel_bytes(&read.texture->image);
	for (uint32_t i = 0; i < read.texels.count; i++)
		if (inst->ptx->gather || texture_has_weight(&read, i))
			to->texels.address[to->texels.count++] = read.texels.address[i];
}

/* The instruction may overwrite its coordinates, so texels are chosen before it runs. Whether it will fault is not
 * known before. */
static void checked_texture(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct lane_texels chosen[WARP_SIZE];
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		choose_texels(warp, inst, step, lane, &chosen[lane]);
	}
	unchecked(warp, inst)->exec(warp, inst, step);
	for (uint32_t rest = step->fault.what ? 0 : step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		for (uint32_t i = 0; i < chosen[lane].texels.count; i++)
			look(warp, inst, lane, chosen[lane].texels.address[i], chosen[lane].bytes, false);
	}
}

/* For a load the handle may be overwritten, but then the surface does not matter. */
static uint32_t surface_bytes(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane)
{
	uint64_t handle = image_wide(warp, &image_operands(inst)->handle, lane);
	return image_surface_bytes(inst, texture_find(warp->block->launch->textures, handle));
}

/* Performs a lane's store, so that later lanes see its value. The commit performs it again. Returns true when the
 * store changes nothing. */
static bool store_same(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step,
                       unsigned lane, uint32_t bytes)
{
	struct simt_step one = *step;
	uint8_t old[16];
	const uint8_t *memory = simt_host(warp->block->launch->memory, step->address[lane]);
	memcpy(old, memory, bytes);
	one.lanes = lane_bit[lane];
	unchecked(warp, inst)->commit(warp, inst, &one);
	return memcmp(old, memory, bytes) == 0;
}

static void look_at_surface(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step,
                            unsigned lane)
{
	bool races = warp->block->checks->race != NULL;
	uint32_t bytes = surface_bytes(warp, inst, lane);
	bool same = races && inst->kind == SIMT_STORE && store_same(warp, inst, step, lane, bytes);
	look(warp, inst, lane, step->address[lane], bytes, same);
}

static void checked_surface(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	unchecked(warp, inst)->exec(warp, inst, step);
	for (uint32_t rest = step->fault.what ? 0 : step->lanes; rest; rest &= rest - 1)
		look_at_surface(warp, inst, step, (unsigned)__builtin_ctz(rest));
}

void checked_image(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	if (warp->block->checks->unwritten)
		unwritten_step(warp, inst, step);
	if (inst->space == PTX_TEX)
		checked_texture(warp, inst, step);
	else
		checked_surface(warp, inst, step);
}

void checked_image_commit(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	unchecked(warp, inst)->commit(warp, inst, step);
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		simt_mark_written(warp->block->launch->memory, step->address[lane], surface_bytes(warp, inst, lane));
	}
}
