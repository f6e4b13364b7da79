// Protects the driver API's arrays and their copies in bytes, texture and surface objects, mipmaps, stream memory
// operations and device queries. Refused calls return CUDA's codes.
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>

#define FINE(call) CHECK((call) == CUDA_SUCCESS)

enum { WIDTH = 16, HEIGHT = 8, DEPTH = 3 };

__global__ void read_texture(cudaTextureObject_t texture, float *to)
{
	to[threadIdx.y * WIDTH + threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

__global__ void add_surface(cudaSurfaceObject_t surface)
{
	unsigned char value = surf2Dread<unsigned char>(surface, threadIdx.x, threadIdx.y);
	surf2Dwrite((unsigned char)(value + 1), surface, threadIdx.x, threadIdx.y);
}

static CUDA_MEMCPY2D to_array(CUarray array, const void *host, size_t bytes)
{
	CUDA_MEMCPY2D copy = {};
	copy.srcMemoryType = CU_MEMORYTYPE_HOST;
	copy.srcHost = host;
	copy.srcPitch = bytes;
	copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	copy.dstArray = array;
	copy.WidthInBytes = bytes;
	copy.Height = HEIGHT;
	return copy;
}

static void test_arrays()
{
	CUarray array;
	CUDA_ARRAY_DESCRIPTOR flat = {WIDTH, HEIGHT, CU_AD_FORMAT_FLOAT, 2}, known;
	float host[HEIGHT][WIDTH][2], back[HEIGHT][WIDTH][2] = {}, column[HEIGHT][2] = {};
	for (int i = 0; i < HEIGHT * WIDTH * 2; i++)
		(&host[0][0][0])[i] = i;
	FINE(cuArrayCreate(&array, &flat));
	FINE(cuArrayGetDescriptor(&known, array));
	CHECK(known.Width == WIDTH && known.Height == HEIGHT && known.Format == CU_AD_FORMAT_FLOAT && known.NumChannels == 2);
	CUDA_MEMCPY2D copy = to_array(array, host, sizeof host[0]);
	FINE(cuMemcpy2D(&copy));
	copy.WidthInBytes = 6; /* not a whole number of texels */
	CHECK(cuMemcpy2D(&copy) == CUDA_ERROR_INVALID_VALUE);
	CUDA_MEMCPY2D one = {};
	one.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	one.srcArray = array;
	one.srcXInBytes = 3 * 8;
	one.dstMemoryType = CU_MEMORYTYPE_HOST;
	one.dstHost = column;
	one.dstPitch = one.WidthInBytes = 8;
	one.Height = HEIGHT;
	FINE(cuMemcpy2DUnaligned(&one));
	for (int y = 0; y < HEIGHT; y++)
		CHECK(column[y][0] == host[y][3][0] && column[y][1] == host[y][3][1]);
	one.srcXInBytes = 4;
	CHECK(cuMemcpy2D(&one) == CUDA_ERROR_INVALID_VALUE);
	one.srcArray = NULL;
	CHECK(cuMemcpy2D(&one) == CUDA_ERROR_INVALID_HANDLE);
	FINE(cuMemcpyAtoH(back, array, 16, 64));
	CHECK(memcmp(back, &host[0][2], 64) == 0);
	FINE(cuMemcpyHtoA(array, 0, &host[1], sizeof host[0]));
	FINE(cuMemcpyAtoH(back, array, 0, sizeof host[0]));
	CHECK(memcmp(back, &host[1], sizeof host[0]) == 0);
	FINE(cuArrayDestroy(array));
	CHECK(cuArrayDestroy(NULL) == CUDA_ERROR_INVALID_HANDLE);
	flat.NumChannels = 3;
	CHECK(cuArrayCreate(&array, &flat) == CUDA_ERROR_INVALID_VALUE);
	flat = {WIDTH, HEIGHT, (CUarray_format)77, 1};
	CHECK(cuArrayCreate(&array, &flat) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuArrayCreate(NULL, &flat) == CUDA_ERROR_INVALID_VALUE);
}

static void test_volume()
{
	CUarray array;
	CUDA_ARRAY3D_DESCRIPTOR deep = {WIDTH, HEIGHT, DEPTH, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0};
	unsigned short host[DEPTH][HEIGHT][WIDTH], back[DEPTH][HEIGHT][WIDTH] = {};
	for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++)
		(&host[0][0][0])[i] = (unsigned short)(3 * i);
	FINE(cuArray3DCreate(&array, &deep));
	CUDA_MEMCPY3D box = {};
	box.srcMemoryType = CU_MEMORYTYPE_HOST;
	box.srcHost = host;
	box.srcPitch = sizeof host[0][0];
	box.srcHeight = HEIGHT;
	box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	box.dstArray = array;
	box.WidthInBytes = sizeof host[0][0];
	box.Height = HEIGHT;
	box.Depth = DEPTH;
	FINE(cuMemcpy3D(&box));
	CUDA_MEMCPY3D part = {};
	part.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	part.srcArray = array;
	part.srcXInBytes = 4;
	part.srcY = 1;
	part.srcZ = 2;
	part.dstMemoryType = CU_MEMORYTYPE_HOST;
	part.dstHost = back;
	part.WidthInBytes = 6;
	part.Height = 2;
	part.Depth = 1;
	FINE(cuMemcpy3D(&part));
	for (int i = 0; i < 6; i++)
		CHECK((&back[0][0][0])[i] == host[2][1 + i / 3][2 + i % 3]);
	CUDA_ARRAY3D_DESCRIPTOR known;
	FINE(cuArray3DGetDescriptor(&known, array));
	CHECK(known.Depth == DEPTH && known.Format == CU_AD_FORMAT_UNSIGNED_INT16 && known.NumChannels == 1);
	FINE(cuArrayDestroy(array));
}

// Bytes are normalized unless the flags request integers; a surface store changes what the texture reads.
static void test_objects()
{
	CUarray array;
	CUtexObject texture;
	CUsurfObject surface;
	unsigned char host[HEIGHT][WIDTH];
	float *device, back[HEIGHT][WIDTH];
	for (int i = 0; i < HEIGHT * WIDTH; i++)
		(&host[0][0])[i] = (unsigned char)i;
	CUDA_ARRAY3D_DESCRIPTOR described = {WIDTH, HEIGHT, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_SURFACE_LDST};
	FINE(cuArray3DCreate(&array, &described));
	CUDA_MEMCPY2D copy = to_array(array, host, WIDTH);
	FINE(cuMemcpy2DAsync(&copy, NULL));
	CUDA_RESOURCE_DESC resource = {}, known;
	resource.resType = CU_RESOURCE_TYPE_ARRAY;
	resource.res.array.hArray = array;
	CUDA_TEXTURE_DESC how = {};
	how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
	FINE(cuTexObjectCreate(&texture, &resource, &how, NULL));
	FINE(cuSurfObjectCreate(&surface, &resource));
	FINE(cuTexObjectGetResourceDesc(&known, texture));
	CHECK(known.resType == CU_RESOURCE_TYPE_ARRAY && known.res.array.hArray == array);
	SUCCEEDS(cudaMalloc(&device, sizeof back));
	add_surface<<<1, dim3(WIDTH, HEIGHT)>>>(surface);
	read_texture<<<1, dim3(WIDTH, HEIGHT)>>>(texture, device);
	SUCCEEDS(cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost));
	for (int i = 0; i < HEIGHT * WIDTH; i++)
		CHECK((&back[0][0])[i] == (i + 1) / 255.0f);
	FINE(cuTexObjectDestroy(texture));
	CHECK(cuTexObjectDestroy(texture) == CUDA_ERROR_INVALID_VALUE);
	FINE(cuSurfObjectDestroy(surface));
	resource.resType = (CUresourcetype)9;
	CHECK(cuTexObjectCreate(&texture, &resource, &how, NULL) == CUDA_ERROR_INVALID_VALUE);
	FINE(cuArrayDestroy(array));

	/* memory in rows */
	resource = {};
	resource.resType = CU_RESOURCE_TYPE_PITCH2D;
	resource.res.pitch2D.devPtr = (CUdeviceptr)device;
	resource.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
	resource.res.pitch2D.numChannels = 1;
	resource.res.pitch2D.width = WIDTH;
	resource.res.pitch2D.height = HEIGHT;
	resource.res.pitch2D.pitchInBytes = sizeof back[0];
	FINE(cuTexObjectCreate(&texture, &resource, &how, NULL));
	FINE(cuTexObjectGetResourceDesc(&known, texture));
	CHECK(known.res.pitch2D.format == CU_AD_FORMAT_FLOAT && known.res.pitch2D.width == WIDTH);
	FINE(cuTexObjectDestroy(texture));
	SUCCEEDS(cudaFree(device));

	CUmipmappedArray mipmap;
	CUarray level;
	CUDA_ARRAY_DESCRIPTOR small;
	described.Flags = 0;
	FINE(cuMipmappedArrayCreate(&mipmap, &described, 3));
	FINE(cuMipmappedArrayGetLevel(&level, mipmap, 1));
	FINE(cuArrayGetDescriptor(&small, level));
	CHECK(small.Width == WIDTH / 2 && small.Height == HEIGHT / 2);
	FINE(cuMipmappedArrayDestroy(mipmap));
}

static void test_values()
{
	CUdeviceptr address;
	unsigned now = 0;
	FINE(cuMemAlloc(&address, 16));
	FINE(cuMemsetD16Async(address, 0xabcd, 8, NULL));
	FINE(cuMemcpyDtoH(&now, address + 12, 4));
	CHECK(now == 0xabcdabcd);
	FINE(cuStreamWriteValue32(NULL, address, 7, 0));
	FINE(cuStreamWriteValue64(NULL, address + 8, 1, 0));
	FINE(cuStreamWaitValue32(NULL, address, 7, CU_STREAM_WAIT_VALUE_EQ));
	FINE(cuStreamWaitValue32(NULL, address, 6, CU_STREAM_WAIT_VALUE_GEQ));
	FINE(cuStreamWaitValue32(NULL, address, 0xfffffff0, CU_STREAM_WAIT_VALUE_GEQ)); /* cyclic comparison */
	FINE(cuStreamWaitValue32(NULL, address, 2, CU_STREAM_WAIT_VALUE_AND));
	FINE(cuStreamWaitValue64(NULL, address + 8, 1, CU_STREAM_WAIT_VALUE_EQ));
	CHECK(cuStreamWaitValue32(NULL, address, 8, CU_STREAM_WAIT_VALUE_AND) == CUDA_ERROR_NOT_SUPPORTED);
	CHECK(cuStreamWaitValue32(NULL, address, 8, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_ERROR_NOT_SUPPORTED);
	CHECK(cuStreamWaitValue32(NULL, address, 8, 64) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuStreamWriteValue32(NULL, address + 2, 7, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuStreamWriteValue32(NULL, address + 16, 7, 0) == CUDA_ERROR_INVALID_VALUE);
	FINE(cuMemFree(address));
	CHECK(cuStreamWriteValue64(NULL, address, 7, 0) == CUDA_ERROR_INVALID_VALUE);
}

static void test_device()
{
	CUdevprop properties;
	cudaDeviceProp all;
	unsigned long long id = 0, other = 0;
	CUstream stream;
	CUdevice device = 7;
	FINE(cuDeviceGetProperties(&properties, 0));
	SUCCEEDS(cudaGetDeviceProperties(&all, 0));
	CHECK(properties.maxThreadsPerBlock == all.maxThreadsPerBlock && properties.SIMDWidth == all.warpSize);
	CHECK(cuDeviceGetProperties(&properties, 1) == CUDA_ERROR_INVALID_DEVICE);
	FINE(cuStreamCreate(&stream, 0));
	FINE(cuStreamGetId(stream, &id));
	FINE(cuStreamGetId(NULL, &other));
	CHECK(id > 2 && other == 1);
	FINE(cuStreamGetDevice(stream, &device));
	CHECK(device == 0);
	FINE(cuStreamDestroy(stream));
	CHECK(cuStreamGetId(stream, &id) == CUDA_ERROR_INVALID_HANDLE);
	const char *name;
	FINE(cuGetErrorName(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, &name));
	CHECK(strcmp(name, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED") == 0);
}

static void test_refused()
{
	cudaExternalMemory_t memory;
	cudaExternalMemoryHandleDesc handle = {};
	CUexternalSemaphore semaphore;
	CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC from = {};
	FAILS(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &handle));
	CHECK(cudaGetLastError() == cudaErrorNotSupported);
	FAILS(cudaErrorInvalidResourceHandle, cudaDestroyExternalMemory(NULL));
	CHECK(cuImportExternalSemaphore(&semaphore, &from) == CUDA_ERROR_NOT_SUPPORTED);
	CHECK(cuDestroyExternalSemaphore(NULL) == CUDA_ERROR_INVALID_HANDLE);
	FAILS(cudaErrorInvalidResourceHandle, cudaGraphicsMapResources(0, NULL, 0));
	FAILS(cudaErrorNotSupported,
	      cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
	                                         cudaFlushGPUDirectRDMAWritesToOwner));
	CHECK(cuMulticastCreate(NULL, NULL) == CUDA_ERROR_NOT_SUPPORTED);
	CHECK(cuGreenCtxDestroy(NULL) == CUDA_ERROR_INVALID_HANDLE);
}

int main()
{
	FINE(cuInit(0));
	test_arrays();
	test_volume();
	test_objects();
	test_values();
	test_device();
	test_refused();
	return finish();
}
