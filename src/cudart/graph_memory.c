/* Memory allocated by graphs. The address is fixed when the node is created. The graph owns it while the node exists,
 * and the program while the memory is allocated. */
#include "cudart/graph.h"

#include "base/arena.h"
#include "base/list.h"

#include <stdlib.h>

struct graph_memory {
	uint64_t address, size;
	size_t users; /* number of nodes that allocate it */
	bool is_live; /* allocated by a launch and not yet freed */
	struct graph_memory *next;
};

/* Adds bytes to the used or reserved memory (`current`); also subtracts, modulo 2^64. */
static void account(struct runtime *runtime, enum cudaGraphMemAttributeType current, uint64_t bytes)
{
	uint64_t *now = &runtime->graph_bytes[current], *highest = now + 1;
	*now += bytes;
	if (*now > *highest)
		*highest = *now;
}

static void set_live(struct runtime *runtime, struct graph_memory *memory, bool is_live)
{
	if (memory->is_live != is_live)
		account(runtime, cudaGraphMemAttrUsedMemCurrent, is_live ? memory->size : -memory->size);
	memory->is_live = is_live;
}

/* Returns the link to the list entry with that address, or to the list's end. */
static struct graph_memory **place_of(struct runtime *runtime, const void *pointer)
{
	struct graph_memory **at = &runtime->graph_memories;
	while (*at && (*at)->address != (uintptr_t)pointer)
		at = &(*at)->next;
	return at;
}

bool graph_memory_has(const struct runtime *runtime, const void *pointer)
{
	const struct graph_memory *memory = runtime->graph_memories;
	while (memory && memory->address != (uintptr_t)pointer)
		memory = memory->next;
	return memory;
}

static void forget_unused(struct runtime *runtime, struct graph_memory **at)
{
	struct graph_memory *memory = *at;
	if (memory->users || memory->is_live)
		return;
	sluice_free(runtime->gpu, memory->address, NULL);
	account(runtime, cudaGraphMemAttrReservedMemCurrent, -memory->size);
	*at = memory->next;
	free(memory);
}

cudaError_t graph_memory_reserve(struct runtime *runtime, const char *call, size_t size, void **pointer)
{
	uint64_t address;
	struct sluice_error error = {0};
	if (!size)
		return runtime_refuse(call, cudaErrorInvalidValue, "0 bytes");
	if (sluice_alloc(runtime->gpu, size, &address, &error) != SLUICE_OK)
		return runtime_report(runtime, call, &error);
	struct graph_memory *memory = base_calloc(1, sizeof *memory);
	*memory = (struct graph_memory){.address = address, .size = size, .users = 1, .next = runtime->graph_memories};
	account(runtime, cudaGraphMemAttrReservedMemCurrent, size);
	runtime->graph_memories = memory;
	*pointer = (void *)(uintptr_t)address;
	return cudaSuccess;
}

void graph_memory_keep(struct runtime *runtime, const void *pointer)
{
	(*place_of(runtime, pointer))->users++;
}

void graph_memory_drop(struct runtime *runtime, const void *pointer)
{
	struct graph_memory **at = place_of(runtime, pointer);
	if (!*at) /* the process is ending */
		return;
	(*at)->users--;
	forget_unused(runtime, at);
}

cudaError_t graph_memory_allocate(struct runtime *runtime, const void *pointer)
{
	struct graph_memory *memory = *place_of(runtime, pointer);
	if (memory->is_live)
		return runtime_refuse("a graph's allocation node", cudaErrorInvalidValue,
		                      "%p, which an earlier launch has allocated, is not freed yet", pointer);
	set_live(runtime, memory, true);
	return cudaSuccess;
}

cudaError_t graph_memory_release(struct runtime *runtime, const char *call, const void *pointer)
{
	struct graph_memory **at = place_of(runtime, pointer);
	if (!*at || !(*at)->is_live)
		return runtime_refuse(call, cudaErrorInvalidValue, "%p is not allocated by a graph", pointer);
	set_live(runtime, *at, false);
	forget_unused(runtime, at);
	return cudaSuccess;
}

void graph_memory_take_back(struct runtime *runtime, const struct CUgraph_st *graph)
{
	for (const struct CUgraphNode_st *node = graph->first; node; node = node->next)
		if (node->work.type == cudaGraphNodeTypeMemAlloc)
			set_live(runtime, *place_of(runtime, node->work.allocation.dptr), false);
		else if (node->work.type == cudaGraphNodeTypeGraph)
			graph_memory_take_back(runtime, node->work.child);
}

void graph_memories_free(struct runtime *runtime)
{
	LIST_FREE(runtime->graph_memories);
}

static cudaError_t check_attribute(struct runtime *runtime, const char *call, int device,
                                   enum cudaGraphMemAttributeType attribute, const void *value)
{
	cudaError_t result = runtime_check(runtime, call, value);
	if (result == cudaSuccess && device)
		return runtime_refuse(call, cudaErrorInvalidDevice, "there is no device %d, only device 0", device);
	if (result == cudaSuccess && (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
		return runtime_refuse(call, cudaErrorInvalidValue, "no attribute has the number %d", (int)attribute);
	return result;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_attribute(runtime, "cudaDeviceGetGraphMemAttribute", device, attribute, value);
	if (result == cudaSuccess)
		*(uint64_t *)value = runtime->graph_bytes[attribute];
	return runtime_leave(runtime, result);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
	static const char call[] = "cudaDeviceSetGraphMemAttribute";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check_attribute(runtime, call, device, attribute, value);
	bool is_highest = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
	if (result == cudaSuccess && !(is_highest && *(const uint64_t *)value == 0))
		result = runtime_refuse(call, cudaErrorInvalidValue, "only the highest ones can be set, to 0");
	if (result == cudaSuccess)
		/* the high mark restarts at the current value */
		runtime->graph_bytes[attribute] = runtime->graph_bytes[attribute - 1];
	return runtime_leave(runtime, result);
}

/* Memory that no graph owns is always returned at once, so there is nothing to trim. */
cudaError_t cudaDeviceGraphMemTrim(int device)
{
	static const char call[] = "cudaDeviceGraphMemTrim";
	struct runtime *runtime = runtime_enter();
	return runtime_leave(runtime, check_attribute(runtime, call, device, cudaGraphMemAttrUsedMemCurrent, call));
}
