/* texture: images in device memory, how textures and surfaces view them, and the table of all bound textures and
 * surfaces.
 *
 * A PTX .texref, .samplerref or .surfref and a CUDA texture or surface object are all entries of this table. The
 * handle of an entry is the value that `mov` gives for the name, and the operand of a tex instruction. The table
 * changes only between launches.
 */
#ifndef SLUICE_SIMT_TEXTURE_H
#define SLUICE_SIMT_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TEXTURE_HANDLES = 0x08000000, /* the first handle: no valid address, so that its use as a pointer is reported */
	TEXTURE_LEVELS = 16,
	TEXTURE_TILE_BYTES = 128, /* tile size of an array: a line of the texture cache */
	TEXTURE_TEXELS = 8,       /* most texels of a read: the corners of a three-dimensional cell */
};

enum texture_channel { TEXTURE_SIGNED, TEXTURE_UNSIGNED, TEXTURE_FLOAT };
enum texture_outside { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

/* Texels in device memory. Rows of texels are linear, or, in an array of two or three dimensions, tiled. A tile has
 * TEXTURE_TILE_BYTES: 16 texels wide for texels of up to 2 bytes, 8 for up to 8 bytes, else 4. GPGPU-Sim 3.2.2 has
 * tiles of that shape: gpgpu_ptx_sim_bindTextureToArray(). Texels inside a tile and tiles in an image are in
 * row-major order. */
struct texture_image {
	uint64_t address;
	uint32_t width, height, depth; /* texels of level 0; 1 in absent dimensions */
	uint32_t layers;               /* images of that size; a cube has six */
	uint32_t levels; /* each half as large as the one before; all layers of a level precede the next level */
	uint8_t dimensions;            /* 1 to 3 */
	bool is_cube, is_tiled;
	uint8_t channels, channel_bytes, channel; /* enum texture_channel; floats of 2 or 4 bytes */
	uint64_t pitch;                           /* bytes from row to row; unused if tiled */
};

/* One mip level: its size and location. */
struct texture_level {
	uint64_t address, row, slice; /* bytes from row (of tiles) to row, and from layer or slice to the next */
	uint32_t width, height, depth;
};

struct texture_sampler {
	uint8_t outside[3]; /* enum texture_outside, by dimension */
	bool is_linear;     /* linear filter; else nearest texel */
	bool is_normalized; /* coordinates range from 0 to 1 */
	bool reads_floats;  /* integers become fractions of the largest one */
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
	struct texture **texture; /* by handle; entries never move */
	uint32_t count, capacity;
};

/* Return a level of an image, and the total bytes of all levels. */
struct texture_level texture_level_of(const struct texture_image *image, uint32_t level);
uint64_t texture_bytes(const struct texture_image *image);

static inline uint32_t texture_texel_bytes(const struct texture_image *image)
{
	return (uint32_t)image->channels * image->channel_bytes;
}

/* Returns the width of a tile in texels. */
static inline uint32_t texture_tile_width(uint32_t texel_bytes)
{
	return texel_bytes <= 2 ? 16 : texel_bytes <= 8 ? 8 : 4;
}

/* Returns the address of a byte of a texel row. `z` counts slices or layers. */
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

/* Returns the largest number of contiguous bytes of the row from there on. */
static inline uint64_t texture_run(const struct texture_image *image, uint64_t byte)
{
	if (!image->is_tiled || image->dimensions == 1)
		return UINT64_MAX;
	uint32_t texel_bytes = texture_texel_bytes(image), across = texture_tile_width(texel_bytes) * texel_bytes;
	return across - byte % across;
}

/* Adds an unbound entry. Returns its handle; 0: all handles are used. */
uint64_t textures_add(struct textures *textures);
void textures_remove(struct textures *textures, uint64_t handle);
void textures_free(struct textures *textures);
/* Binds an image and a sampler to an entry. */
void texture_bind(struct texture *texture, const struct texture_image *image, const struct texture_sampler *sampler);

/* Returns the entry of a handle, or NULL. */
static inline struct texture *texture_find(const struct textures *textures, uint64_t handle)
{
	uint64_t index = handle - TEXTURE_HANDLES;
	struct texture *texture = textures && index < textures->count ? textures->texture[index] : NULL;
	return texture && texture->is_used ? texture : NULL;
}

/* Texels of a read, for its cost and for checks of their addresses. */
struct texels {
	uint64_t address[TEXTURE_TEXELS];
	uint32_t count;
};

/* The location that a lane reads. */
struct texture_place {
	float at[3];    /* x, y, z; for a cube the direction */
	int32_t whole[3];
	uint32_t axes;  /* coordinates in use; the image's other coordinates are 0 */
	bool is_whole;  /* the coordinates are integers: `whole`, in texels */
	uint32_t layer;
	float level;
};

/* A read returns the bits of integers or floats, according to the texture's format and read mode. It has two steps.
 * This one chooses the texels. */
struct texture_read {
	const struct texture *texture;
	const struct texture_level *level;
	struct texels texels;
	uint8_t corner[TEXTURE_TEXELS]; /* corner of the cell for each texel */
	uint32_t axes;                  /* dimensions of the cell that the texels are corners of; 0: a single texel */
	int32_t fraction[3]; /* position between near and far corner, by dimension, in 256ths */
};
void texture_choose(const struct texture *texture, const struct texture_place *place, struct texture_read *read);
/* The second step reads the texels. `global` is the host's address of device address 0. */
void texture_fetch(const struct texture_read *read, const uint8_t *global, uint32_t value[4]);
/* Returns true when the filter gives the texel weight. `texel` is its index in read->texels. */
bool texture_has_weight(const struct texture_read *read, uint32_t texel);
/* Like texture_choose() and texture_fetch(), for one channel (0 to 3) of the four texels that a linear filter would
 * take. Their order is counterclockwise from the lower left. */
void texture_choose_four(const struct texture *texture, const struct texture_place *place, struct texture_read *read);
void texture_gather(const struct texture_read *read, const uint8_t *global, uint32_t channel, uint32_t value[4]);

/* Returns the mip level of derivatives: log2 of the larger step, in texels. `by`: the number of coordinates. */
float texture_level_for(const struct texture *texture, const float x[3], const float y[3], uint32_t by);

/* Writes the bytes of a texel made of a value's bits, as sust.p does. */
void texture_format(const struct texture_image *image, const uint32_t value[4], uint8_t *texel);

#endif
