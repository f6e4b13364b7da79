// Protects virtual memory management: kernels, copies and fills across adjacent mappings, one memory at two addresses,
// and growth. Also tests when memory is released, refused calls, and random mappings against a model.
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

__global__ void add(unsigned *values, size_t count, unsigned more)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	if (i < count)
		values[i] += more;
}

static CUmemAllocationProp properties()
{
	CUmemAllocationProp prop = {};
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	return prop;
}
static const CUmemAllocationProp prop = properties();
static const CUmemAccessDesc both = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
static const CUmemAccessDesc none = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_NONE};
static size_t page;

static CUmemGenericAllocationHandle make(size_t pages)
{
	CUmemGenericAllocationHandle handle = 0;
	CHECK(cuMemCreate(&handle, pages * page, &prop, 0) == CUDA_SUCCESS);
	return handle;
}

static CUdeviceptr reserve(size_t pages)
{
	CUdeviceptr address = 0;
	CHECK(cuMemAddressReserve(&address, pages * page, 0, 0, 0) == CUDA_SUCCESS && address % page == 0);
	return address;
}

static size_t free_bytes()
{
	size_t free_now = 0, total;
	SUCCEEDS(cudaMemGetInfo(&free_now, &total));
	return free_now;
}

// Two adjacent memories form one array, which kernels, copies and fills cross.
static void test_side_by_side()
{
	size_t before = free_bytes();
	CUdeviceptr address = reserve(2);
	CUmemGenericAllocationHandle first = make(1), second = make(1);
	CHECK(before - free_bytes() == 2 * page);
	CHECK(cuMemMap(address, page, 0, first, 0) == CUDA_SUCCESS);
	CHECK(cuMemMap(address + page, page, 0, second, 0) == CUDA_SUCCESS);
	CHECK(cuMemMap(address, page, 0, second, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemsetD32(address, 1, 1) == CUDA_ERROR_INVALID_VALUE); // without access
	CHECK(cuMemSetAccess(address, 2 * page, &both, 1) == CUDA_SUCCESS);
	CHECK(cuMemRelease(first) == CUDA_SUCCESS && cuMemRelease(second) == CUDA_SUCCESS); // they stay mapped
	CHECK(cuMemRelease(first) == CUDA_ERROR_INVALID_VALUE);
	CHECK(before - free_bytes() == 2 * page);

	enum { COUNT = 64 };
	unsigned host[COUNT], back[COUNT];
	for (unsigned i = 0; i < COUNT; i++)
		host[i] = 100 + i;
	CUdeviceptr middle = address + page - COUNT / 2 * sizeof(unsigned);
	CHECK(cuMemcpyHtoD(middle, host, sizeof host) == CUDA_SUCCESS);
	add<<<1, COUNT>>>((unsigned *)middle, COUNT, 5);
	CHECK(cuMemcpyDtoH(back, middle, sizeof back) == CUDA_SUCCESS);
	for (unsigned i = 0; i < COUNT; i++)
		CHECK(back[i] == 105 + i);
	CHECK(cuMemcpyDtoD(address, middle, sizeof host) == CUDA_SUCCESS);
	CHECK(cuMemcpyDtoD(middle + 128, address, 64) == CUDA_SUCCESS);
	CHECK(cuMemsetD32(middle + 64, 7, COUNT - 32) == CUDA_SUCCESS);
	CHECK(cuMemcpyDtoH(back, middle, sizeof back) == CUDA_SUCCESS);
	for (unsigned i = 0; i < COUNT; i++)
		CHECK(back[i] == (i >= 16 && i < 48 ? 7 : 105 + i));
	cudaPointerAttributes attributes;
	SUCCEEDS(cudaPointerGetAttributes(&attributes, (void *)middle));
	CHECK(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == (void *)middle);
	CUdeviceptr base;
	size_t size;
	CHECK(cuMemGetAddressRange(&base, &size, middle) == CUDA_SUCCESS && base == address && size == page);
	FAILS(cudaErrorInvalidValue, cudaFree((void *)address));
	FAILS(cudaErrorInvalidValue, cudaMemcpy((void *)(address + page), host, page + 1, cudaMemcpyHostToDevice));

	CHECK(cuMemAddressFree(address, 2 * page) == CUDA_ERROR_INVALID_VALUE); // mapped
	CHECK(cuMemUnmap(address, page / 2) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemUnmap(address, 2 * page) == CUDA_SUCCESS);
	CHECK(free_bytes() == before);
	CHECK(cuMemcpyDtoH(back, middle, sizeof back) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemAddressFree(address, page) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemAddressFree(address, 2 * page) == CUDA_SUCCESS);
}

// A write at one address is read at the other, also in the same kernel. A partial mapping ends at its own end.
static void test_twice()
{
	CUdeviceptr address = reserve(3);
	CUmemGenericAllocationHandle memory = make(2), again;
	unsigned value = 0;
	CHECK(cuMemMap(address, page, 0, memory, 0) == CUDA_SUCCESS);
	CHECK(cuMemMap(address + page, 2 * page, 0, memory, 0) == CUDA_SUCCESS);
	CHECK(cuMemSetAccess(address, 3 * page, &both, 1) == CUDA_SUCCESS);
	CHECK(cuMemsetD32(address + page, 0, 2 * page / 4) == CUDA_SUCCESS);
	add<<<(unsigned)(2 * page / 4 / 256), 256>>>((unsigned *)address, 2 * page / 4, 1); // page 1 twice
	CHECK(cuMemcpyDtoH(&value, address + 40, 4) == CUDA_SUCCESS && value == 2);
	CHECK(cuMemcpyDtoH(&value, address + page + 40, 4) == CUDA_SUCCESS && value == 2);
	CHECK(cuMemcpyDtoH(&value, address + 2 * page + 40, 4) == CUDA_SUCCESS && value == 0);
	CHECK(cuMemRetainAllocationHandle(&again, (void *)(address + page + 8)) == CUDA_SUCCESS && again == memory);
	CHECK(cuMemRelease(memory) == CUDA_SUCCESS && cuMemRelease(again) == CUDA_SUCCESS);
	CUmemAllocationProp known;
	CHECK(cuMemGetAllocationPropertiesFromHandle(&known, memory) == CUDA_ERROR_INVALID_VALUE);
	unsigned long long flags;
	const CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	CHECK(cuMemGetAccess(&flags, &device, address) == CUDA_SUCCESS && flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	CHECK(cuMemSetAccess(address, page, &none, 1) == CUDA_SUCCESS);
	CHECK(cuMemGetAccess(&flags, &device, address) == CUDA_SUCCESS && flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
	CHECK(cuMemcpyDtoH(&value, address, 4) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemcpyDtoH(&value, address + page, 4) == CUDA_SUCCESS && value == 2);
	CHECK(cuMemUnmap(address, 3 * page) == CUDA_SUCCESS && cuMemAddressFree(address, 3 * page) == CUDA_SUCCESS);
}

static void test_refusals()
{
	size_t size;
	CUdeviceptr address;
	CUmemGenericAllocationHandle handle, memory = make(1);
	CUmemAllocationProp other = prop;
	CHECK(cuMemGetAllocationGranularity(NULL, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemGetAllocationGranularity(&size, NULL, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemCreate(&handle, page / 2, &prop, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemCreate(NULL, page, &prop, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemCreate(&handle, (size_t)1 << 45, &prop, 0) == CUDA_ERROR_OUT_OF_MEMORY);
	other.location.id = 1;
	CHECK(cuMemCreate(&handle, page, &other, 0) == CUDA_ERROR_INVALID_DEVICE);
	other = prop;
	other.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	CHECK(cuMemCreate(&handle, page, &other, 0) == CUDA_ERROR_NOT_SUPPORTED);
	CHECK(cuMemAddressReserve(&address, page + 1, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemAddressReserve(NULL, page, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemAddressReserve(&address, page, 16 * page, 0, 0) == CUDA_SUCCESS && address % (16 * page) == 0);
	CHECK(cuMemMap(address + 64 * page, page, 0, memory, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemMap(address, 2 * page, 0, memory, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemMap(address, page, page, memory, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemMap(address, page, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemSetAccess(address, page, &both, 1) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemUnmap(address, page) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemExportToShareableHandle(&size, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) ==
	      CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemImportFromShareableHandle(&handle, &size, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) ==
	      CUDA_ERROR_NOT_SUPPORTED);
	CHECK(cuMemAddressFree(address, page) == CUDA_SUCCESS && cuMemRelease(memory) == CUDA_SUCCESS);
	CHECK(cuMemRelease(memory) == CUDA_ERROR_INVALID_VALUE);
}

// Random calls on a few pages: a table holds which memory is mapped where, and whether it is accessible.
static void test_random(unsigned seed)
{
	enum { PAGES = 8, MEMORIES = 4, STEPS = 300 };
	struct slot {
		int memory = -1;
		bool access = false;
	} slots[PAGES];
	unsigned values[MEMORIES] = {}, state = seed;
	CUmemGenericAllocationHandle memories[MEMORIES];
	CUdeviceptr address = reserve(PAGES);
	for (auto &memory : memories)
		memory = make(1);
	for (int step = 0; step < STEPS; step++) {
		unsigned random = (state = state * 1664525 + 1013904223) >> 8, at = random % PAGES, which = random / PAGES % MEMORIES;
		slot &slot = slots[at];
		CUdeviceptr place = address + at * page;
		bool usable = slot.memory >= 0 && slot.access;
		switch (random / 64 % 5) {
		case 0:
			CHECK((cuMemMap(place, page, 0, memories[which], 0) == CUDA_SUCCESS) == (slot.memory < 0));
			if (slot.memory < 0)
				slot = {(int)which, false};
			break;
		case 1:
			CHECK((cuMemUnmap(place, page) == CUDA_SUCCESS) == (slot.memory >= 0));
			slot = {-1, false};
			break;
		case 2:
			CHECK((cuMemSetAccess(place, page, random / 512 % 3 ? &both : &none, 1) == CUDA_SUCCESS) ==
			      (slot.memory >= 0));
			slot.access = slot.memory >= 0 && random / 512 % 3;
			break;
		case 3:
			CHECK((cuMemsetD32(place + 64, random, 1) == CUDA_SUCCESS) == usable);
			if (usable)
				values[slot.memory] = random;
			break;
		default:
			unsigned value = 0;
			CHECK((cuMemcpyDtoH(&value, place + 64, 4) == CUDA_SUCCESS) == usable);
			CHECK(!usable || value == values[slot.memory]);
		}
	}
	for (unsigned i = 0; i < PAGES; i++)
		if (slots[i].memory >= 0)
			CHECK(cuMemUnmap(address + i * page, page) == CUDA_SUCCESS);
	for (auto memory : memories)
		CHECK(cuMemRelease(memory) == CUDA_SUCCESS);
	CHECK(cuMemAddressFree(address, PAGES * page) == CUDA_SUCCESS);
}

int main()
{
	int supported = 0;
	CHECK(cuInit(0) == CUDA_SUCCESS);
	CHECK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0) == CUDA_SUCCESS &&
	      supported);
	CHECK(cuMemGetAllocationGranularity(&page, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS && page);
	size_t before = free_bytes();
	test_side_by_side();
	test_twice();
	test_refusals();
	for (unsigned seed = 0; seed < 20; seed++)
		test_random(seed);
	CHECK(free_bytes() == before);
	return finish();
}
