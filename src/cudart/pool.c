/* Memory pools for stream-ordered allocation. Streams are serialized, so an allocation is usable at once and freed
 * memory returns to the device at once. A pool never holds unused memory. */
#include "cudart/pool.h"
#include "cudart/leaks.h"

#include "cudart/capture.h"

#include "base/arena.h"
#include "base/list.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct CUmemPoolHandle_st {
	bool is_default;
	bool is_destroyed;        /* destroyed, but some of its memory is still allocated */
	int reuse[3];             /* the three reuse attributes */
	uint64_t threshold, most; /* `most`: limit in bytes; 0: no limit */
	uint64_t used, high;
	struct CUmemPoolHandle_st *next;
};

/* An allocation from a pool. */
struct pooled {
	uintptr_t address;
	size_t size;
	struct CUmemPoolHandle_st *pool;
};

static int by_address(const void *a, const void *b)
{
	const struct pooled *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

static struct CUmemPoolHandle_st *add_pool(struct runtime *runtime)
{
	struct CUmemPoolHandle_st *pool = base_calloc(1, sizeof *pool);
	*pool = (struct CUmemPoolHandle_st){.reuse = {1, 1, 1}, .next = runtime->pools};
	runtime->pools = pool;
	return pool;
}

/* Returns the device's default pool, which is created at first use. */
static struct CUmemPoolHandle_st *default_pool(struct runtime *runtime)
{
	struct CUmemPoolHandle_st *pool = runtime->pools;
	while (pool && !pool->is_default)
		pool = pool->next;
	if (!pool) {
		pool = add_pool(runtime);
		pool->is_default = true;
	}
	return pool;
}

static struct CUmemPoolHandle_st *current_pool(struct runtime *runtime)
{
	return runtime->pool ? runtime->pool : default_pool(runtime);
}

static cudaError_t check_pool(const struct runtime *runtime, const char *call, cudaMemPool_t wanted)
{
	const struct CUmemPoolHandle_st *pool = runtime->pools;
	if (runtime->error != cudaSuccess)
		return runtime->error;
	while (pool && pool != wanted)
		pool = pool->next;
	if (pool && !pool->is_destroyed)
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue, "%p is not a memory pool, or one that was destroyed",
	                      (const void *)wanted);
}

static cudaError_t check_location(const char *call, const struct cudaMemLocation *location)
{
	if (location->type != cudaMemLocationTypeDevice)
		return runtime_refuse(call, cudaErrorInvalidValue, "a location of type %d, which is not a device",
		                      (int)location->type);
	if (location->id)
		return runtime_refuse(call, cudaErrorInvalidDevice, "there is no device %d, only device 0",
		                      location->id);
	return cudaSuccess;
}

void pools_free(struct runtime *runtime)
{
	tdestroy(runtime->pooled, free);
	runtime->pooled = NULL;
	LIST_FREE(runtime->pools);
}

/* ---- creation and destruction ---- */

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
	static const char call[] = "cudaMemPoolCreate";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, pool && properties);
	if (result == cudaSuccess && properties->allocType != cudaMemAllocationTypePinned)
		result = runtime_refuse(call, cudaErrorInvalidValue, "allocations of type %d; expected pinned ones",
		                        (int)properties->allocType);
	if (result == cudaSuccess)
		result = check_location(call, &properties->location);
	if (result == cudaSuccess && properties->handleTypes != cudaMemHandleTypeNone)
		result = runtime_refuse(call, cudaErrorNotSupported, "its memory cannot be given to other processes");
	if (result == cudaSuccess) {
		*pool = add_pool(runtime);
		(*pool)->most = properties->maxSize;
	}
	return runtime_leave(runtime, result);
}

static void drop_if_empty(struct runtime *runtime, struct CUmemPoolHandle_st *pool)
{
	struct CUmemPoolHandle_st **link = &runtime->pools;
	if (!pool->is_destroyed || pool->used)
		return;
	while (*link != pool)
		link = &(*link)->next;
	*link = pool->next;
	free(pool);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	static const char call[] = "cudaMemPoolDestroy";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_pool(runtime, call, pool);
	if (result == cudaSuccess && pool->is_default)
		result = runtime_refuse(call, cudaErrorInvalidValue, "the device's own pool cannot be destroyed");
	if (result == cudaSuccess) {
		pool->is_destroyed = true;
		runtime->pool = runtime->pool == pool ? NULL : runtime->pool;
		drop_if_empty(runtime, pool);
	}
	return runtime_leave(runtime, result);
}

/* ---- the device's pools ---- */

static cudaError_t check_device(const struct runtime *runtime, const char *call, int device, bool has_room)
{
	cudaError_t result = runtime_check(runtime, call, has_room);
	if (result == cudaSuccess && device)
		result = runtime_refuse(call, cudaErrorInvalidDevice, "there is no device %d, only device 0", device);
	return result;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_device(runtime, "cudaDeviceGetDefaultMemPool", device, pool);
	if (result == cudaSuccess)
		*pool = default_pool(runtime);
	return runtime_leave(runtime, result);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_device(runtime, "cudaDeviceGetMemPool", device, pool);
	if (result == cudaSuccess)
		*pool = current_pool(runtime);
	return runtime_leave(runtime, result);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	static const char call[] = "cudaDeviceSetMemPool";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_device(runtime, call, device, true);
	if (result == cudaSuccess)
		result = check_pool(runtime, call, pool);
	if (result == cudaSuccess)
		runtime->pool = pool;
	return runtime_leave(runtime, result);
}

/* ---- the same by location: only the device has pools ---- */

enum { MANAGED = 2 }; /* cudaMemAllocationTypeManaged since CUDA 13 */

static cudaError_t check_place(const struct runtime *runtime, const char *call, const struct cudaMemLocation *location,
                               enum cudaMemAllocationType type, bool has_room)
{
	cudaError_t result = runtime_check(runtime, call, has_room);
	if (result == cudaSuccess && !location)
		result = runtime_refuse(call, cudaErrorInvalidValue, "no location");
	if (result != cudaSuccess)
		return result;
	bool is_host = location->type == cudaMemLocationTypeHost || location->type == cudaMemLocationTypeHostNuma;
	bool is_managed = (int)type == MANAGED;
	if (type != cudaMemAllocationTypePinned && !is_managed)
		return runtime_refuse(call, cudaErrorInvalidValue, "%d is not a type of allocations", (int)type);
	if (is_host || (is_managed && location->type <= cudaMemLocationTypeDevice))
		return runtime_refuse(call, cudaErrorNotSupported, "there are no pools of %s",
		                      is_host ? "host memory" : "managed memory");
	return check_location(call, location);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_place(runtime, "cudaMemGetDefaultMemPool", location, type, pool);
	if (result == cudaSuccess)
		*pool = default_pool(runtime);
	return runtime_leave(runtime, result);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_place(runtime, "cudaMemGetMemPool", location, type, pool);
	if (result == cudaSuccess)
		*pool = current_pool(runtime);
	return runtime_leave(runtime, result);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t pool)
{
	static const char call[] = "cudaMemSetMemPool";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_place(runtime, call, location, type, true);
	if (result == cudaSuccess)
		result = check_pool(runtime, call, pool);
	if (result == cudaSuccess)
		runtime->pool = pool;
	return runtime_leave(runtime, result);
}

/* ---- attributes ---- */

static bool is_reuse(enum cudaMemPoolAttr attribute)
{
	return attribute >= cudaMemPoolReuseFollowEventDependencies &&
	       attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

/* Returns the variable of a 64-bit attribute, or NULL. */
static uint64_t *wide_attribute(struct CUmemPoolHandle_st *pool, enum cudaMemPoolAttr attribute)
{
	switch (attribute) {
	case cudaMemPoolAttrReleaseThreshold:
		return &pool->threshold;
	case cudaMemPoolAttrReservedMemCurrent:
	case cudaMemPoolAttrUsedMemCurrent:
		return &pool->used;
	case cudaMemPoolAttrReservedMemHigh:
	case cudaMemPoolAttrUsedMemHigh:
		return &pool->high;
	default:
		return NULL;
	}
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	static const char call[] = "cudaMemPoolGetAttribute";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, value);
	if (result == cudaSuccess)
		result = check_pool(runtime, call, pool);
	const uint64_t *wide = result == cudaSuccess ? wide_attribute(pool, attribute) : NULL;
	if (result == cudaSuccess && is_reuse(attribute))
		*(int *)value = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
	else if (wide)
		*(uint64_t *)value = *wide;
	else if (result == cudaSuccess)
		result =
			runtime_refuse(call, cudaErrorInvalidValue, "%d is not an attribute of a pool", (int)attribute);
	return runtime_leave(runtime, result);
}

/* The high marks can only be reset, to the current values; the current values cannot be set. */
static cudaError_t set_attribute(const char *call, struct CUmemPoolHandle_st *pool, enum cudaMemPoolAttr attribute,
                                 const void *value)
{
	bool is_high = attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
	if (is_reuse(attribute)) {
		pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *(const int *)value != 0;
		return cudaSuccess;
	}
	if (attribute == cudaMemPoolAttrReleaseThreshold) {
		pool->threshold = *(const uint64_t *)value;
		return cudaSuccess;
	}
	if (!is_high || *(const uint64_t *)value)
		return runtime_refuse(call, cudaErrorInvalidValue, "attribute %d cannot be set to this value",
		                      (int)attribute);
	pool->high = pool->used;
	return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	static const char call[] = "cudaMemPoolSetAttribute";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, value);
	if (result == cudaSuccess)
		result = check_pool(runtime, call, pool);
	if (result == cudaSuccess)
		result = set_attribute(call, pool, attribute, value);
	return runtime_leave(runtime, result);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	(void)keep;
	struct runtime *runtime = runtime_enter();
	return runtime_leave(runtime, check_pool(runtime, "cudaMemPoolTrimTo", pool));
}

/* The owning device always has access, and there is no other. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count)
{
	static const char call[] = "cudaMemPoolSetAccess";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, list || !count);
	if (result == cudaSuccess)
		result = check_pool(runtime, call, pool);
	for (size_t i = 0; i < count && result == cudaSuccess; i++) {
		result = check_location(call, &list[i].location);
		if (result == cudaSuccess && list[i].flags != cudaMemAccessFlagsProtReadWrite)
			result =
				runtime_refuse(call, cudaErrorInvalidValue, "the pool's own device cannot lose access");
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
	static const char call[] = "cudaMemPoolGetAccess";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, flags && location);
	if (result == cudaSuccess)
		result = check_pool(runtime, call, pool);
	if (result == cudaSuccess)
		result = check_location(call, location);
	if (result == cudaSuccess)
		*flags = cudaMemAccessFlagsProtReadWrite;
	return runtime_leave(runtime, result);
}

/* ---- other processes: memory of a pool can be neither exported nor imported ---- */

static cudaError_t refuse_sharing(const char *call)
{
	return runtime_result(runtime_refuse(call, cudaErrorInvalidValue,
	                                     "no pool of a simulated device has memory for other processes"));
}

cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type,
                                               unsigned int flags)
{
	(void)handle, (void)pool, (void)type, (void)flags;
	return refuse_sharing("cudaMemPoolExportToShareableHandle");
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                                 enum cudaMemAllocationHandleType type, unsigned int flags)
{
	(void)pool, (void)handle, (void)type, (void)flags;
	return refuse_sharing("cudaMemPoolImportFromShareableHandle");
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *pointer)
{
	(void)data, (void)pointer;
	return refuse_sharing("cudaMemPoolExportPointer");
}

cudaError_t cudaMemPoolImportPointer(void **pointer, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data)
{
	(void)pointer, (void)pool, (void)data;
	return refuse_sharing("cudaMemPoolImportPointer");
}

/* ---- allocations ---- */

static cudaError_t allocate(struct runtime *runtime, const char *call, struct CUmemPoolHandle_st *pool, void **pointer,
                            size_t size)
{
	uint64_t address;
	struct sluice_error error = {0};
	*pointer = NULL;
	if (!size)
		return cudaSuccess;
	if (pool->most && size > pool->most - pool->used)
		return runtime_refuse(call, cudaErrorMemoryAllocation, "%zu bytes of a pool that has %llu left", size,
		                      (unsigned long long)(pool->most - pool->used));
	if (sluice_alloc(runtime->gpu, size, &address, &error) != SLUICE_OK)
		return runtime_report(runtime, call, &error);
	leaks_note(runtime, call, address);
	struct pooled *pooled = base_calloc(1, sizeof *pooled);
	*pooled = (struct pooled){address, size, pool};
	tsearch(pooled, &runtime->pooled, by_address);
	pool->used += size;
	pool->high = pool->used > pool->high ? pool->used : pool->high;
	*pointer = (void *)(uintptr_t)address;
	return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
	static const char call[] = "cudaMallocAsync";
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check(runtime, call, pointer);
	if (result == cudaSuccess)
		result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess && capture_of(runtime, stream))
		result = capture_allocation(runtime, call, stream, pointer, size);
	else if (result == cudaSuccess)
		result = allocate(runtime, call, current_pool(runtime), pointer, size);
	return runtime_leave(runtime, result);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
	static const char call[] = "cudaMallocFromPoolAsync";
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check(runtime, call, pointer);
	if (result == cudaSuccess)
		result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess)
		result = check_pool(runtime, call, pool);
	if (result == cudaSuccess && capture_of(runtime, stream))
		result = capture_allocation(runtime, call, stream, pointer, size);
	else if (result == cudaSuccess)
		result = allocate(runtime, call, pool, pointer, size);
	return runtime_leave(runtime, result);
}

void pools_forget(struct runtime *runtime, const void *pointer)
{
	const struct pooled key = {.address = (uintptr_t)pointer};
	struct pooled *const *found = tfind(&key, &runtime->pooled, by_address);
	if (!found)
		return;
	struct pooled *gone = *found;
	struct CUmemPoolHandle_st *pool = gone->pool;
	pool->used -= gone->size;
	tdelete(gone, &runtime->pooled, by_address);
	free(gone);
	drop_if_empty(runtime, pool);
}
