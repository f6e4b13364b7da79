/* texture: images in device memory, how textures and surfaces look at them, and the table of all that are bound.
 *
 * What PTX calls a .texref, .samplerref or .surfref, and CUDA a texture or surface object, is here one thing: a place in the table, whose
 * handle is what `mov` makes of the name and what a tex instruction takes. The table changes between launches alone.
 */
#ifndef SLUICE_SIMT_TEXTURE_H
#define SLUICE_SIMT_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TEXTURE_HANDLES = 0x08000000, /* the first: no address, so that what takes one for a pointer is told */
	TEXTURE_LEVELS = 16,
	TEXTURE_TILE_BYTES = 128, /* of an array: a line of the texture cache */
	TEXTURE_TEXELS = 8,       /* of a read: the corners of a cell of three dimensions */
};

enum texture_channel { TEXTURE_SIGNED, TEXTURE_UNSIGNED, TEXTURE_FLOAT };
enum texture_outside { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

/* Texels in device memory. A row of texels lies as it is, or, in an array of two or three dimensions, in tiles: of TEXTURE_TILE_BYTES,
 * 16 texels wide where one has up to 2 bytes, 8 up to 8, else 4 (GPGPU-Sim 3.2.2 has tiles of that shape: gpgpu_ptx_sim_bindTextureToArray()),
 * row by row inside, and row by row among each other. */
struct texture_image {
	uint64_t address;
	uint32_t width, height, depth; /* texels of level 0; 1 in the dimensions that it has not */
	uint32_t layers;               /* images of that size; six a cube */
	uint32_t levels;               /* each half as large as the one before, all its layers behind those of that */
	uint8_t dimensions;            /* 1 to 3 */
	bool is_cube, is_tiled;
	uint8_t channels, channel_bytes, channel; /* enum texture_channel; floats of 2 or 4 bytes */
	uint64_t pitch;                           /* bytes from row to row; tiled: unused */
};

/* One mip level: its size, and where it lies. */
struct texture_level {
	uint64_t address, row, slice; /* bytes from row (of tiles) to row, from layer or slice to the next */
	uint32_t width, height, depth;
};

struct texture_sampler {
	uint8_t outside[3]; /* enum texture_outside, by dimension */
	bool is_linear;     /* else the nearest texel */
	bool is_normalised; /* coordinates from 0 to 1 */
	bool reads_floats;  /* whole numbers become fractions of the largest */
	bool is_srgb;
	float border[4];
	float level_bias, lowest_level, highest_level;
};

struct texture {
	bool is_used, is_bound;
	struct texture_image image;
	struct texture_sampler sampler;
	struct texture_level level[TEXTURE_LEVELS];
};

struct textures {
	struct texture **texture; /* by handle; each stays where it is */
	uint32_t count, capacity;
};

/* A level of an image, and of how many bytes all of them are. */
struct texture_level texture_level_of(const struct texture_image *image, uint32_t level);
uint64_t texture_bytes(const struct texture_image *image);

static inline uint32_t texture_texel_bytes(const struct texture_image *image)
{
	return (uint32_t)image->channels * image->channel_bytes;
}

/* Texels across a tile. */
static inline uint32_t texture_tile_width(uint32_t texel_bytes)
{
	return texel_bytes <= 2 ? 16 : texel_bytes <= 8 ? 8 : 4;
}

/* The address of a byte of a texel row: `z` counts slices or layers. */
static inline uint64_t texture_address(const struct texture_image *image, const struct texture_level *level, uint64_t byte,
                                       uint32_t y, uint32_t z)
{
	uint64_t slice = level->address + z * level->slice;
	if (!image->is_tiled || image->dimensions == 1)
		return slice + y * level->row + byte;
	uint32_t texel_bytes = texture_texel_bytes(image), across = texture_tile_width(texel_bytes) * texel_bytes;
	uint32_t down = TEXTURE_TILE_BYTES / across;
	return slice + y / down * level->row + byte / across * TEXTURE_TILE_BYTES + y % down * across + byte % across;
}

/* How many bytes of the row lie together from there on, at most. */
static inline uint64_t texture_run(const struct texture_image *image, uint64_t byte)
{
	if (!image->is_tiled || image->dimensions == 1)
		return UINT64_MAX;
	uint32_t texel_bytes = texture_texel_bytes(image), across = texture_tile_width(texel_bytes) * texel_bytes;
	return across - byte % across;
}

/* A new place, unbound; 0: all handles are used. */
uint64_t textures_add(struct textures *textures);
void textures_remove(struct textures *textures, uint64_t handle);
void textures_free(struct textures *textures);
/* What the image of a place is from now on, and how it is read. */
void texture_bind(struct texture *texture, const struct texture_image *image, const struct texture_sampler *sampler);

/* The place of a handle, or NULL. */
static inline struct texture *texture_find(const struct textures *textures, uint64_t handle)
{
	uint64_t index = handle - TEXTURE_HANDLES;
	struct texture *texture = textures && index < textures->count ? textures->texture[index] : NULL;
	return texture && texture->is_used ? texture : NULL;
}

/* Texels of a read, for those who want to know what it costs and whether they may be read. */
struct texels {
	uint64_t address[TEXTURE_TEXELS];
	uint32_t count;
};

/* Where a lane reads. */
struct texture_place {
	float at[3];    /* x, y, z; of a cube the direction */
	int32_t whole[3];
	uint32_t axes;  /* of these, how many the read has; what it has not of the image's is 0 */
	bool is_whole;  /* the coordinates are whole numbers: `whole`, in texels */
	uint32_t layer;
	float level;
};

/* What a read gives: bits of whole numbers or of floats, by what the texture holds and how it is read. In two steps: which texels, */
struct texture_read {
	const struct texture *texture;
	const struct texture_level *level;
	struct texels texels;
	uint8_t corner[TEXTURE_TEXELS]; /* of each texel */
	uint32_t axes;                  /* of the cell whose corners they are: 0 where it is a texel */
	float fraction[3]; /* of the way to the far corner, by dimension, a multiple of 1/256 */
};
void texture_choose(const struct texture *texture, const struct texture_place *place, struct texture_read *read);
/* ... and what is in them; `global` is the host's address of device address 0. */
void texture_fetch(const struct texture_read *read, const uint8_t *global, uint32_t value[4]);
/* Whether the filter makes use of the texel, by its place among read->texels. */
bool texture_has_weight(const struct texture_read *read, uint32_t texel);
/* The same of one channel (0 to 3) of the four texels that a linear filter would take, counterclockwise from the one below left. */
void texture_choose_four(const struct texture *texture, const struct texture_place *place, struct texture_read *read);
void texture_gather(const struct texture_read *read, const uint8_t *global, uint32_t channel, uint32_t value[4]);

/* The mip level of derivatives: the larger of the steps in texels that they come to, as a power of two (`by`: coordinates). */
float texture_level_for(const struct texture *texture, const float x[3], const float y[3], uint32_t by);

/* Bytes of a texel made of a value's bits, as sust.p writes them. */
void texture_format(const struct texture_image *image, const uint32_t value[4], uint8_t *texel);

#endif
