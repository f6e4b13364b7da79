/* texture: images and the table of textures. */
#include "simt/texture.h"

#include "base/arena.h"

#include <stdlib.h>

enum { MOST_TEXTURES = 1 << 20, LEVEL_ALIGN = 512 };

static uint32_t half_of(uint32_t size, uint32_t level)
{
	return size >> level ? size >> level : 1;
}

static uint64_t round_up(uint64_t size, uint64_t to)
{
	return (size + to - 1) / to * to;
}

/* Returns a level's shape, at address 0. */
static struct texture_level shape_of(const struct texture_image *image, uint32_t level)
{
	struct texture_level shape = {.width = half_of(image->width, level),
	                              .height = half_of(image->height, level),
	                              .depth = half_of(image->depth, level)};
	uint32_t texel_bytes = texture_texel_bytes(image);
	if (!image->is_tiled || image->dimensions == 1) {
		shape.row = image->is_tiled ? (uint64_t)shape.width * texel_bytes : image->pitch;
		shape.slice = round_up(shape.row * shape.height, image->is_tiled ? TEXTURE_TILE_BYTES : 1);
		return shape;
	}
	uint32_t across = texture_tile_width(texel_bytes), down = TEXTURE_TILE_BYTES / (across * texel_bytes);
	shape.row = round_up(shape.width, across) / across * TEXTURE_TILE_BYTES;
	shape.slice = round_up(shape.height, down) / down * shape.row;
	return shape;
}

static uint64_t level_bytes(const struct texture_image *image, const struct texture_level *level)
{
	return level->slice * level->depth * image->layers;
}

struct texture_level texture_level_of(const struct texture_image *image, uint32_t level)
{
	uint64_t address = image->address;
	for (uint32_t l = 0; l < level; l++) {
		const struct texture_level before = shape_of(image, l);
		address += round_up(level_bytes(image, &before), LEVEL_ALIGN);
	}
	struct texture_level shape = shape_of(image, level);
	shape.address = address;
	return shape;
}

uint64_t texture_bytes(const struct texture_image *image)
{
	const struct texture_level last = texture_level_of(image, image->levels - 1);
	return last.address - image->address + level_bytes(image, &last);
}

uint64_t textures_add(struct textures *textures)
{
	uint32_t at = 0;
	while (at < textures->count && textures->texture[at]->is_used)
		at++;
	if (at == MOST_TEXTURES)
		return 0;
	if (at == textures->capacity) {
		textures->capacity = 2 * textures->capacity + 16;
		textures->texture = base_realloc(textures->texture, textures->capacity * sizeof *textures->texture);
	}
	if (at == textures->count)
		textures->texture[textures->count++] = base_calloc(1, sizeof **textures->texture);
	*textures->texture[at] = (struct texture){.is_used = true};
	return TEXTURE_HANDLES + at;
}

void textures_remove(struct textures *textures, uint64_t handle)
{
	struct texture *texture = texture_find(textures, handle);
	if (texture)
		*texture = (struct texture){0};
}

void textures_free(struct textures *textures)
{
	for (uint32_t i = 0; i < textures->count; i++)
		free(textures->texture[i]);
	free(textures->texture);
	*textures = (struct textures){0};
}

void texture_bind(struct texture *texture, const struct texture_image *image, const struct texture_sampler *sampler)
{
	texture->is_bound = true;
	texture->image = *image;
	texture->sampler = *sampler;
	for (uint32_t l = 0; l < image->levels; l++)
		texture->level[l] = texture_level_of(image, l);
}
