/* Host memory that the runtime allocates or that programs register with it. It is ordinary memory; what is known of it
 * serves to refuse what cannot be freed or unregistered. */
#include "cudart/runtime.h"

#include "base/arena.h"

#include <search.h>
#include <stdlib.h>
#include <unistd.h>

struct pinned {
	uintptr_t address;
	unsigned flags;
	bool is_registered; /* else allocated */
};

static int by_address(const void *a, const void *b)
{
	const struct pinned *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

static struct pinned *find(const struct runtime *runtime, const void *pointer)
{
	const struct pinned key = {.address = (uintptr_t)pointer};
	struct pinned *const *found = tfind(&key, &runtime->pinned, by_address);
	return found ? *found : NULL;
}

static void add(struct runtime *runtime, const void *pointer, unsigned flags, bool is_registered)
{
	struct pinned *pinned = xcalloc(1, sizeof *pinned);
	*pinned = (struct pinned){(uintptr_t)pointer, flags, is_registered};
	tsearch(pinned, &runtime->pinned, by_address);
}

static void forget(struct runtime *runtime, struct pinned *pinned)
{
	tdelete(pinned, &runtime->pinned, by_address);
	free(pinned);
}

void pinned_free(struct runtime *runtime)
{
	tdestroy(runtime->pinned, free);
	runtime->pinned = NULL;
}

static cudaError_t allocate(const char *call, void **pointer, size_t size, unsigned int flags)
{
	struct runtime *runtime = runtime_enter_closed();
	cudaError_t result = runtime_check(runtime, call, pointer);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	*pointer = NULL;
	if (posix_memalign(pointer, (size_t)sysconf(_SC_PAGESIZE), size ? size : 1) == 0)
		add(runtime, *pointer, flags, false);
	else
		result = runtime_refuse(call, cudaErrorMemoryAllocation, "the host has no %zu bytes", size);
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

cudaError_t cudaFreeHost(void *pointer)
{
	struct runtime *runtime = runtime_enter_closed();
	struct pinned *pinned = find(runtime, pointer);
	cudaError_t result = cudaSuccess;
	if (pinned && !pinned->is_registered) {
		forget(runtime, pinned);
		free(pointer);
	} else if (pointer) {
		result = runtime_refuse("cudaFreeHost", cudaErrorInvalidValue,
		                        "%p was not allocated by cudaHostAlloc or cudaMallocHost, or is freed already",
		                        pointer);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags)
{
	static const char call[] = "cudaHostRegister";
	struct runtime *runtime = runtime_enter_closed();
	cudaError_t result = runtime->error;
	if (result == cudaSuccess && !(pointer && size))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%zu bytes at %p", size, pointer);
	else if (result == cudaSuccess && find(runtime, pointer))
		result =
			runtime_refuse(call, cudaErrorHostMemoryAlreadyRegistered, "%p is registered already", pointer);
	if (result == cudaSuccess)
		add(runtime, pointer, flags, true);
	return runtime_leave(runtime, result);
}

cudaError_t cudaHostUnregister(void *pointer)
{
	struct runtime *runtime = runtime_enter_closed();
	struct pinned *pinned = find(runtime, pointer);
	if (!pinned || !pinned->is_registered)
		return runtime_leave(runtime, runtime_refuse("cudaHostUnregister", cudaErrorHostMemoryNotRegistered,
		                                             "%p is not registered", pointer));
	forget(runtime, pinned);
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer)
{
	static const char call[] = "cudaHostGetFlags";
	struct runtime *runtime = runtime_enter_closed();
	const struct pinned *pinned = find(runtime, pointer);
	cudaError_t result = runtime_check(runtime, call, flags);
	if (result == cudaSuccess && pinned)
		*flags = pinned->flags;
	else if (result == cudaSuccess)
		result = runtime_refuse(call, cudaErrorInvalidValue, "%p was not allocated by cudaHostAlloc", pointer);
	return runtime_leave(runtime, result);
}
