// The driver API's arrays, texture and surface objects against what the program put in, and block sizes by occupancy. Protects what
// becomes of the driver's descriptions: formats, bytes of places in arrays, flags of samplers.
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#define FINE(call) CHECK((call) == CUDA_SUCCESS)

enum { WIDTH = 24, HEIGHT = 10, DEPTH = 3 };

__global__ void read_floats(float *out, cudaTextureObject_t texture, int width)
{
	out[threadIdx.y * width + threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

__global__ void read_wrapped(float *out, cudaTextureObject_t texture)
{
	out[threadIdx.x] = tex2D<float>(texture, (threadIdx.x + 0.5f) / 4, 0.5f); // 4 texels wide: once more around
}

__global__ void read_whole(unsigned *out, cudaTextureObject_t texture)
{
	out[threadIdx.x] = tex1Dfetch<unsigned char>(texture, threadIdx.x);
}

__global__ void read_volume(short *out, cudaTextureObject_t texture)
{
	short2 texel = tex3D<short2>(texture, threadIdx.x, threadIdx.y, threadIdx.z);
	out[(threadIdx.z * HEIGHT + threadIdx.y) * WIDTH + threadIdx.x] = texel.x * 100 + texel.y;
}

__global__ void raise(cudaSurfaceObject_t surface)
{
	float value;
	surf2Dread(&value, surface, threadIdx.x * 4, threadIdx.y);
	surf2Dwrite(value + 1, surface, threadIdx.x * 4, threadIdx.y);
}

static CUdeviceptr allocate(size_t bytes)
{
	CUdeviceptr address;
	FINE(cuMemAlloc(&address, bytes));
	return address;
}

static CUarray make(size_t width, size_t height, CUarray_format format, unsigned channels)
{
	const CUDA_ARRAY_DESCRIPTOR wanted = {width, height, format, channels};
	CUDA_ARRAY_DESCRIPTOR got;
	CUarray array;
	FINE(cuArrayCreate(&array, &wanted));
	FINE(cuArrayGetDescriptor(&got, array));
	CHECK(got.Width == width && got.Height == height && got.Format == format && got.NumChannels == channels);
	return array;
}

static CUtexObject texture_of(CUarray array, unsigned flags, CUaddress_mode mode)
{
	CUDA_RESOURCE_DESC resource = {};
	CUDA_TEXTURE_DESC how = {};
	CUtexObject object;
	resource.resType = CU_RESOURCE_TYPE_ARRAY;
	resource.res.array.hArray = array;
	how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
	how.flags = flags;
	FINE(cuTexObjectCreate(&object, &resource, &how, NULL));
	return object;
}

// A part of host rows into a part of an array, and back; then by a texture and a surface.
static void test_rows()
{
	std::vector<float> from(WIDTH * HEIGHT), to(WIDTH * HEIGHT, -1), read(WIDTH * HEIGHT);
	for (int i = 0; i < WIDTH * HEIGHT; i++)
		from[i] = (float)i;
	CUarray array = make(WIDTH, HEIGHT, CU_AD_FORMAT_FLOAT, 1);
	CUDA_MEMCPY2D rows = {};
	rows.srcMemoryType = CU_MEMORYTYPE_HOST, rows.srcHost = from.data(), rows.srcPitch = WIDTH * sizeof(float);
	rows.dstMemoryType = CU_MEMORYTYPE_ARRAY, rows.dstArray = array;
	rows.WidthInBytes = WIDTH * sizeof(float), rows.Height = HEIGHT;
	FINE(cuMemcpy2D(&rows));
	rows.srcXInBytes = 2 * sizeof(float), rows.srcY = 1;
	rows.dstXInBytes = 5 * sizeof(float), rows.dstY = 3;
	rows.WidthInBytes = 7 * sizeof(float), rows.Height = 4;
	FINE(cuMemcpy2D(&rows));
	rows.dstXInBytes = 6;
	CHECK(cuMemcpy2D(&rows) == CUDA_ERROR_INVALID_VALUE); // no whole texel
	CUDA_MEMCPY2D back = {};
	back.srcMemoryType = CU_MEMORYTYPE_ARRAY, back.srcArray = array;
	back.dstMemoryType = CU_MEMORYTYPE_HOST, back.dstHost = to.data(), back.dstPitch = WIDTH * sizeof(float);
	back.WidthInBytes = WIDTH * sizeof(float), back.Height = HEIGHT;
	FINE(cuMemcpy2DUnaligned(&back));
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			bool inside = x >= 5 && x < 12 && y >= 3 && y < 7;
			CHECK(to[y * WIDTH + x] == (inside ? from[(y - 2) * WIDTH + x - 3] : from[y * WIDTH + x]));
		}
	CUdeviceptr out = allocate(from.size() * sizeof(float));
	CUtexObject texture = texture_of(array, 0, CU_TR_ADDRESS_MODE_CLAMP);
	CUDA_RESOURCE_DESC resource = {};
	CUsurfObject surface;
	resource.res.array.hArray = array;
	CHECK(cuSurfObjectCreate(&surface, &resource) != CUDA_SUCCESS); // it was not made for one
	read_floats<<<1, dim3(WIDTH, HEIGHT)>>>((float *)out, texture, WIDTH);
	FINE(cuMemcpyDtoH(read.data(), out, read.size() * sizeof(float)));
	CHECK(read == to);
	float row[3] = {};
	FINE(cuMemcpyAtoH(row, array, 4 * sizeof(float), sizeof row));
	CHECK(row[0] == 4 && row[2] == 6);
	row[1] = 77;
	FINE(cuMemcpyHtoA(array, 4 * sizeof(float), row, sizeof row));
	FINE(cuMemcpyAtoD(out, array, 5 * sizeof(float), sizeof(float)));
	FINE(cuMemcpyDtoA(array, 0, out, sizeof(float)));
	FINE(cuMemcpyAtoH(row, array, 0, sizeof row));
	CHECK(row[0] == 77 && row[1] == 1);
	FINE(cuTexObjectDestroy(texture));
	CHECK(cuTexObjectDestroy(texture) != CUDA_SUCCESS);
	FINE(cuMemFree(out));
	FINE(cuArrayDestroy(array));
	CHECK(cuArrayDestroy(array) != CUDA_SUCCESS);
}

// Whole numbers are fractions unless the flag says otherwise; normalised coordinates wrap.
static void test_flags()
{
	const unsigned char bytes[4] = {0, 51, 102, 255};
	CUarray array = make(4, 1, CU_AD_FORMAT_UNSIGNED_INT8, 1);
	FINE(cuMemcpyHtoA(array, 0, bytes, sizeof bytes));
	CUdeviceptr out = allocate(8 * sizeof(float));
	CUtexObject texture = texture_of(array, CU_TRSF_NORMALIZED_COORDINATES, CU_TR_ADDRESS_MODE_WRAP);
	float read[8];
	read_wrapped<<<1, 8>>>((float *)out, texture);
	FINE(cuMemcpyDtoH(read, out, sizeof read));
	for (int i = 0; i < 8; i++)
		CHECK(read[i] == (float)bytes[i % 4] / 255);
	FINE(cuTexObjectDestroy(texture));
	FINE(cuArrayDestroy(array));

	CUdeviceptr memory = allocate(4);
	CUDA_RESOURCE_DESC linear = {};
	CUDA_TEXTURE_DESC how = {};
	unsigned whole[4];
	FINE(cuMemcpyHtoD(memory, bytes, 4));
	linear.resType = CU_RESOURCE_TYPE_LINEAR;
	linear.res.linear.devPtr = memory;
	linear.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
	linear.res.linear.numChannels = 1;
	linear.res.linear.sizeInBytes = 4;
	how.flags = CU_TRSF_READ_AS_INTEGER;
	FINE(cuTexObjectCreate(&texture, &linear, &how, NULL));
	read_whole<<<1, 4>>>((unsigned *)out, texture);
	FINE(cuMemcpyDtoH(whole, out, sizeof whole));
	for (int i = 0; i < 4; i++)
		CHECK(whole[i] == bytes[i]);
	linear.res.linear.numChannels = 3;
	CHECK(cuTexObjectCreate(&texture, &linear, &how, NULL) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuTexObjectCreate(&texture, NULL, &how, NULL) == CUDA_ERROR_INVALID_VALUE);
	FINE(cuMemFree(memory));
	FINE(cuMemFree(out));
}

static void test_volume()
{
	const CUDA_ARRAY3D_DESCRIPTOR wanted = {WIDTH, HEIGHT, DEPTH, CU_AD_FORMAT_SIGNED_INT16, 2, 0};
	CUDA_ARRAY3D_DESCRIPTOR got;
	CUarray array;
	short from[DEPTH][HEIGHT][WIDTH][2], read[DEPTH][HEIGHT][WIDTH];
	for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++)
		from[0][0][i][0] = (short)(i % 250 - 100), from[0][0][i][1] = (short)(i % 7);
	FINE(cuArray3DCreate(&array, &wanted));
	FINE(cuArray3DGetDescriptor(&got, array));
	CHECK(got.Depth == DEPTH && got.Format == wanted.Format && got.NumChannels == 2 && got.Flags == 0);
	CUDA_MEMCPY3D box = {};
	box.srcMemoryType = CU_MEMORYTYPE_HOST, box.srcHost = from, box.srcPitch = WIDTH * 4, box.srcHeight = HEIGHT;
	box.dstMemoryType = CU_MEMORYTYPE_ARRAY, box.dstArray = array;
	box.WidthInBytes = WIDTH * 4, box.Height = HEIGHT, box.Depth = DEPTH;
	FINE(cuMemcpy3D(&box));
	CUdeviceptr out = allocate(sizeof read);
	CUtexObject texture = texture_of(array, CU_TRSF_READ_AS_INTEGER, CU_TR_ADDRESS_MODE_CLAMP);
	read_volume<<<1, dim3(WIDTH, HEIGHT, DEPTH)>>>((short *)out, texture);
	FINE(cuMemcpyDtoH(read, out, sizeof read));
	for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++)
		CHECK(read[0][0][i] == from[0][0][i][0] * 100 + from[0][0][i][1]);
	FINE(cuTexObjectDestroy(texture));
	FINE(cuMemFree(out));
	FINE(cuArrayDestroy(array));
}

static void test_surface()
{
	const CUDA_ARRAY3D_DESCRIPTOR wanted = {WIDTH, HEIGHT, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
	CUDA_RESOURCE_DESC resource = {};
	CUsurfObject surface;
	CUarray array, level;
	CUmipmappedArray mipmap;
	float row[WIDTH];
	for (int x = 0; x < WIDTH; x++)
		row[x] = (float)x;
	FINE(cuArray3DCreate(&array, &wanted));
	FINE(cuMemcpyHtoA(array, 0, row, sizeof row));
	resource.res.array.hArray = array;
	FINE(cuSurfObjectCreate(&surface, &resource));
	raise<<<1, dim3(WIDTH, HEIGHT)>>>(surface);
	FINE(cuMemcpyAtoH(row, array, 0, sizeof row));
	for (int x = 0; x < WIDTH; x++)
		CHECK(row[x] == (float)x + 1);
	FINE(cuSurfObjectDestroy(surface));
	FINE(cuArrayDestroy(array));
	FINE(cuMipmappedArrayCreate(&mipmap, &wanted, 3));
	FINE(cuMipmappedArrayGetLevel(&level, mipmap, 1));
	CUDA_ARRAY_DESCRIPTOR half;
	FINE(cuArrayGetDescriptor(&half, level));
	CHECK(half.Width == WIDTH / 2 && half.Height == HEIGHT / 2);
	CHECK(cuMipmappedArrayGetLevel(&level, mipmap, 3) == CUDA_ERROR_INVALID_VALUE);
	FINE(cuMipmappedArrayDestroy(mipmap));
	const CUDA_ARRAY_DESCRIPTOR wrong = {4, 4, (CUarray_format)0x77, 1};
	CHECK(cuArrayCreate(&array, &wrong) == CUDA_ERROR_INVALID_VALUE);
}

static size_t sixteen_each(int threads)
{
	return 16 * (size_t)threads;
}

// As the runtime's templates say.
static void test_block_sizes(CUfunction function)
{
	int grid, block, wanted_grid, wanted_block, blocks, wanted;
	FINE(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 1024, 0));
	SUCCEEDS(cudaOccupancyMaxPotentialBlockSize(&wanted_grid, &wanted_block, read_volume, 1024, 0));
	CHECK(grid == wanted_grid && block == wanted_block && block > 0);
	FINE(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, sixteen_each, 0, 100, 0));
	SUCCEEDS(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&wanted_grid, &wanted_block, read_volume, sixteen_each, 100));
	CHECK(grid == wanted_grid && block == wanted_block && block <= 100);
	FINE(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, 64, 0, 0));
	SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&wanted, read_volume, 64, 0));
	CHECK(blocks == wanted);
	CHECK(cuOccupancyMaxPotentialBlockSize(NULL, &block, function, NULL, 0, 0) == CUDA_ERROR_INVALID_VALUE);
}

int main()
{
	CUcontext context;
	int mode;
	FINE(cuInit(0));
	FINE(cuCtxCreate(&context, 0, 0));
	FINE(cuDeviceGetAttribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0));
	CHECK(mode == CU_COMPUTEMODE_DEFAULT && mode != CU_COMPUTEMODE_PROHIBITED);
	test_rows();
	test_flags();
	test_volume();
	test_surface();
	test_block_sizes((CUfunction)read_volume);
	return finish();
}
