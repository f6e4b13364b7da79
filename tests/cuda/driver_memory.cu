// Protects the driver API's memory: managed, mapped and pooled memory, copies and fills of rows and boxes, pointer
// queries, and functions by name.
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>

__global__ void raise(int *p, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		p[i] += 1;
}

#define FINE(call) CHECK((call) == CUDA_SUCCESS)

static void test_shared()
{
	CUdeviceptr managed, mapped;
	int *pinned;
	unsigned flags;
	FINE(cuMemAllocManaged(&managed, 64 * sizeof(int), CU_MEM_ATTACH_GLOBAL));
	FINE(cuMemHostAlloc((void **)&pinned, 64 * sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP));
	FINE(cuMemHostGetDevicePointer(&mapped, pinned, 0));
	FINE(cuMemHostGetFlags(&flags, pinned));
	CHECK(flags & CU_MEMHOSTALLOC_DEVICEMAP);
	int *both = (int *)managed;
	for (int i = 0; i < 64; i++)
		both[i] = pinned[i] = i;
	raise<<<1, 64>>>(both, 64);
	raise<<<1, 64>>>((int *)mapped, 64);
	FINE(cuCtxSynchronize());
	for (int i = 0; i < 64; i++)
		CHECK(both[i] == i + 1 && pinned[i] == i + 1);
	FINE(cuMemAdvise(managed, 64, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
	FINE(cuMemPrefetchAsync(managed, 64, 0, NULL));
	int location;
	FINE(cuMemRangeGetAttribute(&location, sizeof location, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, managed, 64));
	CHECK(location == CU_DEVICE_CPU);
	FINE(cuMemsetD32(managed, 7, 64));
	CHECK(both[0] == 7 && both[63] == 7);
	CHECK(cuMemsetD32(managed, 7, 65) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemAllocManaged(&managed, 4, 77) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemHostGetDevicePointer(&mapped, &flags, 0) == CUDA_ERROR_INVALID_VALUE);
	CUdeviceptr base;
	size_t size;
	FINE(cuMemGetAddressRange(&base, &size, (CUdeviceptr)(both + 3)));
	CHECK(base == (CUdeviceptr)both && size == 64 * sizeof(int));
	FINE(cuMemFree((CUdeviceptr)both));
	FINE(cuMemFreeHost(pinned));
}

static void test_pointers()
{
	CUdeviceptr device, managed, address;
	int own = 0, ordinal;
	void *pinned, *host;
	unsigned type, is_managed;
	CUcontext context;
	FINE(cuMemAlloc(&device, 100));
	FINE(cuMemAllocManaged(&managed, 100, CU_MEM_ATTACH_GLOBAL));
	FINE(cuMemAllocHost(&pinned, 100));
	FINE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 4));
	CHECK(type == CU_MEMORYTYPE_DEVICE);
	FINE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)pinned + 4));
	CHECK(type == CU_MEMORYTYPE_HOST);
	FINE(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed + 4));
	CHECK(is_managed == 1);
	FINE(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, managed + 4));
	CHECK(host == (void *)(managed + 4));
	CHECK(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, device) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&own) == CUDA_ERROR_INVALID_VALUE);
	size_t size;
	FINE(cuPointerGetAttribute(&address, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, device + 50));
	FINE(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, device + 50));
	CHECK(address == device && size == 100);
	CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
	                                CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
	void *answers[] = {&context, &type, &ordinal};
	FINE(cuPointerGetAttributes(3, wanted, answers, device));
	CHECK(context && type == CU_MEMORYTYPE_DEVICE && ordinal == 0);
	FINE(cuPointerGetAttributes(3, wanted, answers, (CUdeviceptr)&own));
	CHECK(!context && type == 0 && ordinal == -2);
	FINE(cuMemFree(device));
	FINE(cuMemFree(managed));
	FINE(cuMemFreeHost(pinned));
}

// A box of bytes from a host box to the device and back to another position.
static void test_boxes()
{
	enum { WIDTH = 20, HEIGHT = 6, DEPTH = 3 };
	static unsigned char from[DEPTH][HEIGHT][WIDTH], to[DEPTH][HEIGHT][WIDTH];
	CUdeviceptr device;
	size_t pitch;
	FINE(cuMemAllocPitch(&device, &pitch, WIDTH, HEIGHT * DEPTH, 4));
	for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++)
		from[0][0][i] = (unsigned char)(i * 7 + 1);
	CUDA_MEMCPY3D box = {};
	box.srcMemoryType = CU_MEMORYTYPE_HOST;
	box.srcHost = from;
	box.srcPitch = WIDTH;
	box.srcHeight = HEIGHT;
	box.srcXInBytes = 2, box.srcY = 1, box.srcZ = 1;
	box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	box.dstDevice = device;
	box.dstPitch = pitch;
	box.dstHeight = HEIGHT;
	box.dstXInBytes = 3, box.dstY = 2, box.dstZ = 0;
	box.WidthInBytes = 10, box.Height = 4, box.Depth = 2;
	FINE(cuMemcpy3D(&box));
	CUDA_MEMCPY2D rows = {};
	for (int z = 0; z < 2; z++) {
		rows.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
		rows.srcDevice = device + z * HEIGHT * pitch;
		rows.srcPitch = pitch;
		rows.srcXInBytes = 3, rows.srcY = 2;
		rows.dstMemoryType = CU_MEMORYTYPE_HOST;
		rows.dstHost = to[z];
		rows.dstPitch = WIDTH;
		rows.dstXInBytes = 1, rows.dstY = 1;
		rows.WidthInBytes = 10, rows.Height = 4;
		FINE(cuMemcpy2D(&rows));
	}
	for (int z = 0; z < 2; z++)
		for (int y = 0; y < 4; y++)
			CHECK(!memcmp(&to[z][y + 1][1], &from[z + 1][y + 1][2], 10) && to[z][y + 1][11] == 0);
	rows.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	CHECK(cuMemcpy2D(&rows) == CUDA_ERROR_INVALID_HANDLE);
	CHECK(cuMemcpy2D(NULL) == CUDA_ERROR_INVALID_VALUE);

	unsigned short got[HEIGHT][WIDTH / 2];
	FINE(cuMemsetD2D8(device, pitch, 0, WIDTH, HEIGHT));
	FINE(cuMemsetD2D16(device + 2, pitch, 0x1234, 5, 3));
	FINE(cudaMemcpy2D(got, WIDTH, (void *)device, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToHost) == cudaSuccess ? CUDA_SUCCESS
	                                                                                              : CUDA_ERROR_UNKNOWN);
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH / 2; x++)
			CHECK(got[y][x] == (y < 3 && x >= 1 && x < 6 ? 0x1234 : 0));
	CHECK(cuMemsetD2D32(device + 2, pitch, 0, 1, 1) == CUDA_ERROR_INVALID_VALUE);
	FINE(cuMemFree(device));
}

static void test_pools()
{
	CUdeviceptr a, b;
	CUmemoryPool pool, own;
	CUmemPoolProps properties = {};
	properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	FINE(cuMemPoolCreate(&pool, &properties));
	FINE(cuDeviceGetDefaultMemPool(&own, 0));
	FINE(cuMemAllocAsync(&a, 256, NULL));
	FINE(cuMemAllocFromPoolAsync(&b, 512, pool, NULL));
	uint64_t used = 0;
	FINE(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	CHECK(used == 512);
	FINE(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	CHECK(used == 256);
	FINE(cuMemFreeAsync(a, NULL));
	FINE(cuMemFreeAsync(b, NULL));
	FINE(cuMemPoolDestroy(pool));
	CHECK(cuMemAllocAsync(&a, 0, NULL) == CUDA_ERROR_INVALID_VALUE);
}

static void test_names()
{
	void *function;
	CUdeviceptr device;
	CUdriverProcAddressQueryResult status;
	FINE(cuGetProcAddress("cuMemAlloc", &function, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
	FINE(((CUresult(*)(CUdeviceptr *, size_t))function)(&device, 64));
	FINE(cuGetProcAddress("cuMemFree", &function, CUDA_VERSION, 0, NULL));
	FINE(((CUresult(*)(CUdeviceptr))function)(device));
	void *first, *later;
	FINE(cuGetProcAddress("cuMemAdvise", &first, 11050, 0, NULL));
	FINE(cuGetProcAddress("cuMemAdvise", &later, 13000, 0, NULL));
	CHECK(first == (void *)cuMemAdvise && later == (void *)cuMemAdvise_v2);
	CHECK(cuGetProcAddress_v2("cuNoSuchThing", &function, 12000, 0, &status) == CUDA_ERROR_NOT_FOUND);
	CHECK(!function && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	CHECK(cuGetProcAddress("printf", &function, 12000, 0, NULL) == CUDA_ERROR_INVALID_VALUE);
}

static void note(CUstream, CUresult status, void *user)
{
	*(int *)user = status == CUDA_SUCCESS ? 1 : 2;
}

static void test_others()
{
	CUcontext context;
	CUipcMemHandle handle;
	CUstream stream;
	int can = 3, least, greatest, priority, seen = 0;
	unsigned flags;
	FINE(cuCtxGetCurrent(&context));
	FINE(cuDeviceCanAccessPeer(&can, 0, 0));
	CHECK(can == 0);
	CHECK(cuCtxEnablePeerAccess(context, 0) == CUDA_ERROR_INVALID_DEVICE);
	CHECK(cuCtxDisablePeerAccess(context) == CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
	CHECK(cuIpcGetMemHandle(&handle, 64) == CUDA_ERROR_NOT_SUPPORTED);
	FINE(cuCtxGetStreamPriorityRange(&least, &greatest));
	FINE(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, greatest));
	FINE(cuStreamGetPriority(stream, &priority));
	FINE(cuStreamGetFlags(stream, &flags));
	CHECK(priority == greatest && flags == CU_STREAM_NON_BLOCKING);
	FINE(cuStreamAddCallback(stream, note, &seen, 0));
	CHECK(seen == 1);
	FINE(cuStreamDestroy(stream));
	CHECK(cuStreamAddCallback(stream, note, &seen, 0) == CUDA_ERROR_INVALID_HANDLE);
	FINE(cuCtxResetPersistingL2Cache());
}

int main()
{
	CUcontext context;
	FINE(cuInit(0));
	FINE(cuCtxCreate(&context, 0, 0));
	test_shared();
	test_pointers();
	test_boxes();
	test_pools();
	test_names();
	test_others();
	FINE(cuCtxDestroy(context));
	return finish();
}
