// Protects txq, suq, sust.p, sured and PTX's independent texture mode: texture and surface instructions that CUDA's
// functions do not emit. Inline PTX with queries, formatted stores, reductions and separate samplers.
#include "check.h"
#include <vector>

texture<short2, cudaTextureType2D, cudaReadModeNormalizedFloat> plane;
surface<void, cudaSurfaceType2D> canvas;

#define ASK(at, instruction, what)                                                                                     \
	asm volatile(instruction "." what ".b32 %0, [%1];" : "=r"(out[at]) : "l"(handle))

__global__ void ask(int *out, cudaTextureObject_t handle, cudaSurfaceObject_t s)
{
	ASK(0, "txq", "width");
	ASK(1, "txq", "height");
	ASK(2, "txq", "depth");
	ASK(3, "txq", "channel_data_type");
	ASK(4, "txq", "channel_order");
	ASK(5, "txq", "normalized_coords");
	ASK(6, "txq", "array_size");
	ASK(7, "txq", "num_mipmap_levels");
	ASK(8, "txq", "filter_mode");
	ASK(9, "txq", "addr_mode_1");
	handle = s;
	ASK(10, "suq", "width");
	ASK(11, "suq", "height");
	ASK(12, "suq", "channel_data_type");
	ASK(13, "suq", "channel_order");
	ASK(14, "suq", "memory_layout");
	asm volatile("txq.width.b32 %0, [plane];" : "=r"(out[15]));
}

__global__ void store(cudaSurfaceObject_t floats, cudaSurfaceObject_t halves, cudaSurfaceObject_t bytes)
{
	int x = threadIdx.x;
	float value = x * 0.5f;
	asm volatile("sust.p.1d.b32.trap [%0, {%1}], %2;" ::"l"(floats), "r"(x), "f"(value));
	asm volatile("sust.p.1d.v2.b32.trap [%0, {%1}], {%2, %3};" ::"l"(halves), "r"(x), "f"(value), "f"(-value));
	asm volatile("sust.p.1d.v4.b32.zero [%0, {%1}], {%2, %3, %4, %5};" ::"l"(bytes), "r"(x - 1), "r"(x), "r"(x + 1),
	             "r"(x + 2), "r"(x + 300));
}

__global__ void reduce(cudaSurfaceObject_t s)
{
	int x = threadIdx.x;
	asm volatile("sured.b.1d.add.u32.trap [%0, {%1}], %2;" ::"l"(s), "r"(0), "r"(x));
	asm volatile("sured.b.1d.min.s32.trap [%0, {%1}], %2;" ::"l"(s), "r"(4), "r"(x - 5));
	asm volatile("sured.b.1d.max.u32.trap [%0, {%1}], %2;" ::"l"(s), "r"(8), "r"(x - 5));
	asm volatile("sured.b.1d.or.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(12), "r"(1 << x % 32));
	asm volatile("sured.b.1d.and.b32.zero [%0, {%1}], %2;" ::"l"(s), "r"(16 + 400 * (x & 1)), "r"(~(1 << x % 32)));
	asm volatile("sured.b.1d.add.u64.trap [%0, {%1}], %2;" ::"l"(s), "r"(24), "l"(1ull << 33));
	asm volatile("sured.b.1d.min.s64.trap [%0, {%1}], %2;" ::"l"(s), "r"(40), "l"((x - 5) * (1ll << 33)));
	asm volatile("sured.b.1d.max.s64.trap [%0, {%1}], %2;" ::"l"(s), "r"(48), "l"((x - 40) * (1ll << 33)));
	asm volatile("sured.b.1d.max.u64.trap [%0, {%1}], %2;" ::"l"(s), "r"(56), "l"((x - 40) * (1ll << 33)));
	asm volatile("sured.p.1d.min.b32.clamp [%0, {%1}], %2;" ::"l"(s), "r"(8), "r"(7 - x));
}

// A texture with another texture's sampler.
__global__ void sample(float *out, cudaTextureObject_t t, cudaTextureObject_t sampler)
{
	float y, z, w;
	asm volatile("tex.1d.v4.f32.f32 {%0, %1, %2, %3}, [%4, %5, {%6}];"
	             : "=f"(out[0]), "=f"(y), "=f"(z), "=f"(w)
	             : "l"(t), "l"(sampler), "f"(0.25f));
	asm volatile("tex.1d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5}];"
	             : "=f"(out[1]), "=f"(y), "=f"(z), "=f"(w)
	             : "l"(t), "f"(0.25f));
	unsigned there;
	asm volatile("{ .reg .pred p; tex.1d.v4.f32.f32 {%0, %1, %2, %3}|p, [%5, {%6}]; selp.u32 %4, 1, 0, p; }"
	             : "=f"(out[2]), "=f"(y), "=f"(z), "=f"(w), "=r"(there)
	             : "l"(t), "f"(2.25f));
	out[3] = there;
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	return resource;
}

static cudaArray_t make_array(cudaChannelFormatDesc format, int width, int height)
{
	cudaArray_t array;
	SUCCEEDS(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
	return array;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
	cudaSurfaceObject_t s = 0;
	cudaResourceDesc resource = resource_of(array);
	SUCCEEDS(cudaCreateSurfaceObject(&s, &resource));
	return s;
}

static int *out;

static void test_queries()
{
	cudaArray_t array = make_array(plane.channelDesc, 17, 9), words = make_array(cudaCreateChannelDesc<uint4>(), 5, 6);
	cudaResourceDesc resource = resource_of(array);
	cudaTextureDesc how = {};
	how.readMode = cudaReadModeNormalizedFloat;
	how.filterMode = cudaFilterModeLinear;
	how.normalizedCoords = 1;
	how.addressMode[1] = cudaAddressModeMirror;
	cudaTextureObject_t texture;
	SUCCEEDS(cudaCreateTextureObject(&texture, &resource, &how, NULL));
	SUCCEEDS(cudaBindTextureToArray(plane, array));
	ask<<<1, 1>>>(out, texture, surface_of(words));
	int got[16];
	const int want[16] = {17, 9, 0, 0x10D1, 0x10B2, 1, 1, 1, 1, cudaAddressModeMirror, 5, 6, 0x10DC, 0x10B5, 1, 17};
	SUCCEEDS(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 16; i++) {
		if (got[i] != want[i])
			fprintf(stderr, "query %d: 0x%x, expected 0x%x\n", i, got[i], want[i]);
		CHECK(got[i] == want[i]);
	}
}

static void test_formatted()
{
	cudaChannelFormatDesc half2 = cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
	cudaArray_t floats = make_array(cudaCreateChannelDesc<float>(), 8, 0), halves = make_array(half2, 8, 0),
		    bytes = make_array(cudaCreateChannelDesc<uchar4>(), 8, 0);
	store<<<1, 8>>>(surface_of(floats), surface_of(halves), surface_of(bytes));
	float f[8];
	unsigned short h[16];
	unsigned char b[32];
	SUCCEEDS(cudaMemcpyFromArray(f, floats, 0, 0, sizeof f, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaMemcpyFromArray(h, halves, 0, 0, sizeof h, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaMemcpyFromArray(b, bytes, 0, 0, sizeof b, cudaMemcpyDeviceToHost));
	const unsigned short half[8] = {0, 0x3800, 0x3c00, 0x3e00, 0x4000, 0x4100, 0x4200, 0x4300};
	for (int x = 0; x < 8; x++)
		CHECK(f[x] == x * 0.5f && h[2 * x] == half[x] && h[2 * x + 1] == (half[x] | 0x8000));
	for (int x = 0; x < 7; x++) // the first thread's store is dropped
		CHECK(b[4 * x] == x + 1 && b[4 * x + 1] == x + 2 && b[4 * x + 3] == (unsigned char)(x + 301));
}

static void test_reductions()
{
	cudaArray_t array = make_array(cudaCreateChannelDesc<int>(), 16, 0);
	int words[16] = {100, 50, 3, 0, -1, 9, 0, 1, 1000, 0};
	SUCCEEDS(cudaMemcpyToArray(array, 0, 0, words, sizeof words, cudaMemcpyHostToDevice));
	reduce<<<2, 32>>>(surface_of(array));
	SUCCEEDS(cudaMemcpyFromArray(words, array, 0, 0, sizeof words, cudaMemcpyDeviceToHost));
	CHECK(words[0] == 100 + 2 * 31 * 16);
	CHECK(words[1] == -5);
	CHECK(words[2] == -1); // the largest as unsigned
	CHECK(words[3] == -1);
	CHECK(words[4] == (int)0xaaaaaaaa); // odd threads are outside
	CHECK(words[6] == 0 && words[7] == 1 + 2 * 64);
	CHECK(words[8] == 7 - 31); // texel 8; signed, like the surface
	CHECK(words[10] == 0 && words[11] == -10);
	CHECK(words[12] == 0 && words[13] == 0); // signed: nothing is above 0
	CHECK(words[14] == 0 && words[15] == -18); // unsigned: the largest
}

static void test_samplers()
{
	cudaArray_t array = make_array(cudaCreateChannelDesc<float>(), 4, 0);
	const float texels[4] = {10, 20, 30, 40};
	SUCCEEDS(cudaMemcpyToArray(array, 0, 0, texels, sizeof texels, cudaMemcpyHostToDevice));
	cudaResourceDesc resource = resource_of(array);
	cudaTextureDesc how = {};
	how.addressMode[0] = cudaAddressModeClamp;
	cudaTextureObject_t points, filtered;
	SUCCEEDS(cudaCreateTextureObject(&points, &resource, &how, NULL));
	how.normalizedCoords = 1;
	how.filterMode = cudaFilterModeLinear;
	SUCCEEDS(cudaCreateTextureObject(&filtered, &resource, &how, NULL));
	sample<<<1, 1>>>((float *)out, points, filtered);
	float got[4];
	SUCCEEDS(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got[0] == 15 && got[1] == 10 && got[2] == 30 && got[3] == 1);
}

int main()
{
	SUCCEEDS(cudaMalloc(&out, 4096));
	test_queries();
	test_formatted();
	test_reductions();
	test_samplers();
	SUCCEEDS(cudaDeviceSynchronize());
	return finish();
}
