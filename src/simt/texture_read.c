/* texture_read: texture reads by the CUDA C++ Programming Guide, appendix "Texture Fetching": which texels are
 * read, and how a linear filter combines them. An H100 decides what the guide leaves open. Its results for images of
 * one and two dimensions are reproduced bit for bit, except some of signed bytes. In three dimensions many differ.
 * Images of 16-bit integers were not compared.
 * - A coordinate is rounded to 256ths of a texel before it is split into a texel and a position.
 * - Weights are 256ths. The weight of the far corner of several axes is the rounded product of their positions, and the
 *   other weights are the differences.
 * - Fractions of 8-bit integers are filtered as fractions of 16-bit integers. A half's result is a half. */
#include "simt/texture.h"

#include "simt/convert.h"
#include "simt/exec.h"

#include <math.h>

/* --- from coordinates to texels --- */

/* Texels of one dimension: the near one and, with a linear filter, the far one; -1: the border. */
struct span {
	int64_t texel[2];
	int32_t fraction; /* in 256ths */
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
	case TEXTURE_MIRROR:
		i = (i % (2 * n) + 2 * n) % (2 * n);
		return i < n ? i : 2 * n - 1 - i;
	case TEXTURE_BORDER:
		return -1;
	default:
		return i < 0 ? 0 : n - 1;
	}
}

/* Clamps coordinates that are NaN or beyond all images to values that fit an integer. */
static float bounded(float x)
{
	const float most = 1 << 30;
	return x != x ? 0 : x < -most ? -most : x > most ? most : x;
}

/* Wrap and mirror exist only for normalized coordinates. In double precision the products are exact. */
static struct span span_of(float x, uint32_t size, bool is_normalized, enum texture_outside outside, bool is_linear)
{
	if (!is_normalized && (outside == TEXTURE_WRAP || outside == TEXTURE_MIRROR))
		outside = TEXTURE_CLAMP;
	double texels = (double)bounded(x) * (is_normalized ? size : 1);
	if (!is_linear)
		return (struct span){{inside((int64_t)floor(texels), size, outside)}, 0};
	int64_t parts = (int64_t)floor(texels * 256 + 0.5) - 128, i = parts >> 8;
	return (struct span){{inside(i, size, outside), inside(i + 1, size, outside)}, (int32_t)(parts & 255)};
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
		                          : span_of(at[d], size[d], sampler->is_normalized || image->is_cube, outside,
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
		float scale = texture->sampler.is_normalized ? (float)size[d] : 1;
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

/* True if a read gives fractions of the largest integer, not converted from sRGB. */
static bool is_fraction(const struct texture *texture)
{
	const struct texture_image *image = &texture->image;
	bool is_srgb = texture->sampler.is_srgb && image->channel == TEXTURE_UNSIGNED && image->channel_bytes == 1;
	return image->channel != TEXTURE_FLOAT && image->channel_bytes <= 2 && texture->sampler.reads_floats &&
	       !is_srgb;
}

static double largest_of(const struct texture_image *image, uint32_t bytes)
{
	return (double)((UINT64_C(1) << (8 * bytes - (image->channel == TEXTURE_SIGNED))) - 1);
}

/* Returns the border as the image's texels could have it; halfway between two it is the one nearer to zero. */
static float border_in_image(const struct texture *texture, uint32_t channel)
{
	const struct texture_image *image = &texture->image;
	float border = texture->sampler.border[channel];
	if (image->channel == TEXTURE_FLOAT && image->channel_bytes == 2)
		return (float)small_value(PTX_F16, small_round(PTX_F16, border, PTX_RN));
	if (!is_fraction(texture))
		return border;
	double most = largest_of(image, image->channel_bytes), least = image->channel == TEXTURE_SIGNED ? -1 : 0;
	double part = border > 1 ? 1 : border > least ? border : least;
	double whole = ceil(fabs(part) * most - 0.5) + 0.0;
	return (float)((part < 0 ? -whole : whole) / most);
}

static uint32_t border_of(const struct texture *texture, uint32_t channel)
{
	if (channel >= texture->image.channels)
		return 0;
	return gives_floats(texture) ? float_bits(border_in_image(texture, channel))
	                             : (uint32_t)(int64_t)bounded(texture->sampler.border[channel]);
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

/* Returns the product of the positions along some axes, rounded to 256ths. */
static int32_t joint_position(const struct texture_read *read, uint32_t axes)
{
	int64_t product = 256, scale = 1;
	for (uint32_t d = 0; d < read->axes; d++)
		if (axes >> d & 1) {
			product *= read->fraction[d];
			scale *= 256;
		}
	return (int32_t)((product + scale / 2) / scale);
}

/* Returns a corner's weight in 256ths: what its axes have together, without what they have with further axes. */
static int32_t weight_of(const struct texture_read *read, uint32_t corner)
{
	int32_t weight = 0;
	for (uint32_t axes = corner; axes < 1u << read->axes; axes++)
		if ((axes & corner) == corner)
			weight += __builtin_popcount(axes ^ corner) & 1 ? -joint_position(read, axes)
			                                                : joint_position(read, axes);
	return weight;
}

bool texture_has_weight(const struct texture_read *read, uint32_t texel)
{
	return weight_of(read, read->corner[texel]) != 0;
}

/* Rounds to the nearest number with fewer bits after the leading one; halves go away from zero. */
static double rounded(double value, unsigned bits)
{
	unsigned lost = 52 - bits;
	if (value - value != 0)
		return value;
	uint64_t half = double_bits(value) + ((uint64_t)1 << (lost - 1));
	return bits_double(half & ~(((uint64_t)1 << lost) - 1));
}

/* Returns a number of the image as a multiple of the fraction that 16 bits have. For signed bytes the factor is nearly
 * 32767 / 127. */
static double as_sixteen_bits(const struct texture_image *image, double whole)
{
	double factor = image->channel == TEXTURE_SIGNED ? 258 + 1.0 / 128 : 257;
	return image->channel_bytes == 2 ? whole : whole * factor;
}

/* Returns the nearest fraction that 16 bits have. */
static float of_sixteen_bits(const struct texture_image *image, double multiple)
{
	double most = largest_of(image, 2), whole = floor(multiple + 0.5);
	return (float)((whole < -most ? -most : whole < most ? whole : most) / most);
}

/* Returns a filter's result for the sum of its corners' values, weighted by 256ths. */
static float filtered(const struct texture *texture, double sum)
{
	sum /= 256;
	if (is_fraction(texture))
		return of_sixteen_bits(&texture->image, sum);
	bool is_half = texture->image.channel == TEXTURE_FLOAT && texture->image.channel_bytes == 2;
	double unit = is_half ? 0x1p-24 : 0x1p-149, least = is_half ? 0x1p-14 : 0x1p-126;
	if (fabs(sum) < least)
		return (float)(copysign(floor(fabs(sum) / unit + 0.5), sum) * unit);
	return (float)rounded(sum, is_half ? 10 : 23);
}

/* Returns a corner's value as a filter takes it: the lowest signed integer counts fully. */
static double exact_value(const struct texture_read *read, const uint8_t *texel, uint32_t channel, uint32_t value)
{
	const struct texture_image *image = &read->texture->image;
	if (!is_fraction(read->texture) || channel >= image->channels)
		return bits_float(value);
	double most = largest_of(image, image->channel_bytes);
	if (!texel)
		return as_sixteen_bits(image, rint(bits_float(value) * most));
	uint32_t raw = raw_channel(texel, image->channel_bytes, channel);
	return as_sixteen_bits(image,
	                       image->channel == TEXTURE_SIGNED ? extended(raw, image->channel_bytes) : (double)raw);
}

void texture_fetch(const struct texture_read *read, const uint8_t *global, uint32_t value[4])
{
	const uint8_t *texel[TEXTURE_TEXELS] = {0};
	int32_t weight[TEXTURE_TEXELS];
	uint32_t corner[TEXTURE_TEXELS], corners = 1u << read->axes;
	if (!read->axes) {
		for (uint32_t channel = 0; channel < 4; channel++) {
			corner_values(read, global, channel, 1, corner);
			value[channel] = corner[0];
		}
		return;
	}
	for (uint32_t i = 0; i < read->texels.count; i++)
		texel[read->corner[i]] = global + read->texels.address[i];
	for (uint32_t c = 0; c < corners; c++)
		weight[c] = weight_of(read, c);
	for (uint32_t channel = 0; channel < 4; channel++) {
		double sum = 0;
		corner_values(read, global, channel, corners, corner);
		for (uint32_t c = 0; c < corners; c++)
			sum += weight[c] ? weight[c] * exact_value(read, texel[c], channel, corner[c]) : 0;
		value[channel] = float_bits(filtered(read->texture, sum));
	}
}

void texture_gather(const struct texture_read *read, const uint8_t *global, uint32_t channel, uint32_t value[4])
{
	static const uint8_t order[4] = {2, 3, 1, 0};
	uint32_t corner[TEXTURE_TEXELS];
	corner_values(read, global, channel, 4, corner);
	const struct texture_image *image = &read->texture->image;
	double most = largest_of(image, image->channel_bytes);
	bool widens = is_fraction(read->texture);
	for (uint32_t i = 0; i < 4; i++) {
		value[i] = corner[order[i]];
		if (widens)
			value[i] = float_bits(
				of_sixteen_bits(image, as_sixteen_bits(image, rint(bits_float(value[i]) * most))));
	}
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
