// Protects the values of texture reads, and the layout of arrays with them: texture objects of every shape, format and
// read mode at random coordinates. The model implements the programming guide's formulas.
#include "check.h"
#include <cmath>
#include <vector>

static unsigned random_state = 12345;

static unsigned next_random()
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8;
}

static int below(int limit)
{
	return next_random() % limit;
}

// ---- the device: raw bits of the values read ----

enum Shape { LINEAR, ONE, TWO, THREE, ONE_LAYERED, TWO_LAYERED, CUBE, CUBE_LAYERED, PITCHED, SHAPES };

__global__ void read(uint4 *out, const float4 *at, int n, cudaTextureObject_t t, int shape)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 c = at[i];
	int layer = (int)c.w;
	switch (shape) {
	case LINEAR:
		out[i] = tex1Dfetch<uint4>(t, (int)c.x);
		break;
	case ONE:
		out[i] = tex1D<uint4>(t, c.x);
		break;
	case TWO:
	case PITCHED:
		out[i] = tex2D<uint4>(t, c.x, c.y);
		break;
	case THREE:
		out[i] = tex3D<uint4>(t, c.x, c.y, c.z);
		break;
	case ONE_LAYERED:
		out[i] = tex1DLayered<uint4>(t, c.x, layer);
		break;
	case TWO_LAYERED:
		out[i] = tex2DLayered<uint4>(t, c.x, c.y, layer);
		break;
	case CUBE:
		out[i] = texCubemap<uint4>(t, c.x, c.y, c.z);
		break;
	default:
		out[i] = texCubemapLayered<uint4>(t, c.x, c.y, c.z, layer);
	}
}

__global__ void gather(uint4 *out, const float4 *at, int n, cudaTextureObject_t t, int channel)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = tex2Dgather<uint4>(t, at[i].x, at[i].y, channel);
}

// ---- the model ----

struct Image {
	int shape, width, height, depth, layers, channels, bits;
	cudaChannelFormatKind kind;
	std::vector<unsigned char> bytes; // texels, x fastest, then y, then slices or layers
	int texel() const
	{
		return channels * bits / 8;
	}
};

static int dimensions_of(int shape)
{
	return shape == THREE ? 3 : shape == LINEAR || shape == ONE || shape == ONE_LAYERED ? 1 : 2;
}

static float half_to_float(unsigned short h)
{
	int exponent = h >> 10 & 31, fraction = h & 1023;
	float value = exponent == 0    ? ldexpf(fraction, -24)
	              : exponent == 31 ? (fraction ? NAN : INFINITY)
	                               : ldexpf(1024 + fraction, exponent - 25);
	return h & 0x8000 ? -value : value;
}

// The value of a texel's channel as a number; integers that are read as integers, too.
static double channel_value(const Image &image, const cudaTextureDesc &how, long texel, int channel, bool linear)
{
	if (channel >= image.channels)
		return 0;
	const unsigned char *at = &image.bytes[texel * image.texel() + channel * image.bits / 8];
	unsigned raw = 0;
	memcpy(&raw, at, image.bits / 8);
	if (image.kind == cudaChannelFormatKindFloat) {
		float value;
		memcpy(&value, at, image.bits / 8);
		return image.bits == 16 ? half_to_float(raw) : value;
	}
	bool is_signed = image.kind == cudaChannelFormatKindSigned;
	long value = is_signed && image.bits < 32 && raw >> (image.bits - 1) ? (long)raw - (1L << image.bits)
	             : is_signed                                             ? (long)(int)raw
	                                                                     : (long)raw;
	if (how.readMode == cudaReadModeElementType)
		return value;
	float part = (float)value / (float)((1L << (image.bits - is_signed)) - 1);
	if (how.sRGB && image.bits == 8 && !is_signed && channel < 3)
		return part <= 0.04045f ? part / 12.92f : pow((part + 0.055) / 1.055, 2.4);
	return part < -1 && !linear ? -1 : part; // a filter takes the lowest integer fully
}

// The border as the image's texels could have it.
static double border_value(const Image &image, const cudaTextureDesc &how, int channel)
{
	double border = how.borderColor[channel];
	bool is_signed = image.kind == cudaChannelFormatKindSigned;
	if (image.kind == cudaChannelFormatKindFloat || how.readMode == cudaReadModeElementType ||
	    (how.sRGB && image.bits == 8 && !is_signed))
		return border;
	double most = (1L << (image.bits - is_signed)) - 1, least = is_signed ? -1 : 0;
	border = border > 1 ? 1 : border < least ? least : border;
	return (float)((border < 0 ? -1 : 1) * ceil(fabs(border) * most - 0.5) / most);
}

// A texel by its position, or the border.
static double texel_value(const Image &image, const cudaTextureDesc &how, const long *at, int layer, int channel, bool linear)
{
	int size[3] = {image.width, image.height, image.depth}, place[3] = {0, 0, 0};
	for (int d = 0; d < dimensions_of(image.shape); d++) {
		cudaTextureAddressMode mode = image.shape >= CUBE && image.shape <= CUBE_LAYERED ? cudaAddressModeClamp
		                                                                               : how.addressMode[d];
		long i = at[d];
		if (i < 0 || i >= size[d]) {
			if (image.shape == LINEAR || mode == cudaAddressModeBorder) {
				if (channel >= image.channels || image.shape == LINEAR)
					return 0;
				return border_value(image, how, channel);
			}
			if (mode == cudaAddressModeWrap && how.normalizedCoords)
				i = ((i % size[d]) + size[d]) % size[d];
			else if (mode == cudaAddressModeMirror && how.normalizedCoords)
				for (i = i < 0 ? -1 - i : i; i >= size[d];)
					i = i / size[d] % 2 ? size[d] - 1 - i % size[d] : i % size[d];
			else
				i = i < 0 ? 0 : size[d] - 1;
		}
		place[d] = i;
	}
	long slice = (long)layer + place[2];
	return channel_value(image, how, (slice * image.height + place[1]) * image.width + place[0], channel, linear);
}

static int face_of(float *c)
{
	float x = c[0], y = c[1], z = c[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z), s, t, m;
	int face;
	if (ax >= ay && ax >= az)
		face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
	else if (ay >= az)
		face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
	else
		face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
	c[0] = (s / m + 1) / 2;
	c[1] = (t / m + 1) / 2;
	return face;
}

// The weight of a corner in 256ths: what its axes have together, less what they have with further axes.
static long weight_of(const long *part, int corner, int dimensions)
{
	for (int d = 0; d < dimensions; d++)
		if (!(corner >> d & 1) && part[d]) {
			const long without[3] = {d == 0 ? 0 : part[0], d == 1 ? 0 : part[1], d == 2 ? 0 : part[2]};
			return weight_of(without, corner, dimensions) - weight_of(part, corner | 1 << d, dimensions);
		}
	double together = 256;
	for (int d = 0; d < dimensions; d++)
		if (corner >> d & 1)
			together *= part[d] / 256.0;
	return (long)floor(together + 0.5);
}

static double model(const Image &image, const cudaTextureDesc &how, float4 where, int channel)
{
	float c[3] = {where.x, where.y, where.z};
	int layer = 0, size[3] = {image.width, image.height, image.depth}, dimensions = dimensions_of(image.shape);
	bool cube = image.shape == CUBE || image.shape == CUBE_LAYERED;
	if (image.shape == ONE_LAYERED || image.shape == TWO_LAYERED || image.shape == CUBE_LAYERED) {
		int most = cube ? image.layers / 6 : image.layers;
		layer = (int)where.w < 0 ? 0 : (int)where.w >= most ? most - 1 : (int)where.w;
	}
	if (cube)
		layer = 6 * layer + face_of(c);
	bool floats = image.kind == cudaChannelFormatKindFloat || how.readMode == cudaReadModeNormalizedFloat;
	bool linear = how.filterMode == cudaFilterModeLinear && floats && image.shape != LINEAR;
	long at[3] = {0, 0, 0}, part[3] = {0, 0, 0};
	for (int d = 0; d < dimensions; d++) {
		double x = image.shape != LINEAR && (how.normalizedCoords || cube) ? (double)c[d] * size[d] : c[d];
		at[d] = (long)floor(x);
		if (linear) {
			long parts = (long)floor(x * 256 + 0.5) - 128;
			at[d] = parts >> 8;
			part[d] = parts & 255;
		}
	}
	if (!linear)
		return texel_value(image, how, at, layer, channel, false);
	double sum = 0;
	for (int corner = 0; corner < 1 << dimensions; corner++) {
		long weight = weight_of(part, corner, dimensions), place[3] = {0, 0, 0};
		for (int d = 0; d < dimensions; d++)
			place[d] = at[d] + (corner >> d & 1);
		if (weight)
			sum += weight / 256.0 * texel_value(image, how, place, layer, channel, true);
	}
	return sum;
}

// ---- random cases ----

static Image random_image(int shape)
{
	Image image = {};
	static const int bits[] = {8, 16, 32};
	image.shape = shape;
	image.bits = bits[below(3)];
	image.kind = (cudaChannelFormatKind)below(image.bits == 8 ? 2 : 3);
	image.channels = 1 << below(3);
	int d = dimensions_of(shape);
	image.width = 1 + below(shape == LINEAR ? 500 : 70);
	image.height = d > 1 ? 1 + below(40) : 1;
	image.depth = d > 2 ? 1 + below(9) : 1;
	image.layers = shape == ONE_LAYERED || shape == TWO_LAYERED ? 1 + below(5) : 1;
	if (shape == CUBE || shape == CUBE_LAYERED) {
		image.height = image.width;
		image.layers = shape == CUBE ? 6 : 6 * (1 + below(3));
	}
	image.bytes.resize((size_t)image.texel() * image.width * image.height * image.depth * image.layers);
	for (size_t i = 0; i < image.bytes.size(); i++)
		image.bytes[i] = below(256);
	if (image.kind == cudaChannelFormatKindFloat) // values that do not vanish in sums, and no NaN
		for (size_t i = 0; i < image.bytes.size(); i += image.bits / 8) {
			float value = (below(2001) - 1000) / 8.0f;
			unsigned short half = (15 + below(5)) << 10 | below(1024) | below(2) << 15;
			memcpy(&image.bytes[i], image.bits == 32 ? (void *)&value : (void *)&half, image.bits / 8);
		}
	return image;
}

static cudaChannelFormatDesc format_of(const Image &image)
{
	int b = image.bits, n = image.channels;
	return cudaCreateChannelDesc(b, n > 1 ? b : 0, n > 2 ? b : 0, n > 2 ? b : 0, image.kind);
}

static cudaTextureDesc random_reading(const Image &image)
{
	cudaTextureDesc how = {};
	for (int d = 0; d < 3; d++)
		how.addressMode[d] = (cudaTextureAddressMode)below(4);
	how.normalizedCoords = below(2);
	if (image.kind != cudaChannelFormatKindFloat && image.bits < 32 && below(2))
		how.readMode = cudaReadModeNormalizedFloat;
	bool floats = image.kind == cudaChannelFormatKindFloat || how.readMode == cudaReadModeNormalizedFloat;
	how.filterMode = floats && below(2) ? cudaFilterModeLinear : cudaFilterModePoint;
	how.sRGB = how.readMode == cudaReadModeNormalizedFloat && below(4) == 0;
	for (int c = 0; c < 4; c++)
		how.borderColor[c] = floats ? below(100) / 64.0f : below(100);
	return how;
}

static float random_coordinate(int size, bool normalized)
{
	float x = (below(3 * 4096) - 4096) / 4096.0f; // up to one image width outside on either side
	if (below(6) == 0)
		x = below(4) / 2.0f - 0.5f; // exactly the edges
	return normalized ? x : x * size;
}

// The resource: plain memory, or an array into which the texels are copied.
struct Resource {
	cudaResourceDesc desc;
	void *memory;
	cudaArray_t array;
};

static Resource make_resource(const Image &image)
{
	Resource made = {};
	cudaChannelFormatDesc format = format_of(image);
	size_t row = (size_t)image.width * image.texel();
	if (image.shape == LINEAR) {
		SUCCEEDS(cudaMalloc(&made.memory, image.bytes.size()));
		SUCCEEDS(cudaMemcpy(made.memory, image.bytes.data(), image.bytes.size(), cudaMemcpyHostToDevice));
		made.desc.resType = cudaResourceTypeLinear;
		made.desc.res.linear.devPtr = made.memory;
		made.desc.res.linear.desc = format;
		made.desc.res.linear.sizeInBytes = image.bytes.size();
		return made;
	}
	if (image.shape == PITCHED) {
		size_t pitch;
		SUCCEEDS(cudaMallocPitch(&made.memory, &pitch, row, image.height));
		SUCCEEDS(cudaMemcpy2D(made.memory, pitch, image.bytes.data(), row, row, image.height,
		                      cudaMemcpyHostToDevice));
		made.desc.resType = cudaResourceTypePitch2D;
		made.desc.res.pitch2D.devPtr = made.memory;
		made.desc.res.pitch2D.desc = format;
		made.desc.res.pitch2D.width = image.width;
		made.desc.res.pitch2D.height = image.height;
		made.desc.res.pitch2D.pitchInBytes = pitch;
		return made;
	}
	int d = dimensions_of(image.shape), slices = image.depth * image.layers;
	bool layered = image.shape == ONE_LAYERED || image.shape == TWO_LAYERED || image.shape == CUBE_LAYERED;
	bool cube = image.shape == CUBE || image.shape == CUBE_LAYERED;
	unsigned flags = (layered ? cudaArrayLayered : 0) | (cube ? cudaArrayCubemap : 0);
	cudaExtent extent = make_cudaExtent(image.width, d > 1 ? image.height : 0,
	                                    d > 2 ? image.depth : layered || cube ? image.layers : 0);
	SUCCEEDS(cudaMalloc3DArray(&made.array, &format, extent, flags));
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = make_cudaPitchedPtr((void *)image.bytes.data(), row, image.width, image.height);
	copy.dstArray = made.array;
	copy.extent = make_cudaExtent(image.width, image.height, slices);
	copy.kind = cudaMemcpyHostToDevice;
	SUCCEEDS(cudaMemcpy3D(&copy));
	made.desc.resType = cudaResourceTypeArray;
	made.desc.res.array.array = made.array;
	return made;
}

static void release(const Resource &resource)
{
	if (resource.memory)
		SUCCEEDS(cudaFree(resource.memory));
	if (resource.array)
		SUCCEEDS(cudaFreeArray(resource.array));
}

static bool same(const Image &image, const cudaTextureDesc &how, unsigned bits, double want)
{
	bool floats = image.kind == cudaChannelFormatKindFloat || how.readMode == cudaReadModeNormalizedFloat;
	if (!floats)
		return bits == (unsigned)(long)want;
	float value;
	memcpy(&value, &bits, sizeof value);
	// a filter's result is rounded: a half to a half, a fraction to one of 16 bits; without a filter it is exact,
	// except for sRGB
	bool linear = how.filterMode == cudaFilterModeLinear;
	double tolerance = linear || how.sRGB ? 1e-6 * fabs(want) + 1e-30 : 0;
	if (image.kind == cudaChannelFormatKindFloat && image.bits == 16 && linear)
		tolerance = fabs(want) * 0x1p-11 + 0x1p-25;
	if (image.kind != cudaChannelFormatKindFloat)
		tolerance = linear ? 1.1 / (image.kind == cudaChannelFormatKindSigned ? 65534 : 131070) : tolerance;
	if (image.kind == cudaChannelFormatKindSigned && linear) // nearly 1 / 127 for signed bytes
		want = want < -1 ? -1 : want, tolerance += 1e-6;
	return fabs(value - want) <= tolerance;
}

enum { N = 96 };
static float4 *places;
static uint4 *results;

static void check_case(int number)
{
	Image image = random_image(number % SHAPES);
	cudaTextureDesc how = random_reading(image);
	Resource resource = make_resource(image);
	cudaTextureObject_t texture = 0;
	SUCCEEDS(cudaCreateTextureObject(&texture, &resource.desc, &how, NULL));
	std::vector<float4> at(N);
	std::vector<uint4> got(N);
	bool cube = image.shape == CUBE || image.shape == CUBE_LAYERED;
	for (float4 &c : at) {
		c.x = random_coordinate(image.width, how.normalizedCoords);
		c.y = random_coordinate(image.height, how.normalizedCoords);
		c.z = random_coordinate(image.depth, how.normalizedCoords);
		if (cube) {
			c.x = (below(2001) - 1000) / 512.0f;
			c.y = (below(2001) - 1000) / 512.0f;
			c.z = (below(2001) - 1000) / 512.0f + 1 / 8192.0f;
		}
		if (image.shape == LINEAR)
			c.x = below(image.width * 2) - image.width / 2;
		c.w = below(image.layers + 3) - 1;
	}
	SUCCEEDS(cudaMemcpy(places, at.data(), N * sizeof *places, cudaMemcpyHostToDevice));
	read<<<1, N>>>(results, places, N, texture, image.shape);
	SUCCEEDS(cudaMemcpy(got.data(), results, N * sizeof *results, cudaMemcpyDeviceToHost));
	int wrong = 0;
	for (int i = 0; i < N; i++) {
		const unsigned *bits = &got[i].x;
		for (int channel = 0; channel < 4; channel++) {
			double want = model(image, how, at[i], channel);
			if (!same(image, how, bits[channel], want) && wrong++ == 0)
				fprintf(stderr,
				        "case %d: shape %d, %d x %d x %d, %d layers, %d channels of %d bits, kind %d, modes %d %d %d, filter "
				        "%d, normalized %d, reads %d, sRGB %d: (%g, %g, %g, %g) channel %d is 0x%x, expected "
				        "%.9g\n",
				        number, image.shape, image.width, image.height, image.depth, image.layers,
				        image.channels, image.bits, (int)image.kind, (int)how.addressMode[0],
				        (int)how.addressMode[1], (int)how.addressMode[2], (int)how.filterMode,
				        how.normalizedCoords, (int)how.readMode, how.sRGB, at[i].x, at[i].y, at[i].z, at[i].w,
				        channel, bits[channel], want);
		}
	}
	CHECK(wrong == 0);
	SUCCEEDS(cudaDestroyTextureObject(texture));
	release(resource);
}

// Four texels around a position, counterclockwise from the lower left one (y increases downwards).
static void test_gather()
{
	Image image = random_image(TWO);
	image.width = 20, image.height = 10, image.bits = 32, image.kind = cudaChannelFormatKindUnsigned;
	image.channels = 4;
	image.bytes.resize(20 * 10 * 16);
	for (size_t i = 0; i < image.bytes.size(); i++)
		image.bytes[i] = below(256);
	Resource resource = make_resource(image);
	cudaTextureDesc how = {};
	how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
	cudaTextureObject_t texture;
	SUCCEEDS(cudaCreateTextureObject(&texture, &resource.desc, &how, NULL));
	for (int channel = 0; channel < 4; channel++) {
		float4 at = make_float4(5.0f + channel, 3.75f, 0, 0);
		uint4 got;
		SUCCEEDS(cudaMemcpy(places, &at, sizeof at, cudaMemcpyHostToDevice));
		gather<<<1, 1>>>(results, places, 1, texture, channel);
		SUCCEEDS(cudaMemcpy(&got, results, sizeof got, cudaMemcpyDeviceToHost));
		const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
		for (int k = 0; k < 4; k++) {
			long place[3] = {4 + channel + order[k][0], 3 + order[k][1], 0};
			CHECK((&got.x)[k] == (unsigned)(long)texel_value(image, how, place, 0, channel, false));
		}
	}
	SUCCEEDS(cudaDestroyTextureObject(texture));
	release(resource);
}

int main()
{
	SUCCEEDS(cudaMalloc(&places, N * sizeof *places));
	SUCCEEDS(cudaMalloc(&results, N * sizeof *results));
	for (int number = 0; number < 1500 && failures < 5; number++)
		check_case(number);
	test_gather();
	return finish();
}
