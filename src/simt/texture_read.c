/* texture_read: texture reads by the CUDA C++ Programming Guide, appendix "Texture Fetching": which texels are
 * read, and how a linear filter combines them. Filter weights have 8 fractional bits. */
#include "simt/texture.h"

#include "simt/convert.h"
#include "simt/exec.h"

#include <math.h>

/* --- from coordinates to texels --- */

/* Texels of one dimension: the near one and, with a linear filter, the far one; -1: the border. */
struct span {
	int64_t texel[2];
	float fraction;
};

/* Returns a texel's index for a read outside the image. */
static int64_t inside(int64_t i, uint32_t size, enum texture_outside outside)
{
	int64_t n = size;
	if (i >= 0 && i < n)
		return i;
	switch (outside) {
	case TEXTURE_WRAP:
		return (i % n + n) % n;
	case TEXTURE_BORDER:
		return -1;
	default:
		return i < 0 ? 0
		             /* also for a mirrored coordinate: the neighbour of the outermost texel is that texel
		              * itself */
		             : n - 1;
	}
}

/* Clamps coordinates that are NaN or beyond all images to values that fit an integer. */
static float bounded(float x)
{
	const float most = 1 << 30;
	return x != x ? 0 : x < -most ? -most : x > most ? most : x;
}

/* Returns a coordinate in texels. Wrap and mirror exist only for normalised coordinates; they move the coordinate
 * into the image. */
static float in_texels(float x, uint32_t size, bool is_normalised, enum texture_outside outside)
{
	if (!is_normalised)
		return bounded(x);
	float whole = floorf(x), part = x - whole;
	if (outside == TEXTURE_WRAP)
		x = part;
	else if (outside == TEXTURE_MIRROR)
		x = fmodf(whole, 2) == 0 ? part : 1 - part;
	return bounded(x * (float)size);
}

static struct span span_of(float x, uint32_t size, bool is_normalised, enum texture_outside outside, bool is_linear)
{
	if (!is_normalised && (outside == TEXTURE_WRAP || outside == TEXTURE_MIRROR))
		outside = TEXTURE_CLAMP;
	x = in_texels(x, size, is_normalised, outside);
	if (!is_linear) {
		int64_t i = (int64_t)floorf(x);
		/* 1.0 after rounding */
		bool is_end = i == size && (outside == TEXTURE_WRAP || outside == TEXTURE_MIRROR);
		return (struct span){{is_end ? i - 1 : inside(i, size, outside)}, 0};
	}
	float whole = floorf(x - 0.5f);
	int64_t i = (int64_t)whole;
	return (struct span){{inside(i, size, outside), inside(i + 1, size, outside)},
	                     floorf((x - 0.5f - whole) * 256 + 0.5f) / 256};
}

/* Returns the face of a cube that a direction hits, and converts the direction to a position on that face. On an
 * edge the first of x, y, z decides. */
static uint32_t face_of(float at[3])
{
	float x = at[0], y = at[1], z = at[2], s, t, most;
	uint32_t face;
	if (fabsf(x) >= fabsf(y) && fabsf(x) >= fabsf(z)) {
		face = x < 0;
		most = fabsf(x), s = x < 0 ? z : -z, t = -y;
	} else if (fabsf(y) >= fabsf(z)) {
		face = 2 + (y < 0);
		most = fabsf(y), s = x, t = y < 0 ? -z : z;
	} else {
		face = 4 + (z < 0);
		most = fabsf(z), s = z < 0 ? -x : x, t = -y;
	}
	at[0] = (s / most + 1) / 2;
	at[1] = (t / most + 1) / 2;
	at[2] = 0;
	return face;
}

static const struct texture_level *level_of(const struct texture *texture, float level)
{
	const struct texture_sampler *sampler = &texture->sampler;
	level = bounded(level) + sampler->level_bias;
	level = level < sampler->lowest_level ? sampler->lowest_level : level;
	level = level > sampler->highest_level ? sampler->highest_level : level;
	float last = (float)(texture->image.levels - 1);
	level = level < 0 ? 0 : level > last ? last : level;
	return &texture->level[(uint32_t)(level + 0.5f)];
}

/* Adds the corners of the cell that the spans form. */
static void add_texels(struct texture_read *read, const struct span span[3], uint32_t slice)
{
	const struct texture_image *image = &read->texture->image;
	read->texels.count = 0;
	for (uint32_t c = 0; c < 1u << read->axes; c++) {
		int64_t x = span[0].texel[c & 1], y = span[1].texel[c >> 1 & 1], z = span[2].texel[c >> 2 & 1];
		if (x < 0 || y < 0 || z < 0)
			continue;
		read->corner[read->texels.count] = (uint8_t)c;
		read->texels.address[read->texels.count++] = texture_address(
			image, read->level, (uint64_t)x * texture_texel_bytes(image), (uint32_t)y, (uint32_t)z + slice);
	}
}

static void choose(const struct texture *texture, const struct texture_place *place, bool is_linear,
                   struct texture_read *read)
{
	const struct texture_image *image = &texture->image;
	const struct texture_sampler *sampler = &texture->sampler;
	const struct texture_level *level = level_of(texture, place->level);
	struct span span[3] = {0};
	float at[3] = {place->at[0], place->at[1], place->at[2]};
	uint32_t slice = place->layer;
	uint32_t size[3] = {level->width, level->height, level->depth};
	uint32_t last_layer = image->is_cube ? image->layers / 6 - 1 : image->layers - 1;
	slice = (int32_t)slice < 0 ? 0 : slice > last_layer ? last_layer : slice;
	if (image->is_cube)
		slice = 6 * slice + face_of(at);
	uint32_t axes = place->axes < image->dimensions ? place->axes : image->dimensions;
	*read = (struct texture_read){.texture = texture, .level = level, .axes = is_linear ? axes : 0};
	for (uint32_t d = 0; d < axes; d++) {
		enum texture_outside outside = image->is_cube ? TEXTURE_CLAMP : sampler->outside[d];
		span[d] = place->is_whole ? (struct span){{inside(place->whole[d], size[d], outside)}, 0}
		                          : span_of(at[d], size[d], sampler->is_normalised || image->is_cube, outside,
		                                    is_linear);
		read->fraction[d] = span[d].fraction;
	}
	add_texels(read, span, slice);
}

static bool gives_floats(const struct texture *texture)
{
	return texture->image.channel == TEXTURE_FLOAT || texture->sampler.reads_floats;
}

void texture_choose(const struct texture *texture, const struct texture_place *place, struct texture_read *read)
{
	choose(texture, place, texture->sampler.is_linear && gives_floats(texture) && !place->is_whole, read);
}

void texture_choose_four(const struct texture *texture, const struct texture_place *place, struct texture_read *read)
{
	choose(texture, place, true, read);
}

float texture_level_for(const struct texture *texture, const float x[3], const float y[3], uint32_t by)
{
	const struct texture_image *image = &texture->image;
	const uint32_t size[3] = {image->width, image->height, image->depth};
	float step[2] = {0, 0};
	for (uint32_t d = 0; d < by && d < image->dimensions; d++) {
		float scale = texture->sampler.is_normalised ? (float)size[d] : 1;
		step[0] += x[d] * scale * x[d] * scale;
		step[1] += y[d] * scale * y[d] * scale;
	}
	float most = step[0] > step[1] ? step[0] : step[1];
	return most > 0 ? log2f(most) / 2 : 0;
}

/* --- from texels to values --- */

static uint32_t raw_channel(const uint8_t *texel, uint32_t bytes, uint32_t channel)
{
	uint32_t raw = 0;
	memcpy(&raw, texel + channel * bytes, bytes); /* little-endian, as device memory is */
	return raw;
}

static int32_t extended(uint32_t raw, uint32_t bytes)
{
	return bytes == 1 ? (int8_t)raw : bytes == 2 ? (int16_t)raw : (int32_t)raw;
}

/* Converts an sRGB intensity to a linear one (IEC 61966-2-1). */
static float linear_of(float x)
{
	return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

static float fraction_of(const struct texture *texture, uint32_t raw, uint32_t channel)
{
	const struct texture_image *image = &texture->image;
	float most = (float)((UINT64_C(1) << (8 * image->channel_bytes - (image->channel == TEXTURE_SIGNED))) - 1);
	if (image->channel == TEXTURE_UNSIGNED) {
		float part = (float)raw / most;
		return texture->sampler.is_srgb && image->channel_bytes == 1 && channel < 3 ? linear_of(part) : part;
	}
	float part = (float)extended(raw, image->channel_bytes) / most;
	return part < -1 ? -1 : part;
}

/* Returns a channel's value as a read returns it: the bits of a float or an integer. */
static uint32_t value_of(const struct texture *texture, const uint8_t *texel, uint32_t channel)
{
	const struct texture_image *image = &texture->image;
	if (channel >= image->channels)
		return 0;
	uint32_t raw = raw_channel(texel, image->channel_bytes, channel);
	if (image->channel == TEXTURE_FLOAT)
		return image->channel_bytes == 2 ? float_bits((float)small_value(PTX_F16, raw)) : raw;
	if (texture->sampler.reads_floats)
		return float_bits(fraction_of(texture, raw, channel));
	return image->channel == TEXTURE_SIGNED ? (uint32_t)extended(raw, image->channel_bytes) : raw;
}

static uint32_t border_of(const struct texture *texture, uint32_t channel)
{
	float border = texture->sampler.border[channel];
	if (channel >= texture->image.channels)
		return 0;
	return gives_floats(texture) ? float_bits(border) : (uint32_t)(int64_t)bounded(border);
}

/* Returns values by corner: texels that exist, else the border. */
static void corner_values(const struct texture_read *read, const uint8_t *global, uint32_t channel, uint32_t corners,
                          uint32_t *value)
{
	for (uint32_t c = 0; c < corners; c++)
		value[c] = border_of(read->texture, channel);
	for (uint32_t i = 0; i < read->texels.count; i++)
		value[read->corner[i]] = value_of(read->texture, global + read->texels.address[i], channel);
}

/* Returns a corner's weight: the product of its weights along the axes. */
static float weight_of(const struct texture_read *read, uint32_t corner)
{
	float weight = 1;
	for (uint32_t d = 0; d < read->axes; d++)
		weight *= corner >> d & 1 ? read->fraction[d] : 1 - read->fraction[d];
	return weight;
}

bool texture_has_weight(const struct texture_read *read, uint32_t texel)
{
	return weight_of(read, read->corner[texel]) != 0;
}

/* Returns the sum over the corners, as in the guide. */
static float filtered(const struct texture_read *read, const uint32_t *value)
{
	float sum = 0;
	for (uint32_t c = 0; c < 1u << read->axes; c++) {
		float weight = weight_of(read, c);
		sum += weight ? weight * bits_float(value[c]) : 0;
	}
	return sum;
}

void texture_fetch(const struct texture_read *read, const uint8_t *global, uint32_t value[4])
{
	for (uint32_t channel = 0; channel < 4; channel++) {
		uint32_t corner[TEXTURE_TEXELS];
		corner_values(read, global, channel, 1u << read->axes, corner);
		value[channel] = read->axes ? float_bits(filtered(read, corner)) : corner[0];
	}
}

void texture_gather(const struct texture_read *read, const uint8_t *global, uint32_t channel, uint32_t value[4])
{
	static const uint8_t order[4] = {2, 3, 1, 0};
	uint32_t corner[TEXTURE_TEXELS];
	corner_values(read, global, channel, 4, corner);
	for (uint32_t i = 0; i < 4; i++)
		value[i] = corner[order[i]];
}

void texture_format(const struct texture_image *image, const uint32_t value[4], uint8_t *texel)
{
	for (uint32_t channel = 0; channel < image->channels; channel++) {
		uint32_t raw = value[channel];
		if (image->channel == TEXTURE_FLOAT && image->channel_bytes == 2)
			raw = small_round(PTX_F16, bits_float(raw), PTX_RN);
		memcpy(texel + channel * image->channel_bytes, &raw, image->channel_bytes);
	}
}
