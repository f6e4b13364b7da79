/* The driver API: virtual memory management. Reserved addresses are inaccessible pages of the host, so that nothing
 * else uses them. Mapping gives device memory a second address there (sluice_map()). */
#include "cudart/virtual.h"
#include "cudart/leaks.h"

#include "cudart/driver.h"

#include "base/arena.h"
#include "base/list.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { GRANULARITY = 2 << 20 };

/* Reservations begin here, above all device memory. */
static const uint64_t first_address = UINT64_C(1) << 42;

struct reservation {
	uint64_t address, size;
	struct reservation *next;
};

struct physical {
	uint64_t device, size;
	CUmemAllocationProp properties;
	size_t users; /* unreleased handles, and mappings */
	size_t handles;
	struct physical *next;
};

struct mapping {
	uint64_t address, size;
	struct physical *physical;
	CUmemAccess_flags access;
	struct mapping *next;
};

static bool is_whole(uint64_t number)
{
	return number && number % GRANULARITY == 0;
}

/* ---- addresses ---- */

static struct reservation *reservation_of(const struct runtime *runtime, uint64_t address, uint64_t size)
{
	struct reservation *reservation = runtime->reservations;
	for (; reservation; reservation = reservation->next)
		if (address >= reservation->address && size <= reservation->size &&
		    address - reservation->address <= reservation->size - size)
			return reservation;
	return NULL;
}

/* Reserves at the wanted address, or else after the other reservations. */
static uint64_t reserve(const struct runtime *runtime, size_t size, size_t alignment, uint64_t wanted)
{
	uint64_t place = wanted && wanted % alignment == 0 ? wanted : first_address;
	for (const struct reservation *other = runtime->reservations; other && place != wanted; other = other->next)
		if (other->address + other->size > place)
			place = other->address + other->size;
	size_t room = size + alignment;
	place = (place + alignment - 1) / alignment * alignment;
	void *pages =
		mmap((void *)(uintptr_t)place, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pages == MAP_FAILED)
		return 0;
	uint64_t first = (uintptr_t)pages, address = (first + alignment - 1) / alignment * alignment;
	if (address > first)
		munmap(pages, address - first);
	munmap((char *)(uintptr_t)address + size, first + room - address - size);
	return address;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags)
{
	static const char call[] = "cuMemAddressReserve";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, address);
	if (result == cudaSuccess && (!is_whole(size) || alignment & (alignment - 1) || flags))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes, aligned to %zu, flags 0x%llx", size,
		                        alignment, flags);
	if (result != cudaSuccess)
		return driver_result(runtime_leave(runtime, result));
	uint64_t place = reserve(runtime, size, alignment > GRANULARITY ? alignment : GRANULARITY, wanted);
	if (!place)
		return driver_result(runtime_leave(runtime, cudaErrorMemoryAllocation));
	struct reservation *reservation = base_calloc(1, sizeof *reservation);
	*reservation = (struct reservation){place, size, runtime->reservations};
	runtime->reservations = reservation;
	*address = place;
	return driver_result(runtime_leave(runtime, cudaSuccess));
}

static const struct mapping *mapping_at(const struct runtime *runtime, uint64_t address)
{
	const struct mapping *mapping = runtime->mappings;
	while (mapping && address - mapping->address >= mapping->size)
		mapping = mapping->next;
	return mapping;
}

/* True when part of the range is mapped. */
static bool is_mapped(const struct runtime *runtime, uint64_t address, uint64_t size)
{
	const struct mapping *mapping = runtime->mappings;
	while (mapping && (mapping->address >= address + size || address >= mapping->address + mapping->size))
		mapping = mapping->next;
	return mapping;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size)
{
	static const char call[] = "cuMemAddressFree";
	struct runtime *runtime = runtime_enter();
	struct reservation **at = &runtime->reservations, *gone;
	while (*at && ((*at)->address != address || (*at)->size != size))
		at = &(*at)->next;
	cudaError_t result = runtime->error;
	if (result == cudaSuccess && (!*at || is_mapped(runtime, address, size)))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes at 0x%llx %s", size, address,
		                        *at ? "are mapped" : "were not reserved");
	if (result == cudaSuccess) {
		gone = *at;
		munmap((void *)(uintptr_t)address, size);
		*at = gone->next;
		free(gone);
	}
	return driver_result(runtime_leave(runtime, result));
}

/* ---- memory ---- */

static cudaError_t check_properties(const char *call, const CUmemAllocationProp *properties)
{
	if (!properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return runtime_refuse(call, cudaErrorInvalidValue, "no pinned memory");
	if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return runtime_refuse(call, cudaErrorNotSupported, "only device memory can be mapped");
	if (properties->location.id)
		return runtime_refuse(call, cudaErrorInvalidDevice, "there is only device 0");
	if (properties->requestedHandleTypes)
		return runtime_refuse(call, cudaErrorNotSupported, "memory for other processes is not supported");
	return cudaSuccess;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option)
{
	static const char call[] = "cuMemGetAllocationGranularity";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, granularity);
	if (result == cudaSuccess && (unsigned)option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
		result = runtime_refuse(call, cudaErrorInvalidValue, "no granularity has the number %d", (int)option);
	if (result == cudaSuccess)
		result = check_properties(call, properties);
	if (result == cudaSuccess)
		*granularity = GRANULARITY;
	return driver_result(runtime_leave(runtime, result));
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *properties,
                     unsigned long long flags)
{
	static const char call[] = "cuMemCreate";
	struct runtime *runtime = runtime_enter();
	struct sluice_error error = {0};
	uint64_t device;
	cudaError_t result = runtime_check(runtime, call, handle);
	if (result == cudaSuccess)
		result = check_properties(call, properties);
	if (result == cudaSuccess && (!is_whole(size) || flags))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes, flags 0x%llx", size, flags);
	if (result == cudaSuccess && sluice_alloc(runtime->gpu, size, &device, &error) != SLUICE_OK)
		result = runtime_report(runtime, call, &error);
	if (result != cudaSuccess)
		return driver_result(runtime_leave(runtime, result));
	leaks_note(runtime, call, device);
	struct physical *physical = base_calloc(1, sizeof *physical);
	*physical = (struct physical){device, size, *properties, 1, 1, runtime->physicals};
	runtime->physicals = physical;
	*handle = (uintptr_t)physical;
	return driver_result(runtime_leave(runtime, cudaSuccess));
}

/* Returns NULL, after a message, for an invalid or released handle. */
static struct physical *find_handle(const struct runtime *runtime, const char *call,
                                    CUmemGenericAllocationHandle handle)
{
	struct physical *physical = runtime->physicals;
	while (physical && (uintptr_t)physical != handle)
		physical = physical->next;
	if (physical && physical->handles)
		return physical;
	runtime_refuse(call, cudaErrorInvalidValue, "0x%llx is not a memory handle, or it was released", handle);
	return NULL;
}

/* Removes one user. */
static void drop_user(struct runtime *runtime, struct physical *physical)
{
	if (--physical->users)
		return;
	struct physical **at = &runtime->physicals;
	while (*at != physical)
		at = &(*at)->next;
	*at = physical->next;
	sluice_free(runtime->gpu, physical->device, NULL);
	free(physical);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	struct runtime *runtime = runtime_enter();
	struct physical *physical = find_handle(runtime, "cuMemRelease", handle);
	cudaError_t result = physical ? runtime->error : cudaErrorInvalidValue;
	if (result == cudaSuccess) {
		physical->handles--;
		drop_user(runtime, physical);
	}
	return driver_result(runtime_leave(runtime, result));
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
	static const char call[] = "cuMemRetainAllocationHandle";
	struct runtime *runtime = runtime_enter();
	const struct mapping *mapping = mapping_at(runtime, (uintptr_t)address);
	cudaError_t result = runtime_check(runtime, call, handle);
	if (result == cudaSuccess && !mapping)
		result = runtime_refuse(call, cudaErrorInvalidValue, "nothing is mapped at %p", address);
	if (result == cudaSuccess) {
		mapping->physical->handles++;
		mapping->physical->users++;
		*handle = (uintptr_t)mapping->physical;
	}
	return driver_result(runtime_leave(runtime, result));
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle)
{
	static const char call[] = "cuMemGetAllocationPropertiesFromHandle";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, properties);
	const struct physical *physical = find_handle(runtime, call, handle);
	if (result == cudaSuccess && !physical)
		result = cudaErrorInvalidValue;
	if (result == cudaSuccess)
		*properties = physical->properties;
	return driver_result(runtime_leave(runtime, result));
}

/* ---- mappings ---- */

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
	static const char call[] = "cuMemMap";
	struct runtime *runtime = runtime_enter();
	struct physical *physical = find_handle(runtime, call, handle);
	cudaError_t result = physical ? runtime->error : cudaErrorInvalidValue;
	if (result == cudaSuccess && (!is_whole(size) || address % GRANULARITY || offset || flags))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes at 0x%llx, offset %zu, flags 0x%llx",
		                        size, address, offset, flags);
	if (result == cudaSuccess && size > physical->size)
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes of an allocation of %llu", size,
		                        (unsigned long long)physical->size);
	if (result == cudaSuccess && (!reservation_of(runtime, address, size) || is_mapped(runtime, address, size)))
		result = runtime_refuse(call, cudaErrorInvalidValue,
		                        "%zu bytes at 0x%llx were not reserved, or are mapped", size, address);
	if (result != cudaSuccess)
		return driver_result(runtime_leave(runtime, result));
	struct mapping *mapping = base_calloc(1, sizeof *mapping);
	*mapping = (struct mapping){address, size, physical, CU_MEM_ACCESS_FLAGS_PROT_NONE, runtime->mappings};
	runtime->mappings = mapping;
	physical->users++;
	return driver_result(runtime_leave(runtime, cudaSuccess));
}

/* Checks that all bytes are mapped, and that no mapping crosses either end of the range. */
static cudaError_t check_mappings(const struct runtime *runtime, const char *call, uint64_t address, uint64_t size)
{
	cudaError_t result = runtime->error;
	uint64_t at = address, end = address + size;
	while (result == cudaSuccess && at < end) {
		const struct mapping *mapping = mapping_at(runtime, at);
		if (!mapping || mapping->address != at || mapping->size > end - at)
			result = runtime_refuse(call, cudaErrorInvalidValue,
			                        "%llu bytes at 0x%llx are not the bytes that were mapped",
			                        (unsigned long long)size, (unsigned long long)address);
		else
			at += mapping->size;
	}
	return result == cudaSuccess && (!size || end < address) ? cudaErrorInvalidValue : result;
}

static cudaError_t set_access(struct runtime *runtime, const char *call, struct mapping *mapping,
                              CUmemAccess_flags flags)
{
	struct sluice_error error = {0};
	if (mapping->access && !flags)
		sluice_unmap(runtime->gpu, mapping->address, NULL);
	if (!mapping->access && flags &&
	    sluice_map(runtime->gpu, mapping->address, mapping->size, mapping->physical->device, &error) != SLUICE_OK)
		return runtime_report(runtime, call, &error);
	mapping->access = flags;
	return cudaSuccess;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size)
{
	static const char call[] = "cuMemUnmap";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_mappings(runtime, call, address, size);
	for (struct mapping **at = &runtime->mappings; *at && result == cudaSuccess;) {
		struct mapping *mapping = *at;
		if (mapping->address - address >= size) {
			at = &mapping->next;
			continue;
		}
		set_access(runtime, call, mapping, CU_MEM_ACCESS_FLAGS_PROT_NONE);
		drop_user(runtime, mapping->physical);
		*at = mapping->next;
		free(mapping);
	}
	return driver_result(runtime_leave(runtime, result));
}

static cudaError_t check_access(const char *call, const CUmemAccessDesc *list, size_t count)
{
	if (!list || !count)
		return runtime_refuse(call, cudaErrorInvalidValue, "no access");
	for (size_t i = 0; i < count; i++) {
		if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || list[i].location.id)
			return runtime_refuse(call, cudaErrorInvalidDevice, "there is only device 0");
		if (list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
		    list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			return runtime_refuse(call, cudaErrorInvalidValue, "no access has the number %d",
			                      (int)list[i].flags);
	}
	return cudaSuccess;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *list, size_t count)
{
	static const char call[] = "cuMemSetAccess";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_access(call, list, count);
	if (result == cudaSuccess)
		result = check_mappings(runtime, call, address, size);
	for (struct mapping *mapping = runtime->mappings; mapping && result == cudaSuccess; mapping = mapping->next)
		if (mapping->address - address < size)
			result = set_access(runtime, call, mapping, list[count - 1].flags);
	return driver_result(runtime_leave(runtime, result));
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address)
{
	static const char call[] = "cuMemGetAccess";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, flags && location);
	const struct mapping *mapping = mapping_at(runtime, address);
	if (result == cudaSuccess && (location->type != CU_MEM_LOCATION_TYPE_DEVICE || location->id))
		result = runtime_refuse(call, cudaErrorInvalidDevice, "there is only device 0");
	if (result == cudaSuccess && !mapping)
		result = runtime_refuse(call, cudaErrorInvalidValue, "nothing is mapped at 0x%llx", address);
	if (result == cudaSuccess)
		*flags = mapping->access;
	return driver_result(runtime_leave(runtime, result));
}

/* Shareable handles are not supported. */
CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags)
{
	(void)shareable, (void)handle, (void)type, (void)flags;
	return driver_result(runtime_result(runtime_refuse("cuMemExportToShareableHandle", cudaErrorInvalidValue,
	                                                   "the memory was not made for other processes")));
}

void virtual_free(struct runtime *runtime)
{
	LIST_FREE(runtime->mappings);
	LIST_FREE(runtime->physicals);
	LIST_FREE(runtime->reservations);
}
