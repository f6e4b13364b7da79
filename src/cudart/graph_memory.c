/* Memory that graphs allocate: an address is fixed when the node is made, and it is the graph's as long as that has the node, and the
 * program's as long as it is allocated. */
#include "cudart/graph.h"

#include "base/arena.h"

#include <stdlib.h>

struct graph_memory {
	uint64_t address;
	size_t users; /* nodes that allocate it */
	bool is_live; /* a launch has allocated it, and nobody has freed it */
	struct graph_memory *next;
};

/* The place in the list of the one with that address, or its end. */
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
	struct graph_memory *memory = xcalloc(1, sizeof *memory);
	*memory = (struct graph_memory){.address = address, .users = 1, .next = runtime->graph_memories};
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
	if (!*at) /* the process ends */
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
	memory->is_live = true;
	return cudaSuccess;
}

cudaError_t graph_memory_release(struct runtime *runtime, const char *call, const void *pointer)
{
	struct graph_memory **at = place_of(runtime, pointer);
	if (!*at || !(*at)->is_live)
		return runtime_refuse(call, cudaErrorInvalidValue, "%p is not allocated by a graph", pointer);
	(*at)->is_live = false;
	forget_unused(runtime, at);
	return cudaSuccess;
}

void graph_memory_take_back(struct runtime *runtime, const struct CUgraph_st *graph)
{
	for (const struct CUgraphNode_st *node = graph->first; node; node = node->next)
		if (node->work.type == cudaGraphNodeTypeMemAlloc)
			(*place_of(runtime, node->work.allocation.dptr))->is_live = false;
		else if (node->work.type == cudaGraphNodeTypeGraph)
			graph_memory_take_back(runtime, node->work.child);
}

void graph_memories_free(struct runtime *runtime)
{
	for (struct graph_memory *memory = runtime->graph_memories, *next; memory; memory = next) {
		next = memory->next;
		free(memory);
	}
	runtime->graph_memories = NULL;
}
