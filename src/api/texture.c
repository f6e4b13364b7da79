/* Textures and surfaces, as described by the host. */
#include "api/api.h"
#include "attach/sized.h"

/* Larger than any device supports; they keep all sizes within 64 bits. */
enum { MOST_TEXELS = 1 << 28, MOST_SLICES = 1 << 16 };

static bool is_power_to(uint32_t value, uint32_t most)
{
	return value && value <= most && !(value & (value - 1));
}

static bool has_shape(const struct sluice_image *image)
{
	uint32_t d = image->dimensions;
	if (d < 1 || d > 3 || !image->width || !image->height || !image->depth || !image->layers)
		return false;
	if ((d < 2 && image->height > 1) || (d < 3 && image->depth > 1) || (d == 3 && image->layers > 1))
		return false;
	return image->width <= MOST_TEXELS && image->height <= MOST_SLICES && image->depth <= MOST_SLICES &&
	       image->layers <= MOST_SLICES && image->levels >= 1 && image->levels <= TEXTURE_LEVELS;
}

static bool has_format(const struct sluice_image *image)
{
	bool is_float = image->channel == SLUICE_FLOAT;
	return is_power_to(image->channels, 4) && is_power_to(image->channel_bits, 32) &&
	       image->channel_bits >= (is_float ? 16 : 8) && image->channel <= SLUICE_FLOAT;
}

static struct texture_image image_of(const struct sluice_image *image)
{
	return (struct texture_image){
		.address = image->address,
		.width = image->width,
		.height = image->height,
		.depth = image->depth,
		.layers = image->layers,
		.levels = image->levels,
		.dimensions = (uint8_t)image->dimensions,
		.is_cube = image->cube,
		.is_tiled = image->tiled,
		.channels = (uint8_t)image->channels,
		.channel_bytes = (uint8_t)(image->channel_bits / 8),
		.channel = (uint8_t)image->channel,
		.pitch = image->pitch,
	};
}

static struct texture_sampler sampler_of(const struct sluice_sampler *sampler)
{
	struct texture_sampler own = {
		.is_linear = sampler->linear,
		.is_normalized = sampler->normalized,
		.reads_floats = sampler->reads_floats,
		.is_srgb = sampler->srgb,
		.level_bias = sampler->level_bias,
		.lowest_level = sampler->lowest_level,
		.highest_level = sampler->highest_level,
	};
	for (unsigned d = 0; d < 3; d++)
		own.outside[d] = (uint8_t)sampler->outside[d];
	for (unsigned c = 0; c < 4; c++)
		own.border[c] = sampler->border[c];
	return own;
}

static bool find_bytes(const struct sluice_image *image, uint64_t *bytes, struct sluice_error *error)
{
	if (!has_shape(image) ||
	    (image->cube && (image->dimensions != 2 || image->layers % 6 || image->width != image->height))) {
		api_fail(error, SLUICE_BAD_ARGUMENT,
		         "an image of %u dimensions with %u x %u x %u texels, %u layers and %u levels",
		         image->dimensions, image->width, image->height, image->depth, image->layers, image->levels);
		return false;
	}
	if (!has_format(image)) {
		api_fail(error, SLUICE_BAD_ARGUMENT, "an image with texels of %u channels of %u bits", image->channels,
		         image->channel_bits);
		return false;
	}
	const struct texture_image own = image_of(image);
	if (!own.is_tiled && own.dimensions > 1 && own.pitch < (uint64_t)own.width * texture_texel_bytes(&own)) {
		api_fail(error, SLUICE_BAD_ARGUMENT, "an image with rows of %u texels and a pitch of %llu bytes",
		         image->width, (unsigned long long)image->pitch);
		return false;
	}
	*bytes = texture_bytes(&own);
	if (!own.is_tiled) /* the last row has no padding */
		*bytes -= own.dimensions > 1 ? own.pitch - (uint64_t)own.width * texture_texel_bytes(&own) : 0;
	return true;
}

bool sluice_image_bytes(const struct sluice_image *given, uint64_t *bytes, struct sluice_error *error)
{
	struct sluice_image image;
	return sized_read(&image, sizeof image, given, "image", error) == SLUICE_OK && find_bytes(&image, bytes, error);
}

uint64_t sluice_image_row(const struct sluice_image *given, uint32_t level, uint64_t byte, uint32_t y, uint32_t z,
                          uint64_t *run)
{
	struct sluice_image image;
	sized_read(&image, sizeof image, given, "image", NULL);
	const struct texture_image own = image_of(&image);
	const struct texture_level place = texture_level_of(&own, level);
	*run = texture_run(&own, byte);
	return texture_address(&own, &place, byte, y, z);
}

enum sluice_status sluice_texture_bind(sluice_gpu *gpu, uint64_t handle, const struct sluice_image *given,
                                       const struct sluice_sampler *given_sampler, struct sluice_error *error)
{
	struct sluice_image image;
	struct sluice_sampler sampler;
	struct texture *texture = texture_find(&gpu->textures, handle);
	uint64_t bytes;
	if (!texture)
		return api_fail(error, SLUICE_BAD_ARGUMENT, "0x%llx is not a texture or surface",
		                (unsigned long long)handle);
	texture->is_bound = false;
	if (!given)
		return api_succeed(error);
	if (!given_sampler)
		return api_fail(error, SLUICE_BAD_ARGUMENT, "an image without a sampler");
	if (sized_read(&image, sizeof image, given, "image", error) != SLUICE_OK ||
	    sized_read(&sampler, sizeof sampler, given_sampler, "sampler", error) != SLUICE_OK ||
	    !find_bytes(&image, &bytes, error))
		return SLUICE_BAD_ARGUMENT;
	struct texture_image own = image_of(&image);
	own.address = simt_address(gpu->gpu->memory, image.address);
	if (!simt_valid(gpu->gpu->memory, own.address, bytes))
		return api_fail(error, SLUICE_BAD_ARGUMENT,
		                "an image of %llu bytes at 0x%llx, outside every allocation", (unsigned long long)bytes,
		                (unsigned long long)image.address);
	const struct texture_sampler how = sampler_of(&sampler);
	texture_bind(texture, &own, &how);
	return api_succeed(error);
}

enum sluice_status sluice_texture_create(sluice_gpu *gpu, const struct sluice_image *image,
                                         const struct sluice_sampler *sampler, uint64_t *handle,
                                         struct sluice_error *error)
{
	uint64_t made = textures_add(&gpu->textures);
	if (!made)
		return api_fail(error, SLUICE_NO_MEMORY, "no more textures and surfaces");
	enum sluice_status status = sluice_texture_bind(gpu, made, image, sampler, error);
	if (status == SLUICE_OK)
		*handle = made;
	else
		textures_remove(&gpu->textures, made);
	return status;
}

enum sluice_status sluice_texture_destroy(sluice_gpu *gpu, uint64_t handle, struct sluice_error *error)
{
	if (!texture_find(&gpu->textures, handle))
		return api_fail(error, SLUICE_BAD_ARGUMENT, "0x%llx is not a texture or surface",
		                (unsigned long long)handle);
	textures_remove(&gpu->textures, handle);
	return api_succeed(error);
}
