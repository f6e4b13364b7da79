// Protects the runtime's texture calls and the registration of references: every kind of binding, offsets, names, mip
// levels, and errors.
#include "check.h"
#include <vector>

texture<float> line;
texture<unsigned char, cudaTextureType1D, cudaReadModeNormalizedFloat> fractions;
texture<int4, cudaTextureType1D> quads;
texture<float, cudaTextureType2D> image;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colors;
texture<short2, cudaTextureType3D> volume;
texture<float, cudaTextureType2DLayered> layers;
texture<float, cudaTextureType2D> levels;
texture<float, cudaTextureType1D> row;
static texture<float> hidden;

__global__ void read_lines(float *out, int n)
{
	int i = threadIdx.x;
	int4 quad = tex1Dfetch(quads, i);
	out[i] = tex1Dfetch(line, i) + tex1Dfetch(fractions, i) + quad.x + 10 * quad.w + tex1Dfetch(line, n + i) + tex1Dfetch(line, -1 - i);
}

__global__ void read_hidden(float *out)
{
	out[threadIdx.x] = tex1Dfetch(hidden, threadIdx.x);
}

__global__ void read_image(float *out, int width)
{
	int x = threadIdx.x, y = blockIdx.x;
	out[y * width + x] = tex2D(image, x + 0.5f, y + 0.5f);
}

__global__ void read_between(float *out)
{
	*out = tex2D(image, 1.0f, 0.5f);
}

__global__ void read_row(float *out)
{
	out[threadIdx.x] = tex1D(row, threadIdx.x + 0.5f);
}

__global__ void read_colors(float4 *out)
{
	out[threadIdx.x] = tex2D(colors, threadIdx.x + 0.5f, 0.5f);
}

__global__ void read_volume(int *out)
{
	short2 v = tex3D(volume, threadIdx.x + 0.5f, threadIdx.y + 0.5f, threadIdx.z + 0.5f);
	out[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = v.x * 1000 + v.y;
}

__global__ void read_layers(float *out)
{
	out[threadIdx.x] = tex2DLayered(layers, 1.5f, 0.5f, threadIdx.x);
}

__global__ void read_levels(float *out)
{
	float level = threadIdx.x / 2.0f;
	out[threadIdx.x] = tex2DLod(levels, 0.4f, 0.6f, level);
	float step = (1 << threadIdx.x) / 32.0f; // in texels of level 0, as for normalized coordinates
	out[32 + threadIdx.x] = tex2DGrad(levels, 0.4f, 0.6f, make_float2(step, 0), make_float2(0, step / 4));
}

template <class T> static T *upload(const std::vector<T> &from)
{
	T *to;
	SUCCEEDS(cudaMalloc(&to, from.size() * sizeof(T)));
	SUCCEEDS(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
	return to;
}

template <class T> static std::vector<T> download(const T *from, size_t count)
{
	std::vector<T> to(count);
	SUCCEEDS(cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
	return to;
}

static float *out;

static void test_linear()
{
	const int n = 32;
	std::vector<float> values(2 * n);
	std::vector<unsigned char> bytes(n);
	std::vector<int4> fours(n);
	for (int i = 0; i < n; i++) {
		values[i] = i + 0.25f;
		values[n + i] = 1000;
		bytes[i] = 8 * i;
		fours[i] = make_int4(i, 0, 0, -i);
	}
	float *a = upload(values);
	unsigned char *b = upload(bytes);
	int4 *c = upload(fours);
	size_t offset = 99;
	SUCCEEDS(cudaBindTexture(&offset, line, a, n * sizeof(float)));
	CHECK(offset == 0);
	SUCCEEDS(cudaBindTexture(NULL, fractions, b, cudaCreateChannelDesc<unsigned char>(), n));
	const textureReference *reference;
	SUCCEEDS(cudaGetTextureReference(&reference, "quads"));
	CHECK(reference == (const textureReference *)&quads);
	cudaChannelFormatDesc format = cudaCreateChannelDesc<int4>();
	SUCCEEDS(cudaBindTexture(NULL, reference, c, &format, n * sizeof(int4)));
	read_lines<<<1, n>>>(out, n);
	std::vector<float> got = download(out, n);
	for (int i = 0; i < n; i++) // outside the binding the value is 0, although memory exists
		CHECK(got[i] == values[i] + bytes[i] / 255.0f + i - 10 * i);

	// the middle of an allocation: the offset is in bytes, and the program adds it
	SUCCEEDS(cudaBindTexture(&offset, line, a + 3, n * sizeof(float)));
	CHECK(offset == 12);
	size_t again;
	SUCCEEDS(cudaGetTextureAlignmentOffset(&again, line));
	CHECK(again == 12);
	FAILS(cudaErrorInvalidValue, cudaBindTexture(NULL, line, a + 3, n * sizeof(float)));
	SUCCEEDS(cudaUnbindTexture(line));
	FAILS(cudaErrorInvalidTextureBinding, cudaGetTextureAlignmentOffset(&again, line));

	// without a size: to the allocation's end
	SUCCEEDS(cudaBindTexture(NULL, hidden, a));
	read_hidden<<<1, 2 * n>>>(out);
	CHECK(download(out, 2 * n) == values);
	SUCCEEDS(cudaFree(a));
	SUCCEEDS(cudaFree(b));
	SUCCEEDS(cudaFree(c));
}

static void test_images()
{
	const int width = 45, height = 23;
	std::vector<float> texels(width * height);
	for (int i = 0; i < width * height; i++)
		texels[i] = i * 0.5f;
	size_t pitch, offset;
	float *rows;
	SUCCEEDS(cudaMallocPitch(&rows, &pitch, width * sizeof(float), height));
	SUCCEEDS(cudaMemcpy2D(rows, pitch, texels.data(), width * sizeof(float), width * sizeof(float), height,
	                      cudaMemcpyHostToDevice));
	SUCCEEDS(cudaBindTexture2D(&offset, image, rows, width, height, pitch));
	read_image<<<height, width>>>(out, width);
	CHECK(download(out, width * height) == texels);

	cudaArray_t array;
	SUCCEEDS(cudaMallocArray(&array, &image.channelDesc, width, height));
	SUCCEEDS(cudaMemcpyToArray(array, 0, 0, texels.data(), width * height * sizeof(float), cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemset2D(rows, pitch, 0, pitch, height));
	SUCCEEDS(cudaBindTextureToArray(image, array));
	read_image<<<height, width>>>(out, width);
	CHECK(download(out, width * height) == texels);
	cudaChannelFormatDesc format;
	SUCCEEDS(cudaGetChannelDesc(&format, array));
	CHECK(format.x == 32 && format.y == 0 && format.f == cudaChannelFormatKindFloat);
	// attributes changed after the binding take effect at the next launch
	image.filterMode = cudaFilterModeLinear;
	read_between<<<1, 1>>>(out);
	image.filterMode = cudaFilterModePoint;
	read_between<<<1, 1>>>(out + 1);
	std::vector<float> between = download(out, 2);
	CHECK(between[0] == 0.25f && between[1] == 0.5f);
	SUCCEEDS(cudaFreeArray(array));

	// an array with one row is also read as a line, without interpolation between its only row and the border
	SUCCEEDS(cudaMallocArray(&array, &row.channelDesc, width, 1));
	SUCCEEDS(cudaMemcpyToArray(array, 0, 0, texels.data(), width * sizeof(float), cudaMemcpyHostToDevice));
	row.filterMode = cudaFilterModeLinear;
	row.addressMode[0] = row.addressMode[1] = cudaAddressModeBorder;
	SUCCEEDS(cudaBindTextureToArray(row, array));
	read_row<<<1, width>>>(out);
	std::vector<float> line_of = download(out, width);
	for (int x = 0; x < width; x++)
		CHECK(line_of[x] == texels[x]);
	SUCCEEDS(cudaFreeArray(array));
	SUCCEEDS(cudaFree(rows));

	std::vector<uchar4> pixels(8);
	for (int i = 0; i < 8; i++)
		pixels[i] = make_uchar4(i, 2 * i, 255 - i, 51);
	SUCCEEDS(cudaMallocArray(&array, &colors.channelDesc, 8, 1));
	SUCCEEDS(cudaMemcpy2DToArray(array, 0, 0, pixels.data(), 32, 32, 1, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaBindTextureToArray(colors, array, colors.channelDesc));
	read_colors<<<1, 8>>>((float4 *)out);
	std::vector<float4> got = download((float4 *)out, 8);
	for (int i = 0; i < 8; i++)
		CHECK(got[i].x == i / 255.0f && got[i].y == 2 * i / 255.0f && got[i].z == (255 - i) / 255.0f && got[i].w == 0.2f);
	SUCCEEDS(cudaFreeArray(array));
}

static void test_volumes()
{
	std::vector<short2> cells(6 * 5 * 4);
	for (size_t i = 0; i < cells.size(); i++)
		cells[i] = make_short2(i, -(int)i);
	cudaArray_t array;
	SUCCEEDS(cudaMalloc3DArray(&array, &volume.channelDesc, make_cudaExtent(6, 5, 4)));
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = make_cudaPitchedPtr(cells.data(), 6 * sizeof(short2), 6, 5);
	copy.dstArray = array;
	copy.extent = make_cudaExtent(6, 5, 4);
	copy.kind = cudaMemcpyHostToDevice;
	SUCCEEDS(cudaMemcpy3DAsync(&copy));
	// a copy one texel, row or slice too far writes nothing
	const cudaPos beyond[] = {make_cudaPos(1, 0, 0), make_cudaPos(0, 1, 0), make_cudaPos(0, 0, 1)};
	for (const cudaPos &at : beyond) {
		copy.dstPos = at;
		FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&copy));
	}
	copy.dstPos = make_cudaPos(0, 0, 0);
	SUCCEEDS(cudaBindTextureToArray(volume, array));
	read_volume<<<1, dim3(6, 5, 4)>>>((int *)out);
	std::vector<int> got = download((int *)out, cells.size());
	for (size_t i = 0; i < cells.size(); i++)
		CHECK(got[i] == (int)i * 999);
	cudaExtent extent;
	unsigned flags;
	SUCCEEDS(cudaArrayGetInfo(NULL, &extent, &flags, array));
	CHECK(extent.width == 6 && extent.height == 5 && extent.depth == 4 && flags == 0);
	SUCCEEDS(cudaFreeArray(array));

	std::vector<float> planes(3 * 2 * 4);
	for (size_t i = 0; i < planes.size(); i++)
		planes[i] = i;
	SUCCEEDS(cudaMalloc3DArray(&array, &layers.channelDesc, make_cudaExtent(3, 2, 4), cudaArrayLayered));
	copy.srcPtr = make_cudaPitchedPtr(planes.data(), 3 * sizeof(float), 3, 2);
	copy.dstArray = array;
	copy.extent = make_cudaExtent(3, 2, 4);
	SUCCEEDS(cudaMemcpy3D(&copy));
	SUCCEEDS(cudaBindTextureToArray(layers, array));
	read_layers<<<1, 6>>>(out);
	std::vector<float> read = download(out, 6);
	for (int i = 0; i < 6; i++)
		CHECK(read[i] == 6 * (i < 4 ? i : 3) + 1);
	SUCCEEDS(cudaFreeArray(array));
}

static void test_levels()
{
	cudaMipmappedArray_t mipmap;
	cudaArray_t level;
	SUCCEEDS(cudaMallocMipmappedArray(&mipmap, &levels.channelDesc, make_cudaExtent(32, 16, 0), 20));
	for (unsigned l = 0; l < 6; l++) { // 32 x 16 down to 1 x 1
		SUCCEEDS(cudaGetMipmappedArrayLevel(&level, mipmap, l));
		cudaExtent extent;
		SUCCEEDS(cudaArrayGetInfo(NULL, &extent, NULL, level));
		CHECK(extent.width == 32u >> l && extent.height == (l < 5 ? 16u >> l : 1));
		std::vector<float> texels(extent.width * extent.height, 100 + l);
		SUCCEEDS(cudaMemcpy2DToArray(level, 0, 0, texels.data(), extent.width * 4, extent.width * 4, extent.height,
		                             cudaMemcpyHostToDevice));
	}
	FAILS(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, mipmap, 6));
	levels.normalized = 1;
	levels.maxMipmapLevelClamp = 4;
	SUCCEEDS(cudaBindTextureToMipmappedArray(levels, mipmap));
	read_levels<<<1, 12>>>(out);
	std::vector<float> got = download(out, 64);
	for (int i = 0; i < 12; i++) { // the nearest level, the coarser one at the middle; up to the clamp
		int want = (i + 1) / 2;
		CHECK(got[i] == 100 + (want < 4 ? want : 4));
		CHECK(got[32 + i] == 100 + (i < 4 ? i : 4));
	}
	levels.mipmapLevelBias = 1; // added before the clamp
	SUCCEEDS(cudaBindTextureToMipmappedArray(levels, mipmap));
	read_levels<<<1, 12>>>(out);
	got = download(out, 64);
	for (int i = 0; i < 12; i++) {
		int want = (i + 1) / 2 + 1;
		CHECK(got[i] == 100 + (want < 4 ? want : 4));
	}
	SUCCEEDS(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
	FAILS(cudaErrorInvalidValue, cudaFreeArray(level));
	SUCCEEDS(cudaFreeMipmappedArray(mipmap));
	FAILS(cudaErrorInvalidValue, cudaFreeMipmappedArray(mipmap));
}

static void test_errors()
{
	cudaArray_t array;
	cudaChannelFormatDesc uneven = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
	cudaChannelFormatDesc three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
	cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>(), shorts = cudaCreateChannelDesc<short>();
	FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &uneven, 8));
	FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &three, 8));
	FAILS(cudaErrorInvalidValue, cudaMallocArray(&array, &ints, 0, 4));
	FAILS(cudaErrorInvalidValue, cudaMallocArray(NULL, &ints, 4));
	FAILS(cudaErrorInvalidValue, cudaMalloc3DArray(&array, &ints, make_cudaExtent(8, 4, 6), cudaArrayCubemap));
	FAILS(cudaErrorMemoryAllocation, cudaMalloc3DArray(&array, &ints, make_cudaExtent(60000, 60000, 60000)));
	SUCCEEDS(cudaFreeArray(NULL));
	int stranger;
	FAILS(cudaErrorInvalidValue, cudaFreeArray((cudaArray_t)&stranger));
	SUCCEEDS(cudaMallocArray(&array, &ints, 8, 4));
	int host[64];
	FAILS(cudaErrorInvalidValue, cudaMemcpy2DToArray(array, 4, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidValue, cudaMemcpyToArray(array, 0, 0, host, 8 * 4 * 4 + 1, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpyToArray(array, 0, 0, host, 16, cudaMemcpyDeviceToHost));
	FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2DToArray(array, 0, 0, host, 8, 32, 2, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidValue, cudaMemcpyToArray(array, 0, 0, NULL, 16, cudaMemcpyHostToDevice));

	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	cudaTextureDesc how = {};
	cudaTextureObject_t texture;
	cudaSurfaceObject_t surface;
	how.filterMode = cudaFilterModeLinear;
	FAILS(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&texture, &resource, &how, NULL));
	how.filterMode = cudaFilterModePoint;
	how.readMode = cudaReadModeNormalizedFloat;
	FAILS(cudaErrorInvalidNormSetting, cudaCreateTextureObject(&texture, &resource, &how, NULL));
	how.readMode = cudaReadModeElementType;
	FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, NULL, &how, NULL));
	SUCCEEDS(cudaCreateTextureObject(&texture, &resource, &how, NULL));
	cudaResourceDesc kept;
	cudaTextureDesc kept_how;
	SUCCEEDS(cudaGetTextureObjectResourceDesc(&kept, texture));
	SUCCEEDS(cudaGetTextureObjectTextureDesc(&kept_how, texture));
	CHECK(kept.resType == cudaResourceTypeArray && kept.res.array.array == array);
	CHECK(memcmp(&how, &kept_how, sizeof how) == 0);
	FAILS(cudaErrorInvalidValue, cudaDestroySurfaceObject(texture));
	SUCCEEDS(cudaDestroyTextureObject(texture));
	FAILS(cudaErrorInvalidValue, cudaDestroyTextureObject(texture));
	FAILS(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, &resource)); // no cudaArraySurfaceLoadStore
	const textureReference *reference;
	FAILS(cudaErrorInvalidTexture, cudaGetTextureReference(&reference, "nobody"));
	textureReference own = {};
	FAILS(cudaErrorInvalidTexture, cudaBindTextureToArray(&own, array, &shorts));
	image.filterMode = cudaFilterModeLinear;
	SUCCEEDS(cudaFreeArray(array));
	FAILS(cudaErrorInvalidValue, cudaBindTextureToArray(image, array));
}

int main()
{
	SUCCEEDS(cudaMalloc(&out, 65536));
	test_linear();
	test_images();
	test_volumes();
	test_levels();
	test_errors();
	return finish();
}
