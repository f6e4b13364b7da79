#include "cudart/host_memory.h"

#include "cudart/stream_order.h"
#include "cudart/stream_work.h"
#include "cudart/leaks.h"

#include "base/arena.h"
#include "sluice_runtime.h"

#include <search.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Overlapping ranges compare as equal, so that looking up an address finds the range that contains it. */
static int by_range(const void *a, const void *b)
{
	const struct host_memory *x = a, *y = b;
	if (x->address + x->size <= y->address)
		return -1;
	return x->address >= y->address + y->size;
}

static struct host_memory *find_overlap(const struct runtime *runtime, uintptr_t address, size_t size)
{
	const struct host_memory key = {.address = address, .size = size};
	struct host_memory *const *found = tfind(&key, &runtime->host_memory, by_range);
	return found ? *found : NULL;
}

struct host_memory *host_memory_find(const struct runtime *runtime, const void *pointer)
{
	return find_overlap(runtime, (uintptr_t)pointer, 1);
}

void host_memory_keep(struct runtime *runtime, struct host_memory known)
{
	struct host_memory *memory = base_calloc(1, sizeof *memory);
	*memory = known;
	tsearch(memory, &runtime->host_memory, by_range);
}

/* Adds existing host memory. Returns an error after a message. */
static cudaError_t host_memory_add(struct runtime *runtime, const char *call, struct host_memory wanted)
{
	struct sluice_error error = {0};
	if (sluice_map_host(runtime->gpu, (void *)wanted.address, wanted.size, &wanted.device, &error) != SLUICE_OK)
		return runtime_report(runtime, call, &error);
	host_memory_keep(runtime, wanted);
	return cudaSuccess;
}

enum { PROTECTION = PROT_READ | PROT_WRITE, FLAGS = MAP_PRIVATE | MAP_ANONYMOUS };

static size_t whole_pages(size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	return (bytes + page - 1) / page * page;
}

static void *map_anywhere(const struct runtime *runtime, size_t *bytes)
{
	const size_t whole = whole_pages(*bytes), gap = whole_pages((size_t)sluice_allocation_gap(runtime->gpu));
	char *pages = mmap(NULL, whole + gap, PROTECTION, FLAGS, -1, 0);
	if (pages == MAP_FAILED)
		return NULL;
	if (gap)
		mprotect(pages + whole, gap, PROT_NONE);
	*bytes = whole + gap;
	return pages;
}

void *host_memory_map(const struct runtime *runtime, size_t *bytes)
{
	void *place = (void *)(uintptr_t)sluice_map_host_place(runtime->gpu, *bytes);
	void *pages = place ? mmap(place, *bytes, PROTECTION, FLAGS | MAP_FIXED_NOREPLACE, -1, 0) : MAP_FAILED;
	return pages == MAP_FAILED ? map_anywhere(runtime, bytes) : pages;
}

cudaError_t host_memory_allocate(struct runtime *runtime, const char *call, struct host_memory wanted, void **pointer)
{
	wanted.size = wanted.size ? wanted.size : 1;
	wanted.mapped = whole_pages(wanted.size);
	void *pages = wanted.mapped >= wanted.size ? host_memory_map(runtime, &wanted.mapped) : NULL;
	if (!pages)
		return runtime_refuse(call, cudaErrorMemoryAllocation, "the host cannot allocate %zu bytes",
		                      wanted.size);
	wanted.address = (uintptr_t)pages;
	cudaError_t result = host_memory_add(runtime, call, wanted);
	if (result == cudaSuccess) {
		*pointer = pages;
		leaks_note(runtime, call, wanted.address);
	} else {
		munmap(pages, wanted.mapped);
	}
	return result == cudaErrorInvalidValue ? cudaErrorMemoryAllocation : result;
}

static void forget(void *pointer)
{
	struct host_memory *memory = pointer;
	free(memory->advice);
	free(memory);
}

void host_memory_remove(struct runtime *runtime, struct host_memory *memory)
{
	if (runtime->gpu) /* a forked child has no GPU */
		sluice_unmap_host(runtime->gpu, (void *)memory->address, NULL);
	if (memory->mapped)
		munmap((void *)memory->address, memory->mapped);
	tdelete(memory, &runtime->host_memory, by_range);
	forget(memory);
}

void host_memory_free(struct runtime *runtime)
{
	tdestroy(runtime->host_memory, forget);
	runtime->host_memory = NULL;
}

bool memory_find(struct runtime *runtime, const void *pointer, uint64_t *base, uint64_t *size)
{
	const struct host_memory *memory = host_memory_find(runtime, pointer);
	if (!memory)
		return sluice_find_allocation(runtime->gpu, (uintptr_t)pointer, base, size);
	*base = memory->address;
	*size = memory->size;
	return true;
}

/* ---- pinned memory ---- */

static cudaError_t allocate(const char *call, void **pointer, size_t size, unsigned int flags)
{
	enum { KNOWN = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined };
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check(runtime, call, pointer);
	if (result == cudaSuccess)
		*pointer = NULL;
	if (result == cudaSuccess && flags & ~(unsigned)KNOWN)
		result = runtime_refuse(call, cudaErrorInvalidValue, "unknown flags 0x%x", flags);
	if (result == cudaSuccess)
		result = host_memory_allocate(runtime, call,
		                              (struct host_memory){.size = size, .kind = HOST_PINNED, .flags = flags},
		                              pointer);
	return runtime_leave(runtime, result);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
	return allocate("cudaHostAlloc", pointer, size, flags);
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
	return allocate("cudaMallocHost", pointer, size, cudaHostAllocDefault);
}

/* Returns the memory of that kind that begins at the pointer, or NULL. */
static struct host_memory *find_start(const struct runtime *runtime, const void *pointer, enum host_kind kind)
{
	struct host_memory *memory = host_memory_find(runtime, pointer);
	return memory && memory->address == (uintptr_t)pointer && memory->kind == kind ? memory : NULL;
}

cudaError_t cudaFreeHost(void *pointer)
{
	struct runtime *runtime = runtime_enter_closed();
	streams_finish(runtime);
	order_all(runtime);
	struct host_memory *memory = find_start(runtime, pointer, HOST_PINNED);
	cudaError_t result = cudaSuccess;
	if (memory)
		host_memory_remove(runtime, memory);
	else if (pointer)
		result = runtime_refuse("cudaFreeHost", cudaErrorInvalidValue,
		                        "%p was not allocated by cudaHostAlloc or cudaMallocHost, or is freed already",
		                        pointer);
	return runtime_leave(runtime, result);
}

/* Memory to be registered. */
struct touched {
	unsigned char *first, *last;
	bool is_written;
};

/* Checks that every page exists and is writable. Stores do not change any value, even when another thread writes. */
static void touch(void *user)
{
	const struct touched *memory = user;
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	for (unsigned char *at = memory->first; at <= memory->last; at += page - (uintptr_t)at % page)
		if (memory->is_written)
			__atomic_fetch_or(at, 0, __ATOMIC_RELAXED);
		else
			__atomic_load_n(at, __ATOMIC_RELAXED);
}

static cudaError_t check_pages(const char *call, void *pointer, size_t size, unsigned flags)
{
	struct touched memory = {pointer, (unsigned char *)pointer + size - 1, !(flags & cudaHostRegisterReadOnly)};
	const void *missing;
	if (access_guarded(touch, &memory, &missing))
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue, "the host has no writable memory at %p", missing);
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags)
{
	static const char call[] = "cudaHostRegister";
	enum {
		KNOWN = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
		        cudaHostRegisterReadOnly
	};
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime->error;
	uintptr_t end, address = (uintptr_t)pointer;
	if (result == cudaSuccess &&
	    (!(pointer && size) || flags & ~(unsigned)KNOWN || __builtin_add_overflow(address, size, &end)))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes at %p, flags 0x%x", size, pointer,
		                        flags);
	else if (result == cudaSuccess && find_overlap(runtime, address, size))
		result = runtime_refuse(call, cudaErrorHostMemoryAlreadyRegistered,
		                        "%zu bytes at %p: some are registered already", size, pointer);
	if (result == cudaSuccess)
		result = check_pages(call, pointer, size, flags);
	if (result == cudaSuccess)
		result = host_memory_add(
			runtime, call,
			(struct host_memory){
				.address = address, .size = size, .kind = HOST_REGISTERED, .flags = flags});
	return runtime_leave(runtime, result);
}

cudaError_t cudaHostUnregister(void *pointer)
{
	struct runtime *runtime = runtime_enter_closed();
	streams_finish(runtime);
	order_all(runtime);
	struct host_memory *memory = find_start(runtime, pointer, HOST_REGISTERED);
	if (!memory)
		return runtime_leave(runtime, runtime_refuse("cudaHostUnregister", cudaErrorHostMemoryNotRegistered,
		                                             "%p is not registered", pointer));
	host_memory_remove(runtime, memory);
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer)
{
	static const char call[] = "cudaHostGetFlags";
	struct runtime *runtime = runtime_enter_closed();
	const struct host_memory *memory = host_memory_find(runtime, pointer);
	cudaError_t result = runtime_check(runtime, call, flags);
	if (result == cudaSuccess && memory && memory->kind != HOST_MANAGED)
		*flags = memory->flags;
	else if (result == cudaSuccess)
		result = runtime_refuse(call, cudaErrorInvalidValue, "%p was not allocated by cudaHostAlloc", pointer);
	return runtime_leave(runtime, result);
}

/* Kernels can access all pinned memory, with or without cudaHostAllocMapped. */
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
	static const char call[] = "cudaHostGetDevicePointer";
	struct runtime *runtime = runtime_enter_closed();
	const struct host_memory *memory = host_memory_find(runtime, host);
	cudaError_t result = runtime_check(runtime, call, device);
	if (result == cudaSuccess && flags)
		result = runtime_refuse(call, cudaErrorInvalidValue, "unknown flags 0x%x", flags);
	else if (result == cudaSuccess && !memory)
		result = runtime_refuse(call, cudaErrorInvalidValue,
		                        "%p is neither in memory of cudaHostAlloc nor registered", host);
	else if (result == cudaSuccess)
		*device = (void *)(uintptr_t)(memory->device + ((uintptr_t)host - memory->address));
	return runtime_leave(runtime, result);
}
