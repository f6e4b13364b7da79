/* Managed memory: one pointer for host and device. Both access the same bytes at all times, so placement hints have no
 * effect. They are stored and returned when a program queries them. */
#include "cudart/host_memory.h"

#include "base/arena.h"

#include <string.h>
#include <unistd.h>

/* The advice for a page. A location is a device, the host, or cudaInvalidDeviceId (none). */
struct page_advice {
	bool is_read_mostly, by_host, by_device;
	signed char preferred, prefetched;
};

/* Pages of a managed allocation. */
struct pages {
	struct page_advice *first, *end;
};

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags)
{
	static const char call[] = "cudaMallocManaged";
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check(runtime, call, pointer);
	if (result == cudaSuccess && (!size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes with flags 0x%x", size, flags);
	if (result == cudaSuccess)
		result = host_memory_allocate(runtime, call,
		                              (struct host_memory){.size = size, .kind = HOST_MANAGED, .flags = flags},
		                              pointer);
	return runtime_leave(runtime, result);
}

/* ---- advice ---- */

static bool is_location(int device)
{
	return device == 0 || device == cudaCpuDeviceId;
}

static cudaError_t check_location(const char *call, int device)
{
	return is_location(device)
	               ? cudaSuccess
	               : runtime_refuse(call, cudaErrorInvalidDevice, "%d is neither device 0 nor the host", device);
}

static struct page_advice *advice_of(struct host_memory *memory, size_t pages)
{
	static const struct page_advice none = {.preferred = cudaInvalidDeviceId, .prefetched = cudaInvalidDeviceId};
	if (memory->advice)
		return memory->advice;
	memory->advice = base_calloc(pages, sizeof none);
	for (size_t i = 0; i < pages; i++)
		memory->advice[i] = none;
	return memory->advice;
}

/* Finds the pages that [pointer, pointer + size) overlaps. They must belong to one managed allocation. */
static cudaError_t find_pages(struct runtime *runtime, const char *call, const void *pointer, size_t size,
                              struct pages *pages)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct host_memory *memory = host_memory_find(runtime, pointer);
	if (runtime->error != cudaSuccess)
		return runtime->error;
	size_t offset = memory ? (uintptr_t)pointer - memory->address : 0;
	if (!memory || memory->kind != HOST_MANAGED || !size || size > memory->size - offset)
		return runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes at %p are not all managed memory", size,
		                      pointer);
	size_t before = memory->address % page; /* a variable may begin in the middle of a page */
	struct page_advice *advice = advice_of(memory, (before + memory->size + page - 1) / page);
	pages->first = advice + (before + offset) / page;
	pages->end = advice + (before + offset + size - 1) / page + 1;
	return cudaSuccess;
}

static void advise(struct page_advice *page, enum cudaMemoryAdvise advice, int device)
{
	bool is_set = advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseSetPreferredLocation ||
	              advice == cudaMemAdviseSetAccessedBy;
	if (advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly)
		page->is_read_mostly = is_set;
	else if (advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseUnsetPreferredLocation)
		page->preferred = (signed char)(is_set ? device : cudaInvalidDeviceId);
	else if (device == cudaCpuDeviceId)
		page->by_host = is_set;
	else
		page->by_device = is_set;
}

/* False for advice that ignores the location. */
static bool needs_location(enum cudaMemoryAdvise advice)
{
	return advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
	       advice == cudaMemAdviseUnsetAccessedBy;
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice, int device)
{
	static const char call[] = "cudaMemAdvise";
	struct runtime *runtime = runtime_enter_beside();
	struct pages pages = {0};
	cudaError_t result = find_pages(runtime, call, pointer, size, &pages);
	if (result == cudaSuccess && (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%d is not an advice value", (int)advice);
	if (result == cudaSuccess && needs_location(advice))
		result = check_location(call, device);
	for (; result == cudaSuccess && pages.first < pages.end; pages.first++)
		advise(pages.first, advice, device);
	return runtime_leave(runtime, result);
}

cudaError_t managed_check(struct runtime *runtime, const char *call, const void *pointer, size_t size)
{
	struct pages pages;
	return find_pages(runtime, call, pointer, size, &pages);
}

cudaError_t managed_prefetch(struct runtime *runtime, const char *call, const void *pointer, size_t size, int device)
{
	struct pages pages = {0};
	cudaError_t result = find_pages(runtime, call, pointer, size, &pages);
	if (result == cudaSuccess)
		result = check_location(call, device);
	for (; result == cudaSuccess && pages.first < pages.end; pages.first++)
		pages.first->prefetched = (signed char)device;
	return result;
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, int device, cudaStream_t stream)
{
	static const char call[] = "cudaMemPrefetchAsync";
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess)
		result = managed_prefetch(runtime, call, pointer, size, device);
	return runtime_leave(runtime, result);
}

cudaError_t managed_location(const char *call, struct cudaMemLocation location, int *device)
{
	bool is_host = location.type >= cudaMemLocationTypeHost && location.type <= cudaMemLocationTypeHostNumaCurrent;
	*device = is_host ? cudaCpuDeviceId : location.id;
	if (is_host || location.type == cudaMemLocationTypeDevice)
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue, "%d is not a kind of location", (int)location.type);
}

/* The same, and stores an error as the thread's last one. */
static cudaError_t device_at(const char *call, struct cudaMemLocation location, int *device)
{
	cudaError_t result = managed_location(call, location, device);
	return result == cudaSuccess ? result : runtime_result(result);
}

cudaError_t cudaMemAdvise_v2(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location)
{
	int device = 0;
	cudaError_t result = needs_location(advice) ? device_at("cudaMemAdvise", location, &device) : cudaSuccess;
	return result == cudaSuccess ? cudaMemAdvise(pointer, size, advice, device) : result;
}

cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t size, struct cudaMemLocation location,
                                    unsigned int flags, cudaStream_t stream)
{
	static const char call[] = "cudaMemPrefetchAsync";
	int device;
	cudaError_t result = device_at(call, location, &device);
	if (result == cudaSuccess && flags)
		result = runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "unknown flags 0x%x", flags));
	return result == cudaSuccess ? cudaMemPrefetchAsync(pointer, size, device, stream) : result;
}

/* ---- queries ---- */

static int location_of(const struct page_advice *page, bool prefetched)
{
	return prefetched ? page->prefetched : page->preferred;
}

/* Returns the location shared by all pages, or cudaInvalidDeviceId. */
static int common_location(struct pages pages, bool prefetched)
{
	int location = location_of(pages.first, prefetched);
	for (; pages.first < pages.end; pages.first++)
		if (location_of(pages.first, prefetched) != location)
			return cudaInvalidDeviceId;
	return location;
}

static int all_read_mostly(struct pages pages)
{
	while (pages.first < pages.end && pages.first->is_read_mostly)
		pages.first++;
	return pages.first == pages.end;
}

/* Lists the devices for all pages; unused entries are cudaInvalidDeviceId. */
static void list_accessed_by(struct pages pages, int *list, size_t count)
{
	bool by_host = true, by_device = true;
	size_t n = 0;
	for (; pages.first < pages.end; pages.first++) {
		by_host &= pages.first->by_host;
		by_device &= pages.first->by_device;
	}
	if (by_device && n < count)
		list[n++] = 0;
	if (by_host && n < count)
		list[n++] = cudaCpuDeviceId;
	while (n < count)
		list[n++] = cudaInvalidDeviceId;
}

static int location_type(int location)
{
	return location == cudaCpuDeviceId ? cudaMemLocationTypeHost
	       : location == 0             ? cudaMemLocationTypeDevice
	                                   : cudaMemLocationTypeInvalid;
}

static cudaError_t answer(const char *call, struct pages pages, enum cudaMemRangeAttribute attribute, int *data,
                          size_t size)
{
	bool is_list = attribute == cudaMemRangeAttributeAccessedBy;
	if (!data || !size || size % sizeof *data || (size != sizeof *data && !is_list))
		return runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes for the result", size);
	switch (attribute) {
	case cudaMemRangeAttributeReadMostly:
		*data = all_read_mostly(pages);
		return cudaSuccess;
	case cudaMemRangeAttributeAccessedBy:
		list_accessed_by(pages, data, size / sizeof *data);
		return cudaSuccess;
	case cudaMemRangeAttributePreferredLocation:
	case cudaMemRangeAttributePreferredLocationId:
		*data = common_location(pages, false);
		return cudaSuccess;
	case cudaMemRangeAttributeLastPrefetchLocation:
	case cudaMemRangeAttributeLastPrefetchLocationId:
		*data = common_location(pages, true);
		return cudaSuccess;
	case cudaMemRangeAttributePreferredLocationType:
		*data = location_type(common_location(pages, false));
		return cudaSuccess;
	case cudaMemRangeAttributeLastPrefetchLocationType:
		*data = location_type(common_location(pages, true));
		return cudaSuccess;
	}
	return runtime_refuse(call, cudaErrorInvalidValue, "%d is not an attribute of memory", (int)attribute);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes, size_t count,
                                      const void *pointer, size_t size)
{
	static const char call[] = "cudaMemRangeGetAttributes";
	struct runtime *runtime = runtime_enter();
	struct pages pages = {0};
	cudaError_t result = runtime_check(runtime, call, data && sizes && attributes && count);
	if (result == cudaSuccess)
		result = find_pages(runtime, call, pointer, size, &pages);
	for (size_t i = 0; i < count && result == cudaSuccess; i++)
		result = answer(call, pages, attributes[i], data[i], sizes[i]);
	return runtime_leave(runtime, result);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_size, enum cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t size)
{
	return cudaMemRangeGetAttributes(&data, &data_size, &attribute, 1, pointer, size);
}

/* ---- streams ---- */

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length, unsigned int flags)
{
	static const char call[] = "cudaStreamAttachMemAsync";
	struct runtime *runtime = runtime_enter_beside();
	struct host_memory *memory = host_memory_find(runtime, pointer);
	bool is_single = flags == cudaMemAttachSingle;
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	if (!memory || memory->kind != HOST_MANAGED || memory->address != (uintptr_t)pointer ||
	    (length && length != memory->size))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes at %p are not a managed allocation",
		                        length, pointer);
	else if ((!is_single && flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) || (is_single && !stream))
		result = runtime_refuse(call, cudaErrorInvalidValue, "flags 0x%x for stream %p", flags,
		                        (const void *)stream);
	else
		memory->flags = flags;
	return runtime_leave(runtime, result);
}
